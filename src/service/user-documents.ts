import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { noDocument } from '../database/catalogue/documents.js';
import { Access, insufficientPrivilege } from '../database/catalogue/rights.js';
import type { DocumentsStore } from '../database/store/documents-store.js';
import type { DocumentDef, DocumentKind, ListedDocument } from '../model/document.js';
import type { UserDocuments } from '../model/exchange.js';
import { expectedFault, type Fault, FaultError } from '../model/fault.js';

/**
 * Documents with the rights of their users: the owner and the administrator read and change one, all others read it if
 * it is shared. A document that a user may not read does not exist for that user.
 */
export function userDocuments(catalogue: Catalogue, store: DocumentsStore): UserDocuments {
  const mayChange = (user: string, { owner }: DocumentDef): boolean =>
    owner === user || new Access(catalogue, user).isAdministrator;
  const isVisible = (user: string, document: DocumentDef): boolean => document.isShared || mayChange(user, document);
  const listed = (user: string, document: DocumentDef): ListedDocument => ({
    id: document.id,
    name: document.name,
    owner: document.owner,
    shared: document.isShared,
    version: document.version,
    createdTime: document.created,
    updatedTime: document.updated,
    updatedBy: document.updatedBy,
    mayChange: mayChange(user, document),
  });
  const visible = async (user: string, kind: DocumentKind, id: string): Promise<DocumentDef> => {
    const document = await store.find(kind, id);
    if (document === undefined || !isVisible(user, document)) throw new FaultError(noDocument(kind, id));
    return document;
  };
  const requireChange = async (user: string, kind: DocumentKind, id: string): Promise<void> => {
    if (!mayChange(user, await visible(user, kind, id))) throw insufficientPrivilege();
  };
  return {
    list: (user, kind) =>
      faultOrResult(async () => {
        const all = await store.all(kind);
        return {
          records: all.filter((document) => isVisible(user, document)).map((document) => listed(user, document)),
        };
      }),
    get: (user, kind, id) =>
      faultOrResult(async () => {
        const document = await visible(user, kind, id);
        return { ...listed(user, document), content: await store.content(document) };
      }),
    create: (user, kind, { name, shared, content }) =>
      faultOrResult(async () => {
        const document = { kind, id: randomUUID(), name, isShared: shared, user };
        return listed(user, await store.create(document, content));
      }),
    replace: (user, kind, id, version, { name, shared, content }) =>
      faultOrResult(async () => {
        await requireChange(user, kind, id);
        return listed(user, await store.replace({ kind, id, version, name, isShared: shared, user }, content));
      }),
    remove: (user, kind, id, version) =>
      faultOrResult(async () => {
        await requireChange(user, kind, id);
        await store.remove({ kind, id, version });
        return {};
      }),
  };
}

async function faultOrResult<T>(act: () => Promise<T>): Promise<T | Fault> {
  try {
    return await act();
  } catch (error) {
    return expectedFault(error);
  }
}

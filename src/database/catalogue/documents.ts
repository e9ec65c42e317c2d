import type { DocumentDef, StoredKind } from '../../model/document.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import { administrator } from '../../model/rights.js';
import type { DocumentOperation, LogEntry } from './operations.js';

/** Limits of documents of all users, and of those of one owner. */
const maxDocuments = 10_000;
const maxDocumentsOfOwner = 1_000;

/** How long the content of an earlier version stays: a backup may have begun before the change. */
export const replacedMs = 3_600_000;

/**
 * The part of the catalogue's fold that is about documents: everything but their contents, which have a table of their
 * own because the log is never rewritten. A change names the version that it replaces, so of two changes of one version
 * the second is refused, whichever processes they came to.
 */
export class Documents {
  readonly #documents = new Map<string, DocumentDef>();
  readonly #perOwner = new Map<string, number>();
  /** Contents that no document has any more, with the time of the change, Unix ms; the older ones are left out. */
  readonly #replaced = new Map<string, number>();

  document(kind: StoredKind, id: string): DocumentDef | undefined {
    const document = this.#documents.get(id);
    return document?.kind === kind ? document : undefined;
  }

  /** In the order of their making. */
  all(kind: StoredKind): readonly DocumentDef[] {
    return [...this.#documents.values()].filter((document) => document.kind === kind);
  }

  /** Contents that must stay: those of documents, and of versions that were replaced within {@link replacedMs}. */
  contents(): ReadonlySet<string> {
    return new Set([...[...this.#documents.values()].map(({ content }) => content), ...this.#replaced.keys()]);
  }

  /** `isUser`: whether a name is that of a user. */
  apply(operation: DocumentOperation, { at }: LogEntry, isUser: (name: string) => boolean): Fault | undefined {
    const { id, kind } = operation;
    const document = this.document(kind, id);
    for (const [content, since] of this.#replaced) if (since < at - replacedMs) this.#replaced.delete(content);
    if (operation.op === 'create-document') {
      const { name, isShared, user, content } = operation;
      if (!isUser(user)) return named(refusals.userNotExist, user);
      const refused = this.#tooMany(user);
      if (refused !== undefined) return refused;
      const times = { created: at, updated: at, updatedBy: user };
      this.#documents.set(id, { kind, id, name, isShared, content, owner: user, version: 1, ...times });
      this.#count(user, 1);
      return undefined;
    }
    if (document === undefined) return noDocument(kind, id);
    if (document.version !== operation.version) return changedMeanwhile(document, operation.version);
    this.#replaced.set(document.content, at);
    if (operation.op === 'drop-document') {
      this.#documents.delete(id);
      this.#count(document.owner, -1);
      return undefined;
    }
    const { name, isShared, user, content, version } = operation;
    const change = { name, isShared, content, version: version + 1, updated: at, updatedBy: user };
    this.#documents.set(id, { ...document, ...change });
    return undefined;
  }

  /** The documents of a dropped user become the administrator's: whoever has the name later is somebody else. */
  forgetUser(user: string): void {
    if (user === administrator) return;
    for (const document of this.#documents.values()) {
      if (document.owner !== user) continue;
      this.#documents.set(document.id, { ...document, owner: administrator });
      this.#count(administrator, 1);
    }
    this.#perOwner.delete(user);
  }

  #count(owner: string, change: number): void {
    this.#perOwner.set(owner, (this.#perOwner.get(owner) ?? 0) + change);
  }

  #tooMany(owner: string): Fault | undefined {
    if (this.#documents.size >= maxDocuments) return tooMany(`${maxDocuments} documents`);
    const own = this.#perOwner.get(owner) ?? 0;
    return own < maxDocumentsOfOwner ? undefined : tooMany(`${maxDocumentsOfOwner} documents of a user`);
  }
}

function tooMany(limit: string): Fault {
  return fault('parameter', Codes.notSupported, `There are ${limit} already, which is the limit; delete some first`);
}

/** The words for kinds in messages. */
const words: Readonly<Record<StoredKind, string>> = {
  dashboard: 'Dashboard',
  'saved-query': 'Saved query',
  rule: 'Rule',
  silence: 'Silence',
};

/** The refusal where a document does not exist, or the user may not know of it. */
export function noDocument(kind: StoredKind, id: string): Fault {
  const shown = JSON.stringify(id.slice(0, 64));
  return fault('database', Codes.documentNotExist, `${words[kind]} ${shown} does not exist`);
}

function changedMeanwhile({ kind, id, version, updatedBy }: DocumentDef, replaced: number): Fault {
  const what = `${words[kind]} ${JSON.stringify(id)}`;
  const text = `${what} has version ${version} by now, by ${updatedBy}; version ${replaced} cannot be replaced`;
  return fault('database', Codes.documentChanged, text);
}

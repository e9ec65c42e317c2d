import { randomBytes } from 'node:crypto';
import type { DocumentDef, StoredKind } from '../../model/document.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { noDocument, replacedMs } from '../catalogue/documents.js';
import type { DocumentOperation } from '../catalogue/operations.js';
import type { Engine } from '../engine/engine.js';
import { constantSetOfIds } from '../engine/key-sets.js';
import { OwnTables } from '../engine/own-tables.js';
import type { TableChange } from '../engine/table-change.js';

/** Contents by their keys. A key is random, and its content never changes. */
const table = 'sluice.documents';
const create: readonly TableChange[] = [
  {
    change: 'make-table',
    table,
    columns: ['id UInt64', 'content String CODEC(ZSTD)', 'stored DateTime DEFAULT now()'],
    kind: { order: 'id' },
  },
];

/** Contents that one change of a document removes at most. */
const maxRemoved = 1_000;

type Change<Op extends DocumentOperation['op']> = Omit<Extract<DocumentOperation, { op: Op }>, 'op' | 'content'>;

/**
 * Documents: what the catalogue says of them, and their contents, which have a table of their own. Every method may
 * reject with a FaultError.
 */
export class DocumentsStore {
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  readonly #tables: OwnTables;

  constructor(engine: Engine, catalogue: Catalogue) {
    this.#engine = engine;
    this.#catalogue = catalogue;
    this.#tables = new OwnTables(engine, create);
  }

  /** Makes the table where it is missing. */
  prepare(): Promise<void> {
    return this.#tables.prepare();
  }

  /** The documents of a kind as they are now, in the order of their making. */
  async all(kind: StoredKind): Promise<readonly DocumentDef[]> {
    await this.#catalogue.sync();
    return this.#catalogue.documents.all(kind);
  }

  /** A document as it is now, without its content; undefined where there is none. */
  async find(kind: StoredKind, id: string): Promise<DocumentDef | undefined> {
    await this.#catalogue.sync();
    return this.#catalogue.documents.document(kind, id);
  }

  /** The content of a document, which is JSON. */
  async content(document: DocumentDef): Promise<unknown> {
    const { kind, id } = document;
    const contents = await this.contents([document]);
    if (!contents.has(id)) {
      throw new FaultError(fault('database', Codes.free, `The content of ${kind} ${JSON.stringify(id)} is missing`));
    }
    return contents.get(id);
  }

  /** The contents of documents by their ids, without those that are missing. */
  async contents(documents: readonly DocumentDef[]): Promise<ReadonlyMap<string, unknown>> {
    if (documents.length === 0) return new Map();
    await this.prepare();
    const keys = documents.map(({ content }) => BigInt(content));
    const rows = await this.#engine.rows(
      `SELECT toString(id), content FROM ${table} WHERE id IN ${constantSetOfIds(keys)}`,
    );
    const byKey = new Map(rows.map(([key, content]) => [String(key), content]));
    return new Map(
      documents.flatMap(({ id, content }) => {
        const text = byKey.get(content);
        return text === undefined ? [] : [[id, JSON.parse(String(text))] as const];
      }),
    );
  }

  /** Makes a document of a new id. */
  async create(document: Change<'create-document'>, content: object): Promise<DocumentDef> {
    return this.#put({ op: 'create-document', ...document, content: await this.#store(content) });
  }

  /** Replaces a version of a document. Refused with `documentChanged` where it has another one by now. */
  async replace(document: Change<'replace-document'>, content: object): Promise<DocumentDef> {
    return this.#put({ op: 'replace-document', ...document, content: await this.#store(content) });
  }

  /** Removes a document. Refused with `documentChanged` where it has another version by now. */
  async remove(document: Change<'drop-document'>): Promise<void> {
    await this.#submit({ op: 'drop-document', ...document });
  }

  /** Stores a content before the catalogue names it, so that no document is without one. Gives its key. */
  async #store(content: object): Promise<string> {
    const id = randomBytes(8).readBigUInt64BE().toString();
    await this.#tables.insert('documents', [{ id, content: JSON.stringify(content) }], 'id, content');
    await this.#removeReplaced();
    return id;
  }

  async #put(operation: Exclude<DocumentOperation, { op: 'drop-document' }>): Promise<DocumentDef> {
    await this.#submit(operation);
    const { kind, id } = operation;
    const document = this.#catalogue.documents.document(kind, id);
    if (document === undefined) throw new FaultError(noDocument(kind, id));
    return document;
  }

  async #submit(operation: DocumentOperation): Promise<void> {
    const [refused] = await this.#catalogue.submit([operation]);
    if (refused !== undefined) throw new FaultError(refused);
  }

  /**
   * Removes contents that no document has: those of replaced versions, and of changes that were refused or broke off.
   * Those of changes in flight are younger.
   */
  async #removeReplaced(): Promise<void> {
    const rows = await this.#engine.rows(
      `SELECT DISTINCT toString(id) FROM ${table} WHERE stored < now() - ${replacedMs / 1000}`,
    );
    await this.#catalogue.sync();
    const needed = this.#catalogue.documents.contents();
    const old = rows.map(([id]) => String(id)).filter((id) => !needed.has(id));
    if (old.length === 0) return;
    const where = `id IN ${constantSetOfIds(old.slice(0, maxRemoved).map(BigInt))}`;
    await this.#engine.define({ change: 'delete-rows', table, where, isUnseen: true });
  }
}

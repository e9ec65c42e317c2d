import { reliancesIn, withoutReliances } from '../../../sql/engine/storage.js';

/** Tables that something is known about. */
const mostTables = 1_000;
/** Changes that store no rows. */
const storesNone = /^\s*(?:system|optimize)\s/i;

interface Known {
  /** The table has no rows of later inserts; undefined until a statement has shown that. */
  insert: number | undefined;
}

/**
 * What statements relied upon about tables, and the engine has found to be so: that none of their rows are of later inserts than those that are known. Every
 * insert goes through the host, so it stays so until one begins, and until then statements are run without the condition that finds it out, which takes
 * the engine up to a millisecond.
 */
export class ProvenReliances {
  /** By the names of tables in the engine. An entry is gone once a change begins that may add rows. */
  readonly #known = new Map<string, Known>();
  /** Changes that are being made: the tables that they add rows to, undefined for any. */
  readonly #changes = new Set<{ readonly table: string | undefined }>();

  /** To be told of a change, with the table that it inserts into, or undefined for any; to call when it has ended. */
  begin(statement: string, table: string | undefined): () => void {
    if (storesNone.test(statement)) return () => {};
    const change = { table };
    this.#changes.add(change);
    for (const storage of this.#known.keys()) if (mayAdd(table, storage)) this.#known.delete(storage);
    return () => this.#changes.delete(change);
  }

  /** What `ask` gives for a statement, which it may be asked without some conditions, and another time with them. Rejects as `ask` does. */
  async answer(
    statement: string,
    ask: (statement: string) => Promise<Buffer | undefined>,
  ): Promise<Buffer | undefined> {
    const relied = reliancesIn(statement).map((reliance) => ({ ...reliance, known: this.#of(reliance.storage) }));
    if (relied.length === 0) return ask(statement);
    const isStill = (): boolean => relied.every(({ storage, known }) => known && this.#known.get(storage) === known);
    if (relied.every(({ insert, known }) => known?.insert !== undefined && known.insert <= insert)) {
      const bytes = await ask(withoutReliances(statement));
      if (isStill()) return bytes;
    }
    const bytes = await ask(statement);
    if (bytes !== undefined && isStill()) {
      for (const { insert, known } of relied) if (known) known.insert = Math.min(insert, known.insert ?? insert);
    }
    return bytes;
  }

  /** Undefined while rows may be coming. */
  #of(storage: string): Known | undefined {
    for (const { table } of this.#changes) if (mayAdd(table, storage)) return undefined;
    if (this.#known.size >= mostTables && !this.#known.has(storage)) this.#known.clear();
    const known = this.#known.get(storage) ?? { insert: undefined };
    this.#known.set(storage, known);
    return known;
  }
}

function mayAdd(table: string | undefined, storage: string): boolean {
  return table === undefined || storage.endsWith(`.${table}`);
}

import { quoteString } from '../../sql/engine/quote.js';
import type { WriteOrder } from '../../sql/engine/storage.js';

/** The part of the history of engine tables that can be read now. */
export interface Visible {
  /** The position up to which everything is visible; undefined while that is unknown. */
  readonly upTo: number | undefined;
  /** The same by engine table, or less if nothing follows; tables without rows are missing. */
  readonly tables: ReadonlyMap<string, number>;
}

/**
 * The order in which rows were written, for readers that need every stored row once. A position is a whole number; 0 is
 * before all rows. See {@link WriteOrder}.
 */
export interface History {
  readonly order: WriteOrder;
  /** How far the history of engine tables, `database.table`, can be read: later commits have greater positions. */
  visible(tables: readonly string[]): Promise<Visible>;
}

type RunQuery = (statement: string) => Promise<readonly (readonly unknown[])[]>;

/** The history of a single engine, which numbers inserts under the same lock that makes them visible. */
export class InsertHistory implements History {
  readonly order = 'inserts';
  readonly #rows: RunQuery;

  constructor(rows: RunQuery) {
    this.#rows = rows;
  }

  async visible(tables: readonly string[]): Promise<Visible> {
    if (tables.length === 0) return { upTo: Number.POSITIVE_INFINITY, tables: new Map() };
    const rows = await this.#rows(
      `SELECT concat(database, '.', table) AS name, max(max_block_number) FROM system.parts
       WHERE ${activeParts(tables)} GROUP BY name`,
    );
    const numbers = new Map(rows.map(([table, number]) => [String(table), Number(number)]));
    return { upTo: Number.POSITIVE_INFINITY, tables: numbers };
  }
}

/** A condition on `system.parts`: that a part is of one of some engine tables, and in use. */
export function activeParts(tables: readonly string[]): string {
  const own = tables.map((table) => {
    const [database = '', name = ''] = table.split('.');
    return `database = ${quoteString(database)} AND table = ${quoteString(name)}`;
  });
  return `active AND (${own.join(' OR ')})`;
}

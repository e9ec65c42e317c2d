import { quoteString } from '../../sql/engine/quote.js';
import type { WriteOrder } from '../../sql/engine/storage.js';

/** The part of the history of engine tables that can be read now. */
export interface Visible {
  /** The place up to which everything is visible; undefined where that cannot be told at present. */
  readonly upTo: number | undefined;
  /** By engine table the same, or less where there is nothing behind it; tables without rows are not in it. */
  readonly tables: ReadonlyMap<string, number>;
}

/**
 * The order in which rows were written, as those follow it who want every row once it is stored. A place in it is a whole number;
 * 0 is before all rows. See {@link WriteOrder}.
 */
export interface History {
  readonly order: WriteOrder;
  /** How far the history of engine tables, `database.table`, can be read: what is committed later has a greater place. */
  visible(tables: readonly string[]): Promise<Visible>;
}

type Ask = (statement: string) => Promise<readonly (readonly unknown[])[]>;

/** The history of a single engine: it numbers inserts under the lock with which it makes them visible. */
export class InsertHistory implements History {
  readonly order = 'inserts';
  readonly #rows: Ask;

  constructor(rows: Ask) {
    this.#rows = rows;
  }

  async visible(tables: readonly string[]): Promise<Visible> {
    if (tables.length === 0) return { upTo: Number.POSITIVE_INFINITY, tables: new Map() };
    const rows = await this.#rows(
      `SELECT concat(database, '.', table) AS place, max(max_block_number) FROM system.parts
       WHERE ${activeParts(tables)} GROUP BY place`,
    );
    const places = new Map(rows.map(([table, place]) => [String(table), Number(place)]));
    return { upTo: Number.POSITIVE_INFINITY, tables: places };
  }
}

/** A condition on `system.parts`: that a part is of one of some engine tables, and in use. */
export function activeParts(tables: readonly string[]): string {
  const own = tables.map((place) => {
    const [database = '', name = ''] = place.split('.');
    return `database = ${quoteString(database)} AND table = ${quoteString(name)}`;
  });
  return `active AND (${own.join(' OR ')})`;
}

import type { TableDef } from '../../model/schema.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { Engine } from '../engine/engine.js';

/** From so many rows on a table is large: the newest rows of its series are found sooner by looking for them first. */
const largeRows = 200_000;
/** A series of so many rows is read by one thread as soon as by several. */
const shortSeriesRows = 20_000;
/** How long an answer counts, and how many are remembered. */
const rememberedMs = 30_000;
const maxRemembered = 10_000;

/** Where a table has its rows and the tags of its series. */
type StoredTable = Pick<TableDef, 'storage' | 'tagStorage'>;

interface Size {
  readonly rows: number;
  /** Undefined until it is known. */
  readonly series: number | undefined;
  readonly readAt: number;
}

const unknown = { rows: 0, series: undefined };

/**
 * How large engine tables are, as far as it matters to plans. A plan that needs it queries the engine, and
 * no query waits for it: until then the last answer counts, and at first nothing is known.
 */
export class TableSizes {
  readonly #engine: Pick<Engine, 'stores'>;
  readonly #known = new Map<string, Size>();

  constructor(engine: Pick<Engine, 'stores'>) {
    this.#engine = engine;
  }

  /** True when the engine table was large when it was last read; `now` in ms. */
  isLarge(table: StoredTable, now = performance.now()): boolean {
    return this.#size(table, now).rows >= largeRows;
  }

  /** True when a series of the table had few rows on the average when it was last read; `now` in ms. */
  hasShortSeries(table: StoredTable, now = performance.now()): boolean {
    return (this.rowsPerSeries(table, now) ?? Number.POSITIVE_INFINITY) <= shortSeriesRows;
  }

  /** Rows of a series of the table on the average when it was last read; `now` in ms. */
  rowsPerSeries(table: StoredTable, now = performance.now()): number | undefined {
    const { rows, series } = this.#size(table, now);
    return series && rows / series;
  }

  #size(table: StoredTable, now: number): Omit<Size, 'readAt'> {
    const { storage } = table;
    const known = this.#known.get(storage);
    if (known === undefined || now - known.readAt > rememberedMs) {
      if (this.#known.size >= maxRemembered) this.#known.clear();
      this.#known.set(storage, { ...(known ?? unknown), readAt: now });
      // Without an answer plans stay as they are.
      this.#read(table, now).catch(() => undefined);
    }
    return known ?? unknown;
  }

  async #read({ storage, tagStorage }: StoredTable, readAt: number): Promise<void> {
    const [database = '', name = ''] = storage.split('.');
    // Rows are spread evenly, so one node is a sample of all.
    const [store] = this.#engine.stores();
    if (store === undefined) return;
    const tags = tagStorage?.split('.')[1];
    const names = (tags === undefined ? [name] : [name, tags]).map(quoteString).join(', ');
    const where = `database = ${quoteString(store.prefix + database)} AND name IN (${names})`;
    const tables = await store.engine.rows(`SELECT name, total_rows FROM system.tables WHERE ${where}`);
    const rowsIn = (table: string): number => Number(tables.find(([named]) => named === table)?.[1] ?? 0);
    const [rows, series] = [rowsIn(name), tags === undefined ? 1 : Math.max(1, rowsIn(tags))];
    this.#known.set(storage, { rows, series, readAt });
  }
}

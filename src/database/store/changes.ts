import { setTimeout as sleep } from 'node:timers/promises';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef, TableDef } from '../../model/schema.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteString } from '../../sql/engine/quote.js';
import { type WriteOrder, type Written, writtenAt, writtenBetween } from '../../sql/engine/storage.js';
import type { Engine } from '../engine/engine.js';
import type { History } from '../engine/history.js';
import { alters } from '../engine/request.js';
import type { Storage } from './storage.js';

/**
 * Rows that were written to one engine table behind one place in its {@link History} and up to another. Everything up
 * to a place that was seen has been visible since; 0 is before all rows.
 */
export interface Changed extends Written {
  /** Stored rows, versions that were overwritten since counted as far as they are still there. */
  readonly rows: number;
}

/** Inserts that are listed at once; what comes behind them is found the next time. */
const maxInserts = 10_000;

/** A condition on `system.tables`: that rows keep the numbers of their inserts. */
export const keepsInsertNumbers = "engine_full LIKE '%enable_block_number_column = 1%'";

const mergeWaitMs = 50;
/** How often the end of inserts that run is looked for, and for how long. */
const [settleMs, maxSettleMs] = [100, 60_000];
/**
 * Places without rows that are passed over at least, where places are times: else a reader would follow the clock for
 * ever.
 */
const leastIdleStep = 5_000_000;

/**
 * Rows that were written to tables since. The number of their insert is stored with them from the first read on of a
 * caller for the changes of their engine table; rows that were merged before have a lower number than they were given,
 * so they count as older.
 */
export class Changes {
  readonly #engine: Engine;
  readonly #storage: Storage;
  /** Engine tables whose rows keep their numbers, as far as this process knows. */
  readonly #tracked = new Map<string, Promise<void>>();

  constructor(engine: Engine, storage: Storage) {
    this.#engine = engine;
    this.#storage = storage;
  }

  /** Resolves once the rows of a table keep the numbers of their inserts. Must come before any place is taken. */
  track(database: DatabaseDef, table: TableDef): Promise<void> {
    const { storage } = table;
    const known = this.#tracked.get(storage);
    if (known !== undefined) return known;
    const tracked = this.#track(database, table).catch((error: unknown) => {
      this.#tracked.delete(storage);
      throw error;
    });
    this.#tracked.set(storage, tracked);
    return tracked;
  }

  /** The order in which rows were written. */
  get order(): WriteOrder {
    return this.#engine.history.order;
  }

  /** The place behind everything that is stored now: what is committed later has a greater one. */
  async latest({ storage }: TableDef): Promise<number> {
    return (await this.latestOf([storage])).get(storage) ?? 0;
  }

  /** The {@link latest} places of engine tables; those without rows are not in it. */
  async latestOf(storages: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { history } = this.#engine;
    const begun = Date.now();
    for (;;) {
      const { upTo, tables } = await history.visible(storages);
      if (upTo !== undefined && (history.order === 'inserts' || upTo >= begun * 1000)) return tables;
      if (Date.now() - begun > maxSettleMs) throw new FaultError(fault('network', Codes.networkUnavailable, unsettled));
      await sleep(settleMs);
    }
  }

  /**
   * The places up to which everything is visible now, which in a cluster is a moment ago; those without rows are not in
   * it.
   */
  async visibleOf(storages: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return (await this.#engine.history.visible(storages)).tables;
  }

  /**
   * Everything that was written after a place, in pieces of at most `maxRows` rows that follow each other without gaps,
   * up to what is visible now. Inserts are never cut: one that has more rows is a piece by itself. With `condition`,
   * engine SQL on the bare columns of the table, only rows that meet it count. `upTo` is the {@link visibleOf} place,
   * where it is known.
   */
  async since(
    table: TableDef,
    after: number,
    maxRows: number,
    condition?: string,
    upTo?: number,
  ): Promise<readonly Changed[]> {
    const { order } = this;
    const latest = upTo ?? (await this.visibleOf([table.storage])).get(table.storage) ?? 0;
    if (latest <= after) return [];
    const written = printExpr(writtenBetween('', { order, after, upTo: latest }));
    const where = condition === undefined ? written : `${written} AND (${condition})`;
    const number = printExpr(writtenAt('', order));
    const inserts = await this.#engine.complete.rows(
      `SELECT ${number} AS n, count() FROM ${table.storage} WHERE ${where} GROUP BY n ORDER BY n LIMIT ${maxInserts}`,
    );
    if (inserts.length === 0 && order === 'versions' && latest - after < leastIdleStep) return [];
    const end = inserts.length < maxInserts ? latest : Number(inserts.at(-1)?.[0]);
    return pieces({ order, after, upTo: end }, inserts, maxRows);
  }

  async #track(database: DatabaseDef, table: TableDef): Promise<void> {
    await this.#storage.ensure(database, table);
    // Versions are there from the beginning.
    if (this.order === 'versions') return;
    const { storage } = table;
    const [row] = await this.#engine.system.rows(
      `SELECT ${keepsInsertNumbers} FROM system.tables WHERE ${inNamed(storage, 'name')}`,
    );
    if (Number(row?.[0] ?? 0) !== 1) {
      await this.#engine.exec(`ALTER TABLE ${storage} MODIFY SETTING enable_block_number_column = 1`, alters(storage));
    }
    await this.#mergesEnded(storage);
  }

  /** Merges that began before the numbers were kept give all their rows the lowest one when they end. */
  async #mergesEnded(storage: string): Promise<void> {
    const altered = `(SELECT metadata_modification_time FROM system.tables WHERE ${inNamed(storage, 'name')})`;
    for (;;) {
      const [row] = await this.#engine.system.rows(
        `SELECT count() FROM system.merges WHERE ${inTable(storage)} AND now64() - toIntervalMillisecond(toInt64(elapsed * 1000)) <= ${altered} + 1`,
      );
      if (Number(row?.[0] ?? 0) === 0) return;
      await sleep(mergeWaitMs);
    }
  }
}

const unsettled = 'Not all nodes of the cluster have the rows that were written';

function pieces(
  { order, after, upTo: end }: Written,
  inserts: readonly (readonly unknown[])[],
  maxRows: number,
): Changed[] {
  const changes: Changed[] = [];
  let [from, rows] = [after, 0];
  for (const [number, count] of inserts) {
    if (rows > 0 && rows + Number(count) > maxRows) {
      changes.push({ order, after: from, upTo: Number(number) - 1, rows });
      [from, rows] = [Number(number) - 1, 0];
    }
    rows += Number(count);
  }
  if (from < end) changes.push({ order, after: from, upTo: end, rows });
  return changes;
}

function inTable(storage: string): string {
  return inNamed(storage, 'table');
}

function inNamed(storage: string, column: 'table' | 'name'): string {
  const [database = '', name = ''] = storage.split('.');
  return `database = ${quoteString(database)} AND ${column} = ${quoteString(name)}`;
}

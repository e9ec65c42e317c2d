import { ticksPerSecond } from '../../model/schema.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import { allOf } from '../../sql/engine/build.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Engine } from '../engine/engine.js';
import type { Storage } from './storage.js';

/** A series and the Unix ms of its newest row. */
interface StaleSeries {
  readonly series: bigint;
  readonly lastMs: number;
}

/** Where series are looked for that have fallen silent. */
export interface StaleSeriesContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  /** Makes answered rows of tables that wait visible. */
  readonly visible: (tables: WaitingTables) => Promise<void> | undefined;
}

/** Most series that are given. */
const maxStaleSeries = 10_000;

/**
 * Series of a table whose newest row lies between two times, Unix ms: those that had data from `sinceMs` on and none
 * from `untilMs` on. Empty when there is no such table. Reads time and id of all rows since then.
 */
export async function staleSeries(
  context: StaleSeriesContext,
  place: Place,
  sinceMs: number,
  untilMs: number,
): Promise<readonly StaleSeries[]> {
  return newestRows(context, place, (ticks) => ({
    where: [expr`ts >= ${ticks(sinceMs)}`],
    having: `HAVING newest < ${ticks(untilMs)}`,
  }));
}

/** Those of some series that have a row from `sinceMs` on, with the newest. */
export async function reportingSeries(
  context: StaleSeriesContext,
  place: Place,
  series: readonly bigint[],
  sinceMs: number,
): Promise<readonly StaleSeries[]> {
  if (series.length === 0) return [];
  return newestRows(context, place, (ticks) => ({
    where: [ofSeries(series), expr`ts >= ${ticks(sinceMs)}`],
    having: '',
  }));
}

interface Place {
  readonly database: string;
  readonly table: string;
}

/** Which rows of a table, by their time in its database's ticks. */
type Choice = (ticks: (ms: number) => bigint) => { readonly where: readonly Expr[]; readonly having: string };

async function newestRows(
  { engine, catalogue, storage, visible }: StaleSeriesContext,
  place: Place,
  choose: Choice,
): Promise<readonly StaleSeries[]> {
  const database = catalogue.database(place.database);
  const table = catalogue.table(place.database, place.table);
  if (database === undefined || table === undefined) return [];
  // A series whose rows wait is not silent.
  await visible([{ database: place.database, table: place.table }]);
  await storage.ensure(database, table);
  const ticksPerMs = ticksPerSecond(database.precision) / 1000;
  const { where, having } = choose((ms) => BigInt(Math.floor(ms)) * BigInt(ticksPerMs));
  const ofSeriesId = table.seriesId === undefined ? [] : [ofSeries([table.seriesId])];
  const condition = printExpr(allOf([...ofTable(table), ...ofSeriesId, ...where]));
  const rows = await engine.rows(
    `SELECT toString(id), max(ts) AS newest FROM ${table.storage} WHERE ${condition}
     GROUP BY id ${having} ORDER BY newest DESC LIMIT ${maxStaleSeries}`,
  );
  return rows.map(([id, newest]) => ({ series: BigInt(String(id)), lastMs: Math.floor(Number(newest) / ticksPerMs) }));
}

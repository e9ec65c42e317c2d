import { pause } from '../../pipelines/pause.js';
import { createNormalTable, encodeCreateTables } from '../encode/definitions.js';
import { define, type StatementContext } from '../execution/statements.js';
import { allThreads } from '../execution/threads.js';
import type { RunLog, Watch } from '../model/ports.js';
import type { SuperTablePlan } from '../model/scenario.js';
import type { TableRange } from '../rows/plan.js';
import { type FilledTable, insertTarget, usingTarget } from './modes.js';

/** Tables per statement where the settings have the default: as many as the registry writes well at once. */
const usualBatch = 10;
const largeBatch = 2000;
/** Longest creation statement, well below what a query may be. */
const maxStatementBytes = 512 * 1024;

/** Context in which sub-tables are created. */
interface ChildTableContext extends StatementContext {
  readonly log: RunLog;
  readonly watch: Watch;
  /** Creation statements at once. */
  readonly threads: number;
}

/** Creates the tables of a source, each thread its own range; the result is a line with their number and rate. */
export async function createTables(table: FilledTable, context: ChildTableContext): Promise<string> {
  const { plan, source } = table;
  const begun = performance.now();
  const ranges = source.split(context.threads);
  const total = source.tables.to - source.tables.from;
  const progress = { done: 0 };
  const label = `creating tables of ${plan.name}`;
  const watched = context.watch({ label, unit: 'tables', total, read: () => ({ done: progress.done, failed: 0 }) });
  const broken = new AbortController();
  const stop = AbortSignal.any([context.stop, broken.signal]);
  try {
    await allThreads(ranges, (range) => createRange(table, range, { ...context, stop }, progress), broken);
  } finally {
    watched();
  }
  const seconds = (performance.now() - begun) / 1000;
  const rate = (progress.done / Math.max(seconds, 1e-6)).toFixed(2);
  return `Spent ${seconds.toFixed(4)} seconds to create ${progress.done} table(s) with ${ranges.length} thread(s), ${rate} tables/second`;
}

async function createRange(
  table: FilledTable,
  range: TableRange,
  context: ChildTableContext,
  progress: { done: number },
): Promise<void> {
  const { plan } = table;
  const sizes = batchSizes(plan);
  for (let at = range.from, turn = 0; at < range.to && !context.stop.aborted; turn++) {
    const most = Math.min(range.to - at, sizes[turn % sizes.length] ?? usualBatch);
    const count = await createSome(table, at, most, context);
    at += count;
    progress.done += count;
    const pauseMs = plan.createPausesMs[turn % Math.max(1, plan.createPausesMs.length)] ?? 0;
    if (pauseMs > 0) await pause(pauseMs, context.stop);
  }
}

/** The usual number is as good as none: then statements are as long as they are quick. */
function batchSizes({ createBatches, createPausesMs }: SuperTablePlan): readonly number[] {
  const isUsual = createBatches.length <= 1 && (createBatches[0] ?? usualBatch) === usualBatch;
  return isUsual && createPausesMs.length === 0 ? [largeBatch] : createBatches;
}

/** Creates up to `most` tables, fewer when the statement becomes too long; returns how many. */
async function createSome(
  { database, plan, source }: FilledTable,
  from: number,
  most: number,
  context: StatementContext,
): Promise<number> {
  const names = insertTarget(database, plan, source);
  const options = { database: names.database };
  if (plan.normalTables) {
    const ttl = plan.ttl > 0 ? ` TTL ${plan.ttl}` : '';
    const sql = createNormalTable(names, source.tables.nameOf(from), plan.columns) + ttl;
    await define(sql, plan.attempts, context, options);
    return 1;
  }
  const using = usingTarget(plan, source);
  const batch = { from, count: most, ttl: plan.ttl };
  const { sql, tables } = encodeCreateTables(names, using, batch, maxStatementBytes);
  await define(sql, plan.attempts, context, options);
  return tables;
}

/** Creates the tables of a request that turned out not to exist. */
export async function createMissing(table: FilledTable, tables: Uint32Array, context: StatementContext): Promise<void> {
  for (const at of tables) await createSome(table, at, 1, context);
}

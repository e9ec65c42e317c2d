import { expectedFault } from '../../model/fault.js';
import { type DatabaseDef, daysInTicks, ticksPerSecond } from '../../model/schema.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Engine, Store } from '../engine/engine.js';
import { keepsInsertNumbers } from './changes.js';
import { isStaleSchema } from './stale-schema.js';
import { partitionSpan } from './table-statements.js';

/**
 * Drops the partitions whose rows are all older than their database keeps them (`KEEP`). A partition
 * spans ten days or more, so rows may stay for that much longer. Several processes may do it at once.
 * @returns how many partitions were dropped.
 */
export async function dropOldRows(
  { engine, catalogue }: { readonly engine: Engine; readonly catalogue: Catalogue },
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  await catalogue.sync();
  let dropped = 0;
  for (const store of engine.stores()) {
    for (const database of catalogue.databases()) {
      if (signal?.aborted === true) return dropped;
      dropped += await dropOldRowsOf(database, store, nowMs, signal);
    }
  }
  return dropped;
}

async function dropOldRowsOf(
  database: DatabaseDef,
  { engine, prefix }: Store,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const name = prefix + database.id;
  const partitions = await engine.rows(
    `SELECT table, partition_id, max(max_block_number) FROM system.parts
     WHERE database = ${quoteString(name)} AND active AND partition != 'tuple()'
     AND toInt64OrNull(partition) < ${firstKept(database, nowMs)} GROUP BY table, partition_id`,
  );
  if (partitions.length === 0) return 0;
  const newest = await newestOfFollowed(engine, name);
  await engine.makeRoom();
  let dropped = 0;
  for (const [table, partition, number] of partitions) {
    if (signal?.aborted === true) return dropped;
    const place = `${name}.${table}`;
    if (newest.get(table) === number) await drop(engine, place, holdsNumber);
    await drop(engine, place, `DROP PARTITION ID ${quoteString(String(partition))}`);
    dropped++;
  }
  return dropped;
}

/**
 * Not waited for: with little room on the disk the engine leaves it until there is some, and the partition that goes
 * makes it.
 */
const holdsNumber = 'DELETE WHERE 0 SETTINGS mutations_sync = 0';

/**
 * The newest number of every engine table whose inserts keep their numbers, which are the places of consumers and
 * streams. The engine counts on from the newest that it finds when it starts. Where that one is dropped, a mutation
 * that changes nothing has to hold the next number, or numbers would be given a second time.
 */
async function newestOfFollowed(engine: Store['engine'], name: string): Promise<ReadonlyMap<unknown, unknown>> {
  const rows = await engine.rows(
    `SELECT table, max(max_block_number) FROM system.parts WHERE database = ${quoteString(name)} AND active AND table IN
     (SELECT name FROM system.tables WHERE database = ${quoteString(name)} AND ${keepsInsertNumbers}) GROUP BY table`,
  );
  return new Map(rows.map(([table, number]) => [table, number]));
}

/**
 * Number of the first partition that may hold a row that is still kept; division cuts towards zero, as the engine's
 * does.
 */
function firstKept(database: DatabaseDef, nowMs: number): bigint {
  const { keepDays, precision } = database;
  const now = (BigInt(nowMs) * BigInt(ticksPerSecond(precision))) / 1000n;
  const oldest = now - daysInTicks(keepDays, precision);
  return oldest / partitionSpan(database);
}

/** The table may have been dropped meanwhile. */
async function drop(engine: Store['engine'], table: string, change: string): Promise<void> {
  try {
    await engine.exec(`ALTER TABLE ${table} ${change}`, { changes: [table], continues: true });
  } catch (error) {
    if (!isStaleSchema(expectedFault(error))) throw error;
  }
}

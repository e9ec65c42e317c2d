import { FaultError } from '../model/fault.js';
import { type DatabaseDef, ticksPerSecond } from '../model/schema.js';
import { quoteString } from '../sql/print/quote.js';
import type { Catalogue } from './catalogue/catalogue.js';
import { isOvertaken } from './catalogue/overtaken.js';
import { partitionSpan } from './catalogue/table-statements.js';
import type { Engine } from './engine.js';

const daySeconds = 86_400n;

/**
 * Drops the partitions whose rows are all older than their database keeps them (`KEEP`, SQL reference 2.2). A partition
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
  for (const database of catalogue.databases()) {
    const partitions = await engine.rows(
      `SELECT DISTINCT table, partition_id FROM system.parts
       WHERE database = ${quoteString(database.id)} AND active AND partition != 'tuple()'
       AND toInt64OrNull(partition) < ${firstKept(database, nowMs)}`,
    );
    for (const [table, partition] of partitions) {
      if (signal?.aborted === true) return dropped;
      await drop(engine, `ALTER TABLE ${database.id}.${table} DROP PARTITION ID ${quoteString(String(partition))}`);
      dropped++;
    }
  }
  return dropped;
}

/** Number of the first partition that may hold a row that is still kept; division cuts towards zero, as the engine's does. */
function firstKept(database: DatabaseDef, nowMs: number): bigint {
  const ticks = BigInt(ticksPerSecond(database.precision));
  const oldest = (BigInt(nowMs) * ticks) / 1000n - BigInt(database.keepDays) * daySeconds * ticks;
  return oldest / partitionSpan(database);
}

/** The table may have been dropped meanwhile. */
async function drop(engine: Engine, statement: string): Promise<void> {
  try {
    await engine.exec(statement);
  } catch (error) {
    if (!(error instanceof FaultError) || !isOvertaken(error.fault)) throw error;
  }
}

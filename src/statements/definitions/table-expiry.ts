import { RepeatedWork } from '../../async/repeated-work.js';
import { seriesId } from '../../database/catalogue/identity.js';
import type { Engine } from '../../database/engine/engine.js';
import { dropOldRows } from '../../database/store/retention.js';
import type { Component, ComponentLog } from '../../model/component.js';
import { FaultError } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { DefinitionContext } from './context.js';
import { dropSubTables, dropWhole } from './drop-table.js';

const dayMs = 86_400_000;
/** How often tables are checked. */
const sweepMs = 10 * 60_000;
/** Sub-tables read at a time. */
const pageRows = 1_000;

/** Context in which tables are dropped. */
interface ExpiryContext extends Pick<DefinitionContext, 'catalogue' | 'storage' | 'subTables'> {
  readonly engine: Engine;
}

/**
 * Drops the normal tables and sub-tables that have lived for their TTL, in days since they were created,
 * as DROP TABLE would. Several processes may do it at once. The signal ends it between two tables.
 * @returns how many were dropped.
 */
export async function dropExpired(context: ExpiryContext, nowMs: number, signal?: AbortSignal): Promise<number> {
  const { catalogue } = context;
  await catalogue.sync();
  let dropped = 0;
  for (const { name } of catalogue.databases()) {
    for (const table of catalogue.tables(name)) {
      if (table.kind !== 'normal' || table.ttl === 0 || table.created + table.ttl * dayMs > nowMs) continue;
      const database = catalogue.database(name);
      if (database === undefined || signal?.aborted === true) continue;
      if (catalogue.topics.keepsTable(name, table.name) !== undefined) continue;
      await dropWhole(database, table, context);
      dropped++;
    }
  }
  return dropped + (await dropExpiredSubTables(context, nowMs, signal));
}

async function dropExpiredSubTables(context: ExpiryContext, nowMs: number, signal?: AbortSignal): Promise<number> {
  const { catalogue, engine, subTables } = context;
  await subTables.prepare();
  const databases = new Map(catalogue.databases().map((database) => [database.id, database]));
  let dropped = 0;
  let after = `('', 0)`;
  for (;;) {
    const page = await engine.rows(
      `SELECT database, toString(id), name, parent, lead FROM sluice.sub_tables FINAL
       WHERE dropped = 0 AND ttl > 0 AND created + ttl * ${dayMs} <= ${nowMs} AND (database, id) > ${after}
       ORDER BY database, id LIMIT ${pageRows}`,
    );
    for (const [place, text, name, parent, lead] of page) {
      if (signal?.aborted === true) return dropped;
      const database = databases.get(String(place));
      const table = database && catalogue.tableById(database.name, String(parent));
      // The registry keeps sub-tables of super tables and databases that were dropped whole.
      if (database === undefined || table === undefined) continue;
      const key = BigInt(String(text));
      const series = { key, id: seriesId(key, Number(lead)), name: String(name) };
      await dropSubTables(database, table, [series], context);
      dropped++;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return dropped;
    after = `(${quoteString(String(last[0]))}, ${last[1]})`;
  }
}

/** Drops expired tables, and rows that are no longer kept, now and then. A sweep that fails is left to the next one. */
export function expiry(context: ExpiryContext, log: ComponentLog): Component {
  return new RepeatedWork('expiry', sweepMs, async (stopped) => {
    try {
      // First, for the room that it makes: what drops tables writes rows.
      const partitions = await dropOldRows(context, Date.now(), stopped);
      if (partitions > 0) log.info({ partitions }, 'Rows were dropped that are older than their databases keep them.');
      const tables = await dropExpired(context, Date.now(), stopped);
      if (tables > 0) log.info({ tables }, 'Tables were dropped at the end of their TTL.');
    } catch (error) {
      const reason = error instanceof FaultError ? error.fault.message : String(error);
      log.warn({ error: reason }, 'What has expired could not be dropped; the next sweep tries again.');
    }
    return sweepMs;
  });
}

import { quoteString } from '../../sql/engine/quote.js';
import type { EngineClient } from '../engine/client.js';
import { makes } from '../engine/request.js';
import { copyRows } from './hinted-handoff.js';
import { localPrefix, ownDatabases } from './layout.js';
import type { ClusterNode } from './node.js';

/**
 * Marks a node that joined without tables, until it has the rows of its shard. It has a row for each partition that an
 * adapter began to copy.
 */
const emptyTable = 'sluice.lacks_rows';
const isThere = "SELECT count() FROM system.tables WHERE database = 'sluice' AND name = 'lacks_rows'";
/** While one adapter copies, others wait for so long, seconds. */
const copyTimeoutSeconds = 60;

/** Marks a node as empty, before it gets tables. */
export async function markEmpty(node: EngineClient): Promise<void> {
  await node.define({ change: 'make-database', database: 'sluice' });
  await node.exec(
    `CREATE TABLE IF NOT EXISTS ${emptyTable} (at DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY at`,
    makes(emptyTable),
  );
}

/** True while an empty node lacks the rows of its shard. */
export async function lacksRows(node: EngineClient): Promise<boolean> {
  return Number((await node.rows(isThere))[0]?.[0]) > 0;
}

/**
 * Copies rows to empty nodes, from another replica of each, partition by partition; all nodes must answer. Returns the
 * number of partitions.
 */
export async function fillEmpty(all: readonly ClusterNode[]): Promise<number> {
  let pieces = 0;
  for (const node of all.filter((one) => one.isEmpty)) {
    const { client, place } = node;
    node.isEmpty = await lacksRows(client);
    const began = `SELECT count() FROM ${emptyTable} WHERE at > now() - ${copyTimeoutSeconds}`;
    if (!node.isEmpty || Number((await client.rows(began))[0]?.[0]) > 0) continue;
    const from = all.find((other) => other.place?.shard === place?.shard && !other.isEmpty);
    if (from !== undefined) {
      for (const [table, partition] of await partitionsOf(from.client)) {
        await client.exec(`INSERT INTO ${emptyTable} (at) VALUES (now())`, { changes: [emptyTable] });
        await copyRows(String(table), from, `_partition_id = ${quoteString(String(partition))}`);
        pieces++;
      }
    }
    await client.define({ change: 'drop-table', table: emptyTable });
    node.isEmpty = false;
  }
  return pieces;
}

/** The partitions of a node that have rows, with their tables as `database.table`. */
function partitionsOf(node: EngineClient) {
  return node.rows(
    `SELECT DISTINCT concat(substring(database, ${localPrefix.length + 1}), '.', table), partition_id FROM system.parts
     WHERE active AND match(database, ${quoteString(ownDatabases)}) AND startsWith(database, '${localPrefix}') ORDER BY 1, 2`,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import { quoteIdentifier } from '../../sql/engine/quote.js';
import { alters, type Effect, makes } from '../engine/request.js';
import { copyParameters } from './hinted-handoff.js';
import { runningInserts } from './history.js';
import { type ClusterLayout, holdTable, localPrefix, ownDatabases, spreadTable } from './layout.js';
import type { ClusterNode } from './node.js';
import { type ClusterNodes, holdPropagationMs } from './nodes.js';

/** Approximate number of rows that one statement moves. */
const rowsPerPiece = 5_000_000;
const pollMs = 200;
/** Timeout of running inserts. */
const maxDrainMs = 120_000;

/** Called with the number of finished tables and of all tables. */
type TableProgress = (done: number, of: number) => void;

/** A distributed table, as `database.table`, with its columns. */
interface SpreadTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Spreads the rows of all tables over all present shards. Meanwhile no adapter stores or reads rows, because the table
 * `sluice.rebalance` exists on the nodes. After a failure they still wait: call this again, which continues with the
 * remaining rows. Returns the number of moved rows.
 * @throws Error with one line where not every node has everything.
 */
export async function rebalance(nodes: ClusterNodes, layout: ClusterLayout, progress: TableProgress): Promise<number> {
  if (!nodes.isWhole) throw new Error('Not every node of the cluster answers and has everything; see SHOW DNODES.');
  const run = async (statement: string, effect: Effect): Promise<void> => {
    await Promise.all(nodes.all.map(({ client }) => client.exec(statement, effect)));
  };
  const create = `CREATE TABLE IF NOT EXISTS ${holdTable} (at DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY at`;
  await Promise.all(nodes.all.map(({ client }) => client.define({ change: 'make-database', database: 'sluice' })));
  await run(create, makes(holdTable));
  await sleep(holdPropagationMs);
  await drain(nodes);
  const tables = await spreadTables(nodes);
  // Rows from adapters that have not seen the hold yet go to their new shard from now on.
  for (const { name } of tables)
    await run(spreadTable(name, layout, nodes.weight, 'CREATE OR REPLACE TABLE'), alters(name));
  await drain(nodes);
  let moved = 0;
  for (const [at, table] of tables.entries()) {
    progress(at, tables.length);
    for (const replicas of nodes.shards()) moved += await moveAway(table, replicas, layout, nodes.weight);
  }
  progress(tables.length, tables.length);
  await drain(nodes);
  await run(`DROP TABLE IF EXISTS ${holdTable} SYNC`, { changes: [holdTable] });
  return moved;
}

/** Waits until no node runs an insert or holds hints. */
async function drain(nodes: ClusterNodes): Promise<void> {
  for (const begun = Date.now(); ; await sleep(pollMs)) {
    const running = await Promise.all(nodes.all.map(({ client }) => client.rows(runningInserts)));
    if (running.every(([row]) => Number(row?.[2]) === 0)) {
      await nodes.copies.send(nodes.all);
      if ((await nodes.copies.behindNodes(nodes.all, nodes.all)).size === 0) return;
    }
    if (Date.now() - begun > maxDrainMs) throw new Error('Some inserts do not end; try again.');
  }
}

async function spreadTables({ all }: ClusterNodes): Promise<readonly SpreadTable[]> {
  const [first] = all;
  const rows = await (first?.client.rows(
    `SELECT concat(t.database, '.', t.name), toJSONString(arrayMap(c -> c.2, arraySort(groupArray((c.position, c.name)))))
     FROM system.tables AS t INNER JOIN system.columns AS c ON c.database = concat('${localPrefix}', t.database) AND c.table = t.name
     WHERE t.engine = 'Distributed' AND match(t.database, '${ownDatabases}') GROUP BY 1 ORDER BY 1`,
  ) ?? []);
  return rows.map(([name, columns]) => ({ name: String(name), columns: JSON.parse(String(columns)) }));
}

/** Moves the rows of one shard that belong to others, versions included, and removes them there. */
async function moveAway(
  table: SpreadTable,
  replicas: readonly ClusterNode[],
  { replication }: ClusterLayout,
  weight: number,
): Promise<number> {
  const [first] = replicas;
  const { place } = first ?? {};
  if (first === undefined || place === undefined) return 0;
  const { from, to } = place.slots;
  const local = localPrefix + table.name;
  const columns = table.columns.map(quoteIdentifier).join(', ');
  const isElsewhere = `or(id % ${weight} < ${from}, id % ${weight} >= ${to})`;
  const [row] = await first.client.rows(`SELECT count() FROM ${local} WHERE ${isElsewhere}`);
  const rows = Number(row?.[0]);
  if (rows === 0) return 0;
  // Ids are hashes, so their remainders share rows out about evenly.
  const pieces = Math.ceil(rows / rowsPerPiece);
  for (let piece = 0; piece < pieces; piece++) {
    const where = `${isElsewhere} AND intDiv(id, ${weight}) % ${pieces} = ${piece}`;
    const move = `INSERT INTO ${table.name} (${columns}) SELECT ${columns} FROM ${local} WHERE ${where}`;
    await first.client.exec(move, { changes: [table.name] }, { parameters: copyParameters });
  }
  const copies = replication === 'replicated' ? [first] : replicas;
  for (const { client } of copies) await client.exec(`DELETE FROM ${local} WHERE ${isElsewhere}`, alters(local));
  return rows;
}

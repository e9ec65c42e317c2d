import { FaultError } from '../../model/fault.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import type { EngineClient } from '../engine/client.js';
import { ownDatabases } from './layout.js';
import type { ClusterNode } from './node.js';

/** Definitions came from an engine that took them, codecs included. */
export const definingParameters = { allow_experimental_codecs: '1' } as const;

const ofProduct = `match(database, ${quoteString(ownDatabases)})`;
/** What lies on one node alone, by intent, is left out. */
const everywhere = "(database != 'sluice' OR engine IN ('Distributed', 'KeeperMap'))";

/**
 * Makes the tables and columns on a node that another one has and it has not. Says nothing about those that it has too many:
 * nothing leads to them, and they go when leftovers are removed.
 */
export async function copyDefinitions(from: EngineClient, to: EngineClient): Promise<void> {
  const tables = `SELECT database, name, create_table_query FROM system.tables WHERE ${ofProduct} AND ${everywhere}`;
  const columns = `SELECT database, table, name, type, default_expression, compression_codec FROM system.columns WHERE ${ofProduct}`;
  const [known, lacking] = [new Set<string>(), new Set<string>()];
  for (const [database, name] of await to.rows(tables)) known.add(`${database}.${name}`);
  const wanted = await from.rows(tables);
  const run = (statement: string): Promise<void> => to.exec(statement, { parameters: definingParameters });
  for (const database of new Set(wanted.map(([name]) => String(name)))) {
    await run(`CREATE DATABASE IF NOT EXISTS ${database}`);
  }
  for (const [database, name, create] of wanted) {
    const place = `${database}.${name}`;
    if (known.has(place)) lacking.add(place);
    else await run(String(create).replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '));
  }
  const found = new Set((await to.rows(columns)).map(([database, table, name]) => `${database}.${table}.${name}`));
  for (const [database, table, name, type, value, codec] of await from.rows(columns)) {
    if (!lacking.has(`${database}.${table}`) || found.has(`${database}.${table}.${name}`)) continue;
    const added = [quoteIdentifier(String(name)), type, value === '' ? '' : `DEFAULT ${value}`, codec].join(' ');
    await run(`ALTER TABLE ${database}.${table} ADD COLUMN IF NOT EXISTS ${added}`);
  }
}

/** Sends on what nodes keep for others that did not take it, as far as those take it now. */
export async function flushQueues(nodes: readonly ClusterNode[], table?: string): Promise<void> {
  const one = table === undefined ? '' : ` AND concat(database, '.', table) = ${quoteString(table)}`;
  const queues = `SELECT DISTINCT database, table FROM system.distribution_queue WHERE data_files > 0${one}`;
  await Promise.all(
    nodes.map(async ({ client }) => {
      for (const [database, name] of await client.rows(queues)) {
        try {
          await client.exec(`SYSTEM FLUSH DISTRIBUTED ${database}.${name}`);
        } catch (error) {
          // Of the replicas some are still away; the others have been sent theirs.
          if (!(error instanceof FaultError)) throw error;
        }
      }
    }),
  );
}

/** The nodes for which some of `keepers` keep something that those have not taken; of one table, or of all. */
export async function nodesWithQueues(
  all: readonly ClusterNode[],
  keepers: readonly ClusterNode[],
  table?: string,
): Promise<ReadonlySet<ClusterNode>> {
  const one = table === undefined ? '' : ` AND concat(database, '.', table) = ${quoteString(table)}`;
  const paths = `SELECT DISTINCT data_path FROM system.distribution_queue WHERE data_files > 0${one}`;
  const rows = await Promise.all(keepers.map(({ client }) => client.rows(paths)));
  const found = new Set<ClusterNode>();
  for (const [path] of rows.flat()) {
    const [, shard, replica] = /shard(\d+)_replica(\d+)\/?$/.exec(String(path)) ?? [];
    const isMeant = ({ place }: ClusterNode): boolean =>
      place?.shard === Number(shard) && place.replica === Number(replica);
    for (const node of all) if (isMeant(node)) found.add(node);
  }
  return found;
}

import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import type { EngineClient } from '../engine/client.js';
import { anyEffect } from '../engine/request.js';
import { markEmpty } from './empty-nodes.js';
import { ownDatabases } from './layout.js';

/** An engine has accepted these definitions before, codecs included. */
export const definingParameters = { allow_experimental_codecs: '1' } as const;

const ofProduct = `match(database, ${quoteString(ownDatabases)})`;
/** Tables that every node has, without those of a single node. */
const everywhere = "(database != 'sluice' OR engine IN ('Distributed', 'KeeperMap'))";

/**
 * Makes the tables and columns on a node that it lacks and another one has. Additional ones stay: nothing uses them,
 * and the removal of orphaned tables drops them. With `marksEmpty` a node without any table is marked as empty.
 */
export async function copyDefinitions(from: EngineClient, to: EngineClient, marksEmpty: boolean): Promise<void> {
  const tables = `SELECT database, name, create_table_query FROM system.tables WHERE ${ofProduct} AND ${everywhere}`;
  const columns = `SELECT database, table, name, type, default_expression, compression_codec FROM system.columns WHERE ${ofProduct}`;
  const [known, lacking] = [new Set<string>(), new Set<string>()];
  for (const [database, name] of await to.rows(tables)) known.add(`${database}.${name}`);
  const definitions = await from.rows(tables);
  if (marksEmpty && known.size === 0 && definitions.length > 0) await markEmpty(to);
  const run = (statement: string): Promise<void> =>
    to.exec(statement, { ...anyEffect, needsRoom: {} }, { parameters: definingParameters });
  for (const database of new Set(definitions.map(([name]) => String(name)))) {
    await run(`CREATE DATABASE IF NOT EXISTS ${database}`);
  }
  for (const [database, name, create] of definitions) {
    const place = `${database}.${name}`;
    if (known.has(place)) lacking.add(place);
    // The engine no longer knows the definition of this table, and works with the one in memory.
    else if (create !== '') await run(String(create).replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '));
  }
  const present = new Set((await to.rows(columns)).map(([database, table, name]) => `${database}.${table}.${name}`));
  for (const [database, table, name, type, value, codec] of await from.rows(columns)) {
    if (!lacking.has(`${database}.${table}`) || present.has(`${database}.${table}.${name}`)) continue;
    const added = [quoteIdentifier(String(name)), type, value === '' ? '' : `DEFAULT ${value}`, codec].join(' ');
    await run(`ALTER TABLE ${database}.${table} ADD COLUMN IF NOT EXISTS ${added}`);
  }
}

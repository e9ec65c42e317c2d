import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import type { EngineClient } from '../engine/client.js';
import { noteEmpty } from './empty-nodes.js';
import { ownDatabases } from './layout.js';

/** Definitions came from an engine that took them, codecs included. */
export const definingParameters = { allow_experimental_codecs: '1' } as const;

const ofProduct = `match(database, ${quoteString(ownDatabases)})`;
/** Tables that every node has; those that are meant for one node are left out. */
const everywhere = "(database != 'sluice' OR engine IN ('Distributed', 'KeeperMap'))";

/**
 * Makes the tables and columns on a node that another one has and it has not. Says nothing about those that it has too many:
 * nothing leads to them, and they go when leftovers are removed. With `notesEmpty` one that has none at all is noted as empty.
 */
export async function copyDefinitions(from: EngineClient, to: EngineClient, notesEmpty: boolean): Promise<void> {
  const tables = `SELECT database, name, create_table_query FROM system.tables WHERE ${ofProduct} AND ${everywhere}`;
  const columns = `SELECT database, table, name, type, default_expression, compression_codec FROM system.columns WHERE ${ofProduct}`;
  const [known, lacking] = [new Set<string>(), new Set<string>()];
  for (const [database, name] of await to.rows(tables)) known.add(`${database}.${name}`);
  const definitions = await from.rows(tables);
  if (notesEmpty && known.size === 0 && definitions.length > 0) await noteEmpty(to);
  const run = (statement: string): Promise<void> => to.exec(statement, { parameters: definingParameters });
  for (const database of new Set(definitions.map(([name]) => String(name)))) {
    await run(`CREATE DATABASE IF NOT EXISTS ${database}`);
  }
  for (const [database, name, create] of definitions) {
    const place = `${database}.${name}`;
    if (known.has(place)) lacking.add(place);
    // The engine does not know its definition any more, and goes on with what it has in memory.
    else if (create !== '') await run(String(create).replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '));
  }
  const present = new Set((await to.rows(columns)).map(([database, table, name]) => `${database}.${table}.${name}`));
  for (const [database, table, name, type, value, codec] of await from.rows(columns)) {
    if (!lacking.has(`${database}.${table}`) || present.has(`${database}.${table}.${name}`)) continue;
    const added = [quoteIdentifier(String(name)), type, value === '' ? '' : `DEFAULT ${value}`, codec].join(' ');
    await run(`ALTER TABLE ${database}.${table} ADD COLUMN IF NOT EXISTS ${added}`);
  }
}

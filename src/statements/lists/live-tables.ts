import type { DatabaseDef, TableDef } from '../../model/schema.js';
import { quoteString } from '../../sql/engine/quote.js';
import { expr } from '../../sql/engine/template.js';
import { type InlineRow, inlineRows } from './inline.js';
import { columnsOf, type Demands, type SystemFacts } from './system-table.js';

/** A table with its database. */
export interface LiveTable {
  readonly database: DatabaseDef;
  readonly table: TableDef;
}

/** The databases that the user may know of and a demand of `db_name` leaves. */
export function liveDatabases({ catalogue, access }: SystemFacts, demands: Demands): readonly DatabaseDef[] {
  const demanded = demands.get('db_name');
  return catalogue.databases().filter(({ name }) => (demanded === undefined || name === demanded) && access.sees(name));
}

/** The super tables and normal tables that a demand of `db_name` leaves; they may be very many. */
export function* liveTables(facts: SystemFacts, demands: Demands): Generator<LiveTable> {
  for (const database of liveDatabases(facts, demands))
    for (const table of facts.catalogue.tables(database.name)) yield { database, table };
}

/** The super tables that demands of `db_name` and `stable_name` leave. */
export function* liveSuperTables(facts: SystemFacts, demands: Demands): Generator<LiveTable> {
  const demanded = demands.get('stable_name');
  for (const live of liveTables(facts, demands)) {
    const { kind, name } = live.table;
    if (kind === 'super' && (demanded === undefined || name === demanded)) yield live;
  }
}

/** The sub-table whose database and name are both demanded, whether there is one or not. */
export function demandedSubTable(
  { catalogue }: SystemFacts,
  demands: Demands,
): { readonly database: DatabaseDef; readonly name: string } | undefined {
  const name = demands.get('table_name');
  const database = catalogue.database(demands.get('db_name') ?? '');
  return name === undefined || database === undefined ? undefined : { database, name };
}

/** Columns of a sub-table's row that come from its super table: see {@link subTableRows}. */
const parentColumns = columnsOf(
  'id V64, db_name V64, stable_name V192, columns INT, first INT, vgroups INT, names V65',
);

/**
 * FROM of the registry's sub-tables, as `s`, beside their super tables, as `p` (c1 id, c2 db_name, c3 stable_name, c4
 * number of columns, c5 first vgroup, c6 number of vgroups). The engine streams it: sub-tables may be many.
 */
export async function subTableRows(
  facts: SystemFacts,
  demands: Demands,
  parents: readonly LiveTable[],
): Promise<string> {
  await facts.subTables.prepare();
  const databases = [...new Set(parents.map(({ database }) => quoteString(database.id)))];
  const subTable = demandedSubTable(facts, demands);
  const ofKey = subTable === undefined ? [] : [`id = ${facts.subTables.keyOf(subTable.database, subTable.name)}`];
  const where = [`dropped = 0`, `database IN (${databases.join(', ')})`, ...ofKey];
  const registry = `SELECT * FROM sluice.sub_tables FINAL WHERE ${where.join(' AND ')}`;
  return `(${registry}) AS s INNER JOIN (${await inlineRows(parentColumns, parentRows(facts, parents))}) AS p ON s.parent = p.c1`;
}

function* parentRows(facts: SystemFacts, parents: readonly LiveTable[]): Generator<InlineRow> {
  for (const { database, table } of parents) {
    const { first, count } = facts.catalogue.vgroups(database.name);
    yield [table.id, database.name, table.name, table.columns.length + 1, first, count, `${database.name}.`];
  }
}

/** The vgroup of a sub-table in {@link subTableRows}; the same rule as `vgroupOf`. */
export const subTableVgroup = expr`p.c5 + toInt32(CRC32(concat(p.c7, s.name)) % p.c6)`;

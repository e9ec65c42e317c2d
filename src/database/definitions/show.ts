import type { ColumnMeta } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { type DataType, dataType, typeLength, typeText } from '../../model/schema.js';
import type { ObjectName, Show } from '../../sql/ast.js';
import { systemDatabases } from '../../sql/resolve/context.js';
import type { Engine } from '../engine.js';
import { type DefinitionContext, databaseOf, findTable, knownDatabase } from './context.js';
import { isLike } from './like.js';

/** A small result made in memory. */
export interface Listing {
  readonly meta: readonly ColumnMeta[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

function text(name: string, length: number): ColumnMeta {
  return { name, type: dataType('VARCHAR', length) };
}

/** Runs SHOW. Lists that are not available are refused by name. */
export async function runShow(show: Show, context: DefinitionContext, engine: Engine): Promise<Listing> {
  switch (show.what) {
    case 'databases': {
      const own = context.catalogue.databases().map((database) => database.name);
      const names = { all: [...systemDatabases, ...own], system: systemDatabases, user: own }[show.which];
      return { meta: [text('name', 64)], rows: names.map((name) => [name]) };
    }
    case 'stables': {
      const database = await listedDatabase(context, show.database?.text);
      const names = context.catalogue.tables(database.name).filter((table) => table.kind === 'super');
      const rows = names.map((table) => [table.name]).filter(([name]) => isLike(name!, show.like));
      return { meta: [text('stable_name', 192)], rows };
    }
    case 'tables':
      return showTables(show, context, engine);
    default:
      throw new FaultError(fault('database', Codes.notSupported, `Operation not supported: SHOW ${wordsOf(show)}`));
  }
}

function wordsOf(show: Show): string {
  return show.what === 'list' ? show.list : show.what.toUpperCase().replaceAll('-', ' ');
}

async function listedDatabase(context: DefinitionContext, name: string | undefined) {
  const wanted = name ?? context.database;
  if (wanted === undefined)
    throw new FaultError(fault('database', Codes.databaseNotSpecified, 'Database not specified'));
  return knownDatabase(context, wanted);
}

async function showTables(
  show: Extract<Show, { what: 'tables' }>,
  context: DefinitionContext,
  engine: Engine,
): Promise<Listing> {
  const database = await listedDatabase(context, show.database?.text);
  const tables = context.catalogue.tables(database.name);
  const names = show.which === 'child' ? [] : tables.filter((t) => t.kind === 'normal').map((table) => table.name);
  const parents = tables.filter((table) => table.tagStorage !== undefined);
  if (show.which !== 'normal') {
    for (const { tagStorage, id } of parents) {
      await context.storage.ensure(database, tables.find((table) => table.id === id)!);
      const found = await engine.rows(`SELECT name FROM ${tagStorage} FINAL WHERE dropped = 0`);
      for (const [name] of found) names.push(String(name));
    }
  }
  const rows = names
    .filter((name) => isLike(name, show.like))
    .sort()
    .map((name) => [name]);
  return { meta: [text('table_name', 192)], rows };
}

/** DESCRIBE: the columns of a table, the tags marked as such. */
export async function describe(table: ObjectName, context: DefinitionContext): Promise<Listing> {
  const database = await databaseOf(context, table);
  const name = table.name.text;
  let found = await findTable(context, database, name);
  if (found === undefined) {
    const subTable = (await context.subTables.lookUp(database, [name])).get(name);
    found = subTable && context.catalogue.table(database.name, subTable.superTable);
  }
  if (found === undefined) {
    const message = 'Fail to get table info, error: Table does not exist';
    throw new FaultError(fault('database', Codes.tableInfo, message));
  }
  const row = (field: string, type: DataType, note: string) => [field, typeText(type), typeLength(type), note];
  return {
    meta: [text('field', 64), text('type', 20), { name: 'length', type: dataType('INT') }, text('note', 12)],
    rows: [
      row(found.timeColumn, dataType('TIMESTAMP'), ''),
      ...found.columns.map((column) => row(column.name, column.type, '')),
      ...found.tags.map((tag) => row(tag.name, tag.type, 'TAG')),
    ],
  };
}

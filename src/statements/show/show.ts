import { Access } from '../../database/catalogue/rights.js';
import type { Engine } from '../../database/engine/engine.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { named, noSuperTable, refusals } from '../../model/refusals.js';
import { dataType } from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteString } from '../../sql/engine/quote.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { Name, ObjectName } from '../../sql/syntax/ast.js';
import type { Show } from '../../sql/syntax/ast-statement.js';
import { showList } from '../../sql/syntax/show-lists.js';
import { systemDatabases } from '../../sql/values/context.js';
import { quotedName, quotedText } from '../../text/quoted-name.js';
import { type DefinitionContext, databaseOf, knownDatabase } from '../definitions/context.js';
import { type Listing, textColumn } from '../definitions/listing.js';
import {
  everybody,
  insideSight,
  listSight,
  type Requester,
  type Rights,
  systemInsideSight,
  tableInSight,
} from '../definitions/statement-rights.js';
import { hiddenSubTables } from '../lists/hidden-sub-tables.js';
import type { LiveTable } from '../lists/live-tables.js';
import { systemTable } from '../lists/registry.js';
import { describedTable } from './described-table.js';
import { createDatabaseText, createSubTableText, createTableText, createViewText, viewName } from './show-create.js';

type ShowOf<W> = Show extends infer S
  ? S extends { readonly what: infer V }
    ? W extends V
      ? S
      : never
    : never
  : never;

/**
 * One thing that SHOW shows: whom it is shown to, and what: a listing made in memory, or the SELECT over system tables
 * that it stands for, in the dialect's own words, so that both always agree. Throws FaultErrors for names that do not
 * exist.
 */
interface ShowRow<S> {
  readonly rights: Rights<S>;
  readonly shown: (show: S, context: DefinitionContext, engine: Engine) => Promise<string | Listing>;
}

type ShowTable = { readonly [W in Show['what']]: ShowRow<ShowOf<W>> };

/** Longest statement that SHOW CREATE gives, in bytes. */
const maxCreateBytes = 65535;

const shows: ShowTable = {
  databases: { rights: everybody, shown: showDatabases },
  tables: { rights: insideSight, shown: tablesQuery },
  stables: {
    rights: insideSight,
    shown: async ({ database, like }, context) => {
      const terms = [await inDatabase(database, context), ...likeTerm('stable_name', like)];
      return select('stable_name', 'ins_stables', terms, 'stable_name');
    },
  },
  vgroups: {
    rights: systemInsideSight,
    shown: async ({ database }, context) => {
      const terms = database === undefined ? [] : [await inDatabase(database, context)];
      return select('*', 'ins_vgroups', terms, 'vgroup_id');
    },
  },
  'create-database': { rights: insideSight, shown: showCreateDatabase },
  'create-table': { rights: tableInSight, shown: showCreateTable },
  'create-stable': { rights: tableInSight, shown: showCreateTable },
  'create-view': { rights: tableInSight, shown: showCreateView },
  tags: {
    rights: tableInSight,
    shown: async (show, context) => {
      const { database, table, subTable } = await taggedTable(show.table, context);
      const name =
        subTable === undefined
          ? `stable_name = ${quotedText(table.name)}`
          : `table_name = ${quotedText(subTable.name)}`;
      return select('*', 'ins_tags', [`db_name = ${quotedText(database.name)}`, name], undefined);
    },
  },
  'table-tags': { rights: tableInSight, shown: tableTagsQuery },
  indexes: {
    rights: tableInSight,
    shown: async (show, context) => {
      const { database, table } = await describedTable(show.table, context);
      const terms = [`db_name = ${quotedText(database.name)}`, `table_name = ${quotedText(table.name)}`];
      return select('*', 'ins_indexes', terms, undefined);
    },
  },
  'table-distributed': {
    rights: tableInSight,
    shown: async ({ table }, context, engine) => ({
      meta: [textColumn('_block_dist', 512)],
      rows: await distribution(table, context, engine),
    }),
  },
  alive: {
    rights: insideSight,
    shown: async ({ database }, context, engine) => {
      if (database !== undefined) await knownDatabase(context, database.text);
      return { meta: [{ name: 'status', type: dataType('INT') }], rows: [[aliveStatus(engine)]] };
    },
  },
  list: { rights: listSight, shown: listQuery },
};

/**
 * 1 while everything answers, 2 while some node or the keeper of a cluster does not, 0 while queries have no answer.
 */
function aliveStatus(engine: Engine): 0 | 1 | 2 {
  if (engine.isMissing) return 0;
  return engine.keeper === 'away' || engine.nodes().some(({ state }) => state === 'away') ? 2 : 1;
}

/** Throws unless the user may see what a SHOW shows. */
export function checkShow(show: Show, requester: Requester): void {
  rowOf(show.what).rights(show, requester);
}

/** True for lists of the states of nodes and the keeper, which are there while the catalogue cannot be read. */
export function isOfState(show: Show): boolean {
  if (show.what !== 'list') return show.what === 'alive';
  const { table = '' } = showList(show.list);
  return systemTable('information_schema', table)?.isOfState === true;
}

/** Rows of a SHOW; see {@link ShowRow}. */
export function shown(show: Show, context: DefinitionContext, engine: Engine): Promise<string | Listing> {
  return rowOf(show.what).shown(show, context, engine);
}

function rowOf<W extends Show['what']>(what: W): ShowRow<ShowOf<W>> {
  return shows[what];
}

async function showDatabases({ which }: ShowOf<'databases'>, context: DefinitionContext): Promise<Listing> {
  const own = new Access(context.catalogue, context.user).databases.toSorted();
  const names = { all: [...systemDatabases, ...own], system: systemDatabases, user: own }[which];
  return { meta: [textColumn('name', 64)], rows: names.map((name) => [name]) };
}

async function showCreateDatabase(show: ShowOf<'create-database'>, context: DefinitionContext): Promise<Listing> {
  const database = await knownDatabase(context, show.database.text);
  const meta = [textColumn('Database', 64), textColumn('Create Database', maxCreateBytes)];
  return { meta, rows: [[database.name, createDatabaseText(database)]] };
}

async function tablesQuery({ which, database, like }: ShowOf<'tables'>, context: DefinitionContext): Promise<string> {
  const type = { all: undefined, normal: 'NORMAL_TABLE', child: 'CHILD_TABLE' }[which];
  const ofType = type === undefined ? [] : [`type = ${quotedText(type)}`];
  const terms = [await inDatabase(database, context), ...ofType, ...likeTerm('table_name', like)];
  return select('table_name', 'ins_tables', terms, 'table_name');
}
async function showCreateTable(
  show: ShowOf<'create-table'>,
  context: DefinitionContext,
  engine: Engine,
): Promise<Listing> {
  const { database, table, subTable } = await describedTable(show.table, context);
  if (show.what === 'create-stable' && (table.kind !== 'super' || subTable !== undefined)) {
    throw new FaultError(noSuperTable(show.table.name.text));
  }
  if (subTable !== undefined && (await isHidden(engine, { database, table }, subTable.id, context)))
    throw new Access(context.catalogue, context.user).refusal(database.name, 'READ');
  const statement =
    subTable === undefined ? createTableText(table) : await createSubTableText(engine, database, table, subTable);
  const meta = [textColumn('Table', 192), textColumn('Create Table', maxCreateBytes)];
  return { meta, rows: [[(subTable ?? table).name, statement]] };
}

/** True for a sub-table whose tags the user may not read. */
async function isHidden(engine: Engine, live: LiveTable, id: bigint, context: DefinitionContext): Promise<boolean> {
  const hidden = hiddenSubTables(live, new Access(context.catalogue, context.user), context.timeZone);
  if (typeof hidden === 'string') return hidden === 'all';
  const where = printExpr(allOf([...ofTable(live.table), ofSeries([id]), expr`dropped = 0`, hidden.where]));
  const rows = await engine.rows(`SELECT 1 FROM ${live.table.tagStorage} FINAL WHERE ${where}`);
  return rows.length > 0;
}

async function showCreateView({ table: name }: ShowOf<'create-view'>, context: DefinitionContext): Promise<Listing> {
  const database = await databaseOf(context, name);
  await context.catalogue.sync();
  const view = context.catalogue.view(database.name, name.name.text);
  if (view === undefined) throw new FaultError(named(refusals.viewNotExist, name.name.text));
  const meta = [textColumn('View', 264), textColumn('Create View', maxCreateBytes)];
  return { meta, rows: [[viewName(view), createViewText(view)]] };
}

/**
 * Sizes of a table in the engine, for those who may read all of it. Of storage that tables share, they are the table's
 * part.
 */
async function distribution(name: ObjectName, context: DefinitionContext, engine: Engine): Promise<Listing['rows']> {
  const { database: ofTables, table } = await describedTable(name, context);
  new Access(context.catalogue, context.user).require('READ', ofTables.name, table.name);
  const [database = '', storage = ''] = table.storage.split('.');
  let [parts, bytes, rows] = [0, 0, 0n];
  for (const store of engine.stores()) {
    const [[ownParts, ownBytes, ownRows] = []] = await store.engine.rows(
      `SELECT count(), toString(sum(bytes_on_disk)), toString(sum(rows)) FROM system.parts
       WHERE active AND database = ${quoteString(store.prefix + database)} AND table = ${quoteString(storage)}`,
    );
    [parts, bytes, rows] = [parts + Number(ownParts), bytes + Number(ownBytes), rows + BigInt(String(ownRows))];
  }
  const own = [...ofTable(table), ...(table.seriesId === undefined ? [] : [ofSeries([table.seriesId])])];
  if (own.length > 0) {
    const counted = await engine.rows(`SELECT count() FROM ${table.storage} WHERE ${printExpr(allOf(own))}`);
    const ownRows = BigInt(String(counted[0]?.[0] ?? 0));
    bytes = rows === 0n ? 0 : (bytes * Number(ownRows)) / Number(rows);
    rows = ownRows;
  }
  return [
    [`Total_Blocks=[${parts}] Total_Size=[${(bytes / 1024).toFixed(2)} KiB]`],
    [`Total_Rows=[${rows}] Total_Columns=[${table.columns.length + 1}]`],
  ];
}

async function listQuery({ list, like, dnode, ofDatabase }: ShowOf<'list'>, context: DefinitionContext) {
  const { table, columns = '*', like: chosenBy = '', order, ofDatabase: owner } = showList(list);
  const inside = ofDatabase === undefined ? [] : [await inDatabase(ofDatabase, context, owner)];
  if (table === undefined) return { meta: [textColumn('name', 64)], rows: [] };
  const ofNode = dnode === undefined ? [] : [`dnode_id = ${dnode}`];
  return select(columns, table, [...likeTerm(chosenBy, like), ...ofNode, ...inside], order);
}

async function tableTagsQuery(show: ShowOf<'table-tags'>, context: DefinitionContext): Promise<string> {
  const { database, table, subTable } = await taggedTable(show.table, context);
  const others = show.tags.filter(({ name }) => name.quoted || name.text !== 'tbname');
  const named = others.map(
    ({ name, alias }) => `${quotedName(name.text)}${alias ? ` AS ${quotedName(alias.text)}` : ''}`,
  );
  const tags = show.tags.length > 0 ? named : table.tags.map(({ name }) => quotedName(name));
  const from = `${quotedName(database.name)}.${quotedName((subTable ?? table).name)}`;
  return `SELECT TAGS ${['tbname', ...tags].join(', ')} FROM ${from}`;
}

/** A table that has tags, or a sub-table. */
async function taggedTable(name: ObjectName, context: DefinitionContext) {
  const described = await describedTable(name, context);
  if (described.table.kind !== 'normal') return described;
  const text = 'Tags can only applied to super table and child table';
  throw new FaultError(fault('database', Codes.tagsOfNormalTable, text));
}

function select(columns: string, table: string, terms: readonly string[], order: string | undefined): string {
  const schema = systemDatabases[table.startsWith('perf_') ? 1 : 0];
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
  return `SELECT ${columns} FROM ${schema}.${table}${where}${order === undefined ? '' : ` ORDER BY ${order}`}`;
}

async function inDatabase(name: Name | undefined, context: DefinitionContext, column = 'db_name'): Promise<string> {
  const database = name?.text ?? context.database;
  if (database === undefined) throw new FaultError(refusals.databaseNotSpecified);
  if (!systemDatabases.includes(database)) await knownDatabase(context, database);
  return `${column} = ${quotedText(database)}`;
}

function likeTerm(column: string, pattern: string | undefined): readonly string[] {
  return pattern === undefined ? [] : [`${column} LIKE ${quotedText(pattern)}`];
}

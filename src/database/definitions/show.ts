import type { ColumnMeta } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { type DataType, dataType, type EncodingWords, typeLength, typeText } from '../../model/schema.js';
import type { ObjectName } from '../../sql/ast.js';
import type { Show } from '../../sql/ast-statement.js';
import { quoteString } from '../../sql/print/quote.js';
import { systemDatabases } from '../../sql/resolve/context.js';
import type { Engine } from '../engine.js';
import { systemTable } from '../system-tables/registry.js';
import { encodingOf, tagEncoding } from './column-encoding.js';
import { type DefinitionContext, databaseOf, knownDatabase } from './context.js';
import { type DescribedTable, describedTable } from './described-table.js';
import { createDatabaseText, createSubTableText, createTableText, createViewText } from './show-create.js';
import { visibleDatabases } from './users-lists.js';

/** A small result made in memory. */
export interface Listing {
  readonly meta: readonly ColumnMeta[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

function text(name: string, length: number): ColumnMeta {
  return { name, type: dataType('VARCHAR', length) };
}

/** Longest statement that SHOW CREATE gives, in bytes. */
const maxCreateBytes = 65535;

/** Runs the SHOW that `showQuery` has no query for. What is not available is refused by name. */
export async function runShow(show: Show, context: DefinitionContext, engine: Engine): Promise<Listing> {
  switch (show.what) {
    case 'databases': {
      const own = visibleDatabases(context.catalogue, context.user).toSorted();
      const names = { all: [...systemDatabases, ...own], system: systemDatabases, user: own }[show.which];
      return { meta: [text('name', 64)], rows: names.map((name) => [name]) };
    }
    case 'create-database': {
      const database = await knownDatabase(context, show.database.text);
      const meta = [text('Database', 64), text('Create Database', maxCreateBytes)];
      return { meta, rows: [[database.name, createDatabaseText(database)]] };
    }
    case 'create-table':
    case 'create-stable':
      return showCreateTable(show, context, engine);
    case 'create-view':
      return showCreateView(show.table, context);
    case 'alive': {
      if (show.database !== undefined) await knownDatabase(context, show.database.text);
      return { meta: [{ name: 'status', type: dataType('INT') }], rows: [[1]] };
    }
    case 'table-distributed':
      return { meta: [text('_block_dist', 512)], rows: await distribution(show.table, context, engine) };
    default:
      if (show.what === 'list' && show.list === 'SCORES') return { meta: [text('name', 64)], rows: [] };
      throw new FaultError(fault('database', Codes.notSupported, `Operation not supported: SHOW ${wordsOf(show)}`));
  }
}

function wordsOf(show: Show): string {
  return show.what === 'list' ? show.list : show.what.toUpperCase().replaceAll('-', ' ');
}

async function showCreateTable(
  show: Extract<Show, { what: 'create-table' | 'create-stable' }>,
  context: DefinitionContext,
  engine: Engine,
): Promise<Listing> {
  const { database, table, subTable } = await describedTable(show.table, context);
  if (show.what === 'create-stable' && (table.kind !== 'super' || subTable !== undefined)) {
    throw new FaultError(fault('database', Codes.stableNotExist, 'STable not exist'));
  }
  const statement =
    subTable === undefined ? createTableText(table) : await createSubTableText(engine, database, table, subTable);
  const meta = [text('Table', 192), text('Create Table', maxCreateBytes)];
  return { meta, rows: [[(subTable ?? table).name, statement]] };
}

async function showCreateView(name: ObjectName, context: DefinitionContext): Promise<Listing> {
  const database = await databaseOf(context, name);
  await context.catalogue.sync();
  const view = context.catalogue.view(database.name, name.name.text);
  if (view === undefined) throw new FaultError(fault('database', Codes.viewNotExist, 'View not exist'));
  const meta = [text('View', 192), text('Create View', maxCreateBytes)];
  return { meta, rows: [[view.name, createViewText(view)]] };
}

/** What the engine keeps of a table; where tables share their storage, of all of them. */
async function distribution(name: ObjectName, context: DefinitionContext, engine: Engine): Promise<Listing['rows']> {
  const { table } = await describedTable(name, context);
  const [database = '', storage = ''] = table.storage.split('.');
  let [parts, bytes, rows] = [0, 0, 0n];
  for (const store of engine.stores()) {
    const [[ownParts, ownBytes, ownRows] = []] = await store.engine.rows(
      `SELECT count(), toString(sum(bytes_on_disk)), toString(sum(rows)) FROM system.parts
       WHERE active AND database = ${quoteString(store.prefix + database)} AND table = ${quoteString(storage)}`,
    );
    [parts, bytes, rows] = [parts + Number(ownParts), bytes + Number(ownBytes), rows + BigInt(String(ownRows))];
  }
  return [
    [`Total_Blocks=[${parts}] Total_Size=[${(bytes / 1024).toFixed(2)} KiB]`],
    [`Total_Rows=[${rows}] Total_Columns=[${table.columns.length + 1}]`],
  ];
}

const describeMeta: readonly ColumnMeta[] = [
  text('field', 64),
  text('type', 20),
  { name: 'length', type: dataType('INT') },
  text('note', 12),
  text('encode', 12),
  text('compress', 12),
  text('level', 12),
];

function describeRow(
  field: string,
  type: DataType,
  note: string,
  chosen?: EncodingWords,
): readonly (string | number)[] {
  const encoding = note === 'TAG' ? tagEncoding : encodingOf(type, chosen);
  return [field, typeText(type), typeLength(type), note, ...encoding];
}

/** DESCRIBE: the columns of a table, the tags marked as such, each with the encoding it is said to have. */
export async function describe(name: ObjectName, context: DefinitionContext): Promise<Listing> {
  const system = systemTable(name.database?.text ?? context.database ?? '', name.name.text);
  if (system !== undefined) {
    return { meta: describeMeta, rows: system.columns.map((column) => describeRow(column.name, column.type, '')) };
  }
  const { table }: DescribedTable = await describedTable(name, context);
  return {
    meta: describeMeta,
    rows: [
      describeRow(table.timeColumn, dataType('TIMESTAMP'), '', table.timeEncoding),
      ...table.columns.map((column) => describeRow(column.name, column.type, '', column.encoding)),
      ...table.tags.map((tag) => describeRow(tag.name, tag.type, 'TAG')),
    ],
  };
}

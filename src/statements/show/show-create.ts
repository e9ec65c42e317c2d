import { printWellKnownText } from '../../bytes/geometry-text.js';
import { encodingOf } from '../../database/catalogue/column-encoding.js';
import { declaredText } from '../../database/catalogue/column-type.js';
import { durationText, effectiveOptions, keepText } from '../../database/catalogue/database-options.js';
import type { Engine } from '../../database/engine/engine.js';
import {
  type ColumnDef,
  type DatabaseDef,
  type DataType,
  dataType,
  type EncodingWords,
  type SubTable,
  type TableDef,
  type ViewDef,
} from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { quotedName, quotedText } from '../../text/quoted-name.js';
import { tagText } from '../lists/tags.js';

/** Options in the order in which they are shown; `'` marks those whose value is a text. */
const shownOptions =
  "BUFFER CACHESIZE CACHEMODEL' COMP DURATION WAL_FSYNC_PERIOD MAXROWS MINROWS STT_TRIGGER KEEP PAGES PAGESIZE PRECISION' " +
  'REPLICA WAL_LEVEL VGROUPS SINGLE_STABLE TABLE_PREFIX TABLE_SUFFIX TSDB_PAGESIZE WAL_RETENTION_PERIOD WAL_RETENTION_SIZE ' +
  'KEEP_TIME_OFFSET';

/** Options that are shown when they were given. */
const optionsWhenGiven =
  "ENCRYPT_ALGORITHM' SS_CHUNKPAGES SS_KEEPLOCAL SS_COMPACT COMPACT_INTERVAL COMPACT_TIME_RANGE COMPACT_TIME_OFFSET STRICT' " +
  'SCHEMALESS';

/** The statement that makes a database like this one. */
export function createDatabaseText(database: DatabaseDef): string {
  const options = effectiveOptions(database.options);
  const present = optionsWhenGiven.split(' ').filter((name) => database.options[name.replace("'", '')] !== undefined);
  const shown = [...shownOptions.split(' '), ...present].map((marked) => {
    const name = marked.replace("'", '');
    const text = (options[name] ?? '').toLowerCase();
    return `${name} ${marked === name ? optionText(name, text) : `'${text}'`}`;
  });
  return `CREATE DATABASE ${quotedName(database.name)} ${shown.join(' ')}`;
}

function optionText(name: string, text: string): string {
  if (name === 'KEEP') return keepText(text);
  return name === 'DURATION' ? durationText(text) : text;
}

/** The statement that makes a view like this one. */
export function createViewText(view: ViewDef): string {
  return `CREATE VIEW ${viewName(view)} AS ${view.text}`;
}

/** The name of a view with its database, in back-quotes. */
export function viewName({ database, name }: ViewDef): string {
  return `${quotedName(database)}.${quotedName(name)}`;
}

/** The statement that makes a super table or a normal table like this one. */
export function createTableText(table: TableDef): string {
  const time = { name: table.timeColumn, type: dataType('TIMESTAMP'), encoding: table.timeEncoding };
  const columns = definitions([time, ...table.columns]);
  const name = quotedName(table.name);
  const head =
    table.kind === 'super'
      ? `CREATE STABLE ${name} ${columns} TAGS ${definitions(table.tags)}`
      : `CREATE TABLE ${name} ${columns}`;
  const comment = table.comment === undefined ? '' : ` COMMENT ${quotedText(table.comment, "'")}`;
  return `${head}${comment}${table.ttl === 0 ? '' : ` TTL ${table.ttl}`}`;
}

interface ShownColumn {
  readonly name: string;
  readonly type: DataType;
  readonly encoding?: EncodingWords | undefined;
  readonly isKey?: true;
}

function definitions(columns: readonly ShownColumn[]): string {
  const shown = columns.map((column) => {
    const key = column.isKey ? ' COMPOSITE KEY' : '';
    return `${quotedName(column.name)} ${declaredText(column.type)}${key}${encodingText(column)}`;
  });
  return `(${shown.join(', ')})`;
}

/** Encodings are shown where statements chose them. */
function encodingText({ type, encoding }: ShownColumn): string {
  if (encoding === undefined) return '';
  const [encode, compress, level] = encodingOf(type, encoding);
  return ` ENCODE '${encode}' COMPRESS '${compress}' LEVEL '${level}'`;
}

/** The statement that makes a sub-table like this one, its tags as they are now. */
export async function createSubTableText(
  engine: Engine,
  database: DatabaseDef,
  table: TableDef,
  { key, id, name }: SubTable,
): Promise<string> {
  const where = printExpr(allOf([...ofTable(table), ofSeries([id]), expr`dropped = 0`]));
  const [values = []] = await engine.rows(
    `SELECT ${table.tags.map(tagText).join(', ')} FROM ${table.tagStorage} FINAL WHERE ${where}`,
  );
  const [[ttl, comment] = []] = await engine.rows(
    `SELECT ttl, comment FROM sluice.sub_tables FINAL WHERE id = ${key} AND database = '${database.id}'`,
  );
  const tags = table.tags.map((tag, at) => tagLiteral(tag, values[at] ?? null));
  const options = [
    ...(Number(ttl ?? 0) === 0 ? [] : [`TTL ${ttl}`]),
    ...(typeof comment === 'string' ? [`COMMENT ${quotedText(comment, '"')}`] : []),
  ];
  const names = table.tags.map((tag) => quotedName(tag.name)).join(', ');
  const head = `CREATE TABLE ${quotedName(name)} USING ${quotedName(table.name)} (${names}) TAGS (${tags.join(', ')})`;
  return [head, ...options].join(' ');
}

/** A tag's value, given as {@link tagText} prints it, as a literal that parses to the same value. */
function tagLiteral({ type }: ColumnDef, text: string | number | boolean | null): string {
  if (typeof text !== 'string') return 'NULL';
  switch (type.name) {
    case 'VARCHAR':
    case 'NCHAR':
    case 'JSON':
      return quotedText(text, '"');
    case 'VARBINARY':
      return `"\\x${text}"`;
    case 'GEOMETRY':
      return `"${printWellKnownText(Buffer.from(text, 'hex'))}"`;
    case 'FLOAT':
    case 'DOUBLE':
      return exponentText(text);
    default:
      return text;
  }
}

/**
 * Six digits of the fraction as `%e` prints them, more where the value has them; two digits of the exponent at least.
 */
function exponentText(text: string): string {
  const value = Number(text);
  const short = value.toExponential(6);
  const exact = Number(short) === value ? short : value.toExponential();
  return exact.replace(/e([+-])(\d)$/, 'e$10$2');
}

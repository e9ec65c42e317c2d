import type { DataType, Precision, TableDef, TypeName } from '../../model/schema.js';
import { int64, quoteIdentifier, quoteString } from './quote.js';

/** Names of the columns that every engine table of rows or of tags has; `number` only where tables share it. */
const layout = { number: 't', id: 'id', time: 'ts', name: 'name', dropped: 'dropped' } as const;

/** The primary timestamp where the rows have no alias. */
export const bareTime = layout.time;

/** Conditions on rows or tags without an alias that leave those of one table; none where it shares with no other. */
export function ofTable({ number }: Pick<TableDef, 'number'>): string[] {
  return number === undefined ? [] : [`${layout.number} = ${number}`];
}

/** A condition on rows or tags without an alias: that they are of tables with these numbers. */
export function ofTables(numbers: readonly number[]): string {
  return `${layout.number} IN (${numbers.join(', ')})`;
}

/** Like {@link ofTable}, for rows known under `alias`. */
export function rowsOfTable(table: Pick<TableDef, 'number'>, alias: string): string[] {
  return ofTable(table).map((term) => `${alias}.${term}`);
}

/** A condition on rows without an alias: that they are of one of these series. */
export function ofSeries(ids: readonly bigint[]): string {
  return `${layout.id} IN (${ids.join(', ')})`;
}

/** The series id in rows or tags known under `alias`. */
export function idColumn(alias: string): string {
  return `${alias}.${layout.id}`;
}

/** The primary timestamp, Int64 ticks. */
export function timeColumn(alias: string): string {
  return `${alias}.${layout.time}`;
}

/** The sub-table's name among the tags. */
export function nameColumn(alias: string): string {
  return `${alias}.${layout.name}`;
}

/** A data or tag column by its physical name. */
export function dataColumn(alias: string, physical: string): string {
  return `${alias}.${quoteIdentifier(physical)}`;
}

/** Rows as a FROM item: overwritten rows are merged before anything else looks at them. */
export function rowsSource(storage: string, alias: string): string {
  return `${storage} AS ${alias} FINAL`;
}

/** Rows as a FROM item where only the existence of a key matters, so that merging can be left out. */
export function keysSource(storage: string, alias: string): string {
  return `${storage} AS ${alias}`;
}

/** Key of the rows of one engine table. */
export interface RowKey {
  readonly id: bigint;
  readonly time: bigint;
}

/** Conditions on rows: that they are behind a key, and not behind another one, in the order in which they are stored. */
export function keysBetween(alias: string, behind: RowKey | undefined, upTo: RowKey | undefined): string[] {
  const [id, time] = alias === '' ? [layout.id, layout.time] : [idColumn(alias), timeColumn(alias)];
  const terms: string[] = [];
  // The limit on the id stands by itself, because the index of the engine knows what to make of that.
  if (behind !== undefined) {
    const least = `toUInt64('${behind.id}')`;
    terms.push(`${id} >= ${least}`, `or(${id} > ${least}, ${time} > ${int64(behind.time)})`);
  }
  if (upTo !== undefined) {
    const most = `toUInt64('${upTo.id}')`;
    terms.push(`${id} <= ${most}`, `or(${id} < ${most}, ${time} <= ${int64(upTo.time)})`);
  }
  return terms;
}

/**
 * Order in which rows were written: by the number that a single engine gives to each insert, or, in a cluster, the version
 * that an insert gives to its rows. A version is in ns, and a place in the order in µs, which a number holds exactly.
 */
export type WriteOrder = 'inserts' | 'versions';

/** Rows that were written behind one place in the order, and up to another. */
export interface Written {
  readonly order: WriteOrder;
  readonly after: number;
  readonly upTo: number;
}

/** The place of a row in the order of writing; `alias` is empty where the rows have none. */
export function writtenAt(alias: string, order: WriteOrder): string {
  const prefix = alias === '' ? '' : `${alias}.`;
  return order === 'inserts' ? `${prefix}_block_number` : `intDiv(${prefix}version, 1000)`;
}

/**
 * A condition on stored rows: that they were written behind `after`, up to `upTo`. Parts without such rows are left out by the numbers
 * of inserts in their names, `partition_first_last_level`, or by their index of versions, before anything of them is read.
 */
export function writtenBetween(alias: string, { order, after, upTo }: Written): string {
  if (order === 'versions') {
    const version = alias === '' ? 'version' : `${alias}.version`;
    const least = after === 0 ? '0' : `${after + 1}000`;
    return `and(${version} >= ${least}, ${version} <= ${upTo}999)`;
  }
  const { first, last } = partInserts(alias);
  const number = writtenAt(alias, order);
  return `and(${last} > ${after}, ${first} <= ${upTo}, ${number} > ${after}, ${number} <= ${upTo})`;
}

/** True for statements with a condition on versions that {@link writtenBetween} gave. */
export function looksAtVersions(statement: string): boolean {
  return /\band\((?:\w+\.)?version >= \d+, /.test(statement);
}

/** The numbers of the first and the last insert that have rows in a row's part. */
export function partInserts(alias: string): { readonly first: string; readonly last: string } {
  const part = alias === '' ? '_part' : `${alias}._part`;
  const bound = (at: number): string => `toUInt64(splitByChar('_', ${part})[${at}])`;
  return { first: bound(2), last: bound(3) };
}

const failedText = 'has rows that were stored meanwhile';

/**
 * The assumption of a statement that an engine table, known under `alias`, has no rows of later inserts than `insert`: a condition that ends the
 * statement where it has some. The engine tells by the names of parts, before it reads any. The condition must stand in each SELECT from the
 * table, and not in a join: the engine would check it for the parts of the other table, too, as `indexHint` hides its columns.
 */
export function nothingAfter(insert: number, storage: string, alias: string): string {
  const check = `throwIf(${partInserts(alias).last} > ${insert}, ${quoteString(`{${storage} ${failedText}}`)})`;
  return `indexHint(${check} = 0)`;
}

/** The engine table whose assumption failed, where the engine's message names one. */
export function failedAssumption(message: string): string | undefined {
  for (const [, storage, text] of message.matchAll(/\{([\w.]+) ([a-z ]+)\}/g)) if (text === failedText) return storage;
  return undefined;
}

/** Live sub-tables with their tags as a FROM item, one row each. */
export function tagsSource(table: TagTable, alias: string): string {
  const where = [...ofTable(table), `${layout.dropped} = 0`].join(' AND ');
  return `(SELECT * FROM ${table.tagStorage} FINAL WHERE ${where}) AS ${alias}`;
}

/** The ids of live sub-tables whose tags, known under `alias`, meet a condition, as a set. */
export function idsWhere(table: TagTable, alias: string, condition: string): string {
  const where = [...ofTable(table), `${layout.dropped} = 0`, `(${condition})`].join(' AND ');
  return `(SELECT ${idColumn(alias)} FROM ${table.tagStorage} AS ${alias} FINAL WHERE ${where})`;
}

/** True for a statement that is one SELECT, but for one of {@link idsWhere}. */
export function selectsOnceBesideIds(sql: string): boolean {
  return sql.match(/\bselect\b/gi)?.length === 2 && / IN \(SELECT g\d+\.id FROM [\w.]+ AS g\d+ FINAL WHERE /.test(sql);
}

/** Clocks of processes differ by less, ms. */
const clockMs = 60_000;

/** A condition on rows: that their sub-table was not dropped since then, Unix ms. */
export function notDroppedSince(table: TagTable, alias: string, since: number): string {
  const where = [...ofTable(table), `${layout.dropped} = 1`, `${layout.time} >= ${since - clockMs}`].join(' AND ');
  return `${idColumn(alias)} NOT IN (SELECT ${layout.id} FROM ${table.tagStorage} WHERE ${where})`;
}

/** Where a super table has its tags. */
export type TagTable = Pick<TableDef, 'tagStorage' | 'number'>;

/** One tag of one sub-table as a scalar. */
export function tagOfSeries(table: TagTable, physical: string, id: bigint): string {
  const column = quoteIdentifier(physical);
  const where = [...ofTable(table), ofSeries([id]), `${layout.dropped} = 0`].join(' AND ');
  return `(SELECT ${column} FROM ${table.tagStorage} FINAL WHERE ${where} LIMIT 1)`;
}

const numberTypes: Partial<Record<TypeName, string>> = {
  BOOL: 'Bool',
  TINYINT: 'Int8',
  SMALLINT: 'Int16',
  INT: 'Int32',
  BIGINT: 'Int64',
  TIMESTAMP: 'Int64',
  'TINYINT UNSIGNED': 'UInt8',
  'SMALLINT UNSIGNED': 'UInt16',
  'INT UNSIGNED': 'UInt32',
  'BIGINT UNSIGNED': 'UInt64',
  FLOAT: 'Float32',
  DOUBLE: 'Float64',
};

/** The engine type that stores a type of the dialect, without its Nullable wrapper. */
export function engineType({ name, length, scale = 0 }: DataType): string {
  return name === 'DECIMAL' ? `Decimal(${length}, ${scale})` : (numberTypes[name] ?? 'String');
}

/** `sql` as the nullable engine type of `type`. */
export function castToEngine(sql: string, type: DataType): string {
  return `CAST(${sql}, 'Nullable(${engineType(type)})')`;
}

const suffixes = { ms: 'Milli', us: 'Micro', ns: 'Nano' } as const;

/** Ticks as a point on the engine's calendar in a zone. */
export function ticksToCalendar(ticks: string, precision: Precision, zone: string): string {
  return `fromUnixTimestamp64${suffixes[precision]}(${ticks}, ${quoteString(zone)})`;
}

/** The inverse of {@link ticksToCalendar}; `calendar` must have the scale of the precision. */
export function calendarToTicks(calendar: string, precision: Precision): string {
  return `toUnixTimestamp64${suffixes[precision]}(${calendar})`;
}

/** Digits of a second's fraction by precision. */
export function fractionDigits(precision: Precision): number {
  return precision === 'ms' ? 3 : precision === 'us' ? 6 : 9;
}

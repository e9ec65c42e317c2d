import type { DataType, Precision, TableDef, TypeName } from '../../model/schema.js';
import { call, column, fromQuery, int64, number, quoted, subquery, text } from './build.js';
import { Assumption, Binary, type Expr, type FromItem, Tuple } from './nodes.js';
import { failedText } from './print.js';
import { expr } from './template.js';

/** Names of the columns that every engine table of rows or of tags has; `number` only where tables share it. */
const layout = { number: 't', id: 'id', time: 'ts', name: 'name', dropped: 'dropped' } as const;

/** The primary timestamp where the rows have no alias. */
export const bareTime: Expr = column(undefined, layout.time);

/** A column of the layout where the rows have an alias, or none. */
function own(alias: string, name: string): Expr {
  return column(alias === '' ? undefined : alias, name);
}

/**
 * Conditions on rows or tags, known under `alias` where they have one, that leave those of one table; none where it
 * shares with no other.
 */
export function ofTable({ number: tableNumber }: Pick<TableDef, 'number'>, alias = ''): Expr[] {
  return tableNumber === undefined ? [] : [expr`${own(alias, layout.number)} = ${tableNumber}`];
}

/** A condition on rows or tags without an alias: that they are of tables with these numbers. */
export function ofTables(numbers: readonly number[]): Expr {
  return isAmong(column(undefined, layout.number), numbers);
}

/** `value IN (numbers)`, one of them at least. */
export function isAmong(value: Expr, numbers: readonly (number | bigint)[]): Expr {
  return new Binary('IN', value, new Tuple(numbers.map(number)));
}

/** A condition on rows without an alias: that they are of one of these series. */
export function ofSeries(ids: readonly bigint[]): Expr {
  return isAmong(column(undefined, layout.id), ids);
}

/** The series id in rows or tags known under `alias`. */
export function idColumn(alias: string): Expr {
  return own(alias, layout.id);
}

/** The primary timestamp, Int64 ticks. */
export function timeColumn(alias: string): Expr {
  return own(alias, layout.time);
}

/** The sub-table's name among the tags. */
export function nameColumn(alias: string): Expr {
  return own(alias, layout.name);
}

/** A data or tag column by its physical name. */
export function dataColumn(alias: string, physical: string): Expr {
  return quoted(alias, physical);
}

/** Rows as a FROM item: overwritten rows are merged before anything else looks at them. */
export function rowsSource(storage: string, alias: string): FromItem {
  return { kind: 'table', table: storage, alias, final: true };
}

/** Rows as a FROM item where only the existence of a key matters, so that merging can be left out. */
export function keysSource(storage: string, alias: string): FromItem {
  return { kind: 'table', table: storage, alias };
}

/** Key of the rows of one engine table. */
export interface RowKey {
  readonly id: bigint;
  readonly time: bigint;
}

/**
 * Conditions on rows: that they are behind a key, and not behind another one, in the order in which they are stored.
 */
export function keysBetween(alias: string, behind: RowKey | undefined, upTo: RowKey | undefined): Expr[] {
  const [id, time] = [idColumn(alias), timeColumn(alias)];
  const terms: Expr[] = [];
  // The limit on the id stands by itself, because the index of the engine knows what to make of that.
  if (behind !== undefined) {
    const least = expr`toUInt64(${text(String(behind.id))})`;
    terms.push(expr`${id} >= ${least}`, expr`or(${id} > ${least}, ${time} > ${int64(behind.time)})`);
  }
  if (upTo !== undefined) {
    const most = expr`toUInt64(${text(String(upTo.id))})`;
    terms.push(expr`${id} <= ${most}`, expr`or(${id} < ${most}, ${time} <= ${int64(upTo.time)})`);
  }
  return terms;
}

/**
 * Order in which rows were written: by the number that a single engine gives to each insert, or, in a cluster, the
 * version that an insert gives to its rows. A version is in ns, and a place in the order in µs, which a number holds
 * exactly.
 */
export type WriteOrder = 'inserts' | 'versions';

/** Rows that were written behind one place in the order, and up to another. */
export interface Written {
  readonly order: WriteOrder;
  readonly after: number;
  readonly upTo: number;
}

/** The place of a row in the order of writing; `alias` is empty where the rows have none. */
export function writtenAt(alias: string, order: WriteOrder): Expr {
  return order === 'inserts' ? own(alias, '_block_number') : expr`intDiv(${own(alias, 'version')}, 1000)`;
}

/**
 * A condition on stored rows: that they were written behind `after`, up to `upTo`. Parts without such rows are left out
 * by the numbers of inserts in their names, `partition_first_last_level`, or by their index of versions, before
 * anything of them is read.
 */
export function writtenBetween(alias: string, { order, after, upTo }: Written): Expr {
  if (order === 'versions') {
    const version = own(alias, 'version');
    const least = after === 0 ? 0 : (BigInt(after) + 1n) * 1000n;
    return expr`and(${version} >= ${least}, ${version} <= ${BigInt(upTo) * 1000n + 999n})`;
  }
  const { first, last } = partInserts(alias);
  const at = writtenAt(alias, order);
  return expr`and(${last} > ${after}, ${first} <= ${upTo}, ${at} > ${after}, ${at} <= ${upTo})`;
}

/** The numbers of the first and the last insert that have rows in a row's part. */
export function partInserts(alias: string): { readonly first: Expr; readonly last: Expr } {
  const bound = (at: number): Expr => expr`toUInt64(splitByChar('_', ${own(alias, '_part')})[${at}])`;
  return { first: bound(2), last: bound(3) };
}

/**
 * The assumption of a statement that an engine table, known under `alias`, has no rows of later inserts than `insert`:
 * a condition that ends the statement where it has some. The condition must stand in each SELECT from the table, and
 * not in a join: the engine would check it for the parts of the other table, too, as `indexHint` hides its columns.
 */
export function nothingAfter(insert: number, storage: string, alias: string): Expr {
  return new Assumption(storage, alias, insert);
}

/** The engine table whose assumption failed, where the engine's message names one. */
export function failedAssumption(message: string): string | undefined {
  for (const [, storage, text] of message.matchAll(/\{([\w.]+) ([a-z ]+)\}/g)) if (text === failedText) return storage;
  return undefined;
}

/** Live sub-tables with their tags as a FROM item, one row each; `conditions` are on tags without an alias. */
export function tagsSource(table: TagTable, alias: string, conditions: readonly Expr[] = []): FromItem {
  const where = [...ofTable(table), expr`${column(undefined, layout.dropped)} = 0`, ...conditions];
  const from: FromItem = { kind: 'table', table: table.tagStorage ?? '', final: true };
  return fromQuery({ columns: [], star: '*', from, where }, alias);
}

/** The ids of live sub-tables whose tags, known under `alias`, meet a condition, as a set. */
export function idsWhere(table: TagTable, alias: string, condition: Expr): Expr {
  const from: FromItem = { kind: 'table', table: table.tagStorage ?? '', alias, final: true };
  const where = [...ofTable(table), expr`${column(undefined, layout.dropped)} = 0`, condition];
  return subquery({ columns: [[idColumn(alias), '']], from, where });
}

/** Clocks of processes differ by less, ms. */
const clockMs = 60_000;

/** A condition on rows: that their sub-table was not dropped since then, Unix ms. */
export function notDroppedSince(table: TagTable, alias: string, since: number): Expr {
  const where = [
    ...ofTable(table),
    expr`${column(undefined, layout.dropped)} = 1`,
    expr`${column(undefined, layout.time)} >= ${since - clockMs}`,
  ];
  const from: FromItem = { kind: 'table', table: table.tagStorage ?? '' };
  const dropped = subquery({ columns: [[column(undefined, layout.id), '']], from, where });
  return new Binary('NOT IN', idColumn(alias), dropped);
}

/** Where a super table has its tags. */
export type TagTable = Pick<TableDef, 'tagStorage' | 'number'>;

/** One tag of one sub-table as a scalar. */
export function tagOfSeries(table: TagTable, physical: string, id: bigint): Expr {
  const where = [...ofTable(table), ofSeries([id]), expr`${column(undefined, layout.dropped)} = 0`];
  const from: FromItem = { kind: 'table', table: table.tagStorage ?? '', final: true };
  const columns = [[quoted(undefined, physical), '']] as const;
  return subquery({ columns, from, where, limit: { count: 1n, offset: 0n } });
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

/** `value` as a type of the engine by its name there. */
export function castTo(value: Expr, type: string): Expr {
  return call('CAST', value, text(type));
}

/** `value` as the nullable engine type of `type`. */
export function castToEngine(value: Expr, type: DataType): Expr {
  return castTo(value, `Nullable(${engineType(type)})`);
}

const suffixes = { ms: 'Milli', us: 'Micro', ns: 'Nano' } as const;

/** Ticks as a point on the engine's calendar in a zone. */
export function ticksToCalendar(ticks: Expr, precision: Precision, zone: string): Expr {
  return call(`fromUnixTimestamp64${suffixes[precision]}`, ticks, text(zone));
}

/** The inverse of {@link ticksToCalendar}; `calendar` must have the scale of the precision. */
export function calendarToTicks(calendar: Expr, precision: Precision): Expr {
  return call(`toUnixTimestamp64${suffixes[precision]}`, calendar);
}

/** Digits of a second's fraction by precision. */
export function fractionDigits(precision: Precision): number {
  return precision === 'ms' ? 3 : precision === 'us' ? 6 : 9;
}

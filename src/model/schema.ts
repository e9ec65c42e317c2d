import type { SentMetric } from './sent-name.js';

/** Tick of a database's timestamps. */
export type Precision = 'ms' | 'us' | 'ns';

/** Type names as the dialect prints them, in `column_meta` of an answer for example. */
export type TypeName =
  | 'BOOL'
  | 'TINYINT'
  | 'SMALLINT'
  | 'INT'
  | 'BIGINT'
  | 'TINYINT UNSIGNED'
  | 'SMALLINT UNSIGNED'
  | 'INT UNSIGNED'
  | 'BIGINT UNSIGNED'
  | 'FLOAT'
  | 'DOUBLE'
  | 'TIMESTAMP'
  | 'VARCHAR'
  | 'NCHAR'
  | 'VARBINARY'
  | 'GEOMETRY'
  | 'DECIMAL'
  | 'JSON'
  | 'BLOB';

/** The integer types, first those with a sign, by their width. */
export const integerTypes = [
  'TINYINT',
  'SMALLINT',
  'INT',
  'BIGINT',
  'TINYINT UNSIGNED',
  'SMALLINT UNSIGNED',
  'INT UNSIGNED',
  'BIGINT UNSIGNED',
] as const satisfies readonly TypeName[];

/**
 * A column type. `length`: bytes for VARCHAR, VARBINARY, GEOMETRY; characters for NCHAR; precision for DECIMAL;
 * otherwise the fixed width in bytes. `scale` only for DECIMAL.
 */
export interface DataType {
  readonly name: TypeName;
  readonly length: number;
  readonly scale?: number;
}

/** A column or tag. `physical` is its name in the engine; it never changes and is never used again after a drop. */
export interface ColumnDef {
  readonly name: string;
  readonly type: DataType;
  readonly physical: string;
  readonly encoding?: EncodingWords;
  /**
   * The name under which arriving data writes it, where it had to get another one: its table had a column or tag of
   * that name.
   */
  readonly sentAs?: string;
  /** Of a tag that other attributes of OpenTelemetry could have, too: the attribute that made it. */
  readonly attribute?: string;
  /** Set for the second part of a composite key: rows of one sub-table and time differ in it, and none is NULL. */
  readonly isKey?: true;
}

/** The name under which arriving data writes a column or tag. */
export function sentName({ name, sentAs }: { readonly name: string; readonly sentAs?: string | undefined }): string {
  return sentAs ?? name;
}

/** The column that is part of a table's key beside the time, if there is one: the first data column. */
export function keyColumn({ columns }: Pick<TableDef, 'columns'>): ColumnDef | undefined {
  return columns[0]?.isKey === true ? columns[0] : undefined;
}

/**
 * Encoding of a column as statements chose it; what was left out is as usual for its type. It is shown and has no
 * effect.
 */
export interface EncodingWords {
  readonly encode?: string;
  readonly compress?: string;
  readonly level?: string;
}

/**
 * A database of the dialect. `id` is unique over the life of the installation; a re-created database gets a new one.
 */
export interface DatabaseDef {
  readonly id: string;
  readonly name: string;
  readonly precision: Precision;
  /** Retention in days. */
  readonly keepDays: number;
  /** Every option as given at creation, by upper-case name, for SHOW. */
  readonly options: Readonly<Record<string, string>>;
  /** Creation time, Unix ms. */
  readonly created: number;
}

/**
 * A super table or a normal table. `columns` leave out the primary time column, whose name is `timeColumn`. `storage`
 * names the engine table with the rows, `tagStorage` the engine table with one row per sub-table (super tables only). A
 * normal table owns exactly one series, `seriesId`, in a storage shared by its shape. A super table that shares its
 * storages with others is distinguished in them by its `number`, which no other table of the database ever has; one
 * without a number has storages of its own.
 */
export interface TableDef {
  readonly id: string;
  readonly database: string;
  readonly name: string;
  readonly kind: 'super' | 'normal';
  readonly timeColumn: string;
  readonly timeEncoding?: EncodingWords;
  readonly columns: readonly ColumnDef[];
  readonly tags: readonly ColumnDef[];
  readonly storage: string;
  readonly tagStorage: string | undefined;
  readonly number?: number | undefined;
  readonly seriesId: bigint | undefined;
  readonly comment: string | undefined;
  readonly ttl: number;
  /** The metric for which arriving data made it, where others could have the same table. */
  readonly sentAs?: SentMetric;
  /** A statement has dropped or renamed a tag: sub-tables may lack values of tags that arriving data makes anew. */
  readonly hasLostTags?: true;
  /** Indexes on tags, where a statement changed what there is by itself. */
  readonly indexes?: readonly TagIndexDef[];
  /** Creation time, Unix ms. */
  readonly created: number;
  /** Grows with every change of this definition. */
  readonly revision: number;
}

/** An index on a tag. It is listed and has no effect: sub-tables are found by all tags. */
export interface TagIndexDef {
  readonly name: string;
  readonly tag: string;
  /** Unix ms. */
  readonly created: number;
}

/** A query that can be selected from by name. */
export interface ViewDef {
  readonly name: string;
  readonly database: string;
  /** The query, in the dialect's words. */
  readonly text: string;
  /** Database of tables that the text names without one. */
  readonly current: string | undefined;
  /** Who made it. */
  readonly user: string;
  /** Unix ms. */
  readonly created: number;
}

/** Tag value as text; undefined is NULL. Typed tags hold the text the type prints. */
export type TagValue = string | undefined;

/**
 * A time line of a super table. `key` is the 64-bit hash of (database id, name, generation) by which it is registered,
 * and `id` the one under which its rows and tags are stored. `tags` is by the names of tags as {@link sentName} has
 * them. `registered` turns true once the engine holds the registration; until then every block that refers to it must
 * carry it in `newSubTables`, and its `id` is the one that it will have unless another was given to it before: see
 * {@link markRegistered}.
 */
export interface SubTable {
  readonly key: bigint;
  id: bigint;
  readonly name: string;
  readonly superTable: string;
  /** Only a registration needs them: see {@link markRegistered}. */
  tags: ReadonlyMap<string, TagValue>;
  /** The attributes of tags, see {@link ColumnDef}; only a registration needs them, too. */
  attributes?: ReadonlyMap<string, string> | undefined;
  /** Days until automatic drop; 0 is never. */
  readonly ttl: number;
  readonly comment?: string | undefined;
  registered: boolean;
  /** The id that it was made with, where it has another one: blocks that carry it have rows under this. */
  madeAs?: bigint;
  /**
   * Another sub-table has the id that it was made with: rows of both may be in a block that carries it, and are not
   * distinguished.
   */
  isAmbiguous?: boolean;
  /**
   * The definition that was found to have all its tags, so that they are not compared again with each block that
   * carries it.
   */
  coveredBy?: TableDef | undefined;
  /** The epoch of its database at which its key was worked out: as long as that stands, so does the key. */
  readonly epoch?: number;
}

/** Tags of registered sub-tables, which have none. */
export const noTags: ReadonlyMap<string, TagValue> = new Map();

/** A place that a sub-table has and was not made with; see {@link SubTable.isAmbiguous}. */
export interface OtherPlace {
  readonly id: bigint;
  readonly isAmbiguous: boolean;
}

/**
 * Notes that the engine holds the registration, with the tags: they need not be remembered here; and the place that
 * stands there.
 */
export function markRegistered(subTable: SubTable, place?: OtherPlace): void {
  if (place !== undefined) {
    subTable.madeAs = subTable.id;
    subTable.id = place.id;
    subTable.isAmbiguous = place.isAmbiguous;
  }
  subTable.registered = true;
  subTable.tags = noTags;
  if (subTable.attributes !== undefined) subTable.attributes = undefined;
}

/** Finds tables by name, in memory that is never older than a second. */
export interface TableLookUp {
  /** A super table or normal table. */
  table(database: string, name: string): TableDef | undefined;
  /** A view, which has its name among those of the tables. */
  view(database: string, name: string): object | undefined;
}

/** Of types that are declared without a length and whose values are one number each. */
const numberWidths: Partial<Record<TypeName, number>> = {
  BOOL: 1,
  TINYINT: 1,
  'TINYINT UNSIGNED': 1,
  SMALLINT: 2,
  'SMALLINT UNSIGNED': 2,
  INT: 4,
  'INT UNSIGNED': 4,
  FLOAT: 4,
  BIGINT: 8,
  'BIGINT UNSIGNED': 8,
  DOUBLE: 8,
  TIMESTAMP: 8,
};

/** Range of an integer type and its name in messages. */
export interface IntegerRange {
  readonly noun: string;
  readonly min: bigint;
  readonly max: bigint;
}

function range(noun: string, bits: number, signed: boolean): IntegerRange {
  const size = 1n << BigInt(bits);
  return signed
    ? { noun, min: -size / 2n, max: size / 2n - 1n }
    : { noun: `unsigned ${noun}`, min: 0n, max: size - 1n };
}

/** Ranges of the integer types, by type name. */
export const integerRanges: Partial<Record<TypeName, IntegerRange>> = {
  TINYINT: range('tinyint', 8, true),
  SMALLINT: range('smallint', 16, true),
  INT: range('int', 32, true),
  BIGINT: range('bigint', 64, true),
  'TINYINT UNSIGNED': range('tinyint', 8, false),
  'SMALLINT UNSIGNED': range('smallint', 16, false),
  'INT UNSIGNED': range('int', 32, false),
  'BIGINT UNSIGNED': range('bigint', 64, false),
};

const fixedWidths: Partial<Record<TypeName, number>> = { ...numberWidths, JSON: 4095, BLOB: 4194304 };

/** Makes a type; `length` may be left out for types of fixed width. */
export function dataType(name: TypeName, length?: number, scale?: number): DataType {
  const width = length ?? fixedWidths[name] ?? 0;
  return scale === undefined ? { name, length: width } : { name, length: width, scale };
}

/** True for names of types that are declared without a length and whose values are one number each. */
export function isPlainType(name: string): name is TypeName {
  return Object.hasOwn(numberWidths, name);
}

/** True for types whose values are stored as text or bytes of varying length. */
export function isVariable(name: TypeName): boolean {
  return (
    name === 'VARCHAR' ||
    name === 'NCHAR' ||
    name === 'VARBINARY' ||
    name === 'GEOMETRY' ||
    name === 'JSON' ||
    name === 'BLOB'
  );
}

/**
 * True when values of two types are stored alike: the same type, whatever the widths of text, and of DECIMAL all of it.
 */
export function sameKind(a: DataType, b: DataType): boolean {
  return a.name === b.name && (a.name !== 'DECIMAL' || (a.length === b.length && a.scale === b.scale));
}

/** Ticks per second of a precision. */
export function ticksPerSecond(precision: Precision): number {
  return precision === 'ms' ? 1e3 : precision === 'us' ? 1e6 : 1e9;
}

/** So many days in ticks of a precision. */
export function daysInTicks(days: number, precision: Precision): bigint {
  return BigInt(days) * 86_400n * BigInt(ticksPerSecond(precision));
}

const lastTicks = { ms: 31556889600000n, us: 31556889600000000n, ns: 9223372036854775807n } as const;

/** How far in the future a row may lie, in ticks: the year 2970, or 2262 where nanoseconds end. */
export function lastTick(precision: Precision): bigint {
  return lastTicks[precision];
}

/** `DECIMAL(20,4)`, otherwise the bare type name: the text of `column_meta`. */
export function typeText(type: DataType): string {
  return type.name === 'DECIMAL' ? `DECIMAL(${type.length},${type.scale ?? 0})` : type.name;
}

/** The length shown in `column_meta`: bytes, characters for NCHAR, 8 or 16 for DECIMAL. */
export function typeLength(type: DataType): number {
  if (type.name !== 'DECIMAL') return type.length;
  return type.length <= 18 ? 8 : 16;
}

/**
 * The declared width that a string of `length` bytes or characters needs when a schemaless write creates or widens
 * its column: the smallest power of two greater than the length, from 1024 on the length itself.
 */
export function schemalessWidth(length: number): number {
  if (length >= 1024) return length;
  let width = 1;
  while (width <= length) width *= 2;
  return width;
}

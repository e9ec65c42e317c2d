import type { DataType, Precision, TypeName } from './schema.js';

/** Numbers of the types as clients of binding and of raw blocks know them. */
const typeNumbers: Readonly<Record<TypeName, number>> = {
  BOOL: 1,
  TINYINT: 2,
  SMALLINT: 3,
  INT: 4,
  BIGINT: 5,
  FLOAT: 6,
  DOUBLE: 7,
  VARCHAR: 8,
  TIMESTAMP: 9,
  NCHAR: 10,
  'TINYINT UNSIGNED': 11,
  'SMALLINT UNSIGNED': 12,
  'INT UNSIGNED': 13,
  'BIGINT UNSIGNED': 14,
  JSON: 15,
  VARBINARY: 16,
  DECIMAL: 17,
  BLOB: 18,
  GEOMETRY: 20,
};

const shortDecimal = 21;
/** Digits of a decimal that takes 8 bytes. */
const shortDigits = 18;

/** The number of a type. */
export function typeNumber({ name, length }: DataType): number {
  return name === 'DECIMAL' && length <= shortDigits ? shortDecimal : typeNumbers[name];
}

const fixedWidths: Partial<Record<TypeName, number>> = {
  BOOL: 1,
  TINYINT: 1,
  SMALLINT: 2,
  INT: 4,
  BIGINT: 8,
  FLOAT: 4,
  DOUBLE: 8,
  TIMESTAMP: 8,
  'TINYINT UNSIGNED': 1,
  'SMALLINT UNSIGNED': 2,
  'INT UNSIGNED': 4,
  'BIGINT UNSIGNED': 8,
};

const widthsByNumber: ReadonlyMap<number, number> = new Map(
  Object.entries(fixedWidths).map(([name, width]) => [typeNumbers[name as TypeName], width]),
);

/** Bytes of a value of fixed width by the number of its type; 0 for types whose values vary in length. */
export function boundWidth(number: number): number {
  return widthsByNumber.get(number) ?? 0;
}

const names: ReadonlyMap<number, TypeName> = new Map(
  Object.entries(typeNumbers).map(([name, number]) => [number, name as TypeName]),
);

/** The name of a type by its number; undefined for a number that no type has. */
export function typeOfNumber(number: number): TypeName | undefined {
  return number === shortDecimal ? 'DECIMAL' : names.get(number);
}

/** Bytes of a raw value of a type: 0 for those of varying length. */
export function rawWidth({ name, length }: DataType): number {
  if (name === 'DECIMAL') return length <= shortDigits ? 8 : 16;
  return fixedWidths[name] ?? 0;
}

/**
 * Values that a client has bound to one parameter, a row each. `nulls` has one byte per row, 1 is NULL. `values` has
 * the values of all rows of a type of fixed width, in little-endian order, NULL rows included, and nothing where every
 * row is NULL; otherwise the bytes of the values one behind the other, `lengths` long each. Texts are UTF-8; a decimal
 * is its text.
 */
export interface BoundColumn {
  /** See {@link typeNumbers}. */
  readonly type: number;
  readonly rows: number;
  readonly nulls: Uint8Array;
  readonly lengths: Int32Array | undefined;
  readonly values: Uint8Array;
}

/** Values that are bound for one table: its name and tags where the statement has parameters for them, and its rows. */
export interface BoundTable {
  readonly name: string | undefined;
  readonly tags: readonly BoundColumn[];
  readonly columns: readonly BoundColumn[];
}

/** What a parameter of a prepared INSERT stands for. */
export interface BindField {
  readonly name: string;
  readonly type: DataType;
  /** Unit of its times. */
  readonly precision: Precision;
  readonly bind: 'column' | 'tag' | 'table';
}

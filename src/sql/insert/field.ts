import type { ColumnBuilder } from '../../model/column-block.js';
import { type ColumnDef, integerRanges, type TypeName } from '../../model/schema.js';

/** Kind of a position in a VALUES row, which says how its text becomes a value: one small integer to switch on. */
export const FieldKind = {
  time: 0,
  tableName: 1,
  tag: 2,
  bool: 3,
  int8: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  float: 8,
  double: 9,
  timestamp: 10,
  text: 11,
  binary: 12,
  geometry: 13,
  decimal: 14,
  json: 15,
} as const;
export type FieldKind = (typeof FieldKind)[keyof typeof FieldKind];

const kinds: Record<TypeName, FieldKind> = {
  BOOL: FieldKind.bool,
  TINYINT: FieldKind.int8,
  SMALLINT: FieldKind.int16,
  INT: FieldKind.int32,
  BIGINT: FieldKind.int64,
  'TINYINT UNSIGNED': FieldKind.int8,
  'SMALLINT UNSIGNED': FieldKind.int16,
  'INT UNSIGNED': FieldKind.int32,
  'BIGINT UNSIGNED': FieldKind.int64,
  FLOAT: FieldKind.float,
  DOUBLE: FieldKind.double,
  TIMESTAMP: FieldKind.timestamp,
  VARCHAR: FieldKind.text,
  NCHAR: FieldKind.text,
  VARBINARY: FieldKind.binary,
  BLOB: FieldKind.binary,
  GEOMETRY: FieldKind.geometry,
  DECIMAL: FieldKind.decimal,
  JSON: FieldKind.json,
};

/** Kind of the fields of a column or tag type. */
export function fieldKindOf(type: TypeName): FieldKind {
  return kinds[type];
}

/** Decimal digits that a double always holds exactly. */
const exactDigits = 15;
const noBytes = new Uint8Array(0);
const noShorts = new Uint16Array(0);
const noWords = new Uint32Array(0);
const noFloats = new Float32Array(0);
const noDoubles = new Float64Array(0);

/**
 * One position of the rows being scanned. Fields of data columns write through views over their builder's array:
 * integers of one width share a view whatever their sign, since both wrap alike. A row that is not written stays NULL.
 */
export class Field {
  readonly kind: FieldKind;
  readonly column: ColumnDef | undefined;
  /** Smallest and largest value of integers, and of what a DECIMAL up to 15 digits counts in its last place. */
  readonly min: number;
  readonly max: number;
  readonly signed: boolean;
  readonly builder: ColumnBuilder | undefined;
  nulls: Uint8Array = noBytes;
  bytes: Uint8Array = noBytes;
  shorts: Uint16Array = noShorts;
  words: Uint32Array = noWords;
  floats: Float32Array = noFloats;
  doubles: Float64Array = noDoubles;

  constructor(kind: FieldKind, column?: ColumnDef, builder?: ColumnBuilder) {
    this.kind = kind;
    this.column = column;
    this.builder = builder;
    const limits = column === undefined ? undefined : integerRanges[column.type.name];
    const decimalMax = column?.type.name === 'DECIMAL' ? 10 ** Math.min(column.type.length, exactDigits) - 1 : 0;
    this.min = limits === undefined ? -decimalMax : Number(limits.min);
    this.max = limits === undefined ? decimalMax : Number(limits.max);
    this.signed = this.min < 0;
    this.#takeViews();
  }

  /** Makes room for row `row`. */
  reserve(row: number): void {
    this.builder?.reserve(row);
    this.#takeViews();
  }

  /** Says that a fixed-width value was written for this row. */
  wrote(row: number): void {
    this.nulls[row] = 0;
    if (this.builder !== undefined) this.builder.filled++;
  }

  #takeViews(): void {
    if (this.builder === undefined) return;
    this.nulls = this.builder.nulls;
    const values = this.builder.values;
    if (values === undefined) return;
    const { buffer, byteOffset, byteLength } = values;
    if (values instanceof Float32Array) this.floats = values;
    else if (values instanceof Float64Array) this.doubles = values;
    else if (values.BYTES_PER_ELEMENT === 1) this.bytes = new Uint8Array(buffer, byteOffset, byteLength);
    else if (values.BYTES_PER_ELEMENT === 2) this.shorts = new Uint16Array(buffer, byteOffset, byteLength / 2);
    else this.words = new Uint32Array(buffer, byteOffset, byteLength / 4);
  }
}

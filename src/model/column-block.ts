import type { DataType, SubTable, TableDef, TypeName } from './schema.js';
import { isVariable } from './schema.js';
import type { SentMetric } from './sent-name.js';

/** Typed arrays that hold fixed-width values, little-endian as the engine reads them. */
export type FixedValues =
  | Uint8Array
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/**
 * One column of a block. `nulls` has one byte a row, 1 is NULL (the engine's own null map, so that encoding is a copy).
 * Fixed-width types hold `values` (BOOL as 0 or 1, TIMESTAMP as ticks, DECIMAL up to 18 digits as a scaled BigInt64,
 * wider DECIMAL as two BigUint64 a row, low half first). Variable types hold `pool`: for every row, NULL rows included,
 * a base-128 length and then the bytes.
 */
export interface Column {
  readonly name: string;
  /** See `ColumnDef`; only for columns that a table is to get. */
  readonly sentAs?: string | undefined;
  readonly type: DataType;
  readonly nulls: Uint8Array;
  readonly values: FixedValues | undefined;
  readonly pool: Uint8Array | undefined;
  /** True when no row is NULL. */
  readonly full: boolean;
}

/** Meaning of a NULL in a block for a row that is stored already: keep the old value, or overwrite it. */
export type NullMeaning = 'keep' | 'overwrite';

/** Form of a table that arriving rows make or grow. */
export interface TableStyle {
  readonly timeColumn: string;
  /** Tags are NCHAR, one by one and added as they come, or they are the members of the one JSON tag. */
  readonly tagType: 'NCHAR' | 'JSON';
  /** Meaning of columns that the rows leave empty. */
  readonly nullMeaning: NullMeaning;
}

/** The tables of schemaless writes. */
export const schemalessStyle: TableStyle = { timeColumn: '_ts', tagType: 'NCHAR', nullMeaning: 'keep' };

/**
 * Rows of one table. Columns of the table that the block does not name are omitted: a row already stored under the same
 * (sub-table, time) keeps them. `ids` and `times` have one entry a row; times are ticks of the database's precision.
 */
export interface ColumnBlock {
  readonly kind: 'columns';
  readonly database: string;
  readonly table: string;
  readonly rows: number;
  readonly ids: BigUint64Array;
  readonly times: BigInt64Array;
  readonly columns: readonly Column[];
  readonly nullMeaning: NullMeaning;
  /** Set when the table may be created or altered to hold the rows; rows of statements need a table that fits. */
  readonly style: TableStyle | undefined;
  /** See `TableDef`. */
  readonly sentAs?: SentMetric | undefined;
  /** Sub-tables not known to be registered, each once; the sink registers them before it writes. */
  readonly newSubTables: readonly SubTable[];
  /** The definition that was found to have every column and tag of the block, so that it is not compared again. */
  coveredBy?: TableDef | undefined;
}

/** Bytes that the arrays of a block hold. */
export function arrayBytes({ ids, times, columns }: ColumnBlock): number {
  let bytes = ids.byteLength + times.byteLength;
  for (const { nulls, values, pool } of columns) {
    bytes += nulls.byteLength + (values?.byteLength ?? 0) + (pool?.byteLength ?? 0);
  }
  return bytes;
}

/**
 * The name of a table among those of all databases. Names may hold any character, so the length of the first one says
 * where the second begins.
 */
export function tableKey({ database, table }: { readonly database: string; readonly table: string }): string {
  return `${database.length}:${database}${table}`;
}

const initialRows = 8;

/** Short arrays lie side by side in buffers of this size: a buffer for each costs more than what it holds. */
const slabBytes = 64 * 1024;
const shortBytes = 256;
const noBytes = new Uint8Array(0);
let slab = noBytes.buffer;
let slabUsed = 0;

type FixedConstructor<T extends FixedValues = FixedValues> = {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): T;
  new (buffer: ArrayBuffer, offset: number, length: number): T;
};

/** An array of zeros. */
function zeros<T extends FixedValues>(Values: FixedConstructor<T>, length: number): T {
  const bytes = length * Values.BYTES_PER_ELEMENT;
  if (bytes > shortBytes) return new Values(length);
  if (slabUsed + bytes > slab.byteLength) {
    slab = new ArrayBuffer(slabBytes);
    slabUsed = 0;
  }
  const offset = slabUsed;
  // The next one may be of 64-bit values.
  slabUsed += (bytes + 7) & ~7;
  return new Values(slab, offset, length);
}

/** Arrays of the values of fixed width, except DECIMAL. */
export const fixedArrays: Partial<Record<TypeName, FixedConstructor>> = {
  BOOL: Uint8Array,
  TINYINT: Int8Array,
  SMALLINT: Int16Array,
  INT: Int32Array,
  BIGINT: BigInt64Array,
  TIMESTAMP: BigInt64Array,
  'TINYINT UNSIGNED': Uint8Array,
  'SMALLINT UNSIGNED': Uint16Array,
  'INT UNSIGNED': Uint32Array,
  'BIGINT UNSIGNED': BigUint64Array,
  FLOAT: Float32Array,
  DOUBLE: Float64Array,
};

/** How many array elements one row takes: 2 for a DECIMAL of more than 18 digits, otherwise 1. */
export function elementsPerRow(type: DataType): number {
  return type.name === 'DECIMAL' && type.length > 18 ? 2 : 1;
}

/** Values of fixed width for so many rows, all 0. */
export function newValues(type: DataType, rows: number): FixedValues {
  if (type.name === 'DECIMAL') return type.length > 18 ? zeros(BigUint64Array, rows * 2) : zeros(BigInt64Array, rows);
  const make = fixedArrays[type.name];
  if (make === undefined) throw new Error(`No fixed-width array for type ${type.name}.`);
  return zeros(make, rows);
}

function grown<T extends FixedValues>(old: T, make: (length: number) => T, length: number): T {
  const next = make(length);
  new Uint8Array(next.buffer, next.byteOffset, next.byteLength).set(
    new Uint8Array(old.buffer, old.byteOffset, old.byteLength),
  );
  return next;
}

/**
 * Builds one column row by row. The owner calls {@link ColumnBuilder.reserve} before it writes a row, then either
 * writes `values[row]` (or the `low`/`high` words of a 64-bit value) and `nulls[row] = 0`, or calls {@link
 * ColumnBuilder.putBytes}. Rows never written stay NULL.
 */
export class ColumnBuilder {
  readonly name: string;
  readonly sentAs: string | undefined;
  readonly type: DataType;
  readonly variable: boolean;
  nulls: Uint8Array;
  values: FixedValues | undefined;
  /** 32-bit view over 64-bit values, doubles included: low word at 2 * row, high word at 2 * row + 1. */
  words: Uint32Array | undefined;
  /** Length-prefixed bytes of variable types, `poolLength` of them used, for rows before `poolRows`. */
  pool: Uint8Array;
  poolLength = 0;
  poolRows = 0;
  /** Longest value so far, in bytes; what schema growth looks at. */
  maxBytes = 0;
  /** Rows that hold a value. */
  filled = 0;
  #capacity: number;

  constructor(name: string, type: DataType, capacity = initialRows, sentAs?: string) {
    this.name = name;
    this.sentAs = sentAs;
    this.type = type;
    this.variable = isVariable(type.name);
    this.#capacity = capacity;
    this.nulls = zeros(Uint8Array, capacity).fill(1);
    this.values = this.variable ? undefined : newValues(type, capacity);
    this.words = wordsOf(this.values);
    this.pool = this.variable ? new Uint8Array(capacity * 8) : noBytes;
  }

  /** Makes room for row `row`. */
  reserve(row: number): void {
    if (row >= this.#capacity) this.#grow(row);
  }

  /**
   * Apart from {@link ColumnBuilder.reserve}: a function that makes closures allocates for them each time it is
   * entered.
   */
  #grow(row: number): void {
    const old = this.#capacity;
    const capacity = Math.max(old * 2, row + 1);
    this.#capacity = capacity;
    const nulls = new Uint8Array(capacity).fill(1, old);
    nulls.set(this.nulls);
    this.nulls = nulls;
    if (this.values !== undefined) {
      this.values = grown(
        this.values,
        (length) => newValues(this.type, length / elementsPerRow(this.type)),
        capacity * elementsPerRow(this.type),
      );
      this.words = wordsOf(this.values);
    }
  }

  /** Sets the bytes of a variable value. Rows must come in rising order; rows left out become NULL. */
  putBytes(row: number, bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.#beginEntry(row, length);
    // A short copy loop beats `set` with a subarray, which allocates a view for each value.
    const pool = this.pool;
    let at = this.poolLength;
    if (length > 64) {
      pool.set(bytes.subarray(start, end), at);
      at += length;
    } else {
      for (let i = start; i < end; i++) pool[at++] = bytes[i]!;
    }
    this.poolLength = at;
  }

  /** Sets a text as the value of a variable type. Rows must come in rising order. */
  putText(row: number, text: string): void {
    const bytes = Buffer.from(text);
    this.reserve(row);
    this.putBytes(row, bytes, 0, bytes.length);
  }

  /** Sets the value of a fixed-width type that takes one array element, from a number or its text. */
  putNumber(row: number, value: number | bigint | string): void {
    this.reserve(row);
    const values = this.values!;
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) values[row] = BigInt(value);
    else values[row] = Number(value);
    this.nulls[row] = 0;
    this.filled++;
  }

  /** The finished column of `rows` rows. The builder must not be used afterwards. */
  finish(rows: number): Column {
    this.reserve(Math.max(0, rows - 1));
    if (this.variable) this.#padTo(rows);
    return {
      name: this.name,
      sentAs: this.sentAs,
      type: this.type,
      nulls: this.nulls.subarray(0, rows),
      values: this.values?.subarray(0, rows * elementsPerRow(this.type)),
      pool: this.variable ? this.pool.subarray(0, this.poolLength) : undefined,
      full: this.filled === rows,
    };
  }

  #beginEntry(row: number, length: number): void {
    this.#padTo(row);
    this.#reservePool(length + 5);
    if (length > this.maxBytes) this.maxBytes = length;
    let rest = length;
    while (rest >= 0x80) {
      this.pool[this.poolLength++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.pool[this.poolLength++] = rest;
    this.poolRows = row + 1;
    this.nulls[row] = 0;
    this.filled++;
  }

  #padTo(row: number): void {
    const gap = row - this.poolRows;
    if (gap <= 0) return;
    this.#reservePool(gap);
    this.pool.fill(0, this.poolLength, this.poolLength + gap);
    this.poolLength += gap;
    this.poolRows = row;
  }

  #reservePool(more: number): void {
    const need = this.poolLength + more;
    if (need <= this.pool.length) return;
    const pool = new Uint8Array(Math.max(need, this.pool.length * 2));
    pool.set(this.pool.subarray(0, this.poolLength));
    this.pool = pool;
  }
}

function wordsOf(values: FixedValues | undefined): Uint32Array | undefined {
  return values instanceof BigInt64Array || values instanceof BigUint64Array || values instanceof Float64Array
    ? wordsOver(values)
    : undefined;
}

function wordsOver({ buffer, byteOffset, length }: BigInt64Array | BigUint64Array | Float64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length * 2);
}

/**
 * Builds a {@link ColumnBlock} of one table row by row: reserve a row, fill its columns, then count it with `rows++`.
 */
export class BlockBuilder {
  readonly database: string;
  readonly table: string;
  readonly nullMeaning: NullMeaning;
  readonly style: TableStyle | undefined;
  readonly columns: ColumnBuilder[] = [];
  readonly newSubTables: SubTable[] = [];
  rows = 0;
  #ids: BigUint64Array;
  #times: BigInt64Array;
  /** Low and high words of the row ids and times, as in {@link ColumnBuilder.words}. */
  idWords: Uint32Array;
  timeWords: Uint32Array;

  /** `meaning` is a style for rows that make or grow their table; `expectedRows` only saves growing. */
  constructor(database: string, table: string, meaning: NullMeaning | TableStyle, expectedRows = initialRows) {
    const capacity = Math.max(initialRows, expectedRows);
    this.database = database;
    this.table = table;
    this.style = typeof meaning === 'string' ? undefined : meaning;
    this.nullMeaning = typeof meaning === 'string' ? meaning : meaning.nullMeaning;
    this.#ids = zeros(BigUint64Array, capacity);
    this.#times = zeros(BigInt64Array, capacity);
    this.idWords = wordsOver(this.#ids);
    this.timeWords = wordsOver(this.#times);
  }

  /** Makes room for the next row's id and time, and for as many as there are expected to be in all. */
  reserve(expectedRows = 0): void {
    if (this.rows >= this.#ids.length) this.growTo(Math.max(this.rows + 1, expectedRows));
  }

  /** Makes room for so many rows in all. */
  growTo(rows: number): void {
    if (rows <= this.#ids.length) return;
    const length = Math.max(this.#ids.length * 2, rows);
    this.#ids = grown(this.#ids, (n) => new BigUint64Array(n), length);
    this.#times = grown(this.#times, (n) => new BigInt64Array(n), length);
    this.idWords = wordsOver(this.#ids);
    this.timeWords = wordsOver(this.#times);
  }

  /** Sets id and time of the next row from BigInts; hot parsers write the words instead. */
  setKey(id: bigint, time: bigint): void {
    this.reserve();
    this.#ids[this.rows] = id;
    this.#times[this.rows] = time;
  }

  /** Adds a column and returns its builder; `sentAs` is that of `ColumnDef`. */
  addColumn(name: string, type: DataType, sentAs?: string): ColumnBuilder {
    const column = new ColumnBuilder(name, type, Math.max(initialRows, this.#ids.length), sentAs);
    this.columns.push(column);
    return column;
  }

  /**
   * The finished block. Columns without any value are left out of blocks whose NULLs keep. `sentAs` is that of the
   * block.
   */
  finish(sentAs?: SentMetric): ColumnBlock {
    const kept = this.nullMeaning === 'keep' ? this.columns.filter((c) => c.filled > 0) : this.columns;
    return {
      kind: 'columns',
      database: this.database,
      table: this.table,
      rows: this.rows,
      ids: this.#ids.subarray(0, this.rows),
      times: this.#times.subarray(0, this.rows),
      columns: kept.map((c) => c.finish(this.rows)),
      nullMeaning: this.nullMeaning,
      style: this.style,
      sentAs,
      newSubTables: this.newSubTables,
      coveredBy: undefined,
    };
  }
}

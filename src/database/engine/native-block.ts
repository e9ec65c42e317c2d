import { putVarint, varintLength } from '../../bytes/varint.js';
import type { Column, ColumnBlock, FixedValues } from '../../model/column-block.js';
import type { DataType } from '../../model/schema.js';
import { isVariable } from '../../model/schema.js';
import { quoteIdentifier } from '../../sql/engine/quote.js';
import { engineType } from '../../sql/engine/storage.js';
import type { Insert } from './request.js';

/** A column as the engine stores it: its name there and the dialect type it holds. */
export interface EngineColumn {
  readonly physical: string;
  /** Name in the dialect, by which a block's column is found. */
  readonly name: string;
  readonly type: DataType;
}

/** Bytes that one value takes in the engine; DECIMAL of up to 9 digits is stored in 4, unlike in a block. */
export function engineWidth(type: DataType): number {
  switch (engineType(type)) {
    case 'Bool':
    case 'Int8':
    case 'UInt8':
      return 1;
    case 'Int16':
    case 'UInt16':
      return 2;
    case 'Int32':
    case 'UInt32':
    case 'Float32':
      return 4;
    default:
      if (type.name !== 'DECIMAL') return 8;
      return type.length <= 9 ? 4 : type.length <= 18 ? 8 : 16;
  }
}

const text = new TextEncoder();

/** From this length on bytes are passed on without a copy; shorter ones are copied into one buffer. */
const ownPieceBytes = 2_048;
const chunkBytes = 65_536;
/** Null maps and values of columns that a block does not hold. */
const filled = [Buffer.alloc(chunkBytes, 0), Buffer.alloc(chunkBytes, 1)] as const;

/** Collects the pieces of a block of rows, without copying the long ones. */
class Writer {
  readonly pieces: Uint8Array[] = [];
  #chunk = Buffer.alloc(0);
  #from = 0;
  #at = 0;
  varint(value: number): void {
    this.#room(varintLength(value));
    this.#at = putVarint(this.#chunk, this.#at, value);
  }
  string(value: Uint8Array): void {
    this.varint(value.length);
    this.bytes(value);
  }
  /** Bytes that must not change until the rows are written. */
  bytes(source: Uint8Array): void {
    if (source.length >= ownPieceBytes) {
      this.#cut();
      this.pieces.push(source);
      return;
    }
    this.#room(source.length);
    this.#chunk.set(source, this.#at);
    this.#at += source.length;
  }
  fill(value: 0 | 1, length: number): void {
    for (let left = length; left > 0; left -= chunkBytes)
      this.bytes(filled[value].subarray(0, Math.min(left, chunkBytes)));
  }
  /** A value, some times over. */
  repeat(value: FixedValues, count: number): void {
    this.bytes(Buffer.allocUnsafe(value.byteLength * count).fill(bytesOf(value)));
  }
  header({ name, type }: Header): void {
    this.string(name);
    this.string(type);
  }
  end(): readonly Uint8Array[] {
    this.#cut();
    return this.pieces;
  }
  #room(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return;
    this.#cut();
    this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
    this.#from = 0;
    this.#at = 0;
  }
  #cut(): void {
    if (this.#at > this.#from) this.pieces.push(this.#chunk.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }
}

interface Header {
  readonly name: Uint8Array;
  readonly type: Uint8Array;
}

function header(name: string, type: string): Header {
  return { name: text.encode(name), type: text.encode(type) };
}

/** The bytes of a typed array, in place. */
export function bytesOf(values: FixedValues): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

const numberHeader = header('t', 'UInt32');
const idHeader = header('id', 'UInt64');
const timeHeader = header('ts', 'Int64');
const receiptHeader = header('received', 'UInt64');

/** Rows of one table in a batch of several; `number` where the tables share their storage by numbers. */
export interface TableRows {
  readonly number?: number | undefined;
  readonly columns: readonly EngineColumn[];
  readonly blocks: readonly ColumnBlock[];
  /**
   * Time of receipt of the rows of each block, in Unix nanoseconds, where the engine needs it; see {@link
   * Engine.ordersByReceipt}.
   */
  readonly receivedNanos?: readonly bigint[] | undefined;
}

/**
 * The INSERT that writes these rows as {@link encodeTables} has them; where `where`, engine SQL, does not hold it
 * inserts nothing.
 */
export function insertOf(
  storage: string,
  tables: readonly TableRows[],
  { where, ...clauses }: Pick<Insert, 'settings' | 'token'> & { readonly where?: string | undefined } = {},
): Insert {
  const columns = [...structureOf(storedColumns(tables), isNumbered(tables))];
  if (hasReceipts(tables)) columns.push(['received', 'UInt64']);
  return {
    table: storage,
    columns: columns.map(([name]) => name).join(', '),
    format: 'Native',
    ...clauses,
    ...(where === undefined ? {} : { through: { structure: structureText(columns), where } }),
  };
}

/** Name and type of a column in engine SQL. */
type NamedType = readonly [name: string, type: string];

/** The columns of what {@link encodeTables} makes of rows with these columns. */
export function structureOf(columns: readonly EngineColumn[], numbered = false): readonly NamedType[] {
  const stored = columns.map(({ physical, type }): NamedType => [quoteIdentifier(physical), nullable(type)]);
  return [...(numbered ? [['t', 'UInt32'] as const] : []), ['id', 'UInt64'], ['ts', 'Int64'], ...stored];
}

/** The same as the engine's functions of tables take it. */
export function structureText(structure: readonly NamedType[]): string {
  return structure.map((column) => column.join(' ')).join(', ');
}

function nullable(type: DataType): string {
  return `Nullable(${engineType(type)})`;
}

function isNumbered(tables: readonly TableRows[]): boolean {
  return tables[0]?.number !== undefined;
}

function hasReceipts(tables: readonly TableRows[]): boolean {
  return tables[0]?.receivedNanos !== undefined;
}

/** The columns of all tables, each once: one physical name has one engine type everywhere. */
function storedColumns(tables: readonly TableRows[]): readonly EngineColumn[] {
  if (tables.length === 1) return tables[0]!.columns;
  const byName = new Map<string, EngineColumn>();
  for (const { columns } of tables) {
    for (const column of columns) if (!byName.has(column.physical)) byName.set(column.physical, column);
  }
  return [...byName.values()];
}

/**
 * Encodes rows of tables that share their storage as one block of the engine's Native format: column count, row count,
 * then by column name, type, null map and raw little-endian values; strings are length-prefixed. A column that a block
 * does not hold is NULL in that block's rows. Long pieces of it are the memory of the rows themselves.
 */
export function encodeTables(tables: readonly TableRows[]): readonly Uint8Array[] {
  const numbered = isNumbered(tables);
  const blocks = tables.length === 1 ? tables[0]!.blocks : tables.flatMap((table) => table.blocks);
  let rows = 0;
  for (const block of blocks) rows += block.rows;
  const columns = storedColumns(tables);
  const receipts = hasReceipts(tables) ? tables.flatMap(({ receivedNanos = [] }) => receivedNanos) : undefined;
  const out = new Writer();
  out.varint(columns.length + 2 + Number(numbered) + Number(receipts !== undefined));
  out.varint(rows);
  if (numbered) {
    out.header(numberHeader);
    for (const table of tables) out.repeat(Uint32Array.of(table.number ?? 0), rowsOf(table));
  }
  out.header(idHeader);
  for (const block of blocks) out.bytes(bytesOf(block.ids));
  out.header(timeHeader);
  for (const block of blocks) out.bytes(bytesOf(block.times));
  for (const { physical, type } of columns) {
    const cells = tables.flatMap((table) => cellsOf(table, physical));
    out.header(header(physical, nullable(type)));
    for (const [b, block] of blocks.entries()) {
      const source = cells[b];
      if (source === undefined) out.fill(1, block.rows);
      else out.bytes(source.nulls);
    }
    for (const [b, block] of blocks.entries()) writeValues(out, cells[b], type, block.rows);
  }
  if (receipts !== undefined) {
    out.header(receiptHeader);
    for (const [b, block] of blocks.entries()) out.repeat(BigUint64Array.of(receipts[b] ?? 0n), block.rows);
  }
  return out.end();
}

/** The column of each block of a table. */
function cellsOf({ columns, blocks }: TableRows, physical: string): (Column | undefined)[] {
  const name = columns.find((column) => column.physical === physical)?.name;
  return blocks.map((block) => (name === undefined ? undefined : block.columns.find((c) => c.name === name)));
}

function rowsOf({ blocks }: TableRows): number {
  return blocks.reduce((sum, block) => sum + block.rows, 0);
}

function writeValues(out: Writer, source: Column | undefined, type: DataType, rows: number): void {
  if (source?.pool !== undefined) {
    out.bytes(source.pool);
  } else if (source?.values === undefined) {
    out.fill(0, isVariable(type.name) ? rows : rows * engineWidth(type));
  } else if (type.name === 'DECIMAL' && type.length <= 9) {
    // The engine keeps short decimals in 32 bits: the low word of each value.
    const words = new Int32Array(source.values.buffer, source.values.byteOffset, rows * 2);
    out.bytes(bytesOf(Int32Array.from({ length: rows }, (_, row) => words[row * 2]!)));
  } else {
    out.bytes(bytesOf(source.values));
  }
}

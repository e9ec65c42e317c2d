import type { Column, ColumnBlock, FixedValues } from '../model/column-block.js';
import type { DataType } from '../model/schema.js';
import { isVariable } from '../model/schema.js';
import { engineType } from '../sql/plan/storage.js';
import { quoteIdentifier } from '../sql/print/quote.js';

/** A column as the engine stores it: its name there and the dialect type it holds. */
export interface EngineColumn {
  readonly physical: string;
  /** Name in the dialect, by which a block's column is found. */
  readonly name: string;
  readonly type: DataType;
}

/** Bytes one value takes in the engine; DECIMAL of up to 9 digits is stored in 4, unlike in a block. */
function engineWidth(type: DataType): number {
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

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes into one buffer of known size. */
class Writer {
  readonly bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }
  string(value: Uint8Array): void {
    this.varint(value.length);
    this.copy(value);
  }
  copy(source: Uint8Array): void {
    this.bytes.set(source, this.at);
    this.at += source.length;
  }
  fill(value: number, length: number): void {
    this.bytes.fill(value, this.at, this.at + length);
    this.at += length;
  }
  /** A 32-bit value, some times over. */
  repeat(value: number, count: number): void {
    for (let i = 0; i < count; i++) this.at = this.bytes.writeUInt32LE(value, this.at);
  }
  header({ name, type }: Header): void {
    this.string(name);
    this.string(type);
  }
}

interface Header {
  readonly name: Uint8Array;
  readonly type: Uint8Array;
}

function header(name: string, type: string): Header {
  return { name: text.encode(name), type: text.encode(type) };
}

function headerLength({ name, type }: Header): number {
  return varintLength(name.length) + name.length + varintLength(type.length) + type.length;
}

function bytesOf(values: FixedValues): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

const numberHeader = header('t', 'UInt32');
const idHeader = header('id', 'UInt64');
const timeHeader = header('ts', 'Int64');

/** Rows of one table that are written together with others'; `number` where the tables share their storage by numbers. */
export interface TableRows {
  readonly number?: number | undefined;
  readonly columns: readonly EngineColumn[];
  readonly blocks: readonly ColumnBlock[];
}

/** The columns of an INSERT that writes these rows, in the order in which {@link encodeTables} has them. */
export function insertedColumns(tables: readonly TableRows[]): string[] {
  return [
    ...(isNumbered(tables) ? ['t'] : []),
    'id',
    'ts',
    ...storedColumns(tables).map(({ physical }) => quoteIdentifier(physical)),
  ];
}

function isNumbered(tables: readonly TableRows[]): boolean {
  return tables[0]?.number !== undefined;
}

/** The columns of all tables, each once: one physical name has one engine type everywhere. */
function storedColumns(tables: readonly TableRows[]): readonly EngineColumn[] {
  if (tables.length === 1) return tables[0]!.columns;
  const found = new Map<string, EngineColumn>();
  for (const { columns } of tables) {
    for (const column of columns) if (!found.has(column.physical)) found.set(column.physical, column);
  }
  return [...found.values()];
}

/** {@link encodeTables} for the blocks of one table that has its storage for itself. */
export function encodeNative(
  blocks: readonly ColumnBlock[],
  columns: readonly EngineColumn[],
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  return encodeTables([{ columns, blocks }], allocate);
}

/**
 * Encodes rows of tables that share their storage as one block of the engine's Native format: column count, row count, then
 * by column name, type, null map and raw little-endian values; strings are length-prefixed. A column that a block does not
 * hold is NULL in that block's rows. `allocate` gives the buffer, which may be longer than asked for.
 */
export function encodeTables(
  tables: readonly TableRows[],
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const numbered = isNumbered(tables);
  const blocks = tables.length === 1 ? tables[0]!.blocks : tables.flatMap((table) => table.blocks);
  let rows = 0;
  for (const block of blocks) rows += block.rows;
  const columns = storedColumns(tables);
  const headers = columns.map((column) => header(column.physical, `Nullable(${engineType(column.type)})`));
  const found = columns.map(({ physical }) => tables.flatMap((table) => cellsOf(table, physical)));
  const keys = numbered ? 3 : 2;
  let size = varintLength(columns.length + keys) + varintLength(rows);
  size += headerLength(idHeader) + headerLength(timeHeader) + rows * 16;
  if (numbered) size += headerLength(numberHeader) + rows * 4;
  for (const [i, column] of columns.entries()) {
    size += headerLength(headers[i]!) + rows;
    if (!isVariable(column.type.name)) size += rows * engineWidth(column.type);
    else for (const [b, block] of blocks.entries()) size += found[i]![b]?.pool?.length ?? block.rows;
  }
  const out = new Writer(allocate(size));
  out.varint(columns.length + keys);
  out.varint(rows);
  if (numbered) {
    out.header(numberHeader);
    for (const table of tables) out.repeat(table.number ?? 0, rowsOf(table));
  }
  out.header(idHeader);
  for (const block of blocks) out.copy(bytesOf(block.ids));
  out.header(timeHeader);
  for (const block of blocks) out.copy(bytesOf(block.times));
  for (const [i, column] of columns.entries()) {
    out.header(headers[i]!);
    for (const [b, block] of blocks.entries()) {
      const source = found[i]![b];
      if (source === undefined) out.fill(1, block.rows);
      else out.copy(source.nulls);
    }
    for (const [b, block] of blocks.entries()) writeValues(out, found[i]![b], column.type, block.rows);
  }
  return out.bytes.subarray(0, out.at);
}

/** What each block of a table holds of a column. */
function cellsOf({ columns, blocks }: TableRows, physical: string): (Column | undefined)[] {
  const name = columns.find((column) => column.physical === physical)?.name;
  return blocks.map((block) => (name === undefined ? undefined : block.columns.find((c) => c.name === name)));
}

function rowsOf({ blocks }: TableRows): number {
  return blocks.reduce((sum, block) => sum + block.rows, 0);
}

function writeValues(out: Writer, source: Column | undefined, type: DataType, rows: number): void {
  if (source?.pool !== undefined) {
    out.copy(source.pool);
  } else if (source?.values === undefined) {
    out.fill(0, isVariable(type.name) ? rows : rows * engineWidth(type));
  } else if (type.name === 'DECIMAL' && type.length <= 9) {
    // The engine keeps short decimals in 32 bits: the low word of each value.
    const words = new Int32Array(source.values.buffer, source.values.byteOffset, rows * 2);
    for (let row = 0; row < rows; row++) out.at = out.bytes.writeInt32LE(words[row * 2]!, out.at);
  } else {
    out.copy(bytesOf(source.values));
  }
}

/** Rows read back from the engine: ids, times, and the columns asked for, in that order. */
export interface StoredRows {
  readonly rows: number;
  readonly ids: BigUint64Array;
  readonly times: BigInt64Array;
  readonly columns: readonly Column[];
}

/** Thrown when the bytes do not hold what was asked for; a programming mistake or a broken stream. */
class NativeFormatError extends Error {}

/** The bytes end within a block. */
class UnexpectedEnd extends NativeFormatError {
  constructor() {
    super('Native block ends early.');
  }
}

/**
 * Decodes Native blocks whose columns are `id`, `ts` and then `columns` in order, each Nullable except the first two.
 * The blocks of a stream are joined.
 */
export function decodeNative(bytes: Buffer, columns: readonly EngineColumn[]): StoredRows {
  const parts: StoredRows[] = [];
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) parts.push(readBlock(reader, columns));
  return joinRows(parts, columns);
}

/**
 * Decodes a stream of Native blocks, which may be cut anywhere, block by block; see {@link decodeNative}. No more than two
 * blocks and one piece of the stream are held.
 */
export async function* decodeNativeStream(
  pieces: AsyncIterable<Uint8Array>,
  columns: readonly EngineColumn[],
): AsyncGenerator<StoredRows, void, void> {
  let held = Buffer.alloc(0);
  // What did not hold a whole block is looked at again only when it has doubled, so that long blocks stay cheap.
  let enough = 1;
  for await (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    while (held.length >= enough) {
      const found = firstBlock(held, columns);
      if (found === undefined) {
        enough = held.length * 2;
        break;
      }
      held = held.subarray(found.end);
      enough = 1;
      if (found.rows.rows > 0) yield found.rows;
    }
  }
  const reader = new Reader(held);
  while (reader.at < held.length) {
    const rows = readBlock(reader, columns);
    if (rows.rows > 0) yield rows;
  }
}

function firstBlock(
  bytes: Buffer,
  columns: readonly EngineColumn[],
): { readonly rows: StoredRows; readonly end: number } | undefined {
  const reader = new Reader(bytes);
  try {
    return { rows: readBlock(reader, columns), end: reader.at };
  } catch (error) {
    if (error instanceof UnexpectedEnd) return undefined;
    throw error;
  }
}

class Reader {
  readonly bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new UnexpectedEnd();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }
  skipString(): void {
    const length = this.varint();
    this.at += length;
  }
  /** A copy, so that typed arrays over it are aligned. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (this.at + length > this.bytes.length) throw new UnexpectedEnd();
    const copy = new Uint8Array(length);
    copy.set(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return copy;
  }
}

function readBlock(reader: Reader, columns: readonly EngineColumn[]): StoredRows {
  const count = reader.varint();
  const rows = reader.varint();
  if (count !== columns.length + 2) throw new NativeFormatError(`Native block has ${count} columns.`);
  const skipHeader = (): void => {
    reader.skipString();
    reader.skipString();
  };
  skipHeader();
  const ids = new BigUint64Array(reader.take(rows * 8).buffer);
  skipHeader();
  const times = new BigInt64Array(reader.take(rows * 8).buffer);
  const read = columns.map((column) => {
    skipHeader();
    const nulls = reader.take(rows);
    const full = !nulls.includes(1);
    if (isVariable(column.type.name)) {
      return { name: column.name, type: column.type, nulls, values: undefined, pool: readPool(reader, rows), full };
    }
    const values = readFixed(reader, column.type, rows);
    return { name: column.name, type: column.type, nulls, values, pool: undefined, full };
  });
  return { rows, ids, times, columns: read };
}

function readPool(reader: Reader, rows: number): Uint8Array {
  const start = reader.at;
  for (let row = 0; row < rows; row++) reader.skipString();
  const end = reader.at;
  reader.at = start;
  return reader.take(end - start);
}

function readFixed(reader: Reader, type: DataType, rows: number): FixedValues {
  const raw = reader.take(rows * engineWidth(type)).buffer;
  switch (engineType(type)) {
    case 'Bool':
    case 'UInt8':
      return new Uint8Array(raw);
    case 'Int8':
      return new Int8Array(raw);
    case 'Int16':
      return new Int16Array(raw);
    case 'UInt16':
      return new Uint16Array(raw);
    case 'Int32':
      return new Int32Array(raw);
    case 'UInt32':
      return new Uint32Array(raw);
    case 'Float32':
      return new Float32Array(raw);
    case 'Float64':
      return new Float64Array(raw);
    case 'UInt64':
      return new BigUint64Array(raw);
    case 'Int64':
      return new BigInt64Array(raw);
    default:
      if (type.length > 18) return new BigUint64Array(raw);
      return type.length > 9 ? new BigInt64Array(raw) : BigInt64Array.from(new Int32Array(raw), BigInt);
  }
}

function joinRows(parts: readonly StoredRows[], columns: readonly EngineColumn[]): StoredRows {
  const first = parts[0];
  if (first !== undefined && parts.length === 1) return first;
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const ids = new BigUint64Array(rows);
  const times = new BigInt64Array(rows);
  let at = 0;
  for (const part of parts) {
    ids.set(part.ids, at);
    times.set(part.times, at);
    at += part.rows;
  }
  const joined = columns.map((column, i) =>
    joinColumns(
      column,
      parts.map((part) => part.columns[i]!),
      rows,
    ),
  );
  return { rows, ids, times, columns: joined };
}

function joinColumns({ name, type }: EngineColumn, parts: readonly Column[], rows: number): Column {
  const nulls = new Uint8Array(concat(parts.map((part) => part.nulls)));
  const full = !nulls.includes(1);
  if (isVariable(type.name)) {
    return { name, type, nulls, values: undefined, pool: new Uint8Array(concat(parts.map((p) => p.pool!))), full };
  }
  const reader = new Reader(Buffer.from(concat(parts.map((part) => bytesOf(part.values!)))));
  const wide: DataType = type.name === 'DECIMAL' && type.length <= 9 ? { ...type, length: 18 } : type;
  return { name, type, nulls, values: readFixed(reader, wide, rows), pool: undefined, full };
}

function concat(parts: readonly Uint8Array[]): ArrayBuffer {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out.buffer;
}

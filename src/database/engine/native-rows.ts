import { type Column, type FixedValues, fixedArrays } from '../../model/column-block.js';
import type { Chunks } from '../../model/exchange.js';
import type { DataType } from '../../model/schema.js';
import { isVariable } from '../../model/schema.js';
import { bytesOf, type EngineColumn, engineWidth } from './native-block.js';

/** Rows that were read from the engine: ids, times, and the requested columns, in that order. */
export interface StoredRows {
  readonly rows: number;
  readonly ids: BigUint64Array;
  readonly times: BigInt64Array;
  readonly columns: readonly Column[];
}

/** Thrown when the bytes do not hold the requested columns: a programming mistake or a broken stream. */
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
 * Decodes a stream of Native blocks, which may be cut anywhere, block by block; see {@link decodeNative}. No more than
 * two blocks and one piece of the stream are buffered.
 */
export async function* decodeNativeStream(
  pieces: Chunks,
  columns: readonly EngineColumn[],
): AsyncGenerator<StoredRows, void, void> {
  let buffered = Buffer.alloc(0);
  let waiting: Uint8Array[] = [];
  let length = 0;
  // Bytes without a whole block are joined and looked at again only when they have doubled, so that long blocks stay
  // cheap.
  let enough = 1;
  const join = (): void => {
    if (waiting.length > 0) buffered = Buffer.concat([buffered, ...waiting], length);
    waiting = [];
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < enough) continue;
    join();
    while (buffered.length >= enough) {
      const block = firstBlock(buffered, columns);
      if (block === undefined) {
        enough = buffered.length * 2;
        break;
      }
      buffered = buffered.subarray(block.end);
      length = buffered.length;
      enough = 1;
      if (block.rows.rows > 0) yield block.rows;
    }
  }
  join();
  const reader = new Reader(buffered);
  while (reader.at < buffered.length) {
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
  const Values = fixedArrays[type.name];
  if (Values !== undefined) return new Values(raw, 0, rows);
  if (type.length > 18) return new BigUint64Array(raw);
  return type.length > 9 ? new BigInt64Array(raw) : BigInt64Array.from(new Int32Array(raw), BigInt);
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

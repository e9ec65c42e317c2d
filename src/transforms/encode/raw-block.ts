import { rawWidth, typeNumber } from '../../model/bound-rows.js';
import type { Chunks, ColumnMeta } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { type DataType, isVariable } from '../../model/schema.js';

/** Digits of a decimal that takes 8 bytes. */
const shortDigits = 18;

/**
 * The width of a column as the header of a block, and a bound field, has it: with the length in front of a value, and
 * decimals with their digits.
 */
export function headerWidth({ name, length, scale = 0 }: DataType): number {
  if (name === 'DECIMAL') return (length <= shortDigits ? 8 : 16) * 2 ** 24 + length * 2 ** 8 + scale;
  if (name === 'NCHAR') return length * 4 + 2;
  if (name === 'BLOB') return length + 4;
  return isVariable(name) ? length + 2 : length;
}

/** A block of rows as clients of WebSocket read it. */
export interface RawBlock {
  readonly rows: number;
  /** `headroom` bytes for the caller, then the block. */
  readonly bytes: Buffer;
}

/** Where a column stands in a block of the engine. */
interface ColumnPlace {
  readonly nulls: number;
  readonly values: number;
  readonly end: number;
}

interface NativeBlock {
  readonly rows: number;
  readonly columns: readonly ColumnPlace[];
  readonly end: number;
}

/** Thrown while a block is not all there; `need` is the least length of the bytes that could hold it. */
class Incomplete extends Error {
  readonly need: number;
  constructor(need: number) {
    super('The block is not complete.');
    this.need = need;
  }
}

/**
 * Turns a result in the form of columns (see {@link SqlAnswer}) into raw blocks, one for each block of the engine, as
 * they are pulled. Every block begins with `headroom` bytes for the caller. Throws a FaultError for a value that is too
 * long for the format.
 */
export async function* rawBlocks(
  chunks: Chunks,
  meta: readonly ColumnMeta[],
  headroom: number,
): AsyncGenerator<RawBlock, void, void> {
  const types = meta.map(({ type }) => type);
  let pieces: Uint8Array[] = [];
  let length = 0;
  let enough = 1;
  for await (const piece of chunks) {
    pieces.push(piece);
    length += piece.length;
    while (length >= enough) {
      const bytes = joined(pieces, length);
      pieces = [bytes];
      const block = blockAt(bytes, types);
      if (block instanceof Incomplete) {
        // A column of texts is looked through again each time, so the bytes must have grown.
        enough = Math.max(block.need, length + Math.floor(length / 4));
        break;
      }
      if (block.rows > 0) yield { rows: block.rows, bytes: encode(bytes, block, meta, headroom) };
      pieces = [bytes.subarray(block.end)];
      length -= block.end;
      enough = 1;
    }
  }
  let rest = joined(pieces, length);
  while (rest.length > 0) {
    const block = blockAt(rest, types);
    if (block instanceof Incomplete) throw new Error('A result ends within a block.');
    if (block.rows > 0) yield { rows: block.rows, bytes: encode(rest, block, meta, headroom) };
    rest = rest.subarray(block.end);
  }
}

/** Rows under one name, see {@link namedRawBlocks}. */
interface NamedRawBlock extends RawBlock {
  readonly name: string;
}

/**
 * Turns a whole result in the form of columns, whose first column is a name, into raw blocks without that column: one
 * for each run of rows with the same name. `meta` describes the other columns; see {@link rawBlocks}.
 */
export function namedRawBlocks(result: Buffer, meta: readonly ColumnMeta[], headroom: number): NamedRawBlock[] {
  const types = [nameType, ...meta.map(({ type }) => type)];
  const blocks: NamedRawBlock[] = [];
  for (let rest = result; rest.length > 0; ) {
    const block = blockAt(rest, types);
    if (block instanceof Incomplete) throw new Error('A result ends within a block.');
    cutByName(rest, block, meta, headroom, blocks);
    rest = rest.subarray(block.end);
  }
  return blocks;
}

const nameType: DataType = { name: 'VARCHAR', length: 0 };

function cutByName(
  bytes: Buffer,
  { rows, columns }: NativeBlock,
  meta: readonly ColumnMeta[],
  headroom: number,
  blocks: NamedRawBlock[],
): void {
  const [names, ...others] = columns;
  if (names === undefined) return;
  const cutters = others.map((place, at) => new ColumnCutter(bytes, place, meta[at]!.type));
  const reader = new ColumnCutter(bytes, names, nameType);
  let first = rows > 0 ? reader.cut(1) : undefined;
  for (let from = 0; first !== undefined; ) {
    const name = bytes.subarray(first.values, first.end);
    let next: ColumnPlace | undefined;
    let to = from + 1;
    for (; to < rows; to++) {
      next = reader.cut(1);
      if (!name.equals(bytes.subarray(next.values, next.end))) break;
      next = undefined;
    }
    const block: NativeBlock = { rows: to - from, columns: cutters.map((cutter) => cutter.cut(to - from)), end: 0 };
    const text = name.subarray(lengthBytes(name)).toString();
    blocks.push({ name: text, rows: block.rows, bytes: encode(bytes, block, meta, headroom) });
    first = next;
    from = to;
  }
}

/** Bytes of the length in front of a value. */
function lengthBytes(value: Buffer): number {
  let count = 1;
  while (value[count - 1]! >= 0x80) count++;
  return count;
}

/** Cuts a column of a block into pieces, from its first row to its last one. */
class ColumnCutter {
  readonly #bytes: Buffer;
  readonly #width: number;
  #nulls: number;
  #values: number;

  constructor(bytes: Buffer, { nulls, values }: ColumnPlace, type: DataType) {
    this.#bytes = bytes;
    this.#width = rawWidth(type);
    this.#nulls = nulls;
    this.#values = values;
  }

  /** The next rows. */
  cut(rows: number): ColumnPlace {
    const [nulls, values] = [this.#nulls, this.#values];
    this.#nulls += rows;
    if (this.#width > 0) this.#values += rows * this.#width;
    else for (let row = 0; row < rows; row++) this.#values = this.#behindValue(this.#values);
    return { nulls, values, end: this.#values };
  }

  #behindValue(start: number): number {
    let length = 0;
    let scale = 1;
    for (let at = start; ; at++) {
      const byte = this.#bytes[at]!;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) return at + 1 + length;
      scale *= 128;
    }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Buffer {
  const [only] = pieces;
  if (only === undefined || pieces.length > 1) return Buffer.concat(pieces, length);
  return Buffer.from(only.buffer, only.byteOffset, only.length);
}

function blockAt(bytes: Buffer, types: readonly DataType[]): NativeBlock | Incomplete {
  try {
    return new Measure(bytes).block(types);
  } catch (error) {
    if (error instanceof Incomplete) return error;
    throw error;
  }
}

/** Finds the places of columns in a block of the Native format. */
class Measure {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  block(types: readonly DataType[]): NativeBlock {
    const count = this.#varint();
    const rows = this.#varint();
    if (count !== types.length && (count > 0 || rows > 0)) {
      throw new Error(`A block has ${count} columns, not ${types.length}.`);
    }
    const columns = types.slice(0, count).map((type): ColumnPlace => {
      this.#skip(this.#varint());
      this.#skip(this.#varint());
      const nulls = this.#at;
      this.#skip(rows);
      const values = this.#at;
      const width = rawWidth(type);
      if (width > 0) this.#skip(rows * width);
      else for (let row = 0; row < rows; row++) this.#skip(this.#varint());
      return { nulls, values, end: this.#at };
    });
    return { rows, columns, end: this.#at };
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Incomplete(this.#at + 1);
      this.#at++;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  #skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new Incomplete(this.#at);
  }
}

const headerBytes = 28;
const columnHeaderBytes = 9;
const version = 1;
/** The block has a header for each column. */
const hasColumns = 0x80000000;
/** Longest value behind a length of 16 bits. */
const maxShortBytes = 65_535;

/** Most bytes that a column takes in a raw block. */
function mostBytes({ name }: DataType, { values, end }: ColumnPlace, rows: number): number {
  const bytes = end - values;
  if (!isVariable(name)) return Math.ceil(rows / 8) + bytes;
  // A byte of text is one character of 4 bytes at most. Its length takes 2 bytes more here than there at most, of a
  // BLOB 3.
  return rows * (4 + 4) + (name === 'NCHAR' ? bytes * 4 : bytes);
}

function encode(source: Buffer, block: NativeBlock, meta: readonly ColumnMeta[], headroom: number): Buffer {
  const { rows, columns } = block;
  const dataAt = headerBytes + columnHeaderBytes * columns.length;
  let most = headroom + dataAt;
  for (const [at, place] of columns.entries()) most += mostBytes(meta[at]!.type, place, rows);
  const out = Buffer.allocUnsafe(most);
  let at = headroom + dataAt;
  const lengthsAt = headroom + headerBytes + 5 * columns.length;
  for (const [index, place] of columns.entries()) {
    const { name, type } = meta[index]!;
    const headerAt = headroom + headerBytes + 5 * index;
    out.writeUInt8(typeNumber(type), headerAt);
    out.writeUInt32LE(headerWidth(type), headerAt + 1);
    const valuesAt = at + (isVariable(type.name) ? rows * 4 : Math.ceil(rows / 8));
    at = isVariable(type.name)
      ? putVariable(out, at, source, place, rows, type, name)
      : putFixed(out, at, source, place, rows);
    out.writeUInt32LE(at - valuesAt, lengthsAt + 4 * index);
  }
  out.writeInt32LE(version, headroom);
  out.writeInt32LE(at - headroom, headroom + 4);
  out.writeInt32LE(rows, headroom + 8);
  out.writeInt32LE(columns.length, headroom + 12);
  out.writeUInt32LE(hasColumns, headroom + 16);
  out.writeBigUInt64LE(0n, headroom + 20);
  return out.subarray(0, at);
}

function putFixed(out: Buffer, start: number, source: Buffer, place: ColumnPlace, rows: number): number {
  const bitmapBytes = Math.ceil(rows / 8);
  out.fill(0, start, start + bitmapBytes);
  const { nulls, values, end } = place;
  let row = source.indexOf(1, nulls);
  while (row >= 0 && row < nulls + rows) {
    const index = row - nulls;
    out[start + (index >> 3)]! |= 0x80 >> (index & 7);
    row = source.indexOf(1, row + 1);
  }
  source.copy(out, start + bitmapBytes, values, end);
  return start + bitmapBytes + (end - values);
}

function putVariable(
  out: Buffer,
  start: number,
  source: Buffer,
  { nulls, values }: ColumnPlace,
  rows: number,
  type: DataType,
  column: string,
): number {
  const dataAt = start + rows * 4;
  const lengthBytes = type.name === 'BLOB' ? 4 : 2;
  let from = values;
  let at = dataAt;
  for (let row = 0; row < rows; row++) {
    let length = 0;
    let scale = 1;
    for (;;) {
      const byte = source[from++]!;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    if (source[nulls + row] === 1) {
      out.writeInt32LE(-1, start + row * 4);
    } else {
      out.writeInt32LE(at - dataAt, start + row * 4);
      const valueAt = at + lengthBytes;
      const end = type.name === 'NCHAR' ? putWide(out, valueAt, source, from, length) : valueAt + length;
      if (type.name !== 'NCHAR') putBytes(out, valueAt, source, from, length);
      if (lengthBytes === 4) out.writeUInt32LE(end - valueAt, at);
      else if (end - valueAt > maxShortBytes) throw tooLong(column, end - valueAt);
      else out.writeUInt16LE(end - valueAt, at);
      at = end;
    }
    from += length;
  }
  return at;
}

/** A short loop beats a copy of the runtime. */
const loopBytes = 32;

function putBytes(out: Buffer, at: number, source: Buffer, from: number, length: number): void {
  if (length > loopBytes) source.copy(out, at, from, from + length);
  else for (let i = 0; i < length; i++) out[at + i] = source[from + i]!;
}

const replacement = 0xfffd;

/** Writes UTF-8 as characters of 4 bytes; bytes that are none become U+FFFD. Gives the position behind them. */
function putWide(out: Buffer, start: number, source: Buffer, from: number, length: number): number {
  const end = from + length;
  let at = start;
  for (let i = from; i < end; ) {
    const first = source[i]!;
    let [code, more] = [first, 0];
    if (first >= 0xf0 && first < 0xf8) [code, more] = [first & 0x07, 3];
    else if (first >= 0xe0) [code, more] = [first & 0x0f, 2];
    else if (first >= 0xc0) [code, more] = [first & 0x1f, 1];
    else if (first >= 0x80) code = replacement;
    i++;
    for (; more > 0; more--) {
      const next = i < end ? source[i]! : 0;
      if ((next & 0xc0) !== 0x80) {
        code = replacement;
        break;
      }
      code = (code << 6) | (next & 0x3f);
      i++;
    }
    if (first >= 0xf8) code = replacement;
    out[at] = code & 0xff;
    out[at + 1] = (code >> 8) & 0xff;
    out[at + 2] = (code >> 16) & 0xff;
    out[at + 3] = 0;
    at += 4;
  }
  return at;
}

function tooLong(column: string, bytes: number): FaultError {
  const text = `a value of column ${column} has ${bytes} bytes: blocks of rows hold at most ${maxShortBytes}, use REST`;
  return new FaultError(fault('database', Codes.valueTooLong, text));
}

import { type BoundColumn, boundWidth, typeOfNumber } from '../../model/bound-rows.js';
import { badBinding } from './bound-form.js';

const headerBytes = 28;
const maxColumns = 8_192;

/**
 * Reads the columns of a raw block that a client has bound (actions 1 and 2). Throws a FaultError for bytes of another
 * form.
 */
export function readRawColumns(block: Buffer): readonly BoundColumn[] {
  if (block.length < headerBytes) throw badBinding('the raw block is too short');
  const [rows, count] = [block.readUInt32LE(8), block.readUInt32LE(12)];
  let at = headerBytes + 9 * count;
  if (count > maxColumns || at > block.length) throw badBinding('the raw block is too short');
  const columns: BoundColumn[] = [];
  for (let index = 0; index < count; index++) {
    const type = block.readUInt8(headerBytes + 5 * index);
    const length = block.readUInt32LE(headerBytes + 5 * count + 4 * index);
    if (typeOfNumber(type) === undefined) throw badBinding(`there is no type ${type}`);
    const width = boundWidth(type);
    const valuesAt = at + (width > 0 ? Math.ceil(rows / 8) : rows * 4);
    const end = valuesAt + length;
    if (end > block.length) throw badBinding('a column lies outside of the raw block');
    columns.push(
      width > 0
        ? fixedColumn(block.subarray(at, end), { type, rows, width })
        : textColumn(block.subarray(at, end), { type, rows }),
    );
    at = end;
  }
  return columns;
}

interface Shape {
  readonly type: number;
  readonly rows: number;
}

function fixedColumn(data: Buffer, { type, rows, width }: Shape & { readonly width: number }): BoundColumn {
  const bitmapBytes = Math.ceil(rows / 8);
  if (bitmapBytes + rows * width > data.length) throw badBinding('a column lies outside of the raw block');
  const nulls = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) nulls[row] = (data[row >> 3]! >> (7 - (row & 7))) & 1;
  return { type, rows, nulls, lengths: undefined, values: data.subarray(bitmapBytes, bitmapBytes + rows * width) };
}

function textColumn(data: Buffer, { type, rows }: Shape): BoundColumn {
  const nulls = new Uint8Array(rows);
  const lengths = new Int32Array(rows);
  const pieces: Buffer[] = [];
  const name = typeOfNumber(type);
  const lengthBytes = name === 'BLOB' ? 4 : 2;
  let bytes = 0;
  for (let row = 0; row < rows; row++) {
    const offset = data.readInt32LE(row * 4);
    if (offset < 0) {
      nulls[row] = 1;
      continue;
    }
    const at = rows * 4 + offset;
    if (at + lengthBytes > data.length) throw badBinding('a value lies outside of the raw block');
    const length = lengthBytes === 4 ? data.readUInt32LE(at) : data.readUInt16LE(at);
    const end = at + lengthBytes + length;
    if (end > data.length) throw badBinding('a value lies outside of the raw block');
    const raw = data.subarray(at + lengthBytes, end);
    const value = name === 'NCHAR' ? fromWide(raw) : raw;
    bytes += value.length;
    // Offsets may all point to the same long value.
    if (bytes > 2 * data.length) throw badBinding('the values of a column overlap');
    lengths[row] = value.length;
    pieces.push(value);
  }
  return { type, rows, nulls, lengths, values: Buffer.concat(pieces, bytes) };
}

const maxCodePoint = 0x10ffff;

/** Characters of 4 bytes as UTF-8. */
function fromWide(raw: Buffer): Buffer {
  if (raw.length % 4 !== 0) throw badBinding('an NCHAR has characters of 4 bytes');
  const codes: string[] = [];
  for (let at = 0; at < raw.length; at += 4) {
    const code = raw.readUInt32LE(at);
    if (code > maxCodePoint || (code >= 0xd800 && code <= 0xdfff)) throw badBinding(`${code} is no character`);
    codes.push(String.fromCodePoint(code));
  }
  return Buffer.from(codes.join(''));
}

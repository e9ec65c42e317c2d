/** A column of a result as a query answers it. */
export interface RawColumn {
  readonly type: number;
  readonly scale: number;
}

const widths: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 4,
  7: 8,
  9: 8,
  11: 1,
  12: 2,
  13: 4,
  14: 8,
  17: 16,
  21: 8,
};

type Read = (bytes: Buffer, at: number) => unknown;

const readers: Readonly<Record<number, Read>> = {
  1: (bytes, at) => bytes.readUInt8(at) === 1,
  2: (bytes, at) => bytes.readInt8(at),
  3: (bytes, at) => bytes.readInt16LE(at),
  4: (bytes, at) => bytes.readInt32LE(at),
  5: (bytes, at) => bytes.readBigInt64LE(at),
  6: (bytes, at) => bytes.readFloatLE(at),
  7: (bytes, at) => bytes.readDoubleLE(at),
  9: (bytes, at) => bytes.readBigInt64LE(at),
  11: (bytes, at) => bytes.readUInt8(at),
  12: (bytes, at) => bytes.readUInt16LE(at),
  13: (bytes, at) => bytes.readUInt32LE(at),
  14: (bytes, at) => bytes.readBigUInt64LE(at),
  17: (bytes, at) => (bytes.readBigInt64LE(at + 8) << 64n) | bytes.readBigUInt64LE(at),
  21: (bytes, at) => bytes.readBigInt64LE(at),
};

function variable(type: number, bytes: Buffer, at: number): unknown {
  const lengthBytes = type === 18 ? 4 : 2;
  const length = lengthBytes === 4 ? bytes.readUInt32LE(at) : bytes.readUInt16LE(at);
  const value = bytes.subarray(at + lengthBytes, at + lengthBytes + length);
  if (type === 8 || type === 15) return value.toString();
  if (type !== 10) return value.toString('hex');
  const characters = Array.from({ length: length / 4 }, (_, index) => value.readUInt32LE(index * 4));
  return String.fromCodePoint(...characters);
}

function decimal(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(-scale)}` : ''}`;
}

/** The rows of a raw block: 64-bit integers and times as BigInts, bytes as hexadecimal digits, decimals as texts. */
export function rowsOfRawBlock(block: Buffer, columns: readonly RawColumn[]): unknown[][] {
  if (block.readInt32LE(4) !== block.length) throw new Error(`The block has ${block.length} bytes.`);
  const [rows, count] = [block.readInt32LE(8), block.readInt32LE(12)];
  if (count !== columns.length) throw new Error(`The block has ${count} columns.`);
  const result: unknown[][] = Array.from({ length: rows }, () => []);
  let at = 28 + 9 * count;
  for (const [index, { type, scale }] of columns.entries()) {
    if (block.readUInt8(28 + 5 * index) !== type) throw new Error('The types differ.');
    const length = block.readInt32LE(28 + 5 * count + 4 * index);
    const width = widths[type];
    const dataAt = at + (width === undefined ? rows * 4 : Math.ceil(rows / 8));
    for (let row = 0; row < rows; row++) {
      let value: unknown = null;
      if (width === undefined) {
        const offset = block.readInt32LE(at + row * 4);
        if (offset >= 0) value = variable(type, block, dataAt + offset);
      } else if (((block[at + (row >> 3)]! >> (7 - (row & 7))) & 1) === 0) {
        value = readers[type]!(block, dataAt + row * width);
        if (typeof value === 'bigint' && (type === 17 || type === 21)) value = decimal(value, scale);
      }
      result[row]!.push(value);
    }
    at = dataAt + length;
  }
  if (at !== block.length) throw new Error(`${block.length - at} bytes are left.`);
  return result;
}

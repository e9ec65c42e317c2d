import { realText } from '../../bytes/real-text.js';
import { rawWidth, typeOfNumber } from '../../model/bound-rows.js';
import { dataType, type TypeName } from '../../model/schema.js';

const headerBytes = 28;

/** Reads a value of fixed width as a text. */
type Read = (block: Buffer, at: number) => string;

const readers: Partial<Record<TypeName, Read>> = {
  BOOL: (block, at) => (block[at] === 0 ? 'false' : 'true'),
  TINYINT: (block, at) => `${block.readInt8(at)}`,
  SMALLINT: (block, at) => `${block.readInt16LE(at)}`,
  INT: (block, at) => `${block.readInt32LE(at)}`,
  BIGINT: (block, at) => `${block.readBigInt64LE(at)}`,
  FLOAT: (block, at) => realText(block.readFloatLE(at), 'FLOAT'),
  DOUBLE: (block, at) => realText(block.readDoubleLE(at), 'DOUBLE'),
  TIMESTAMP: (block, at) => `${block.readBigInt64LE(at)}`,
  'TINYINT UNSIGNED': (block, at) => `${block.readUInt8(at)}`,
  'SMALLINT UNSIGNED': (block, at) => `${block.readUInt16LE(at)}`,
  'INT UNSIGNED': (block, at) => `${block.readUInt32LE(at)}`,
  'BIGINT UNSIGNED': (block, at) => `${block.readBigUInt64LE(at)}`,
};

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  "'": "\\'",
};

/** The rows of a raw block as lines, in the form that `TopicMessage` has. */
export function rowsOfRawBlock(block: Buffer): readonly string[] {
  const [rows, count] = [block.readInt32LE(8), block.readInt32LE(12)];
  const columns: string[][] = [];
  let at = headerBytes + 9 * count;
  for (let column = 0; column < count; column++) {
    const number = block.readUInt8(headerBytes + 5 * column);
    const shape = block.readUInt32LE(headerBytes + 5 * column + 1);
    const length = block.readUInt32LE(headerBytes + 5 * count + 4 * column);
    const name = typeOfNumber(number);
    if (name === undefined) throw new Error(`A block has a column of the unknown type ${number}.`);
    // The digits of a decimal stand beside its width.
    const digits = name === 'DECIMAL' ? (shape >> 8) & 0xff : 0;
    const width = rawWidth(dataType(name, digits));
    const dataAt = at + (width > 0 ? Math.ceil(rows / 8) : rows * 4);
    const read = name === 'DECIMAL' ? decimalReader(width, shape & 0xff) : readers[name];
    columns.push(
      read === undefined
        ? texts(block, { name, rows, at, dataAt })
        : Array.from({ length: rows }, (_, row) => {
            const isNull = ((block[at + (row >> 3)]! >> (7 - (row & 7))) & 1) === 1;
            return isNull ? '\\N' : read(block, dataAt + row * width);
          }),
    );
    at = dataAt + length;
  }
  return Array.from({ length: rows }, (_, row) => columns.map((column) => column[row]).join('\t'));
}

interface TextPlace {
  readonly name: TypeName;
  readonly rows: number;
  /** Where the offsets begin, and the values. */
  readonly at: number;
  readonly dataAt: number;
}

function texts(block: Buffer, { name, rows, at, dataAt }: TextPlace): string[] {
  const isText = name === 'VARCHAR' || name === 'NCHAR' || name === 'JSON';
  return Array.from({ length: rows }, (_, row) => {
    const offset = block.readInt32LE(at + row * 4);
    if (offset < 0) return '\\N';
    const lengthBytes = name === 'BLOB' ? 4 : 2;
    const valueAt = dataAt + offset + lengthBytes;
    const length = block.readUIntLE(dataAt + offset, lengthBytes);
    const value = block.subarray(valueAt, valueAt + length);
    if (!isText) return value.toString('hex');
    const text = name === 'NCHAR' ? wideText(value) : value.toString();
    return text.replace(/[\\\t\n\r\0\b\f']/g, (character) => escapes[character] ?? character);
  });
}

/** Characters of 4 bytes. */
function wideText(value: Buffer): string {
  let text = '';
  for (let at = 0; at < value.length; at += 4) text += String.fromCodePoint(value.readUInt32LE(at));
  return text;
}

function decimalReader(width: number, scale: number): Read {
  return (block, at) => {
    const low = width === 8 ? block.readBigInt64LE(at) : block.readBigUInt64LE(at);
    const value = width === 8 ? low : (block.readBigInt64LE(at + 8) << 64n) | low;
    const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
    const [whole, rest] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
    return `${value < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
  };
}

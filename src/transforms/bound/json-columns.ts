import { type BindField, type BoundColumn, boundWidth, typeNumber, typeOfNumber } from '../../model/bound-rows.js';
import { integerRanges, ticksPerSecond } from '../../model/schema.js';
import type { ExactJson } from '../../text/exact-json.js';
import { badBinding } from './bound-form.js';

/** The values of one parameter that come as JSON. Throws a FaultError for a value that the type does not have. */
export function jsonColumn(values: readonly ExactJson[], field: BindField): BoundColumn {
  const type = typeNumber(field.type);
  const rows = values.length;
  const nulls = Uint8Array.from(values, (value) => Number(value === null));
  const width = boundWidth(type);
  if (width === 0) {
    const texts = values.map((value) => (value === null ? Buffer.alloc(0) : bytesOf(value, field)));
    return { type, rows, nulls, lengths: Int32Array.from(texts, ({ length }) => length), values: Buffer.concat(texts) };
  }
  const bytes = Buffer.alloc(rows * width);
  for (const [row, value] of values.entries()) {
    if (value !== null) putValue(bytes, row * width, value, field, width);
  }
  return { type, rows, nulls, lengths: undefined, values: bytes };
}

function notOfType({ name, type }: BindField, value: ExactJson): Error {
  return badBinding(`${String(value).slice(0, 64)} is no value of ${name}, which has the type ${type.name}`);
}

function bytesOf(value: ExactJson, field: BindField): Buffer {
  const { name } = field.type;
  if (name === 'DECIMAL' && (typeof value === 'number' || typeof value === 'bigint')) return Buffer.from(String(value));
  if (typeof value !== 'string') throw notOfType(field, value);
  if (name !== 'VARBINARY' && name !== 'GEOMETRY' && name !== 'BLOB') return Buffer.from(value);
  // As the connector for Rust prints bytes.
  if (/^\[[\d, ]*\]$/.test(value)) return listedBytes(value, field);
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(value)) throw badBinding(`the bytes of ${field.name} must be hexadecimal digits`);
  return Buffer.from(value, 'hex');
}

function listedBytes(text: string, field: BindField): Buffer {
  const numbers = text === '[]' ? [] : text.slice(1, -1).split(',').map(Number);
  if (!numbers.every((number) => Number.isInteger(number) && number < 256)) throw notOfType(field, text);
  return Buffer.from(numbers);
}

function putValue(out: Buffer, at: number, value: ExactJson, field: BindField, width: number): void {
  switch (typeOfNumber(typeNumber(field.type))) {
    case 'BOOL':
      out.writeUInt8(truthOf(value, field), at);
      break;
    case 'FLOAT':
      out.writeFloatLE(realOf(value, field), at);
      break;
    case 'DOUBLE':
      out.writeDoubleLE(realOf(value, field), at);
      break;
    case 'TIMESTAMP':
      out.writeBigInt64LE(
        BigInt.asIntN(64, typeof value === 'string' ? ticksOf(value, field) : wholeOf(value, field)),
        at,
      );
      break;
    default: {
      const whole = wholeOf(value, field);
      const range = integerRanges[field.type.name];
      if (range === undefined || whole < range.min || whole > range.max) throw notOfType(field, value);
      const eight = Buffer.alloc(8);
      eight.writeBigUInt64LE(BigInt.asUintN(64, whole));
      eight.copy(out, at, 0, width);
    }
  }
}

function truthOf(value: ExactJson, field: BindField): number {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number(value !== 0);
  if (value === 'true' || value === 'false') return Number(value === 'true');
  throw notOfType(field, value);
}

function realOf(value: ExactJson, field: BindField): number {
  const real = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value;
  if (typeof real !== 'number' || value === '') throw notOfType(field, value);
  return real;
}

function wholeOf(value: ExactJson, field: BindField): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw notOfType(field, value);
}

/** A time as RFC 3339 writes it, in ticks. */
function ticksOf(text: string, field: BindField): bigint {
  const match = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) throw notOfType(field, text);
  const [, time = '', fraction = '', zone = ''] = match;
  const seconds = Date.parse(`${time.replace(' ', 'T')}${zone}`) / 1000;
  if (!Number.isInteger(seconds)) throw notOfType(field, text);
  const nanos = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  return nanos / (1_000_000_000n / BigInt(ticksPerSecond(field.precision)));
}

import { applySign, setProduct } from '../syntax/words.js';
import { Byte, type Cursor } from './cursor.js';

const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** Decimal digits that a double always holds exactly. */
const exactDigits = 15;
const maxExactExponent = 22;
/** Numbers with more digits are read in another way; a loop over millions of them would never be compiled. */
const maxFastBytes = 64;
/** Longest integer part worth computing: DECIMAL has at most 38 digits, 64-bit integers 20. */
const maxIntegerDigits = 40;
/** Stands for every number too large for any column. */
const beyondAll = 10n ** BigInt(maxIntegerDigits);

/** True when a plain number may end before this byte, given less 48: comma, closing bracket or blank. */
function endsValue(byteLess48: number): boolean {
  return byteLess48 === -4 || byteLess48 === -7 || byteLess48 === -16;
}

/**
 * Reads a plain decimal integer of at most 15 digits and passes it; NaN, and nothing passed, for every other value.
 * The values of a statement are nearly all of this kind, or of {@link fastDecimal}'s.
 */
export function fastInteger(cursor: Cursor): number {
  const bytes = cursor.bytes;
  let at = cursor.at;
  const negative = bytes[at] === Byte.minus;
  if (negative) at++;
  const first = at;
  const most = at + maxFastBytes;
  let value = 0;
  let digit = bytes[at]! - Byte.zero;
  while (digit >= 0 && digit <= 9 && at < most) {
    value = value * 10 + digit;
    digit = bytes[++at]! - Byte.zero;
  }
  const digits = at - first;
  if (digits === 0 || digits > exactDigits || !endsValue(digit)) return Number.NaN;
  cursor.at = at;
  return negative ? -value : value;
}

/**
 * Reads a decimal number of at most 15 digits whose exponent is at most 22 in size: then digits and power of ten are both
 * exact doubles and one multiplication or division rounds correctly. NaN, and nothing passed, for every other value.
 */
export function fastDecimal(cursor: Cursor): number {
  const bytes = cursor.bytes;
  let at = cursor.at;
  const negative = bytes[at] === Byte.minus;
  if (negative) at++;
  const first = at;
  const most = at + maxFastBytes;
  let value = 0;
  let digit = bytes[at]! - Byte.zero;
  while (digit >= 0 && digit <= 9 && at < most) {
    value = value * 10 + digit;
    digit = bytes[++at]! - Byte.zero;
  }
  let digits = at - first;
  let fraction = 0;
  if (digit === Byte.dot - Byte.zero) {
    const point = ++at;
    digit = bytes[at]! - Byte.zero;
    while (digit >= 0 && digit <= 9 && at < most) {
      value = value * 10 + digit;
      digit = bytes[++at]! - Byte.zero;
    }
    fraction = at - point;
    digits += fraction;
  }
  if (digits === 0 || digits > exactDigits) return Number.NaN;
  if (!endsValue(digit)) return fastExponent(cursor, at, negative ? -value : value, fraction);
  cursor.at = at;
  if (fraction > 0) value /= powersOfTen[fraction]!;
  return negative ? -value : value;
}

function fastExponent(cursor: Cursor, from: number, mantissa: number, fraction: number): number {
  const bytes = cursor.bytes;
  let at = from;
  if ((bytes[at]! | 32) !== 101) return Number.NaN;
  const sign = bytes[++at];
  if (sign === Byte.minus || sign === Byte.plus) at++;
  const first = at;
  let exponent = 0;
  let digit = bytes[at]! - Byte.zero;
  while (digit >= 0 && digit <= 9 && at < first + maxFastBytes) {
    exponent = exponent * 10 + digit;
    digit = bytes[++at]! - Byte.zero;
  }
  const scale = (sign === Byte.minus ? -exponent : exponent) - fraction;
  if (at === first || !endsValue(digit) || Math.abs(scale) > maxExactExponent) return Number.NaN;
  cursor.at = at;
  return scale < 0 ? mantissa / powersOfTen[-scale]! : mantissa * powersOfTen[scale]!;
}

/**
 * Reads a plain decimal number as a whole number of 10^-scale, exactly; NaN, and nothing passed, when it has more than
 * `scale` decimals or more than 15 digits in all.
 */
export function fastScaled(cursor: Cursor, scale: number): number {
  const bytes = cursor.bytes;
  let at = cursor.at;
  const negative = bytes[at] === Byte.minus;
  if (negative) at++;
  const first = at;
  const most = at + maxFastBytes;
  let value = 0;
  let digit = bytes[at]! - Byte.zero;
  while (digit >= 0 && digit <= 9 && at < most) {
    value = value * 10 + digit;
    digit = bytes[++at]! - Byte.zero;
  }
  const whole = at - first;
  let fraction = 0;
  if (digit === Byte.dot - Byte.zero) {
    const point = ++at;
    digit = bytes[at]! - Byte.zero;
    while (digit >= 0 && digit <= 9 && at < most) {
      value = value * 10 + digit;
      digit = bytes[++at]! - Byte.zero;
    }
    fraction = at - point;
  }
  if (whole + fraction === 0 || whole + scale > exactDigits || fraction > scale || !endsValue(digit)) return Number.NaN;
  cursor.at = at;
  value *= powersOfTen[scale - fraction]!;
  return negative ? -value : value;
}

/**
 * Reads a plain decimal integer of up to 20 digits into two words and passes it; false, and nothing passed, for other
 * values and for those outside 64 bits.
 */
export function fastWide(cursor: Cursor, out: Uint32Array, signed: boolean): boolean {
  const bytes = cursor.bytes;
  const negative = bytes[cursor.at] === Byte.minus;
  const first = negative ? cursor.at + 1 : cursor.at;
  let at = first;
  let digit = bytes[at]! - Byte.zero;
  while (digit >= 0 && digit <= 9 && at < first + maxFastBytes) digit = bytes[++at]! - Byte.zero;
  const digits = at - first;
  if (digits === 0 || digits > 20 || !endsValue(digit)) return false;
  const split = at - Math.min(9, digits);
  let upper = 0;
  for (let i = first; i < split; i++) upper = upper * 10 + bytes[i]! - Byte.zero;
  let lower = 0;
  for (let i = split; i < at; i++) lower = lower * 10 + bytes[i]! - Byte.zero;
  const high = setProduct(out, upper, 1e9, lower);
  if (!applySign(out, high, negative, signed)) return false;
  cursor.at = at;
  return true;
}

/** The shape of number text: where its parts lie. Filled by {@link scanNumber}, one for all, never kept across calls. */
const shape = {
  negative: false,
  /** 10, 16 or 2. */
  radix: 10,
  digitsStart: 0,
  /** End of the digits, before the exponent. */
  digitsEnd: 0,
  /** Index of the point, or `digitsEnd`. */
  point: 0,
  exponent: 0,
};

/** Checks that the whole of `bytes[start, end)` is a number of the dialect; fills {@link shape}. */
function scanNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  shape.negative = bytes[at] === Byte.minus;
  if (at < end && (bytes[at] === Byte.minus || bytes[at] === Byte.plus)) at++;
  shape.exponent = 0;
  if (at + 2 < end && bytes[at] === Byte.zero) {
    const prefix = bytes[at + 1]! | 32;
    if (prefix === Byte.lowerX || prefix === 98) return scanRadix(bytes, at + 2, end, prefix === 98 ? 2 : 16);
  }
  shape.radix = 10;
  shape.digitsStart = at;
  shape.point = -1;
  let digits = 0;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= 48 && byte <= 57) digits++;
    else if (byte === Byte.dot && shape.point < 0) shape.point = at;
    else break;
  }
  shape.digitsEnd = at;
  if (shape.point < 0) shape.point = at;
  return digits > 0 && (at === end || scanExponent(bytes, at, end));
}

function scanRadix(bytes: Uint8Array, start: number, end: number, radix: number): boolean {
  shape.radix = radix;
  shape.digitsStart = start;
  shape.digitsEnd = end;
  shape.point = end;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    const letter = byte | 32;
    const digit = byte >= 48 && byte <= 57 ? byte - 48 : letter >= 97 && letter <= 102 ? letter - 87 : 16;
    if (digit >= radix) return false;
  }
  return true;
}

function scanExponent(bytes: Uint8Array, from: number, end: number): boolean {
  let at = from;
  if ((bytes[at++]! | 32) !== 101) return false;
  const negative = bytes[at] === Byte.minus;
  if (at < end && (negative || bytes[at] === Byte.plus)) at++;
  if (at === end) return false;
  let exponent = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - Byte.zero;
    if (digit < 0 || digit > 9) return false;
    exponent = Math.min(exponent * 10 + digit, 1e9);
  }
  shape.exponent = negative ? -exponent : exponent;
  return true;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end);
}

/** The double nearest to number text, infinite when it is too large; NaN when `bytes[start, end)` is no number. */
export function parseDouble(bytes: Uint8Array, start: number, end: number): number {
  if (!scanNumber(bytes, start, end)) return Number.NaN;
  if (shape.radix === 10) return Number(textOf(bytes, start, end));
  const value = radixValue(bytes);
  return shape.negative ? -Number(value) : Number(value);
}

/**
 * Number text as a whole number of 10^-scale, rounded half away from zero; undefined when `bytes[start, end)` is no number.
 * Numbers with more than 40 digits before the point come back as some number that is too large for every column.
 */
export function parseScaled(bytes: Uint8Array, start: number, end: number, scale: number): bigint | undefined {
  if (!scanNumber(bytes, start, end)) return undefined;
  const value = shape.radix === 10 ? decimalValue(bytes, scale) : radixValue(bytes) * 10n ** BigInt(scale);
  return shape.negative ? -value : value;
}

function radixValue(bytes: Uint8Array): bigint {
  let start = shape.digitsStart;
  while (start < shape.digitsEnd && bytes[start] === Byte.zero) start++;
  if (start === shape.digitsEnd) return 0n;
  if (shape.digitsEnd - start > 128) return beyondAll;
  return BigInt((shape.radix === 16 ? '0x' : '0b') + textOf(bytes, start, shape.digitsEnd));
}

function decimalValue(bytes: Uint8Array, scale: number): bigint {
  const { point, digitsEnd } = shape;
  let start = shape.digitsStart;
  while (start < digitsEnd && (bytes[start] === Byte.zero || start === point)) start++;
  if (start === digitsEnd) return 0n;
  // digits of the result: those before the point once exponent and scale have moved it
  const before = (start < point ? point - start : point + 1 - start) + shape.exponent + scale;
  if (before < 0) return 0n;
  if (before > maxIntegerDigits + scale) return beyondAll * 10n ** BigInt(scale);
  let digits = '';
  let at = start;
  for (; digits.length < before && at < digitsEnd; at++) if (at !== point) digits += String.fromCharCode(bytes[at]!);
  if (at === point) at++;
  const roundsUp = digits.length === before && at < digitsEnd && bytes[at]! >= 53;
  const value = digits === '' ? 0n : BigInt(digits.padEnd(before, '0'));
  return roundsUp ? value + 1n : value;
}

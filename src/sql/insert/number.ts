import { dot, minus, zero } from '../../bytes/ascii.js';
import { powersOfTen } from '../../bytes/decimal.js';
import { exactDigits, NumberReader } from '../../bytes/number-reader.js';
import type { Cursor } from './cursor.js';

/** Numbers with more bytes are read in another way. */
const maxPlainBytes = 64;
const maxPlainSize = 1e38;
/** Longest integer part worth computing: DECIMAL has at most 38 digits, 64-bit integers 20. */
const maxIntegerDigits = 40;
/** Most hexadecimal or binary digits worth computing. */
const maxRadixDigits = 128;
/** Stands for every number too large for any column. */
const beyondAll = 10n ** BigInt(maxIntegerDigits);

/** One for all: a number is used before the next one is read. */
const numbers = new NumberReader();

/** How many digits of the number that {@link scanPlain} read last stand behind its point. */
let decimals = 0;

/**
 * Reads the digits of a plain decimal number without their point, moves `cursor` behind it and returns them as a whole
 * number; NaN, and nothing passed, for every other value and for more than 15 digits. The values of a statement are
 * nearly all of this kind, so they have loops of their own: with {@link NumberReader.scan}, which keeps more of each
 * number, scanning a statement takes 15 % longer.
 */
function scanPlain(cursor: Cursor): number {
  const { bytes } = cursor;
  const negative = bytes[cursor.at] === minus;
  const first = negative ? cursor.at + 1 : cursor.at;
  const most = first + maxPlainBytes;
  let at = first;
  let value = 0;
  let digit = bytes[at]! - zero;
  while (digit >= 0 && digit <= 9 && at < most) {
    value = value * 10 + digit;
    digit = bytes[++at]! - zero;
  }
  let digits = at - first;
  let fraction = 0;
  if (digit === dot - zero) {
    const point = ++at;
    digit = bytes[at]! - zero;
    while (digit >= 0 && digit <= 9 && at < most) {
      value = value * 10 + digit;
      digit = bytes[++at]! - zero;
    }
    fraction = at - point;
    digits += fraction;
  }
  if (digits === 0 || digits > exactDigits || !endsValue(digit)) return Number.NaN;
  cursor.at = at;
  decimals = fraction;
  return negative ? -value : value;
}

/** True when a plain number may end before this byte, given less 48: comma, closing bracket or blank. */
function endsValue(byteLess48: number): boolean {
  return byteLess48 === -4 || byteLess48 === -7 || byteLess48 === -16;
}

/** Reads a plain decimal integer of at most 15 digits and passes it; NaN, and nothing passed, for every other value. */
export function fastInteger(cursor: Cursor): number {
  const { bytes } = cursor;
  const negative = bytes[cursor.at] === minus;
  const first = negative ? cursor.at + 1 : cursor.at;
  const most = first + maxPlainBytes;
  let at = first;
  let value = 0;
  let digit = bytes[at]! - zero;
  while (digit >= 0 && digit <= 9 && at < most) {
    value = value * 10 + digit;
    digit = bytes[++at]! - zero;
  }
  if (at === first || at - first > exactDigits || !endsValue(digit)) return Number.NaN;
  cursor.at = at;
  return negative ? -value : value;
}

/** Reads a decimal number that ends as a value may and passes it; NaN, and nothing passed, for every other value. */
export function fastDecimal(cursor: Cursor): number {
  const value = scanPlain(cursor);
  if (Number.isNaN(value)) return longDecimal(cursor);
  return decimals > 0 ? value / powersOfTen[decimals]! : value;
}

/**
 * As {@link fastDecimal}, with an exponent or more digits. Numbers too large for FLOAT are left to the way that refuses
 * them.
 */
function longDecimal(cursor: Cursor): number {
  const end = endOfNumber(cursor);
  const value = end < 0 ? Number.NaN : numbers.double();
  if (!(Math.abs(value) < maxPlainSize)) return Number.NaN;
  cursor.at = end;
  return value;
}

/** Scans the number at the cursor; -1 when there is none that ends as a value may. */
function endOfNumber({ bytes, at, end }: Cursor): number {
  const stop = numbers.scan(bytes, at, Math.min(end, at + maxPlainBytes));
  return stop >= 0 && endsValue(bytes[stop]! - zero) ? stop : -1;
}

/**
 * Reads a plain decimal number as a whole number of 10^-scale, exactly; NaN, and nothing passed, when it has more than
 * `scale` decimals or when it would have more than 15 digits.
 */
export function fastScaled(cursor: Cursor, scale: number): number {
  const start = cursor.at;
  const value = scanPlain(cursor);
  const zeros = scale - decimals;
  if (zeros >= 0 && cursor.at - start + zeros <= exactDigits) return value * powersOfTen[zeros]!;
  cursor.at = start;
  return Number.NaN;
}

/**
 * Reads a plain decimal integer of up to 20 digits into two words and passes it; false, and nothing passed, for other
 * values and for those outside 64 bits.
 */
export function fastWide(cursor: Cursor, out: Uint32Array, signed: boolean): boolean {
  const end = endOfNumber(cursor);
  if (end < 0 || !numbers.whole || !numbers.store(out, 0, 64, !signed)) return false;
  cursor.at = end;
  return true;
}

/** The double nearest to number text, infinite when it is too large; NaN when `bytes[start, end)` is no number. */
export function parseDouble(bytes: Uint8Array, start: number, end: number): number {
  if (numbers.read(bytes, start, end)) return numbers.double();
  const value = radixValue(bytes, start, end);
  return value === undefined ? Number.NaN : Number(value);
}

/**
 * Number text as a whole number of 10^-scale, rounded half away from zero; undefined when `bytes[start, end)` is no
 * number. Numbers with more than 40 digits before the point come back as some number that is too large for every
 * column.
 */
export function parseScaled(bytes: Uint8Array, start: number, end: number, scale: number): bigint | undefined {
  if (!numbers.read(bytes, start, end)) {
    const value = radixValue(bytes, start, end);
    return value === undefined ? undefined : value * 10n ** BigInt(scale);
  }
  const value = decimalSize(numbers.text, numbers.exponent + scale);
  return numbers.negative ? -value : value;
}

/** The value of hexadecimal (`0x1f`) or binary (`0b101`) digits, with or without a sign; undefined for other text. */
function radixValue(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  const match = /^[+-]?0(x([\da-f]+)|b([01]+))$/i.exec(textOf(bytes, start, end));
  if (match === null) return undefined;
  const [, , hexadecimal, binary = ''] = match;
  const digits = (hexadecimal ?? binary).replace(/^0+/, '') || '0';
  const prefix = hexadecimal === undefined ? '0b' : '0x';
  const size = digits.length > maxRadixDigits ? beyondAll : BigInt(prefix + digits);
  return bytes[start] === minus ? -size : size;
}

/** The digits before the exponent, read without their point, times 10^zeros, rounded to a whole number. */
function decimalSize(text: string, zeros: number): bigint {
  const digits = text.replace(/e.*/i, '').replace('.', '').replace(/^0+/, '');
  if (digits === '') return 0n;
  const whole = digits.length + zeros;
  if (whole < 0) return 0n;
  if (whole > maxIntegerDigits) return beyondAll;
  const roundsUp = whole < digits.length && digits.charCodeAt(whole) >= 0x35;
  return BigInt(digits.slice(0, whole).padEnd(whole, '0')) + (roundsUp ? 1n : 0n);
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end);
}

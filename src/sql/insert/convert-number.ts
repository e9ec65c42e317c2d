import type { DataType, IntegerRange } from '../../model/schema.js';
import { decimalOverflow } from '../syntax/faults.js';
import { type Cursor, Token, type TokenKind } from './cursor.js';
import { parseDouble, parseScaled } from './number.js';

/**
 * These readers take every spelling of a value of a numeric type: signs, exponents, hexadecimal and binary digits,
 * quoted numbers, TRUE and FALSE. They pass the value and give undefined for NULL, bare or quoted.
 */
export function readDouble(cursor: Cursor, type: 'FLOAT' | 'DOUBLE'): number | undefined {
  const start = cursor.at;
  const token = numericToken(cursor);
  if (token === Token.null) return undefined;
  if (token === Token.true || token === Token.false) return token === Token.true ? 1 : 0;
  const value = parseDouble(cursor.text, cursor.textStart, cursor.textEnd);
  const reason = type === 'FLOAT' ? 'illegal float data' : 'illegal double data';
  if (Number.isNaN(value)) throw cursor.syntaxError(malformed(token, reason), start);
  // The largest FLOAT is printed as a number just above it, which must be accepted again: what counts is what it rounds
  // to.
  const stored = type === 'FLOAT' ? Math.fround(value) : value;
  if (!Number.isFinite(stored)) throw cursor.syntaxError(reason, start);
  return value;
}

/** An integer, decimals rounded half away from zero; see {@link readDouble}. */
export function readInteger(cursor: Cursor, range: IntegerRange): bigint | undefined {
  const start = cursor.at;
  const value = readScaled(cursor, 0, `invalid ${range.noun} data`);
  if (value !== undefined && (value < range.min || value > range.max)) {
    throw cursor.syntaxError(`${range.noun} data overflow`, start);
  }
  return value;
}

/** A DECIMAL as a whole number of its last decimal place, rounded half away from zero; see {@link readDouble}. */
export function readDecimal(cursor: Cursor, type: DataType): bigint | undefined {
  const value = readScaled(cursor, type.scale ?? 0, 'invalid decimal data');
  const limit = 10n ** BigInt(type.length);
  if (value !== undefined && (value >= limit || value <= -limit)) throw decimalOverflow();
  return value;
}

/** A truth value: `true`, `false` and numbers, of which only 0 is false, quoted or not. */
export function readBool(cursor: Cursor): boolean | undefined {
  const start = cursor.at;
  const token = numericToken(cursor);
  if (token === Token.null) return undefined;
  if (token === Token.true || (token === Token.string && cursor.textIs('TRUE'))) return true;
  if (token === Token.false || (token === Token.string && cursor.textIs('FALSE'))) return false;
  const value = parseDouble(cursor.text, cursor.textStart, cursor.textEnd);
  if (Number.isNaN(value)) throw cursor.syntaxError(malformed(token, 'invalid bool data'), start);
  return value !== 0;
}

function readScaled(cursor: Cursor, scale: number, reason: string): bigint | undefined {
  const start = cursor.at;
  const token = numericToken(cursor);
  if (token === Token.null) return undefined;
  if (token === Token.true) return 10n ** BigInt(scale);
  if (token === Token.false) return 0n;
  const value = parseScaled(cursor.text, cursor.textStart, cursor.textEnd, scale);
  if (value === undefined) throw cursor.syntaxError(malformed(token, reason), start);
  return value;
}

function numericToken(cursor: Cursor): TokenKind {
  const start = cursor.at;
  const token = cursor.readValue();
  if (token === Token.word) throw cursor.syntaxError('invalid data or symbol', start);
  return token === Token.string && cursor.textIs('NULL') ? Token.null : token;
}

function malformed(token: TokenKind, reason: string): string {
  return token === Token.number ? 'invalid numeric data' : reason;
}

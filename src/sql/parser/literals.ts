import type { Duration, DurationUnit, Expression, Span, WindowLength } from '../syntax/ast.js';
import { stringValue, TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';

const maxUnsigned = (1n << 64n) - 1n;
/** Digits of the largest 64-bit number; longer ones are read as DOUBLE text. */
const maxIntegerDigits = 20;
const units = new Map<string, DurationUnit>([
  ['b', 'b'],
  ['u', 'u'],
  ['a', 'a'],
  ['s', 's'],
  ['m', 'm'],
  ['h', 'h'],
  ['d', 'd'],
  ['w', 'w'],
  ['n', 'n'],
  ['q', 'n'],
  ['y', 'y'],
]);
const monthsOfQuarter = 3;

/**
 * The literal at the current token, or undefined when there is none. Integers are exact up to 2^64-1; a longer decimal
 * integer is a DOUBLE, a longer hexadecimal or binary one is refused.
 */
export function parseLiteral(cursor: Cursor): Expression | undefined {
  const { kind, start, end } = cursor;
  const span: Span = { start, end };
  switch (kind) {
    case TokenKind.integer: {
      const value = integerValue(cursor);
      const text = cursor.text.slice(start, end);
      cursor.advance();
      return value === undefined ? { kind: 'number', text, span } : { kind: 'integer', value, span };
    }
    case TokenKind.number:
      cursor.advance();
      return { kind: 'number', text: cursor.text.slice(start, end), span };
    case TokenKind.duration:
      return { kind: 'duration', value: takeDuration(cursor), span };
    case TokenKind.string:
      return { kind: 'string', value: parseString(cursor), span };
    default:
      return undefined;
  }
}

/** A string literal. */
export function parseString(cursor: Cursor): string {
  if (cursor.kind !== TokenKind.string) cursor.fail();
  const value = stringValue(cursor.text, cursor.start, cursor.end);
  cursor.advance();
  return value;
}

/** An integer with an optional sign. */
export function parseInteger(cursor: Cursor): bigint {
  const negative = cursor.accept('-');
  if (!negative) cursor.accept('+');
  if (cursor.kind !== TokenKind.integer) cursor.fail();
  const value = integerValue(cursor) ?? cursor.fail();
  cursor.advance();
  return negative ? -value : value;
}

/** An unsigned integer that a JavaScript number holds exactly. */
export function parseCount(cursor: Cursor): number {
  const value = cursor.kind === TokenKind.integer ? integerValue(cursor) : undefined;
  if (value === undefined || value > BigInt(Number.MAX_SAFE_INTEGER)) cursor.fail();
  cursor.advance();
  return Number(value);
}

/** A duration literal with an optional minus sign. */
export function parseDuration(cursor: Cursor): Duration {
  const negative = cursor.accept('-');
  if (cursor.kind !== TokenKind.duration) cursor.fail();
  const duration = takeDuration(cursor);
  return negative ? { count: -duration.count, unit: duration.unit } : duration;
}

/** A window length: `10s`, `'10s'` or a bare number of ticks. */
export function parseWindowLength(cursor: Cursor): WindowLength {
  if (cursor.kind === TokenKind.integer) return { ticks: parseInteger(cursor) };
  if (cursor.kind !== TokenKind.string) return takeDuration(cursor);
  const duration = durationOf(cursor.text.slice(cursor.start + 1, cursor.end - 1)) ?? cursor.fail();
  cursor.advance();
  return duration;
}

/** A window length with an optional minus sign; the resolver refuses negative ones by their own codes. */
export function parseSignedWindowLength(cursor: Cursor): WindowLength {
  if (!cursor.accept('-')) return parseWindowLength(cursor);
  const length = parseWindowLength(cursor);
  return 'ticks' in length ? { ticks: -length.ticks } : { count: -length.count, unit: length.unit };
}

/** `-5` and `-1.5` as one literal, for places that take values and not expressions (tags, FILL). */
export function foldSign(value: Expression): Expression {
  if (value.kind !== 'negate') return value;
  const inner = value.value;
  if (inner.kind === 'integer') return { kind: 'integer', value: -inner.value, span: value.span };
  if (inner.kind === 'number') return { kind: 'number', text: `-${inner.text}`, span: value.span };
  return value;
}

function takeDuration(cursor: Cursor): Duration {
  if (cursor.kind !== TokenKind.duration) cursor.fail();
  const duration = durationOf(cursor.text.slice(cursor.start, cursor.end)) ?? cursor.fail();
  cursor.advance();
  return duration;
}

function durationOf(text: string): Duration | undefined {
  const last = text.length - 1;
  const letter = text.charAt(last).toLowerCase();
  const unit = units.get(letter);
  if (unit === undefined || last < 1) return undefined;
  let count = 0;
  for (let at = 0; at < last; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9 || count > Number.MAX_SAFE_INTEGER) return undefined;
    count = count * 10 + digit;
  }
  if (letter === 'q') count *= monthsOfQuarter;
  return count > Number.MAX_SAFE_INTEGER ? undefined : { count, unit };
}

/** Value of the integer token; undefined for a decimal beyond 2^64-1. */
function integerValue(cursor: Cursor): bigint | undefined {
  const { text, start, end } = cursor;
  const prefixed = end - start > 2 && text.charCodeAt(start + 1) > 57;
  let from = prefixed ? start + 2 : start;
  while (from < end - 1 && text.charCodeAt(from) === 48) from += 1;
  if (prefixed) {
    if (end - from > 64) cursor.fail();
    const value = BigInt(text.slice(start, start + 2) + text.slice(from, end));
    return value <= maxUnsigned ? value : cursor.fail();
  }
  if (end - from > maxIntegerDigits) return undefined;
  const value = BigInt(text.slice(from, end));
  return value <= maxUnsigned ? value : undefined;
}

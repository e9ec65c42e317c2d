import { isUtf8 } from 'node:buffer';

const unitsMs: ReadonlyMap<string, number> = new Map([
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

/** Longest duration, as in Prometheus: 2^63 nanoseconds. */
const mostMs = 2 ** 63 / 1e6;

/**
 * Milliseconds of a duration such as `1h30m`; undefined when it is none, units do not descend, or it is out of range.
 */
export function readDurationMs(text: string): number | undefined {
  const units = [...unitsMs.keys()];
  let ms = 0;
  let lastUnit = -1;
  let at = 0;
  while (at < text.length) {
    const start = at;
    while (isDigit(text.charCodeAt(at))) at++;
    const unitStart = at;
    while (at < text.length && !isDigit(text.charCodeAt(at))) at++;
    const unit = text.slice(unitStart, at);
    const index = units.indexOf(unit);
    if (unitStart === start || index <= lastUnit) return undefined;
    lastUnit = index;
    ms += Number(text.slice(start, unitStart)) * (unitsMs.get(unit) ?? 0);
  }
  return text.length === 0 || ms >= mostMs ? undefined : ms;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A duration as Prometheus prints it: `1h30m`, `0s`. */
export function durationText(ms: number): string {
  let left = Math.trunc(Math.abs(ms));
  if (left === 0) return '0s';
  let text = ms < 0 ? '-' : '';
  for (const [unit, length] of unitsMs) {
    // Years and weeks only stand for the whole of it.
    if ((unit === 'y' || unit === 'w') && left % length !== 0) continue;
    const count = Math.floor(left / length);
    if (count > 0) text += `${count}${unit}`;
    left -= count * length;
  }
  return text;
}

/**
 * The value of a number as Prometheus reads it: decimal, hexadecimal, octal, with underscores, `Inf` or `NaN`;
 * undefined when it is none.
 */
export function readNumber(text: string): number | undefined {
  const plain = text.replaceAll('_', '').toLowerCase();
  if (plain === 'inf') return Number.POSITIVE_INFINITY;
  if (plain === 'nan') return Number.NaN;
  const isOctal = plain.length > 1 && [...plain].every((digit) => digit >= '0' && digit <= '7') && plain[0] === '0';
  const value = Number(isOctal ? `0o${plain.slice(1)}` : plain);
  return Number.isNaN(value) ? undefined : value;
}

/** A number without an exponent: `+Inf`, `0.000001`, `100000000000000000000000`. */
export function plainNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e');
  const sign = value < 0 ? '-' : '';
  if (exponent === undefined) return sign + mantissa;
  const [whole = '', decimals = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + decimals;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const escapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
]);

/**
 * The text of a literal in single, double or back quotes; undefined when it is none, or has an escape that does not
 * exist.
 */
export function readString(literal: string): string | undefined {
  const quote = literal[0];
  if (literal.length < 2 || quote === undefined || literal.at(-1) !== quote) return undefined;
  const inner = literal.slice(1, -1);
  if (quote === '`') return inner.includes('`') ? undefined : inner;
  if (inner.includes('\n')) return undefined;
  if (!inner.includes('\\')) return inner.includes(quote) ? undefined : inner;
  const parts: Buffer[] = [];
  for (let at = 0; at < inner.length; ) {
    const next = inner.indexOf('\\', at);
    const end = next < 0 ? inner.length : next;
    const plain = inner.slice(at, end);
    if (plain.includes(quote)) return undefined;
    parts.push(Buffer.from(plain));
    if (next < 0) break;
    const character = readEscape(inner, next + 1, quote);
    if (character === undefined) return undefined;
    parts.push(character.bytes);
    at = character.end;
  }
  return textOf(Buffer.concat(parts));
}

/** Bytes that are no UTF-8 become lone surrogates, which no text has, so that they stay apart from every other text. */
function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('');
}

function readEscape(
  text: string,
  at: number,
  quote: string,
): { readonly bytes: Buffer; readonly end: number } | undefined {
  const letter = text[at] ?? '';
  const plain = letter === quote ? quote.charCodeAt(0) : escapes.get(letter);
  if (plain !== undefined) return { bytes: Buffer.of(plain), end: at + 1 };
  const isOctal = letter >= '0' && letter <= '7';
  const length = isOctal ? 3 : letter === 'x' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
  const start = isOctal ? at : at + 1;
  const digits = text.slice(start, start + length);
  const base = isOctal ? 8 : 16;
  if (length === 0 || digits.length < length || ![...digits].every((digit) => Number.parseInt(digit, base) >= 0))
    return undefined;
  const code = Number.parseInt(digits, base);
  const end = start + length;
  if (isOctal || letter === 'x') return code > 255 ? undefined : { bytes: Buffer.of(code), end };
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
  return { bytes: Buffer.from(String.fromCodePoint(code)), end };
}

const names: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** A text in double quotes, as Prometheus prints it. */
export function quotedText(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += names.get(character) ?? visible(character);
  return `${quoted}"`;
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xdc80 && code < 0xdd00) return `\\x${(code - 0xdc00).toString(16)}`;
  if (code < 0x7f || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** True for a name of a label that needs no quotes. */
export function isPlainLabel(name: string): boolean {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name);
}

/** `line:column` of a place in a query, counted from 1; columns count bytes. */
export function positionText(query: string, at: number): string {
  const before = query.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${line}:${Buffer.byteLength(before.slice(lineStart)) + 1}`;
}

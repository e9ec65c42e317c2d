import type { OptionRecord, OptionRow, OptionType, OptionValue } from '../model/option.js';
import { readDuration } from '../text/duration.js';
import { withoutTrailing } from '../text/ends.js';
import { parseJson } from '../text/json.js';

/** The part of a setting that reading its value needs. */
export type ValueRule = Pick<OptionRow, 'type' | 'allowed' | 'min' | 'max'>;

/** A value, or a phrase that names what would be allowed. */
export type Parsed =
  | { readonly ok: true; readonly value: OptionValue }
  | { readonly ok: false; readonly allowed: string };

const sizeUnits: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

/** The spellings of a boolean (reference flag library of the dialect: `1 t T true TRUE True` and their opposites). */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

/** Reads the text of a setting from the command line, the environment or a table's default. */
export function parseValue(rule: ValueRule, text: string): Parsed {
  const value = readText(rule.type, text);
  return value === undefined ? { ok: false, allowed: describeAllowed(rule) } : checkValue(rule, value);
}

/**
 * Checks a value that has its type already against the rule's words and bounds; an allowed word gets its table
 * spelling.
 */
export function checkValue(rule: ValueRule, value: OptionValue): Parsed {
  const refused = { ok: false, allowed: describeAllowed(rule) } as const;
  if (typeof value === 'string' && rule.allowed !== undefined) {
    const word = rule.allowed.find((allowed) => allowed === value.toLowerCase());
    return word === undefined ? refused : { ok: true, value: word };
  }
  return numbersOf(value).every((number) => isWithin(rule, number)) ? { ok: true, value } : refused;
}

/** Prints a value so that {@link parseValue} reads the same value back; a setting that is not set prints as nothing. */
export function printValue(type: OptionType, value: OptionValue): string {
  if (value === undefined) return '';
  if (typeof value === 'object') return `[${value.map(printElement).join(', ')}]`;
  if (typeof value === 'number' && type === 'duration') return printDuration(value);
  if (typeof value === 'number' && type === 'size') return printSize(value);
  return String(value);
}

/** A phrase for people: what a setting takes, such as `a whole number from 1 to 10`. */
export function describeAllowed(rule: ValueRule): string {
  if (rule.allowed !== undefined) return `one of ${rule.allowed.join(', ')}`;
  return `${typePhrases[rule.type]}${describeRange(rule)}`;
}

const typePhrases: Readonly<Record<OptionType, string>> = {
  int: 'a whole number',
  uint: 'a whole number, not negative',
  float: 'a number',
  bool: 'true or false (outside the file also 1, t, 0, f)',
  string: 'a text',
  secret: 'a text',
  duration: 'a duration with units, such as 500ms, 5s or 1h30m',
  size: 'a size such as 64KB, 512MB or 1GB, or a whole number of bytes',
  'string-list': 'a list of texts, such as a,b',
  'int-list': 'a list of whole numbers, such as 6046,6047',
  tables: 'tables, in the file [[section.key]]; elsewhere a JSON list of objects',
};

/** The bounds of a setting for people, to stand behind its type: ` from 1 to 10`; empty without any. */
export function describeRange(rule: ValueRule): string {
  const { min, max, type } = rule;
  if (min === undefined && max === undefined) return '';
  const each = type === 'int-list' ? ', each' : '';
  if (min !== undefined && max !== undefined) {
    const comma = type === 'duration' || type === 'size' ? ',' : '';
    return `${each || comma} from ${printValue(type, min)} to ${printValue(type, max)}`;
  }
  return `${each || ','} ${min === undefined ? `at most ${printValue(type, max)}` : `at least ${printValue(type, min)}`}`;
}

function readText(type: OptionType, text: string): OptionValue {
  switch (type) {
    case 'int':
      return readInteger(text.trim());
    case 'uint':
      return readUnsigned(text.trim());
    case 'float':
      return readFloat(text.trim());
    case 'bool':
      return booleans.get(text.trim());
    case 'string':
    case 'secret':
      return text;
    case 'duration':
      return readDuration(text.trim());
    case 'size':
      return readSize(text.trim());
    case 'string-list':
      return readList(text);
    case 'int-list':
      return readIntegers(text);
    case 'tables':
      return readRecords(text);
  }
}

function readInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) return undefined;
  return value === 0 ? 0 : value; // "-0" is plain 0
}

function readUnsigned(text: string): number | undefined {
  const value = readInteger(text);
  return value === undefined || value < 0 ? undefined : value;
}

function readFloat(text: string): number | undefined {
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function printDuration(ms: number): string {
  const wholeMs = Math.floor(ms);
  const ns = BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((ms - wholeMs) * 1e6));
  if (ns === 0n) return '0s';
  if (ns < 1_000n) return `${ns}ns`;
  if (ns < 1_000_000n) return `${withDecimals(ns, 1_000n)}us`;
  if (ns < 1_000_000_000n) return `${withDecimals(ns, 1_000_000n)}ms`;
  const hours = ns / 3_600_000_000_000n;
  const minutes = (ns / 60_000_000_000n) % 60n;
  const seconds = `${withDecimals(ns % 60_000_000_000n, 1_000_000_000n)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

function withDecimals(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const decimals = withoutTrailing(String(value % unit).padStart(digits, '0'), '0');
  return decimals === '' ? String(value / unit) : `${value / unit}.${decimals}`;
}

/** Units are powers of 1024, in any case. `1G` is refused rather than guessed at. */
function readSize(text: string): number | undefined {
  const match = /^(\d+)\s*(B|KB|MB|GB|TB)?$/i.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * (sizeUnits[(match[2] ?? 'B').toUpperCase()] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function printSize(bytes: number): string {
  if (bytes === 0) return '0';
  const [unit, factor] = Object.entries(sizeUnits)
    .reverse()
    .find(([, candidate]) => bytes % candidate === 0) ?? ['B', 1];
  return unit === 'B' ? String(bytes) : `${bytes / factor}${unit}`;
}

/** Elements are parted by commas and blanks; one with such characters stands in double quotes, as a JSON string. */
function readList(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  const inner = trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
  if (!/^[\s,]*(("(\\.|[^"\\])*"|[^\s,"][^\s,]*)([\s,]+|$))*$/s.test(inner)) return undefined;
  const elements: string[] = [];
  for (const [token] of inner.matchAll(/"(\\.|[^"\\])*"|[^\s,]+/gs)) {
    const element = token.startsWith('"') ? readQuoted(token) : token;
    if (element === undefined) return undefined;
    elements.push(element);
  }
  return elements;
}

function readQuoted(token: string): string | undefined {
  const value = parseJson(token);
  return typeof value === 'string' ? value : undefined;
}

function readIntegers(text: string): readonly number[] | undefined {
  const numbers = readList(text)?.map(readInteger);
  const known = numbers?.filter((number) => number !== undefined);
  return known?.length === numbers?.length ? known : undefined;
}

/** A JSON list of objects; nothing is an empty list. */
function readRecords(text: string): readonly OptionRecord[] | undefined {
  if (text.trim() === '') return [];
  const value = parseJson(text);
  if (!Array.isArray(value)) return undefined;
  const records: OptionRecord[] = [];
  for (const element of value) {
    if (!isRecord(element)) return undefined;
    records.push(element);
  }
  return records;
}

/** True for an object that is neither null nor a list. */
export function isRecord(value: unknown): value is OptionRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function printElement(element: string | number | OptionRecord): string {
  if (typeof element === 'object') return JSON.stringify(element);
  if (typeof element === 'number') return String(element);
  return element === '' || /[\s,"]/.test(element) ? JSON.stringify(element) : element;
}

function numbersOf(value: OptionValue): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' ? value.filter((element) => typeof element === 'number') : [];
}

function isWithin(rule: ValueRule, value: number): boolean {
  return value >= (rule.min ?? Number.NEGATIVE_INFINITY) && value <= (rule.max ?? Number.POSITIVE_INFINITY);
}

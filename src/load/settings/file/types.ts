import { longestWidth } from '../../../model/row-length.js';
import { type DataType, dataType, type TypeName } from '../../../model/schema.js';
import type { FieldPlan, ValuePlan } from '../../model/scenario.js';

/** Bounds of numbers, `max` excluded; 64-bit integers beyond 2^53 are exact as bigint. */
export interface NumberBounds {
  readonly min: number | bigint;
  readonly max: number | bigint;
}

/** A type as the load tool knows it. */
export interface LoadType {
  readonly name: TypeName;
  /** Bounds of random values where none are given; undefined for types that are no numbers. */
  readonly usual?: NumberBounds;
  /** The widest bounds that may be given. */
  readonly widest?: NumberBounds;
  /** Values are given with a length. */
  readonly sized?: true;
}

const int: NumberBounds = { min: -1073741823, max: 1073741823 };
const uint: NumberBounds = { min: 0, max: 2147483647 };
const float: NumberBounds = { min: -3.4e38, max: 3.4e38 };
const double: NumberBounds = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE };
const tinyintUnsigned: LoadType = {
  name: 'TINYINT UNSIGNED',
  usual: { min: 0, max: 254 },
  widest: { min: 0, max: 256 },
};
const smallintUnsigned: LoadType = {
  name: 'SMALLINT UNSIGNED',
  usual: { min: 0, max: 65534 },
  widest: { min: 0, max: 65536 },
};
const intUnsigned: LoadType = { name: 'INT UNSIGNED', usual: uint, widest: { min: 0, max: 2 ** 32 } };
const bigintUnsigned: LoadType = { name: 'BIGINT UNSIGNED', usual: uint, widest: { min: 0, max: 2n ** 64n } };
const varchar: LoadType = { name: 'VARCHAR', sized: true };

/** Types by every name they may be given with, in lower case. */
const types: ReadonlyMap<string, LoadType> = new Map<string, LoadType>([
  ['bool', { name: 'BOOL', usual: { min: 0, max: 2 }, widest: { min: 0, max: 2 } }],
  ['tinyint', { name: 'TINYINT', usual: { min: -127, max: 128 }, widest: { min: -128, max: 128 } }],
  ['utinyint', tinyintUnsigned],
  ['tinyint unsigned', tinyintUnsigned],
  ['smallint', { name: 'SMALLINT', usual: { min: -32767, max: 32767 }, widest: { min: -32768, max: 32768 } }],
  ['usmallint', smallintUnsigned],
  ['smallint unsigned', smallintUnsigned],
  ['int', { name: 'INT', usual: int, widest: { min: -(2 ** 31), max: 2 ** 31 } }],
  ['uint', intUnsigned],
  ['int unsigned', intUnsigned],
  ['bigint', { name: 'BIGINT', usual: int, widest: { min: -(2n ** 63n), max: 2n ** 63n } }],
  ['ubigint', bigintUnsigned],
  ['bigint unsigned', bigintUnsigned],
  ['float', { name: 'FLOAT', usual: int, widest: float }],
  ['double', { name: 'DOUBLE', usual: int, widest: double }],
  ['timestamp', { name: 'TIMESTAMP', usual: uint, widest: { min: -(2n ** 63n), max: 2n ** 63n } }],
  ['decimal', { name: 'DECIMAL' }],
  ['binary', varchar],
  ['varchar', varchar],
  ['nchar', { name: 'NCHAR', sized: true }],
  ['json', { name: 'JSON' }],
]);

/** Longest value of a JSON tag, in characters. */
const maxJsonLength = 4096;

/** Names of all types, in lower case. */
export const typeNames: readonly string[] = [...types.keys()];

/** A type by name, whatever its case and blanks; undefined when it is none. */
export function loadTypeOf(name: string): LoadType | undefined {
  return types.get(name.trim().replace(/\s+/g, ' ').toLowerCase());
}

/** Digits of a DECIMAL, and those behind its point. */
interface Digits {
  readonly precision: number;
  readonly scale: number;
}

/** Widest bounds of a DECIMAL, scaled to whole numbers: the least value, and the one behind the greatest. */
export function decimalBounds({ precision }: Digits): { readonly min: bigint; readonly max: bigint } {
  const most = 10n ** BigInt(precision);
  return { min: 1n - most, max: most };
}

/** Most digits on either side of the point, and the greatest exponent, of a bound that is read. */
const [mostDigits, mostExponent] = [80, 999] as const;

/** A number as a DECIMAL scaled to a whole number, exactly; undefined when it is none or has more digits behind the point. */
export function scaledDecimal(text: string, { scale }: Digits): bigint | undefined {
  const pattern = /^([+-]?)([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;
  const [, sign, whole = '', rest = '', exponent = '0'] = pattern.exec(text.trim()) ?? [];
  const isLong = whole.length > mostDigits || rest.length > mostDigits || Math.abs(Number(exponent)) > mostExponent;
  if (sign === undefined || isLong) return undefined;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${rest}`);
  const power = scale - rest.length + Number(exponent);
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** The column type of a length that counts for VARCHAR and NCHAR alone. */
export function columnType(type: LoadType, length: number): DataType {
  return type.sized === true ? dataType(type.name, length) : dataType(type.name);
}

/** Longest text of a type, in its own unit. */
export function maxLengthOf(type: LoadType, role: 'column' | 'tag'): number {
  return longestWidth(type.name, role) ?? maxJsonLength;
}

/** One type of `-b` or `-A`. */
export interface ListedType {
  readonly type: LoadType;
  /** Of VARCHAR, NCHAR and the values of JSON. */
  readonly length: number;
  /** Of a DECIMAL. */
  readonly digits?: Digits;
}

/**
 * Reads the value of `-b` or `-A`: types parted by commas, in any case, BINARY, VARCHAR, NCHAR and JSON also with a length
 * in brackets. The result is the word that is no type, where there is one.
 */
export function readTypeList(text: string, defaultLength: number): readonly ListedType[] | string {
  const list: ListedType[] = [];
  for (const word of typeWords(text)) {
    const listed = readListedType(word, defaultLength);
    if (listed === undefined) return word.trim();
    list.push(listed);
  }
  return list;
}

/** The words between the commas that stand in no brackets. */
function typeWords(text: string): readonly string[] {
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') at = Math.max(at, text.indexOf(')', at));
    else if (text[at] === ',') {
      words.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...words, text.slice(start)];
}

function listedDecimal(precision: number, scale: number): ListedType | undefined {
  const isType = precision >= 1 && precision <= 38 && scale <= precision;
  return isType ? { type: { name: 'DECIMAL' }, length: precision, digits: { precision, scale } } : undefined;
}

function readListedType(word: string, defaultLength: number): ListedType | undefined {
  const decimal = /^\s*decimal\s*(?:\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\)\s*)?$/i.exec(word);
  if (decimal !== null) return listedDecimal(Number(decimal[1] ?? 10), Number(decimal[2] ?? 0));
  const [, name, digits] = /^\s*([a-z]+)\s*\(\s*([1-9]\d*)\s*\)\s*$/i.exec(word) ?? [];
  const type = loadTypeOf(name ?? word);
  if (type === undefined || digits === undefined) return type && { type, length: defaultLength };
  if (type.sized !== true && type.name !== 'JSON') return undefined;
  return { type, length: Number(digits) };
}

/** Whether a field is in every row or once with each sub-table. */
export type FieldRole = 'column' | 'tag';

/** Most data columns beside the time, and most tags. */
export const maxFields = { column: 4095, tag: 128 } as const;

/** How values of a type are made up where nothing says otherwise. */
export function usualValues(type: LoadType, length: number, role: FieldRole): ValuePlan {
  if (type.sized === true) return { kind: 'text', length };
  if (type.name === 'JSON') return { kind: 'json', pairs: 1, length };
  if (type.usual === undefined || (type.name === 'TIMESTAMP' && role === 'column')) return { kind: 'now' };
  return { kind: 'range', ...type.usual };
}

/** Fields of the types of a list: `c0`, `c1`, … or `t0`, `t1`, …. */
export function listedFields(types: readonly ListedType[], role: FieldRole): readonly FieldPlan[] {
  const letter = role === 'column' ? 'c' : 't';
  return types.map(({ type, length, digits }, at) => ({
    name: `${letter}${at}`,
    type: digits === undefined ? columnType(type, length) : dataType('DECIMAL', digits.precision, digits.scale),
    values: digits === undefined ? usualValues(type, length, role) : { kind: 'range', ...decimalBounds(digits) },
    sma: false,
  }));
}

import { parseWellKnownText } from '../../bytes/geometry.js';
import { Codes } from '../../model/fault.js';
import { type DataType, dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { bytes, call, float64, int64, nullWord, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { castTo, castToEngine, engineType } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { decimalOverflow } from '../syntax/faults.js';
import { parseTimestamp, ticksOfNanos } from '../times/timestamp.js';
import { type QueryContext, refuse } from './context.js';
import { decimalDigits, exactNumber, leadingNumber, roundedUnits } from './exact-number.js';
import { ticksOfText } from './text-time.js';
import {
  bigintType,
  boolType,
  computed,
  doubleType,
  isBinary,
  isInteger,
  isNumeric,
  isText,
  isUnsigned,
  nullValue,
  ticksValue,
  timestampType,
  unsignedType,
  type Value,
} from './value.js';

/** Surroundings of an expression that its translation needs beside its operands. */
export interface Environment {
  readonly context: QueryContext;
  /** Of the table or subquery in FROM; ms without one. */
  readonly precision: Precision;
}

/** NOW in ticks of the block's precision. */
export function nowTicks(env: Environment): bigint {
  return ticksOfNanos(env.context.nowNanos(), env.precision);
}

const leadingInteger = '^[ \\t\\r\\n]*([-+]?[0-9]+)';

/** The number that text begins with; 0 when it begins with none. */
export function leadingNumberOf(text: string): number {
  const match = leadingNumber.exec(text);
  return match === null ? 0 : Number(match[1]);
}

/** A value as a DOUBLE: text by the number it begins with, bool as 1 and 0, a timestamp as its ticks. */
export function numberOf(value: Value): Value {
  if (value.role === 'null') return { ...nullValue, sql: castToEngine(expr`NULL`, doubleType), type: doubleType };
  if (value.type.name === 'DOUBLE') return value;
  if (isText(value.type)) {
    if (typeof value.constant === 'string') {
      const number = leadingNumberOf(value.constant);
      return { ...computed(float64(number), doubleType, [value]), constant: number };
    }
    return computed(expr`toFloat64OrZero(extract(${value.sql}, ${text(leadingNumber.source)}))`, doubleType, [value]);
  }
  if (value.member !== undefined) return memberNumber(value);
  if (isBinary(value.type) || value.type.name === 'JSON') throw wrongType(value.type);
  return computed(expr`toFloat64(${value.sql})`, doubleType, [value]);
}

function memberNumber(value: Value): Value {
  return computed(expr`toFloat64OrNull(${value.sql})`, doubleType, [value]);
}

/** The error for a value of a type that cannot stand where it does. */
export function wrongType(type: DataType): Error {
  return refuse(Codes.invalidValueType, `Invalid value type: ${type.name}`);
}

/** A value as the 64 bits of a BIGINT or a BIGINT UNSIGNED, for bit operators. */
export function integerOf(value: Value, type: DataType): Value {
  if (value.role === 'null') return { ...nullValue, sql: castToEngine(expr`NULL`, type), type };
  const bits = (sql: Expr): Value => computed(call(isUnsigned(type) ? 'toUInt64' : 'toInt64', sql), type, [value]);
  if (isInteger(value.type) || value.type.name === 'BOOL' || value.type.name === 'TIMESTAMP') return bits(value.sql);
  if (!isNumeric(value.type)) throw wrongType(value.type);
  return bits(truncated(value, isUnsigned(type)));
}

/**
 * A value as ticks of `precision`: numbers count ticks already, text is read as a time (error 0x2635 when a literal is
 * none; NULL when a column's text is none).
 */
export function ticksOf(value: Value, precision: Precision, env: Environment): Value {
  if (value.role === 'null')
    return { ...nullValue, sql: castToEngine(expr`NULL`, bigintType), type: timestampType, precision };
  if (value.type.name === 'TIMESTAMP') return rescale(value, precision);
  if (isText(value.type)) return textTicks(value, precision, env);
  if (typeof value.constant === 'bigint') return ticksValue(value.constant, precision);
  if (value.type.name === 'BIGINT UNSIGNED') {
    return { ...computed(expr`accurateCastOrNull(${value.sql}, 'Int64')`, timestampType, [value]), precision };
  }
  if (isInteger(value.type) || value.type.name === 'BOOL') {
    return { ...computed(expr`toInt64(${value.sql})`, timestampType, [value]), precision, nullable: value.nullable };
  }
  if (isNumeric(value.type)) return { ...computed(truncated(value), timestampType, [value]), precision };
  throw wrongType(value.type);
}

function textTicks(value: Value, precision: Precision, env: Environment): Value {
  const zone = env.context.connectionZone;
  if (typeof value.constant === 'string') {
    const ticks = parseTimestamp(value.constant, precision, zone);
    if (ticks === undefined) throw incorrectTimestamp(value.constant, value.start, zone);
    return ticksValue(ticks, precision);
  }
  return { ...computed(ticksOfText(value.sql, precision, zone), timestampType, [value]), precision };
}

function incorrectTimestamp(word: string, start: number | undefined, zone: string): Error {
  const [, time = '', rest = ''] = /^(\d+-\d+-\d+[ Tt]\d+:\d+)(\D.*)?$/.exec(word) ?? [];
  const whole = `${time}:00${rest}`;
  const hint = parseTimestamp(whole, 'ms', zone) === undefined ? '' : ` (its seconds are missing: ${whole})`;
  const place = start === undefined ? undefined : { start, word };
  return refuse(Codes.incorrectTimestamp, `Incorrect TIMESTAMP value: ${word}${hint}`, place);
}

/** The same instant in ticks of another precision; finer digits are cut off. */
function rescale(value: Value, precision: Precision): Value {
  if (value.precision === precision) return value;
  const from = ticksPerSecond(value.precision);
  const to = ticksPerSecond(precision);
  if (typeof value.constant === 'bigint') {
    return ticksValue(rescaleTicks(value.constant, value.precision, precision), precision);
  }
  const sql = to > from ? expr`multiply(${value.sql}, ${to / from})` : floorDivide(value.sql, from / to);
  return { ...value, sql, precision, role: undefined };
}

function rescaleTicks(ticks: bigint, from: Precision, to: Precision): bigint {
  return ticksOfNanos(ticks * BigInt(1e9 / ticksPerSecond(from)), to);
}

/** Division that rounds down, also below zero. */
export function floorDivide(sql: Expr, divisor: number | bigint): Expr {
  return expr`intDiv(${sql} - ${remainder(sql, divisor)}, ${divisor})`;
}

/**
 * What a division that rounds down leaves. A divisor beyond 32 bits is made a signed number: of one that is not, the engine takes what is
 * below zero for something very large.
 */
export function remainder(sql: Expr, divisor: number | bigint): Expr {
  return expr`positiveModulo(${sql}, ${divisor < 2n ** 32n ? divisor : int64(BigInt(divisor))})`;
}

function truncated(value: Value, unsigned = false): Expr {
  // By way of a wide integer, because straight from a decimal the engine fails where it should give NULL.
  if (value.type.name === 'DECIMAL') {
    const whole = expr`CAST(truncate(${value.sql}), 'Nullable(Int128)')`;
    const signed = expr`accurateCastOrNull(${whole}, 'Int64')`;
    return unsigned ? expr`ifNull(accurateCastOrNull(${whole}, 'UInt64'), toUInt64(${signed}))` : signed;
  }
  const number = expr`toFloat64(${value.sql})`;
  const signed = expr`toInt64(if(isNaN(${number}), 0, least(greatest(${number}, toFloat64('-9223372036854774784')), toFloat64('9223372036854774784'))))`;
  if (!unsigned) return signed;
  const upper = expr`toUInt64(least(${number}, toFloat64('18446744073709549568')))`;
  return expr`if(ifNull(${number} >= toFloat64('9223372036854775808'), 0), ${upper}, toUInt64(${signed}))`;
}

/** A value as a condition: numbers and timestamps other than 0, text that begins with such a number. */
export function truthOf(value: Value): Value {
  if (value.type.name === 'BOOL') return value;
  if (value.role === 'null') return { ...nullValue, sql: castToEngine(expr`NULL`, boolType), type: boolType };
  if (value.member !== undefined) {
    const { document, key } = value.member;
    return computed(expr`JSONExtractBool(${document}, ${text(key)})`, boolType, [value]);
  }
  const number = value.type.name === 'TIMESTAMP' || isInteger(value.type) ? value : numberOf(value);
  return computed(expr`notEquals(${number.sql}, 0)`, boolType, [value]);
}

/**
 * CAST of the dialect: never fails on a value of a row. Text that is no number gives 0, text that is no time is NULL, integers
 * wrap, text is cut, and what is too large for a DECIMAL is NULL. A literal that is no time is error 0x2635.
 */
export function castValue(value: Value, type: DataType, env: Environment): Value {
  if (value.role === 'null') return { ...nullValue, sql: castToEngine(expr`NULL`, type), type, role: undefined };
  const from = value.type;
  if (type.name === 'JSON' || type.name === 'BLOB' || from.name === 'BLOB' || from.name === 'JSON') {
    throw refuse(Codes.functionParameterType, 'Invalid parameter data type : CAST');
  }
  const result = (sql: Expr): Value => computed(sql, type, [value], env.precision);
  if (type.name === 'TIMESTAMP') return ticksOf(value, env.precision, env);
  if (type.name === 'BOOL') return result(castToEngine(isText(from) ? textTruth(value) : truthOf(value).sql, type));
  if (isInteger(type)) return result(castToEngine(integerText(value, isUnsigned(type)), type));
  if (type.name === 'FLOAT' || type.name === 'DOUBLE') return result(castToEngine(numberOf(value).sql, type));
  if (type.name === 'DECIMAL') {
    const { digits } = value;
    return result(
      digits === undefined ? decimalWithin(roundedDecimal(value, type.scale ?? 0), type) : decimalOf(digits, type),
    );
  }
  return result(cutText(isBinary(type) ? binaryOf(value, type) : textOf(value), type));
}

/** A number that was written with a fraction or an exponent, to the digit; NULL when it has more digits than the type. */
function decimalOf(written: string, type: DataType): Expr {
  const scale = type.scale ?? 0;
  const units = roundedUnits(exactNumber(written), scale);
  const isWithin = (units < 0n ? -units : units) < 10n ** BigInt(type.length);
  return castToEngine(isWithin ? text(decimalDigits(units, scale)) : nullWord, type);
}

/** A rounded number as a DECIMAL; NULL when it has more digits than the type, of which the engine holds more than declared. */
function decimalWithin(number: Expr, type: DataType): Expr {
  const scale = type.scale ?? 0;
  const wide = expr`accurateCastOrNull(${number}, ${text(`Decimal(76, ${scale})`)})`;
  const limit = expr`toDecimal256(${text(`1${'0'.repeat(type.length - scale)}`)}, ${scale})`;
  return expr`if(ifNull(abs(${wide}) < ${limit}, 0), accurateCastOrNull(${wide}, ${text(engineType(type))}), NULL)`;
}

/** A value rounded half away from zero; text to the digit, without a detour by way of binary fractions. */
function roundedDecimal(value: Value, scale: number): Expr {
  const { type } = value;
  if (isInteger(type) || type.name === 'DECIMAL' || type.name === 'BOOL')
    return expr`round(${decimalText(value)}, ${scale})`;
  if (isText(type)) {
    const digits = expr`extract(${value.sql}, ${text(leadingNumber.source)})`;
    return expr`round(if(equals(${digits}, ''), toDecimal256('0', 38), toDecimal256OrNull(${digits}, 38)), ${scale})`;
  }
  const number = numberOf(value).sql;
  return expr`sign(${number}) * floor(abs(${number}) * pow(10, ${scale}) + 0.5) / pow(10, ${scale})`;
}

function decimalText(value: Value): Expr {
  return value.type.name === 'DECIMAL' ? value.sql : expr`CAST(${value.sql}, 'Nullable(Decimal(38, 0))')`;
}

function textTruth(value: Value): Expr {
  const number = numberOf(value).sql;
  return expr`or(equals(lower(${value.sql}), 'true'), notEquals(${number}, 0))`;
}

function integerText(value: Value, unsigned: boolean): Expr {
  if (isText(value.type)) {
    const digits = expr`extract(${value.sql}, ${text(leadingInteger)})`;
    // Numbers beyond 64 bits wrap, as those of other types do.
    return call(unsigned ? 'toUInt64' : 'toInt64', expr`toInt256OrZero(${digits})`);
  }
  if (isInteger(value.type) || value.type.name === 'BOOL' || value.type.name === 'TIMESTAMP') return value.sql;
  if (isNumeric(value.type)) return truncated(value, unsigned);
  throw refuse(Codes.functionParameterType, 'Invalid parameter data type : CAST');
}

/** Text of a value; a timestamp is its ticks, a DECIMAL has all decimals of its type. */
export function textOf(value: Value): Expr {
  if (isText(value.type) || isBinary(value.type)) return value.sql;
  if (value.type.name === 'BOOL') return expr`toString(${castToEngine(value.sql, boolType)})`;
  if (value.type.name === 'DECIMAL') return expr`toDecimalString(${value.sql}, ${value.type.scale ?? 0})`;
  return expr`toString(${value.sql})`;
}

function cutText(sql: Expr, type: DataType): Expr {
  if (type.length <= 0) return sql;
  return type.name === 'NCHAR'
    ? expr`substringUTF8(${sql}, 1, ${type.length})`
    : expr`substring(${sql}, 1, ${type.length})`;
}

/** A value brought to the common type of a CASE, a UNION or an IN list. */
export function convertTo(value: Value, type: DataType, precision: Precision, env: Environment): Value {
  if (value.role === 'null')
    return { ...nullValue, sql: castToEngine(expr`NULL`, type), type, precision, role: undefined };
  if (type.name === 'TIMESTAMP') return { ...ticksOf(value, precision, env), role: undefined };
  if (isText(type)) return { ...computed(textOf(value), type, [value]), constant: value.constant };
  if (isNumeric(type) && isText(value.type)) return computed(castToEngine(numberOf(value).sql, type), type, [value]);
  if (isBinary(type)) return { ...value, sql: binaryOf(value, type), type };
  if (type.name === 'DECIMAL') return computed(decimalHeld(value, type), type, [value]);
  return computed(castToEngine(value.sql, type), type, [value]);
}

/** An exact number as a DECIMAL; error 0x013D for one with more digits than the type, where the type does not hold all of its own. */
function decimalHeld({ type: from, sql }: Value, type: DataType): Expr {
  const own = decimalFor(from);
  if (from.name === 'BOOL' || own.length - (own.scale ?? 0) <= type.length - (type.scale ?? 0))
    return castToEngine(sql, type);
  return heldIn(castTo(sql, `Nullable(Decimal(76, ${own.scale ?? 0}))`), type);
}

/**
 * A wide number, an Int128 or a Decimal of 76 digits, as `type`, which is BIGINT, BIGINT UNSIGNED or DECIMAL: the engine would give another
 * number in place of one that the type does not hold. Error 0x013D or 0x0224 then, which names the function.
 */
export function heldIn(wide: Expr, type: DataType, name?: string): Expr {
  const { isBeyond, code, message } =
    type.name === 'DECIMAL' ? beyondDecimal(wide, type, name) : beyond(wide, type, name);
  return expr`if(${raiseIf(expr`ifNull(${isBeyond}, 0)`, code, message)} = 0, ${castToEngine(wide, type)}, NULL)`;
}

/** A condition on a number that a type does not hold, and the error that it is. */
interface Beyond {
  readonly isBeyond: Expr;
  readonly code: number;
  readonly message: string;
}

function beyondDecimal(wide: Expr, type: DataType, name: string | undefined): Beyond {
  const limit = expr`toDecimal256(${text(`1${'0'.repeat(type.length - (type.scale ?? 0))}`)}, 0)`;
  const { code, message } = decimalOverflow(name).fault;
  return { isBeyond: expr`abs(${wide}) >= ${limit}`, code, message };
}

function beyond(wide: Expr, type: DataType, name: string | undefined): Beyond {
  const [low, high] = isUnsigned(type) ? [0n, 2n ** 64n] : [-(2n ** 63n), 2n ** 63n];
  const limit = (value: bigint): Expr => expr`toInt128(${text(String(value))})`;
  const message = `Value out of range: ${name ?? 'a number'} does not fit ${type.name}`;
  return {
    isBeyond: expr`or(${wide} < ${limit(low)}, ${wide} >= ${limit(high)})`,
    code: Codes.valueOutOfRange,
    message,
  };
}

/**
 * Bytes of a value that meets a VARBINARY or GEOMETRY: of a literal, `'\x98f46e'` is read as hex, and beside a GEOMETRY
 * `'POINT(1 2)'` as a shape; other text is taken as it is.
 */
export function binaryOf(value: Value, { name }: DataType): Expr {
  const { constant, sql } = value;
  if (typeof constant !== 'string') return isBinary(value.type) ? sql : textOf(value);
  if (/^\\x([0-9a-f]{2})*$/i.test(constant)) return bytes(Buffer.from(constant.slice(2), 'hex'));
  const shape = name === 'GEOMETRY' ? parseWellKnownText(constant) : undefined;
  return shape === undefined ? sql : bytes(shape);
}

/** The type that values of several types can all take, and its precision when it is TIMESTAMP. */
export function commonType(values: readonly Value[]): { type: DataType; precision: Precision } {
  const typed = values.filter((value) => value.role !== 'null');
  const first = typed[0];
  if (first === undefined) return { type: nullValue.type, precision: 'ms' };
  const meetsLargest = typed.some(({ type }) => type.name === 'BIGINT UNSIGNED');
  let type = typeAmong(first, meetsLargest);
  let precision = first.precision;
  for (const value of typed.slice(1)) {
    if (value.type.name === 'TIMESTAMP' && ticksPerSecond(value.precision) > ticksPerSecond(precision))
      precision = value.precision;
    type = widerType(type, typeAmong(value, meetsLargest));
  }
  return { type, precision };
}

/** The type of a value; a literal that is not negative takes that of the largest integers it meets, so that none is lost. */
function typeAmong({ type, constant }: Value, meetsLargest: boolean): DataType {
  const fits = meetsLargest && isInteger(type) && typeof constant === 'bigint' && constant >= 0n;
  return fits ? unsignedType : type;
}

/** The type both types can take; error 0x2605 when there is none. */
function widerType(a: DataType, b: DataType): DataType {
  if (a.name === b.name) return widerOfSame(a, b);
  if (a.name === 'TIMESTAMP' || b.name === 'TIMESTAMP') return timestampType;
  if (isText(a) || isText(b)) {
    const name = a.name === 'NCHAR' || b.name === 'NCHAR' ? 'NCHAR' : 'VARCHAR';
    return dataType(name, Math.max(textLength(a), textLength(b)));
  }
  if (isBinary(a) || isBinary(b) || a.name === 'JSON' || b.name === 'JSON') throw wrongType(b);
  if (a.name === 'BOOL') return b;
  if (b.name === 'BOOL') return a;
  if (!isInteger(a) || !isInteger(b)) return widerDecimal(a, b);
  if (isUnsigned(a) === isUnsigned(b)) return a.length >= b.length ? a : b;
  // No integer type holds both halves of the range.
  const isBeyond = a.name === 'BIGINT UNSIGNED' || b.name === 'BIGINT UNSIGNED';
  return isBeyond ? widerOfSame(decimalFor(a), decimalFor(b)) : bigintType;
}

function widerOfSame(a: DataType, b: DataType): DataType {
  if (a.name !== 'DECIMAL') return a.length >= b.length ? a : b;
  const scale = Math.max(a.scale ?? 0, b.scale ?? 0);
  const whole = Math.max(a.length - (a.scale ?? 0), b.length - (b.scale ?? 0));
  return dataType('DECIMAL', Math.min(38, whole + scale), scale);
}

function widerDecimal(a: DataType, b: DataType): DataType {
  const isDecimal = (type: DataType): boolean => type.name === 'DECIMAL' || isInteger(type);
  if (!isDecimal(a) || !isDecimal(b)) return doubleType;
  return widerOfSame(decimalFor(a), decimalFor(b));
}

const integerDigits: Readonly<Record<number, number>> = { 1: 3, 2: 5, 4: 10, 8: 20 };

/** The DECIMAL that holds every value of an integer type; a DECIMAL itself. */
export function decimalFor(type: DataType): DataType {
  return type.name === 'DECIMAL' ? type : dataType('DECIMAL', integerDigits[type.length] ?? 20, 0);
}

/** How many characters a value of a type takes as text. */
export function textLength(type: DataType): number {
  if (isText(type) || isBinary(type)) return type.length;
  if (type.name === 'BOOL') return 5;
  return isInteger(type) || type.name === 'TIMESTAMP' ? 20 : 40;
}

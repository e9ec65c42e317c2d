import { type DataType, dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { float64, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { castTo, castToEngine, engineType } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { integerValue } from './arithmetic.js';
import { binaryOf, type Environment, numberOf, ticksOf, wrongType } from './convert.js';
import { decimalDigits, type ExactNumber, exactNumber, leadingNumber, unitsOf, wideDecimal } from './exact-number.js';
import { doubleType, isBinary, isInteger, isNumeric, isText, isUnsigned, unsignedType, type Value } from './value.js';

/**
 * One of two values that are compared: engine SQL and what it yields. The engine compares numbers of all kinds without
 * loss; each other kind meets its own alone. Ticks are integers.
 */
interface Comparable {
  readonly sql: Expr;
  readonly kind: 'integer' | 'float' | 'decimal' | 'text' | 'bytes';
  /** Of a number: a type that is stored as `sql` is. */
  readonly type: DataType;
  /** A number that is the same for all rows. */
  readonly number?: ExactNumber | undefined;
}

/** Two values as the engine compares them; error 0x2605 where their types cannot meet. */
export function comparable(left: Value, right: Value, env: Environment): readonly [Comparable, Comparable] {
  if (isTime(left) || isTime(right)) {
    const side = (value: Value, other: Value): Comparable => {
      const time = timeSide(value, other, env);
      return isTime(time) ? { ...plain(time, 'integer'), number: literalNumber(time) } : numberSide(time, other);
    };
    return [side(left, right), side(right, left)];
  }
  if (isBinary(left.type) || isBinary(right.type)) {
    const fits = (value: Value): boolean => isBinary(value.type) || isText(value.type);
    if (!fits(left) || !fits(right)) throw wrongType(right.type);
    const side = (value: Value, other: Value): Comparable => ({
      ...plain(value, 'bytes'),
      sql: binaryOf(value, other.type),
    });
    return [side(left, right), side(right, left)];
  }
  if (isText(left.type) && isText(right.type)) return [plain(left, 'text'), plain(right, 'text')];
  return [numberSide(left, right), numberSide(right, left)];
}

function isTime({ type }: Value): boolean {
  return type.name === 'TIMESTAMP';
}

function isTruth({ type }: Value): boolean {
  return type.name === 'BOOL';
}

function plain({ sql, type }: Value, kind: Comparable['kind']): Comparable {
  return { sql, kind, type };
}

/**
 * A side of a comparison in which one at least is a time: as ticks of the finer precision, or as it is where it is a
 * number that may be no number of ticks.
 */
export function timeSide(value: Value, other: Value, env: Environment): Value {
  const { type, constant } = value;
  const isOther = !isTime(value) && isNumeric(type) && (!isInteger(type) || type.name === 'BIGINT UNSIGNED');
  if (isOther && typeof constant !== 'bigint') return value;
  return ticksOf(value, precisionOf(value, other), env);
}

function precisionOf(value: Value, other: Value): Precision {
  if (!isTime(value) || !isTime(other)) return isTime(value) ? value.precision : other.precision;
  return ticksPerSecond(value.precision) >= ticksPerSecond(other.precision) ? value.precision : other.precision;
}

/** The number that a literal is, or begins with; beside a BOOL the texts `true` and `false` are what they say. */
export function literalNumber({ constant, digits }: Value, besideTruth = false): ExactNumber | undefined {
  switch (typeof constant) {
    case 'bigint':
      return { digits: constant, scale: 0 };
    case 'boolean':
      return { digits: constant ? 1n : 0n, scale: 0 };
    case 'number':
      return exactNumber(digits ?? `${constant}`);
    case 'string': {
      const isTrue = constant.toLowerCase() === 'true';
      return besideTruth && isTrue ? { digits: 1n, scale: 0 } : exactNumber(constant);
    }
    default:
      return undefined;
  }
}

/**
 * A side of a comparison of numbers. A BOOL is 0 or 1. A FLOAT or DOUBLE holds the nearest number to the one that was
 * written, so a literal beside one is rounded in the same way. Beside other numbers a literal, or the number that a
 * text begins with, is taken to the digit.
 */
function numberSide(value: Value, other: Value): Comparable {
  const { type } = value;
  if (!isNumeric(type) && !isText(type) && !isTruth(value)) throw wrongType(type);
  const number = literalNumber(value, isTruth(other));
  if (other.type.name === 'FLOAT' || other.type.name === 'DOUBLE') return besideFloat(value, other.type, number);
  if (number !== undefined) return besideExact(value, other, number);
  if (isText(type)) return textNumber(value.sql, other.type);
  if (type.name !== 'DECIMAL') return column(value);
  const isAlike = isText(other.type) || (other.type.name === 'DECIMAL' && other.type.scale === type.scale);
  return isAlike || other.constant !== undefined ? column(value) : asDecimal(value.sql, type.scale ?? 0);
}

/** A number or BOOL of rows as it is. The engine would take a number beside its own Bool for one. */
function column(value: Value): Comparable {
  if (isTruth(value)) return { sql: expr`toUInt8(${value.sql})`, kind: 'integer', type: dataType('TINYINT UNSIGNED') };
  return plain(value, kindOf(value.type));
}

function besideFloat(value: Value, type: DataType, number: ExactNumber | undefined): Comparable {
  const isLiteral = number !== undefined;
  if (!isLiteral && !isText(value.type)) return column(value);
  const double = isLiteral && !isText(value.type) ? float64(Number(value.constant)) : numberOf(value).sql;
  if (type.name === 'DOUBLE') return { sql: double, kind: 'float', type: doubleType, number };
  return { sql: expr`toFloat32(${double})`, kind: 'float', type, number };
}

function kindOf(type: DataType): Comparable['kind'] {
  return type.name === 'DECIMAL' ? 'decimal' : isInteger(type) ? 'integer' : 'float';
}

/** A literal beside an integer, a DECIMAL or a text. */
function besideExact(value: Value, other: Value, number: ExactNumber): Comparable {
  if (isText(other.type) && value.type.name === 'DOUBLE') return { ...plain(value, 'float'), number };
  const whole = unitsOf(number, 0);
  const isWord = whole !== undefined && (BigInt.asIntN(64, whole) === whole || BigInt.asUintN(64, whole) === whole);
  if (isWord && other.type.name !== 'DECIMAL') {
    const { sql, type } = integerValue(whole);
    return { sql, kind: 'integer', type, number };
  }
  return { sql: wideDecimal(number), kind: 'decimal', type: wideType(Math.min(number.scale, mostDecimals)), number };
}

const mostDecimals = 38;

/** The engine's widest decimal, which holds every number of the dialect but FLOAT and DOUBLE. */
function wideType(scale: number): DataType {
  return dataType('DECIMAL', 76, scale);
}

/** A number that is no FLOAT or DOUBLE as the engine's widest decimal. */
function asDecimal(sql: Expr, scale: number): Comparable {
  const type = wideType(scale);
  return { sql: castToEngine(sql, type), kind: 'decimal', type };
}

/** Larger than each number that a text is compared with exactly. */
const beyond = 1e38;

/** The number that a text begins with, to the digit. */
function textNumber(source: Expr, other: DataType): Comparable {
  // One digit in front of the point more than a DECIMAL has, but of one that has no such digits at all.
  const decimals = other.scale === mostDecimals ? mostDecimals : mostDecimals - 1;
  const type = wideType(decimals);
  const number = expr`extract(${source}, ${text(leadingNumber.source)})`;
  const near = expr`least(greatest(toFloat64OrZero(${number}), ${float64(-beyond)}), ${float64(beyond)})`;
  const sql = expr`ifNull(toDecimal256OrNull(${number}, ${decimals}), toDecimal256(${near}, ${decimals}))`;
  return { sql, kind: 'decimal', type };
}

/** A literal as one of the values that `side` may have; undefined when it can equal none of them. */
export function literalAmong(side: Comparable, { sql, kind, number }: Comparable): Expr | undefined {
  if (side.kind === 'float') return kind === 'float' ? sql : expr`toFloat64(${sql})`;
  if (number === undefined) return sql;
  const scale = side.type.scale ?? 0;
  const units = unitsOf(number, scale);
  if (side.kind === 'decimal') {
    const limit = 10n ** BigInt(side.type.length);
    if (units === undefined || units >= limit || units <= -limit) return undefined;
    return castTo(text(decimalDigits(units, scale)), engineType(side.type));
  }
  if (units === undefined || !fitsInteger(units, side.type)) return undefined;
  return kind === 'integer' ? sql : integerValue(units).sql;
}

function fitsInteger(units: bigint, type: DataType): boolean {
  const bits = type.length * 8;
  return (isUnsigned(type) ? BigInt.asUintN(bits, units) : BigInt.asIntN(bits, units)) === units;
}

/**
 * Two values as engine SQL of one type each, for joins by equality and sets: where the values are equal, so are these,
 * and nowhere else. A value that equals none of the other type is NULL.
 */
export function equalKeys(left: Value, right: Value, env: Environment): readonly [Expr, Expr] {
  const [a, b] = comparable(left, right, env);
  const kinds = new Set([a.kind, b.kind]);
  const scale = Math.max(a.type.scale ?? 0, b.type.scale ?? 0);
  const each = (key: (side: Comparable) => Expr): readonly [Expr, Expr] => [key(a), key(b)];
  if (kinds.has('decimal') && kinds.has('float')) return each(({ sql }) => expr`toFloat64(${sql})`);
  if (kinds.has('decimal')) return each(({ sql }) => castToEngine(sql, wideType(scale)));
  if (kinds.has('integer') && kinds.has('float')) {
    return each(({ sql, kind }) =>
      kind === 'float' ? expr`accurateCastOrNull(${sql}, 'Int128')` : expr`toInt128(${sql})`,
    );
  }
  const mixesSigns = a.kind === 'integer' && a.type.name !== b.type.name && [a, b].some(isLargest);
  return each(({ sql }) => (mixesSigns ? expr`toInt128(${sql})` : sql));
}

function isLargest({ type }: Comparable): boolean {
  return type.name === unsignedType.name;
}

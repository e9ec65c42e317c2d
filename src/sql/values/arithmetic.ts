import { Codes } from '../../model/fault.js';
import { type DataType, dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { call, float64, int64, nullWord, number, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { castTo, castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import type { Duration } from '../syntax/ast.js';
import { timestampOutOfRange } from '../syntax/faults.js';
import { addDuration, durationTicks } from '../times/timestamp.js';
import { refuse } from './context.js';
import { decimalFor, type Environment, heldIn, integerOf, numberOf, ticksOf } from './convert.js';
import { shiftMonths } from './local-time.js';
import {
  bigintType,
  computed,
  doubleType,
  isInteger,
  isNatural,
  isWhole,
  ticksValue,
  timestampType,
  unsignedType,
  type Value,
} from './value.js';

/** Operators whose operands are numbers or times. */
type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '&' | '|';

/**
 * Arithmetic of the dialect: DOUBLE for numbers, DECIMAL as long as a DECIMAL meets nothing but exact numbers,
 * TIMESTAMP for a time and a duration, BIGINT for a whole number and a duration, the distance of two times and bit
 * operators. Division by zero is NULL.
 */
export function arithmetic(operator: ArithmeticOperator, left: Value, right: Value, env: Environment): Value {
  if (operator === '&' || operator === '|') {
    const isWide = [left, right].some(({ type: { name } }) => name === 'BIGINT UNSIGNED');
    const type = isWide ? unsignedType : bigintType;
    const [a, b] = [integerOf(left, type), integerOf(right, type)];
    return computed(call(operator === '&' ? 'bitAnd' : 'bitOr', a.sql, b.sql), type, [left, right]);
  }
  if (operator === '+' || operator === '-') {
    const [first, second] = [asTime(left, right, env), asTime(right, left, env)];
    const moved = timeArithmetic(operator, first, second, env) ?? wholeMoved(operator, left, right);
    if (moved !== undefined) return moved;
  }
  const [a, b] = [ofFixedLength(left), ofFixedLength(right)];
  if (a.type.name === 'DECIMAL' || b.type.name === 'DECIMAL') {
    const exact = [a, b].every(({ type }) => type.name === 'DECIMAL' || isInteger(type));
    if (exact) return decimalArithmetic(operator, a, b);
  }
  return doubleArithmetic(operator, a, b);
}

/** Arithmetic of numbers with a DOUBLE as its result; division by zero is NULL. */
export function doubleArithmetic(operator: '+' | '-' | '*' | '/' | '%', left: Value, right: Value): Value {
  // The engine takes a result of NULL for the same in all rows in one place, and for a column in another.
  if (left.role === 'null' || right.role === 'null')
    return computed(castToEngine(nullWord, doubleType), doubleType, [left, right]);
  const names = { '+': 'plus', '-': 'minus', '*': 'multiply', '/': 'divide', '%': 'modulo' } as const;
  if (isBeyondDouble(operator, left, right)) {
    const [a, b] = [expr`toInt128(${left.sql})`, expr`toInt128(${right.sql})`];
    const exact = call(names[operator], a, operator === '%' ? expr`nullIf(${b}, 0)` : b);
    return computed(expr`toFloat64(${exact})`, doubleType, [left, right]);
  }
  const [a, b] = [numberOf(left), numberOf(right)];
  const second = operator === '/' || operator === '%' ? expr`nullIf(${b.sql}, 0)` : b.sql;
  const sql = call(names[operator], a.sql, second);
  // Whole numbers have no zero with a sign, which would be a group of its own beside 0; this makes 0 of it.
  return computed(operator === '+' || operator === '-' ? sql : expr`plus(${sql}, 0)`, doubleType, [left, right]);
}

/**
 * True where whole numbers may have more digits than a DOUBLE, and the result may have fewer: the difference of two such numbers, or what a
 * division leaves. The engine then computes with whole numbers and rounds the result alone.
 */
function isBeyondDouble(operator: '+' | '-' | '*' | '/' | '%', left: Value, right: Value): boolean {
  if (operator === '*' || operator === '/' || ![left, right].every(isWhole)) return false;
  return [left, right].some(({ type, constant }) =>
    typeof constant === 'bigint' ? constant !== BigInt(Number(constant)) : type.length === 8,
  );
}

/** The same value; of a duration in months or years, which has no length without a timestamp beside it, their number. */
export function ofFixedLength(value: Value): Value {
  return isNatural(value) ? integerValue(BigInt(value.duration?.count ?? 0)) : value;
}

function timeArithmetic(operator: '+' | '-', left: Value, right: Value, env: Environment): Value | undefined {
  const leftIsTime = left.type.name === 'TIMESTAMP';
  const rightIsTime = right.type.name === 'TIMESTAMP';
  if (leftIsTime && rightIsTime) {
    if (operator === '+') throw refuse(Codes.invalidValueType, 'Invalid value type: TIMESTAMP + TIMESTAMP');
    const other = ticksOf(right, left.precision, env);
    return computed(moved(left.sql, 'minus', other.sql), bigintType, [left, right]);
  }
  if (!leftIsTime && !(rightIsTime && operator === '+')) return undefined;
  const [time, step] = leftIsTime ? [left, right] : [right, left];
  return shiftTime(time, step, operator === '-' ? -1 : 1, env);
}

/** A literal with a time in it is that time beside a duration or a time: `'2024-01-01' - 1d`, `ts - '2024-01-01'`. */
function asTime(value: Value, other: Value, env: Environment): Value {
  const { constant } = value;
  const isBesideTime = other.type.name === 'TIMESTAMP';
  if ((other.duration === undefined && !isBesideTime) || typeof constant !== 'string') return value;
  return /\d[-:]/.test(constant) ? ticksOf(value, isBesideTime ? other.precision : env.precision, env) : value;
}

/** A whole number and a duration of fixed length, both in ticks, make a whole number: ticks of ns have more digits than a DOUBLE. */
function wholeMoved(operator: '+' | '-', left: Value, right: Value): Value | undefined {
  const isSigned = ({ type, duration }: Value): boolean =>
    duration === undefined && isInteger(type) && type.name !== 'BIGINT UNSIGNED';
  const isTicks = ({ duration, constant }: Value): boolean => duration !== undefined && typeof constant === 'bigint';
  if (!(isSigned(left) && isTicks(right)) && !(isTicks(left) && isSigned(right))) return undefined;
  if (typeof left.constant === 'bigint' && typeof right.constant === 'bigint') {
    return integerValue(operator === '+' ? left.constant + right.constant : left.constant - right.constant);
  }
  const name = operator === '+' ? 'plus' : 'minus';
  return computed(call(name, expr`toInt64(${left.sql})`, expr`toInt64(${right.sql})`), bigintType, [left, right]);
}

function shiftTime(time: Value, step: Value, sign: 1 | -1, env: Environment): Value {
  if (step.duration !== undefined) return shiftByDuration(time, signed(step.duration, sign), env);
  if (typeof step.constant === 'bigint' && typeof time.constant === 'bigint') {
    return movedTime(time.constant + BigInt(sign) * step.constant, time.precision);
  }
  return shiftByTicks(time, isInteger(step.type) ? step : numberOf(step), sign);
}

function shiftByTicks(time: Value, step: Value, sign: 1 | -1): Value {
  const ticks = isInteger(step.type)
    ? expr`toInt64(${step.sql})`
    : expr`accurateCastOrNull(trunc(${step.sql}), 'Int64')`;
  return computed(moved(time.sql, sign > 0 ? 'plus' : 'minus', ticks), timestampType, [time, step], time.precision);
}

function signed(duration: Duration, sign: 1 | -1): Duration {
  return { count: duration.count * sign, unit: duration.unit };
}

/** A moved time, in ticks. Throws where it leaves 64 bits: the engine would come to a time at the other end. */
function movedTime(ticks: bigint, precision: Precision): Value {
  if (ticks !== BigInt.asIntN(64, ticks)) throw timestampOutOfRange();
  return ticksValue(ticks, precision);
}

/** A time of rows moved by ticks, or the distance of two times, as engine SQL; error 0x060b where it leaves 64 bits. */
export function moved(time: Expr, operator: 'plus' | 'minus', step: Expr): Expr {
  const sql = call(operator, time, step);
  const isForward = operator === 'plus' ? expr`${step} >= 0` : expr`${step} <= 0`;
  return expr`${sql} + ${raiseUnless(expr`(${isForward}) = (${sql} >= ${time})`)}`;
}

function raiseUnless(isWithin: Expr): Expr {
  const { code, message } = timestampOutOfRange().fault;
  return raiseIf(expr`not(ifNull(${isWithin}, 1))`, code, message);
}

/** A time moved by a duration; months and years keep the local time of day in the connection zone. */
function shiftByDuration(time: Value, duration: Duration, env: Environment): Value {
  const zone = env.context.connectionZone;
  const fixed = durationTicks(duration, time.precision);
  if (typeof time.constant === 'bigint') {
    const ticks = addDuration(time.constant, duration, time.precision, zone);
    const [low, high] = calendarLimits(time.precision);
    if (fixed === undefined && (ticks < low || ticks > high)) throw timestampOutOfRange();
    return movedTime(ticks, time.precision);
  }
  if (fixed !== undefined) {
    if (fixed !== BigInt.asIntN(64, fixed)) throw timestampOutOfRange();
    const sql = fixed < 0n ? moved(time.sql, 'minus', number(-fixed)) : moved(time.sql, 'plus', number(fixed));
    const value = computed(sql, timestampType, [time], time.precision);
    return { ...value, nullable: time.nullable, moved: { from: time, by: fixed, sql } };
  }
  const months = monthsOf(duration);
  const [low, high] = calendarLimits(time.precision).map((limit) =>
    within64Bits(addDuration(limit, signed(duration, -1), time.precision, 'UTC')),
  );
  const isOnCalendar = expr`and(${time.sql} >= ${int64(low ?? 0n)}, ${time.sql} <= ${int64(high ?? 0n)})`;
  const sql = expr`${shiftMonths(time.sql, months, time.precision, zone)} + ${raiseUnless(isOnCalendar)}`;
  return { ...computed(sql, timestampType, [time], time.precision), nullable: time.nullable };
}

/** The first and the last time, in ticks, that months move a time to: behind the calendar the engine stands still at its end. */
function calendarLimits(precision: Precision): readonly [bigint, bigint] {
  const perDay = 86_400n * BigInt(ticksPerSecond(precision));
  return [within64Bits(firstDay * perDay), within64Bits(behindLastDay * perDay - 1n)];
}

function within64Bits(ticks: bigint): bigint {
  const [low, high] = [-(2n ** 63n), 2n ** 63n - 1n];
  return ticks < low ? low : ticks > high ? high : ticks;
}

/** Days since 1970 of 0000-01-02 and 9999-12-31: one day from the ends of the calendar, so that no zone is outside. */
const firstDay = -719_527n;
const behindLastDay = 2_932_896n;

/** Calendar months of a duration in n or y. */
export function monthsOf(duration: Duration): number {
  return duration.unit === 'y' ? duration.count * 12 : duration.count;
}

function decimalArithmetic(operator: '+' | '-' | '*' | '/' | '%', left: Value, right: Value): Value {
  const [a, b] = [decimalFor(left.type), decimalFor(right.type)];
  const type = decimalResult(operator, a, b);
  const wide = (value: Value, digits: number): Expr => castTo(value.sql, `Nullable(Decimal(76, ${digits}))`);
  const [s1, s2] = [a.scale ?? 0, b.scale ?? 0];
  const [x, y] = [wide(left, s1), wide(right, s2)];
  // The engine takes the remainder of the digits as they stand, without regard to where the point is.
  const finest = Math.max(s1, s2);
  const scale = type.scale ?? 0;
  const exact = {
    '+': expr`plus(${x}, ${y})`,
    '-': expr`minus(${x}, ${y})`,
    '*': expr`multiplyDecimal(${x}, ${y}, ${scale})`,
    '/': decimalQuotient(x, y, s2, scale),
    '%': guarded(wide(right, finest), finest, (divisor) => expr`modulo(${wide(left, finest)}, ${divisor})`),
  } as const;
  return computed(castTo(exact[operator], `Nullable(Decimal(${type.length}, ${scale}))`), type, [left, right]);
}

/**
 * A quotient with `scale` decimals, NULL when the divisor is 0 or NULL. `divisorScale` is the scale of `divisor`. The engine
 * divides in rows that are NULL too, so the divisor is made harmless there.
 */
export function decimalQuotient(dividend: Expr, divisor: Expr, divisorScale: number, scale: number): Expr {
  return guarded(divisor, divisorScale, (safe) => expr`divideDecimal(${dividend}, ${safe}, ${scale})`);
}

function guarded(divisor: Expr, scale: number, divide: (safe: Expr) => Expr): Expr {
  const useless = expr`ifNull(equals(${divisor}, 0), 1)`;
  const safe = expr`if(${useless}, ${castTo(text('1'), `Decimal(76, ${scale})`)}, assumeNotNull(${divisor}))`;
  return expr`if(${useless}, NULL, ${divide(safe)})`;
}

/** Precision and scale by the usual rules, cut to 38 digits; at least six digits of the fraction survive the cut. */
function decimalResult(operator: '+' | '-' | '*' | '/' | '%', a: DataType, b: DataType): DataType {
  const [p1, s1, p2, s2] = [a.length, a.scale ?? 0, b.length, b.scale ?? 0];
  let scale = Math.max(s1, s2);
  let digits = Math.max(p1 - s1, p2 - s2) + scale + 1;
  if (operator === '*') {
    scale = s1 + s2;
    digits = p1 + p2 + 1;
  } else if (operator === '/') {
    scale = Math.max(6, s1 + p2 + 1);
    digits = p1 - s1 + s2 + scale;
  } else if (operator === '%') digits = Math.min(p1 - s1, p2 - s2) + scale;
  if (digits > 38) {
    scale = Math.max(38 - (digits - scale), Math.min(scale, 6));
    digits = 38;
  }
  return dataType('DECIMAL', digits, scale);
}

/** Unary minus; the sign of a literal becomes part of it. */
export function negate(value: Value): Value {
  if (typeof value.constant === 'bigint' && value.type.name !== 'TIMESTAMP' && value.duration === undefined) {
    const negated = -value.constant;
    return negated < -(2n ** 63n) ? doubleValue(Number(negated), String(negated)) : integerValue(negated);
  }
  if (value.duration !== undefined) {
    const duration = signed(value.duration, -1);
    const constant = typeof value.constant === 'bigint' ? -value.constant : undefined;
    return { ...value, duration, constant, sql: expr`negate(${value.sql})` };
  }
  if (value.type.name === 'DECIMAL') return computed(expr`negate(${value.sql})`, value.type, [value]);
  if (isWhole(value) && value.role !== 'null') return negatedInteger(value);
  const number = numberOf(value);
  if (typeof number.constant === 'number') return doubleValue(0 - number.constant, negatedDigits(number.digits));
  return computed(expr`minus(0, ${number.sql})`, doubleType, [value]);
}

/** A whole number of rows is a BIGINT, error 0x0224 of the smallest one; a BIGINT UNSIGNED is a DECIMAL, which holds its negative. */
function negatedInteger(value: Value): Value {
  if (value.type.name === 'BIGINT UNSIGNED') {
    const type = decimalFor(value.type);
    return computed(expr`negate(${castToEngine(value.sql, type)})`, type, [value]);
  }
  const wide = expr`negate(toInt128(${value.sql}))`;
  const sql = value.type.length === 8 ? heldIn(wide, bigintType, 'a negated number') : castToEngine(wide, bigintType);
  return computed(sql, bigintType, [value]);
}

const smallestInteger = -(2n ** 63n);

/** An integer literal: BIGINT, or BIGINT UNSIGNED above 2^63-1. */
export function integerValue(constant: bigint): Value {
  const signedRange = BigInt.asIntN(64, constant) === constant;
  if (!signedRange && BigInt.asUintN(64, constant) !== constant) {
    throw refuse(Codes.valueOutOfRange, `Value out of range: ${constant}`);
  }
  const type = signedRange ? bigintType : unsignedType;
  const sql = constant === smallestInteger ? int64(constant) : number(constant);
  return { sql, type, precision: 'ms', nullable: false, uses: 0, constant };
}

function negatedDigits(digits: string | undefined): string | undefined {
  return digits?.startsWith('-') ? digits.slice(1) : digits && `-${digits}`;
}

/** A number with a fraction or an exponent, and how it was written. */
export function doubleValue(constant: number, digits?: string): Value {
  return { sql: float64(constant), type: doubleType, precision: 'ms', nullable: false, uses: 0, constant, digits };
}

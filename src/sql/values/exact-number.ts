import { withoutTrailing } from '../../text/ends.js';
import { text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';

/** What a text must begin with to count as a number, for the engine's regular expressions and for ours. */
export const leadingNumber = /^[ \t\r\n]*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)/;

/**
 * A number without rounding: `digits` / 10 ^ `scale`, without zeros at the end of a fraction. Beyond {@link mostDigits}
 * digits in front of the point or behind it, it stands for one that is as much larger, or as much smaller, than each
 * value of a type.
 */
export interface ExactNumber {
  readonly digits: bigint;
  readonly scale: number;
}

/** More digits than a value of any type has on either side of its point. */
const mostDigits = 60;

/** The number that a text begins with, 0 when it begins with none. */
export function exactNumber(text: string): ExactNumber {
  const literal = leadingNumber.exec(text)?.[1] ?? '0';
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?$/.exec(literal) ?? [];
  const coefficient = `${whole}${fraction}`.replace(/^0+/, '');
  if (coefficient === '') return { digits: 0n, scale: 0 };
  const point = coefficient.length - fraction.length + Number(exponent);
  return signed(magnitude(coefficient, point), sign === '-');
}

/** 0.`coefficient` times 10 ^ `point`. */
function magnitude(coefficient: string, point: number): ExactNumber {
  if (point > mostDigits) return { digits: 10n ** BigInt(mostDigits), scale: 0 };
  if (point < -mostDigits) return { digits: 1n, scale: mostDigits };
  const within = coefficient.slice(0, point + mostDigits);
  // A last digit that is not 0 keeps the number apart from those that end here.
  const cut = /[1-9]/.test(coefficient.slice(within.length)) ? `${within}1` : within;
  const digits = withoutTrailing(cut, '0');
  const scale = digits.length - point;
  return scale >= 0 ? { digits: BigInt(digits), scale } : { digits: BigInt(digits) * 10n ** BigInt(-scale), scale: 0 };
}

function signed({ digits, scale }: ExactNumber, isNegative: boolean): ExactNumber {
  return { digits: isNegative ? -digits : digits, scale };
}

/** The number as ticks of 10 ^ -`scale`; undefined when it is none of them. */
export function unitsOf({ digits, scale }: ExactNumber, unitScale: number): bigint | undefined {
  if (scale === unitScale) return digits;
  return scale > unitScale ? undefined : digits * 10n ** BigInt(unitScale - scale);
}

/** The number as ticks of 10 ^ -`scale`, rounded half away from zero. */
export function roundedUnits(number: ExactNumber, unitScale: number): bigint {
  const exact = unitsOf(number, unitScale);
  if (exact !== undefined) return exact;
  const unit = 10n ** BigInt(number.scale - unitScale);
  const half = number.digits < 0n ? -unit / 2n : unit / 2n;
  return (number.digits + half) / unit;
}

/** Most decimals of a DECIMAL. */
const mostDecimals = 38;
/** Larger than each DECIMAL, which has 38 digits at most. */
const beyond = 10n ** 38n;

/** The engine's widest decimal for a number: exact as far as a value of another type can equal it. */
export function wideDecimal(number: ExactNumber): Expr {
  const limit = beyond * 10n ** BigInt(number.scale);
  if (number.digits >= limit || number.digits <= -limit) return decimal256(number.digits < 0n ? -beyond : beyond, 0);
  const cut = number.scale - mostDecimals;
  if (cut <= 0) return decimal256(number.digits, number.scale);
  const digits = number.digits / 10n ** BigInt(cut);
  const step = number.digits < 0n ? -1n : 1n;
  return decimal256(digits % 10n === 0n ? digits + step : digits, mostDecimals);
}

/** `units` / 10 ^ `scale` in the engine's widest decimal. */
function decimal256(units: bigint, scale: number): Expr {
  return expr`toDecimal256(${text(decimalDigits(units, scale))}, ${scale})`;
}

/** `units` / 10 ^ `scale` as a text with a point. */
export function decimalDigits(units: bigint, scale: number): string {
  const magnitudeOf = `${units < 0n ? -units : units}`.padStart(scale + 1, '0');
  const whole = magnitudeOf.slice(0, magnitudeOf.length - scale);
  const text = scale === 0 ? whole : `${whole}.${magnitudeOf.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
}

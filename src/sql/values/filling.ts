import { Codes } from '../../model/fault.js';
import type { DataType } from '../../model/schema.js';
import { refuse } from './context.js';
import { castValue, type Environment } from './convert.js';
import { isInteger, isUnsigned, type Value } from './value.js';

/** A literal of FILL as a value of the type that it fills; error 0x0224 for a number that an integer type does not hold. */
export function fillingValue(literal: Value, type: DataType, env: Environment): Value {
  const { constant } = literal;
  if (isInteger(type) && (typeof constant === 'bigint' || typeof constant === 'number')) {
    const bits = type.length * 8;
    const [low, high] = isUnsigned(type) ? [0, 2 ** bits] : [-(2 ** (bits - 1)), 2 ** (bits - 1)];
    // A bigint compares with these powers of two without rounding.
    const whole = typeof constant === 'bigint' ? constant : Math.trunc(constant);
    if (whole < low || whole >= high) throw refuse(Codes.valueOutOfRange, `Value out of range: ${constant}`);
  }
  return castValue(literal, type, env);
}

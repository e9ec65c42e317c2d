import { Codes } from '../../model/fault.js';
import type { DataType } from '../../model/schema.js';
import { literalNumber } from './comparable.js';
import { refuse } from './context.js';
import { castValue, type Environment, leadingNumberOf } from './convert.js';
import { type ExactNumber, roundedUnits } from './exact-number.js';
import { isInteger, isUnsigned, type Value } from './value.js';

/**
 * A literal of FILL, or the default of LAG and LEAD, as a value of the type that it stands for; error 0x0224 for a
 * number that a type of numbers does not hold.
 */
export function fillingValue(literal: Value, type: DataType, env: Environment): Value {
  const written = literalNumber(literal);
  if (written !== undefined && !holds(type, written, nearest(literal))) {
    throw refuse(Codes.valueOutOfRange, `Value out of range: ${String(literal.constant)}`);
  }
  return castValue(literal, type, env);
}

function nearest({ constant }: Value): number {
  return typeof constant === 'string' ? leadingNumberOf(constant) : Number(constant);
}

function holds(type: DataType, written: ExactNumber, near: number): boolean {
  if (isInteger(type)) {
    const bits = type.length * 8;
    const whole = written.digits / 10n ** BigInt(written.scale);
    return (isUnsigned(type) ? BigInt.asUintN(bits, whole) : BigInt.asIntN(bits, whole)) === whole;
  }
  switch (type.name) {
    case 'FLOAT':
      return Number.isFinite(Math.fround(near));
    case 'DOUBLE':
      return Number.isFinite(near);
    case 'DECIMAL': {
      const units = roundedUnits(written, type.scale ?? 0);
      return (units < 0n ? -units : units) < 10n ** BigInt(type.length);
    }
    default:
      return true;
  }
}

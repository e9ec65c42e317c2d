import { type DataType, dataType } from '../../model/schema.js';
import { castToEngine } from '../engine/storage.js';
import { numberOf } from '../values/convert.js';
import { bigintType, doubleType, isInteger, isUnsigned, unsignedType, type Value } from '../values/value.js';

/**
 * An argument as a Nullable, because engine aggregates give NULL over no rows only for such. What may be NULL is one for certain where it is
 * as it is stored; an expression may have lost it on the way.
 */
export function nullable(arg: Value | undefined): string {
  if (arg === undefined) return 'NULL';
  return arg.nullable && arg.exact === true ? arg.sql : `toNullable(${arg.sql})`;
}

/** An argument in the engine type of its own type, which literals do not have by themselves. */
export function typed(arg: Value | undefined): string {
  return arg === undefined ? 'NULL' : arg.constant === undefined ? nullable(arg) : castToEngine(arg.sql, arg.type);
}

/** A number as a Nullable DOUBLE: statistics are computed in binary64 whatever the column holds. */
export function doubleArgument(arg: Value | undefined): string {
  return arg === undefined ? 'NULL' : nullable({ ...numberOf(arg), nullable: arg.nullable });
}

/** Engine SQL that is true where a value is there. */
export function hasValue(arg: Value | undefined): string {
  return arg?.nullable === false ? '1' : `isNotNull(${arg?.sql ?? 'NULL'})`;
}

/** The type of the first argument. */
export function firstType(args: readonly Value[]): DataType {
  return args[0]?.type ?? doubleType;
}

/** The type of sums of the first argument. */
export function sumType(args: readonly Value[]): DataType {
  const type = args[0]?.type ?? doubleType;
  if (type.name === 'DECIMAL') return dataType('DECIMAL', 38, type.scale ?? 0);
  if (!isInteger(type)) return doubleType;
  return isUnsigned(type) ? unsignedType : bigintType;
}

/** Far beyond the length of any text. */
const beyondTexts = '1e18';

/** A number that counts characters, as a whole number. */
export function countArgument(args: readonly Value[], at: number): string {
  const arg = args[at];
  if (arg === undefined || isInteger(arg.type) || arg.role === 'null') return `toInt64(${plainArgument(args, at)})`;
  const near = `least(greatest(${numberOf(arg).sql}, -${beyondTexts}), ${beyondTexts})`;
  return `accurateCastOrNull(trunc(${near}), 'Int64')`;
}

/** An argument as it is. */
export function plainArgument(args: readonly Value[], at: number): string {
  return args[at]?.sql ?? 'NULL';
}

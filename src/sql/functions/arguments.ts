import { type DataType, dataType } from '../../model/schema.js';
import { nullWord, one } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { textSide } from '../values/compare.js';
import { numberOf } from '../values/convert.js';
import { bigintType, doubleType, isInteger, isUnsigned, unsignedType, type Value } from '../values/value.js';

/**
 * An argument as a Nullable, because engine aggregates give NULL over no rows only for such. What may be NULL is one
 * for certain where it is as it is stored; an expression may have lost it.
 */
export function nullable(arg: Value | undefined): Expr {
  if (arg === undefined) return nullWord;
  return arg.nullable && arg.exact === true ? arg.sql : expr`toNullable(${arg.sql})`;
}

/** An argument in the engine type of its own type, which literals do not have by themselves. */
export function typed(arg: Value | undefined): Expr {
  return arg === undefined ? nullWord : arg.constant === undefined ? nullable(arg) : castToEngine(arg.sql, arg.type);
}

/** A number as a Nullable DOUBLE: statistics are computed in binary64 whatever the column holds. */
export function doubleArgument(arg: Value | undefined): Expr {
  return arg === undefined ? nullWord : nullable({ ...numberOf(arg), nullable: arg.nullable });
}

/** An expression that is true where a value is there. */
export function hasValue(arg: Value | undefined): Expr {
  return arg?.nullable === false ? one : expr`isNotNull(${arg?.sql ?? nullWord})`;
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
const beyondTexts = expr`1e18`;

/** A number that counts characters, as a whole number. */
export function countArgument(args: readonly Value[], at: number): Expr {
  const arg = args[at];
  if (arg === undefined || isInteger(arg.type) || arg.role === 'null') return expr`toInt64(${plainArgument(args, at)})`;
  const near = expr`least(greatest(${numberOf(arg).sql}, -${beyondTexts}), ${beyondTexts})`;
  return expr`accurateCastOrNull(trunc(${near}), 'Int64')`;
}

/** An argument as it is. */
export function plainArgument(args: readonly Value[], at: number): Expr {
  return args[at]?.sql ?? nullWord;
}

/** NULL in place of a text. */
export const nullText: Expr = expr`CAST(NULL, 'Nullable(String)')`;

/** A text argument. */
export function textArgument(arg: Value | undefined): Expr {
  return arg === undefined || arg.role === 'null' ? nullText : textSide(arg);
}

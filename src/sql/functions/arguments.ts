import { type DataType, dataType } from '../../model/schema.js';
import { nullWord, one } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { castTo, castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { textSide } from '../values/compare.js';
import { heldIn, numberOf } from '../values/convert.js';
import { bigintType, doubleType, isInteger, isUnsigned, isWhole, unsignedType, type Value } from '../values/value.js';

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

/** A number in a type in which the engine computes sums and differences exactly; fractions in binary are a DOUBLE. */
export function exactArgument(arg: Value | undefined): Expr {
  if (arg === undefined) return nullWord;
  if (isWhole(arg)) return expr`toInt128(${nullable(arg)})`;
  return arg.type.name === 'DECIMAL' ? wideDecimal(arg) : doubleArgument(arg);
}

/** The same where the engine's own sum of the type might wrap around; others, which are quicker, as they are. */
export function summand(arg: Value | undefined): Expr {
  return arg !== undefined && mayWrap(arg.type) ? exactArgument(arg) : nullable(arg);
}

/** True for types whose sums may be too large for the engine's own. */
function mayWrap(type: DataType): boolean {
  return type.name === 'DECIMAL' || (isInteger(type) && type.length === 8);
}

/** What {@link summand} has added up as the type of sums; error 0x013D or 0x0224 where it does not fit. */
export function sumHeld(sum: Expr, args: readonly Value[], name: string): Expr {
  const type = args[0]?.type ?? doubleType;
  return mayWrap(type) ? heldIn(sum, sumType(args), name) : sum;
}

function wideDecimal(arg: Value): Expr {
  return castTo(nullable(arg), `Nullable(Decimal(76, ${arg.type.scale ?? 0}))`);
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

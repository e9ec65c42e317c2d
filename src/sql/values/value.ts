import { type DataType, dataType, integerTypes, type Precision, type TypeName } from '../../model/schema.js';
import { int64, nullWord } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import type { Duration } from '../syntax/ast.js';

/** Dependencies of an expression; a bit set. Nothing set: the same for every row of the statement. */
export const Uses = { nothing: 0, row: 1, tags: 2, aggregate: 4, key: 8, random: 16 } as const;

/** A plan-time constant; `null` is the NULL literal. */
type Constant = bigint | number | string | boolean | null;

/** Limits on the primary timestamp that a condition implies, in ticks, both inclusive. */
export interface TimeBounds {
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
}

/**
 * An expression translated to the engine. `sql` yields the engine type that stands for `type`: TIMESTAMP is Int64 ticks
 * of `precision`, JSON is text, VARBINARY, GEOMETRY and BLOB are bytes, BOOL is Bool or the UInt8 of a condition.
 */
export interface Value {
  readonly sql: Expr;
  readonly type: DataType;
  readonly precision: Precision;
  readonly nullable: boolean;
  readonly uses: number;
  readonly constant?: Constant | undefined;
  /** A number with a fraction or an exponent as it was written, which `constant` may be near to. */
  readonly digits?: string | undefined;
  /** Of a text or time as written: the offset of its first character in the statement. */
  readonly start?: number | undefined;
  /** `time`: the primary timestamp; `tbname`: the sub-table's name; `null`: the NULL literal. */
  readonly role?: 'time' | 'tbname' | 'null' | undefined;
  /** True when `sql` yields just the engine type that stores `type`, so that a CAST to it changes nothing. */
  readonly exact?: boolean | undefined;
  /** A duration literal; its `sql` is ticks when the length is fixed. */
  readonly duration?: Duration | undefined;
  /** Set for `document -> 'key'`. */
  readonly member?: { readonly document: Expr; readonly key: string } | undefined;
  /** Set for a time of rows that is moved by a fixed number of ticks; holds as long as `sql` is that of the value. */
  readonly moved?: { readonly from: Value; readonly by: bigint; readonly sql: Expr } | undefined;
  /** Set for conditions that bound the primary timestamp. */
  readonly bounds?: TimeBounds | undefined;
}

/** An expression computed from others: depends on what they depend on, may be NULL. */
export function computed(sql: Expr, type: DataType, from: readonly Value[], precision?: Precision): Value {
  let uses = 0;
  for (const value of from) uses |= value.uses;
  return { sql, type, precision: precision ?? from[0]?.precision ?? 'ms', nullable: true, uses };
}

/** A condition; the result of comparisons and of everything that is true or false. */
export function condition(sql: Expr, from: readonly Value[], bounds?: TimeBounds): Value {
  const value = computed(sql, boolType, from);
  return bounds === undefined ? value : { ...value, bounds };
}

/** A timestamp known at plan time. */
export function ticksValue(ticks: bigint, precision: Precision): Value {
  return { sql: int64(ticks), type: timestampType, precision, nullable: false, uses: 0, constant: ticks };
}

/** The NULL literal; its type is that of an empty text until something else is wanted. */
export const nullValue: Value = {
  sql: nullWord,
  type: dataType('VARCHAR', 0),
  precision: 'ms',
  nullable: true,
  uses: 0,
  constant: null,
  role: 'null',
};

export const boolType = dataType('BOOL');
export const bigintType = dataType('BIGINT');
export const unsignedType = dataType('BIGINT UNSIGNED');
export const doubleType = dataType('DOUBLE');
export const timestampType = dataType('TIMESTAMP');

const integers: ReadonlySet<TypeName> = new Set(integerTypes);

/** True for the eight integer types. */
export function isInteger(type: DataType): boolean {
  return integers.has(type.name);
}

/** True for integers and times, which are whole numbers of ticks. */
export function isWhole({ type }: Value): boolean {
  return isInteger(type) || type.name === 'TIMESTAMP';
}

/** True for a duration in months or years. */
export function isNatural({ duration, constant }: Value): boolean {
  return duration !== undefined && constant === undefined;
}

/** True for integers without a sign. */
export function isUnsigned(type: DataType): boolean {
  return type.name.endsWith('UNSIGNED');
}

/** True for integers, FLOAT, DOUBLE and DECIMAL. */
export function isNumeric(type: DataType): boolean {
  return integers.has(type.name) || type.name === 'FLOAT' || type.name === 'DOUBLE' || type.name === 'DECIMAL';
}

/** True for VARCHAR and NCHAR. */
export function isText(type: DataType): boolean {
  return type.name === 'VARCHAR' || type.name === 'NCHAR';
}

/** True for types kept as raw bytes. */
export function isBinary(type: DataType): boolean {
  return type.name === 'VARBINARY' || type.name === 'GEOMETRY' || type.name === 'BLOB';
}

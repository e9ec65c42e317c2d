import { type DataType, dataType } from '../../model/schema.js';
import { call, nullWord, number, text, zero } from '../engine/build.js';
import type { Expr, SortTerm } from '../engine/nodes.js';
import { castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { castValue, type Environment, heldIn } from '../values/convert.js';
import { bigintType, doubleType, isBinary, isInteger, isNumeric, isText, type Value } from '../values/value.js';
import {
  doubleArgument,
  exactArgument,
  firstType,
  hasValue,
  nullable,
  plainArgument,
  sumHeld,
  summand,
  sumType,
  typed,
} from './arguments.js';
import {
  integerArgument,
  numberArgument,
  type RowWindow,
  type RowWindows,
  type SeriesFunction,
  type SeriesResult,
  series,
  unitArgument,
  wrongParameterType,
  wrongParameterValue,
} from './spec.js';

const beforeRow = 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING';

/** The value of `sql` in the last row before this one in which `condition` holds; NULL when there is none. */
export function previous(
  sql: Expr,
  condition: Expr,
  rows: RowWindows,
  window: Pick<RowWindow, 'by' | 'isBeyondWindow'> = {},
): Expr {
  return rows.over(lastWhere(sql, condition), { ...window, frame: beforeRow, nulls: 'IGNORE NULLS' });
}

/** The same in the first row after this one. Rows are counted backwards: a frame that grows is cheap, one that shrinks is not. */
export function following(sql: Expr, condition: Expr, rows: RowWindows): Expr {
  return rows.over(lastWhere(sql, condition), { order: backwards(rows), frame: beforeRow, nulls: 'IGNORE NULLS' });
}

function lastWhere(sql: Expr, condition: Expr): Expr {
  return expr`last_value(if(${condition}, toNullable(${sql}), NULL))`;
}

/** The order of the rows from the last one to the first. */
export function backwards({ order }: RowWindows): SortTerm[] {
  return order.map((by) => ({ by, descending: true }));
}

function first(args: readonly Value[]): Value {
  const arg = args[0];
  if (arg === undefined) throw wrongParameterType('');
  return arg;
}

/** Distances of integers, times and truth values are BIGINT, those of fractions DOUBLE. */
function differenceType(args: readonly Value[]): DataType {
  const { type } = first(args);
  if (type.name === 'DECIMAL') return dataType('DECIMAL', 38, type.scale ?? 0);
  if (type.name === 'FLOAT' || type.name === 'DOUBLE') return doubleType;
  if (isInteger(type) || type.name === 'BOOL' || type.name === 'TIMESTAMP') return bigintType;
  throw wrongParameterType('DIFF');
}

/** Modes of DIFF: 0 all, 1 negative as NULL, 2 without NULL, 3 without negative and NULL. */
function difference(args: readonly Value[], rows: RowWindows): SeriesResult {
  const arg = first(args);
  const mode = args[1] === undefined ? 0n : integerArgument('DIFF', args[1], 0n, 3n);
  const type = differenceType(args);
  const before = previous(arg.sql, hasValue(arg), rows);
  const [own, other] = [exactArgument(arg), exactArgument({ ...arg, sql: before, nullable: true, exact: false })];
  const plain = expr`${own} - ${other}`;
  const positive = mode === 1n || mode === 3n;
  const sql = positive ? expr`if(${plain} < 0, NULL, ${plain})` : plain;
  const value = type === doubleType ? sql : heldIn(sql, type, 'DIFF');
  return { sql: value, keep: mode >= 2n ? expr`isNotNull(${value})` : laterRows(arg, before, rows) };
}

/** All rows but the first one; none at all where every value of the slice is NULL. */
function laterRows(arg: Value, before: Expr, rows: RowWindows): Expr {
  const later = expr`${rows.over(expr`row_number()`)} > 1`;
  if (!arg.nullable) return later;
  const ahead = rows.over(expr`countIf(${hasValue(arg)})`, { order: backwards(rows) });
  return expr`and(${later}, or(isNotNull(${before}), ${ahead} > 0))`;
}

function derivative(args: readonly Value[], rows: RowWindows, env: Environment): SeriesResult {
  const arg = first(args);
  const unit = unitTicksOf(args[1], env);
  const ignoresNegative = args[2] !== undefined && integerArgument('DERIVATIVE', args[2], 0n, 1n) === 1n;
  if (arg.role === 'null') return { sql: castToEngine(nullWord, doubleType), keep: zero };
  const [value, time] = [doubleArgument(arg), rows.time.sql];
  const rise = expr`${value} - ${previous(value, hasValue(arg), rows)}`;
  const run = expr`${time} - ${previous(time, hasValue(arg), rows)}`;
  const slope = expr`${rise} / nullIf(${run}, 0) * ${unit}`;
  const keep = ignoresNegative ? expr`ifNull(${slope} >= 0, 0)` : expr`isNotNull(${slope})`;
  return { sql: slope, keep };
}

/** A duration of fixed length, one second at least. */
function unitTicksOf(arg: Value | undefined, { precision }: Environment): bigint {
  if (typeof arg?.constant !== 'bigint' || arg.duration === undefined) throw wrongParameterValue('DERIVATIVE');
  const second = { ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n }[precision];
  if (arg.constant < second) throw wrongParameterValue('DERIVATIVE');
  return arg.constant;
}

function runningSum(args: readonly Value[], rows: RowWindows): SeriesResult {
  const arg = first(args);
  const sum = sumHeld(rows.over(expr`sum(${summand(arg)})`), args, 'CSUM');
  return { sql: expr`if(${hasValue(arg)}, ${sum}, NULL)`, keep: hasValue(arg) };
}

function movingAverage(args: readonly Value[], rows: RowWindows): SeriesResult {
  const arg = first(args);
  const count = integerArgument('MAVG', args[1], 1n, 1000n);
  const by = [hasValue(arg)];
  const mean = rows.over(expr`avg(${summand(arg)})`, {
    by,
    frame: `ROWS BETWEEN ${count - 1n} PRECEDING AND CURRENT ROW`,
  });
  return { sql: mean, keep: expr`and(${hasValue(arg)}, ${rows.over(expr`row_number()`, { by })} >= ${count})` };
}

const comparisons: Readonly<Record<string, string>> = {
  LT: 'less',
  GT: 'greater',
  LE: 'lessOrEquals',
  GE: 'greaterOrEquals',
  NE: 'notEquals',
  EQ: 'equals',
};

/** A run of rows that satisfy a condition: the condition, and a number that is the same for all rows of the run. */
function runs(name: string, args: readonly Value[], rows: RowWindows): { holds: Expr; run: Expr } {
  const arg = first(args);
  const operator = args[1]?.constant;
  const comparison = typeof operator === 'string' ? comparisons[operator.toUpperCase()] : undefined;
  if (comparison === undefined) throw wrongParameterValue(name);
  const limit = numberArgument(name, args[2], -Infinity, Infinity);
  const isWhole = isInteger(arg.type) && Number.isInteger(limit);
  const literal = isWhole ? plainArgument(args, 2) : expr`toFloat64(${text(String(limit))})`;
  const side = arg.type.name === 'FLOAT' ? expr`toFloat32(${literal})` : literal;
  const value = arg.type.name === 'DECIMAL' ? doubleArgument(arg) : arg.sql;
  const holds = call(comparison, value, side);
  return { holds, run: rows.over(expr`countIf(ifNull(not(${holds}), 0))`) };
}

function stateCount(args: readonly Value[], rows: RowWindows): SeriesResult {
  const { holds, run } = runs('STATECOUNT', args, rows);
  const length = rows.over(expr`countIf(${holds})`, { by: [run] });
  return { sql: expr`multiIf(isNull(${holds}), NULL, ${holds}, toInt64(${length}), -1)` };
}

function stateDuration(args: readonly Value[], rows: RowWindows, env: Environment): SeriesResult {
  const { holds, run } = runs('STATEDURATION', args, rows);
  const unit = unitArgument('STATEDURATION', args[3], env.precision);
  const first = expr`first_value(if(${holds}, toNullable(${rows.time.sql}), NULL))`;
  const begin = rows.over(first, { by: [run], nulls: 'IGNORE NULLS' });
  return { sql: expr`multiIf(isNull(${holds}), NULL, ${holds}, intDiv(${rows.time.sql} - ${begin}, ${unit}), -1)` };
}

function fillForward(args: readonly Value[], rows: RowWindows): SeriesResult {
  return { sql: rows.over(expr`last_value(${nullable(args[0])})`, { nulls: 'IGNORE NULLS' }) };
}

/** Whether a default may stand for values of a type: one of its kind, for a timestamp text and ticks too. */
function standsFor(otherwise: Value, type: DataType): boolean {
  const { type: own, role } = otherwise;
  if (role === 'null' || own.name === type.name) return true;
  if (type.name === 'TIMESTAMP') return isInteger(own) || isText(own);
  if (isText(type)) return isText(own);
  return isInteger(type) ? isInteger(own) : isNumeric(type) && isNumeric(own);
}

/** LAG and LEAD: the value so many rows away, NULL rows counted; a default where there is no such row. */
function neighbour(name: string, engine: string): SeriesFunction {
  return series(
    name,
    ['any', 'integer', 'any'],
    firstType,
    (args, rows, env) => {
      const arg = first(args);
      const distance = args[1] === undefined ? 1n : integerArgument(name, args[1], 1n, 1_000_000n);
      const [, , last] = args;
      if (last !== undefined && (isBinary(arg.type) || !standsFor(last, arg.type))) throw wrongParameterType(name);
      const otherwise = last === undefined ? [] : [castValue(last, arg.type, { ...env, precision: arg.precision }).sql];
      return {
        sql: rows.over(call(engine, typed(arg), number(distance), ...otherwise), {
          frame: 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
        }),
      };
    },
    { required: 1, rows: 'each', takesFirst: true, outsideWindows: true },
  );
}

/** Functions over the rows of a slice in order of time. */
export const seriesFunctions: readonly SeriesFunction[] = [
  series('DIFF', ['any', 'integer'], differenceType, difference, {
    required: 1,
    rows: 'after-first',
    takesFirst: true,
  }),
  series('DERIVATIVE', ['number', 'unit', 'integer'], doubleType, derivative, {
    rows: 'after-first',
    takesFirst: true,
  }),
  series('CSUM', ['number'], sumType, runningSum, { rows: 'each' }),
  series('MAVG', ['number', 'integer'], doubleType, movingAverage, { rows: 'picked' }),
  series('STATECOUNT', ['number', 'text', 'number'], bigintType, stateCount, { rows: 'each' }),
  series('STATEDURATION', ['number', 'text', 'number', 'unit'], bigintType, stateDuration, {
    required: 3,
    rows: 'each',
  }),
  series('FILL_FORWARD', ['any'], firstType, fillForward, { rows: 'each', takesFirst: true }),
  neighbour('LAG', 'lagInFrame'),
  neighbour('LEAD', 'leadInFrame'),
];

import { Codes } from '../../model/fault.js';
import { ticksPerSecond } from '../../model/schema.js';
import { number, one } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { expr } from '../engine/template.js';
import type { Environment } from '../values/convert.js';
import { doubleType, type Value } from '../values/value.js';
import { doubleArgument, exactArgument, hasValue } from './arguments.js';
import { following, previous } from './series.js';
import {
  type AggregateBuilder,
  type AggregateFunction,
  aggregate,
  noTimeline,
  unitArgument,
  wrongParameterType,
} from './spec.js';

/**
 * The time from the first to the last row. A window of time that has rows before it counts from its start, one that has
 * rows behind it up to its end.
 */
function elapsed(args: readonly Value[], builder: AggregateBuilder, env: Environment): Expr {
  const time = args[0];
  if (time?.role !== 'time') throw wrongParameterType('ELAPSED');
  const unit = unitArgument('ELAPSED', args[1], env.precision);
  const { rows, span } = builder;
  let [from, to] = [time.sql, time.sql];
  if (rows !== undefined && span !== undefined) {
    from = expr`if(ifNull(${previous(time.sql, one, rows)} < ${span.start}, 0), ${span.start}, ${time.sql})`;
    to = expr`if(ifNull(${following(time.sql, one, rows)} >= ${span.end}, 0), ${span.end}, ${time.sql})`;
  }
  const [low, high] = [
    builder.aggregate('min', expr`toNullable(${from})`),
    builder.aggregate('max', expr`toNullable(${to})`),
  ];
  return expr`(${high} - ${low}) / ${unit}`;
}

/**
 * The mean of the line through the points of a slice, weighted by time. At the edges of a window the line continues to the
 * neighbours outside; before the first and behind the last point there is none. Every point accounts for the piece of the
 * line before it, and the last one of a window for the piece up to the window's last tick too, the one before the next window.
 */
function timeWeightedAverage(args: readonly Value[], builder: AggregateBuilder): Expr {
  const { rows, span } = builder;
  if (rows === undefined) throw wrongParameterType('TWA');
  const there = hasValue(args[0]);
  const [value, time] = [doubleArgument(args[0]), rows.time.sql];
  const before = { value: previous(value, there, rows), time: previous(time, there, rows) };
  const areas: Expr[] = [];
  const lengths: Expr[] = [];
  const add = (known: Expr, length: Expr, ends: readonly [Expr, Expr]): void => {
    areas.push(expr`if(${known}, (${ends[0]} + ${ends[1]}) / 2 * ${length}, 0)`);
    lengths.push(expr`if(${known}, ${length}, 0)`);
  };
  if (span === undefined) {
    add(expr`isNotNull(${before.time})`, expr`${time} - ${before.time}`, [before.value, value]);
  } else {
    const after = { value: following(value, there, rows), time: following(time, there, rows) };
    const from = expr`greatest(${before.time}, ${span.start})`;
    const rise = expr`(${value} - ${before.value}) / nullIf(${time} - ${before.time}, 0)`;
    const left = expr`${before.value} + ${rise} * (${from} - ${before.time})`;
    add(expr`isNotNull(${before.time})`, expr`${time} - ${from}`, [left, value]);
    const fall = expr`(${after.value} - ${value}) / nullIf(${after.time} - ${time}, 0)`;
    const rest = expr`${span.end} - 1 - ${time}`;
    const right = expr`${value} + ${fall} * ${rest}`;
    add(expr`ifNull(${after.time} >= ${span.end}, 0)`, rest, [value, right]);
  }
  const sum = (terms: readonly Expr[]): Expr => {
    const total = terms.reduce((all, term) => expr`${all} + ${term}`);
    return builder.aggregate('sum', expr`if(${there}, toFloat64(${total}), NULL)`);
  };
  const length = sum(lengths);
  return expr`if(${length} > 0, ${sum(areas)} / ${length}, ${builder.aggregate('avg', value)})`;
}

/** The rise a second between the last two values; a value below the one before it begins at 0 again, as counters do. */
function instantRate(args: readonly Value[], builder: AggregateBuilder, env: Environment): Expr {
  const { time } = builder;
  if (time === undefined) throw noTimeline();
  const newest = builder.aggregate(
    ['groupArraySortedIf', number(3)],
    expr`tuple(negate(assumeNotNull(${time.sql})), assumeNotNull(${exactArgument(args[0])}))`,
    hasValue(args[0]),
  );
  const part = (row: number, at: number): Expr => expr`tupleElement(arrayElement(${newest}, ${row}), ${at})`;
  const ticks = expr`${part(2, 1)} - ${part(1, 1)}`;
  const rise = expr`toFloat64(if(${part(1, 2)} < ${part(2, 2)}, ${part(1, 2)}, ${part(1, 2)} - ${part(2, 2)}))`;
  const third = expr`and(length(${newest}) = 3, ${part(2, 1)} = ${part(3, 1)})`;
  const twice = expr`and(length(${newest}) > 1, or(${part(1, 1)} = ${part(2, 1)}, ${third}))`;
  const message = 'Duplicate timestamps not allowed in function';
  const rate = expr`if(${raiseIf(twice, Codes.duplicateTimestamps, message)} = 0, ${rise} * ${ticksPerSecond(env.precision)} / nullIf(${ticks}, 0), NULL)`;
  return expr`multiIf(empty(${newest}), NULL, length(${newest}) < 2, 0, ${rate})`;
}

/** Aggregates in which the times of the rows count. */
export const timeWeightedFunctions: readonly AggregateFunction[] = [
  aggregate('ELAPSED', ['any', 'unit'], doubleType, elapsed, {
    required: 1,
    ordered: 'in-windows',
    alongTime: true,
    beyondWindow: 'of-time',
  }),
  aggregate('TWA', ['number'], doubleType, timeWeightedAverage, {
    ordered: true,
    distinctTimes: true,
    alongTime: true,
    beyondWindow: 'of-time',
  }),
  aggregate('IRATE', ['number'], doubleType, instantRate, {
    ordered: 'same-times',
    distinctTimes: true,
    alongTime: true,
  }),
];

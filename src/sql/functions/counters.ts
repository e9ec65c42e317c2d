import { ticksPerSecond } from '../../model/schema.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { heldIn } from '../values/convert.js';
import { doubleType, type Value } from '../values/value.js';
import { exactArgument, hasValue, sumType } from './arguments.js';
import { previous } from './series.js';
import { type AggregateBuilder, type AggregateFunction, aggregate, noTimeline } from './spec.js';

/** The steps of counters from each value to the next one of the same sub-table; expressions over rows. */
interface Steps {
  /** How much the counter has grown; NULL in a row without a value, and in the first one with a value. */
  readonly rise: Expr;
  /** The times between which it has; NULL where there is no step. */
  readonly from: Expr;
  readonly to: Expr;
}

/** A value below the one before it comes after a reset: the counter has grown from 0. */
function stepsOf(args: readonly Value[], { rows }: AggregateBuilder): Steps {
  if (rows === undefined) throw noTimeline();
  const [arg] = args;
  const value = exactArgument(arg);
  const isThere = hasValue(arg);
  const before = { by: rows.series, isBeyondWindow: true };
  const last = previous(value, isThere, rows, before);
  const isStep = expr`and(${isThere}, isNotNull(${last}))`;
  return {
    rise: expr`if(${isStep}, if(${value} < ${last}, ${value}, ${value} - ${last}), NULL)`,
    from: expr`if(${isStep}, ${previous(rows.time.sql, isThere, rows, before)}, NULL)`,
    to: expr`if(${isStep}, toNullable(${rows.time.sql}), NULL)`,
  };
}

/** The sum of all steps; of several sub-tables, each is counted by itself. */
function increase(args: readonly Value[], builder: AggregateBuilder): Expr {
  const sum = builder.aggregate('sum', stepsOf(args, builder).rise);
  const type = sumType(args);
  return type === doubleType ? sum : heldIn(sum, type, 'INCREASE');
}

/** The sum of all steps per second of a window of time; without one, of the time from the first step to the last. */
function rate(args: readonly Value[], builder: AggregateBuilder): Expr {
  const { rise, from, to } = stepsOf(args, builder);
  const { span, time } = builder;
  const length =
    span === undefined
      ? expr`${builder.aggregate('max', to)} - ${builder.aggregate('min', from)}`
      : builder.aggregate('any', expr`${span.end} - ${span.start}`);
  const perSecond = ticksPerSecond(time?.precision ?? 'ms');
  return expr`toFloat64(${builder.aggregate('sum', rise)}) * ${perSecond} / nullIf(${length}, 0)`;
}

const ofCounters = { ordered: true, distinctTimes: 'of-series', alongTime: true, beyondWindow: 'every' } as const;

/** Aggregates of counters, which grow and begin at 0 again when their process does. */
export const counterFunctions: readonly AggregateFunction[] = [
  aggregate('INCREASE', ['number'], sumType, increase, ofCounters),
  aggregate('RATE', ['number'], doubleType, rate, ofCounters),
];

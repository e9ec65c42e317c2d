import { number, select, text } from '../../sql/engine/build.js';
import { Call, type Expr, type FromItem, type SelectQuery } from '../../sql/engine/nodes.js';
import { expr } from '../../sql/engine/template.js';
import type { GridFunction, GridRequest } from '../source.js';

/** Rows of samples as parts of a statement. */
interface GridSamples {
  readonly from: FromItem;
  /** Conditions that select the series; those on times are added. */
  readonly where: readonly Expr[];
  /** The id of the series, UInt64. */
  readonly id: Expr;
  /** Unix milliseconds, Int64. */
  readonly millis: Expr;
  /** A nullable Float64; NULL is a stale marker. */
  readonly value: Expr;
}

/** The functions of the engine that give the numbers of Prometheus; its `deriv` does not. */
const engineFunctions: Readonly<Record<GridFunction, string>> = {
  last: 'timeSeriesLastToGrid',
  last_over_time: 'timeSeriesLastToGrid',
  rate: 'timeSeriesRateToGrid',
  increase: 'timeSeriesIncreaseToGrid',
  delta: 'timeSeriesDeltaToGrid',
  irate: 'timeSeriesInstantRateToGrid',
  idelta: 'timeSeriesInstantDeltaToGrid',
  changes: 'timeSeriesChangesToGrid',
  resets: 'timeSeriesResetsToGrid',
};

/** What the statement needs beside those of all statements. */
export const gridSettings = 'allow_experimental_time_series_aggregate_functions = 1';

/** Times that the engine's DateTime64(3) holds: 1900 to 2299. */
const leastMs = Date.UTC(1900, 0, 1);
const mostMs = Date.UTC(2299, 0, 1);

/** Bits of the NaN that stands for a step without a value. */
export const absentBits = { high: 0x7ff00000, low: 3 } as const;

/**
 * A statement with two columns: `series`, the id (UInt64), and `numbers`, an Array(Float64) with the number of each step, as {@link readGrid} reads them. Undefined when the
 * engine cannot compute the request: times beyond its own, and steps of parts of a millisecond.
 */
export function gridQuery(request: GridRequest, samples: GridSamples): SelectQuery | undefined {
  const { steps, windowMs, offsetMs } = request;
  const startMs = steps.startMs - offsetMs;
  const endMs = startMs + (steps.count - 1) * steps.stepMs;
  const times = [startMs - windowMs, endMs];
  if (times.some((ms) => ms < leastMs || ms > mostMs)) return undefined;
  if (![startMs, steps.stepMs, windowMs].every(Number.isInteger) || windowMs <= 0) return undefined;
  const isLast = request.function === 'last';
  const { id, millis, value } = samples;
  const sample = isLast
    ? expr`ifNull(${value}, reinterpretAsFloat64(9218868437227405314))`
    : expr`assumeNotNull(${value})`;
  const grid = new Call(
    engineFunctions[request.function],
    [expr`fromUnixTimestamp64Milli(${millis})`, sample],
    [moment(startMs), moment(endMs), seconds(steps.stepMs), seconds(windowMs)],
  );
  const isWithin = expr`${millis} BETWEEN ${number(startMs - windowMs + 1)} AND ${number(endMs)}`;
  return select({
    columns: [
      [id, 'series'],
      [expr`arrayMap(x -> ifNull(x, reinterpretAsFloat64(9218868437227405315)), ${grid})`, 'numbers'],
    ],
    from: samples.from,
    where: [...samples.where, isWithin, ...(isLast ? [] : [expr`isNotNull(${value})`])],
    groupBy: [id],
  });
}

/** A moment as a parameter of an aggregate function. */
function moment(ms: number): Expr {
  return expr`fromUnixTimestamp64Milli(${number(ms)})`;
}

/** A length of time as a parameter of an aggregate function, in seconds. */
function seconds(ms: number): Expr {
  return expr`toDecimal64(${text((ms / 1000).toFixed(3))}, 3)`;
}

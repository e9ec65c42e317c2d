import { number, select, text } from '../../sql/engine/build.js';
import { Call, type Expr, type FromItem, type SelectQuery } from '../../sql/engine/nodes.js';
import { expr } from '../../sql/engine/template.js';
import type { GridFunction, GridRequest } from '../source.js';

/** Rows of samples as parts of a statement. */
interface GridSamples {
  readonly from: FromItem;
  /** Conditions that select the series and the time range of {@link gridRange}. */
  readonly where: readonly Expr[];
  /** The id of the series, UInt64. */
  readonly id: Expr;
  /** Unix milliseconds, Int64. */
  readonly millis: Expr;
  /** A nullable Float64. A NULL is no sample, unless the bits beside it are those of a number that is not finite. */
  readonly value: Expr;
}

/** The functions of the engine that give the numbers of Prometheus; its `deriv` and, with NaN, its `changes` do not. */
const engineFunctions: Readonly<Record<GridFunction, string>> = {
  last: 'timeSeriesLastToGrid',
  last_over_time: 'timeSeriesLastToGrid',
  rate: 'timeSeriesRateToGrid',
  increase: 'timeSeriesIncreaseToGrid',
  delta: 'timeSeriesDeltaToGrid',
  irate: 'timeSeriesInstantRateToGrid',
  idelta: 'timeSeriesInstantDeltaToGrid',
  resets: 'timeSeriesResetsToGrid',
};

/** What the statement needs beside those of all statements. */
export const gridSettings = 'allow_experimental_time_series_aggregate_functions = 1';

/** Times that the engine's DateTime64(3) holds: 1900 to 2299. */
const leastMs = Date.UTC(1900, 0, 1);
const mostMs = Date.UTC(2299, 0, 1);

/**
 * Bits of the NaN that stands for a step without a value, and of the one that says that the engine's numbers are not
 * exact.
 */
export const absentBits = { high: 0x7ff00000, low: 3 } as const;
export const inexactBits = { high: 0x7ff00000, low: 4 } as const;

/**
 * Functions that add what counters lost at resets. The engine keeps a running sum of it, so that what one reset rounds
 * away is missing ever after.
 */
const withResets: ReadonlySet<GridFunction> = new Set(['rate', 'increase']);

/** The time range of the samples that a request needs, both ends included, in Unix milliseconds. */
export function gridRange({ steps, windowMs, offsetMs }: GridRequest): {
  readonly startMs: number;
  readonly endMs: number;
} {
  const startMs = steps.startMs - offsetMs;
  return { startMs: startMs - windowMs + 1, endMs: startMs + (steps.count - 1) * steps.stepMs };
}

/**
 * True when the engine can compute a request: within its own times, and with steps and windows of whole milliseconds.
 */
export function isForEngine(request: GridRequest): boolean {
  const { startMs, endMs } = gridRange(request);
  const { steps, windowMs } = request;
  return (
    [startMs, endMs].every((ms) => ms >= leastMs && ms <= mostMs) &&
    [startMs, steps.stepMs, windowMs].every(Number.isInteger) &&
    windowMs > 0
  );
}

/**
 * A statement with two columns: `series`, the id (UInt64), and `numbers`, an Array(Float64) with the number of each
 * step, as {@link readGrid} reads them.
 */
export function gridQuery(request: GridRequest, { from, where, id, millis, value }: GridSamples): SelectQuery {
  const { startMs, endMs } = gridRange(request);
  const { steps, windowMs } = request;
  const sample = expr`assumeNotNull(${value})`;
  const grid = new Call(
    engineFunctions[request.function],
    [expr`fromUnixTimestamp64Milli(${millis})`, sample],
    [moment(startMs + windowMs - 1), moment(endMs), seconds(steps.stepMs), seconds(windowMs)],
  );
  const numbers = expr`arrayMap(x -> ifNull(x, reinterpretAsFloat64(9218868437227405315)), ${grid})`;
  const isSample = expr`isNotNull(${value}) OR NOT isFinite(${sample})`;
  const isNoMarker = expr`reinterpretAsUInt64(${sample}) != 9218868437227405314`;
  return select({
    columns: [
      [id, 'series'],
      [withResets.has(request.function) ? unlessReset(numbers, sample, millis, steps.count) : numbers, 'numbers'],
    ],
    from,
    where: [...where, isSample, ...(request.function === 'last' ? [] : [isNoMarker])],
    groupBy: [id],
  });
}

/** The numbers of a series whose values never fall and are finite; of any other the mark that they are not exact. */
function unlessReset(numbers: Expr, sample: Expr, millis: Expr, steps: number): Expr {
  const growth = expr`argMax(${sample}, ${millis}) - argMin(${sample}, ${millis})`;
  const fallen = expr`deltaSumTimestamp(${sample}, ${millis}) - ${growth}`;
  const areFinite = expr`countIf(NOT isFinite(${sample})) = 0`;
  const mark = expr`arrayWithConstant(${steps}, reinterpretAsFloat64(9218868437227405316))`;
  return expr`if(${areFinite} AND ${fallen} <= max(abs(${sample})) * 0.000000000001, ${numbers}, ${mark})`;
}

/** A moment as a parameter of an aggregate function. */
function moment(ms: number): Expr {
  return expr`fromUnixTimestamp64Milli(${number(ms)})`;
}

/** A length of time as a parameter of an aggregate function, in seconds. */
function seconds(ms: number): Expr {
  return expr`toDecimal64(${text((ms / 1000).toFixed(3))}, 3)`;
}

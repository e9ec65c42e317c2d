import { ExactMean, ExactSum } from './exact-sum.js';
import { equalHistograms, isReset } from './histogram-math.js';
import { averageOverWindow, instantHistogram, rateOfHistograms, sumOverWindow } from './histogram-windows.js';
import type { NativeHistogram } from './native-histogram.js';
import { quantileOf } from './quantile.js';
import { QueryError } from './query-error.js';
import { type Row, setFloat, setHistogram } from './rows.js';
import type { RangeFunction, Window } from './windows.js';

/** Numbers of a window. */
function countOf({ from, to }: Window): number {
  return to - from;
}

function histogramCountOf({ histogramFrom, histogramTo }: Window): number {
  return histogramTo - histogramFrom;
}

/** Warns of a window that mixes numbers and histograms, and says so. */
function isMixed(window: Window): boolean {
  if (countOf(window) === 0 || histogramCountOf(window) === 0) return false;
  const { annotations, span, metric } = window.notes;
  annotations.warn(`encountered a mix of histograms and floats for metric name ${metric}`, span);
  return true;
}

/** Says that histograms are left out where there are numbers, too. */
function noteIgnored(window: Window): void {
  if (histogramCountOf(window) === 0) return;
  const { annotations, span, metric } = window.notes;
  annotations.inform(
    `ignored histograms in a range containing both floats and histograms for metric name ${metric}`,
    span,
  );
}

/** A function of the numbers alone; without any it gives nothing. */
function ofNumbers(compute: (window: Window) => number): RangeFunction {
  return (window, row, step) => {
    if (countOf(window) === 0) return;
    noteIgnored(window);
    setFloat(row, step, compute(window));
  };
}

/** `rate`, `increase` and `delta`: the difference over the window, extrapolated to its ends. */
function extrapolated(isCounter: boolean, isRate: boolean): RangeFunction {
  return (window, row, step) => {
    if (isMixed(window)) return;
    if (histogramCountOf(window) > 0) {
      extrapolatedHistogram(window, row, step, isCounter, isRate);
      return;
    }
    const { from, to } = window;
    const { times, values } = window.series;
    const gaps = to - from - 1;
    if (gaps < 1) return;
    const first = values[from]!;
    let difference = values[to - 1]! - first;
    if (isCounter) {
      const { falls } = window;
      for (let i = window.firstFall(); falls[i]! < to; i++) difference += values[falls[i]! - 1]!;
    }
    const zero = isCounter && difference > 0 && first >= 0 ? first / difference : Number.POSITIVE_INFINITY;
    setFloat(row, step, difference * factor(window, times[from]!, times[to - 1]!, gaps, isRate, zero));
  };
}

/** By how much a difference grows when it is extrapolated; `zero` is where a counter would be 0, in sampled intervals before
 * the first sample, infinite where that is nowhere. */
function factor(window: Window, firstMs: number, lastMs: number, gaps: number, isRate: boolean, zero: number): number {
  let toStart = (firstMs - window.startMs) / 1000;
  let toEnd = (window.endMs - lastMs) / 1000;
  const sampled = (lastMs - firstMs) / 1000;
  const average = sampled / gaps;
  const threshold = average * 1.1;
  if (toStart >= threshold) toStart = average / 2;
  if (sampled * zero < toStart) toStart = sampled * zero;
  if (toEnd >= threshold) toEnd = average / 2;
  const grown = sampled === 0 ? 1 : (sampled + toStart + toEnd) / sampled;
  return isRate ? grown / (window.rangeMs / 1000) : grown;
}

function extrapolatedHistogram(window: Window, row: Row, step: number, isCounter: boolean, isRate: boolean): void {
  const { histogramFrom, histogramTo, series } = window;
  const gaps = histogramTo - histogramFrom - 1;
  if (gaps < 1) return;
  const rate = rateOfHistograms(window, isCounter);
  if (rate === undefined) return;
  const firstCount = series.histograms[histogramFrom]!.count;
  const hasZero = isCounter && rate.histogram.count > 0 && firstCount >= 0;
  const zero = hasZero ? firstCount / rate.histogram.count : Number.POSITIVE_INFINITY;
  const firstMs = series.histogramTimes[histogramFrom]!;
  const lastMs = series.histogramTimes[histogramTo - 1]!;
  setHistogram(row, step, rate.times(factor(window, firstMs, lastMs, gaps, isRate, zero)));
}

/** `irate` and `idelta`: the difference of the last two samples. */
function instantDifference(isRate: boolean): RangeFunction {
  return (window, row, step) => {
    const { from, to, histogramFrom, histogramTo, series } = window;
    if (to - from + histogramTo - histogramFrom < 2) return;
    if (histogramTo > histogramFrom) {
      instantHistogram(window, row, step, isRate);
      return;
    }
    const { times, values } = series;
    const last = values[to - 1]!;
    const before = values[to - 2]!;
    const seconds = (times[to - 1]! - times[to - 2]!) / 1000;
    if (seconds === 0) return;
    const difference = isRate && last < before ? last : last - before;
    setFloat(row, step, isRate ? difference / seconds : difference);
  };
}

/** Slope by second, and the value at a time, of the line that fits the numbers best. */
function regression(
  { from, to, series: { times, values } }: Window,
  atMs: number,
): { readonly slope: number; readonly intercept: number } {
  const sumX = new ExactSum();
  const sumY = new ExactSum();
  const sumXY = new ExactSum();
  const sumX2 = new ExactSum();
  const first = values[from]!;
  let isConstant = true;
  for (let i = from; i < to; i++) {
    const y = values[i]!;
    if (y !== first) isConstant = isConstant && i === from;
    const x = (times[i]! - atMs) / 1000;
    sumX.add(x);
    sumY.add(y);
    sumXY.add(x * y);
    sumX2.add(x * x);
  }
  if (isConstant) {
    if (Math.abs(first) === Number.POSITIVE_INFINITY) return { slope: Number.NaN, intercept: Number.NaN };
    return { slope: 0, intercept: first };
  }
  const count = to - from;
  const covariance = sumXY.total - (sumX.total * sumY.total) / count;
  const variance = sumX2.total - (sumX.total * sumX.total) / count;
  const slope = covariance / variance;
  return { slope, intercept: sumY.total / count - (slope * sumX.total) / count };
}

/** A function of a line, which takes two numbers. */
function ofLine(compute: (window: Window) => number): RangeFunction {
  return (window, row, step) => {
    const count = countOf(window);
    if (count > 0) noteIgnored(window);
    if (count >= 2) setFloat(row, step, compute(window));
  };
}

/** The mean as {@link ExactMean} has it, which is for sums that overflow. */
function meanOf({ from, to, series: { values } }: Window): number {
  let sum = values[from]!;
  let lost = 0;
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    const total = sum + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) return steppedMean(values, from, to);
    lost += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum;
    sum = total;
  }
  return sum / (to - from) + lost / (to - from);
}

function steppedMean(values: Float64Array, from: number, to: number): number {
  const mean = new ExactMean();
  for (let i = from; i < to; i++) mean.add(values[i]!);
  return mean.mean;
}

/** The sum as {@link ExactSum} has it. */
function sumOf({ from, to, series: { values } }: Window): number {
  let sum = 0;
  let lost = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    const total = sum + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) lost = 0;
    else lost += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum;
    sum = total;
  }
  return Math.abs(sum) === Number.POSITIVE_INFINITY ? sum : sum + lost;
}

/**
 * The index of the least number, or of the greatest one, the first of equal ones or the last one; NaN loses to every
 * number. The winner of the window before wins against all that it has won against.
 */
function winner(window: Window, isLeast: boolean, isLast = false): number {
  const { from, to } = window;
  const { values } = window.series;
  const isKnown = window.winner >= from;
  let best = isKnown ? window.winner : from;
  let bestValue = values[best]!;
  for (let i = isKnown ? window.winnerTo : from + 1; i < to; i++) {
    const value = values[i]!;
    if (
      (isLeast ? value < bestValue : value > bestValue) ||
      (isLast && value === bestValue) ||
      Number.isNaN(bestValue)
    ) {
      best = i;
      bestValue = value;
    }
  }
  window.winner = best;
  window.winnerTo = to;
  return best;
}

function varianceOf({ from, to, series: { values } }: Window): number {
  const mean = new ExactSum();
  const squares = new ExactSum();
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    count++;
    const difference = value - mean.total;
    mean.add(difference / count);
    squares.add(difference * (value - mean.total));
  }
  return squares.total / count;
}

function medianDeviation({ from, to, series: { values } }: Window): number {
  const sorted = values.slice(from, to);
  if (sorted.some(Number.isNaN)) return Number.NaN;
  const median = quantileOf(0.5, sorted);
  for (let i = 0; i < sorted.length; i++) sorted[i] = Math.abs(sorted[i]! - median);
  return quantileOf(0.5, sorted);
}

function smoothed({ from, to, series: { values }, scalars }: Window): number {
  const [smoothing = 0, trend = 0] = scalars;
  if (!(smoothing > 0 && smoothing < 1)) refuseFactor('smoothing', 'sf', smoothing);
  if (!(trend > 0 && trend < 1)) refuseFactor('trend', 'tf', trend);
  let before = 0;
  let level = values[from]!;
  let slope = values[from + 1]! - level;
  for (let i = from + 1; i < to; i++) {
    if (i > from + 1) slope = trend * (level - before) + (1 - trend) * slope;
    const next = smoothing * values[i]! + (1 - smoothing) * (level + slope);
    before = level;
    level = next;
  }
  return level;
}

function refuseFactor(name: string, short: string, value: number): never {
  throw new QueryError('execution', `invalid ${name} factor. Expected: 0 < ${short} < 1, got: ${value.toFixed(6)}`);
}

/** Calls for each two samples that follow each other, numbers and histograms by time. */
function countPairs(
  window: Window,
  isCounted: (a: number | NativeHistogram, b: number | NativeHistogram) => boolean,
): number {
  const { series } = window;
  let { from, histogramFrom } = window;
  let previous: number | NativeHistogram | undefined;
  let count = 0;
  while (from < window.to || histogramFrom < window.histogramTo) {
    const isFloat =
      histogramFrom >= window.histogramTo ||
      (from < window.to && series.times[from]! < series.histogramTimes[histogramFrom]!);
    const sample: number | NativeHistogram = isFloat ? series.values[from++]! : series.histograms[histogramFrom++]!;
    if (previous !== undefined && isCounted(previous, sample)) count++;
    previous = sample;
  }
  return count;
}

function isResetBetween(a: number | NativeHistogram, b: number | NativeHistogram): boolean {
  if (typeof a === 'number' && typeof b === 'number') return b < a;
  return typeof a === 'number' || typeof b === 'number' || isReset(b, a);
}

function isChange(a: number | NativeHistogram, b: number | NativeHistogram): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a !== b && !(Number.isNaN(a) && Number.isNaN(b));
  return typeof a === 'number' || typeof b === 'number' || !equalHistograms(a, b);
}

/** True when the histogram at one end of the window is nearer to that end than the number there. */
function isHistogramAt(window: Window, end: 'first' | 'last'): boolean {
  if (histogramCountOf(window) === 0) return false;
  if (countOf(window) === 0) return true;
  const { series, from, to, histogramFrom, histogramTo } = window;
  if (end === 'first') return series.histogramTimes[histogramFrom]! <= series.times[from]!;
  return series.histogramTimes[histogramTo - 1]! >= series.times[to - 1]!;
}

function sampleAt(end: 'first' | 'last'): RangeFunction {
  return (window, row, step) => {
    const { series, from, to, histogramFrom, histogramTo } = window;
    if (isHistogramAt(window, end))
      setHistogram(row, step, series.histograms[end === 'first' ? histogramFrom : histogramTo - 1]!);
    else setFloat(row, step, series.values[end === 'first' ? from : to - 1]!);
  };
}

function timeAt(end: 'first' | 'last'): RangeFunction {
  return (window, row, step) => {
    const { series, from, to, histogramFrom, histogramTo } = window;
    const ms = isHistogramAt(window, end)
      ? series.histogramTimes[end === 'first' ? histogramFrom : histogramTo - 1]!
      : series.times[end === 'first' ? from : to - 1]!;
    setFloat(row, step, ms / 1000);
  };
}

const quantileOverTime: RangeFunction = (window, row, step) => {
  const { from, to, series, scalars, notes } = window;
  const quantile = scalars[0]!;
  if (from === to) return;
  if (!(quantile >= 0 && quantile <= 1)) {
    const text = `quantile value should be between 0 and 1, got ${quantile}`;
    notes.annotations.warn(text, notes.firstSpan);
  }
  noteIgnored(window);
  setFloat(row, step, quantileOf(quantile, series.values.slice(from, to)));
};

/** Functions over windows by their names. */
export const rangeFunctions: ReadonlyMap<string, RangeFunction> = new Map<string, RangeFunction>([
  ['rate', extrapolated(true, true)],
  ['increase', extrapolated(true, false)],
  ['delta', extrapolated(false, false)],
  ['irate', instantDifference(true)],
  ['idelta', instantDifference(false)],
  ['deriv', ofLine((window) => regression(window, window.series.times[window.from]!).slope)],
  [
    'predict_linear',
    ofLine((window) => {
      const { slope, intercept } = regression(window, window.stepMs);
      return slope * window.scalars[0]! + intercept;
    }),
  ],
  [
    'avg_over_time',
    (window, row, step) => {
      if (isMixed(window)) return;
      if (countOf(window) > 0) setFloat(row, step, meanOf(window));
      else averageOverWindow(window, row, step);
    },
  ],
  [
    'sum_over_time',
    (window, row, step) => {
      if (isMixed(window)) return;
      if (countOf(window) > 0) setFloat(row, step, sumOf(window));
      else sumOverWindow(window, row, step);
    },
  ],
  ['count_over_time', (window, row, step) => setFloat(row, step, countOf(window) + histogramCountOf(window))],
  ['present_over_time', (_, row, step) => setFloat(row, step, 1)],
  ['absent_over_time', (_, row, step) => setFloat(row, step, 1)],
  ['min_over_time', ofNumbers((window) => window.series.values[winner(window, true)]!)],
  ['max_over_time', ofNumbers((window) => window.series.values[winner(window, false)]!)],
  ['ts_of_min_over_time', ofNumbers((window) => window.series.times[winner(window, true, true)]! / 1000)],
  ['ts_of_max_over_time', ofNumbers((window) => window.series.times[winner(window, false, true)]! / 1000)],
  ['stdvar_over_time', ofNumbers(varianceOf)],
  ['stddev_over_time', ofNumbers((window) => Math.sqrt(varianceOf(window)))],
  ['mad_over_time', ofNumbers(medianDeviation)],
  ['quantile_over_time', quantileOverTime],
  ['double_exponential_smoothing', ofLine(smoothed)],
  ['changes', (window, row, step) => setFloat(row, step, countPairs(window, isChange))],
  ['resets', (window, row, step) => setFloat(row, step, countPairs(window, isResetBetween))],
  ['first_over_time', sampleAt('first')],
  ['last_over_time', sampleAt('last')],
  ['ts_of_first_over_time', timeAt('first')],
  ['ts_of_last_over_time', timeAt('last')],
]);

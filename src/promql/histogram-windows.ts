import { combined, compacted, divided, hasCustomBuckets, isReset, scaled, toSchema } from './histogram-math.js';
import type { NativeHistogram } from './native-histogram.js';
import { type Row, setHistogram } from './rows.js';
import type { Notes, Window } from './windows.js';

/** Warns that histograms of one metric have both kinds of buckets. */
function warnOfKinds({ annotations, span, metric }: Notes): undefined {
  const text = 'vector contains a mix of histograms with exponential and custom buckets schemas for metric name';
  annotations.warn(`${text} ${metric}`, span);
}

function informOfBounds({ annotations, span }: Notes, operation: 'addition' | 'subtraction' | 'aggregation'): void {
  annotations.inform(`mismatched custom buckets were reconciled during ${operation}`, span);
}

/** The histograms of a window, at least one. */
function histogramsOf({ series, histogramFrom, histogramTo }: Window): readonly NativeHistogram[] {
  return series.histograms.slice(histogramFrom, histogramTo);
}

/** What a counter has grown over a window. */
interface Growth {
  readonly histogram: NativeHistogram;
  /** The growth times a factor, which is a gauge. */
  readonly times: (factor: number) => NativeHistogram;
}

/**
 * The difference between the last and the first histogram of two or more, with what was lost by resets. Undefined where
 * kinds of buckets differ.
 */
export function rateOfHistograms(window: Window, isCounter: boolean): Growth | undefined {
  const { notes } = window;
  const points = histogramsOf(window);
  const [first, second] = [points[0]!, points[1]!];
  const last = points.at(-1)!;
  noteHints(points, isCounter, notes);
  const isFirstReset = isCounter && isReset(second, first);
  const start = isFirstReset ? emptyLike(second) : first;
  const counted = [start, ...points.slice(1)];
  if (counted.some((each) => hasCustomBuckets(each) !== hasCustomBuckets(start))) {
    const compared = isCounter ? counted : [start, last];
    if (compared.some((each) => hasCustomBuckets(each) !== hasCustomBuckets(start))) return warnOfKinds(notes);
  }
  const schemas = (isCounter ? counted : [start, last]).map(({ schema }) => schema);
  const difference = combined(toSchema(last, Math.min(...schemas)), start, -1);
  if (difference === undefined) return warnOfKinds(notes);
  if (difference.isReconciled) informOfBounds(notes, 'subtraction');
  let { histogram } = difference;
  if (isCounter) {
    let previous = start;
    for (const current of counted.slice(1)) {
      if (isReset(current, previous)) {
        const corrected = combined(histogram, previous, 1);
        if (corrected === undefined) return warnOfKinds(notes);
        if (corrected.isReconciled) informOfBounds(notes, 'addition');
        histogram = corrected.histogram;
      }
      previous = current;
    }
  }
  const growth: NativeHistogram = { ...compacted(histogram), resetHint: 'gauge' };
  return { histogram: growth, times: (factor) => scaled(growth, factor) };
}

function emptyLike({ schema, customValues }: NativeHistogram): NativeHistogram {
  const none = { indexes: [], counts: [] };
  return {
    schema,
    customValues,
    count: 0,
    sum: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: none,
    negative: none,
    resetHint: 'unknown',
  };
}

function noteHints(points: readonly NativeHistogram[], isCounter: boolean, notes: Notes): void {
  const { annotations, span, metric } = notes;
  if (isCounter) {
    if (points.some(({ resetHint }) => resetHint === 'gauge'))
      annotations.warn(`this native histogram metric is not a counter: ${metric}`, span);
  } else if (points[0]!.resetHint !== 'gauge' || points.at(-1)!.resetHint !== 'gauge') {
    annotations.warn(`this native histogram metric is not a gauge: ${metric}`, span);
  }
}

/** `irate` or `idelta` where a window has histograms: of its last two samples. */
export function instantHistogram(window: Window, row: Row, step: number, isRate: boolean): void {
  const { series, notes } = window;
  const last = lastTwo(window);
  const [before, after] = last;
  if (before === undefined || after === undefined) return;
  const seconds = (after.ms - before.ms) / 1000;
  if (seconds === 0) return;
  if (before.histogram === undefined && after.histogram === undefined) {
    const [a, b] = [series.values[before.index]!, series.values[after.index]!];
    const difference = isRate && b < a ? b : b - a;
    row.values[step] = isRate ? difference / seconds : difference;
    row.present[step] = 1;
    return;
  }
  if (before.histogram === undefined || after.histogram === undefined) {
    notes.annotations.warn(`encountered a mix of histograms and floats for metric name ${notes.metric}`, notes.span);
    return;
  }
  noteHints([before.histogram, after.histogram], isRate, notes);
  let result = after.histogram;
  if (!isRate || !isReset(after.histogram, before.histogram)) {
    const difference = combined(after.histogram, before.histogram, -1);
    if (difference === undefined) {
      warnOfKinds(notes);
      return;
    }
    if (difference.isReconciled) informOfBounds(notes, 'subtraction');
    result = difference.histogram;
  }
  const gauge: NativeHistogram = { ...compacted(result), resetHint: 'gauge' };
  setHistogram(row, step, isRate ? divided(gauge, seconds) : gauge);
}

interface TimedSample {
  readonly ms: number;
  readonly index: number;
  readonly histogram: NativeHistogram | undefined;
}

/** The last two samples of a window by time, numbers and histograms. */
function lastTwo({ series, from, to, histogramFrom, histogramTo }: Window): TimedSample[] {
  const samples: TimedSample[] = [];
  for (let i = Math.max(from, to - 2); i < to; i++)
    samples.push({ ms: series.times[i]!, index: i, histogram: undefined });
  for (let i = Math.max(histogramFrom, histogramTo - 2); i < histogramTo; i++)
    samples.push({ ms: series.histogramTimes[i]!, index: i, histogram: series.histograms[i]! });
  return samples.sort((a, b) => a.ms - b.ms).slice(-2);
}

/** The sum of histograms; undefined where kinds of buckets differ. It says what was strange. */
export function sumOfHistograms(
  histograms: readonly NativeHistogram[],
  onConflict: () => void,
  onReconciled: () => void,
): NativeHistogram | undefined {
  let sum = histograms[0];
  for (const histogram of histograms.slice(1)) {
    if (sum === undefined) return undefined;
    const next = combined(sum, histogram, 1);
    if (next?.isReconciled) onReconciled();
    sum = next?.histogram;
  }
  const hints = new Set(histograms.map(({ resetHint }) => resetHint));
  if (hints.has('reset') && hints.has('no-reset')) onConflict();
  return sum;
}

function sumOf(window: Window): NativeHistogram | undefined {
  const { notes } = window;
  const { annotations, span } = notes;
  const sum = sumOfHistograms(
    histogramsOf(window),
    () => annotations.warn('conflicting counter resets during histogram aggregation', span),
    () => informOfBounds(notes, 'aggregation'),
  );
  return sum ?? warnOfKinds(notes);
}

/** `sum_over_time` of histograms. */
export function sumOverWindow(window: Window, row: Row, step: number): void {
  const sum = sumOf(window);
  if (sum !== undefined) setHistogram(row, step, sum);
}

/** `avg_over_time` of histograms. */
export function averageOverWindow(window: Window, row: Row, step: number): void {
  const sum = sumOf(window);
  if (sum !== undefined) setHistogram(row, step, divided(sum, window.histogramTo - window.histogramFrom));
}

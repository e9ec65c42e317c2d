import type { Slice } from '../async/slice.js';
import { goNumber } from './aggregate.js';
import type { Annotations } from './annotations.js';
import { histogramFraction, histogramQuantile } from './histogram-estimates.js';
import { type LabelSet, nameLabel } from './label-set.js';
import { readNumber } from './language/literals.js';
import type { Expr } from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';
import {
  absentSample,
  emptyRow,
  floatSample,
  histogramSample,
  type Row,
  RowSet,
  sameLabels,
  setFloat,
} from './rows.js';
import type { Steps } from './source.js';
import { stepTime } from './steps.js';

/** The label with the upper bound of a classic bucket. */
const boundLabel = 'le';
const boundLabels: ReadonlySet<string> = new Set([boundLabel]);

/** Differences between buckets that are smaller than this part of their counts come from rounding. */
const tolerance = 1e-12;

/** Classic buckets of one histogram, and its native form. */
interface Histogram {
  readonly labels: LabelSet;
  /** By upper bound, ascending. */
  readonly buckets: { readonly bound: number; readonly row: Row }[];
  readonly native: Row[];
}

/** Cumulative counts of one step by upper bound, ascending. */
interface Buckets {
  readonly bounds: number[];
  readonly counts: number[];
}

/** What is estimated from histograms. */
type Estimate =
  | { readonly kind: 'quantile'; readonly quantiles: Float64Array; readonly quantileExpr: Expr }
  | { readonly kind: 'fraction'; readonly lower: Float64Array; readonly upper: Float64Array };

/** Estimates from classic and native histograms; `label` gives the labels of the results. */
export async function estimate(
  request: Estimate,
  rows: readonly Row[],
  steps: Steps,
  input: Expr,
  annotations: Annotations,
  slice: Slice,
  label: (labels: LabelSet) => LabelSet = (labels) => labels,
): Promise<Row[]> {
  if (request.kind === 'quantile') warnOfQuantiles(request.quantiles, request.quantileExpr, annotations);
  const results = new RowSet(steps.count);
  for (const histogram of histogramsOf(rows, input, annotations)) {
    if (slice.isOver()) await slice.next();
    const result = emptyRow(label(histogram.labels.unnamed), steps.count);
    fill(request, histogram, result, steps, input, annotations);
    results.add(result);
  }
  return results.rows();
}

function warnOfQuantiles(quantiles: Float64Array, expr: Expr, annotations: Annotations): void {
  for (const quantile of new Set(quantiles)) {
    if (quantile >= 0 && quantile <= 1) continue;
    annotations.warn(`quantile value should be between 0 and 1, got ${goNumber(quantile)}`, expr.span);
  }
}

function histogramsOf(rows: readonly Row[], input: Expr, annotations: Annotations): Histogram[] {
  const histograms = new Map<string, Histogram>();
  const histogramOf = (labels: LabelSet): Histogram => {
    const histogram = histograms.get(labels.key) ?? { labels, buckets: [], native: [] };
    histograms.set(labels.key, histogram);
    return histogram;
  };
  for (const row of rows) {
    if (row.histograms !== undefined) histogramOf(row.labels).native.push(row);
    if (!row.present.includes(floatSample)) continue;
    const text = row.labels.get(boundLabel);
    const bound = readBound(text);
    if (bound === undefined) {
      const malformed = `bucket label "${boundLabel}" is missing or has a malformed value of ${JSON.stringify(text)}`;
      annotations.warn(malformed, input.span);
    } else {
      histogramOf(row.labels.without(boundLabels)).buckets.push({ bound, row });
    }
  }
  for (const { buckets } of histograms.values()) buckets.sort((a, b) => a.bound - b.bound);
  return [...histograms.values()];
}

function readBound(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (text === '' || text.trim() !== text) return undefined;
  const isSigned = text.startsWith('-') || text.startsWith('+');
  const value = readNumber(isSigned ? text.slice(1) : text);
  return value === undefined || !text.startsWith('-') ? value : -value;
}

function fill(
  request: Estimate,
  histogram: Histogram,
  result: Row,
  steps: Steps,
  input: Expr,
  annotations: Annotations,
): void {
  for (let step = 0; step < result.values.length; step++) {
    const buckets = bucketsAt(histogram, step);
    const natives = histogram.native.filter(({ present }) => present[step] === histogramSample);
    const [native] = natives;
    if (natives.length > 1) sameLabels();
    if (native !== undefined && buckets !== undefined) {
      const name = native.labels.get(nameLabel);
      const metric = name === '' ? '' : ` for metric name ${JSON.stringify(name)}`;
      annotations.warn(`vector contains a mix of classic and native histograms${metric}`, input.span);
    } else if (native !== undefined) {
      const sample = native.histograms![step]!;
      const value =
        request.kind === 'quantile'
          ? histogramQuantile(request.quantiles[step]!, sample, annotations, input.span)
          : histogramFraction(request.lower[step]!, request.upper[step]!, sample, annotations, input.span);
      setFloat(result, step, value);
    } else if (buckets !== undefined) {
      const value =
        request.kind === 'quantile'
          ? bucketQuantile(request.quantiles[step]!, buckets, stepTime(steps, step), input, annotations)
          : bucketFraction(request.lower[step]!, request.upper[step]!, buckets);
      setFloat(result, step, value);
    }
  }
}

/** The buckets of a step, those of one bound as one; undefined when there are none. */
function bucketsAt({ buckets }: Histogram, step: number): Buckets | undefined {
  const bounds: number[] = [];
  const counts: number[] = [];
  for (const { bound, row } of buckets) {
    if (row.present[step] !== floatSample) continue;
    const count = row.values[step]!;
    if (bounds.at(-1) === bound) counts[counts.length - 1]! += count;
    else {
      bounds.push(bound);
      counts.push(count);
    }
  }
  return bounds.length === 0 ? undefined : { bounds, counts };
}

function bucketQuantile(
  quantile: number,
  { bounds, counts }: Buckets,
  ms: number,
  input: Expr,
  annotations: Annotations,
): number {
  if (Number.isNaN(quantile)) return Number.NaN;
  if (quantile < 0) return Number.NEGATIVE_INFINITY;
  if (quantile > 1) return Number.POSITIVE_INFINITY;
  if (bounds.at(-1) !== Number.POSITIVE_INFINITY) return Number.NaN;
  repair({ bounds, counts }, ms, input, annotations);
  const last = bounds.length - 1;
  const observations = counts[last]!;
  if (last < 1 || observations === 0) return Number.NaN;
  let rank = quantile * observations;
  let at = 0;
  while (at < last && !(counts[at]! >= rank)) at++;
  if (at === last) return bounds[last - 1]!;
  if (at === 0 && bounds[0]! <= 0) return bounds[0]!;
  const start = at > 0 ? bounds[at - 1]! : 0;
  let count = counts[at]!;
  if (at > 0) {
    count -= counts[at - 1]!;
    rank -= counts[at - 1]!;
  }
  return start + (bounds[at]! - start) * (rank / count);
}

/** Makes counts grow with their bounds: differences that come from rounding go silently, others with a hint. */
function repair({ bounds, counts }: Buckets, ms: number, input: Expr, annotations: Annotations): void {
  let minBucket = Number.POSITIVE_INFINITY;
  let maxBucket = Number.NEGATIVE_INFINITY;
  let maxDifference = 0;
  let previous = counts[0]!;
  for (let i = 1; i < counts.length; i++) {
    const count = counts[i]!;
    if (count === previous) continue;
    const isRounding = isAlmostEqual(previous, count);
    if (!isRounding && !(count < previous)) {
      previous = count;
      continue;
    }
    counts[i] = previous;
    if (isRounding) continue;
    minBucket = Math.min(minBucket, bounds[i]!);
    maxBucket = Math.max(maxBucket, bounds[i]!);
    maxDifference = Math.max(maxDifference, previous - count);
  }
  if (minBucket > maxBucket) return;
  const documents = 'https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile';
  const text = `input to histogram_quantile needed to be fixed for monotonicity (see ${documents})`;
  annotations.informOfRepair(text, input.span, { minBucket, maxBucket, maxDifference }, ms);
}

function isAlmostEqual(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true;
  if (a === b) return true;
  const difference = Math.abs(a - b);
  const sum = Math.abs(a) + Math.abs(b);
  if (a === 0 || b === 0 || sum < 2.2250738585072014e-308) return difference < tolerance * 2.2250738585072014e-308;
  return difference / Math.min(sum, Number.MAX_VALUE) < tolerance;
}

function bucketFraction(lower: number, upper: number, { bounds, counts }: Buckets): number {
  if (bounds.at(-1) !== Number.POSITIVE_INFINITY) return Number.NaN;
  const count = counts.at(-1)!;
  if (count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN;
  if (lower >= upper) return 0;
  const rank = (value: number): number => Math.min(count, rankOf(value, { bounds, counts }) ?? count);
  return (rank(upper) - rank(lower)) / count;
}

/** How many observations are below a value; undefined when all are. */
function rankOf(value: number, { bounds, counts }: Buckets): number | undefined {
  let rank = 0;
  let lower = bounds[0]! <= 0 ? Number.NEGATIVE_INFINITY : 0;
  for (const [i, upper] of bounds.entries()) {
    const count = counts[i]!;
    if (i > 0) lower = bounds[i - 1]!;
    if (lower >= value) return rank;
    if (upper > value) {
      if (lower === Number.NEGATIVE_INFINITY) return count;
      return rank + ((count - rank) * (value - lower)) / (upper - lower);
    }
    rank = count;
  }
  return undefined;
}

/** A function of native histograms; numbers are left out. */
export function mappedHistograms(row: Row, compute: (histogram: NativeHistogram) => number): Row {
  const result = emptyRow(row.labels.unnamed, row.values.length);
  if (row.histograms === undefined) return result;
  for (let step = 0; step < row.values.length; step++) {
    if (row.present[step] === absentSample) continue;
    const histogram = row.histograms[step];
    if (histogram !== undefined) setFloat(result, step, compute(histogram));
  }
  return result;
}

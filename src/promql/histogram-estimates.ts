import type { Annotations } from './annotations.js';
import { ExactSum } from './exact-sum.js';
import { allBuckets, type Bucket, hasCustomBuckets } from './histogram-math.js';
import type { Span } from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';

/**
 * The quantile of a native histogram: linear within custom buckets and around zero, else on the scale of logarithms.
 */
export function histogramQuantile(
  quantile: number,
  histogram: NativeHistogram,
  annotations: Annotations,
  span: Span,
): number {
  if (quantile < 0) return Number.NEGATIVE_INFINITY;
  if (quantile > 1) return Number.POSITIVE_INFINITY;
  if (histogram.count === 0 || Number.isNaN(quantile)) return Number.NaN;
  const hasNaN = Number.isNaN(histogram.sum);
  const isForward = hasNaN || quantile < 0.5;
  const all = allBuckets(histogram);
  const buckets = isForward ? all : all.reverse();
  let rank = (isForward ? quantile : 1 - quantile) * histogram.count;
  let count = 0;
  let at = 0;
  let bucket: Bucket = { lower: 0, upper: 0, count: 0 };
  while (at < buckets.length) {
    bucket = buckets[at++]!;
    if (bucket.count === 0) continue;
    count += bucket.count;
    if (count >= rank) break;
  }
  let { lower, upper } = bucket;
  const isCustom = hasCustomBuckets(histogram);
  if (!isCustom && lower < 0 && upper > 0) {
    const { positive, negative } = histogram;
    if (negative.counts.length === 0 && positive.counts.length > 0) lower = 0;
    else if (positive.counts.length === 0 && negative.counts.length > 0) upper = 0;
  } else if (isCustom && lower === Number.NEGATIVE_INFINITY) {
    if (upper <= 0) return upper;
    lower = 0;
  } else if (isCustom && upper === Number.POSITIVE_INFINITY) {
    return lower;
  }
  count = Math.min(count, histogram.count);
  if (count < rank) {
    if (!hasNaN) return upper;
    annotations.inform('input to histogram_quantile has NaN observations, result is NaN', span);
    return Number.NaN;
  }
  rank = isForward ? rank - (count - bucket.count) : count - rank;
  if (hasNaN) {
    const total = buckets.slice(at).reduce((sum, each) => sum + each.count, count);
    if (total < histogram.count)
      annotations.inform('input to histogram_quantile has NaN observations, result is skewed higher', span);
  }
  const fraction = rank / bucket.count;
  if (isCustom || (lower <= 0 && upper >= 0)) return lower + (upper - lower) * fraction;
  const logLower = Math.log2(Math.abs(lower));
  const logUpper = Math.log2(Math.abs(upper));
  if (lower > 0) return 2 ** (logLower + (logUpper - logLower) * fraction);
  return -(2 ** (logUpper + (logLower - logUpper) * (1 - fraction)));
}

/** The part of a bucket at or below a value within it. */
export function fractionBelow({ lower, upper }: Bucket, value: number, isLinear: boolean): number {
  if (isLinear) return (value - lower) / (upper - lower);
  const logLower = Math.log2(Math.abs(lower));
  const logUpper = Math.log2(Math.abs(upper));
  const log = Math.log2(Math.abs(value));
  if (value > 0) return (log - logLower) / (logUpper - logLower);
  return 1 - (log - logUpper) / (logLower - logUpper);
}

/** The part of the observations between two values. */
export function histogramFraction(
  lower: number,
  upper: number,
  histogram: NativeHistogram,
  annotations: Annotations,
  span: Span,
): number {
  if (histogram.count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN;
  if (lower >= upper) return 0;
  const buckets = allBuckets(histogram);
  let count = histogram.count;
  if (Number.isNaN(histogram.sum)) {
    count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    if (count < histogram.count) {
      const text = 'input to histogram_fraction has NaN observations, which are excluded from all fractions';
      annotations.inform(text, span);
    }
  }
  const rank = (value: number): number => Math.min(count, rankOf(value, histogram, buckets) ?? count);
  return (rank(upper) - rank(lower)) / histogram.count;
}

/** How many observations are below a value; undefined when all buckets are. */
function rankOf(value: number, histogram: NativeHistogram, buckets: readonly Bucket[]): number | undefined {
  const isCustom = hasCustomBuckets(histogram);
  const { positive, negative } = histogram;
  let rank = 0;
  for (const bucket of buckets) {
    const isZero = bucket.lower <= 0 && bucket.upper >= 0;
    let { lower, upper } = bucket;
    if (isZero && negative.counts.length === 0 && positive.counts.length > 0) lower = 0;
    else if (isZero && positive.counts.length === 0 && negative.counts.length > 0) upper = 0;
    if (lower >= value) return rank;
    if (upper > value) {
      // Nothing is known about where in an endless bucket observations are.
      if ((isCustom || isZero) && lower === Number.NEGATIVE_INFINITY) return bucket.count;
      return rank + bucket.count * fractionBelow({ lower, upper, count: bucket.count }, value, isCustom || isZero);
    }
    rank += bucket.count;
  }
  return undefined;
}

/** The variance of the observations, estimated from the middles of buckets. */
export function histogramVariance(histogram: NativeHistogram): number {
  const mean = histogram.sum / histogram.count;
  const variance = new ExactSum();
  for (const { lower, upper, count } of allBuckets(histogram)) {
    if (count === 0) continue;
    let middle = 0;
    if (hasCustomBuckets(histogram)) middle = (upper + lower) / 2;
    else if (!(lower <= 0 && upper >= 0)) middle = Math.sqrt(upper * lower) * (upper < 0 ? -1 : 1);
    variance.add(count * (middle - mean) * (middle - mean));
  }
  return variance.total / histogram.count;
}

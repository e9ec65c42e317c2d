import { fractionBelow } from './histogram-estimates.js';
import { type Bucket, bucketsOf, compacted, hasCustomBuckets, zeroBucket } from './histogram-math.js';
import type { HistogramBuckets, NativeHistogram } from './native-histogram.js';

/** What is left of a bucket: its observations, and the value that stands for them. */
interface Remainder {
  readonly count: number;
  readonly middle: number;
}

const nothing: Remainder = { count: 0, middle: 0 };

/** The histogram without the observations above (`</`) or below (`>/`) a value, estimated within buckets. */
export function trimmed(histogram: NativeHistogram, at: number, operator: '</' | '>/'): NativeHistogram {
  const isUpper = operator === '</';
  let count = 0;
  let sum = 0;
  let isTrimmed = false;
  const side = (name: 'positive' | 'negative'): HistogramBuckets => {
    const counts = bucketsOf(histogram, name).map((bucket) => {
      if (bucket.count === 0) return 0;
      const left = remainder(bucket, at, isUpper, name === 'positive', hasCustomBuckets(histogram));
      count += left.count;
      sum += left.middle * left.count;
      isTrimmed ||= left.count !== bucket.count;
      return left.count;
    });
    return { indexes: histogram[name].indexes, counts };
  };
  const positive = side('positive');
  const negative = side('negative');
  let { zeroCount } = histogram;
  if (zeroCount > 0) {
    const left = zeroRemainder(histogram, at, isUpper);
    isTrimmed ||= left.count !== zeroCount;
    zeroCount = left.count;
    sum += left.middle * left.count;
    count += left.count;
  }
  return isTrimmed ? compacted({ ...histogram, count, sum, zeroCount, positive, negative }) : histogram;
}

function remainder(bucket: Bucket, at: number, isUpper: boolean, isPositive: boolean, isLinear: boolean): Remainder {
  const { lower, upper, count } = bucket;
  if (isUpper ? upper <= at : lower >= at) return { count, middle: middleOf(lower, upper, isPositive, isLinear) };
  if (isUpper ? lower >= at : upper <= at) return nothing;
  if (lower === Number.NEGATIVE_INFINITY || upper === Number.POSITIVE_INFINITY)
    return endlessRemainder(bucket, at, isUpper);
  const below = at <= lower ? 0 : at >= upper ? count : count * fractionBelow(bucket, at, isLinear);
  if (isUpper) return { count: below, middle: middleOf(lower, at, isPositive, isLinear) };
  return { count: count - below, middle: middleOf(at, upper, isPositive, isLinear) };
}

/** Of a bucket without an end nothing is known but its other bound. */
function endlessRemainder({ lower, upper, count }: Bucket, at: number, isUpper: boolean): Remainder {
  const finite = (value: number): number => (Number.isFinite(value) ? value : 0);
  if (lower === Number.NEGATIVE_INFINITY) {
    const isFinitePositive = upper > 0 && upper !== Number.POSITIVE_INFINITY;
    if (isUpper) {
      if (at >= upper) return { count, middle: 0 };
      if (at > 0 && isFinitePositive) return { count: (count * at) / upper, middle: at / 2 };
      return upper <= 0 ? { count, middle: at } : { count: 0, middle: finite(upper) };
    }
    if (at <= lower) return { count, middle: 0 };
    if (at >= 0 && upper > at && upper !== Number.POSITIVE_INFINITY)
      return { count: count * (1 - at / upper), middle: (at + upper) / 2 };
    return { count: 0, middle: finite(upper) };
  }
  if (!isUpper && at >= lower) return { count, middle: at };
  return { count: 0, middle: finite(lower) };
}

function zeroRemainder(histogram: NativeHistogram, at: number, isUpper: boolean): Remainder {
  const hasCounts = ({ counts }: HistogramBuckets): boolean => counts.some((each) => each !== 0);
  const hasPositive = hasCounts(histogram.positive);
  const hasNegative = hasCounts(histogram.negative);
  const bucket = zeroBucket(histogram);
  const lower = hasPositive && !hasNegative ? 0 : bucket.lower;
  const upper = hasNegative && !hasPositive ? 0 : bucket.upper;
  if (isUpper ? at <= lower : at >= upper) return nothing;
  if (isUpper ? at >= upper : at <= lower) return { count: bucket.count, middle: (lower + upper) / 2 };
  if (isUpper) return { count: (bucket.count * (at - lower)) / (upper - lower), middle: (lower + at) / 2 };
  return { count: (bucket.count * (upper - at)) / (upper - lower), middle: (at + upper) / 2 };
}

function middleOf(lower: number, upper: number, isPositive: boolean, isLinear: boolean): number {
  if (!Number.isFinite(lower)) {
    if (!Number.isFinite(upper)) return 0;
    return upper > 0 ? upper / 2 : upper;
  }
  if (!Number.isFinite(upper)) return lower;
  if (isLinear) return (lower + upper) / 2;
  const middle = Math.sqrt(Math.abs(lower * upper));
  return isPositive ? middle : -middle;
}

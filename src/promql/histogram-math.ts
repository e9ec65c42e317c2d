import type { HistogramBuckets, NativeHistogram } from './native-histogram.js';

/** A bucket with its bounds. */
export interface Bucket {
  readonly lower: number;
  readonly upper: number;
  readonly count: number;
}

/** The schema of custom buckets. */
const customSchema = -53;

/** True for a histogram whose buckets have bounds of its own. */
export function hasCustomBuckets({ schema }: NativeHistogram): boolean {
  return schema === customSchema;
}

const noBuckets: HistogramBuckets = { indexes: [], counts: [] };

/** The upper bound of a bucket with an index, as an absolute value. */
function boundOf(index: number, { schema, customValues }: NativeHistogram): number {
  if (schema === customSchema) {
    if (index < 0) return Number.NEGATIVE_INFINITY;
    return customValues[index] ?? Number.POSITIVE_INFINITY;
  }
  const exponent = schema < 0 ? index * 2 ** -schema : index / 2 ** schema;
  return exponent === 1024 ? Number.MAX_VALUE : 2 ** exponent;
}

/** Buckets of one side as bounds, ascending in absolute value. */
export function bucketsOf(histogram: NativeHistogram, side: 'positive' | 'negative'): Bucket[] {
  const { indexes, counts } = histogram[side];
  return indexes.map((index, i) => {
    const upper = boundOf(index, histogram);
    const lower = boundOf(index - 1, histogram);
    const count = counts[i]!;
    return side === 'positive' ? { lower, upper, count } : { lower: -upper, upper: -lower, count };
  });
}

/** All buckets in ascending order; those that overlap with the bucket of zero end at its threshold. */
export function allBuckets(histogram: NativeHistogram): Bucket[] {
  const { zeroThreshold, zeroCount } = histogram;
  const negative = bucketsOf(histogram, 'negative')
    .reverse()
    .map((bucket) =>
      bucket.upper < 0 && bucket.upper > -zeroThreshold ? { ...bucket, upper: -zeroThreshold } : bucket,
    );
  const positive = bucketsOf(histogram, 'positive').map((bucket) =>
    bucket.lower > 0 && bucket.lower < zeroThreshold ? { ...bucket, lower: zeroThreshold } : bucket,
  );
  const zero = zeroCount > 0 ? [zeroBucket(histogram)] : [];
  return [...negative, ...zero, ...positive];
}

/** The bucket around zero. */
export function zeroBucket({ zeroThreshold, zeroCount }: NativeHistogram): Bucket {
  return { lower: -zeroThreshold, upper: zeroThreshold, count: zeroCount };
}

/** The histogram with every count and the sum changed. */
function mapped(histogram: NativeHistogram, change: (value: number) => number): NativeHistogram {
  const { positive, negative } = histogram;
  return {
    ...histogram,
    count: change(histogram.count),
    sum: change(histogram.sum),
    zeroCount: change(histogram.zeroCount),
    positive: { indexes: positive.indexes, counts: positive.counts.map(change) },
    negative: { indexes: negative.indexes, counts: negative.counts.map(change) },
  };
}

/** The histogram times a number. A negative one makes it a gauge. */
export function scaled(histogram: NativeHistogram, factor: number): NativeHistogram {
  const product = mapped(histogram, (value) => value * factor);
  return factor < 0 ? { ...product, resetHint: 'gauge' } : product;
}

/** The histogram divided by a number; zero leaves no buckets. */
export function divided(histogram: NativeHistogram, divisor: number): NativeHistogram {
  const quotient = mapped(histogram, (value) => value / divisor);
  if (divisor === 0) return { ...quotient, positive: noBuckets, negative: noBuckets };
  return divisor < 0 ? { ...quotient, resetHint: 'gauge' } : quotient;
}

/** The histogram without empty buckets. */
export function compacted(histogram: NativeHistogram): NativeHistogram {
  return { ...histogram, positive: populated(histogram.positive), negative: populated(histogram.negative) };
}

function populated(buckets: HistogramBuckets): HistogramBuckets {
  if (!buckets.counts.includes(0)) return buckets;
  return fromMap(new Map(buckets.indexes.map((index, i) => [index, buckets.counts[i]!])));
}

/** Buckets by index, without empty ones. */
function fromMap(counts: ReadonlyMap<number, number>): HistogramBuckets {
  const entries = [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
  return { indexes: entries.map(([index]) => index), counts: entries.map(([, count]) => count) };
}

/** The histogram with the fewer buckets of a lower schema. */
export function toSchema(histogram: NativeHistogram, schema: number): NativeHistogram {
  if (histogram.schema <= schema || hasCustomBuckets(histogram)) return histogram;
  const shift = histogram.schema - schema;
  const joined = ({ indexes, counts }: HistogramBuckets): HistogramBuckets => {
    const target = new Map<number, number>();
    for (const [i, index] of indexes.entries()) {
      const wider = Math.floor((index - 1) / 2 ** shift) + 1;
      target.set(wider, (target.get(wider) ?? 0) + counts[i]!);
    }
    return fromMap(target);
  };
  return { ...histogram, schema, positive: joined(histogram.positive), negative: joined(histogram.negative) };
}

/** The count of zero with a larger threshold, which grows to the end of a bucket that it would cut. */
function zeroFor(
  histogram: NativeHistogram,
  threshold: number,
): { readonly count: number; readonly threshold: number } {
  let largest = threshold;
  if (largest === histogram.zeroThreshold) return { count: histogram.zeroCount, threshold: largest };
  const positive = bucketsOf(histogram, 'positive');
  const negative = bucketsOf(histogram, 'negative').map(({ lower, upper, count }) => ({
    lower: -upper,
    upper: -lower,
    count,
  }));
  for (;;) {
    const within = [...positive, ...negative].filter(({ lower }) => lower < largest);
    const cut = within.filter(({ upper, count }) => upper > largest && count !== 0);
    if (cut.length === 0) {
      const count = within.reduce((sum, bucket) => sum + bucket.count, histogram.zeroCount);
      return { count, threshold: largest };
    }
    largest = Math.max(...cut.map(({ upper }) => upper));
  }
}

/** The histogram with a larger threshold of zero, or a still larger one. */
function withThreshold(histogram: NativeHistogram, least: number): NativeHistogram {
  const { count, threshold } = zeroFor(histogram, least);
  const outside = (buckets: HistogramBuckets): HistogramBuckets =>
    fromMap(
      new Map(
        buckets.indexes
          .map((index, i): [number, number] => [index, buckets.counts[i]!])
          .filter(([index]) => boundOf(index - 1, histogram) >= threshold),
      ),
    );
  return {
    ...histogram,
    zeroThreshold: threshold,
    zeroCount: count,
    positive: outside(histogram.positive),
    negative: outside(histogram.negative),
  };
}

/** What comes of two histograms. */
interface Combination {
  readonly histogram: NativeHistogram;
  /** One says that it was reset, the other that it was not. */
  readonly hasHintConflict: boolean;
  /** Bounds of custom buckets differed, and those that both have are left. */
  readonly isReconciled: boolean;
}

/** `a + b` or `a - b`; undefined when one has custom buckets and the other has not. */
export function combined(a: NativeHistogram, b: NativeHistogram, sign: 1 | -1): Combination | undefined {
  if (hasCustomBuckets(a) !== hasCustomBuckets(b)) return undefined;
  const { resetHint, hasHintConflict } = hintOf(a, b);
  if (hasCustomBuckets(a)) {
    const isReconciled = !equalNumbers(a.customValues, b.customValues);
    const bounds = isReconciled ? a.customValues.filter((bound) => b.customValues.includes(bound)) : a.customValues;
    const [left, right] = isReconciled ? [toBounds(a, bounds), toBounds(b, bounds)] : [a, b];
    const histogram = { ...added(left, right, sign), customValues: bounds, resetHint };
    return { histogram, hasHintConflict, isReconciled };
  }
  const schema = Math.min(a.schema, b.schema);
  let [left, right] = [a, b];
  while (left.zeroThreshold !== right.zeroThreshold) {
    if (left.zeroThreshold > right.zeroThreshold) right = withThreshold(right, left.zeroThreshold);
    else left = withThreshold(left, right.zeroThreshold);
  }
  const histogram = { ...added(toSchema(left, schema), toSchema(right, schema), sign), resetHint };
  return { histogram, hasHintConflict, isReconciled: false };
}

function added(a: NativeHistogram, b: NativeHistogram, sign: 1 | -1): NativeHistogram {
  const joined = (left: HistogramBuckets, right: HistogramBuckets): HistogramBuckets => {
    const counts = new Map(left.indexes.map((index, i) => [index, left.counts[i]!]));
    for (const [i, index] of right.indexes.entries())
      counts.set(index, (counts.get(index) ?? 0) + sign * right.counts[i]!);
    return fromMap(counts);
  };
  return {
    ...a,
    count: a.count + sign * b.count,
    sum: a.sum + sign * b.sum,
    zeroCount: a.zeroCount + sign * b.zeroCount,
    positive: joined(a.positive, b.positive),
    negative: joined(a.negative, b.negative),
  };
}

function hintOf(
  a: NativeHistogram,
  b: NativeHistogram,
): { readonly resetHint: NativeHistogram['resetHint']; readonly hasHintConflict: boolean } {
  const [left, right] = [a.resetHint, b.resetHint];
  if (left === right) return { resetHint: left, hasHintConflict: false };
  if (left === 'gauge' || right === 'gauge') return { resetHint: 'gauge', hasHintConflict: false };
  return { resetHint: 'unknown', hasHintConflict: left !== 'unknown' && right !== 'unknown' };
}

/** Custom buckets with some of their bounds. */
function toBounds(histogram: NativeHistogram, bounds: readonly number[]): NativeHistogram {
  const counts = new Map<number, number>();
  for (const [i, index] of histogram.positive.indexes.entries()) {
    const upper = boundOf(index, histogram);
    const target = bounds.findIndex((bound) => bound >= upper);
    const place = target < 0 ? bounds.length : target;
    counts.set(place, (counts.get(place) ?? 0) + histogram.positive.counts[i]!);
  }
  return { ...histogram, customValues: bounds, positive: fromMap(counts) };
}

/** True when a counter has begun anew between two histograms. */
export function isReset(current: NativeHistogram, previous: NativeHistogram): boolean {
  if (current.resetHint === 'reset') return true;
  if (current.resetHint === 'no-reset') return false;
  if (current.count < previous.count) return true;
  let before = previous;
  let now = current;
  if (hasCustomBuckets(current)) {
    if (!hasCustomBuckets(previous)) return true;
    if (!equalNumbers(current.customValues, previous.customValues)) {
      const bounds = current.customValues.filter((bound) => previous.customValues.includes(bound));
      now = toBounds(current, bounds);
      before = toBounds(previous, bounds);
    }
  } else {
    if (current.schema > previous.schema || current.zeroThreshold < previous.zeroThreshold) return true;
    const { count, threshold } = zeroFor(previous, current.zeroThreshold);
    if (threshold !== current.zeroThreshold || current.zeroCount < count) return true;
    before = toSchema(withThreshold(previous, current.zeroThreshold), current.schema);
  }
  return hasDecrease(now.positive, before.positive) || hasDecrease(now.negative, before.negative);
}

function hasDecrease(current: HistogramBuckets, previous: HistogramBuckets): boolean {
  const counts = new Map(current.indexes.map((index, i) => [index, current.counts[i]!]));
  return previous.indexes.some((index, i) => (counts.get(index) ?? 0) < previous.counts[i]!);
}

/** True when two histograms are the same in all but their hints. */
export function equalHistograms(a: NativeHistogram, b: NativeHistogram): boolean {
  return (
    a.schema === b.schema &&
    Object.is(a.count, b.count) &&
    Object.is(a.sum, b.sum) &&
    a.zeroThreshold === b.zeroThreshold &&
    Object.is(a.zeroCount, b.zeroCount) &&
    equalNumbers(a.customValues, b.customValues) &&
    equalBuckets(a.positive, b.positive) &&
    equalBuckets(a.negative, b.negative)
  );
}

function equalBuckets(a: HistogramBuckets, b: HistogramBuckets): boolean {
  const [left, right] = [populated(a), populated(b)];
  return equalNumbers(left.indexes, right.indexes) && equalNumbers(left.counts, right.counts);
}

function equalNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

/** `{count:…, sum:…, (lower,upper]:count, …}`, as labels of `count_values` show a histogram. */
export function histogramText(histogram: NativeHistogram): string {
  const parts = [`count:${histogram.count}`, `sum:${histogram.sum}`];
  for (const { lower, upper, count } of allBucketsWithBrackets(histogram)) parts.push(`${lower},${upper}:${count}`);
  return `{${parts.join(', ')}}`;
}

function allBucketsWithBrackets(
  histogram: NativeHistogram,
): { readonly lower: string; readonly upper: string; readonly count: number }[] {
  const shown = (buckets: readonly Bucket[], open: string, close: string) =>
    buckets
      .filter(({ count }) => count !== 0)
      .map(({ lower, upper, count }) => ({ lower: open + signed(lower), upper: signed(upper) + close, count }));
  return [
    ...shown(bucketsOf(histogram, 'negative').reverse(), '[', ')'),
    ...shown([zeroBucket(histogram)], '[', ']'),
    ...shown(bucketsOf(histogram, 'positive'), '(', ']'),
  ];
}

function signed(bound: number): string {
  if (Number.isFinite(bound)) return String(bound);
  return bound > 0 ? '+Inf' : '-Inf';
}

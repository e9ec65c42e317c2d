import type { Fault } from '../../model/fault.js';
import { badPoint } from './point-fault.js';

/**
 * Buckets of one side of a native histogram: offsets and lengths of the spans alternate, and the count of each bucket.
 */
export interface BucketSide {
  readonly spans: number[];
  readonly counts: number[];
}

/** A native histogram as far as its numbers depend on each other. */
interface BucketTotals {
  readonly count: number;
  readonly sum: number;
  readonly zeroCount: number;
  readonly positive: BucketSide;
  readonly negative: BucketSide;
  /** True when the counts are whole numbers, which add up exactly. */
  readonly isWhole: boolean;
}

/**
 * Why the buckets of a native histogram contradict each other, if they do: spans say how many buckets there are,
 * buckets do not go back, no count is negative, and whole counts add up to the count of all. A histogram that saw NaN,
 * whose sum then is NaN, may have counted more than its buckets hold. These are the rules of
 * https://prometheus.io/docs/specs/native_histograms/.
 */
export function bucketProblem({ count, sum, zeroCount, positive, negative, isWhole }: BucketTotals): Fault | undefined {
  const problem = sideProblem('positive', positive) ?? sideProblem('negative', negative);
  if (problem !== undefined) return badPoint(problem);
  if (count < 0 || zeroCount < 0) return badPoint('the histogram has a negative count');
  const held = total(positive) + total(negative) + zeroCount;
  if (!isWhole || held > Number.MAX_SAFE_INTEGER || count > Number.MAX_SAFE_INTEGER) return undefined;
  if (held === count || (Number.isNaN(sum) && held < count)) return undefined;
  return badPoint(`the histogram counts ${count} values, its buckets ${held}`);
}

/**
 * Schemas of exponential buckets, and that of buckets with bounds of their own, see
 * https://prometheus.io/docs/specs/native_histograms/.
 */
const lowestSchema = -9;
const highestSchema = 52;
const ownBoundsSchema = -53;

/**
 * Why a native histogram cannot have a schema with these bounds, if so: bounds of its own rise, are finite, and stand
 * beside their schema alone.
 */
export function schemaProblem(schema: number, bounds: readonly number[]): Fault | undefined {
  const isExponential = schema >= lowestSchema && schema <= highestSchema;
  if (!isExponential && schema !== ownBoundsSchema)
    return badPoint(`the histogram has schema ${schema}, which is none`);
  if (isExponential && bounds.length > 0) return badPoint(`the histogram has custom values beside schema ${schema}`);
  const bad = bounds.findIndex((bound, at) => !Number.isFinite(bound) || (at > 0 && bound <= bounds[at - 1]!));
  if (bad < 0) return undefined;
  return badPoint(
    `custom value ${bad + 1} of the histogram, ${bounds[bad]}, is not finite or not above the one before`,
  );
}

function sideProblem(name: string, { spans, counts }: BucketSide): string | undefined {
  let buckets = 0;
  for (let i = 0; i < spans.length; i += 2) {
    if (i > 0 && spans[i]! < 0) return `${name} span ${i / 2 + 1} of the histogram has a negative offset`;
    buckets += spans[i + 1]!;
  }
  if (buckets !== counts.length)
    return `the ${name} spans of the histogram have ${buckets} buckets, the counts ${counts.length}`;
  return counts.some((count) => count < 0) ? `the histogram has a negative count in a ${name} bucket` : undefined;
}

function total({ counts }: BucketSide): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

import { build, type Histogram } from 'hdr-histogram-js';
import type { DelayFigures } from '../model/report.js';

const microsPerMs = 1000;
/** Bounds of the buckets within a decade. */
const steps = [1, 2, 5] as const;
/** A tenth of a millisecond, the upper bound of the first bucket. */
const firstBoundMs = 0.1;
const decades = 16;
/** Upper bounds of the buckets. Tenths are not exact in binary; what is shown is. */
const bounds = Array.from({ length: decades }, (_, decade) =>
  steps.map((step) => Number((firstBoundMs * 10 ** decade * step).toPrecision(1))),
).flat();

/**
 * Delays of requests by a histogram of fixed size: percentiles to three digits however many requests there are; least,
 * most, mean and sum exact.
 */
export class Delays {
  readonly #histogram: Histogram = build({
    bitBucketSize: 64,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 3,
  });
  readonly #buckets: number[] = [];
  #count = 0;
  #sumMs = 0;
  #minMs = Number.POSITIVE_INFINITY;
  #maxMs = 0;

  /** Counts one request. */
  record(ms: number): void {
    this.#count++;
    this.#sumMs += ms;
    this.#minMs = Math.min(this.#minMs, ms);
    this.#maxMs = Math.max(this.#maxMs, ms);
    this.#histogram.recordValue(Math.max(1, Math.round(ms * microsPerMs)));
    const bucket = bucketOf(ms);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  /** Adds what another one has recorded. */
  add(other: Delays): void {
    if (other.#count === 0) return;
    this.#count += other.#count;
    this.#sumMs += other.#sumMs;
    this.#minMs = Math.min(this.#minMs, other.#minMs);
    this.#maxMs = Math.max(this.#maxMs, other.#maxMs);
    this.#histogram.add(other.#histogram);
    for (const [bucket, count] of other.#buckets.entries()) {
      if (count !== undefined) this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + count;
    }
  }

  /** Zeros when nothing was recorded. */
  figures(): DelayFigures {
    if (this.#count === 0) return { min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] };
    return {
      min: this.#minMs,
      mean: this.#sumMs / this.#count,
      p50: this.#percentile(50),
      p90: this.#percentile(90),
      p95: this.#percentile(95),
      p99: this.#percentile(99),
      max: this.#maxMs,
      buckets: this.#nonEmptyBuckets(),
    };
  }

  /** The histogram rounds: no percentile may lie outside of what was seen. */
  #percentile(percent: number): number {
    const ms = this.#histogram.getValueAtPercentile(percent) / microsPerMs;
    return Math.min(this.#maxMs, Math.max(this.#minMs, ms));
  }

  #nonEmptyBuckets(): DelayFigures['buckets'] {
    const first = this.#buckets.findIndex((count) => count > 0);
    return Array.from({ length: this.#buckets.length - first }, (_, i) => ({
      upToMs: boundOf(first + i),
      count: this.#buckets[first + i] ?? 0,
    }));
  }
}

function boundOf(bucket: number): number {
  return bounds[bucket] ?? Number.POSITIVE_INFINITY;
}

function bucketOf(ms: number): number {
  let bucket = 0;
  while (ms > boundOf(bucket)) bucket++;
  return bucket;
}

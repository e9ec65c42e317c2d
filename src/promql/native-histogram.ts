/** Buckets of one side: counts by the index of the bucket, with ascending indexes. */
export interface HistogramBuckets {
  readonly indexes: readonly number[];
  readonly counts: readonly number[];
}

/** A native histogram as a sample; counts of buckets are absolute and not cumulative. */
export interface NativeHistogram {
  /** Resolution of exponential buckets, -4 to 8; -53 for custom buckets. */
  readonly schema: number;
  readonly count: number;
  readonly sum: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly positive: HistogramBuckets;
  readonly negative: HistogramBuckets;
  /** Upper bounds of custom buckets, ascending, without the infinite one. */
  readonly customValues: readonly number[];
  /** `gauge` is not compared for resets. */
  readonly resetHint: 'unknown' | 'reset' | 'no-reset' | 'gauge';
}

import type { Label } from '../model/label-set.js';
import type { LabelMatcher } from '../model/series-query.js';
import type { NativeHistogram } from './native-histogram.js';

/**
 * Labels of a series with the name of the metric as `__name__`, ordered by the bytes of their names, none with an empty
 * value.
 */
export type Labels = readonly Label[];

/**
 * What a selector of a query reads: the series that pass all matchers, and their samples of a range open on the left.
 */
export interface Selection {
  /** Conditions on labels; the name of the metric is the label `__name__`. */
  readonly matchers: readonly LabelMatcher[];
  /** Unix milliseconds; a sample exactly at this time is left out. */
  readonly afterMs: number;
  /** Unix milliseconds; a sample exactly at this time belongs to the range. */
  readonly untilMs: number;
}

/**
 * Samples of series as columns. Samples of series `i` are those from `offsets[i]` up to but without `offsets[i + 1]`,
 * with ascending times, each time once. Series without a sample in the range may be left out.
 */
export interface SeriesSamples {
  readonly labels: readonly Labels[];
  /** One entry more than series. */
  readonly offsets: Uint32Array;
  /** Unix milliseconds. */
  readonly times: Float64Array;
  /** A stale marker is the NaN with the bits {@link staleBits}, written through a view of integers. */
  readonly values: Float64Array;
  /** Native histograms by the index of their sample, whose value then means nothing; absent when there are none. */
  readonly histograms?: ReadonlyMap<number, NativeHistogram> | undefined;
}

/** Bits of the NaN that marks the end of a series: high and low half. */
export const staleBits = { high: 0x7ff00000, low: 2 } as const;

/** Times at which a query is evaluated: `startMs`, `startMs + stepMs` and so on; an instant query has one step. */
export interface Steps {
  readonly startMs: number;
  /** Milliseconds, at least 1. */
  readonly stepMs: number;
  readonly count: number;
}

/**
 * Functions over the window of a step that a source may compute by itself. `last` gives no value where the last sample
 * is a stale marker; all others do not see markers.
 */
export type GridFunction = 'last' | 'last_over_time' | 'rate' | 'increase' | 'delta' | 'irate' | 'idelta' | 'resets';

/**
 * A function over the samples of each step: the step at `t` sees those of the window (t - offsetMs - windowMs, t -
 * offsetMs].
 */
export interface GridRequest {
  readonly matchers: readonly LabelMatcher[];
  readonly steps: Steps;
  /** Milliseconds. */
  readonly windowMs: number;
  /** Milliseconds, negative for later samples. */
  readonly offsetMs: number;
  readonly function: GridFunction;
}

/** Values of series at steps: the value of series `i` at step `k` is `values[i * steps + k]`, where `present` is 1. */
export interface SeriesGrid {
  readonly labels: readonly Labels[];
  readonly values: Float64Array;
  readonly present: Uint8Array;
}

/** What a query may take from a source. */
export interface ReadBudget {
  /** Counts series; throws a QueryError when the query has had more than its limit. */
  takeSeries(count: number): void;
  /** Counts samples that are in memory; throws a QueryError when the query holds more than its limit. */
  takeSamples(count: number): void;
  /** Aborts when the query is cancelled or its time is over; its reason is a QueryError. */
  readonly signal: AbortSignal;
}

/** Where the evaluator of queries finds series and samples. */
export interface SeriesSource {
  /**
   * Reads series and their samples in pieces; all samples of a series are in one piece, and equal data come in an equal
   * order. Throws a QueryError for a regular expression that is none, and where the budget ends; a FaultError where the
   * database fails.
   */
  read(selection: Selection, budget: ReadBudget): AsyncIterable<SeriesSamples>;
  /**
   * Computes a function over windows where the samples are, to the same numbers; undefined when the source cannot, and
   * the evaluator reads samples then. Series without a value at any step may be left out.
   */
  grid?(request: GridRequest, budget: ReadBudget): Promise<SeriesGrid | undefined>;
}

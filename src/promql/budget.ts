import { QueryError } from './query-error.js';
import type { ReadBudget } from './source.js';

/** Limits of one query, by name. */
export interface QueryLimits {
  /** Series that selectors may read in all. */
  readonly series: number;
  /** Samples in memory at a time: those that are read, and those of results; each takes 9 to 16 bytes. */
  readonly samples: number;
  /** Steps of a range query. */
  readonly steps: number;
  /** Steps of a subquery. */
  readonly subquerySteps: number;
}

/** Limits where no others are set. */
export const defaultLimits: QueryLimits = {
  series: 500_000,
  samples: 50_000_000,
  steps: 11_000,
  subquerySteps: 1_000_000,
};

/** Counts what a query takes. */
export class QueryBudget implements ReadBudget {
  readonly limits: QueryLimits;
  readonly signal: AbortSignal;
  #series = 0;
  #samples = 0;
  #peak = 0;
  #read = 0;

  constructor(limits: QueryLimits, signal: AbortSignal) {
    this.limits = limits;
    this.signal = signal;
  }

  takeSeries(count: number): void {
    this.#series += count;
    if (this.#series > this.limits.series) {
      const text = `the query selects more than ${this.limits.series} series; narrow its selectors`;
      throw new QueryError('execution', text);
    }
  }

  takeSamples(count: number): void {
    this.#read += count;
    this.hold(count);
  }

  /** Counts samples of results. */
  hold(count: number): void {
    this.#samples += count;
    this.#peak = Math.max(this.#peak, this.#samples);
    if (this.#samples > this.limits.samples) {
      const text = 'query processing would load too many samples into memory in query execution';
      throw new QueryError('execution', `${text} (limit ${this.limits.samples})`);
    }
  }

  /** Samples in memory. */
  get held(): number {
    return this.#samples;
  }

  /** Says how many samples are left in memory when a part of the query is done. */
  keep(samples: number): void {
    this.#samples = 0;
    this.hold(samples);
  }

  /** Samples read in all, and the most that were in memory at a time. */
  get figures(): { readonly readSamples: number; readonly peakSamples: number } {
    return { readSamples: this.#read, peakSamples: this.#peak };
  }
}

import type { RunReport } from './run-report.js';

/**
 * Report of an insertion run: plain figures, so that the JSON report
 * is this value and nothing else. Times are Unix milliseconds; delays are milliseconds from sending a request to its answer.
 */
export interface LoadReport extends RunReport {
  readonly totals: LoadFigures;
  /** Rows a second over time, in order of time. */
  readonly rates: readonly RateSample[];
  readonly superTables: readonly SuperTableReport[];
}

/** Figures of the whole run, or of one super table. */
export interface LoadFigures {
  /** Wall time of the insertion, pauses included. */
  readonly seconds: number;
  /** Rows that were answered as stored; `failedRows` are told apart from them. */
  readonly rows: number;
  readonly failedRows: number;
  readonly requests: number;
  /** Requests given up on, and attempts after a first one that failed. */
  readonly failedRequests: number;
  readonly retries: number;
  /** Time that all threads together spent on making rows, on turning them into requests, and on waiting for answers. */
  readonly generateSeconds: number;
  readonly encodeSeconds: number;
  readonly waitSeconds: number;
  readonly delays: DelayFigures;
}

/** Delays of requests, in milliseconds; all zero when there was none. */
export interface DelayFigures {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** How many requests took up to `upToMs` and more than the bucket before; in rising order, none empty at the ends. */
  readonly buckets: readonly DelayBucket[];
}

/** Requests that took no longer than `upToMs`, and longer than the bucket before. */
export interface DelayBucket {
  readonly upToMs: number;
  readonly count: number;
}

/** Figures of the `seconds` that ended at `atSeconds` after the start. */
export interface RateSample {
  readonly atSeconds: number;
  readonly seconds: number;
  readonly rows: number;
  readonly failedRows: number;
  /** Requests that were answered in that time, and their delays together, in milliseconds. */
  readonly answered: number;
  readonly delaysMs: number;
}

/** Neighbouring samples as one. */
export function joinedSample(group: readonly RateSample[]): RateSample {
  const sum = (name: keyof RateSample): number => group.reduce((total, sample) => total + sample[name], 0);
  return {
    atSeconds: group.at(-1)?.atSeconds ?? 0,
    seconds: sum('seconds'),
    rows: sum('rows'),
    failedRows: sum('failedRows'),
    answered: sum('answered'),
    delaysMs: sum('delaysMs'),
  };
}

/** Effect of a run on one super table. */
export interface SuperTableReport {
  readonly database: string;
  readonly name: string;
  readonly mode: string;
  readonly subTables: number;
  readonly threads: number;
  readonly figures: LoadFigures;
}

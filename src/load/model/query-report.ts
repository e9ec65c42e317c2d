import type { DelayFigures } from './insert-report.js';
import type { RunReport } from './run-report.js';

/**
 * Report of a query run: plain figures, so that the JSON report is
 * this value and nothing else. Times are Unix milliseconds; delays are milliseconds from a query's start to its last row.
 */
export interface QueryReport extends RunReport {
  readonly totals: QueryFigures;
  /** Queries a second over time, in order of time. */
  readonly rates: readonly QueryRateSample[];
  readonly parts: readonly QueryPartReport[];
}

/** Figures of a whole run, or of one part of it. */
export interface QueryFigures {
  /** Wall time, pauses included. */
  readonly seconds: number;
  /** Queries that ran, failed ones included. */
  readonly queries: number;
  readonly rows: number;
  /** Queries without a complete answer; {@link killed} are among them. */
  readonly errors: number;
  /** Queries that took longer than allowed. */
  readonly killed: number;
  /** Of queries with a complete answer. */
  readonly delays: DelayFigures;
}

/** One statement of `specified_table_query`, all of them when they are mixed, or all of `super_table_query`. */
export interface QueryPartReport {
  readonly section: 'specified' | 'mixed' | 'super';
  readonly statements: readonly string[];
  readonly threads: number;
  readonly figures: QueryFigures;
}

/** Figures of the `seconds` that ended at `atSeconds` after the start. */
export interface QueryRateSample {
  readonly atSeconds: number;
  readonly seconds: number;
  readonly queries: number;
  readonly errors: number;
  /** Queries with a complete answer in that time, and their delays together, in milliseconds. */
  readonly answered: number;
  readonly delaysMs: number;
}

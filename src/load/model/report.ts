/**
 * Common part of the reports of all kinds of run. A report is plain figures, so that the JSON report is this value and
 * nothing else. Times are Unix milliseconds, delays are milliseconds.
 */
export interface RunReport {
  /** The tool's version. */
  readonly version: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'completed' | 'interrupted' | 'failed';
  /** Why the run failed; undefined when it did not. */
  readonly failure: string | undefined;
  /** Versions and machine, by name. */
  readonly environment: readonly LoadSetting[];
  /** Settings in effect, with masked secrets. */
  readonly settings: readonly LoadSetting[];
}

/** A setting of a run, as its report shows it. */
export interface LoadSetting {
  readonly name: string;
  readonly value: string;
}

/** Report of an insertion. */
export interface LoadReport extends RunReport {
  readonly totals: LoadFigures;
  readonly superTables: readonly SuperTableReport[];
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

/** Figures of the whole run, or of one super table. */
export interface LoadFigures {
  /** Wall time of the insertion, pauses included. */
  readonly seconds: number;
  /** Rows that were acknowledged as stored; `failedRows` are not among them. */
  readonly rows: number;
  readonly failedRows: number;
  readonly requests: number;
  /** Requests given up on, and attempts after a first one that failed. */
  readonly failedRequests: number;
  readonly retries: number;
  /**
   * Time that all threads together spent on making rows, on turning them into requests, and on waiting for responses.
   */
  readonly generateSeconds: number;
  readonly encodeSeconds: number;
  readonly waitSeconds: number;
  /** From sending a request to its response. */
  readonly delays: DelayFigures;
}

/** Delays of requests; all zero when there was none. */
export interface DelayFigures {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** How many requests took up to `upToMs` and more than the bucket before; in rising order, none empty at the ends. */
  readonly buckets: readonly { readonly upToMs: number; readonly count: number }[];
}

/** Report of a run of queries. */
export interface QueryReport extends RunReport {
  readonly totals: QueryFigures;
  readonly parts: readonly QueryPartReport[];
}

/** Figures of a whole run of queries, or of one part of it. */
export interface QueryFigures {
  /** Wall time, pauses included. */
  readonly seconds: number;
  /** Queries that ran, failed ones included. */
  readonly queries: number;
  readonly rows: number;
  /** Queries without a complete result; {@link killed} are among them. */
  readonly errors: number;
  /** Queries that took longer than allowed. */
  readonly killed: number;
  /** Of queries with a complete result, from their start to their last row. */
  readonly delays: DelayFigures;
}

/** One statement of `specified_table_query`, all of them when they are mixed, or all of `super_table_query`. */
export interface QueryPartReport {
  readonly section: 'specified' | 'mixed' | 'super';
  readonly statements: readonly string[];
  readonly threads: number;
  readonly figures: QueryFigures;
}

/** Report of a subscription. */
export interface SubscribeReport extends RunReport {
  readonly messages: number;
  readonly rows: number;
  readonly consumers: readonly ConsumerReport[];
}

/** Figures of one consumer, or of one older subscription. */
export interface ConsumerReport {
  readonly number: number;
  readonly group: string;
  readonly messages: number;
  readonly rows: number;
  /** True when an error ended it. */
  readonly failed: boolean;
}

/** Values by their names as a list, in the same order. */
export function settingList(values: Readonly<Record<string, string | number | boolean>>): LoadSetting[] {
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

/** How many there were per second; 0 where no time has passed. */
export function perSecond(count: number, seconds: number): number {
  return seconds > 0 ? count / seconds : 0;
}

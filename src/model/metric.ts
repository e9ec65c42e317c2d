/** One row of metrics: a table, its tags and its values. */
export interface MetricRow {
  readonly table: string;
  readonly tags: readonly (readonly [name: string, value: string])[];
  readonly values: readonly (readonly [name: string, value: number])[];
}

/** Metrics that are read on each scrape, by name and with a help text. */
export interface WatchedMetrics {
  readonly [name: string]: {
    readonly help: string;
    readonly read: () => number;
    /** Set where it only grows while the service runs; a gauge when left out. */
    readonly isCounter?: boolean;
    /** How those of several processes of a service are one; their sum when left out. */
    readonly together?: 'max';
  };
}

/** Text formats of metrics: version 0.0.4 of Prometheus, and OpenMetrics 1.0. */
export type MetricsFormat = 'prometheus' | 'openmetrics';

/** Samples of metrics, oldest first. */
export interface MetricSamples {
  /** The clock of the service, in Unix ms: a reader's may be another one. */
  readonly now: number;
  /** Time between two samples. */
  readonly intervalMs: number;
  /** Times of the samples, in Unix ms. */
  readonly times: readonly number[];
  /** Name and labels as in the OpenMetrics text, and a value for each time; null where there was none. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

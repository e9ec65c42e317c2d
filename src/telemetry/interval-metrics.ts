import type { MetricRow } from '../model/metric.js';
import type { MetricValue } from './merged-metrics.js';
import type { ServiceMetrics } from './metrics.js';

const prefix = 'adapter_restful_http_request';
/** Families whose values are counts since the start: an interval has their differences. */
const counted: ReadonlySet<string> = new Set([`${prefix}_total`, `${prefix}_fail`]);
const current: ReadonlySet<string> = new Set([
  `${prefix}_in_flight`,
  'adapter_system_cpu_percent',
  'adapter_system_mem_percent',
]);
const summary = `${prefix}_summary_milliseconds`;
/** Longest value of a tag in characters; longer ones are cut. */
const maxTagCharacters = 128;

/**
 * Metrics by interval, in the layout that `monitor.writeToDB` stores (src/sources/self-metrics/README.md): counters
 * since the start as the difference to the last stored interval, everything else as it is.
 */
export class IntervalMetrics {
  readonly #metrics: ServiceMetrics;
  readonly #endpoint: string;
  /** Counters at the end of the last stored interval, and of the last taken one. */
  #stored = new Map<string, number>();
  #taken = new Map<string, number>();

  /** `endpoint` is the identity of this instance, a tag of every metric. */
  constructor(metrics: ServiceMetrics, endpoint: string) {
    this.#metrics = metrics;
    this.#endpoint = endpoint;
  }

  /** The metrics since the last call, with the counts of restored intervals. */
  async take(): Promise<readonly MetricRow[]> {
    this.#stored = this.#taken;
    this.#taken = new Map(this.#stored);
    const rows: MetricRow[] = [];
    for (const { name: table, values } of await this.#metrics.values()) {
      if (table === summary) rows.push(...this.#summaries(values));
      else if (counted.has(table)) rows.push(...values.flatMap((value) => this.#increase(table, value)));
      else if (current.has(table)) {
        for (const { value, labels } of values) {
          rows.push({ table, tags: this.#tags(labels), values: [['gauge', value]] });
        }
      }
    }
    return rows;
  }

  /** The increase of a counter in the interval; none for 0. */
  #increase(table: string, { value, labels }: MetricValue): MetricRow[] {
    const tags = this.#tags(labels);
    const key = `${table} ${JSON.stringify(tags)}`;
    const difference = value - (this.#stored.get(key) ?? 0);
    this.#taken.set(key, value);
    return difference > 0 ? [{ table, tags, values: [['gauge', difference]] }] : [];
  }

  /** Quantiles, sum and count of each route, in one row. */
  #summaries(values: readonly MetricValue[]): MetricRow[] {
    const routes = new Map<string, { tags: MetricRow['tags']; values: [string, number][] }>();
    for (const { value, labels, metricName } of values) {
      const { quantile, ...rest } = labels;
      const tags = this.#tags(rest);
      const key = JSON.stringify(tags);
      const entry = routes.get(key) ?? { tags, values: [] };
      const suffix = metricName?.slice(summary.length + 1);
      entry.values.push([quantile === undefined ? (suffix ?? 'count') : String(quantile), value]);
      routes.set(key, entry);
    }
    const rows: MetricRow[] = [];
    for (const [route, { tags, values }] of routes) {
      // A route without requests has no durations in this interval; its counters stay.
      const count = values.find(([name]) => name === 'count')?.[1] ?? 0;
      const key = `${summary} ${route}`;
      if (count === this.#stored.get(key)) continue;
      this.#taken.set(key, count);
      rows.push({ table: summary, tags, values });
    }
    return rows;
  }

  /** Restores the counters of the last taken interval, which was not stored, for the next one. */
  restore(): void {
    this.#taken = this.#stored;
  }

  #tags(labels: Readonly<Partial<Record<string, string | number>>>): MetricRow['tags'] {
    const named = Object.entries(labels).map(([name, value]): [string, string] => [name, cut(String(value ?? ''))]);
    return [...named, ['endpoint', cut(this.#endpoint)]];
  }
}

function cut(text: string): string {
  return text.length <= maxTagCharacters ? text : text.slice(0, maxTagCharacters);
}

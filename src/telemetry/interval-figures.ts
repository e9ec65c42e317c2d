import type { Figure } from '../model/figure.js';
import type { MetricValue } from './joined-figures.js';
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
 * Figures by interval, in the layout that `monitor.writeToDB` stores (src/sources/own-figures/README.md): what is counted since
 * the start as the difference to the last interval that was kept, everything else as it is.
 */
export class IntervalFigures {
  readonly #metrics: ServiceMetrics;
  readonly #endpoint: string;
  /** Counts at the end of the last interval that was kept, and of the one that was taken last. */
  #kept = new Map<string, number>();
  #taken = new Map<string, number>();

  /** `endpoint` is the identity of this instance, a tag of every figure. */
  constructor(metrics: ServiceMetrics, endpoint: string) {
    this.#metrics = metrics;
    this.#endpoint = endpoint;
  }

  /** The figures since the last call; counts of calls that were given back are in it. */
  async take(): Promise<readonly Figure[]> {
    this.#kept = this.#taken;
    this.#taken = new Map(this.#kept);
    const figures: Figure[] = [];
    for (const { name: table, values } of await this.#metrics.values()) {
      if (table === summary) figures.push(...this.#summaries(values));
      else if (counted.has(table)) figures.push(...values.flatMap((value) => this.#grown(table, value)));
      else if (current.has(table)) {
        for (const { value, labels } of values) {
          figures.push({ table, tags: this.#tags(labels), values: [['gauge', value]] });
        }
      }
    }
    return figures;
  }

  /** What was counted in the interval; none for nothing. */
  #grown(table: string, { value, labels }: MetricValue): Figure[] {
    const tags = this.#tags(labels);
    const key = `${table} ${JSON.stringify(tags)}`;
    const difference = value - (this.#kept.get(key) ?? 0);
    this.#taken.set(key, value);
    return difference > 0 ? [{ table, tags, values: [['gauge', difference]] }] : [];
  }

  /** Quantiles, sum and count of each route, in one row. */
  #summaries(values: readonly MetricValue[]): Figure[] {
    const routes = new Map<string, { tags: Figure['tags']; values: [string, number][] }>();
    for (const { value, labels, metricName } of values) {
      const { quantile, ...rest } = labels;
      const tags = this.#tags(rest);
      const key = JSON.stringify(tags);
      const entry = routes.get(key) ?? { tags, values: [] };
      const suffix = metricName?.slice(summary.length + 1);
      entry.values.push([quantile === undefined ? (suffix ?? 'count') : String(quantile), value]);
      routes.set(key, entry);
    }
    const figures: Figure[] = [];
    for (const [route, { tags, values }] of routes) {
      // A route without requests has no times in this interval; what it has counted stays.
      const count = values.find(([name]) => name === 'count')?.[1] ?? 0;
      const key = `${summary} ${route}`;
      if (count === this.#kept.get(key)) continue;
      this.#taken.set(key, count);
      figures.push({ table: summary, tags, values });
    }
    return figures;
  }

  /** The figures taken last were not stored: their counts belong to the next interval. */
  giveBack(): void {
    this.#taken = this.#kept;
  }

  #tags(labels: Readonly<Partial<Record<string, string | number>>>): Figure['tags'] {
    const named = Object.entries(labels).map(([name, value]): [string, string] => [name, cut(String(value ?? ''))]);
    return [...named, ['endpoint', cut(this.#endpoint)]];
  }
}

function cut(text: string): string {
  return text.length <= maxTagCharacters ? text : text.slice(0, maxTagCharacters);
}

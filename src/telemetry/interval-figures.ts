import type { Figure } from '../model/figure.js';
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
    const taken = new Map(this.#kept);
    const figures: Figure[] = [];
    const summaries = new Map<string, { tags: Figure['tags']; values: [string, number][] }>();
    for (const { name: table, values } of await this.#metrics.values()) {
      for (const { value, labels, metricName } of values) {
        if (table === summary) {
          const { quantile, ...rest } = labels;
          const tags = this.#tags(rest);
          const key = JSON.stringify(tags);
          const entry = summaries.get(key) ?? { tags, values: [] };
          const suffix = metricName?.slice(summary.length + 1);
          entry.values.push([quantile === undefined ? (suffix ?? 'count') : String(quantile), value]);
          summaries.set(key, entry);
        } else if (counted.has(table)) {
          const tags = this.#tags(labels);
          const key = `${table} ${JSON.stringify(tags)}`;
          const difference = value - (this.#kept.get(key) ?? 0);
          taken.set(key, value);
          if (difference > 0) figures.push({ table, tags, values: [['gauge', difference]] });
        } else if (current.has(table)) {
          figures.push({ table, tags: this.#tags(labels), values: [['gauge', value]] });
        }
      }
    }
    for (const [key, { tags, values }] of summaries) {
      // A route without requests has no times in this interval; what it has counted stays.
      const count = values.find(([name]) => name === 'count')?.[1] ?? 0;
      if (count === this.#kept.get(`${summary} ${key}`)) continue;
      taken.set(`${summary} ${key}`, count);
      figures.push({ table: summary, tags, values });
    }
    this.#taken = taken;
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

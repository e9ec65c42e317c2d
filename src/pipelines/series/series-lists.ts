import type { Label } from '../../model/label-set.js';
import type { LabelMatcher } from '../../model/series-query.js';
import { expr } from '../../sql/engine/template.js';
import { printRows } from '../../sql/plan/labelled-series.js';
import { metricLabel } from './metric-columns.js';
import type { ReadableTables, TimeRange } from './readable-tables.js';
import { type MetricTable, metricTables } from './series-tables.js';

/** All times that a database may hold. */
const allTimes: TimeRange = { startMs: -8_640_000_000_000_000n, endMs: 8_640_000_000_000_000n };

/** Lists series, their labels and metrics. Every method throws a FaultError where the database fails. */
export class SeriesLists {
  readonly #tables: ReadableTables;

  constructor(tables: ReadableTables) {
    this.#tables = tables;
  }

  /**
   * The series that pass the matchers and have a sample in a range, if there is one; `take` is called with the number
   * of series of each table.
   */
  async series(
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
    take: (count: number) => void,
  ): Promise<readonly (readonly Label[])[]> {
    return this.#tables.overTables(matchers, signal, async (tables) => {
      const all: (readonly Label[])[] = [];
      const known = new Map<string, MetricTable>();
      for (const table of tables) {
        const series = await this.#tables.distinct(
          table,
          matchers,
          range ?? allTimes,
          signal,
          known,
          tables.length === 1,
        );
        const present = range === undefined ? undefined : await this.#tables.list(table, matchers, range, signal);
        const ids = present && new Set(present.map(({ id }) => id));
        const kept = ids === undefined ? series : series.filter(({ id }) => ids.has(id));
        take(kept.length);
        for (const { labels } of kept) all.push(labels);
      }
      return all;
    });
  }

  /** Types of the metrics whose tables have names of their own, by the names of the metrics. */
  async metricTypes(matchers: readonly LabelMatcher[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const types = new Map<string, string>();
    for (const { metric, type, hidden } of await metricTables(
      this.#tables.database,
      this.#tables.user,
      matchers,
      this.#tables.context,
      signal,
    )) {
      if (metric !== undefined && hidden === undefined) types.set(metric, type);
    }
    return types;
  }

  /** How many series each metric has. */
  async seriesCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return this.#tables.overTables([], signal, async (tables) => {
      const counts = new Map<string, number>();
      for (const table of tables) {
        const matched = await this.#tables.matched(table, []);
        const query = matched.select([matched.label(metricLabel), expr`toString(count())`], undefined, {
          groupBy: [matched.label(metricLabel)],
        });
        const rows = query === undefined ? [] : await this.#tables.context.engine.rows(printRows(query));
        for (const [name, count] of rows) counts.set(String(name), (counts.get(String(name)) ?? 0) + Number(count));
      }
      return counts;
    });
  }

  /**
   * Names of labels of the series that pass the matchers and have a sample in a range, if there is one; in no order.
   */
  async labelNames(
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    return this.#tables.overTables(matchers, signal, async (tables) => {
      const names = new Set<string>();
      for (const table of tables) {
        const { fixed, tags, json } = table.labels;
        if (json === undefined && isPlain(table, matchers)) {
          for (const name of [...fixed.map(([label]) => label), ...tags.map(({ label }) => label)]) names.add(name);
          continue;
        }
        const matched = await this.#tables.matched(table, matchers);
        const texts = await this.#tables.texts(
          matched,
          expr`arrayJoin(arrayPushFront(${matched.names}, ''))`,
          range,
          signal,
        );
        if (texts.length > 0) for (const [label] of fixed) names.add(label);
        for (const text of texts) if (text !== '') names.add(text);
      }
      return names;
    });
  }

  /** Values of a label, as {@link SeriesReader.labelNames} its names. */
  async labelValues(
    label: string,
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    return this.#tables.overTables(matchers, signal, async (tables) => {
      const values = new Set<string>();
      for (const table of tables) {
        const { fixed, tags, json, tableName } = table.labels;
        const own = fixed.find(([name]) => name === label)?.[1];
        if (own !== undefined && (values.has(own) || isPlain(table, matchers))) {
          values.add(own);
          continue;
        }
        const isOfSeries = json !== undefined || label === tableName || tags.some((tag) => tag.label === label);
        if (own === undefined && !isOfSeries) continue;
        const matched = await this.#tables.matched(table, matchers);
        for (const text of await this.#tables.texts(matched, matched.label(label), range, signal)) {
          if (text !== '') values.add(text);
        }
      }
      return values;
    });
  }
}

/**
 * True where the definition of a table says all: nothing but the metric's name is asked for, and rows are not looked
 * at.
 */
function isPlain({ metric, hidden }: MetricTable, matchers: readonly LabelMatcher[]): boolean {
  return metric !== undefined && hidden === undefined && matchers.every(({ name }) => name === metricLabel);
}

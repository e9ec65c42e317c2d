import { PoolReader } from '../../bytes/pool-reader.js';
import type { EngineColumn } from '../../database/engine/native-block.js';
import { decodeNativeStream } from '../../database/engine/native-rows.js';
import type { Label } from '../../model/label-set.js';
import { type DatabaseDef, dataType } from '../../model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { gridRange, isForEngine } from '../../promql/plan/grid-query.js';
import { QueryError } from '../../promql/query-error.js';
import type {
  GridRequest,
  ReadBudget,
  Selection,
  SeriesGrid,
  SeriesSamples,
  SeriesSource,
} from '../../promql/source.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { idColumn, nameColumn } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import {
  type FormattedQuery,
  inFormat,
  MatchedSeries,
  planNewest,
  planRows,
  planSamples,
  printRows,
} from '../../sql/plan/labelled-series.js';
import { withCurrentSchema } from '../../statements/current-schema.js';
import { storedIfRoom } from '../../statements/stored-if-room.js';
import { histogramsTable } from '../../transforms/points/label-set.js';
import { GridColumns, gridStatement } from './grid-columns.js';
import { histogramColumns, withHistograms } from './histogram-samples.js';
import { metricLabel, tableLabel } from './metric-columns.js';
import { requirePatterns } from './patterns.js';
import { SampleColumns, SeriesLabels } from './sample-columns.js';
import { type LabelledSeries, labelKey, type SideRow, seriesOf, shownLabels, sortedLabels } from './series-labels.js';
import { type MetricTable, metricTables, type SeriesContext, sideTable } from './series-tables.js';

/** Series whose ids stand in the statement that reads their samples; more are chosen by their labels again. */
const mostLiteralIds = 1_000;

/** Native histograms that one selector may read. */
const mostHistograms = 200_000;
/** Metrics of tables whose samples one selector may read: each is a statement. */
const mostTables = 1_000;

const valueColumn: EngineColumn = { physical: 'v', name: 'v', type: dataType('DOUBLE') };

/** A range of time in Unix milliseconds, both ends included. */
type TimeRange = Pick<SeriesQuery, 'startMs' | 'endMs'>;

/** Reads the series of a database that a user may read. Every method throws a FaultError where the database fails. */
export class SeriesReader implements SeriesSource {
  readonly #database: DatabaseDef;
  readonly #user: string;
  readonly #context: SeriesContext;

  constructor(database: DatabaseDef, user: string, context: SeriesContext) {
    this.#database = database;
    this.#user = user;
    this.#context = context;
  }

  /** See {@link SeriesSource.read}. */
  async read({ matchers, afterMs, untilMs }: Selection, budget: ReadBudget): Promise<SeriesSamples> {
    const range = { startMs: millisOf(afterMs) + 1n, endMs: millisOf(untilMs) };
    const numbers = await this.#overTables(matchers, budget.signal, async (tables) => {
      if (tables.length > mostTables) throw tooManyTables(tables.length);
      const samples = new SampleColumns();
      const names = new Map<string, MetricTable>();
      for (const table of tables) {
        const series = await this.#unique(table, matchers, range, budget.signal, names);
        if (series.length === 0) continue;
        budget.takeSeries(series.length);
        await this.#readSamples(table, { matchers, ...range }, series, samples, budget);
      }
      return samples.finish();
    });
    const query = { matchers, ...range };
    const rows = await this.sideRows(histogramsTable, histogramColumns, query, mostHistograms + 1, budget.signal);
    if (rows.length > mostHistograms) throw tooManyHistograms();
    budget.takeSamples(rows.length);
    return withHistograms(numbers, rows);
  }

  /** See {@link SeriesSource.grid}. */
  async grid(request: GridRequest, budget: ReadBudget): Promise<SeriesGrid | undefined> {
    if (!isForEngine(request)) return undefined;
    const { matchers, steps } = request;
    const { startMs, endMs } = gridRange(request);
    const query = { matchers, startMs: BigInt(startMs), endMs: BigInt(endMs) };
    const histograms = await this.sideRows(histogramsTable, histogramColumns, query, 1, budget.signal);
    if (histograms.length > 0) return undefined;
    return this.#overTables(matchers, budget.signal, async (tables) => {
      // Several ticks within a millisecond are one sample, which the engine does not know.
      if (tables.length > mostTables || tables.some(({ ticksPerMilli }) => ticksPerMilli !== 1n)) return undefined;
      const grid = new GridColumns(steps.count);
      const names = new Map<string, MetricTable>();
      for (const table of tables) {
        const series = await this.#unique(table, matchers, query, budget.signal, names);
        if (series.length === 0) continue;
        budget.takeSeries(series.length);
        budget.takeSamples(series.length * steps.count);
        const statement = gridStatement(table, request, literalIds(series));
        if (statement === undefined) continue;
        const rows = await this.#bytes(statement, budget.signal, series.length === 1);
        if (!grid.add(rows, new Map(series.map(({ id, labels }) => [id, labels])))) return undefined;
      }
      return grid.finish();
    });
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
    return this.#overTables(matchers, signal, async (tables) => {
      const all: (readonly Label[])[] = [];
      const names = new Map<string, MetricTable>();
      for (const table of tables) {
        const series = await this.#unique(table, matchers, range, signal, names);
        take(series.length);
        for (const { labels } of series) all.push(labels);
      }
      return all;
    });
  }

  /** Types of the metrics whose tables have names of their own, by the names of the metrics. */
  async metricTypes(matchers: readonly LabelMatcher[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const types = new Map<string, string>();
    for (const { metric, type, hidden } of await metricTables(
      this.#database,
      this.#user,
      matchers,
      this.#context,
      signal,
    )) {
      if (metric !== undefined && hidden === undefined) types.set(metric, type);
    }
    return types;
  }

  /** How many series each metric has. */
  async seriesCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return this.#overTables([], signal, async (tables) => {
      const counts = new Map<string, number>();
      for (const table of tables) {
        const matched = new MatchedSeries(table, []);
        const query = matched.select([matched.label(metricLabel), expr`toString(count())`], undefined, {
          groupBy: [matched.label(metricLabel)],
        });
        const rows = query === undefined ? [] : await this.#context.engine.rows(printRows(query));
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
    return this.#overTables(matchers, signal, async (tables) => {
      const names = new Set<string>();
      for (const table of tables) {
        const { fixed, tags, json } = table.labels;
        if (json === undefined && isPlain(table, matchers)) {
          for (const name of [...fixed.map(([label]) => label), ...tags.map(({ label }) => label)]) names.add(name);
          continue;
        }
        const matched = new MatchedSeries(table, matchers);
        const texts = await this.#texts(matched, expr`arrayJoin(arrayPushFront(${matched.names}, ''))`, range, signal);
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
    return this.#overTables(matchers, signal, async (tables) => {
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
        const matched = new MatchedSeries(table, matchers);
        for (const text of await this.#texts(matched, matched.label(label), range, signal)) {
          if (text !== '') values.add(text);
        }
      }
      return values;
    });
  }

  /**
   * Rows of a table beside `metrics`, such as that of exemplars, at most `limit`: labels of the series, Unix ms, and
   * the columns, NULL for those that the table lacks. `newest`: one row per series with its newest values, at the time
   * 0.
   */
  async sideRows(
    name: string,
    columns: readonly string[],
    query: SeriesQuery,
    limit: number | 'newest',
    signal: AbortSignal,
  ): Promise<readonly SideRow[]> {
    return withCurrentSchema(this.#context, async () => {
      const table = await sideTable(this.#database, this.#user, name, this.#context);
      if (table === undefined) return [];
      const physicals = columns.map((column) => table.table.columns.find((each) => each.name === column)?.physical);
      const { engine, writes } = this.#context;
      await requirePatterns(query.matchers, engine, signal);
      await storedIfRoom(writes.visible([{ database: this.#database.name, table: name }]));
      const series = await this.#list(table, query.matchers, limit === 'newest' ? undefined : query, signal);
      if (series.length === 0) return [];
      const byId = new Map(series.map(({ id, labels }) => [String(id), labels]));
      const statement =
        limit === 'newest' ? planNewest(table, query.matchers, physicals) : planRows(table, query, physicals, limit);
      if (statement === undefined) return [];
      const rows = await engine.rows(statement);
      return rows.flatMap(([id, ...cells]) => {
        const labels = byId.get(String(id));
        const [time, values] = limit === 'newest' ? [0, cells] : [Number(cells[0]), cells.slice(1)];
        return labels === undefined ? [] : [{ labels, timeMs: time, values }];
      });
    });
  }

  /** Runs over the tables that the matchers may select, once the acknowledged rows of these are stored. */
  async #overTables<T>(
    matchers: readonly LabelMatcher[],
    signal: AbortSignal,
    run: (tables: readonly MetricTable[]) => Promise<T>,
  ): Promise<T> {
    const { name: database } = this.#database;
    return withCurrentSchema(this.#context, async () => {
      const tables = await metricTables(this.#database, this.#user, matchers, this.#context, signal);
      const waiting = tables.map(({ table }) => ({ database, table: table.name }));
      await storedIfRoom(this.#context.writes.visible(waiting));
      signal.throwIfAborted();
      return run(tables);
    });
  }

  /**
   * The series of a table, whose labels no other series may have. Sub-tables with the same tags have their names as a
   * label.
   */
  async #unique(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
    names: Map<string, MetricTable>,
  ): Promise<readonly LabelledSeries[]> {
    let series = await this.#list(table, matchers, range, signal);
    const keys = series.map(({ labels }) => labelKey(labels));
    const repeated = repeatedTexts(keys);
    if (repeated.size > 0) {
      const tableNames = await this.#names(table, matchers, range, signal);
      series = series.map((each, i) => {
        const name = tableNames.get(each.id);
        if (name === undefined || !repeated.has(keys[i]!)) return each;
        return { id: each.id, labels: sortedLabels([...each.labels, [tableLabel, name]]) };
      });
    }
    for (const { labels } of series) {
      const key = labelKey(labels);
      const other = names.get(key);
      if (other !== undefined) throw sameLabels(labels, other, table);
      names.set(key, table);
    }
    return series;
  }

  async #list(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<readonly LabelledSeries[]> {
    const matched = new MatchedSeries(table, matchers);
    const query = matched.select([idColumn('s'), matched.json], range);
    if (query === undefined) return [];
    return seriesOf(await this.#bytes(inFormat(query, 'RowBinary'), signal), table.labels.fixed);
  }

  /** Names of the sub-tables by the ids of their series. */
  async #names(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<bigint, string>> {
    const matched = new MatchedSeries(table, matchers);
    const named = expr`toJSONString(map('name', ${nameColumn('s')}))`;
    const query = matched.select([idColumn('s'), named], range);
    if (query === undefined) return new Map();
    const series = await seriesOf(await this.#bytes(inFormat(query, 'RowBinary'), signal), []);
    return new Map(series.map(({ id, labels }) => [id, labels[0]?.[1] ?? '']));
  }

  /** The different texts of an expression over series. */
  async #texts(
    matched: MatchedSeries,
    text: Expr,
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const query = matched.select([text], range, { distinct: true });
    if (query === undefined) return [];
    const bytes = await this.#bytes(inFormat(query, 'RowBinary'), signal);
    const texts: string[] = [];
    for (const reader = new PoolReader(bytes); reader.end < bytes.length; ) {
      reader.next();
      texts.push(bytes.toString('utf8', reader.start, reader.end));
    }
    return texts;
  }

  async #bytes(query: FormattedQuery, signal: AbortSignal, underSeriesLimit = false): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const result = await this.#context.engine.result(query, { signal, owner: this.#user, underSeriesLimit });
    for await (const piece of result) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async #readSamples(
    table: MetricTable,
    query: SeriesQuery,
    series: readonly LabelledSeries[],
    samples: SampleColumns,
    budget: ReadBudget,
  ): Promise<void> {
    const rows = planSamples(table, query, literalIds(series));
    if (rows === undefined) return;
    const current = new SeriesLabels(new Map(series.map(({ id, labels }) => [id, labels])));
    const { signal } = budget;
    const underSeriesLimit = series.length === 1;
    const result = await this.#context.engine.result(rows, { signal, owner: this.#user, underSeriesLimit });
    for await (const block of decodeNativeStream(result, [valueColumn])) {
      const before = samples.count;
      samples.add(block, current);
      budget.takeSamples(samples.count - before);
    }
  }
}

/** The ids of series, where they are few enough to stand in a statement. */
function literalIds(series: readonly LabelledSeries[]): readonly bigint[] | undefined {
  return series.length <= mostLiteralIds ? series.map(({ id }) => id) : undefined;
}

/**
 * True where the definition of a table says all: nothing but the metric's name is asked for, and rows are not looked
 * at.
 */
function isPlain({ metric, hidden }: MetricTable, matchers: readonly LabelMatcher[]): boolean {
  return metric !== undefined && hidden === undefined && matchers.every(({ name }) => name === metricLabel);
}

function tooManyHistograms(): QueryError {
  return new QueryError('execution', `the selector reads more than ${mostHistograms} native histograms`);
}

function tooManyTables(count: number): QueryError {
  return new QueryError('execution', `the selector matches ${count} metrics of tables; the limit is ${mostTables}`);
}

function sameLabels(labels: readonly Label[], one: MetricTable, other: MetricTable): QueryError {
  const text = `tables "${one.table.name}" and "${other.table.name}" both have a series ${shownLabels(labels)}`;
  return new QueryError('execution', text);
}

/** Texts that occur more than once. */
function repeatedTexts(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of texts) {
    if (seen.has(text)) repeated.add(text);
    seen.add(text);
  }
  return repeated;
}

/** Whole milliseconds, rounded down, of a time that may be far outside of what a database holds. */
function millisOf(ms: number): bigint {
  return BigInt(Math.floor(Math.min(Math.max(ms, -8.64e15), 8.64e15)));
}

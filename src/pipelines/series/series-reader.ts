import type { SeriesQuery } from '../../model/series-query.js';
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
import { planNewest, planRows, planSamples } from '../../sql/plan/labelled-series.js';
import { nativeColumns } from '../../sql/syntax/histogram-call.js';
import { withCurrentSchema } from '../../statements/current-schema.js';
import { storedIfRoom } from '../../statements/stored-if-room.js';
import { histogramsTable } from '../../transforms/points/label-set.js';
import { GridColumns, gridStatement } from './grid-columns.js';
import { HistogramSamples } from './histogram-samples.js';
import { requirePatterns } from './patterns.js';
import { mostLiteralIds, type ReadableTables } from './readable-tables.js';
import { samplePieces } from './sample-columns.js';
import type { SampleLease } from './sample-pool.js';
import type { LabelledSeries, SideRow } from './series-labels.js';
import { type MetricTable, sideTable } from './series-tables.js';

/** Native histograms that one selector may read. */
const mostHistograms = 200_000;
/** Metrics of tables whose samples one selector may read: each is a statement. */
const mostTables = 1_000;

/** Reads samples of series. Every method throws a FaultError where the database fails. */
export class SeriesReader implements SeriesSource {
  readonly #tables: ReadableTables;
  readonly #lease: SampleLease;

  /** `lease` counts the samples that are in memory. */
  constructor(tables: ReadableTables, lease: SampleLease) {
    this.#tables = tables;
    this.#lease = lease;
  }

  #take(samples: number, budget: ReadBudget): void {
    budget.takeSamples(samples);
    this.#lease.take(samples);
  }

  /** See {@link SeriesSource.read}. */
  async *read(selection: Selection, budget: ReadBudget): AsyncGenerator<SeriesSamples, void, void> {
    const { matchers, afterMs, untilMs } = selection;
    const query = { matchers, startMs: millisOf(afterMs) + 1n, endMs: millisOf(untilMs) };
    const { signal } = budget;
    const rows = await this.sideRows(histogramsTable, nativeColumns, query, mostHistograms + 1, signal);
    if (rows.length > mostHistograms) throw tooManyHistograms();
    this.#take(rows.length, budget);
    const histograms = new HistogramSamples(rows);
    // Definitions that turn out to be outdated do so before the first piece.
    const [first, others] = await this.#tables.overTables(matchers, signal, async (tables) => {
      if (tables.length > mostTables) throw tooManyTables(tables.length);
      const pieces = this.#pieces(tables, query, budget);
      return [await pieces.next(), pieces];
    });
    try {
      if (first.done !== true) yield histograms.joined(first.value);
      for await (const piece of others) yield histograms.joined(piece);
    } finally {
      await others.return();
    }
    const last = histograms.others();
    if (last !== undefined) yield last;
  }

  async *#pieces(
    tables: readonly MetricTable[],
    query: SeriesQuery,
    budget: ReadBudget,
  ): AsyncGenerator<SeriesSamples, void, void> {
    const known = new Map<string, MetricTable>();
    for (const table of tables) {
      const { matchers } = query;
      const series = await this.#tables.distinct(table, matchers, query, budget.signal, known, tables.length === 1);
      if (series.length === 0) continue;
      budget.takeSeries(series.length);
      yield* this.#samples(table, query, series, budget);
    }
  }

  /** See {@link SeriesSource.grid}. */
  async grid(request: GridRequest, budget: ReadBudget): Promise<SeriesGrid | undefined> {
    if (!isForEngine(request)) return undefined;
    const { matchers, steps } = request;
    const { signal } = budget;
    const { startMs, endMs } = gridRange(request);
    const query = { matchers, startMs: BigInt(startMs), endMs: BigInt(endMs) };
    if (await this.#hasHistograms(query, signal)) return undefined;
    return this.#tables.overTables(matchers, signal, async (tables) => {
      if (tables.length > mostTables || !tables.every(hasWholeMillis)) return undefined;
      const grid = new GridColumns(steps.count);
      const known = new Map<string, MetricTable>();
      for (const table of tables) {
        const series = await this.#tables.distinct(table, matchers, query, signal, known, tables.length === 1);
        if (series.length === 0) continue;
        budget.takeSeries(series.length);
        this.#take(series.length * steps.count, budget);
        const statement = gridStatement(table, request, literalIds(series));
        if (statement === undefined) continue;
        const rows = await this.#tables.bytes(statement, signal, series.length === 1);
        if (!grid.add(rows, new Map(series.map(({ id, labels }) => [id, labels])))) return undefined;
      }
      return grid.finish();
    });
  }

  /** True where native histograms pass the matchers. */
  async #hasHistograms({ matchers }: SeriesQuery, signal: AbortSignal): Promise<boolean> {
    const { database, user, context } = this.#tables;
    const table = await sideTable(database, user, histogramsTable, context);
    if (table === undefined) return false;
    await storedIfRoom(context.writes.visible([{ database: database.name, table: histogramsTable }]));
    return (await this.#tables.list(table, matchers, undefined, signal, 1)).length > 0;
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
    return withCurrentSchema(this.#tables.context, async () => {
      const table = await sideTable(this.#tables.database, this.#tables.user, name, this.#tables.context);
      if (table === undefined) return [];
      const physicals = columns.map((column) => table.table.columns.find((each) => each.name === column)?.physical);
      const { engine, writes } = this.#tables.context;
      await requirePatterns(query.matchers, engine, signal);
      await storedIfRoom(writes.visible([{ database: this.#tables.database.name, table: name }]));
      const series = await this.#tables.list(table, query.matchers, limit === 'newest' ? undefined : query, signal);
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

  async *#samples(
    table: MetricTable,
    query: SeriesQuery,
    series: readonly LabelledSeries[],
    budget: ReadBudget,
  ): AsyncGenerator<SeriesSamples, void, void> {
    const rows = planSamples(table, query, literalIds(series));
    if (rows === undefined) return;
    const result = await this.#tables.context.engine.result(rows, {
      signal: budget.signal,
      owner: this.#tables.user,
      underSeriesLimit: series.length === 1,
    });
    const labels = new Map(series.map(({ id, labels }) => [id, labels]));
    yield* samplePieces(result, labels, (count) => this.#take(count, budget));
  }
}

/** Ids to stand in a statement; undefined where they are too many. */
function literalIds(series: readonly LabelledSeries[]): readonly bigint[] | undefined {
  return series.length <= mostLiteralIds ? series.map(({ id }) => id) : undefined;
}

/**
 * True where no two rows of a series are within one millisecond: remote write has no finer times. Such rows are one
 * sample, which the engine does not know.
 */
function hasWholeMillis({ ticksPerMilli, metric }: MetricTable): boolean {
  return ticksPerMilli === 1n || metric === undefined;
}

function tooManyHistograms(): QueryError {
  return new QueryError('execution', `the selector reads more than ${mostHistograms} native histograms`);
}

function tooManyTables(count: number): QueryError {
  return new QueryError('execution', `the selector matches ${count} metrics of tables; the limit is ${mostTables}`);
}

/** Whole milliseconds, rounded down, of a time that may be far outside of what a database holds. */
function millisOf(ms: number): bigint {
  return BigInt(Math.floor(Math.min(Math.max(ms, -8.64e15), 8.64e15)));
}

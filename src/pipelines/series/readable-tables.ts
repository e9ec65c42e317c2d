import { PoolReader } from '../../bytes/pool-reader.js';
import type { Label } from '../../model/label-set.js';
import type { DatabaseDef } from '../../model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { QueryError } from '../../promql/query-error.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { idColumn, nameColumn } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { type FormattedQuery, inBinary, MatchedSeries } from '../../sql/plan/labelled-series.js';
import { withCurrentSchema } from '../../statements/current-schema.js';
import { storedIfRoom } from '../../statements/stored-if-room.js';

import { tableLabel } from './metric-columns.js';
import { type LabelledSeries, labelKey, seriesOf, shownLabels, sortedLabels } from './series-labels.js';
import { type MetricTable, metricTables, type SeriesContext } from './series-tables.js';

/** Series whose ids stand in the statement that reads their samples; more are chosen by their labels again. */
export const mostLiteralIds = 1_000;

/** A range of time in Unix milliseconds, both ends included. */
export type TimeRange = Pick<SeriesQuery, 'startMs' | 'endMs'>;

/** The tables of a database that have series which a user may read, and their series. */
export class ReadableTables {
  readonly database: DatabaseDef;
  readonly user: string;
  readonly context: SeriesContext;

  constructor(database: DatabaseDef, user: string, context: SeriesContext) {
    this.database = database;
    this.user = user;
    this.context = context;
  }

  /** Runs over the tables that the matchers may select, once the acknowledged rows of these are stored. */
  async overTables<T>(
    matchers: readonly LabelMatcher[],
    signal: AbortSignal,
    run: (tables: readonly MetricTable[]) => Promise<T>,
  ): Promise<T> {
    const { name: database } = this.database;
    return withCurrentSchema(this.context, async () => {
      const tables = await metricTables(this.database, this.user, matchers, this.context, signal);
      const waiting = tables.map(({ table }) => ({ database, table: table.name }));
      await storedIfRoom(this.context.writes.visible(waiting));
      signal.throwIfAborted();
      return run(tables);
    });
  }

  /**
   * The series of a table that may have samples in a range, whose labels no other series of `known` may have.
   * Sub-tables with the same tags have their names as a label, whichever of them have samples. `isAlone`: no other
   * table is read.
   */
  async distinct(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    range: TimeRange,
    signal: AbortSignal,
    known: Map<string, MetricTable>,
    isAlone: boolean,
  ): Promise<readonly LabelledSeries[]> {
    // Labels tell series of remote write apart. There may be many from long ago.
    const hasOwnLabels = table.metric === undefined;
    let series = await this.list(table, matchers, undefined, signal, hasOwnLabels ? mostLiteralIds + 1 : undefined);
    if (hasOwnLabels && series.length > mostLiteralIds) series = await this.list(table, matchers, range, signal);
    if (hasOwnLabels && isAlone) return series;
    const keys = series.map(({ labels }) => labelKey(labels));
    const repeated = repeatedTexts(keys);
    if (repeated.size > 0 && table.labels.tableName !== undefined) {
      const names = await this.names(table, matchers, signal);
      series = series.map((each, i) => {
        const name = names.get(each.id);
        if (name === undefined || !repeated.has(keys[i]!)) return each;
        const labels = sortedLabels([...each.labels, [tableLabel, name]]);
        keys[i] = labelKey(labels);
        return { id: each.id, labels };
      });
    }
    for (const [i, key] of keys.entries()) {
      const other = known.get(key);
      if (other !== undefined) throw sameLabels(series[i]!.labels, other, table);
      known.set(key, table);
    }
    return series;
  }

  /** The series that pass the matchers and have a row in a range, if there is one; at most `most`. */
  async list(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    range: TimeRange | undefined,
    signal: AbortSignal,
    most?: number,
  ): Promise<readonly LabelledSeries[]> {
    const matched = await this.matched(table, matchers);
    const limit = most === undefined ? {} : { limit: { count: BigInt(most), offset: 0n } };
    const query = matched.select([idColumn('s'), matched.json], range, limit);
    if (query === undefined) return [];
    return seriesOf(await this.bytes(inBinary(query), signal), table.labels.fixed);
  }

  /** Names of the sub-tables by the ids of their series. */
  async names(
    table: MetricTable,
    matchers: readonly LabelMatcher[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<bigint, string>> {
    const matched = await this.matched(table, matchers);
    const named = expr`toJSONString(map('name', ${nameColumn('s')}))`;
    const query = matched.select([idColumn('s'), named]);
    if (query === undefined) return new Map();
    const series = await seriesOf(await this.bytes(inBinary(query), signal), []);
    return new Map(series.map(({ id, labels }) => [id, labels[0]?.[1] ?? '']));
  }

  /** The series of a table that pass the matchers, as parts of statements; the engine holds the table then. */
  async matched(table: MetricTable, matchers: readonly LabelMatcher[]): Promise<MatchedSeries> {
    await this.context.storage.ensure(this.database, table.table);
    return new MatchedSeries(table, matchers);
  }

  /** The different texts of an expression over series. */
  async texts(
    matched: MatchedSeries,
    text: Expr,
    range: TimeRange | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const query = matched.select([text], range, { distinct: true });
    if (query === undefined) return [];
    const bytes = await this.bytes(inBinary(query), signal);
    const texts: string[] = [];
    for (const reader = new PoolReader(bytes); reader.end < bytes.length; ) {
      reader.next();
      texts.push(bytes.toString('utf8', reader.start, reader.end));
    }
    return texts;
  }

  /** The whole result of a query. */
  async bytes(query: FormattedQuery, signal: AbortSignal, underSeriesLimit = false): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const result = await this.context.engine.result(query, { signal, owner: this.user, underSeriesLimit });
    for await (const piece of result) pieces.push(piece);
    return Buffer.concat(pieces);
  }
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

import type { Label } from '../../model/label-set.js';
import type { TableDef } from '../../model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { call, column, fromQuery, inQuery, int64, nullWord, select, text } from '../engine/build.js';
import { ArrayOf, type Expr, type FromItem, type SelectColumn, type SelectQuery } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import { querySettings } from '../engine/settings.js';
import {
  castTo,
  dataColumn,
  idColumn,
  isAmong,
  keysSource,
  nameColumn,
  ofTable,
  rowsSource,
  tagsSource,
  timeColumn,
} from '../engine/storage.js';
import { expr } from '../engine/template.js';

/** Labels of the series of a table. A series lacks a label whose value is empty or NULL. */
interface SeriesLabels {
  /** Labels that all of its series have. */
  readonly fixed: readonly Label[];
  /** Physical name of the JSON tag, where its members are labels. */
  readonly json?: string | undefined;
  /** Labels that are tags, with their physical names. */
  readonly tags: readonly { readonly label: string; readonly physical: string }[];
  /** The label that is the name of the sub-table, where there is one. */
  readonly tableName?: string | undefined;
}

/** A table as series of one metric, or of several where its JSON tag names the metric. */
export interface SeriesTable {
  readonly table: TableDef;
  /**
   * Physical names of the columns with the values; of several the first that is not NULL counts, and without any every
   * row does.
   */
  readonly values: readonly string[];
  readonly labels: SeriesLabels;
  /** Ticks of its times in a millisecond. */
  readonly ticksPerMilli: bigint;
  /** A condition on tags without an alias: sub-tables that the user may not read. */
  readonly hidden?: Expr | undefined;
}

/** A query of the engine and the format of its rows. */
export interface FormattedQuery {
  readonly statement: string;
  readonly format: string;
}

/** Facts that a query of series needs from the engine. */
interface SeriesPlan {
  /** Two columns in RowBinary: id (UInt64) and labels (String) of the series that have rows in the time range. */
  readonly series: FormattedQuery;
  /**
   * Three columns in RowBinary, 24 bytes a row: id (UInt64), Unix ms (Int64) and value (Float64), ordered by id and
   * time. Rows without a value are left out.
   */
  readonly samples: FormattedQuery;
}

const numeric = /^(BOOL|FLOAT|DOUBLE|DECIMAL|(TINYINT|SMALLINT|INT|BIGINT)( UNSIGNED)?)$/;

/** True for a column of numbers. */
export function isNumeric({ type }: TableDef['columns'][number]): boolean {
  return numeric.test(type.name);
}

/** A table of labelled series; undefined when the table is not one: a JSON tag, and `valueColumn` a number. */
export function seriesTable(table: TableDef, valueColumn: string, ticksPerMilli: bigint): SeriesTable | undefined {
  const value = table.columns.find((column) => column.name === valueColumn && isNumeric(column));
  const labels = table.tags.find(({ type }) => type.name === 'JSON');
  if (value === undefined || labels === undefined || table.tagStorage === undefined) return undefined;
  return { table, values: [value.physical], labels: { fixed: [], json: labels.physical, tags: [] }, ticksPerMilli };
}

const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** The smallest and the greatest number of ticks in a range of milliseconds, or undefined when there is none. */
function ticksOf(
  { startMs, endMs }: Pick<SeriesQuery, 'startMs' | 'endMs'>,
  ticksPerMilli: bigint,
): readonly [bigint, bigint] | undefined {
  const from = startMs * ticksPerMilli;
  const to = endMs * ticksPerMilli + ticksPerMilli - 1n;
  if (from > to || from > max || to < min) return undefined;
  return [from < min ? min : from, to > max ? max : to];
}

/** Statement that fails when a text is not a regular expression, by itself and as {@link planSeries} puts it. */
export function checkPattern(pattern: string): string {
  const tried = [expr`replaceRegexpOne('', ${text(pattern)}, '')`, expr`match('', ${text(anchored(pattern))})`];
  return printQuery({ columns: tried.map((each): SelectColumn => [each, '']), from: undefined });
}

/** The pattern for a whole text, in which a dot is any character. */
function anchored(pattern: string): string {
  return `^(?s:${pattern})$`;
}

/** Statement that gives those of some texts that pass all matchers, whatever label these name. */
export function matchesOf(texts: readonly string[], matchers: readonly LabelMatcher[]): string {
  const each = column('n', 'value');
  const values = select({ columns: [[expr`arrayJoin(${new ArrayOf(texts.map(text))})`, 'value']], from: undefined });
  const where = matchers.map((matcher) => condition(matcher, each));
  return printQuery(select({ columns: [[each, '']], from: fromQuery(values, 'n'), where }));
}

/** Series of a table that pass all matchers, as parts of statements. */
export class MatchedSeries {
  readonly #series: SeriesTable;
  readonly #matching: readonly Expr[];

  constructor(series: SeriesTable, matchers: readonly LabelMatcher[]) {
    this.#series = series;
    this.#matching = matchers.map((matcher) => condition(matcher, this.label(matcher.name)));
  }

  /** The value of a label, known under the alias `s`; empty where a series lacks it. */
  label(name: string): Expr {
    const { fixed, json, tags, tableName } = this.#series.labels;
    const own = fixed.find(([label]) => label === name);
    if (own !== undefined) return text(own[1]);
    if (json !== undefined) return expr`JSONExtractString(${jsonText(json)}, ${text(name)})`;
    const tag = tags.find(({ label }) => label === name);
    if (tag !== undefined) return tagText(tag.physical);
    return name === tableName ? nameColumn('s') : text('');
  }

  /** The labels that are not fixed as the text of a JSON object; a label without a value is empty in it. */
  get json(): Expr {
    const { json, tags } = this.#series.labels;
    if (json !== undefined) return jsonText(json);
    if (tags.length === 0) return text('');
    return expr`toJSONString(map(${tags.flatMap(({ label, physical }) => [text(label), tagText(physical)])}))`;
  }

  /** Names of the labels that are not fixed, as an array; of tags those that have a value. */
  get names(): Expr {
    const { json, tags } = this.#series.labels;
    if (json !== undefined) return expr`JSONExtractKeys(${jsonText(json)})`;
    if (tags.length === 0) return expr`CAST([], 'Array(String)')`;
    const named = tags.map(({ label, physical }) => expr`if(empty(${tagText(physical)}), '', ${text(label)})`);
    return call('array', ...named);
  }

  /** Selects columns of the series; with a time range only of those that have a value in it. */
  select(
    columns: readonly Expr[],
    range?: Pick<SeriesQuery, 'startMs' | 'endMs'>,
    more: Pick<SelectQuery, 'distinct' | 'groupBy' | 'limit'> = {},
  ): SelectQuery | undefined {
    const where = [...this.#matching];
    if (range !== undefined) {
      const rows = this.#rowsIn(range);
      if (rows === undefined) return undefined;
      where.push(inQuery(idColumn('s'), { columns: [[idColumn('r'), '']], ...rows }));
    }
    return select({ ...more, columns: columns.map((each): SelectColumn => [each, '']), from: this.#source(), where });
  }

  /** Keys of the rows of these series in a time range; where a table has several columns, of rows with a value. */
  #rowsIn(range: Pick<SeriesQuery, 'startMs' | 'endMs'>) {
    const { table, values } = this.#series;
    const terms = this.rowTerms(range);
    if (terms === undefined) return undefined;
    const isAlone = values.length === 0 || table.columns.filter(isNumeric).length === 1;
    const source = isAlone ? keysSource(table.storage, 'r') : rowsSource(table.storage, 'r');
    return { from: source, where: isAlone ? terms : [...terms, expr`isNotNull(${this.value})`] };
  }

  /**
   * Conditions on the rows, known under the alias `r`, of these series, or of those with `ids`, in a time range;
   * undefined when that is empty.
   */
  rowTerms(range: Pick<SeriesQuery, 'startMs' | 'endMs'>, ids?: readonly bigint[]): readonly Expr[] | undefined {
    const { table, ticksPerMilli } = this.#series;
    const ticks = ticksOf(range, ticksPerMilli);
    if (ticks === undefined) return undefined;
    const ofSeries =
      ids === undefined
        ? inQuery(idColumn('r'), { columns: [[idColumn('s'), '']], from: this.#source(), where: this.#matching })
        : isAmong(idColumn('r'), ids);
    const isWithin = expr`${timeColumn('r')} BETWEEN ${int64(ticks[0])} AND ${int64(ticks[1])}`;
    return [...ofTable(table, 'r'), isWithin, ofSeries];
  }

  /** The value of a row under the alias `r`. */
  get value(): Expr {
    const [first, ...others] = this.#series.values.map((physical) => dataColumn('r', physical));
    if (first === undefined) return nullWord;
    return others.length === 0 ? first : call('coalesce', first, ...others);
  }

  /** Unix ms of a row under the alias `r`. */
  get millis(): Expr {
    return millis(timeColumn('r'), this.#series.ticksPerMilli);
  }

  #source(): FromItem {
    const { table, hidden } = this.#series;
    if (table.tagStorage === undefined) {
      const one: SelectColumn = [expr`toUInt64(${text(String(table.seriesId ?? 0n))})`, 'id'];
      const name: SelectColumn = [text(table.name), 'name'];
      return { kind: 'query', query: { columns: [one, name], from: undefined }, alias: 's' };
    }
    return tagsSource(table, 's', hidden === undefined ? [] : [expr`not(${hidden})`]);
  }
}

function jsonText(physical: string): Expr {
  return expr`ifNull(${dataColumn('s', physical)}, '')`;
}

function tagText(physical: string): Expr {
  return expr`ifNull(toString(${dataColumn('s', physical)}), '')`;
}

/**
 * Plans a query of series; undefined when its time range is empty. A label that is absent is the empty text. What the
 * query says enters the statements as literals alone. `rowLimit` bounds the samples; negative is no limit.
 */
export function planSeries(series: SeriesTable, query: SeriesQuery, rowLimit: number): SeriesPlan | undefined {
  const matched = new MatchedSeries(series, query.matchers);
  const where = matched.rowTerms(query);
  const list = matched.select([idColumn('s'), matched.json], query);
  if (where === undefined || list === undefined) return undefined;
  const { value } = matched;
  const columns = [idColumn('r'), matched.millis, expr`toFloat64(assumeNotNull(${value}))`];
  const samples = select({
    columns: columns.map((each): SelectColumn => [each, '']),
    from: rowsSource(series.table.storage, 'r'),
    where: [...where, expr`isNotNull(${value})`],
    orderBy: [{ by: idColumn('r') }, { by: timeColumn('r') }],
    limit: rowLimit < 0 ? undefined : { count: BigInt(rowLimit), offset: 0n },
  });
  return { series: inBinary(list), samples: inBinary(samples) };
}

/** Prints a query whose result is small. */
export function printRows(query: SelectQuery): string {
  return `${printQuery(query)} SETTINGS ${querySettings}`;
}

/** A query whose result is read as rows of the engine's binary format. */
export function inBinary(query: SelectQuery): FormattedQuery {
  return { statement: printRows(query), format: 'RowBinary' };
}

/**
 * The samples of matched series in a time range, one row for each series: its id (UInt64), Unix ms in ascending order
 * and the values (both Array(Float64)) in RowBinary; undefined when the range is empty. A NULL is no sample, unless the
 * bits beside it are those of a number that is not finite. With `ids` those of these series alone.
 */
export function planSamples(
  series: SeriesTable,
  { matchers, ...range }: SeriesQuery,
  ids?: readonly bigint[],
): FormattedQuery | undefined {
  const matched = new MatchedSeries(series, matchers);
  const where = matched.rowTerms(range, ids);
  if (where === undefined) return undefined;
  const value = castTo(matched.value, 'Nullable(Float64)');
  const sample = expr`assumeNotNull(${value})`;
  const ticks = expr`groupArray(${timeColumn('r')})`;
  const samples = select({
    columns: [
      [idColumn('r'), ''],
      [castTo(millisOfAll(expr`arraySort(${ticks})`, series.ticksPerMilli), 'Array(Float64)'), ''],
      // Nodes of a cluster may have parts of a series, which come in any order.
      [expr`arraySort((x, y) -> y, groupArray(${sample}), ${ticks})`, ''],
    ],
    from: rowsSource(series.table.storage, 'r'),
    where: [...where, expr`isNotNull(${value}) OR NOT isFinite(${sample})`],
    groupBy: [idColumn('r')],
  });
  return { statement: `${printRows(samples)}, ${seriesAfterSeries}`, format: 'RowBinary' };
}

/**
 * Settings with which the engine gives series after series in the order of their ids, each once its rows are read, and
 * holds few at a time. Several threads would give them in an order that changes from query to query.
 */
const seriesAfterSeries =
  'optimize_aggregation_in_order = 1, aggregation_in_order_max_block_bytes = 1000000, max_block_size = 16384, ' +
  'max_final_threads = 1';

/**
 * Rows of matched series in a time range: id as a text, Unix ms, then columns by their physical names, NULL for those
 * that the table lacks, ordered by id and time. Undefined when the range is empty.
 */
export function planRows(
  series: SeriesTable,
  { matchers, ...range }: SeriesQuery,
  physicals: readonly (string | undefined)[],
  limit: number,
): string | undefined {
  const matched = new MatchedSeries(series, matchers);
  const where = matched.rowTerms(range);
  if (where === undefined) return undefined;
  const columns = [idText, matched.millis, ...physicals.map(columnOf)];
  return printRows(
    select({
      columns: columns.map((each): SelectColumn => [each, '']),
      from: rowsSource(series.table.storage, 'r'),
      where,
      orderBy: [{ by: idColumn('r') }, { by: timeColumn('r') }],
      limit: { count: BigInt(limit), offset: 0n },
    }),
  );
}

/** The newest value that is not NULL of columns, by series: id as a text, then the values. */
export function planNewest(
  series: SeriesTable,
  matchers: readonly LabelMatcher[],
  physicals: readonly (string | undefined)[],
): string | undefined {
  const where = new MatchedSeries(series, matchers).rowTerms({ startMs: min, endMs: max });
  if (where === undefined) return undefined;
  const newest = physicals.map((physical) => expr`argMax(${columnOf(physical)}, ${timeColumn('r')})`);
  return printRows(
    select({
      columns: [idText, ...newest].map((each): SelectColumn => [each, '']),
      from: rowsSource(series.table.storage, 'r'),
      where,
      groupBy: [idColumn('r')],
    }),
  );
}

function columnOf(physical: string | undefined): Expr {
  return physical === undefined ? nullWord : dataColumn('r', physical);
}

const idText = expr`toString(${idColumn('r')})`;

/** Ticks in whole milliseconds, rounded down. */
function millis(ticks: Expr, ticksPerMilli: bigint): Expr {
  if (ticksPerMilli === 1n) return ticks;
  return expr`intDiv(${ticks} - positiveModulo(${ticks}, ${ticksPerMilli}), ${ticksPerMilli})`;
}

/** The same of an array of ticks. */
function millisOfAll(ticks: Expr, ticksPerMilli: bigint): Expr {
  if (ticksPerMilli === 1n) return ticks;
  return expr`arrayMap(x -> intDiv(x - positiveModulo(x, ${ticksPerMilli}), ${ticksPerMilli}), ${ticks})`;
}

function condition({ kind, name: _, value }: LabelMatcher, label: Expr): Expr {
  switch (kind) {
    case 'equal':
      return expr`equals(${label}, ${text(value)})`;
    case 'not-equal':
      return expr`notEquals(${label}, ${text(value)})`;
    case 'match':
      return expr`match(${label}, ${text(anchored(value))})`;
    case 'not-match':
      return expr`not(match(${label}, ${text(anchored(value))}))`;
  }
}

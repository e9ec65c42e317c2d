import type { TableDef } from '../../model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { inQuery, int64, select, text } from '../engine/build.js';
import type { Expr, SelectColumn } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import { querySettings } from '../engine/settings.js';
import { dataColumn, idColumn, keysSource, ofTable, rowsSource, tagsSource, timeColumn } from '../engine/storage.js';
import { expr } from '../engine/template.js';

/** A table of labelled series. */
export interface SeriesTable {
  readonly table: TableDef;
  /** Physical names of the column with the values and of the JSON tag with the labels. */
  readonly value: string;
  readonly labels: string;
  /** Ticks of its times in a millisecond. */
  readonly ticksPerMilli: bigint;
}

/** Facts that a query of series needs from the engine. */
interface SeriesPlan {
  /** Two columns in RowBinary: id (UInt64) and labels (String) of the series that have rows in the time range. */
  readonly series: string;
  /**
   * Three columns in RowBinary, 24 bytes a row: id (UInt64), Unix ms (Int64) and value (Float64), ordered by id and time.
   * Rows without a value are left out.
   */
  readonly samples: string;
}

const numeric = /^(BOOL|FLOAT|DOUBLE|(TINYINT|SMALLINT|INT|BIGINT)( UNSIGNED)?)$/;

/** The parts of a table of labelled series; undefined when the table is not one: a JSON tag, and `valueColumn` a number. */
export function seriesTable(table: TableDef, valueColumn: string, ticksPerMilli: bigint): SeriesTable | undefined {
  const value = table.columns.find(({ name, type }) => name === valueColumn && numeric.test(type.name));
  const labels = table.tags.find(({ type }) => type.name === 'JSON');
  if (value === undefined || labels === undefined || table.tagStorage === undefined) return undefined;
  return { table, value: value.physical, labels: labels.physical, ticksPerMilli };
}

const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** The smallest and the greatest number of ticks in a range of milliseconds, or undefined when there is none. */
function ticksOf({ startMs, endMs }: SeriesQuery, ticksPerMilli: bigint): readonly [bigint, bigint] | undefined {
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

/**
 * Plans a query of series; undefined when its time range is empty. A label that is absent is the empty text. What the
 * query says enters the statements as literals alone. `rowLimit` bounds the samples; negative is no limit.
 */
export function planSeries(series: SeriesTable, query: SeriesQuery, rowLimit: number): SeriesPlan | undefined {
  const { table, ticksPerMilli } = series;
  const range = ticksOf(query, ticksPerMilli);
  if (range === undefined) return undefined;
  const labels = expr`ifNull(${dataColumn('s', series.labels)}, '')`;
  const matching = query.matchers.map((matcher) => condition(matcher, labels));
  const live = tagsSource(table, 's');
  const where = [
    ...ofTable(table, 'r'),
    expr`${timeColumn('r')} BETWEEN ${int64(range[0])} AND ${int64(range[1])}`,
    inQuery(idColumn('r'), { columns: [[idColumn('s'), '']], from: live, where: matching }),
  ];
  const value = dataColumn('r', series.value);
  const keys = select({ columns: [[idColumn('r'), '']], from: keysSource(table.storage, 'r'), where });
  const columns = [idColumn('r'), millis(timeColumn('r'), ticksPerMilli), expr`toFloat64(assumeNotNull(${value}))`];
  const limit = rowLimit < 0 ? undefined : { count: BigInt(rowLimit), offset: 0n };
  const settings = `SETTINGS ${querySettings} FORMAT RowBinary`;
  const seriesQuery = select({
    columns: [
      [idColumn('s'), ''],
      [labels, ''],
    ],
    from: live,
    where: [...matching, inQuery(idColumn('s'), keys)],
  });
  const samples = select({
    columns: columns.map((each): SelectColumn => [each, '']),
    from: rowsSource(table.storage, 'r'),
    where: [...where, expr`isNotNull(${value})`],
    orderBy: [{ by: idColumn('r') }, { by: timeColumn('r') }],
    limit,
  });
  return { series: `${printQuery(seriesQuery)} ${settings}`, samples: `${printQuery(samples)} ${settings}` };
}

/** Ticks in whole milliseconds, rounded down. */
function millis(ticks: Expr, ticksPerMilli: bigint): Expr {
  if (ticksPerMilli === 1n) return ticks;
  return expr`intDiv(${ticks} - positiveModulo(${ticks}, ${ticksPerMilli}), ${ticksPerMilli})`;
}

function condition({ kind, name, value }: LabelMatcher, labels: Expr): Expr {
  const label = expr`JSONExtractString(${labels}, ${text(name)})`;
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

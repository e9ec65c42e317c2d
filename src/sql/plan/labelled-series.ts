import type { TableDef } from '../../model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../model/series-query.js';
import { int64, quoteString } from '../engine/quote.js';
import { allOf } from '../engine/select.js';
import { querySettings } from '../engine/settings.js';
import {
  dataColumn,
  idColumn,
  keysSource,
  rowsOfTable,
  rowsSource,
  tagsSource,
  timeColumn,
} from '../engine/storage.js';

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
  return `SELECT replaceRegexpOne('', ${quoteString(pattern)}, ''), match('', ${quoteString(anchored(pattern))})`;
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
  const labels = `ifNull(${dataColumn('s', series.labels)}, '')`;
  const matching = query.matchers.map((matcher) => condition(matcher, labels));
  const live = tagsSource(table, 's');
  const ofSeries = matching.length === 0 ? '' : ` WHERE ${allOf(matching)}`;
  const where = [
    ...rowsOfTable(table, 'r'),
    `${timeColumn('r')} BETWEEN ${int64(range[0])} AND ${int64(range[1])}`,
    `${idColumn('r')} IN (SELECT ${idColumn('s')} FROM ${live}${ofSeries})`,
  ];
  const value = dataColumn('r', series.value);
  const keys = `SELECT ${idColumn('r')} FROM ${keysSource(table.storage, 'r')} WHERE ${allOf(where)}`;
  const columns = [idColumn('r'), millis(timeColumn('r'), ticksPerMilli), `toFloat64(assumeNotNull(${value}))`];
  const limit = rowLimit < 0 ? '' : ` LIMIT ${rowLimit}`;
  const settings = `SETTINGS ${querySettings} FORMAT RowBinary`;
  return {
    series: `SELECT ${idColumn('s')}, ${labels} FROM ${live} WHERE ${allOf([...matching, `${idColumn('s')} IN (${keys})`])} ${settings}`,
    samples:
      `SELECT ${columns.join(', ')} FROM ${rowsSource(table.storage, 'r')} WHERE ${allOf([...where, `isNotNull(${value})`])}` +
      ` ORDER BY ${idColumn('r')}, ${timeColumn('r')}${limit} ${settings}`,
  };
}

/** Ticks in whole milliseconds, rounded down. */
function millis(ticks: string, ticksPerMilli: bigint): string {
  if (ticksPerMilli === 1n) return ticks;
  return `intDiv(${ticks} - positiveModulo(${ticks}, ${ticksPerMilli}), ${ticksPerMilli})`;
}

function condition({ kind, name, value }: LabelMatcher, labels: string): string {
  const label = `JSONExtractString(${labels}, ${quoteString(name)})`;
  switch (kind) {
    case 'equal':
      return `equals(${label}, ${quoteString(value)})`;
    case 'not-equal':
      return `notEquals(${label}, ${quoteString(value)})`;
    case 'match':
      return `match(${label}, ${quoteString(anchored(value))})`;
    case 'not-match':
      return `not(match(${label}, ${quoteString(anchored(value))}))`;
  }
}

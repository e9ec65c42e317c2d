import { type Label, metricsTable } from '../../model/label-set.js';
import type { TableDef } from '../../model/schema.js';
import { isNumeric } from '../../sql/plan/labelled-series.js';
import { exemplarsTable, histogramsTable, metadataTable, metricsValue } from '../../transforms/points/label-set.js';

/** The label that is the name of the metric. */
export const metricLabel = '__name__';
/** The label that is the name of a table, where there are no tags, or several sub-tables have the same. */
export const tableLabel = 'tbname';

/** A metric of a table: columns of numbers, and the labels that all of its series have. */
export interface MetricColumns {
  /** Undefined where each series has the name of its metric among its labels. */
  readonly metric: string | undefined;
  /** Physical names; of several the first that is not NULL counts. */
  readonly values: readonly string[];
  /** Labels beside the tags, the metric among them. */
  readonly fixed: readonly Label[];
  /** Type of the metric, as far as the table says it. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'unknown';
}

/** Columns in which exporters and OpenTelemetry have the one value of a metric, by its type. */
const typedValues: ReadonlySet<string> = new Set(['gauge', 'counter', 'value']);
/** Columns that give a metric the name of their table where they are the only ones. */
const loneValues: ReadonlySet<string> = new Set([...typedValues, '_value', 'v', 'val']);
/** The column of the last bucket of a histogram. */
const lastBound = '+Inf';
/** Names of columns that are bounds of buckets, or quantiles. */
const boundName = /^[+-]?(?:[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|Inf)$/;
/** Columns that histograms and summaries have beside these. */
const familyParts: ReadonlySet<string> = new Set(['count', 'sum', 'min', 'max', ...typedValues]);
/** Tables beside `metrics` whose rows are no samples of numbers. */
const otherTables: ReadonlySet<string> = new Set([histogramsTable, exemplarsTable, metadataTable]);

/**
 * The metrics of a table: every column of numbers is one. A table of remote write has the names among its labels. The
 * one value of a table has the table's name, a bound of a histogram is `<table>_bucket` with the label `le`, a quantile
 * has the label `quantile`, and every other column is `<table>_<column>`.
 */
export function metricsOf(table: TableDef): readonly MetricColumns[] {
  const { name, columns, tags } = table;
  if (otherTables.has(name) && tags[0]?.type.name === 'JSON') return [];
  const numbers = columns.filter(isNumeric);
  if (name === metricsTable && tags[0]?.type.name === 'JSON') {
    const value = numbers.find((column) => column.name === metricsValue);
    return value === undefined ? [] : [{ metric: undefined, values: [value.physical], fixed: [], type: 'unknown' }];
  }
  const isTyped = numbers.every((column) => typedValues.has(column.name));
  const [first] = numbers;
  if (first !== undefined && (isTyped || (numbers.length === 1 && loneValues.has(first.name)))) {
    const type = first.name === 'counter' || first.name === 'gauge' ? first.name : 'unknown';
    return [named(name, type, numbers)];
  }
  const names = new Set(numbers.map((column) => column.name));
  const isFamily =
    numbers.some((column) => boundName.test(column.name)) &&
    numbers.every((column) => boundName.test(column.name) || familyParts.has(column.name));
  const bounds = names.has(lastBound) ? 'histogram' : 'summary';
  return numbers.map((column) => {
    if (!isFamily || !boundName.test(column.name)) {
      return named(`${name}_${column.name}`, isFamily ? bounds : 'unknown', [column]);
    }
    return bounds === 'histogram'
      ? named(`${name}_bucket`, bounds, [column], ['le', column.name])
      : named(name, bounds, [column], ['quantile', column.name]);
  });
}

function named(
  metric: string,
  type: MetricColumns['type'],
  columns: readonly { readonly physical: string }[],
  ...more: readonly Label[]
): MetricColumns {
  const values = columns.map(({ physical }) => physical);
  return { metric, values, fixed: [[metricLabel, metric], ...more], type };
}

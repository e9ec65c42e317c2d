import test from 'ava';
import { dataType } from '../../../src/model/schema.js';
import { metricsOf } from '../../../src/pipelines/series/metric-columns.js';
import { tableOf } from '../../support/blocks/blocks.js';

const double = dataType('DOUBLE');

/** The metrics of a table with these columns of numbers, as `name{label=value} columns`. */
function shown(table: string, ...columns: readonly string[]): readonly string[] {
  const definition = tableOf(table, Object.fromEntries(columns.map((name) => [name, double])));
  const names = new Map(definition.columns.map(({ name, physical }) => [physical, name]));
  return metricsOf(definition).map(({ metric, fixed, values }) => {
    const labels = fixed.filter(([name]) => name !== '__name__').map(([name, value]) => `{${name}=${value}}`);
    return `${metric}${labels.join('')} ${values.map((physical) => names.get(physical)).join('+')}`;
  });
}

test('the one value of a table has its name, and other columns theirs behind it', (t) => {
  for (const value of ['value', '_value', 'v', 'val', 'gauge', 'counter'])
    t.deepEqual(shown('m', value), [`m ${value}`]);
  t.deepEqual(shown('m', 'celsius'), ['m_celsius celsius']);
  t.deepEqual(shown('m', 'value', 'celsius'), ['m_value value', 'm_celsius celsius']);
  t.deepEqual(shown('m', 'mean', 'count', 'sum'), ['m_mean mean', 'm_count count', 'm_sum sum']);
  t.deepEqual(shown('m'), []);
});

test('a metric that has changed its type is one metric of several columns', (t) => {
  t.deepEqual(shown('m', 'value', 'gauge', 'counter'), ['m value+gauge+counter']);
});

test('bounds of histograms and quantiles of summaries are labels', (t) => {
  t.deepEqual(shown('h', '0.5', '1e+06', '+Inf', 'sum', 'count', 'min'), [
    'h_bucket{le=0.5} 0.5',
    'h_bucket{le=1e+06} 1e+06',
    'h_bucket{le=+Inf} +Inf',
    'h_sum sum',
    'h_count count',
    'h_min min',
  ]);
  t.deepEqual(shown('s', '0.5', '0.99', 'sum', 'count'), [
    's{quantile=0.5} 0.5',
    's{quantile=0.99} 0.99',
    's_sum sum',
    's_count count',
  ]);
  t.deepEqual(shown('s', '0.5', '0.99'), ['s{quantile=0.5} 0.5', 's{quantile=0.99} 0.99']);
  t.deepEqual(shown('t', '5', 'celsius'), ['t_5 5', 't_celsius celsius'], 'a table of another kind');
});

test('tables beside that of remote write are no metrics, and its series have names of their own', (t) => {
  const tags = [{ name: 'labels', type: dataType('JSON'), physical: 'c9' }];
  for (const name of ['metric_histograms', 'metric_exemplars', 'metric_metadata'])
    t.deepEqual(metricsOf({ ...tableOf(name, { count: double }), tags }), []);
  t.like(metricsOf({ ...tableOf('metrics', { v: double }), tags })[0], { metric: undefined, fixed: [] });
  t.deepEqual(metricsOf({ ...tableOf('metrics', { w: double }), tags }), []);
  t.deepEqual(
    metricsOf(tableOf('metrics', { v: double })).map(({ metric }) => metric),
    ['metrics'],
  );
});

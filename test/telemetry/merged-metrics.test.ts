import test from 'ava';
import { Counter, Gauge, Registry, Summary } from 'prom-client';
import { mergedMetrics, metricsText } from '../../src/telemetry/merged-metrics.js';

/** The metrics of a process with these counts. */
async function metricsOf(count: number) {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'rows_total', help: 'Rows.', labelNames: ['input'], registers }).inc({ input: 'a' }, count);
  new Gauge({ name: 'oldest', help: 'Age.', aggregator: 'max', registers }).set(count);
  new Gauge({ name: 'disk', help: 'Disk.', registers }).set(count === 1 ? Number.NaN : count);
  const summary = new Summary({ name: 'took', help: 'Time.', percentiles: [0.5], registers });
  for (let i = 0; i < count; i++) summary.observe(count);
  return registry.getMetricsAsJSON();
}

test('counts are added, ages and quantiles are the highest, and a missing value does not count', async (t) => {
  const merged = mergedMetrics([await metricsOf(1), await metricsOf(3)]);
  const text = await metricsText(merged, 'openmetrics');
  for (const line of [
    'rows_total{input="a"} 4',
    'oldest 3',
    'disk 3',
    'took{quantile="0.5"} 3',
    'took_sum 10',
    'took_count 4',
    '# EOF',
  ]) {
    t.true(text.split('\n').includes(line), `${line} in\n${text}`);
  }
});

test('a name is the same in both text formats, and a counter has its type where the format lets it', async (t) => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'rows_total', help: 'Rows.', registers }).inc(2);
  new Counter({ name: 'lost_lines', help: 'Lines.', registers }).inc(3);
  new Counter({ name: 'refused_total', help: 'Refused.', labelNames: ['reason'], registers });
  const families = await registry.getMetricsAsJSON();
  const lines = async (format: 'prometheus' | 'openmetrics'): Promise<readonly string[]> =>
    (await metricsText(families, format)).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'));
  t.deepEqual(await lines('prometheus'), [
    '# TYPE rows_total counter',
    'rows_total 2',
    '# TYPE lost_lines counter',
    'lost_lines 3',
    '# TYPE refused_total counter',
  ]);
  t.deepEqual(await lines('openmetrics'), [
    '# TYPE rows counter',
    'rows_total 2',
    '# TYPE lost_lines unknown',
    'lost_lines 3',
    '# TYPE refused counter',
    '# EOF',
  ]);
});

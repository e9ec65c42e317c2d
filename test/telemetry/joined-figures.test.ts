import test from 'ava';
import { Counter, Gauge, Registry, Summary } from 'prom-client';
import { joinedFigures, textOfFigures } from '../../src/telemetry/joined-figures.js';

/** The figures of a process that has counted so much. */
async function figuresOf(count: number) {
  const registry = new Registry();
  const registers = [registry];
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  new Counter({ name: 'rows_total', help: 'Rows.', labelNames: ['door'], registers }).inc({ door: 'a' }, count);
  new Gauge({ name: 'oldest', help: 'Age.', aggregator: 'max', registers }).set(count);
  new Gauge({ name: 'disk', help: 'Disk.', registers }).set(count === 1 ? Number.NaN : count);
  const summary = new Summary({ name: 'took', help: 'Time.', percentiles: [0.5], registers });
  for (let i = 0; i < count; i++) summary.observe(count);
  return registry.getMetricsAsJSON();
}

test('counts are added, ages and quantiles are the highest, and what one cannot tell is what the other tells', async (t) => {
  const joined = joinedFigures([await figuresOf(1), await figuresOf(3)]);
  const text = await textOfFigures(joined);
  for (const line of [
    'rows_total{door="a"} 4',
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

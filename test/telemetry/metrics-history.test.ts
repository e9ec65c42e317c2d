import test from 'ava';
import type { MetricFamily } from '../../src/telemetry/merged-metrics.js';
import { MetricsHistory } from '../../src/telemetry/metrics-history.js';

/** A family with one value, or none. */
function family(name: string, value?: number, labels = {}): MetricFamily {
  return { name, values: value === undefined ? [] : [{ value, labels }] };
}

test('the metrics of the charts are recorded in a ring buffer, oldest first, with gaps', async (t) => {
  let families: readonly MetricFamily[] = [];
  const memory = new MetricsHistory(async () => families, { intervalMs: 10, samples: 3 });
  t.deepEqual([memory.history().times, memory.history().series], [[], []]);
  const sample = async (at: number, bytes?: number, rows?: number): Promise<void> => {
    const labels = { pipeline: 'a "b', outcome: 'stored' };
    families = [
      family('adapter_memory_bytes', bytes),
      family('adapter_http_connections', 4),
      family('adapter_rows_total', rows, labels),
    ];
    await memory.sample(at);
  };
  await sample(1, 10);
  await sample(2, 20, 7);
  t.deepEqual(memory.history().times, [1, 2]);
  await sample(3, undefined, 8);
  await sample(4, 40);
  const { times, series, intervalMs } = memory.history();
  t.is(intervalMs, 10);
  t.deepEqual(times, [2, 3, 4]);
  t.deepEqual(series, [
    { name: 'adapter_memory_bytes', values: [20, null, 40] },
    { name: 'adapter_rows_total{pipeline="a \\"b",outcome="stored"}', values: [7, 8, null] },
  ]);
});

test('the number of series is limited', async (t) => {
  const values = Array.from({ length: 1000 }, (_, at) => ({ value: 1, labels: { pipeline: `p${at}` } }));
  const memory = new MetricsHistory(async () => [{ name: 'adapter_rows_total', values }], {
    intervalMs: 10,
    samples: 2,
  });
  await memory.sample(1);
  t.is(memory.history().series.length, 256);
});

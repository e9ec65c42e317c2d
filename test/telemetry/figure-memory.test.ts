import test from 'ava';
import { FigureMemory } from '../../src/telemetry/figure-memory.js';

test('the figures that pages draw are remembered in a ring, oldest first, with gaps where there were none', async (t) => {
  let text = '';
  const memory = new FigureMemory(async () => text, { intervalMs: 10, samples: 3 });
  t.deepEqual([memory.history().times, memory.history().series], [[], []]);
  const sample = async (at: number, lines: string): Promise<void> => {
    text = `# TYPE adapter_memory_bytes gauge\n${lines}\n# EOF\n`;
    await memory.sample(at);
  };
  await sample(1, 'adapter_memory_bytes 10\nadapter_http_connections 4');
  await sample(2, 'adapter_memory_bytes 20\nadapter_rows_total{pipeline="a b",outcome="stored"} 7');
  t.deepEqual(memory.history().times, [1, 2]);
  await sample(3, 'adapter_rows_total{pipeline="a b",outcome="stored"} 8');
  await sample(4, 'adapter_memory_bytes 40');
  const { times, series, intervalMs } = memory.history();
  t.is(intervalMs, 10);
  t.deepEqual(times, [2, 3, 4]);
  t.deepEqual(series, [
    { name: 'adapter_memory_bytes', values: [20, null, 40] },
    { name: 'adapter_rows_total{pipeline="a b",outcome="stored"}', values: [7, 8, null] },
  ]);
});

test('however many series there are, the memory has an end', async (t) => {
  const lines = Array.from({ length: 1000 }, (_, at) => `adapter_rows_total{pipeline="p${at}"} 1`).join('\n');
  const memory = new FigureMemory(async () => lines, { intervalMs: 10, samples: 2 });
  await memory.sample(1);
  t.is(memory.history().series.length, 256);
});

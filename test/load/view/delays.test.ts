import test from 'ava';
import fc from 'fast-check';
import { Delays } from '../../../src/load/view/delays.js';

test('figures of nothing are zeros', (t) => {
  t.deepEqual(new Delays().figures(), { min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] });
});

test('least, most and mean are exact, percentiles are right to three digits', (t) => {
  const delays = new Delays();
  for (let ms = 1000; ms >= 1; ms--) delays.record(ms);
  const { min, max, mean, p50, p90, p95, p99 } = delays.figures();
  t.deepEqual([min, max, mean], [1, 1000, 500.5]);
  for (const [percentile, expected] of [
    [p50, 500],
    [p90, 900],
    [p95, 950],
    [p99, 990],
  ] as const) {
    t.true(Math.abs(percentile - expected) <= expected / 500, `${percentile} for ${expected}`);
  }
});

test('buckets grow by 1, 2, 5 and leave out empty ones at the ends', (t) => {
  const delays = new Delays();
  for (const ms of [0.3, 0.5, 0.51, 7, 10, 10.1]) delays.record(ms);
  t.deepEqual(delays.figures().buckets, [
    { upToMs: 0.5, count: 2 },
    { upToMs: 1, count: 1 },
    { upToMs: 2, count: 0 },
    { upToMs: 5, count: 0 },
    { upToMs: 10, count: 2 },
    { upToMs: 20, count: 1 },
  ]);
});

test('delays of several threads together are those of one that saw all', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 1_000_000 }))), (requests) => {
      const [one, other, all] = [new Delays(), new Delays(), new Delays()];
      for (const [first, micros] of requests) {
        (first ? one : other).record(micros / 1000);
        all.record(micros / 1000);
      }
      one.add(other);
      const { mean, ...together } = one.figures();
      const { mean: meanOfAll, ...whole } = all.figures();
      t.deepEqual(together, whole);
      t.true(Math.abs(mean - meanOfAll) <= 1e-9 * meanOfAll);
    }),
  );
});

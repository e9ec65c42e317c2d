import { mock } from 'node:test';
import test from 'ava';
import { RateSampler } from '../../../src/load/view/rates.js';

test('samples of the rate cover the whole time, and however long it is there are not too many', (t) => {
  let [rows, now] = [0, 0];
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const counts = () => ({ rows, failedRows: 0, answered: rows / 3, delaysMs: rows });
  const sampler = new RateSampler(counts, 1, () => now);
  for (; now < 3000; now++) {
    rows += 3;
    mock.timers.tick(1);
  }
  const samples = sampler.stop();
  t.true(samples.length <= 1200);
  t.is(
    samples.reduce((sum, sample) => sum + sample.rows, 0),
    rows,
  );
  t.is(
    samples.reduce((sum, sample) => sum + sample.delaysMs, 0),
    rows,
  );
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  t.true(Math.abs(seconds - samples.at(-1)!.atSeconds) < 1e-6);
  t.true(samples.every((sample, i) => i === 0 || sample.atSeconds > samples[i - 1]!.atSeconds));
});

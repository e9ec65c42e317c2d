import test from 'ava';
import { RateSampler } from '../../../src/load/view/rates.js';

test('samples of the rate cover the whole time, and however long it is there are not too many', async (t) => {
  let rows = 0;
  const sampler = new RateSampler(() => ({ rows, failedRows: 0, answered: rows / 3, delaysMs: rows }), 1);
  const end = performance.now() + 1800;
  while (performance.now() < end) {
    rows += 3;
    await new Promise((resolve) => setTimeout(resolve, 1));
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

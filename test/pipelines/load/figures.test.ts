import test from 'ava';
import { InsertFigures, RateSampler } from '../../../src/pipelines/load/figures.js';

test('figures of several threads add up', (t) => {
  const [one, two] = [new InsertFigures(), new InsertFigures()];
  Object.assign(one, {
    rows: 10,
    failedRows: 1,
    requests: 3,
    failedRequests: 1,
    retries: 2,
    generateMs: 5,
    encodeMs: 7,
  });
  Object.assign(two, { rows: 20, requests: 4, waitMs: 1500 });
  one.delays.record(2);
  two.delays.record(4);
  one.add(two);
  const { delays, ...report } = one.report(3);
  t.deepEqual(report, {
    seconds: 3,
    rows: 30,
    failedRows: 1,
    requests: 7,
    failedRequests: 1,
    retries: 2,
    generateSeconds: 0.005,
    encodeSeconds: 0.007,
    waitSeconds: 1.5,
  });
  t.is(delays.mean, 3);
});

test('samples of the rate cover the whole time, and however long it is there are not too many', async (t) => {
  let rows = 0;
  const sampler = new RateSampler(() => ({ rows, failedRows: 0 }), 1);
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
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  t.true(Math.abs(seconds - samples.at(-1)!.atSeconds) < 1e-6);
  t.true(samples.every((sample, i) => i === 0 || sample.atSeconds > samples[i - 1]!.atSeconds));
});

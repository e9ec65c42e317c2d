import test from 'ava';
import { InsertFigures } from '../../../src/load/insert/figures.js';

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

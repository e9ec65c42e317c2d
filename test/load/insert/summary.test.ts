import test from 'ava';
import { delayText, summaryLines, threadLine } from '../../../src/load/insert/figures.js';
import type { LoadFigures } from '../../../src/load/model/report.js';

const figures: LoadFigures = {
  seconds: 0.018221,
  rows: 1000,
  failedRows: 0,
  requests: 4,
  failedRequests: 0,
  retries: 0,
  generateSeconds: 0,
  encodeSeconds: 0,
  waitSeconds: 0.012,
  delays: { min: 1.203, mean: 2.8817, p50: 2.5, p90: 4.902, p95: 4.902, p99: 4.902, max: 4.902, buckets: [] },
};

test('the summary has seconds, rows, threads, database, rate and delays', (t) => {
  t.deepEqual(summaryLines(figures, 2, 'shop'), [
    'Spent 0.018221 seconds to insert rows: 1000 with 2 thread(s) into shop 54881.73 records/second',
    'insert delay, min: 1.2030ms, avg: 2.8817ms, p50: 2.5000ms, p90: 4.9020ms, p95: 4.9020ms, p99: 4.9020ms, max: 4.9020ms',
  ]);
});

test('failures and retries have a line of their own', (t) => {
  const lines = summaryLines({ ...figures, failedRows: 30, failedRequests: 2, retries: 5 }, 2, 'shop');
  t.is(lines[2], 'failed rows: 30 in 2 request(s), further attempts: 5');
});

test('rates of threads are over the time of all of them, and add up to that of the summary', (t) => {
  t.is(
    threadLine(3, false, { ...figures, rows: 500, waitSeconds: 0.005 }),
    'thread[3] progressive mode, completed total inserted rows: 500, 27440.86 records/second',
  );
  t.regex(threadLine(0, true, figures), /^thread\[0\] interlace mode/);
});

test('nothing is a rate of zero, and no division by it', (t) => {
  const nothing = { ...figures, seconds: 0, rows: 0, waitSeconds: 0 };
  t.regex(summaryLines(nothing, 1, 'shop')[0] ?? '', / 0\.00 records\/second$/);
  t.regex(
    delayText({ min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] }),
    /^min: 0\.0000ms, avg: /,
  );
});

import test from 'ava';
import { partLine, QueryCounts, totalLines } from '../../../src/load/query/query-counts.js';

test('tells a statement and a run in the lines of the report', (t) => {
  const counts = new QueryCounts();
  for (const ms of [10, 20, 30]) counts.completed(ms, 2);
  counts.failed(true);
  const figures = counts.report(0.5);
  t.regex(
    partLine({ section: 'specified', statements: ['select 1'], threads: 2, figures }, 3),
    /^complete query with 2 threads and 4 sql 3 spend 0\.500000s QPS: 8\.000 query delay avg: 0\.020000s min: 0\.010000s max: 0\.030000s p50: 0\.0200\d\ds p90: 0\.030000s p95: 0\.030000s p99: 0\.030000s errors: 1 SQL command: select 1$/,
  );
  const [spent, delays, errors] = totalLines(figures);
  t.is(spent, 'Spent 0.500000 seconds to query 4 times, QPS: 8.000, rows: 6, errors: 1');
  t.regex(delays ?? '', /^query delay, avg: 0\.020000s min: 0\.010000s max: 0\.030000s p50/);
  t.is(errors, 'error rate: 25.00%, killed: 1');
});

test('tells of no queries in zeros', (t) => {
  const figures = new QueryCounts().report(0);
  t.regex(
    partLine({ section: 'super', statements: [], threads: 0, figures }, 1),
    /0 threads and 0 super queries spend 0\.0/,
  );
  t.is(totalLines(figures).length, 2);
});

test('adds up the counts of parts', (t) => {
  const [one, two] = [new QueryCounts(), new QueryCounts()];
  one.completed(10, 1);
  two.completed(30, 2);
  two.failed(false);
  one.add(two);
  t.like(one.report(1), { queries: 3, rows: 3, errors: 1, killed: 0 });
  t.is(one.report(1).delays.mean, 20);
});

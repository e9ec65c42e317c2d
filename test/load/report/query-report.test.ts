import test from 'ava';
import type { QueryFigures, QueryReport } from '../../../src/load/model/query-report.js';
import { encodeQueryPage } from '../../../src/load/report/query-report.js';

const figures: QueryFigures = {
  seconds: 2,
  queries: 40,
  rows: 400,
  errors: 3,
  killed: 1,
  delays: { min: 1, mean: 3.5, p50: 2, p90: 8, p95: 8, p99: 16, max: 15.25, buckets: [{ upToMs: 20, count: 37 }] },
};
const report: QueryReport = {
  version: '1.2.3',
  startedMs: 1_700_000_000_000,
  endedMs: 1_700_000_002_000,
  outcome: 'failed',
  failure: 'a query failed',
  environment: [{ name: 'Node.js', value: '20.19.0' }],
  settings: [{ name: 'database', value: 'shop' }],
  totals: figures,
  rates: [{ atSeconds: 1, seconds: 1, queries: 20, errors: 1, answered: 19, delaysMs: 57 }],
  parts: [
    { section: 'specified', statements: ['select 1 < 2'], threads: 2, figures },
    { section: 'super', statements: ['a', 'b'], threads: 1, figures },
  ],
};

test('the page has the figures of the run and of its parts', (t) => {
  const page = encodeQueryPage(report);
  t.true(page.includes('<title>Query run of 2023-11-14 22:13:20 UTC</title>'));
  t.true(page.includes('<strong>Failed:</strong> a query failed'));
  t.true(
    page.includes('<td>select 1 &lt; 2</td><td>2</td><td>40</td><td>20.0</td><td>2.000</td><td>400</td><td>3</td>'),
  );
  t.true(page.includes('<td>super: 2 statements</td>'));
  t.true(page.includes('up to 20 ms: 37 queries'));
  t.true(page.includes('Queries per second over the time of the run'));
  t.notRegex(page, /<script|<link|src=|href=|url\(|https?:/);
});

test('a run without queries has a page without broken figures', (t) => {
  const none = { min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] };
  const totals = { ...figures, seconds: 0, queries: 0, delays: none };
  t.notRegex(encodeQueryPage({ ...report, totals, rates: [], parts: [] }), /NaN|Infinity|undefined/);
});

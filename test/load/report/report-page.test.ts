import test from 'ava';
import type {
  DelayFigures,
  LoadFigures,
  LoadReport,
  QueryFigures,
  QueryReport,
} from '../../../src/load/model/report.js';
import { encodeHtmlReport, shortNumber } from '../../../src/load/report/report-page.js';

const noDelays: DelayFigures = { min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] };
const delays: DelayFigures = {
  min: 1,
  mean: 3.5,
  p50: 2,
  p90: 8,
  p95: 8,
  p99: 16,
  max: 15.25,
  buckets: [{ upToMs: 20, count: 37 }],
};
const run = {
  version: '1.2.3',
  startedMs: 1_700_000_000_000,
  endedMs: 1_700_000_002_500,
  outcome: 'failed',
  failure: 'table "<d0>" does not exist',
  environment: [{ name: 'Node.js', value: '20.19.0' }],
  settings: [{ name: 'database', value: `a&b'c"` }],
} as const;
const figures: LoadFigures = {
  seconds: 2.5,
  rows: 1_000_000,
  failedRows: 7,
  requests: 100,
  failedRequests: 1,
  retries: 3,
  generateSeconds: 0.5,
  encodeSeconds: 1,
  waitSeconds: 3.25,
  delays,
};
const report: LoadReport = {
  ...run,
  totals: figures,
  superTables: [{ database: 'test', name: 'meters', mode: 'taosc', subTables: 10, threads: 8, figures }],
};
const queryFigures: QueryFigures = { seconds: 2, queries: 40, rows: 400, errors: 3, killed: 1, delays };
const queryReport: QueryReport = {
  ...run,
  totals: queryFigures,
  parts: [
    { section: 'specified', statements: ['select 1 < 2'], threads: 2, figures: queryFigures },
    { section: 'super', statements: ['a', 'b'], threads: 1, figures: queryFigures },
  ],
};

test('the page of an insertion has the figures, and everything else escaped', (t) => {
  const page = encodeHtmlReport(report);
  t.true(page.includes('<title>Load run of 2023-11-14 22:13:20 UTC</title>'));
  t.true(page.includes('<dd>1 M</dd>'));
  t.true(page.includes('<dd>400 k</dd>'));
  t.true(page.includes('<strong>Failed:</strong> table &#34;&#60;d0&#62;&#34; does not exist'));
  t.true(page.includes('<td>a&#38;b&#39;c&#34;</td>'));
  t.true(page.includes('<td>test.meters</td>'));
  t.true(page.includes('<td>All</td><td>1.00</td><td>3.50</td><td>2.00</td><td>8.00</td>'));
  t.true(page.includes('<td>test.meters</td><td>1.00</td><td>3.50</td>'));
  t.false(page.includes('<d0>'));
});

test('the page of queries has the figures of the run and of its parts', (t) => {
  const page = encodeHtmlReport(queryReport);
  t.true(page.includes('<title>Query run of 2023-11-14 22:13:20 UTC</title>'));
  t.true(
    page.includes('<td>select 1 &#60; 2</td><td>2</td><td>40</td><td>20.0</td><td>2.000</td><td>400</td><td>3</td>'),
  );
  t.true(page.includes('<td>super: 2 statements</td>'));
});

test('the page of a subscription has what each consumer has read', (t) => {
  const page = encodeHtmlReport({
    ...run,
    endedMs: 1_700_000_003_500,
    messages: 12,
    rows: 480,
    consumers: [{ number: 0, group: 'g<1>', messages: 12, rows: 480, failed: false }],
  });
  t.true(page.includes('<title>Subscription of 2023-11-14 22:13:20 UTC</title>'));
  t.true(page.includes('<td>0</td><td>g&#60;1&#62;</td><td>12</td><td>480</td><td>no</td>'));
  t.true(page.includes('<dd>3.50</dd>'));
});

test('no table of a page has more than eleven columns, which fit its width', (t) => {
  for (const page of [encodeHtmlReport(report), encodeHtmlReport(queryReport)]) {
    const heads = page
      .split('</thead>')
      .slice(0, -1)
      .map((table) => (table.match(/<th /g) ?? []).length);
    t.true(Math.max(...heads) <= 11, heads.join());
  }
});

test('a page needs nothing beside itself', (t) => {
  for (const page of [encodeHtmlReport(report), encodeHtmlReport(queryReport)]) {
    t.notRegex(page, /<script|<link|src=|href=|url\(|https?:/);
  }
});

test('every HTML tag of a page is closed', (t) => {
  const open: string[] = [];
  for (const [tag, name] of encodeHtmlReport(report).matchAll(/<\/?([a-z0-9]+)[^>]*>/g)) {
    if (tag.startsWith('</')) t.is(open.pop(), name);
    else if (name !== 'meta') open.push(name ?? '');
  }
  t.deepEqual(open, []);
});

test('a run without requests or queries has a page without broken figures', (t) => {
  const totals = { ...figures, seconds: 0, rows: 0, delays: noDelays };
  t.notRegex(encodeHtmlReport({ ...report, superTables: [], settings: [], totals }), /NaN|Infinity|undefined/);
  const none = { ...queryFigures, seconds: 0, queries: 0, delays: noDelays };
  t.notRegex(encodeHtmlReport({ ...queryReport, totals: none, parts: [] }), /NaN|Infinity|undefined/);
});

test('numbers are shortened to three digits', (t) => {
  t.deepEqual([0, 0.25, 999, 1234.4, 12_345, 1_234_567, 2.5e9].map(shortNumber), [
    '0',
    '0.25',
    '999',
    '1234',
    '12.3 k',
    '1.23 M',
    '2.5 G',
  ]);
});

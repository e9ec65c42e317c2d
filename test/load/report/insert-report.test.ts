import test from 'ava';
import type { DelayFigures, LoadFigures, LoadReport } from '../../../src/load/model/insert-report.js';
import { drawDelays, drawDelaysOverTime, drawRates, shortNumber } from '../../../src/load/report/charts.js';
import { compareReports, comparisonLines } from '../../../src/load/report/comparison.js';
import { encodeHtmlReport, encodeJsonReport } from '../../../src/load/report/insert-report.js';

const noDelays: DelayFigures = { min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0, buckets: [] };
const delays: DelayFigures = {
  min: 1,
  mean: 3.5,
  p50: 2,
  p90: 8,
  p95: 8,
  p99: 16,
  max: 15.25,
  buckets: [1, 2, 4, 8, 16].map((upToMs, i) => ({ upToMs, count: i * 10 })),
};
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
  version: '1.2.3',
  startedMs: 1_700_000_000_000,
  endedMs: 1_700_000_002_500,
  outcome: 'failed',
  failure: 'table "<d0>" does not exist',
  environment: [{ name: 'Node.js', value: '20.19.0' }],
  settings: [{ name: 'database', value: `a&b'c"` }],
  totals: figures,
  rates: [
    { atSeconds: 1, seconds: 1, rows: 400_000, failedRows: 0, answered: 40, delaysMs: 80 },
    { atSeconds: 2, seconds: 1, rows: 600_000, failedRows: 7, answered: 60, delaysMs: 240 },
  ],
  superTables: [{ database: 'test', name: 'meters', mode: 'taosc', subTables: 10, threads: 8, figures }],
};

test('the JSON report is the report itself', (t) => {
  t.deepEqual(JSON.parse(encodeJsonReport(report)), JSON.parse(JSON.stringify(report)));
});

test('the page has the figures, and everything else escaped', (t) => {
  const page = encodeHtmlReport(report);
  t.true(page.includes('<dd>1 M</dd>'));
  t.true(page.includes('<dd>400 k</dd>'));
  t.true(page.includes('table &quot;&lt;d0&gt;&quot; does not exist'));
  t.true(page.includes('<td>a&amp;b&#39;c&quot;</td>'));
  t.true(page.includes('<td>test.meters</td>'));
  t.true(page.includes('2023-11-14 22:13:20 UTC'));
  t.false(page.includes('<d0>'));
});

test('the page needs nothing beside itself', (t) => {
  const page = encodeHtmlReport(report);
  t.notRegex(page, /<script|<link|src=|href=|url\(|https?:/);
});

test('every HTML tag of the report is closed', (t) => {
  const open: string[] = [];
  for (const [tag, name] of encodeHtmlReport(report).matchAll(/<\/?([a-z0-9]+)[^>]*>/g)) {
    if (tag.startsWith('</')) t.is(open.pop(), name);
    else if (!tag.endsWith('/>') && name !== 'meta') open.push(name ?? '');
  }
  t.deepEqual(open, []);
});

test('rates are drawn from the begin to the end of what they were counted over', (t) => {
  const [, points] = /points="([^"]*)"/.exec(drawRates(report.rates, 'Rows')) ?? [];
  t.deepEqual(
    points?.split(' ').map((point) => Number(point.split(',')[0])),
    [64, 386, 386, 708],
  );
  const heights = points?.split(' ').map((point) => Number(point.split(',')[1]));
  // 600,000 is the topmost of the round numbers 0, 200,000, 400,000 and 600,000.
  t.deepEqual(heights?.slice(2), [12, 12]);
});

test('delays are drawn as bars, with marks at percentiles', (t) => {
  const drawn = drawDelays(delays, 'requests');
  t.is([...drawn.matchAll(/<rect /g)].length, 5);
  t.true(drawn.includes('up to 16 ms: 40 requests'));
  t.true(drawn.includes('p50') && drawn.includes('p99'));
});

test('labels of bars stand at the edges that they name, and marks within their bar', (t) => {
  const drawn = drawDelays({ ...delays, p50: 4, p99: Math.SQRT2 * 8 }, 'requests');
  const width = (720 - 64 - 12) / 5;
  const xOf = (text: string) => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${text}<`).exec(drawn)?.[1]);
  t.is(xOf('2 ms'), Number((64 + 2 * width).toFixed(1)), 'the end of the second bar');
  t.is(xOf('p50') - 4, Number((64 + 3 * width).toFixed(1)), 'the end of the bar up to 4 ms');
  t.true(Math.abs(xOf('p99') - 4 - (64 + 4.5 * width)) < 0.11, 'half the way, by factors, from 8 to 16 ms');
});

test('delays over time are those of what was answered then', (t) => {
  const [, points] = /points="([^"]*)"/.exec(drawDelaysOverTime(report.rates, 'requests')) ?? [];
  const heights = points?.split(' ').map((point) => Number(point.split(',')[1]));
  // Means are 2 and 4 ms, of an axis up to 4.
  t.deepEqual(
    heights,
    [108, 108, 12, 12].map((y) => (y === 108 ? 12 + 192 / 2 : y)),
  );
});

test('two reports are compared figure by figure, and what they ran on', (t) => {
  const before = { ...report, totals: { ...figures, seconds: 5 }, environment: [{ name: 'Node.js', value: '18.0.0' }] };
  const compared = compareReports(JSON.parse(encodeJsonReport(before)), report);
  if (typeof compared === 'string') return t.fail(compared);
  t.deepEqual(compared.figures[0], { name: 'Rows/s', before: 200_000, after: 400_000, percent: 100 });
  t.deepEqual(comparisonLines(compared).slice(0, 2), [
    'Compared with the run of 2023-11-14T22:13:20.000Z:',
    '  Rows/s: 400000, was 200000 (+100.0 %)',
  ]);
  t.is(comparisonLines(compared).at(-1), '  another Node.js: 18.0.0 → 20.19.0');
  const page = encodeHtmlReport(report, compared);
  t.true(page.includes('<td>Rows/s</td><td>200000</td><td>400000</td><td>+100.0 %</td>'));
  for (const other of [undefined, 7, {}, { totals: { seconds: 1, queries: 3 } }]) {
    t.is(typeof compareReports(other, report), 'string');
  }
});

test('long runs are drawn with as many points as can be seen', (t) => {
  const rates = Array.from({ length: 50_000 }, (_, i) => ({
    atSeconds: i + 1,
    seconds: 1,
    rows: 10,
    failedRows: 0,
    answered: 1,
    delaysMs: 5,
  }));
  t.true(drawRates(rates, 'Rows').length < 60_000);
  const buckets = Array.from({ length: 5000 }, (_, i) => ({ upToMs: i + 1, count: 1 }));
  t.true(drawDelays({ ...delays, buckets }, 'requests').length < 30_000);
});

test('a run without requests has empty charts, not broken ones', (t) => {
  const page = encodeHtmlReport({
    ...report,
    rates: [],
    superTables: [],
    settings: [],
    totals: { ...figures, seconds: 0, rows: 0, delays: noDelays },
  });
  t.notRegex(page, /NaN|Infinity|undefined/);
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

import test from 'ava';
import type { NativeHistogram } from '../../src/promql/native-histogram.js';
import { QueryError } from '../../src/promql/query-error.js';
import { linesOf, resultOf, sourceOf } from '../support/promql/evaluated.js';
import { MemorySource } from '../support/promql/memory-source.js';

/** Ten samples of three series, one each 10 s. */
const requests = sourceOf(
  10,
  'requests_total{job="a",code="200"} 0 10 20 30 40 50 60 70 80 90',
  'requests_total{job="a",code="500"} 0 1 2 3 4 5 6 7 8 9',
  'requests_total{job="b",code="200"} 0 20 40 60 80 10 30 50 70 90',
);

test('a selector gives the last sample within the lookback', async (t) => {
  const source = sourceOf(10, 'm 1 2 3');
  t.deepEqual(await linesOf('m', source, { at: 25 }), ['m{} 3']);
  t.deepEqual(await linesOf('m', source, { at: 319.999 }), ['m{} 3']);
  // A sample that is exactly as old as the lookback is no longer seen.
  t.deepEqual(await linesOf('m', source, { at: 320 }), []);
  t.deepEqual(await linesOf('m offset 10s', source, { at: 20 }), ['m{} 2']);
  t.deepEqual(await linesOf('m offset -10s', source, { at: 0 }), ['m{} 2']);
  t.deepEqual(await linesOf('m @ 10', source, { at: 9999 }), ['m{} 2']);
});

test('a stale marker ends a series until its next sample', async (t) => {
  const source = sourceOf(10, 'm 1 stale 3');
  t.deepEqual(await linesOf('m', source, { range: [0, 30, 5] }), ['m{} 1@0 1@5 3@20 3@25 3@30']);
  t.deepEqual(await linesOf('count_over_time(m[1m])', source, { at: 20 }), ['{} 2']);
});

test('ranges are open on the left', async (t) => {
  const source = sourceOf(10, 'm 1 2 3 4');
  t.deepEqual(await linesOf('m[20s]', source, { at: 30 }), ['m{} 3@20 4@30']);
  t.deepEqual(await linesOf('sum_over_time(m[20s])', source, { at: 30 }), ['{} 7']);
});

test('rates are extrapolated to the ends of the range', async (t) => {
  t.deepEqual(await linesOf('rate(requests_total{code="500"}[50s])', requests, { at: 90 }), [
    '{code="500", job="a"} 0.1',
  ]);
  t.deepEqual(await linesOf('increase(requests_total{job="b"}[1m])', requests, { at: 60 }), [
    // Of 20 to 80 and of 0 to 30 after the reset, over 50 of 60 seconds.
    '{code="200", job="b"} 108',
  ]);
  t.deepEqual(await linesOf('irate(requests_total{job="b"}[1m])', requests, { at: 50 }), ['{code="200", job="b"} 1']);
  t.deepEqual(await linesOf('resets(requests_total{job="b"}[2m])', requests, { at: 90 }), ['{code="200", job="b"} 1']);
});

test('aggregations group by labels', async (t) => {
  const at = { at: 20 };
  t.deepEqual(await linesOf('sum(requests_total)', requests, at), ['{} 62']);
  t.deepEqual(await linesOf('sum by (job) (requests_total)', requests, at), ['{job="a"} 22', '{job="b"} 40']);
  t.deepEqual(await linesOf('avg without (job) (requests_total)', requests, at), ['{code="200"} 30', '{code="500"} 2']);
  t.deepEqual(await linesOf('count by (code) (requests_total)', requests, at), ['{code="200"} 2', '{code="500"} 1']);
  t.deepEqual(await linesOf('quantile(0.5, requests_total)', requests, at), ['{} 20']);
  t.deepEqual(await linesOf('stdvar(requests_total{code="200"})', requests, at), ['{} 100']);
  t.deepEqual(await linesOf('topk(1, requests_total)', requests, at), ['requests_total{code="200", job="b"} 40']);
  t.deepEqual(await linesOf('bottomk(2, requests_total)', requests, at), [
    'requests_total{code="500", job="a"} 2',
    'requests_total{code="200", job="a"} 20',
  ]);
  t.deepEqual(await linesOf('count_values("v", requests_total > 15)', requests, at), ['{v="20"} 1', '{v="40"} 1']);
});

test('topk chooses at each step of a range', async (t) => {
  const source = sourceOf(10, 'm{s="a"} 1 5', 'm{s="b"} 2 4');
  t.deepEqual(await linesOf('topk(1, m)', source, { range: [0, 10, 10] }), ['m{s="a"} 5@10', 'm{s="b"} 2@0']);
});

test('sums do not lose small numbers beside large ones', async (t) => {
  const source = sourceOf(10, 'm{s="a"} 1e100', 'm{s="b"} 1', 'm{s="c"} -1e100');
  t.deepEqual(await linesOf('sum(m)', source), ['{} 1']);
  t.deepEqual(await linesOf('avg(vector(1.7e308) or m)', sourceOf(10, 'm 1.7e308')), ['{} 1.7e+308']);
});

test('operators bring series together by their labels', async (t) => {
  const at = { at: 20 };
  const share = 'requests_total{code="500"} / ignoring (code) requests_total{code="200"}';
  t.deepEqual(await linesOf(share, requests, at), ['{job="a"} 0.1']);
  const grouped = 'requests_total / on (job) group_left sum by (job) (requests_total)';
  t.deepEqual(await linesOf(grouped, requests, at), [
    '{code="200", job="a"} 0.9090909090909091',
    '{code="500", job="a"} 0.09090909090909091',
    '{code="200", job="b"} 1',
  ]);
  t.deepEqual(await linesOf('requests_total > 15', requests, at), [
    'requests_total{code="200", job="a"} 20',
    'requests_total{code="200", job="b"} 40',
  ]);
  t.deepEqual(await linesOf('30 > bool sum by (job) (requests_total)', requests, at), ['{job="a"} 1', '{job="b"} 0']);
  t.deepEqual(await linesOf('1 + 2 * 3 ^ 2', requests, at), ['19']);
  t.deepEqual(await linesOf('-5 % 3', requests, at), ['-2']);
});

test('ambiguous series are refused with their labels', async (t) => {
  const error = await t.throwsAsync(linesOf('requests_total / on (job) requests_total', requests, { at: 20 }), {
    instanceOf: QueryError,
  });
  t.regex(error.message, /^found duplicate series for the match group \{job="a"\} on the right hand-side/);
  const many = linesOf('requests_total / on (job) sum by (job) (requests_total)', requests, { at: 20 });
  t.regex((await t.throwsAsync(many)).message, /many-to-one matching must be explicit/);
  const twins = linesOf('rate({job="a"}[1m])', sourceOf(10, 'x{job="a"} 1 2', 'y{job="a"} 1 2'), { at: 10 });
  t.is((await t.throwsAsync(twins)).message, 'vector cannot contain metrics with the same labelset');
});

test('set operators compare labels alone', async (t) => {
  const source = sourceOf(10, 'm{s="a"} 1', 'm{s="b"} 2', 'n{s="b"} 3', 'n{s="c"} 4');
  t.deepEqual(await linesOf('m and on (s) n', source), ['m{s="b"} 2']);
  t.deepEqual(await linesOf('m unless on (s) n', source), ['m{s="a"} 1']);
  t.deepEqual(await linesOf('m or on (s) n', source), ['m{s="a"} 1', 'm{s="b"} 2', 'n{s="c"} 4']);
});

test('a subquery is evaluated at multiples of its step', async (t) => {
  const lines = await linesOf('sum(requests_total)[30s:15s]', requests, { at: 50 });
  t.deepEqual(lines, ['{} 93@30 124@45']);
  t.deepEqual(await linesOf('max_over_time(sum(requests_total)[1m:10s])', requests, { at: 50 }), ['{} 124']);
});

test('expressions that are pinned have one value at all steps', async (t) => {
  const lines = await linesOf('sum(requests_total @ 20) + sum(requests_total @ end())', requests, {
    range: [0, 90, 45],
  });
  t.deepEqual(lines, ['{} 251@0 251@45 251@90']);
});

test('histogram_quantile interpolates within classic buckets', async (t) => {
  const source = sourceOf(
    10,
    'h_bucket{le="0.1"} 10',
    'h_bucket{le="0.5"} 30',
    'h_bucket{le="1"} 40',
    'h_bucket{le="+Inf"} 40',
  );
  t.deepEqual(await linesOf('histogram_quantile(0.5, h_bucket)', source), ['{} 0.30000000000000004']);
  t.deepEqual(await linesOf('histogram_quantile(1, h_bucket)', source), ['{} 1']);
  t.deepEqual(await linesOf('histogram_fraction(0, 0.5, h_bucket)', source), ['{} 0.75']);
  const { warnings } = await resultOf('histogram_quantile(2, h_bucket)', source);
  t.deepEqual(warnings, ['PromQL warning: quantile value should be between 0 and 1, got 2 (1:20)']);
});

test('functions of labels', async (t) => {
  const source = sourceOf(10, 'm{s="web-1",r="x"} 5');
  t.deepEqual(await linesOf(`label_replace(m, "n", "\${1}!", "s", "web-(.*)")`, source), [
    'm{n="1!", r="x", s="web-1"} 5',
  ]);
  t.deepEqual(await linesOf('label_replace(m, "n", "$1", "s", "db-(.*)")', source), ['m{r="x", s="web-1"} 5']);
  t.deepEqual(await linesOf('label_join(m, "n", "/", "s", "r")', source), ['m{n="web-1/x", r="x", s="web-1"} 5']);
  const wrong = linesOf('label_replace(m, "n", "", "s", "(")', source);
  t.is((await t.throwsAsync(wrong)).message, 'invalid regular expression in label_replace(): (');
});

test('a regular expression takes linear time', async (t) => {
  const source = sourceOf(10, `m{s="${'a'.repeat(5_000)}b"} 5`);
  t.is((await linesOf('label_replace(m, "n", "x", "s", "(a*)*(a*)*(a|aa)*c")', source)).length, 1);
});

test('absent says what is not there', async (t) => {
  const source = sourceOf(10, 'm{s="a"} 1');
  t.deepEqual(await linesOf('absent(m)', source), []);
  t.deepEqual(await linesOf('absent(n{s="a",r=~"x|y"})', source), ['{s="a"} 1']);
  t.deepEqual(await linesOf('absent_over_time(m[20s])', source, { range: [0, 60, 20] }), ['{} 1@20 1@40 1@60']);
});

test('functions of dates read Unix seconds', async (t) => {
  const at = { at: 1_709_210_096 };
  const source = sourceOf(10);
  // 2024-02-29 12:34:56 UTC, a Thursday.
  t.deepEqual(await linesOf('year() * 10000 + month() * 100 + day_of_month()', source, at), ['{} 20240229']);
  t.deepEqual(await linesOf('hour() * 100 + minute()', source, at), ['{} 1234']);
  t.deepEqual(await linesOf('day_of_week() + day_of_year() * 10 + days_in_month() * 10000', source, at), ['{} 290604']);
  t.deepEqual(await linesOf('timestamp(vector(1)) - time()', source, at), ['{} 0']);
});

test('a series of the other type of query is refused', async (t) => {
  const range = { range: [0, 10, 5] } as const;
  t.regex(
    (await t.throwsAsync(linesOf('m[5m]', sourceOf(10), range))).message,
    /invalid expression type "range vector"/,
  );
  t.deepEqual(await linesOf('"text"', sourceOf(10)), ['text']);
});

test('info adds the labels of target_info', async (t) => {
  const source = sourceOf(
    10,
    'm{instance="i",job="j"} 1 2',
    'm{instance="k",job="j"} 3 4',
    'target_info{instance="i",job="j",version="1"} 1 1',
  );
  t.deepEqual(await linesOf('info(m)', source, { at: 10 }), [
    'm{instance="i", job="j", version="1"} 2',
    'm{instance="k", job="j"} 4',
  ]);
  t.deepEqual(await linesOf('info(m, {version=~".+"})', source, { at: 10 }), [
    'm{instance="i", job="j", version="1"} 2',
  ]);
});

test('a hint says that a name is not one of a counter', async (t) => {
  const { infos } = await resultOf('rate(m[1m])', sourceOf(10, 'm 1 2 3'), { at: 20 });
  const text = 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "m"';
  t.deepEqual(infos, [`PromQL info: ${text} (1:6)`]);
});

test('a mix of classic and native histograms names the metric', async (t) => {
  const native: NativeHistogram = {
    schema: 0,
    count: 3,
    sum: 5,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: { indexes: [0, 1], counts: [1, 2] },
    negative: { indexes: [], counts: [] },
    customValues: [],
    resetHint: 'unknown',
  };
  const source = new MemorySource([
    { labels: { __name__: 'm' }, samples: [[0, native]] },
    { labels: { __name__: 'm', le: '1' }, samples: [[0, 1]] },
    { labels: { __name__: 'm', le: '+Inf' }, samples: [[0, 2]] },
  ]);
  const { warnings } = await resultOf('histogram_quantile(0.8, m)', source);
  t.deepEqual(warnings, [
    'PromQL warning: vector contains a mix of classic and native histograms for metric name "m" (1:25)',
  ]);
});

test('a window gives the same whatever windows came before it', async (t) => {
  const source = sourceOf(10, 'm 5 1 4 4 NaN NaN 3 9 2 2 _ 9 8 Inf 1 0 7 7 3 stale 4 1e300 1e300 2');
  const functions = ['rate', 'increase', 'min', 'max', 'ts_of_min', 'ts_of_max', 'sum', 'avg'].map((name) =>
    name === 'rate' || name === 'increase' ? name : `${name}_over_time`,
  );
  for (const name of functions) {
    const query = `${name}(m[40s])`;
    const [line = ''] = await linesOf(query, source, { range: [0, 230, 10] });
    const expected: string[] = [];
    for (let at = 0; at <= 230; at += 10) {
      for (const each of await linesOf(query, source, { at })) expected.push(`${each.split(' ')[1]}@${at}`);
    }
    t.deepEqual(line.split(' ').slice(1), expected, query);
  }
});

test('of equal numbers topk takes the earlier series, and NaN last', async (t) => {
  const source = sourceOf(10, 'm{s="a"} 1 NaN', 'm{s="b"} 2 1', 'm{s="c"} 2 1', 'm{s="d"} NaN 0');
  t.deepEqual(await linesOf('topk(2, m)', source, { at: 0 }), ['m{s="b"} 2', 'm{s="c"} 2']);
  t.deepEqual(await linesOf('bottomk(3, m)', source, { at: 0 }), ['m{s="a"} 1', 'm{s="b"} 2', 'm{s="c"} 2']);
  t.deepEqual(await linesOf('topk(4, m)', source, { at: 10 }), [
    'm{s="b"} 1',
    'm{s="c"} 1',
    'm{s="d"} 0',
    'm{s="a"} NaN',
  ]);
  t.deepEqual(await linesOf('topk(scalar(m{s="b"}), m)', source, { range: [0, 10, 10] }), [
    'm{s="b"} 2@0 1@10',
    'm{s="c"} 2@0',
  ]);
});

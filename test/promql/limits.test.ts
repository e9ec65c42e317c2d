import test from 'ava';
import { QueryError } from '../../src/promql/query-error.js';
import { linesOf, resultOf, sourceOf } from '../support/promql/evaluated.js';

const many = sourceOf(10, ...Array.from({ length: 50 }, (_, i) => `m{s="${i}"} ${'1 '.repeat(20)}`));

test('a query that selects too many series is refused', async (t) => {
  const error = await t.throwsAsync(linesOf('sum(m)', many, { limits: { series: 49 } }), { instanceOf: QueryError });
  t.is(error.kind, 'execution');
  t.regex(error.message, /more than 49 series/);
});

test('a query that holds too many samples is refused', async (t) => {
  const range = [0, 1000, 10] as const;
  const error = await t.throwsAsync(linesOf('m', many, { range, limits: { samples: 4_000 } }), {
    instanceOf: QueryError,
  });
  t.regex(error.message, /too many samples into memory/);
  t.is((await linesOf('sum(m)', many, { range, limits: { samples: 20_000 } })).length, 1);
});

test('samples of parts that are done are no longer counted', async (t) => {
  const sum = Array.from({ length: 40 }, () => 'sum(m)').join(' + ');
  const { peakSamples, readSamples } = await resultOf(sum, many, { at: 190, limits: { samples: 1_300 } });
  t.true(peakSamples < 1_300, `${peakSamples}`);
  t.true(readSamples > 10_000, `${readSamples}`);
});

test('a query with too many steps is refused', async (t) => {
  const error = await t.throwsAsync(linesOf('m', many, { range: [0, 11_000, 1] }), { instanceOf: QueryError });
  t.is(error.kind, 'bad_data');
  t.regex(error.message, /^exceeded maximum resolution of 11,000 points per timeseries/);
  const nested = linesOf('max_over_time(sum(m)[10y:1s])', many, { at: 100 });
  t.regex((await t.throwsAsync(nested)).message, /a subquery has at most 1000000 steps; this one has 3153/);
});

test('a query ends when its time is over, also within one function', async (t) => {
  const long = sourceOf(0.01, `m ${'1 2 '.repeat(10_000)}`);
  const controller = new AbortController();
  const slow = linesOf('quantile_over_time(0.5, m[1h])', long, { range: [0, 10_000, 1], signal: controller.signal });
  setImmediate(() => controller.abort(new QueryError('timeout', 'query timed out')));
  t.is((await t.throwsAsync(slow)).message, 'query timed out');
});

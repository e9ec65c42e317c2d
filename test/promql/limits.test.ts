import test from 'ava';
import { parseQuery } from '../../src/promql/language/parse.js';
import { patternWeight } from '../../src/promql/pattern-weight.js';
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

test('a regular expression that would grow large is refused, and a long one is not kept', (t) => {
  const error = t.throws(() => parseQuery(`m{s=~"${'(?:[a-z0-9]{1,500}x){0,2}'.repeat(500)}"}`));
  t.regex(error.message, /a regular expression is too large with its repeats: its size is about 505000 of 20000/);
  t.regex(t.throws(() => parseQuery(`m{s=~"${'a'.repeat(20_000)}"}`)).message, /at most 16384 characters/);
  t.notThrows(() => parseQuery(`m{s=~"${Array.from({ length: 1_000 }, (_, i) => `host-${i}`).join('|')}"}`));
});

const repeats: readonly (readonly [pattern: string, weight: number])[] = [
  ['abc', 3],
  ['a{3}', 3],
  ['a{2,5}b', 6],
  ['(?:ab){10}', 60],
  ['((a{10}){10}){10}', 1_220],
  ['[]a-z{5}]{4}', 4],
  ['\\p{L}x', 4],
  ['a{,5}', 5],
  ['a{', 2],
  ['(', 0],
];

for (const [pattern, weight] of repeats) {
  test(`the size of ${pattern} is estimated`, (t) => {
    t.true(Math.abs(patternWeight(pattern) - weight) <= weight / 2, `${patternWeight(pattern)}`);
  });
}

test('texts that are far from the grammar are refused soon', (t) => {
  for (const text of ['a{b="', 'a +', '-', '(', 'sum by (a) (', 'a ', '[5m:]', '5. ', "'", '#', '{}', 'a[5m] @ ']) {
    t.throws(() => parseQuery(text.repeat(65_536 / text.length)), { instanceOf: QueryError }, text);
  }
});

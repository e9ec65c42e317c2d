import test from 'ava';
import fc from 'fast-check';
import { type DataType, dataType, type TableDef } from '../../../src/model/schema.js';
import type { LabelMatcher, SeriesQuery } from '../../../src/model/series-query.js';
import { checkPattern, planSeries, seriesTable } from '../../../src/sql/plan/labelled-series.js';
import { tableOf } from '../../support/blocks/blocks.js';

function metrics(value: DataType, tag = dataType('JSON')): TableDef {
  return { ...tableOf('metrics', { v: value }), tags: [{ name: 'labels', type: tag, physical: 'c2' }] };
}

const table = seriesTable(metrics(dataType('DOUBLE')), 'v', 1_000_000n)!;
const query: SeriesQuery = { startMs: 1n, endMs: 2n, matchers: [] };

/** A statement with every literal of the engine taken out; throws when a quote is left open. */
function withoutLiterals(sql: string): string {
  const bare = sql.replace(/'(?:[^'\\]|\\[\s\S])*'/g, '?');
  if (bare.includes("'")) throw new Error(bare);
  return bare;
}

test('a table of series has a JSON tag and numbers as values', (t) => {
  t.truthy(seriesTable(metrics(dataType('FLOAT')), 'v', 1n));
  t.truthy(seriesTable(metrics(dataType('TINYINT UNSIGNED')), 'v', 1n));
  t.is(seriesTable(metrics(dataType('VARCHAR', 8)), 'v', 1n), undefined);
  t.is(seriesTable(metrics(dataType('DOUBLE')), 'w', 1n), undefined);
  t.is(seriesTable(metrics(dataType('DOUBLE'), dataType('NCHAR', 8)), 'v', 1n), undefined);
  t.is(seriesTable({ ...metrics(dataType('DOUBLE')), tagStorage: undefined }, 'v', 1n), undefined);
});

test('the range is that of all ticks in its milliseconds, cut to 64 bits, and an empty one needs no statement', (t) => {
  const range = (startMs: bigint, endMs: bigint): string | undefined =>
    /BETWEEN (.*?) AND (.*?\))/
      .exec(planSeries(table, { ...query, startMs, endMs }, -1)?.samples.statement ?? '')
      ?.slice(1)
      .join(' ');
  const max = 2n ** 63n - 1n;
  t.is(range(1n, 2n), 'toInt64(1000000) toInt64(2999999)');
  t.is(range(-2n, -1n), "toInt64('-2000000') toInt64('-1')");
  t.is(range(-max, max), `toInt64('${-max - 1n}') toInt64(${max})`);
  t.is(range(2n, 1n), undefined);
  t.is(range(max, max), undefined);
  t.is(range(-max, -max), undefined);
});

test('a row limit bounds the samples alone', (t) => {
  t.regex(planSeries(table, query, 7)?.samples.statement ?? '', / LIMIT 7 SETTINGS /);
  t.notRegex(planSeries(table, query, 7)?.series.statement ?? '', /LIMIT/);
  t.notRegex(planSeries(table, query, -1)?.samples.statement ?? '', /LIMIT/);
});

test('names and values of matchers are literals, whatever they are, and change nothing else in a statement', (t) => {
  const kind = fc.constantFrom<LabelMatcher['kind'][]>('equal', 'not-equal', 'match', 'not-match');
  const nasty = fc
    .array(fc.constantFrom("'", '\\', '"', '`', '\0', '\n', ';', '--', '/*', ')', '{', '}', ' OR ', 'x', 'ü', '😀'))
    .map((parts) => parts.join(''));
  const text = fc.oneof(nasty, fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(kind, text, text, (kind, name, value) => {
      const planned = (matcher: LabelMatcher) => planSeries(table, { ...query, matchers: [matcher] }, -1)!;
      const plan = planned({ kind, name, value });
      const plain = planned({ kind, name: 'a', value: 'b' });
      t.is(withoutLiterals(plan.series.statement), withoutLiterals(plain.series.statement));
      t.is(withoutLiterals(plan.samples.statement), withoutLiterals(plain.samples.statement));
      t.is(withoutLiterals(checkPattern(value)), withoutLiterals(checkPattern('b')));
    }),
  );
});

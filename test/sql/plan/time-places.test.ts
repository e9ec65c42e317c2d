import test from 'ava';
import fc from 'fast-check';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';
import { movablePlan, movedPlan, type TimePlaces, timePlaces } from '../../../src/sql/plan/time-places.js';
import { cases } from '../../support/cases.js';
import { QueryFixture } from '../../support/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());
for (const precision of ['ms', 'us', 'ns'] as const) {
  fixture.database(precision, precision);
  fixture.superTable(
    precision,
    'm',
    ['a INT', 'b DOUBLE', 'c BIGINT', 'd VARCHAR(20)', 'e TIMESTAMP'],
    ['site VARCHAR(16)'],
  );
  fixture.subTable(precision, 'm', 'd 1700000000000', ["'north'"], []);
  fixture.subTable(precision, 'm', 'd1', ["'north'"], []);
}

function plan(sql: string, database: string): QueryPlan | string {
  try {
    return fixture.plan(sql, { database, hasShortSeries: () => true });
  } catch (error) {
    return String(error);
  }
}

function places(sql: string): TimePlaces | undefined {
  const statement = parseStatement(sql);
  return statement.kind === 'query' ? timePlaces(statement.query, sql) : undefined;
}

const select = fc.constantFrom(
  'MAX(a)',
  'AVG(b), SUM(a), COUNT(*)',
  'LAST(a), LAST(ts)',
  '_rowts, a, b',
  '*',
  'DIFF(a)',
  'a + 1700000000000 AS x, tbname, site',
  'FIRST(ts), TWA(b)',
  '_qstart, MAX(a), _qend, _qduration',
  "DISTINCT d, 'text'",
  'NOW(), a',
);
const column = fc.constantFrom(
  'ts',
  'ts',
  'ts',
  'ts',
  'ts',
  '_rowts',
  '_rowts',
  '`ts`',
  'a',
  'b',
  'c',
  'd',
  'e',
  '_c0',
  'ts + 1',
  'tbname',
);
const time = fc.oneof(
  { weight: 6, arbitrary: fc.constant('T') },
  fc.constantFrom('-T', "'T'", "'2023-11-14 22:13:20'", 'T + 1', '5', 'NOW() - 1h'),
);
const term = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(column, fc.constantFrom('<', '<=', '>', '>=', '=', '<>'), time).map((all) => all.join(' ')),
  },
  fc.tuple(column, time, time).map(([name, low, high]) => `${name} BETWEEN ${low} AND ${high}`),
  fc.tuple(time, column).map(([low, name]) => `${low} < ${name}`),
  fc.constantFrom(
    'a > 3',
    'a IS NULL',
    "site = 'north'",
    'ts IN (T, T)',
    '(ts > T OR a = 1)',
    'NOT ts > T',
    "d LIKE '%T%'",
  ),
);
const from = fc.constantFrom(
  'd1',
  'd1',
  'd1',
  'd1',
  '`d 1700000000000`',
  'd1 AS t1',
  'm',
  '(SELECT * FROM d1 WHERE ts > T)',
  'd1 x JOIN d1 y ON x.ts = y.ts',
);
const rest = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  ' ORDER BY ts DESC LIMIT 3',
  ' INTERVAL(1m)',
  ' GROUP BY a',
  ' PARTITION BY tbname',
  ' LIMIT 1700000000000',
  ' HAVING MAX(a) > T',
  ' INTERVAL(1m) FILL(PREV)',
);
const numbers = (length: number): fc.Arbitrary<string> =>
  fc.bigInt({ min: 10n ** BigInt(length - 1), max: 10n ** BigInt(length) - 1n }).map(String);
/** Two times with as many digits. */
const pair = fc
  .constantFrom(13, 13, 13, 13, 16, 19, 9, 10, 12, 18, 20)
  .chain((length) => fc.tuple(numbers(length), numbers(length)));

/** A question with places for times, and two lists of times for them. */
const question = fc.tuple(
  select,
  from,
  fc.array(term, { minLength: 1, maxLength: 3 }),
  rest,
  fc.array(pair, { minLength: 9, maxLength: 9 }),
);

function written(text: string, times: readonly string[]): string {
  let at = 0;
  return text.replaceAll(/\bT\b/g, () => times[at++] ?? '');
}

test('a plan that was moved to other times is the one that is made for them', (t) => {
  let moved = 0;
  fc.assert(
    fc.property(question, fc.constantFrom('ms', 'us', 'ns'), ([items, table, terms, end, pairs], database) => {
      const text = `SELECT ${items} FROM ${table} WHERE ${terms.join(' AND ')}${end}`;
      const one = written(
        text,
        pairs.map(([time]) => time),
      );
      const other = written(
        text,
        pairs.map(([, time]) => time),
      );
      const known = plan(one, database);
      if (typeof known === 'string') return;
      const [from, to] = [places(one), places(other)];
      if (from === undefined || to === undefined || from.shape !== to.shape) return;
      const movable = movablePlan(known, from.times);
      if (movable === undefined) return;
      moved++;
      t.deepEqual(movedPlan(movable, to.times), plan(other, database), other);
    }),
    { numRuns: cases(4_000, 60_000) },
  );
  t.true(moved > 100, String(moved));
});

test('what dashboards ask of one device is planned once', (t) => {
  const [one, other] = ['1700000000000', '1700000600000'];
  const questions = [
    'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T',
    'SELECT ts, a, b FROM d1 WHERE ts BETWEEN T AND T ORDER BY ts',
    'SELECT LAST(a) FROM d1 WHERE ts > T',
  ];
  for (const text of questions) {
    const from = places(written(text, [one, other]));
    const to = places(written(text, [other, '1700001200000']));
    t.is(from?.shape, to?.shape);
    const known = fixture.plan(written(text, [one, other]), { database: 'ms' });
    t.truthy(movablePlan(known, from?.times ?? []), text);
  }
  const others = [
    'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T INTERVAL(1m)',
    'SELECT _qstart, MAX(a) FROM d1 WHERE ts >= T',
    'SELECT MAX(a) FROM d1 WHERE ts >= 5',
    "SELECT MAX(a) FROM d1 WHERE ts >= '2023-11-14 22:13:20'",
    'SELECT MAX(a) FROM d1',
    'SELECT x.a FROM d1 x JOIN d1 y ON x.ts = y.ts WHERE x.ts > T',
  ];
  for (const text of others) t.is(places(written(text, [one, other])), undefined, text);
  // Of many series, and with the same time twice.
  for (const text of ['SELECT MAX(a) FROM m WHERE ts >= T', `SELECT MAX(a) FROM d1 WHERE ts >= T AND ts <= ${one}`]) {
    const sql = written(text, [one]);
    t.is(movablePlan(fixture.plan(sql, { database: 'ms' }), places(sql)?.times ?? []), undefined, text);
  }
});

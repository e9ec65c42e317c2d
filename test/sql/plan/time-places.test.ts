import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';
import { movablePlan, movedPlan, type TimePlaces, timePlaces } from '../../../src/sql/plan/time-places.js';
import { cases } from '../../support/cases.js';
import { QueryFixture } from '../../support/engine/query-fixture.js';

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
    return fixture.plan(sql, { database, connectionZone: 'Europe/Berlin', hasShortSeries: () => true });
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
  { weight: 3, arbitrary: fc.constant("'D'") },
  fc.constantFrom('-T', "'T'", "'2023-11-14 22:13:20'", 'T + 1', '5', 'NOW() - 1h', "TIMESTAMP 'D'", "'D' + 1s"),
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
    '(ts > T OR ts < T)',
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
  ' INTERVAL(10s) FILL(LINEAR)',
  ' PARTITION BY tbname INTERVAL(1h) FILL(VALUE_F, 1)',
  ' INTERVAL(1d, 2h)',
  ' INTERVAL(1n) FILL(NULL)',
  ' INTERVAL(1m, AUTO)',
  ' INTERVAL(1m) SLIDING(10s) FILL(NEXT)',
  ' INTERVAL(1m) FILL(PREV) ORDER BY _wstart DESC LIMIT 5',
  ' SESSION(ts, 1m)',
);
/** Times of a few hours, over which windows may be filled. */
const close = fc.nat(20_000_000).map((ms) => 1_698_526_800_000 + ms);
const numbers = (length: number): fc.Arbitrary<string> =>
  fc.bigInt({ min: 10n ** BigInt(length - 1), max: 10n ** BigInt(length) - 1n }).map(String);
/** Two times with as many digits. */
const pair = fc.oneof(
  fc.tuple(close.map(String), close.map(String)),
  fc
    .constantFrom(13, 13, 13, 13, 16, 19, 9, 10, 12, 18, 20)
    .chain((length) => fc.tuple(numbers(length), numbers(length))),
);
const date = fc.oneof(
  close.map((ms) => new Date(ms).toISOString()),
  close.map((ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')),
  fc.constantFrom('2023-10-29', '1960-05-06', '1970-01-01 00:00:01', '2023-10-29 02:30:00', '2023-99-99', '2600-01-01'),
);

/** A question with places for times, and two lists of times for them. */
const question = fc.tuple(
  select,
  from,
  fc.array(term, { minLength: 1, maxLength: 3 }),
  rest,
  fc.array(pair, { minLength: 9, maxLength: 9 }),
  fc.array(fc.tuple(date, date), { minLength: 9, maxLength: 9 }),
);

function written(text: string, times: readonly string[], dates: readonly string[] = []): string {
  const [ofTimes, ofDates] = [times.values(), dates.values()];
  return text.replaceAll(/\b[TD]\b/g, (mark) => (mark === 'T' ? ofTimes : ofDates).next().value ?? '');
}

/** A plan as far as it is sent. */
function sent(plan: QueryPlan | string | undefined): QueryPlan | string | undefined {
  return typeof plan === 'object' ? { ...plan, windows: undefined } : plan;
}

/** What dashboards ask of one device in windows. */
const inWindows = fc.tuple(
  fc.constantFrom('AVG(b), MAX(a)', '_wstart, _wend, COUNT(*)', '_wstart, LAST(d), TWA(b)', 'FIRST(ts), SUM(c)'),
  fc.constantFrom('d1', "m WHERE site = 'north' AND"),
  fc.constantFrom(
    ['ts >= T', 'ts < T'],
    ["ts > 'D'", "ts <= 'D'"],
    ['ts BETWEEN T AND T', 'a > 3'],
    ["_rowts < 'D'", "ts > 'D'", "site = 'north'"],
    ['ts >= T'],
  ),
  fc
    .tuple(
      fc.constantFrom('1m', '10s', '1h', '1d', '1n', '1d, 2h', '1w', '1m) SLIDING(10s'),
      fc.constantFrom('', 'PREV', 'NULL', 'LINEAR', 'VALUE, 1, 2, 3', 'NULL_F'),
      fc.constantFrom('', ' ORDER BY 1 DESC LIMIT 5'),
    )
    .map(([length, mode, order]) => ` INTERVAL(${length})${mode === '' ? '' : ` FILL(${mode})`}${order}`),
  fc.array(fc.tuple(close.map(String), close.map(String)), { minLength: 2, maxLength: 2 }),
  fc.array(fc.tuple(date, date), { minLength: 2, maxLength: 2 }),
);

/** How many of the plans could be moved to other times; they are then those that are made for them. */
function checkMoved(t: ExecutionContext, questions: typeof question | typeof inWindows, numRuns: number): number {
  let moved = 0;
  const precision = fc.constantFrom('ms', 'us', 'ns');
  fc.assert(
    fc.property(questions, precision, ([items, table, terms, end, pairs, dates], database) => {
      const text = `SELECT ${items} FROM ${table}${table.endsWith('AND') ? '' : ' WHERE'} ${terms.join(' AND ')}${end}`;
      const withTimes = (at: 0 | 1): string =>
        written(
          text,
          pairs.map((pair) => pair[at]),
          dates.map((pair) => pair[at]),
        );
      const [one, other] = [withTimes(0), withTimes(1)];
      const known = plan(one, database);
      if (typeof known === 'string') return;
      const [from, to] = [places(one), places(other)];
      if (from === undefined || to === undefined || from.shape !== to.shape) return;
      const movable = movablePlan(known, from);
      const movedOne = movable && movedPlan(movable, to.times);
      if (movedOne === undefined) return;
      moved++;
      t.deepEqual(sent(movedOne), sent(plan(other, database)), other);
    }),
    { numRuns },
  );
  return moved;
}

test('a plan that was moved to other times is the one that is made for them', (t) => {
  const moved = checkMoved(t, question, cases(3_000, 6_000, 60_000));
  t.true(moved > 80, String(moved));
});

test('a plan of windows that was moved to other times is the one that is made for them', (t) => {
  const moved = checkMoved(t, inWindows, cases(300, 1_500, 20_000));
  t.true(moved > 50, String(moved));
});

test('what dashboards ask of one device is planned once', (t) => {
  const [one, other] = ['1700000000000', '1700000600000'];
  const questions = [
    'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T',
    'SELECT ts, a, b FROM d1 WHERE ts BETWEEN T AND T ORDER BY ts',
    'SELECT LAST(a) FROM d1 WHERE ts > T',
    "SELECT MAX(a) FROM d1 WHERE ts >= 'D' AND ts < 'D'",
    'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T INTERVAL(1m)',
    "SELECT _wstart, AVG(a) FROM d1 WHERE ts >= 'D' AND ts < 'D' INTERVAL(10s) FILL(PREV)",
    "SELECT MAX(a) FROM m WHERE site = 'north' AND ts >= T AND ts < T",
    "SELECT _wstart, site, AVG(a) FROM m WHERE site IN ('x', 'y') AND ts >= T AND ts < T PARTITION BY site INTERVAL(1m)",
  ];
  const [first, second] = [
    ['2023-11-14T22:13:20Z', '2023-11-14T22:23:20Z'],
    ['2023-11-14 22:23:20', '2023-11-14 22:33:20'],
  ];
  for (const text of questions) {
    const from = places(written(text, [one, other], first));
    const to = places(written(text, [other, '1700001200000'], second));
    if (from === undefined || to === undefined) return t.fail(text);
    t.is(from.shape, to.shape);
    const movable = movablePlan(fixture.plan(written(text, [one, other], first), { database: 'ms' }), from);
    t.truthy(movable && movedPlan(movable, to.times), text);
  }
  const others = [
    'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T INTERVAL(1m, AUTO)',
    'SELECT _qstart, MAX(a) FROM d1 WHERE ts >= T',
    'SELECT MAX(a) FROM d1 WHERE ts >= 5',
    "SELECT MAX(a) FROM d1 WHERE ts >= 'yesterday'",
    'SELECT MAX(a) FROM d1',
    'SELECT x.a FROM d1 x JOIN d1 y ON x.ts = y.ts WHERE x.ts > T',
    // Not between two times is no limit of windows.
    "SELECT MAX(a) FROM d1 WHERE ts NOT BETWEEN T AND T AND ts BETWEEN TIMESTAMP '2023-11-14' AND TIMESTAMP '2023-11-15' INTERVAL(1h) FILL(NULL)",
  ];
  for (const text of others) t.is(places(written(text, [one, other])), undefined, text);
  // Of many series, and with the same time twice.
  for (const text of ['SELECT MAX(a) FROM m WHERE ts >= T', `SELECT MAX(a) FROM d1 WHERE ts >= T AND ts <= ${one}`]) {
    const sql = written(text, [one]);
    const movable = places(sql);
    t.is(movable && movablePlan(fixture.plan(sql, { database: 'ms' }), movable), undefined, text);
  }
  // Where there is much to merge, the times decide which rows are.
  const part = { insert: 9, partition: '1', first: 0n, last: 1_800_000_000_000n, rows: 2_000_000, isUnique: true };
  const uniqueRows = () => ({ insert: 9, from: undefined, until: undefined, isAll: false, parts: [part, part] });
  const large = written("SELECT MAX(a) FROM m WHERE site = 'north' AND ts >= T", [one]);
  t.is(movablePlan(fixture.plan(large, { database: 'ms', uniqueRows }), places(large)!), undefined);
  // What else limits the time would count for others.
  const limited = 'SELECT MAX(a) FROM d1 WHERE ts >= T AND ts < T AND (ts < 1800000000000 OR ts < 5) INTERVAL(1m)';
  const sql = written(limited, [one, other]);
  t.is(movablePlan(fixture.plan(sql, { database: 'ms' }), places(sql)!), undefined);
});

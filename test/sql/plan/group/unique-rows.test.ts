import test from 'ava';
import fc from 'fast-check';
import type { UniqueRows } from '../../../../src/model/unique-rows.js';
import { mergedRows } from '../../../../src/sql/plan/group/unique-rows.js';
import { cases } from '../../../support/cases.js';
import { QueryFixture, type Rows } from '../../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());
fixture.database('db', 'ms');

const start = 1_700_000_000_000;
const tick = (second: number): number => start + second * 1000;
const times = { first: BigInt(tick(0)), last: BigInt(tick(100)) };
const part = { partition: 'all', insert: 1, isUnique: false, rows: 1_000_000, ...times };
const many = [part, part];

const queries = [
  'SELECT COUNT(*) FROM T',
  `SELECT COUNT(*) FROM T WHERE ts >= ${tick(20)} AND ts < ${tick(60)}`,
  'SELECT COUNT(*) + 1 AS n FROM T HAVING COUNT(*) > 0 ORDER BY n',
  "SELECT COUNT(*), MAX(b) FROM T WHERE site = 'north'",
  'SELECT COUNT(*), SUM(a), AVG(b), MAX(ts) FROM T WHERE a > 0',
  `SELECT SUM(a), SPREAD(b) FROM T WHERE ts >= ${tick(20)} AND ts < ${tick(60)}`,
  'SELECT tbname, AVG(a) AS m FROM T GROUP BY tbname ORDER BY m, tbname LIMIT 3',
  'SELECT site, COUNT(b), MIN(a) FROM T GROUP BY site',
  "SELECT tbname, LAST(a), FIRST(b), COUNT(*) FROM T WHERE site = 'north' PARTITION BY tbname",
  'SELECT tbname, LAST_ROW(ts), LAST_ROW(a) FROM T GROUP BY tbname',
  'SELECT a, COUNT(*) FROM T GROUP BY a ORDER BY a',
  `SELECT _wstart, site, SUM(a) FROM T WHERE ts >= ${tick(0)} AND ts < ${tick(100)} PARTITION BY site INTERVAL(10s) FILL(NULL)`,
  'SELECT _wstart, COUNT(*) FROM T WHERE b IS NOT NULL INTERVAL(7s)',
];

const cell = fc.oneof({ weight: 2, arbitrary: fc.integer({ min: -5, max: 5 }) }, fc.constant(null));
/** Rows of one series that come in one insert. */
const batch = fc.record({
  series: fc.nat(3),
  first: fc.nat(90),
  cells: fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }),
});

let tables = 0;

/** A table with each key once: four series take turns, and come in four inserts each that overlap in time with those of the others. */
function uniqueTable(): string {
  const name = `t${++tables}`;
  fixture.superTable('db', name, ['a INT', 'b INT'], ['site VARCHAR(16)']);
  for (let i = 0; i < 4; i++) fixture.subTable('db', name, `${name}_${i}`, [i % 2 === 0 ? "'north'" : "'south'"], []);
  for (let insert = 0; insert < 16; insert++) {
    const times = Array.from({ length: 25 }, (_, at) => Math.floor(insert / 4) + at * 4);
    const rows: Rows = times.map((time) => [tick(time), time % 7, time % 3 === 0 ? null : time]);
    fixture.insert('db', `${name}_${insert % 4}`, rows);
  }
  return name;
}

test('what is known to be unique gives the same answers, whatever is written later', (t) => {
  fc.assert(
    fc.property(
      fc.array(batch, { maxLength: 5 }),
      fc.option(fc.nat(50)),
      fc.option(fc.nat(50)),
      (later, from, length) => {
        const name = uniqueTable();
        for (const { series, first, cells } of later) {
          fixture.insert(
            'db',
            `${name}_${series}`,
            cells.map(([a, b], at) => [tick(first + at), a, b]),
          );
        }
        const unique: UniqueRows = {
          insert: 16,
          from: from === null ? undefined : BigInt(tick(from)),
          until: length === null ? undefined : BigInt(tick((from ?? 0) + length)),
          isAll: false,
          parts: many,
        };
        for (const query of queries) {
          const sql = query.replace('FROM T', `FROM ${name}`);
          t.deepEqual(fixture.rows(sql, { uniqueRows: () => unique }).sort(), fixture.rows(sql).sort(), sql);
        }
      },
    ),
    { numRuns: cases(2, 5, 20) },
  );
});

test('where all rows are unique none are merged, and a statement fails once there are others', (t) => {
  const name = uniqueTable();
  const unique: UniqueRows = { insert: 16, from: undefined, until: undefined, isAll: true, parts: many };
  const guarded = { uniqueRows: () => unique, mayAssume: true };
  const overrides = (isLarge: boolean) => ({ ...guarded, isLarge: () => isLarge });
  const rows = [
    'SELECT ts, a, b FROM T',
    `SELECT ts, tbname, site, a FROM T WHERE a > 3 AND ts >= ${tick(20)} AND ts < ${tick(60)}`,
    'SELECT tbname, a FROM T PARTITION BY tbname LIMIT 2',
    'SELECT DISTINCT a FROM T',
  ];
  const all = [...queries, ...rows, 'SELECT tbname, LAST(a), LAST(b) FROM T PARTITION BY tbname'];
  for (const query of all) {
    const sql = query.replace('FROM T', `FROM ${name}`);
    const { sql: plan } = fixture.plan(sql, overrides(true));
    t.false(/\.t\d+ AS t1 FINAL/.test(plan), plan);
    for (const isLarge of [false, true]) {
      t.deepEqual(fixture.rows(sql, overrides(isLarge)).sort(), fixture.rows(sql).sort(), sql);
    }
  }
  for (const query of rows.slice(0, 3)) {
    const sql = query.replace('FROM T', `FROM ${name}`);
    t.deepEqual(fixture.rows(sql, guarded), fixture.rows(sql), sql);
  }
  t.true(fixture.plan(`SELECT a FROM ${name} ORDER BY ts`, guarded).sql.includes(' FINAL '));
  const bySeries = `SELECT tbname, AVG(a) FROM ${name} GROUP BY tbname`;
  t.true(fixture.plan(bySeries, guarded).settings.includes('optimize_aggregation_in_order = 1'));
  t.false(fixture.plan(bySeries).settings.includes('optimize_aggregation_in_order'));
  // Overwritten under conditions that the newer row does not meet, and beyond the times of the query.
  for (const row of [
    [tick(24), -1, 1],
    [tick(1_000_000), 1, 1],
  ]) {
    fixture.insert('db', `${name}_0`, [row]);
    for (const query of all) {
      const sql = query.replace('FROM T', `FROM ${name}`);
      t.throws(
        () => fixture.rows(sql, overrides(true)),
        { message: /\{\w+\.t\d+ has rows that were stored meanwhile\}/ },
        sql,
      );
      t.deepEqual(fixture.rows(sql, { uniqueRows: () => unique }).sort(), fixture.rows(sql).sort(), sql);
    }
  }
});

test('parts of other tables do not count where rows are joined with their tags', (t) => {
  const name = uniqueTable();
  // The tags come in many inserts, too.
  for (let more = 0; more < 20; more++) fixture.subTable('db', name, `${name}_more${more}`, ["'north'"], []);
  const unique: UniqueRows = { insert: 16, from: undefined, until: undefined, isAll: true, parts: many };
  const joined = [
    `SELECT _wstart, site, SUM(a) FROM ${name} WHERE ts >= ${tick(0)} AND ts < ${tick(100)} PARTITION BY site INTERVAL(1s)`,
    `SELECT site, a FROM ${name} WHERE a > 3`,
    `SELECT tbname, SUM(a) FROM ${name} GROUP BY tbname`,
    `SELECT SUM(a) FROM ${name} WHERE site = 'north'`,
  ];
  for (const sql of joined) {
    const overrides = { uniqueRows: () => unique, mayAssume: true };
    t.deepEqual(fixture.rows(sql, overrides).sort(), fixture.rows(sql).sort(), sql);
  }
});

test('rows are read without merging where groups of a super table with many rows are made', (t) => {
  fixture.superTable('db', 'w', ['a INT', 'b INT'], ['site VARCHAR(16)']);
  fixture.subTable('db', 'w', 'w_0', ["'north'"], []);
  const plan = (query: string, parts = many): string => {
    const unique = { insert: 7, from: undefined, until: undefined, isAll: false, parts };
    return fixture.plan(query.replace('FROM T', 'FROM w'), { uniqueRows: () => unique }).sql;
  };
  for (const query of queries) t.true(plan(query).includes('UNION ALL'), query);
  for (const query of queries.slice(0, 2)) t.false(plan(query).includes('SELECT *'), query);
  // Of one series by its name, in the order of rows, of times alone, and where there is little to merge.
  const byName = ["SELECT SUM(a) FROM T WHERE tbname = 'w_0'", "SELECT SUM(a) FROM T WHERE tbname IN ('w_0')"];
  for (const query of [...byName, 'SELECT COUNT(*) FROM w_0', 'SELECT a FROM T', 'SELECT MAX(ts) FROM T'])
    t.false(plan(query).includes('UNION ALL'), query);
  t.false(plan("SELECT SUM(a) FROM T WHERE site = 'north'", [{ ...part, rows: 1_000_000 }]).includes('UNION ALL'));
  t.false(plan('SELECT SUM(a) FROM T', [{ ...part, isUnique: true }]).includes('UNION ALL'));
  t.false(
    plan(
      'SELECT SUM(a) FROM T',
      [part, { ...part, rows: 10 }].map((one) => ({ ...one, rows: 10 })),
    ).includes('UNION ALL'),
  );
});

test('queries of one series do not look up which rows are unique', (t) => {
  const name = uniqueTable();
  const uniqueRows = () => t.fail() as never;
  for (const items of ['a, b', 'SUM(a)', 'LAST(a), LAST_ROW(b)', 'COUNT(*)'])
    t.notThrows(() =>
      fixture.plan(`SELECT ${items} FROM ${name}_0`, { uniqueRows, mayAssume: true, isLarge: () => true }),
    );
});

test('what is merged is what several parts of a partition have, and single ones that were never merged', (t) => {
  const of = (partition: string, first: bigint, last: bigint, isUnique = true) => ({
    partition,
    insert: 1,
    isUnique,
    rows: 1000,
    first,
    last,
  });
  const all = { low: undefined, high: undefined };
  t.is(mergedRows([of('1', 0n, 9n), of('2', 10n, 19n)], all), 0);
  t.is(mergedRows([of('1', 0n, 9n), of('2', 10n, 19n, false)], all), 1000);
  const both = [of('1', 0n, 9n), of('1', 5n, 14n)];
  t.is(mergedRows(both, all), 2000);
  t.is(mergedRows(both, { low: 5n, high: 9n }), 1000);
  t.is(mergedRows(both, { low: undefined, high: 4n }), 0);
  t.is(mergedRows(both, { low: 20n, high: undefined }), 0);
});

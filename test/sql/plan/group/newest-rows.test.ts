import test from 'ava';
import fc from 'fast-check';
import { cases } from '../../../support/cases.js';
import { QueryFixture, type Rows } from '../../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());
fixture.database('db', 'ms');

const start = 1_700_000_000_000;
const queries = [
  'SELECT tbname, LAST(a), LAST(b) FROM T PARTITION BY tbname',
  'SELECT tbname, LAST_ROW(ts), LAST_ROW(a), LAST_ROW(b) FROM T GROUP BY tbname',
  'SELECT tbname, LAST(*) FROM T PARTITION BY tbname',
  'SELECT tbname, LAST(a + b), LAST(ts) FROM T PARTITION BY tbname',
  'SELECT tbname, LAST(a), ts, b FROM T PARTITION BY tbname',
  'SELECT site, MAX(x) FROM (SELECT site, tbname, LAST(a) AS x FROM T PARTITION BY site, tbname) GROUP BY site',
  "SELECT tbname, LAST(b) FROM T WHERE site = 'north' PARTITION BY tbname",
  'SELECT LAST_ROW(ts), LAST(ts) FROM T',
  'SELECT tbname, LAST(a) AS x FROM T PARTITION BY tbname HAVING LAST(a) > 0 ORDER BY x DESC LIMIT 3',
];
/** Queries whose plan does not change. */
const others = [
  'SELECT tbname, LAST(a), COUNT(*) FROM T PARTITION BY tbname',
  'SELECT tbname, LAST(a), FIRST(a) FROM T PARTITION BY tbname',
  'SELECT tbname, LAST(a) FROM T WHERE b > 0 PARTITION BY tbname',
  `SELECT tbname, LAST(a) FROM T WHERE ts < ${start + 50_000} PARTITION BY tbname`,
  'SELECT tbname, _wstart, LAST(a) FROM T PARTITION BY tbname INTERVAL(10s)',
  'SELECT a, LAST(b) FROM T PARTITION BY a',
];

const cell = fc.oneof({ weight: 2, arbitrary: fc.integer({ min: -5, max: 5 }) }, fc.constant(null));
/** Rows of one series that come in one insert: few of them, or many on end. */
const batch = fc.record({
  series: fc.nat(5),
  first: fc.nat(480),
  cells: fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 40 }),
});

const steady: Rows = Array.from({ length: 500 }, (_, at) => [start + at * 1000, at, at < 250 ? at : null]);

let tables = 0;

test('the newest values of every series are those of all rows, whatever is stored', (t) => {
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), fc.nat(6), (batches, dropped) => {
      const name = `t${++tables}`;
      fixture.superTable('db', name, ['a INT', 'b INT'], ['site VARCHAR(16)']);
      for (let i = 0; i < 6; i++)
        fixture.subTable('db', name, `${name}_${i}`, [i % 2 === 0 ? "'north'" : "'south'"], []);
      // Many rows of two series, so that few of them are looked at first; what the others have is mostly older.
      for (const series of [0, 1]) fixture.insert('db', `${name}_${series}`, steady);
      for (const { series, first, cells } of batches) {
        const rows: Rows = cells.map(([a, b], at) => [start + (first + at) * 1000, a, b]);
        fixture.insert('db', `${name}_${series}`, rows);
      }
      if (dropped < 6) fixture.drop('db', `${name}_${dropped}`);
      for (const query of queries) {
        const sql = query.replace('FROM T', `FROM ${name}`);
        const expected = fixture.rows(sql).sort();
        t.deepEqual(fixture.rows(sql, { isLarge: () => true }).sort(), expected, sql);
      }
    }),
    { numRuns: cases(2, 5) },
  );
});

test('few rows are looked at first where the newest of each series are all that counts', (t) => {
  fixture.superTable('db', 'w', ['a INT', 'b INT'], ['site VARCHAR(16)']);
  const isNarrowed = (query: string, isLarge: boolean): boolean =>
    fixture.plan(query.replace('FROM T', 'FROM w'), { isLarge: () => isLarge }).sql.includes('UNION ALL');
  for (const query of queries) {
    // Times alone are read without merging.
    t.is(isNarrowed(query, true), !query.startsWith('SELECT LAST_ROW(ts)'), query);
    t.false(isNarrowed(query, false), query);
  }
  for (const query of others) t.false(isNarrowed(query, true), query);
});

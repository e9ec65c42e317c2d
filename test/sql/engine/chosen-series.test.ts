import test from 'ava';
import { chosenSeries, statementOfIds, withIds } from '../../../src/sql/engine/chosen-series.js';
import { QueryFixture } from '../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());

const one = "equals(g1.`a`, '1')";
const ids = (condition: string): string => `SELECT g1.id FROM d.g AS g1 FINAL WHERE dropped = 0 AND (${condition})`;
const rows = (condition: string): string =>
  `SELECT max(t1.v) AS r1 FROM d.t AS t1 FINAL WHERE and(t1.id IN (${ids(condition)}), less(t1.ts, 5))`;

test('the series that tags of one value choose are asked for by themselves', (t) => {
  const sql = rows(one);
  const chosen = chosenSeries(sql)!;
  t.deepEqual(chosen, { column: 't1.id', ids: ids(one) });
  t.is(statementOfIds(chosen, 2), `${ids(one)} LIMIT 3 SETTINGS enable_analyzer = 0 FORMAT TSV`);
  const head = 'SELECT max(t1.v) AS r1 FROM d.t AS t1 FINAL WHERE and(t1.id ';
  t.is(withIds(sql, chosen, ['7']), `${head}= 7, less(t1.ts, 5))`);
  t.is(withIds(sql, chosen, ['7', '8']), `${head}IN (7, 8), less(t1.ts, 5))`);
  const twice = `${sql} UNION ALL ${sql}`;
  t.is(
    withIds(twice, chosenSeries(twice)!, ['7']),
    `${head}= 7, less(t1.ts, 5)) UNION ALL ${head}= 7, less(t1.ts, 5))`,
  );
  for (const other of ["in(g1.name, ('a', 'b'))", `and(like(g1.name, 'x'), ${one})`]) {
    t.truthy(chosenSeries(rows(other)), other);
  }
});

test('brackets and statements in quotes are none', (t) => {
  for (const text of ["')'", String.raw`'it\'s ('`, '`a)`']) {
    const condition = `equals(g1.name, ${text})`;
    t.is(chosenSeries(rows(condition).replace('max(t1.v)', text))?.ids, ids(condition), text);
  }
  t.is(chosenSeries(`SELECT 't1.id IN (${ids('equals(1, 1)')})' AS r1 FROM d.t AS t1 FINAL`), undefined);
});

test('sets that may be large, and several of them, stay where they are', (t) => {
  for (const large of ["like(g1.name, 'a%')", `or(${one}, ${one})`, `not(${one})`, 'equals(g1.name, (SELECT 1))']) {
    t.is(chosenSeries(rows(large)), undefined, large);
  }
  const names = Array.from({ length: 500 }, (_, at) => `'${at}'`).join(', ');
  t.is(chosenSeries(rows(`in(g1.name, tuple(${names}))`)), undefined);
  t.is(chosenSeries(`${rows(one)} UNION ALL ${rows(one.replace('1', '2'))}`), undefined);
  t.is(chosenSeries('SELECT g1.name FROM d.g AS g1 FINAL WHERE g1.id IN (SELECT t1.id FROM d.t AS t1)'), undefined);
});

test('functions of tags mean the same where the series are asked for first', (t) => {
  fixture.database('m', 'us');
  fixture.superTable('m', 's', ['v INT'], ['site VARCHAR(8)', 'a INT', 'b INT', 'at TIMESTAMP']);
  fixture.subTable('m', 's', 'd1', ["'x'", '1', 'NULL', '1700000000123456'], [[1, 1]]);
  fixture.subTable('m', 's', 'd2', ["'x'", '1', '2', '1700000000000000'], [[1, 2]]);
  const asked = (condition: string): string[] => {
    const sql = `SELECT SUM(v) FROM s WHERE site = 'x' AND ${condition}`;
    t.truthy(fixture.plan(sql).chosen, sql);
    return fixture.rows(sql);
  };
  // As rows() finds out, they are.
  t.deepEqual(asked('GREATEST(a, b) > 0'), ['[2]']);
  t.deepEqual(asked('LEAST(a, b) > 0'), ['[2]']);
  t.deepEqual(asked("TO_CHAR(at, 'SS.US') = '20.123456'"), ['[1]']);
});

import test from 'ava';
import { printQuery } from '../../support/sql/print-statement.js';
import { faultOf, queryOf } from '../../support/sql/syntax.js';

function reads(t: { is(actual: string, expected: string): void }, from: string, expected: string) {
  t.is(printQuery(queryOf(`select a from ${from}`)), `SELECT a FROM ${expected}`);
}

test('reads tables with database and alias', (t) => {
  reads(t, 'Power.`Meters` as m', 'power.`Meters` AS m');
  reads(t, 'meters m', 'meters AS m');
  reads(t, 'information_schema.ins_tables', 'information_schema.ins_tables');
  reads(t, 'db.order', 'db.order');
});

test('tells aliases from the clauses that may follow a table', (t) => {
  reads(t, 't left join u on 1', 't LEFT JOIN u ON 1');
  reads(t, 't left where 1', 't AS left WHERE 1');
  reads(t, 't range range(1)', 't AS range RANGE(1)');
  reads(t, 't session(ts, 1s)', 't SESSION(ts, 1s)');
  reads(t, 't session session(ts, 1s)', 't AS session SESSION(ts, 1s)');
  reads(t, 't event_window start with a end with b', 't EVENT_WINDOW START WITH a END WITH b');
});

test('reads subqueries with and without alias, brackets in brackets', (t) => {
  reads(t, '(select b from t) x', '(SELECT b FROM t) AS x');
  reads(t, '(select b from t order by ts limit 1)', '(SELECT b FROM t ORDER BY ts LIMIT 1 OFFSET 0)');
  reads(t, '((select b from t))', '(SELECT b FROM t)');
  reads(t, '((select 1) union all (select 2)) u', '((SELECT 1) UNION ALL (SELECT 2)) AS u');
});

test('reads joins of every kind', (t) => {
  reads(t, 'a, b', 'a, b');
  reads(t, 'a join b on a.ts=b.ts', 'a JOIN b ON (a.ts = b.ts)'.replace(' JOIN', ' INNER JOIN'));
  reads(t, 'a inner join b on 1', 'a INNER JOIN b ON 1');
  for (const side of ['left', 'right', 'full']) {
    reads(t, `a ${side} outer join b on 1`, `a ${side.toUpperCase()} JOIN b ON 1`);
  }
  for (const side of ['left', 'right']) {
    for (const kind of ['semi', 'anti', 'asof', 'window']) {
      reads(t, `a ${side} ${kind} join b`, `a ${side.toUpperCase()} ${kind.toUpperCase()} JOIN b`);
    }
  }
});

test('reads what a window or asof join carries', (t) => {
  reads(
    t,
    'a left window join b on a.t=b.t window_offset(-1s, 2m) jlimit 3',
    'a LEFT WINDOW JOIN b ON (a.t = b.t) WINDOW_OFFSET(-1s, 2m) JLIMIT 3',
  );
});

test('chains joins from the left; a comma binds weaker', (t) => {
  reads(t, 'a join b on 1 join c on 2', '(a INNER JOIN b ON 1) INNER JOIN c ON 2');
  reads(t, 'a, b join c on 1, d', '(a, (b INNER JOIN c ON 1)), d');
  reads(t, '(a join b on 1) join c', '(a INNER JOIN b ON 1) INNER JOIN c');
});

test('refuses broken joins, nesting without end and too many tables', (t) => {
  t.is(faultOf('select a from a left b').code, 0x2600);
  t.is(faultOf('select a from a full semi join b').code, 0x2600);
  t.is(faultOf('select a from a left window join b window_offset(1, 2)').code, 0x2600);
  t.is(faultOf('select a from').code, 0x2601);
  t.is(faultOf(`select a from ${'('.repeat(100_000)}`).code, 0x2600);
  t.is(faultOf(`select a from ${'(select * from '.repeat(50_000)}t`).code, 0x2600);
  t.is(faultOf(`select a from ${Array(300).fill('t').join(',')}`).code, 0x2600);
  t.is(faultOf(`select a from ${Array(300).fill('t').join(' join ')}`).code, 0x2600);
});

test('tells bracketed joins from bracketed queries that begin alike', (t) => {
  reads(t, '((select 1) x, b)', '(SELECT 1) AS x, b');
  reads(t, '((select 1) limit 2) y', '(SELECT 1 LIMIT 2 OFFSET 0) AS y');
  reads(t, '(((select 1)) join b) join c', '((SELECT 1) INNER JOIN b) INNER JOIN c');
});

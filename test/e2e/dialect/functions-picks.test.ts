import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesOfSeries } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfSeries(test, service);

statements('functions that pick rows give the other columns of the rows that they pick', service, 's', [
  { sql: 'SELECT top(v, 2) FROM one', rows: [[2], [3]], meta: [['top(v, 2)', 'INT', 4]] },
  {
    sql: 'SELECT ts, top(v, 2), n FROM one',
    rows: [
      [at(2), 2, 'b'],
      [at(5), 3, 'c'],
    ],
  },
  { sql: 'SELECT bottom(v, 2) FROM one', rows: [[1], [1]] },
  { sql: 'SELECT bottom(v, 100) FROM one', rows: [[1], [2], [3], [1]] },
  { sql: 'SELECT bottom(f, 1) FROM one', rows: [[1]], meta: [['bottom(f, 1)', 'DOUBLE', 8]] },
  {
    sql: 'SELECT tbname, top(v, 1), ts FROM st PARTITION BY tbname',
    rows: [
      ['a', 4, at(2)],
      ['b', 10, at(0)],
    ],
  },
  {
    sql: 'SELECT tbname, top(v, 1), ts FROM st GROUP BY tbname',
    rows: [
      ['a', 4, at(2)],
      ['b', 10, at(0)],
    ],
  },
  { sql: 'SELECT bottom(v, 2) FROM st GROUP BY tbname SLIMIT 1 SOFFSET 1', rows: [[7], [8]] },
  { sql: 'SELECT top(v, 1) x FROM st GROUP BY tbname ORDER BY x DESC LIMIT 1', rows: [[10]] },
  { sql: 'SELECT top(v, 1) FROM st GROUP BY tbname HAVING top(v, 1) > 5', error: 0x2667 },
  {
    sql: 'SELECT top(v, 3), tbname FROM st',
    rows: [
      [10, 'b'],
      [7, 'b'],
      [8, 'b'],
    ],
  },
  { sql: 'SELECT top(v, 2) FROM one WHERE v > 10', rows: [] },
  { sql: 'SELECT top(v, 1) FROM empty', rows: [] },
  { sql: 'SELECT top(v, 2) x FROM one ORDER BY x DESC', rows: [[3], [2]] },
  { sql: 'SELECT count(*) FROM (SELECT sample(v, 3) FROM one)', rows: [[3]] },
  { sql: 'SELECT count(*) FROM (SELECT sample(v, 1000) FROM one)', rows: [[4]] },
  { sql: "SELECT sample(n, 1) IN ('a', 'b', 'c') FROM one", rows: [[true]] },
  { sql: 'SELECT tail(v, 3) FROM one', rows: [[null], [3], [1]], meta: [['tail(v, 3)', 'INT', 4]] },
  {
    sql: 'SELECT ts, tail(v, 2, 1) FROM one',
    rows: [
      [at(4), null],
      [at(5), 3],
    ],
  },
  { sql: 'SELECT tail(v, 2, 100) FROM one', rows: [] },
  {
    sql: 'SELECT tbname, tail(v, 1) FROM st PARTITION BY tbname',
    rows: [
      ['a', 4],
      ['b', 8],
    ],
  },
  { sql: 'SELECT unique(v) FROM one', rows: [[1], [null], [2], [3]], meta: [['unique(v)', 'INT', 4]] },
  {
    sql: 'SELECT ts, unique(n) FROM one',
    rows: [
      [at(0), 'a'],
      [at(1), null],
      [at(2), 'b'],
      [at(5), 'c'],
    ],
  },
  { sql: 'SELECT unique(v) FROM empty', rows: [] },
]);

statements('functions over rows stand inside and around other queries', service, 's', [
  {
    sql: 'SELECT tbname, max(d), count(d) FROM (SELECT tbname, diff(v) d FROM st PARTITION BY tbname) GROUP BY tbname ORDER BY tbname',
    rows: [
      ['a', 2, 2],
      ['b', 1, 2],
    ],
  },
  { sql: 'SELECT diff(s) FROM (SELECT _wstart AS ts, sum(v) AS s FROM one INTERVAL(2s))', rows: [[1], [1], [-2]] },
  {
    sql: 'SELECT tbname, csum(c) FROM (SELECT tbname, _wstart w, count(*) c FROM st PARTITION BY tbname INTERVAL(2s)) PARTITION BY tbname',
    rows: [
      ['a', 2],
      ['a', 3],
      ['b', 2],
      ['b', 4],
    ],
  },
  { sql: 'SELECT csum(d) FROM (SELECT ts, diff(v, 2) AS d FROM one)', rows: [[1], [2], [0]] },
  { sql: 'SELECT top(d, 1), ts FROM (SELECT ts, diff(v, 2) AS d FROM one ORDER BY ts DESC)', rows: [[1, at(2)]] },
  {
    sql: 'SELECT diff(v, 2) d FROM one UNION ALL SELECT csum(v) FROM one ORDER BY d LIMIT 4',
    rows: [[-2], [1], [1], [1]],
  },
  { sql: 'SELECT _rowts, _c0, tbname, diff(v, 2) FROM one LIMIT 1', rows: [[at(2), at(2), 'one', 1]] },
  {
    sql: 'SELECT a.v, g FROM a WHERE v > 1',
    rows: [
      [2, 1],
      [4, 1],
    ],
  },
  { sql: 'SELECT g, tbname, diff(v) FROM b LIMIT 1', rows: [[2, 'b', -3]] },
  { sql: 'SELECT x.v, diff(x.v) FROM one x WHERE x.v > 1', rows: [[3, 1]] },
  {
    sql: "SELECT CASE WHEN diff(v, 2) > 0 THEN 'up' ELSE 'down' END AS way FROM one",
    rows: [['up'], ['up'], ['down']],
    meta: [['way', 'VARCHAR', 4]],
  },
  { sql: "SELECT concat('+', cast(csum(v) AS VARCHAR(8))) FROM one LIMIT 1", rows: [['+1']] },
]);

statements('ticks are those of the database', service, undefined, [
  { sql: "CREATE DATABASE nano PRECISION 'ns'", affected: 0 },
  { sql: 'CREATE TABLE nano.t (ts TIMESTAMP, v INT)', affected: 0 },
  {
    sql: `INSERT INTO nano.t VALUES (${base}000000, 1) (${base}001500, 4) (${base + 2000}000000, 9)`,
    affected: 3,
  },
  { sql: 'SELECT diff(ts) FROM nano.t', rows: [[1500], [1999998500]] },
  { sql: 'SELECT round(derivative(v, 1s, 0), 6) FROM nano.t', rows: [[2000000], [2.500002]] },
  { sql: "SELECT stateduration(v, 'GT', 0) FROM nano.t", rows: [[0], [1500], [2000000000]] },
  { sql: "SELECT stateduration(v, 'GT', 0, 1u) FROM nano.t", rows: [[0], [1], [2000000]] },
  { sql: 'SELECT elapsed(ts), elapsed(ts, 1s), elapsed(ts, 1a) FROM nano.t', rows: [[2000000000, 2, 2000]] },
  { sql: `SELECT irate(v) FROM nano.t WHERE ts < ${base}000000 + 1s`, rows: [[2000000]] },
  { sql: 'SELECT ts, top(v, 1) FROM nano.t', rows: [['2023-11-14T22:13:22.000000000Z', 9]] },
  { sql: 'SELECT timediff(ts, timetruncate(ts, 1s)) FROM nano.t', rows: [[0], [1500], [0]] },
  {
    sql: "SELECT to_char(ts, 'SS.NS US MS') FROM nano.t",
    rows: [['20.000000000 000000 000'], ['20.000001500 000001 000'], ['22.000000000 000000 000']],
  },
]);

statements('TOP, BOTTOM and SAMPLE take every window for itself', service, 's', [
  {
    sql: 'SELECT _wstart, _wend, _wduration, ts, top(v, 1) FROM one INTERVAL(4s)',
    rows: [
      [at(0), at(4), 4000, at(2), 2],
      [at(4), at(8), 4000, at(5), 3],
    ],
  },
  {
    sql: 'SELECT bottom(u, 1), n FROM one INTERVAL(2s)',
    rows: [
      [5, 'a'],
      [3, 'b'],
      [4, null],
      [9, 'b'],
    ],
  },
  {
    sql: 'SELECT tbname, _wstart, top(v, 1) FROM st PARTITION BY tbname INTERVAL(2s) LIMIT 1',
    rows: [
      ['a', at(0), 2],
      ['b', at(0), 10],
    ],
  },
  {
    sql: 'SELECT _wstart, top(v, 1) FROM one INTERVAL(4s) SLIDING(2s)',
    rows: [
      [at(-2), 1],
      [at(0), 2],
      [at(2), 3],
      [at(4), 3],
      [at(6), 1],
    ],
  },
  { sql: 'SELECT count(*) FROM (SELECT _wstart AS w, sample(v, 1) FROM one INTERVAL(4s))', rows: [[2]] },
  {
    sql: 'SELECT _wstart, _wend, top(v, 1) FROM one WHERE v IS NOT NULL SESSION(ts, 2s)',
    rows: [
      [at(0), at(2), 2],
      [at(5), at(6), 3],
    ],
  },
  {
    sql: 'SELECT _wend, bottom(u, 1) FROM one COUNT_WINDOW(4)',
    rows: [
      [at(3), 3],
      [at(6), 4],
    ],
  },
  { sql: 'SELECT top(v, 1), sum(v) FROM one INTERVAL(1s)', error: 0x2667 },
  { sql: 'SELECT _wstart, top(v, 1) FROM one', error: 0x2658 },
  { sql: 'SELECT top(v, 1), count(*) FROM one COUNT_WINDOW(4)', error: 0x2667 },
]);

statements('functions over rows are refused where they cannot stand', service, 's', [
  { sql: 'SELECT diff(v) FROM st', error: 0x2805, says: 'Duplicate timestamps not allowed in function' },
  { sql: 'SELECT mavg(v, 2) FROM st PARTITION BY v > 0', error: 0x2805 },
  {
    sql: `SELECT top(v, 1) FROM one WHERE ts > 0 AND ts < ${base} INTERVAL(1s) FILL(NULL)`,
    error: 0x2657,
    says: 'fill query',
  },
  {
    sql: 'SELECT diff(v) FROM st GROUP BY tbname',
    error: 0x265b,
    says: 'DIFF function is not supported in group query',
  },
  { sql: 'SELECT diff(v), sum(v) FROM one', error: 0x2667 },
  { sql: 'SELECT diff(v), csum(v) FROM one', error: 0x2667 },
  { sql: 'SELECT top(v, 1), bottom(v, 1) FROM one', error: 0x2667 },
  { sql: 'SELECT unique(v), last(v) FROM one', error: 0x2667 },
  { sql: 'SELECT v FROM one WHERE diff(v) > 1', error: 0x2608 },
  { sql: 'SELECT diff(sum(v)) FROM one', error: 0x2627 },
  { sql: 'SELECT sum(diff(v)) FROM one', error: 0x2627 },
  { sql: 'SELECT diff(diff(v)) FROM one', error: 0x2627 },
  { sql: 'SELECT diff(1)', error: 0x2647, says: 'Invalid timeline function' },
  { sql: 'SELECT diff(v) FROM (SELECT v FROM one)', error: 0x2647 },
  { sql: 'SELECT diff(n) FROM one', error: 0x2802, says: 'diff' },
  { sql: 'SELECT diff(v, 4) FROM one', error: 0x2803 },
  { sql: 'SELECT diff() FROM one', error: 0x2801 },
  { sql: 'SELECT csum(n) FROM one', error: 0x2802 },
  { sql: 'SELECT mavg(v, 0) FROM one', error: 0x2803 },
  { sql: 'SELECT mavg(v, 1001) FROM one', error: 0x2803 },
  { sql: 'SELECT derivative(v, 1a, 0) FROM one', error: 0x2803 },
  { sql: 'SELECT derivative(v, 1s, 2) FROM one', error: 0x2803 },
  { sql: 'SELECT derivative(v, 1s) FROM one', error: 0x2801 },
  { sql: "SELECT statecount(v, 'XX', 1) FROM one", error: 0x2803 },
  { sql: "SELECT statecount(n, 'LT', 1) FROM one", error: 0x2802 },
  { sql: "SELECT stateduration(v, 'LT', 1, 2s) FROM one", error: 0x2803 },
  { sql: 'SELECT top(v, 101) FROM one', error: 0x2803 },
  { sql: 'SELECT bottom(v, 0) FROM one', error: 0x2803 },
  { sql: 'SELECT top(n, 1) FROM one', error: 0x2802 },
  { sql: 'SELECT top(v, 1.5) FROM one', error: 0x2802 },
  { sql: 'SELECT tail(v, 1, 101) FROM one', error: 0x2803 },
  { sql: 'SELECT sample(v, 1001) FROM one', error: 0x2803 },
  {
    sql: 'SELECT unique(v) FROM one INTERVAL(1s)',
    error: 0x2659,
    says: 'UNIQUE function is not supported in time window query',
  },
  { sql: 'SELECT tail(v, 1) FROM one SESSION(ts, 1s)', error: 0x2659 },
]);

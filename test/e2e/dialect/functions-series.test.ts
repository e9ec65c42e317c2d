import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesOfSeries } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfSeries(test, service);

statements('DIFF is the distance to the last value before, by its four modes', service, 's', [
  { sql: 'SELECT diff(v) FROM one', rows: [[null], [1], [null], [null], [1], [-2]], meta: [['diff(v)', 'BIGINT', 8]] },
  { sql: 'SELECT diff(v, 0) FROM one', rows: [[null], [1], [null], [null], [1], [-2]] },
  { sql: 'SELECT diff(v, 1) FROM one', rows: [[null], [1], [null], [null], [1], [null]] },
  { sql: 'SELECT diff(v, 2) FROM one', rows: [[1], [1], [-2]] },
  { sql: 'SELECT diff(v, 3) FROM one', rows: [[1], [1]] },
  {
    sql: 'SELECT ts, diff(v, 2), v FROM one',
    rows: [
      [at(2), 1, 2],
      [at(5), 1, 3],
      [at(6), -2, 1],
    ],
  },
  { sql: 'SELECT diff(f, 2) FROM one', rows: [[1], [-1.5], [3]], meta: [['diff(f, 2)', 'DOUBLE', 8]] },
  { sql: 'SELECT diff(u, 2) AS x FROM one', rows: [[-2], [1], [0], [0], [5]], meta: [['x', 'BIGINT', 8]] },
  { sql: 'SELECT diff(b, 2) FROM one', rows: [[-1], [1], [0]], meta: [['diff(b, 2)', 'BIGINT', 8]] },
  { sql: 'SELECT diff(t, 2) FROM one', rows: [[2000], [-1000], [5000]], meta: [['diff(t, 2)', 'BIGINT', 8]] },
  { sql: 'SELECT diff(ts) FROM one', rows: [[1000], [1000], [1000], [1000], [1000], [1000]] },
  { sql: 'SELECT diff(d, 2) FROM one', rows: [['0.50'], ['-1.25'], ['9.50']] },
  // A row is left out only when all of them leave it out.
  {
    sql: 'SELECT diff(v, 2), diff(u, 2) FROM one',
    rows: [
      [1, -2],
      [null, 1],
      [null, 0],
      [1, 0],
      [-2, 5],
    ],
  },
  {
    sql: 'SELECT diff(v), diff(v, 3) FROM one',
    rows: [
      [null, null],
      [1, 1],
      [null, null],
      [null, null],
      [1, 1],
      [-2, null],
    ],
  },
  { sql: 'SELECT abs(diff(v, 2)) + 1 FROM one', rows: [[2], [2], [3]], meta: [['abs(diff(v, 2)) + 1', 'DOUBLE', 8]] },
  { sql: 'SELECT diff(v * 2, 2) FROM one', rows: [[2], [2], [-4]], meta: [['diff(v * 2, 2)', 'DOUBLE', 8]] },
  { sql: 'SELECT diff(v) FROM empty', rows: [], meta: [['diff(v)', 'BIGINT', 8]] },
  { sql: `SELECT diff(v) FROM one WHERE ts = ${base}`, rows: [] },
  { sql: 'SELECT diff(v) FROM one WHERE v IS NULL', rows: [] },
  {
    sql: `SELECT diff(v), diff(u) FROM one WHERE ts > ${base}`,
    rows: [
      [null, null],
      [null, 1],
      [null, 0],
      [1, 0],
      [-2, 5],
    ],
  },
  { sql: `SELECT csum(v), top(v, 1) FROM one`, error: 0x2667 },
  { sql: 'SELECT top(v, 1) FROM one WHERE v IS NULL', rows: [] },
  { sql: 'SELECT diff(v) FROM one WHERE v > 1', rows: [[1]] },
  { sql: 'SELECT diff(v, 2) FROM one LIMIT 1 OFFSET 1', rows: [[1]] },
  {
    sql: 'SELECT ts, diff(v, 2) x FROM one ORDER BY x, ts DESC',
    rows: [
      [at(6), -2],
      [at(5), 1],
      [at(2), 1],
    ],
  },
  { sql: 'SELECT DISTINCT diff(v, 2) x FROM one ORDER BY x', rows: [[-2], [1]] },
  { sql: 'SELECT diff(x) FROM (SELECT ts, v AS x FROM one WHERE v IS NOT NULL)', rows: [[1], [1], [-2]] },
  { sql: 'SELECT sum(x) FROM (SELECT diff(v) AS x FROM one)', rows: [[0]] },
]);

statements('functions over rows run slice by slice', service, 's', [
  {
    sql: 'SELECT tbname, diff(v) FROM st PARTITION BY tbname',
    rows: [
      ['a', 1],
      ['a', 2],
      ['b', -3],
      ['b', null],
      ['b', 1],
    ],
  },
  {
    sql: 'SELECT tbname, g, diff(v) FROM st PARTITION BY tbname LIMIT 1',
    rows: [
      ['a', 1, 1],
      ['b', 2, -3],
    ],
  },
  { sql: 'SELECT diff(v) FROM st PARTITION BY tbname SLIMIT 1 SOFFSET 1', rows: [[-3], [null], [1]] },
  {
    sql: 'SELECT g, csum(v) FROM st PARTITION BY g',
    rows: [
      [1, 1],
      [1, 3],
      [1, 7],
      [2, 10],
      [2, 17],
      [2, 25],
    ],
  },
  { sql: 'SELECT diff(v) FROM apart', rows: [[9], [-7], [17], [-15], [0]] },
  { sql: 'SELECT csum(v) FROM apart PARTITION BY g', rows: [[1], [11], [14], [34], [39], [44]] },
  {
    sql: 'SELECT tbname, csum(v) FROM apart WHERE v < 20 PARTITION BY tbname',
    rows: [
      ['p', 1],
      ['p', 4],
      ['p', 9],
      ['q', 10],
      ['q', 15],
    ],
  },
  {
    sql: 'SELECT v % 2, csum(v) FROM apart PARTITION BY v % 2',
    rows: [
      [0, 10],
      [0, 30],
      [1, 1],
      [1, 4],
      [1, 9],
      [1, 14],
    ],
  },
]);

statements('running functions give a value for each row, by the rows before it', service, 's', [
  { sql: 'SELECT csum(v) FROM one', rows: [[1], [3], [6], [7]], meta: [['csum(v)', 'BIGINT', 8]] },
  { sql: 'SELECT csum(f) FROM one', rows: [[1.5], [4], [5], [9]], meta: [['csum(f)', 'DOUBLE', 8]] },
  {
    sql: 'SELECT csum(u) FROM one',
    rows: [[5], [8], [12], [16], [20], [29]],
    meta: [['csum(u)', 'BIGINT UNSIGNED', 8]],
  },
  {
    sql: 'SELECT csum(d) FROM one',
    rows: [['1.25'], ['3.00'], ['3.50'], ['13.50']],
    meta: [['csum(d)', 'DECIMAL(38,2)', 16]],
  },
  {
    sql: 'SELECT csum(v), csum(u) FROM one',
    rows: [
      [1, 5],
      [3, 8],
      [null, 12],
      [null, 16],
      [6, 20],
      [7, 29],
    ],
  },
  { sql: 'SELECT csum(v) FROM empty', rows: [] },
  { sql: 'SELECT ts, csum(v) FROM one ORDER BY ts DESC LIMIT 1', rows: [[at(6), 7]] },
  { sql: 'SELECT mavg(v, 2) FROM one', rows: [[1.5], [2.5], [2]], meta: [['mavg(v, 2)', 'DOUBLE', 8]] },
  {
    sql: 'SELECT ts, mavg(v, 3) FROM one',
    rows: [
      [at(5), 2],
      [at(6), 2],
    ],
  },
  { sql: 'SELECT mavg(v, 1) FROM one', rows: [[1], [2], [3], [1]] },
  { sql: 'SELECT mavg(v, 5) FROM one', rows: [] },
  {
    sql: 'SELECT tbname, mavg(v, 2) FROM st PARTITION BY tbname',
    rows: [
      ['a', 1.5],
      ['a', 3],
      ['b', 8.5],
      ['b', 7.5],
    ],
  },
  {
    sql: 'SELECT derivative(v, 1s, 0) FROM one',
    rows: [[0.5], [1 / 3], [-2]],
    meta: [['derivative(v, 1s, 0)', 'DOUBLE', 8]],
  },
  { sql: 'SELECT derivative(v, 2s, 1) FROM one', rows: [[1], [2 / 3]] },
  { sql: 'SELECT derivative(NULL, 1s, 1) FROM one', rows: [] },
  { sql: 'SELECT ts, derivative(v, 1m, 0) FROM one LIMIT 1', rows: [[at(2), 30]] },
  {
    sql: 'SELECT tbname, derivative(v, 1s, 0) FROM st PARTITION BY tbname',
    rows: [
      ['a', 1],
      ['a', 2],
      ['b', -3],
      ['b', 0.5],
    ],
  },
  {
    sql: 'SELECT fill_forward(v) FROM one',
    rows: [[1], [1], [2], [2], [2], [3], [1]],
    meta: [['fill_forward(v)', 'INT', 4]],
  },
  {
    sql: 'SELECT fill_forward(n) FROM one',
    rows: [['a'], ['a'], ['b'], ['a'], ['a'], ['c'], ['b']],
    meta: [['fill_forward(n)', 'VARCHAR', 8]],
  },
  {
    sql: 'SELECT v, lag(v) FROM one',
    rows: [
      [1, null],
      [null, 1],
      [2, null],
      [null, 2],
      [null, null],
      [3, null],
      [1, 3],
    ],
  },
  { sql: 'SELECT lag(v, 2, 0) FROM one LIMIT 3', rows: [[0], [0], [1]], meta: [['lag(v, 2, 0)', 'INT', 4]] },
  { sql: 'SELECT lead(v, 1, -1) FROM one ORDER BY ts DESC LIMIT 2', rows: [[-1], [1]] },
  { sql: 'SELECT lead(1, 1, 2), lag(NULL) FROM one LIMIT 1', rows: [[1, null]] },
  { sql: 'SELECT lag(b, 1, true), lead(b, 1, NULL) FROM one LIMIT 1', rows: [[true, null]] },
  { sql: "SELECT lag(n, 1, 'no'), lag(f, 1, 7) FROM one LIMIT 1", rows: [['no', 7]] },
  {
    sql: `SELECT lag(ts, 1, ${base}), lead(ts, 9, '2024-01-01 00:00:00Z') FROM one LIMIT 1`,
    rows: [[at(0), '2024-01-01T00:00:00.000Z']],
  },
  { sql: "SELECT lag(v, 1, 'x') FROM one", error: 0x2802 },
  { sql: 'SELECT lead(v, 1, 1.5) FROM one', error: 0x2802 },
  { sql: 'SELECT lag(ts, 1, true) FROM one', error: 0x2802 },
  { sql: 'SELECT lag(n, 1, 1) FROM one', error: 0x2802 },
  {
    sql: 'SELECT tbname, lead(v) FROM st PARTITION BY tbname',
    rows: [
      ['a', 2],
      ['a', 4],
      ['a', null],
      ['b', 7],
      ['b', null],
      ['b', 8],
      ['b', null],
    ],
  },
]);

statements('runs of rows that satisfy a condition', service, 's', [
  {
    sql: "SELECT statecount(u, 'GE', 4) FROM one",
    rows: [[1], [null], [-1], [1], [2], [3], [4]],
    meta: [["statecount(u, 'GE', 4)", 'BIGINT', 8]],
  },
  { sql: "SELECT statecount(v, 'lt', 2) FROM one", rows: [[1], [null], [-1], [null], [null], [-1], [1]] },
  { sql: "SELECT statecount(v, 'EQ', 2.5) FROM one", rows: [[-1], [null], [-1], [null], [null], [-1], [-1]] },
  { sql: "SELECT statecount(v, 'NE', 3) FROM one", rows: [[1], [null], [2], [null], [null], [-1], [1]] },
  { sql: "SELECT statecount(r, 'EQ', 0.1) FROM one", rows: [[1], [null], [2], [-1], [null], [-1], [1]] },
  { sql: "SELECT statecount(v, 'LE', 2) FROM empty", rows: [] },
  {
    sql: "SELECT stateduration(u, 'GE', 4) FROM one",
    rows: [[0], [null], [-1], [0], [1000], [2000], [3000]],
    meta: [["stateduration(u, 'GE', 4)", 'BIGINT', 8]],
  },
  { sql: "SELECT stateduration(u, 'GE', 4, 1s) FROM one", rows: [[0], [null], [-1], [0], [1], [2], [3]] },
  { sql: "SELECT stateduration(u, 'GE', 4, 1m) FROM one", rows: [[0], [null], [-1], [0], [0], [0], [0]] },
  { sql: "SELECT stateduration(v, 'GT', 0, 1s) FROM one", rows: [[0], [null], [2], [null], [null], [5], [6]] },
  {
    sql: "SELECT tbname, statecount(v, 'GT', 1) FROM st PARTITION BY tbname",
    rows: [
      ['a', -1],
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['b', 2],
      ['b', null],
      ['b', 3],
    ],
  },
]);

import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesOfNumbers } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfNumbers(test, service);

statements('aggregates in which time counts weigh rows by their times', service, 's', [
  { sql: 'SELECT elapsed(ts) FROM one', rows: [[6000]], meta: [['elapsed(ts)', 'DOUBLE', 8]] },
  { sql: 'SELECT elapsed(ts, 1s), elapsed(ts, 1m) FROM one', rows: [[6, 0.1]] },
  { sql: 'SELECT elapsed(ts) FROM empty', rows: [] },
  { sql: `SELECT elapsed(ts) FROM one WHERE ts = ${base}`, rows: [[0]] },
  {
    sql: 'SELECT _wstart, elapsed(ts, 1s) FROM one INTERVAL(4s)',
    rows: [
      [at(0), 4],
      [at(4), 2],
    ],
  },
  {
    sql: 'SELECT tbname, elapsed(ts) FROM st PARTITION BY tbname',
    rows: [
      ['a', 2000],
      ['b', 3000],
    ],
  },
  {
    sql: 'SELECT tbname, _wstart, elapsed(ts) FROM st PARTITION BY tbname INTERVAL(2s)',
    rows: [
      ['a', at(0), 2000],
      ['a', at(2), 0],
      ['b', at(0), 2000],
      ['b', at(2), 1000],
    ],
  },
  { sql: 'SELECT elapsed(v) FROM one', error: 0x2802 },
  { sql: 'SELECT elapsed(ts, 2s) FROM one', error: 0x2803 },
  { sql: 'SELECT irate(v) FROM one', rows: [[1]], meta: [['irate(v)', 'DOUBLE', 8]] },
  { sql: 'SELECT irate(u) FROM one', rows: [[5]] },
  { sql: `SELECT irate(v) FROM one WHERE ts = ${base}`, rows: [[0]] },
  { sql: 'SELECT irate(v) FROM nulls', rows: [[null]] },
  { sql: 'SELECT irate(v) FROM empty', rows: [] },
  {
    sql: 'SELECT tbname, irate(v) FROM st PARTITION BY tbname',
    rows: [
      ['a', 2],
      ['b', 0.5],
    ],
  },
  {
    sql: 'SELECT g, irate(v) FROM st GROUP BY g',
    rows: [
      [1, 2],
      [2, 0.5],
    ],
  },
  {
    sql: 'SELECT _wstart, irate(v) FROM one INTERVAL(4s)',
    rows: [
      [at(0), 0.5],
      [at(4), 1],
    ],
  },
  { sql: 'SELECT irate(v) FROM st WHERE v < 8', error: 0x2805 },
  { sql: 'SELECT irate(n) FROM one', error: 0x2802 },
  { sql: 'SELECT round(twa(v), 4) FROM curve', rows: [[2.0737]] },
  {
    sql: "SELECT _wstart, round(twa(v), 7) FROM curve WHERE ts <= '2024-01-01 00:27:00' INTERVAL(10m)",
    rows: [
      ['2024-01-01T00:00:00.000Z', 2.0886667],
      ['2024-01-01T00:10:00.000Z', 2.0771],
      ['2024-01-01T00:20:00.000Z', 2.0693333],
    ],
  },
  // 1 to 2 in 2 s, 2 to 3 in 3 s, 3 to 1 in 1 s: (3 + 7.5 + 2) / 6
  { sql: 'SELECT twa(v) FROM one', rows: [[12.5 / 6]], meta: [['twa(v)', 'DOUBLE', 8]] },
  // At 3.999 s, the last tick before the next window, the line is at 2.666333: ((1+2)/2*2 + (2+2.666333)/2*1.999)/3.999; then
  // from 2 2/3 at 4 s ((8/3+3)/2 + (3+1)/2)/2.
  {
    sql: 'SELECT _wstart, round(twa(v), 6) FROM one INTERVAL(4s)',
    rows: [
      [at(0), 1.916479],
      [at(4), 2.416667],
    ],
  },
  { sql: `SELECT twa(v) FROM one WHERE ts = ${base}`, rows: [[1]] },
  { sql: 'SELECT twa(v) FROM nulls', rows: [[null]] },
  { sql: 'SELECT twa(v) FROM empty', rows: [] },
  {
    sql: 'SELECT g, count(*), twa(v) FROM st PARTITION BY g',
    rows: [
      [1, 3, 2.25],
      [2, 4, (8.5 + 15) / 3],
    ],
  },
  {
    sql: 'SELECT tbname, g, count(v), elapsed(ts), twa(v) FROM st PARTITION BY tbname SESSION(ts, 10s)',
    rows: [
      ['a', 1, 3, 2000, 2.25],
      ['b', 2, 3, 3000, (8.5 + 15) / 3],
    ],
  },
  {
    sql: 'SELECT mode(v), ts FROM one WHERE v > 1 COUNT_WINDOW(1)',
    rows: [
      [2, at(2)],
      [3, at(5)],
    ],
  },
  {
    sql: 'SELECT tbname, twa(v) FROM st PARTITION BY tbname',
    rows: [
      ['a', 2.25],
      ['b', (8.5 + 15) / 3],
    ],
  },
  {
    sql: 'SELECT g, twa(v) > 3 FROM st PARTITION BY tbname HAVING twa(v) > 0 ORDER BY g DESC',
    rows: [
      [2, true],
      [1, false],
    ],
  },
  { sql: 'SELECT twa(v) FROM st', error: 0x2805 },
  {
    sql: `SELECT _wstart, twa(v), elapsed(ts), irate(v), leastsquares(v, 1, 1) FROM line WHERE ts >= ${base} AND ts < ${base + 6000} INTERVAL(2s) FILL(NULL)`,
    rows: [
      [at(0), 1.9995, 2000, 1, '{slop:1.000000, intercept:0.000000}'],
      [at(2), 3, 0, 0, '{slop:-nan, intercept:-nan}'],
      [at(4), null, null, null, null],
    ],
  },
  {
    sql: `SELECT tbname, _wstart, twa(v) FROM st WHERE ts >= ${base} AND ts < ${base + 6000} PARTITION BY tbname INTERVAL(3s) FILL(PREV)`,
    rows: [
      ['a', at(-2), 1.4995],
      ['a', at(1), 3],
      ['a', at(4), 3],
      ['b', at(-2), 8.5015],
      ['b', at(1), 7.5],
      ['b', at(4), 7.5],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*), round(twa(v), 6) FROM one INTERVAL(4s) SLIDING(2s) ORDER BY _wstart LIMIT 2',
    rows: [
      [at(-2), 2, 1.49975],
      [at(0), 4, 1.916479],
    ],
  },
  { sql: 'SELECT twa(n) FROM one', error: 0x2802 },
  ...['twa', 'irate', 'first', 'last', 'last_row'].map((name) => {
    return { sql: `SELECT ${name}(v) FROM (SELECT v FROM one)`, error: 0x2647 };
  }),
]);

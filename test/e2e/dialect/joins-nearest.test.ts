import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesToJoin } from '../../support/sql/join-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesToJoin(test, service);

statements('an ASOF join finds the nearest rows in time', service, 'j', [
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b',
    rows: [
      [0, 10],
      [2, 11],
      [3, 13],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts >= b.ts',
    rows: [
      [0, 10],
      [2, 11],
      [3, 13],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON b.ts <= a.ts',
    rows: [
      [0, 10],
      [2, 11],
      [3, 13],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts > b.ts',
    rows: [
      [0, null],
      [2, 11],
      [3, 11],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts <= b.ts',
    rows: [
      [0, 10],
      [2, 13],
      [3, 13],
      [4, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts < b.ts',
    rows: [
      [0, 11],
      [2, 13],
      [3, 15],
      [4, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts = b.ts',
    rows: [
      [0, 10],
      [2, null],
      [3, 13],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts > b.ts JLIMIT 2',
    rows: [
      [0, null],
      [2, 10],
      [2, 11],
      [3, 10],
      [3, 11],
      [4, 11],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts < b.ts JLIMIT 2',
    rows: [
      [0, 11],
      [0, 13],
      [2, 13],
      [2, 15],
      [3, 15],
      [4, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a RIGHT ASOF JOIN b ON a.ts <= b.ts',
    rows: [
      [0, 10],
      [0, 11],
      [3, 13],
      [4, 15],
    ],
  },
  {
    sql: 'SELECT x.v, y.v FROM m x LEFT ASOF JOIN m y ON x.ts > y.ts AND x.g = y.g ORDER BY x.v',
    rows: [
      [1, null],
      [2, 1],
      [3, null],
      [4, 3],
    ],
  },
  {
    sql: 'SELECT x.v, y.v FROM m x LEFT ASOF JOIN m y ON x.tbname = y.tbname AND x.ts >= y.ts JLIMIT 5 ORDER BY x.v, y.v',
    rows: [
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 3],
      [4, 3],
      [4, 4],
    ],
  },
  {
    sql: 'SELECT x.v, y.v FROM m x LEFT ASOF JOIN m y ON x.tbname = y.tbname AND x.ts >= y.ts JLIMIT 5 ORDER BY x.v, y.v',
    rows: [
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 3],
      [4, 3],
      [4, 4],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts >= b.ts WHERE a.v > 2 AND b.v = 13',
    rows: [
      [3, 13],
      [4, 13],
    ],
  },
  { sql: 'SELECT count(b.v), sum(b.v) FROM a LEFT ASOF JOIN b ON a.ts > b.ts', rows: [[3, 35]] },
  { sql: `SELECT a.v, b.v FROM a LEFT ASOF JOIN b WHERE a.ts = ${base + 4}`, rows: [[4, 13]] },
  {
    sql: `SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts < b.ts JLIMIT 2 WHERE a.ts <= ${base + 2}`,
    rows: [
      [0, 11],
      [0, 13],
      [2, 13],
      [2, 15],
    ],
  },
  {
    sql: `SELECT a.v, b.v FROM a LEFT ASOF JOIN b ON a.ts = b.ts WHERE a.ts > ${base + 2}`,
    rows: [
      [3, 13],
      [4, null],
    ],
  },
  { sql: 'SELECT a.v FROM a LEFT ASOF JOIN us.u', error: 0x0100 },
  { sql: 'SELECT a.v FROM a LEFT ASOF JOIN b JLIMIT 0', error: 0x0118 },
  { sql: 'SELECT a.v FROM a LEFT ASOF JOIN b JLIMIT 1025', error: 0x0118 },
  { sql: 'SELECT a.v FROM a LEFT ASOF JOIN b ON a.ts >= b.ts AND b.v > 3', error: 0x0100 },
]);

statements('a WINDOW join takes all rows around the time of a row', service, 'j', [
  {
    sql: 'SELECT a.v, b.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a)',
    rows: [
      [0, 10],
      [0, 11],
      [2, 11],
      [2, 13],
      [3, 13],
      [4, 13],
      [4, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a) JLIMIT 1',
    rows: [
      [0, 10],
      [2, 11],
      [3, 13],
      [4, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(2a, 2a)',
    rows: [
      [0, null],
      [2, null],
      [3, 15],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a RIGHT WINDOW JOIN b WINDOW_OFFSET(0a, 1a)',
    rows: [
      [0, 10],
      [2, 11],
      [3, 13],
      [4, 13],
      [null, 15],
    ],
  },
  {
    sql: 'SELECT a.v, count(b.v), sum(b.v) FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a)',
    rows: [
      [0, 2, 21],
      [2, 2, 24],
      [3, 1, 13],
      [4, 2, 28],
    ],
  },
  {
    sql: 'SELECT a.ts, a.s, avg(b.v) + a.v AS q FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 0a) WHERE a.v > 0 LIMIT 2',
    rows: [
      [at(2), 'y', 13],
      [at(3), 'x', 16],
    ],
  },
  {
    sql: 'SELECT a.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a) HAVING count(b.v) > 1 ORDER BY a.v DESC',
    rows: [[4], [2], [0]],
  },
  {
    sql: 'SELECT x.v, count(y.v) FROM m x LEFT WINDOW JOIN m y ON x.g = y.g WINDOW_OFFSET(-2a, 0a) ORDER BY x.v',
    rows: [
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 2],
    ],
  },
  { sql: 'SELECT b.v, count(*) FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a)', error: 0x260a },
  {
    sql: `SELECT a.v, b.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1a, 1a) WHERE a.ts BETWEEN ${base + 2} AND ${base + 3}`,
    rows: [
      [2, 11],
      [2, 13],
      [3, 13],
    ],
  },
  { sql: 'SELECT a.v FROM a LEFT WINDOW JOIN us.u WINDOW_OFFSET(-1a, 1a)', error: 0x0100 },
  { sql: 'SELECT a.v FROM a LEFT WINDOW JOIN b', error: 0x2600 },
  { sql: 'SELECT a.v FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1n, 1a)', error: 0x0100 },
]);

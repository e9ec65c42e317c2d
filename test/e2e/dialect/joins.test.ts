import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesToJoin } from '../../support/sql/join-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesToJoin(test, service);

statements('an inner join pairs rows of equal time', service, 'j', [
  {
    sql: 'SELECT * FROM a JOIN b ON a.ts = b.ts',
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['v', 'INT', 4],
      ['s', 'VARCHAR', 8],
      ['ts', 'TIMESTAMP', 8],
      ['v', 'INT', 4],
      ['w', 'DOUBLE', 8],
    ],
    rows: [
      [at(0), 0, 'x', at(0), 10, 0],
      [at(3), 3, 'x', at(3), 13, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a INNER JOIN b ON b.ts = a.ts',
    rows: [
      [0, 10],
      [3, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a, b WHERE a.ts = b.ts',
    rows: [
      [0, 10],
      [3, 13],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a JOIN b WHERE a.ts = b.ts',
    rows: [
      [0, 10],
      [3, 13],
    ],
  },
  { sql: 'SELECT a.v, w FROM a JOIN b ON a._c0 = b._rowts AND w IS NULL', rows: [[3, null]] },
  { sql: 'SELECT a.v, b.v FROM a JOIN b ON a.ts = b.ts AND a.v + 11 > b.v AND b.v > 10', rows: [[3, 13]] },
  { sql: `SELECT x.s, y.v FROM a AS x JOIN b AS y ON x.ts = y.ts WHERE x.s = 'x' AND y.v < 13`, rows: [['x', 10]] },
  {
    sql: 'SELECT x.v, y.v FROM a x, a y WHERE x.ts = y.ts AND x.v > 2',
    rows: [
      [3, 3],
      [4, 4],
    ],
  },
  {
    sql: 'SELECT a.v, b.v, c.v FROM a JOIN b ON a.ts = b.ts JOIN c ON b.ts = c.ts',
    rows: [
      [0, 10, 20],
      [3, 13, 23],
    ],
  },
  { sql: 'SELECT c.v FROM a, b, c WHERE a.ts = b.ts AND b.ts = c.ts AND a.v = 3', rows: [[23]] },
  {
    sql: 'SELECT a.v, u.v FROM a JOIN us.u ON a.ts = u.ts',
    rows: [
      [0, 1],
      [3, 2],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a JOIN b ON TIMETRUNCATE(a.ts, 1s) = TIMETRUNCATE(b.ts, 1s) AND a.v = 2 AND b.v > 12',
    rows: [
      [2, 13],
      [2, 15],
    ],
  },
  { sql: 'SELECT a.v, b.v FROM a JOIN b ON a.ts = b.ts ORDER BY b.v DESC LIMIT 1', rows: [[3, 13]] },
  { sql: `SELECT a.v FROM a JOIN b ON a.ts = b.ts WHERE a.ts > ${base} AND b.ts < ${base + 4}`, rows: [[3]] },
  { sql: `SELECT a.v FROM a JOIN b ON a.ts = b.ts WHERE b.ts > ${base + 3}`, rows: [] },
]);

statements('aggregates, groups and windows work over a join', service, 'j', [
  { sql: 'SELECT count(*), sum(a.v), max(b.v) FROM a, b WHERE a.ts = b.ts', rows: [[2, 3, 13]] },
  { sql: 'SELECT count(*) FROM a, b WHERE a.ts = b.ts AND a.v > 100', rows: [[0]] },
  { sql: 'SELECT a.s, sum(b.v) FROM a JOIN b ON a.ts = b.ts GROUP BY a.s', rows: [['x', 23]] },
  { sql: 'SELECT last(a.v), first(b.v) FROM a JOIN b ON a.ts = b.ts', rows: [[3, 10]] },
  {
    sql: 'SELECT _wstart, count(*), sum(b.v) FROM a JOIN b ON a.ts = b.ts INTERVAL(2a)',
    rows: [
      [at(0), 1, 10],
      [at(2), 1, 13],
    ],
  },
  { sql: 'SELECT DISTINCT a.s FROM a JOIN b ON a.ts = b.ts', rows: [['x']] },
  {
    sql: 'SELECT s, count(*) FROM a LEFT JOIN b ON a.ts = b.ts PARTITION BY s ORDER BY s',
    rows: [
      [null, 1],
      ['x', 2],
      ['y', 1],
    ],
  },
]);

statements('an outer join keeps rows without partner', service, 'j', [
  {
    sql: 'SELECT a.v, b.v FROM a LEFT JOIN b ON a.ts = b.ts',
    rows: [
      [0, 10],
      [2, null],
      [3, 13],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.ts, b.v, w FROM a LEFT OUTER JOIN b ON a.ts = b.ts WHERE a.v < 3',
    rows: [
      [0, at(0), 10, 0],
      [2, null, null, null],
    ],
  },
  {
    sql: 'SELECT a.ts, b.v FROM a RIGHT JOIN b ON a.ts = b.ts',
    rows: [
      [at(0), 10],
      [null, 11],
      [at(3), 13],
      [null, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a FULL JOIN b ON a.ts = b.ts',
    rows: [
      [0, 10],
      [null, 11],
      [2, null],
      [3, 13],
      [4, null],
      [null, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT JOIN b ON a.ts = b.ts AND b.v > 10',
    rows: [
      [0, null],
      [2, null],
      [3, 13],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT JOIN b ON a.ts = b.ts AND a.v > 0',
    rows: [
      [0, null],
      [2, null],
      [3, 13],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a LEFT JOIN b ON a.ts = b.ts AND a.v + 10 <> b.v',
    rows: [
      [0, null],
      [2, null],
      [3, null],
      [4, null],
    ],
  },
  { sql: 'SELECT a.v FROM a LEFT JOIN b ON a.ts = b.ts WHERE b.v IS NULL', rows: [[2], [4]] },
  { sql: 'SELECT a.v, b.v FROM a LEFT JOIN b ON a.ts = b.ts WHERE b.v > 10', rows: [[3, 13]] },
  {
    sql: 'SELECT a.v, b.v FROM a FULL OUTER JOIN b ON a.ts = b.ts WHERE a.v > 2',
    rows: [
      [3, 13],
      [4, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v FROM a FULL JOIN b ON a.ts = b.ts AND a.v > 0 AND b.v > 10',
    rows: [
      [null, 10],
      [0, null],
      [null, 11],
      [2, null],
      [3, 13],
      [4, null],
      [null, 15],
    ],
  },
  {
    sql: 'SELECT a.v, b.v, c.v FROM a LEFT JOIN b ON a.ts = b.ts LEFT JOIN c ON a.ts = c.ts',
    rows: [
      [0, 10, 20],
      [2, null, null],
      [3, 13, 23],
      [4, null, null],
    ],
  },
  {
    sql: 'SELECT a.v, b.v, c.v FROM a LEFT JOIN b ON a.ts = b.ts JOIN c ON a.ts = c.ts',
    rows: [
      [0, 10, 20],
      [3, 13, 23],
    ],
  },
  {
    sql: `SELECT a.v, b.v FROM a RIGHT JOIN b ON a.ts = b.ts WHERE b.ts > ${base + 1}`,
    rows: [
      [3, 13],
      [null, 15],
    ],
  },
]);

statements('SEMI and ANTI joins give the rows of one side', service, 'j', [
  {
    sql: 'SELECT * FROM a LEFT SEMI JOIN b ON a.ts = b.ts',
    rows: [
      [at(0), 0, 'x'],
      [at(3), 3, 'x'],
    ],
  },
  {
    sql: 'SELECT * FROM a LEFT ANTI JOIN b ON a.ts = b.ts',
    rows: [
      [at(2), 2, 'y'],
      [at(4), 4, null],
    ],
  },
  { sql: 'SELECT b.v FROM a RIGHT SEMI JOIN b ON a.ts = b.ts', rows: [[10], [13]] },
  { sql: 'SELECT v FROM a RIGHT ANTI JOIN b ON a.ts = b.ts', rows: [[11], [15]] },
  { sql: 'SELECT a.v FROM a LEFT SEMI JOIN b ON a.ts = b.ts AND b.v > 10', rows: [[3]] },
  { sql: 'SELECT a.v FROM a LEFT ANTI JOIN b ON a.ts = b.ts AND b.v > 10', rows: [[0], [2], [4]] },
  { sql: 'SELECT a.v FROM a LEFT ANTI JOIN b ON a.ts = b.ts AND a.v > 0', rows: [[0], [2], [4]] },
  { sql: 'SELECT a.v FROM a LEFT SEMI JOIN b ON a.ts = b.ts AND a.v + 10 < b.v', rows: [] },
  { sql: 'SELECT x.v FROM m x LEFT SEMI JOIN m1 y ON x.ts = y.ts ORDER BY x.v', rows: [[1], [2], [3]] },
]);

statements('super tables are joined by time and tags', service, 'j', [
  {
    sql: 'SELECT x.v, y.v FROM m x JOIN m y ON x.ts = y.ts AND x.g = y.g ORDER BY x.v',
    rows: [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ],
  },
  {
    sql: 'SELECT x.v, y.v FROM m x JOIN m y ON x.ts = y.ts ORDER BY x.v, y.v',
    rows: [
      [1, 1],
      [1, 3],
      [2, 2],
      [3, 1],
      [3, 3],
      [4, 4],
    ],
  },
  {
    sql: "SELECT x.v, y.tbname, y.n FROM m x, m y WHERE x.ts = y.ts AND x.tbname = y.tbname AND x.n = 'q'",
    rows: [
      [3, 'm2', 'q'],
      [4, 'm2', 'q'],
    ],
  },
  {
    sql: 'SELECT a.v, m.v, m.g FROM a JOIN m ON a.ts = m.ts ORDER BY m.v',
    rows: [
      [0, 1, 1],
      [0, 3, 2],
      [2, 4, 2],
    ],
  },
  { sql: 'SELECT a.v, m1.v, m1.n FROM a JOIN m1 ON a.ts = m1.ts', rows: [[0, 1, 'p']] },
  { sql: 'SELECT * FROM m x JOIN m1 y ON x.ts = y.ts WHERE x.g = 2', rows: [[at(0), 3, at(0), 1]] },
  { sql: 'SELECT x.* FROM m x JOIN m1 y ON x.ts = y.ts WHERE x.g = 2', rows: [[at(0), 3, 2, 'q']] },
  {
    sql: 'SELECT x.g, count(*) FROM m x LEFT JOIN b ON x.ts = b.ts GROUP BY x.g',
    rows: [
      [1, 2],
      [2, 2],
    ],
  },
  {
    sql: 'SELECT x.g, count(b.v) FROM m x LEFT JOIN b ON x.ts = b.ts GROUP BY x.g',
    rows: [
      [1, 2],
      [2, 1],
    ],
  },
  {
    sql: 'SELECT x.tbname, sum(b.v) FROM m x, b WHERE x.ts = b.ts PARTITION BY x.tbname',
    rows: [
      ['m1', 21],
      ['m2', 10],
    ],
  },
]);

statements('subqueries are joined by their time', service, 'j', [
  {
    sql: 'SELECT x.v, y.c FROM a x JOIN (SELECT ts, v + 1 AS c FROM b) y ON x.ts = y.ts',
    rows: [
      [0, 11],
      [3, 14],
    ],
  },
  {
    sql: 'SELECT x.n, y.n FROM (SELECT _wstart AS t, count(*) AS n FROM a INTERVAL(10a)) x JOIN (SELECT _wstart AS t, count(*) AS n FROM b INTERVAL(10a)) y ON x.t = y.t',
    rows: [[4, 4]],
  },
  {
    sql: 'SELECT * FROM (SELECT a.ts, a.v, b.v AS u FROM a JOIN b ON a.ts = b.ts) WHERE u > 10',
    rows: [[at(3), 3, 13]],
  },
  {
    sql: 'SELECT x.u, c.v FROM (SELECT a.ts, b.v AS u FROM a JOIN b ON a.ts = b.ts) x LEFT JOIN c ON x.ts = c.ts',
    rows: [
      [10, 20],
      [13, 23],
    ],
  },
  {
    sql: 'SELECT a.v, q.v FROM a LEFT JOIN (b q JOIN c ON q.ts = c.ts AND c.v > 20) ON a.ts = q.ts',
    rows: [
      [0, null],
      [2, null],
      [3, 13],
      [4, null],
    ],
  },
  { sql: 'SELECT x.v FROM a x JOIN (SELECT v FROM b) y ON x.ts = y.ts', error: 0x2664 },
]);

statements('joins without equal times, and names that are not clear, are refused', service, 'j', [
  { sql: 'SELECT * FROM a, b', error: 0x2702, says: 'Cross join not support' },
  { sql: 'SELECT a.v FROM a JOIN b', error: 0x2702 },
  { sql: 'SELECT a.v FROM a, b WHERE a.v > 1', error: 0x2702 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.v = b.v', error: 0x2701, says: 'Expect ts equal' },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts + 1s = b.ts', error: 0x2701 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts > b.ts', error: 0x2701 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts = b.ts OR a.v = b.v', error: 0x2701 },
  { sql: 'SELECT a.v FROM a, b WHERE a.v = b.v', error: 0x2701 },
  { sql: 'SELECT a.v FROM a LEFT JOIN b ON a.ts = a.ts', error: 0x2701 },
  { sql: 'SELECT a.v FROM a FULL JOIN b ON a.v = b.v', error: 0x2701 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts = b.ts JOIN c ON a.v = c.v', error: 0x2701 },
  { sql: 'SELECT a.ts FROM a JOIN a ON a.ts = a.ts', error: 0x2663 },
  { sql: 'SELECT x.ts FROM a x JOIN b x ON x.ts = x.ts', error: 0x2663 },
  { sql: 'SELECT v FROM a JOIN b ON a.ts = b.ts', error: 0x2604 },
  { sql: 'SELECT ts FROM a JOIN b ON a.ts = b.ts', error: 0x2604 },
  { sql: 'SELECT z.v FROM a JOIN b ON a.ts = b.ts', error: 0x2603 },
  { sql: 'SELECT a.q FROM a JOIN b ON a.ts = b.ts', error: 0x2602 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts = b.ts AND a.q = 1', error: 0x2602 },
  { sql: 'SELECT a.v FROM a JOIN nothing ON a.ts = nothing.ts', error: 0x2662 },
  { sql: 'SELECT a.v FROM a LEFT JOIN b ON a.ts = b.ts AND count(b.v) > 1', error: 0x2608 },
  { sql: 'SELECT TAGS g FROM m JOIN a ON m.ts = a.ts', error: 0x2665 },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts = b.ts JLIMIT 1', error: 0x2600 },
  { sql: 'SELECT a.v FROM a LEFT JOIN b ON a.ts = b.ts WINDOW_OFFSET(-1a, 1a)', error: 0x2600 },
  { sql: 'SELECT a.v FROM a LEFT ASOF JOIN b WINDOW_OFFSET(-1a, 1a)', error: 0x2600 },
  { sql: 'SELECT a.v FROM a FULL JOIN b', error: 0x2702 },
  { sql: 'SELECT a.v FROM a LEFT JOIN', error: 0x2601 },
]);

statements('subqueries are joined by any time that they give, also a moved one', service, 'j', [
  {
    sql: 'SELECT a.v, b.v FROM a JOIN (SELECT TODAY() AS t, * FROM b) b ON a.ts = b.ts',
    rows: [
      [0, 10],
      [3, 13],
    ],
  },
  {
    sql: `SELECT a.v, count(*) FROM a JOIN (SELECT CAST(${base} AS TIMESTAMP) AS t, v FROM b) b ON a.ts = b.t GROUP BY a.v`,
    rows: [[0, 4]],
  },
  {
    sql: `SELECT DISTINCT a.v FROM a JOIN (SELECT CAST(${base} - 1000 AS TIMESTAMP) AS t FROM b) b ON a.ts = b.t + 500a + 500a`,
    rows: [[0]],
  },
]);

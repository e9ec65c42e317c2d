import test from 'ava';
import fc from 'fast-check';
import { sharedService } from '../../support/shared-service.js';
import { statements } from '../../support/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z; times below are milliseconds after it. */
const base = 1_700_000_000_000;

/**
 * `a` at 0, 2, 3, 4 with v equal to the time and s x, y, x, NULL; `b` at 0, 1, 3, 5 with v 10 more than the time and w half
 * of it, but NULL at 3; `c` at 0 and 3 with v 20 and 23. Super table `m`: m1 (g 1, n p) has 1 at 0 and 2 at 1, m2 (g 2, n q)
 * has 3 at 0 and 4 at 2.
 */
test.before(async () => {
  await service.run('CREATE DATABASE j');
  await service.run('CREATE DATABASE us PRECISION "us"');
  await service.run('CREATE TABLE j.a (ts TIMESTAMP, v INT, s VARCHAR(8))');
  await service.run('CREATE TABLE j.b (ts TIMESTAMP, v INT, w DOUBLE)');
  await service.run('CREATE TABLE j.c (ts TIMESTAMP, v INT)');
  await service.run('CREATE TABLE us.u (ts TIMESTAMP, v INT)');
  await service.run('CREATE STABLE j.m (ts TIMESTAMP, v INT) TAGS (g INT, n VARCHAR(8))');
  await service.run(
    `INSERT INTO j.a VALUES (${base}, 0, 'x') (${base + 2}, 2, 'y') (${base + 3}, 3, 'x') (${base + 4}, 4, NULL)
      j.b VALUES (${base}, 10, 0) (${base + 1}, 11, 0.5) (${base + 3}, 13, NULL) (${base + 5}, 15, 2.5)
      j.c VALUES (${base}, 20) (${base + 3}, 23)
      us.u VALUES (${base}000, 1) (${base + 3}000, 2) (${base + 4}500, 3)
      j.m1 USING j.m TAGS (1, 'p') VALUES (${base}, 1) (${base + 1}, 2)
      j.m2 USING j.m TAGS (2, 'q') VALUES (${base}, 3) (${base + 2}, 4)`,
  );
});

/** A time as results show it. */
const at = (ms: number): string => new Date(base + ms).toISOString();

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

interface Point {
  readonly at: number;
  readonly k: number | null;
  readonly v: number;
}

/** Pairs of a main row and a partner, or none, as a naive reading of the join gives them. */
type Pair = readonly [main: Point | null, partner: Point | null];

const kinds: Readonly<Record<string, (a: readonly Point[], b: readonly Point[]) => Pair[]>> = {
  'a JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) =>
    a.flatMap((x) => b.filter((y) => isEqual(x, y)).map((y): Pair => [x, y])),
  'a LEFT JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) => outer(a, b, isEqual),
  'a RIGHT JOIN b ON a.ts = b.ts AND a.k = b.k': (a, b) => outer(b, a, isEqual).map(([x, y]): Pair => [y, x]),
  'a FULL JOIN b ON a.ts = b.ts AND a.v < b.v': (a, b) => {
    const lone = b.filter((y) => !a.some((x) => x.at === y.at && x.v < y.v));
    return [...outer(a, b, (x, y) => x.at === y.at && x.v < y.v), ...lone.map((y): Pair => [null, y])];
  },
  'a LEFT ASOF JOIN b ON a.ts >= b.ts AND a.k = b.k': (a, b) =>
    nearest(a, b, (x, y) => sameKey(x, y) && y.at <= x.at, 'latest', 1),
  'a LEFT ASOF JOIN b ON a.ts > b.ts JLIMIT 3': (a, b) => nearest(a, b, (x, y) => y.at < x.at, 'latest', 3),
  'a LEFT ASOF JOIN b ON a.ts <= b.ts AND a.k = b.k JLIMIT 2': (a, b) =>
    nearest(a, b, (x, y) => sameKey(x, y) && y.at >= x.at, 'earliest', 2),
  'a LEFT WINDOW JOIN b ON a.k = b.k WINDOW_OFFSET(-3a, 2a)': (a, b) =>
    outer(a, b, (x, y) => sameKey(x, y) && y.at >= x.at - 3 && y.at <= x.at + 2),
  'a RIGHT WINDOW JOIN b WINDOW_OFFSET(1a, 4a) JLIMIT 2': (a, b) =>
    nearest(b, a, (x, y) => y.at >= x.at + 1 && y.at <= x.at + 4, 'earliest', 2).map(([x, y]): Pair => [y, x]),
};

function sameKey(x: Point, y: Point): boolean {
  return x.k !== null && x.k === y.k;
}

function isEqual(x: Point, y: Point): boolean {
  return x.at === y.at && sameKey(x, y);
}

function outer(a: readonly Point[], b: readonly Point[], meets: (x: Point, y: Point) => boolean): Pair[] {
  return nearest(a, b, meets, 'earliest', b.length);
}

function nearest(
  a: readonly Point[],
  b: readonly Point[],
  meets: (x: Point, y: Point) => boolean,
  which: 'earliest' | 'latest',
  count: number,
): Pair[] {
  return a.flatMap((x): Pair[] => {
    const met = b.filter((y) => meets(x, y));
    met.sort((one, other) => one.at - other.at);
    const chosen = which === 'earliest' ? met.slice(0, count) : met.slice(-count);
    return chosen.length === 0 ? [[x, null]] : chosen.map((y) => [x, y]);
  });
}

const points = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: 0, max: 30 }),
    k: fc.option(fc.integer({ min: 0, max: 2 })),
    v: fc.integer({ min: 0, max: 5 }),
  }),
  { selector: ({ at: time }) => time, minLength: 1, maxLength: 15 },
);

test('joins of random rows agree with a naive evaluation', async (t) => {
  await service.run('CREATE DATABASE random');
  let round = 0;
  const insert = async (name: string, rows: readonly Point[]): Promise<void> => {
    await service.run(`CREATE TABLE random.${name} (ts TIMESTAMP, k INT, v INT)`);
    const values = rows.map(({ at: time, k, v }) => `(${base + time}, ${k}, ${v})`).join(' ');
    await service.run(`INSERT INTO random.${name} VALUES ${values}`);
  };
  await fc.assert(
    fc.asyncProperty(points, points, async (a, b) => {
      round += 1;
      await insert(`a${round}`, a);
      await insert(`b${round}`, b);
      for (const [join, evaluate] of Object.entries(kinds)) {
        const from = join.replace(/^a (.*?JOIN) b/, `a${round} a $1 b${round} b`);
        const found = await service.rows(`SELECT a.ts, a.v, b.ts, b.v FROM ${from}`, { database: 'random' });
        const shown = (point: Point | null) => (point === null ? [null, null] : [at(point.at), point.v]);
        const expected = evaluate(a, b).map(([x, y]) => [...shown(x), ...shown(y)]);
        t.deepEqual(found.map(textOf).sort(), expected.map(textOf).sort(), `${join} ${JSON.stringify([a, b])}`);
      }
    }),
    { numRuns: 8 },
  );
});

function textOf(row: readonly unknown[]): string {
  return JSON.stringify(row);
}

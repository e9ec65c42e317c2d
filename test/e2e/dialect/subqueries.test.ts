import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z, the start of a window of 10 s; times below are seconds after it. */
const base = 1_700_000_000_000;

/**
 * `a` at 0, 1, 2, 3 with v 4, 3, NULL, 1 and s 'p', 'q', 'p', NULL; `b` at 1, 5 with v 30, 50 and x 0.5, 2.5. Super table `m`:
 * m1 (g 1) has 1, 2, 3 at 0, 1, 2, m2 (g 1) has 10 at 0, m3 (g 2) has 100, 200 at 1, 2, m4 (g 3) has no rows.
 */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.a (ts TIMESTAMP, v INT, s VARCHAR(4))');
  await service.run('CREATE TABLE d.b (ts TIMESTAMP, v INT, x DOUBLE)');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  const t = (seconds: number): number => base + seconds * 1000;
  await service.run(
    `INSERT INTO d.a VALUES (${t(0)}, 4, 'p') (${t(1)}, 3, 'q') (${t(2)}, NULL, 'p') (${t(3)}, 1, NULL)
      d.b VALUES (${t(1)}, 30, 0.5) (${t(5)}, 50, 2.5)
      d.m1 USING d.m TAGS (1) VALUES (${t(0)}, 1) (${t(1)}, 2) (${t(2)}, 3)
      d.m2 USING d.m TAGS (1) VALUES (${t(0)}, 10)
      d.m3 USING d.m TAGS (2) VALUES (${t(1)}, 100) (${t(2)}, 200)`,
  );
  await service.run('CREATE TABLE d.m4 USING d.m TAGS (3)');
});

const at = (seconds: number): string => new Date(base + seconds * 1000).toISOString();

statements('a query may stand on a query', service, 'd', [
  {
    sql: 'SELECT * FROM (SELECT ts, v FROM a)',
    rows: [
      [at(0), 4],
      [at(1), 3],
      [at(2), null],
      [at(3), 1],
    ],
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['v', 'INT', 4],
    ],
  },
  {
    sql: 'SELECT n + 1 AS more FROM (SELECT v AS n FROM a WHERE v > 1) WHERE n < 4',
    rows: [[4]],
    meta: [['more', 'DOUBLE', 8]],
  },
  { sql: 'SELECT x.v FROM (SELECT v FROM a) x WHERE x.v = 1', rows: [[1]] },
  { sql: 'SELECT x.v FROM (SELECT v FROM a) AS x WHERE v = 1', rows: [[1]] },
  { sql: 'SELECT count(*) FROM (SELECT DISTINCT(tbname) FROM m)', rows: [[4]] },
  { sql: 'SELECT count(*) FROM (SELECT DISTINCT g FROM m)', rows: [[3]] },
  { sql: 'SELECT sum(`count(*)`), max(c) FROM (SELECT count(*), sum(v) AS c FROM m PARTITION BY g)', rows: [[6, 300]] },
  {
    sql: 'SELECT g, c FROM (SELECT g, count(v) AS c FROM m GROUP BY g) WHERE c > 1 ORDER BY g',
    rows: [
      [1, 4],
      [2, 2],
    ],
  },
  { sql: 'SELECT max(c) FROM (SELECT tbname, count(*) AS c FROM m GROUP BY tbname)', rows: [[3]] },
  { sql: 'SELECT tbname FROM (SELECT tbname, v FROM m) WHERE v > 50', rows: [['m3'], ['m3']] },
  { sql: 'SELECT avg(d) FROM (SELECT DIFF(v) AS d FROM m1)', rows: [[1]] },
  { sql: 'SELECT count(v) FROM (SELECT v FROM a WHERE v > 100)', rows: [[0]] },
  { sql: 'SELECT v FROM (SELECT v FROM a WHERE v > 100)', rows: [] },
  { sql: 'SELECT 2 * x FROM (SELECT 21 AS x)', rows: [[42]] },
  { sql: 'SELECT `Up` FROM (SELECT v AS `Up` FROM b)', rows: [[30], [50]] },
]);

statements('the first timestamp of a subquery is its time', service, 'd', [
  {
    sql: 'SELECT _c0, n FROM (SELECT v AS n, ts FROM b)',
    rows: [
      [at(1), 30],
      [at(5), 50],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*), sum(v) FROM (SELECT ts, v FROM a UNION ALL SELECT ts, v FROM b) INTERVAL(2s)',
    rows: [
      [at(0), 3, 37],
      [at(2), 2, 1],
      [at(4), 1, 50],
    ],
  },
  {
    sql: 'SELECT _wstart, max(c) FROM (SELECT _wstart AS w, count(*) AS c FROM m INTERVAL(1s)) INTERVAL(10s)',
    rows: [[at(0), 2]],
  },
  { sql: 'SELECT last(v), first(v) FROM (SELECT ts, v FROM m WHERE g = 2 ORDER BY ts)', rows: [[200, 100]], query: {} },
  {
    sql: `SELECT v FROM (SELECT ts, v FROM a) WHERE ts BETWEEN ${base + 1000} AND ${base + 2000}`,
    rows: [[3], [null]],
  },
  { sql: 'SELECT diff(v) FROM (SELECT ts, v FROM a)', rows: [[-1], [null], [-2]] },
  { sql: 'SELECT _wstart, count(*) FROM (SELECT v FROM a) INTERVAL(1s)', error: 0x2650 },
  { sql: 'SELECT _c0 FROM (SELECT v FROM a)', error: 0x2646 },
]);

statements('functions give NULL where there is nothing to take, whatever a query inside computes', service, 'd', [
  { sql: 'SELECT sum(w), avg(w) FROM (SELECT length(s) AS w FROM a WHERE v > 9)', rows: [] },
  {
    sql: 'SELECT count(w), sum(w), first(w) FROM (SELECT ts, length(s) AS w FROM a WHERE v > 9)',
    rows: [[0, null, null]],
  },
  {
    sql: 'SELECT lag(w), lead(w) FROM (SELECT ts, ts > 0 AS w FROM b)',
    rows: [
      [null, true],
      [true, null],
    ],
  },
  {
    sql: 'SELECT max(v), ts, w FROM (SELECT ts, v, v IS NULL AS w FROM a WHERE v IS NULL UNION ALL SELECT ts, v, false FROM b WHERE v < 0)',
    rows: [[null, null, null]],
  },
  { sql: 'SELECT first(v), w FROM (SELECT ts, v, ts > 0 AS w FROM a WHERE v IS NULL)', rows: [[null, null]] },
]);

statements('order and limits inside are kept', service, 'd', [
  { sql: 'SELECT v FROM (SELECT v FROM a ORDER BY ts DESC LIMIT 2)', rows: [[1], [null]] },
  { sql: 'SELECT v FROM (SELECT ts, v FROM a ORDER BY v DESC) LIMIT 2', rows: [[4], [3]] },
  { sql: 'SELECT sum(v) FROM (SELECT v FROM a LIMIT 2)', rows: [[7]] },
  { sql: 'SELECT v FROM (SELECT v FROM a LIMIT 1, 2)', rows: [[3], [null]] },
  { sql: 'SELECT v FROM (SELECT v FROM a LIMIT 2 OFFSET 1) ORDER BY v DESC LIMIT 1', rows: [[3]] },
  {
    sql: 'SELECT * FROM (SELECT g, v FROM m PARTITION BY g ORDER BY ts, v LIMIT 1) ORDER BY g LIMIT 1',
    rows: [[1, 1]],
  },
  { sql: 'SELECT v FROM (SELECT v FROM a LIMIT 0)', rows: [] },
]);

const [newestFirst, byValue] = ['ts DESC', 'v'].map(
  (by) => `(SELECT ts, v FROM m WHERE g = 1 AND v < 9 ORDER BY ${by})`,
);

statements('functions that compare neighbours see the rows in the order of the query inside', service, 'd', [
  { sql: `SELECT diff(v) FROM ${newestFirst}`, rows: [[-1], [-1]] },
  {
    sql: `SELECT ts, csum(v) FROM ${newestFirst}`,
    rows: [
      [at(2), 3],
      [at(1), 5],
      [at(0), 6],
    ],
  },
  { sql: `SELECT mavg(v, 2) FROM ${newestFirst}`, rows: [[2.5], [1.5]] },
  { sql: `SELECT derivative(v, 1s, 0) FROM ${newestFirst}`, rows: [[1], [1]] },
  {
    sql: `SELECT lag(v), lead(v) FROM ${newestFirst}`,
    rows: [
      [null, 2],
      [3, 1],
      [2, null],
    ],
  },
  { sql: `SELECT statecount(v, 'LT', 3) FROM ${newestFirst}`, rows: [[-1], [1], [2]] },
  { sql: `SELECT stateduration(v, 'LT', 3, 1s) FROM ${newestFirst}`, rows: [[-1], [0], [-1]] },
  { sql: 'SELECT fill_forward(v) FROM (SELECT * FROM a ORDER BY ts DESC)', rows: [[1], [1], [3], [4]] },
  { sql: 'SELECT diff(n) FROM (SELECT v AS n, ts FROM b ORDER BY 2 DESC)', rows: [[-20]] },
  {
    sql: 'SELECT diff(v) FROM (SELECT ts, v FROM b UNION ALL SELECT ts - 9s, 1 FROM b ORDER BY ts DESC)',
    rows: [[-20], [-29], [0]],
  },
  { sql: 'SELECT diff(v) FROM (SELECT ts AS t, v FROM b ORDER BY ts)', rows: [[20]] },
  {
    sql: `SELECT count(*), first(v) FROM ${newestFirst} COUNT_WINDOW(2)`,
    rows: [
      [2, 2],
      [1, 1],
    ],
  },
  { sql: `SELECT count(*) FROM ${newestFirst} EVENT_WINDOW START WITH v > 1 END WITH v < 3`, rows: [[2]] },
  { sql: `SELECT tail(v, 1) FROM ${newestFirst}`, rows: [[3]] },
  { sql: `SELECT twa(v), irate(v), elapsed(ts, 1s), last(v) FROM ${newestFirst}`, rows: [[2, 1, 2, 3]] },
]);

statements('functions along the time refuse rows in another order', service, 'd', [
  ...['diff(v)', 'csum(v)', 'lag(v)', 'fill_forward(v)', 'twa(v)', 'irate(v)', 'elapsed(ts)'].map((call) => {
    return { sql: `SELECT ${call} FROM ${byValue}`, error: 0x264f, says: 'requires valid time series input' };
  }),
  { sql: `SELECT interp(v) FROM ${byValue} RANGE(${base})`, error: 0x264f },
  { sql: `SELECT count(*) FROM ${byValue} SESSION(ts, 1s)`, error: 0x2650 },
  { sql: `SELECT count(*) FROM ${byValue} INTERVAL(1m)`, rows: [[3]] },
  { sql: `SELECT last(v), count(*) FROM ${byValue}`, rows: [[3, 3]] },
  { sql: `SELECT tail(v, 1) FROM ${byValue}`, rows: [[3]] },
  { sql: `SELECT unique(v) FROM ${byValue}`, rows: [[1], [2], [3]] },
]);

statements('names of a subquery are those of its result', service, 'd', [
  { sql: 'SELECT w FROM (SELECT v FROM a)', error: 0x2602 },
  { sql: 'SELECT a.v FROM (SELECT v FROM a)', error: 0x2603 },
  { sql: 'SELECT y.v FROM (SELECT v FROM a) x', error: 0x2603 },
  { sql: 'SELECT n FROM (SELECT v AS n, s AS n FROM a)', error: 0x2604 },
  { sql: 'SELECT tbname FROM (SELECT v FROM m)', error: 0x264c },
  { sql: 'SELECT g FROM (SELECT v FROM m)', error: 0x2602 },
  { sql: 'SELECT TAGS v FROM (SELECT v FROM m)', error: 0x2665 },
  { sql: 'SELECT v FROM (SELECT v FROM nothing)', error: 0x2662 },
  { sql: 'SELECT v FROM (SELECT v FROM a', error: 0x2601 },
]);

statements('UNION joins the rows of queries', service, 'd', [
  { sql: 'SELECT v FROM a WHERE v > 1 UNION ALL SELECT v FROM b ORDER BY v', rows: [[3], [4], [30], [50]] },
  { sql: 'SELECT s FROM a UNION SELECT s FROM a ORDER BY s', rows: [[null], ['p'], ['q']] },
  { sql: 'SELECT s FROM a UNION ALL SELECT s FROM a ORDER BY s DESC LIMIT 3', rows: [['q'], ['q'], ['p']] },
  {
    sql: 'SELECT v AS n FROM b UNION ALL SELECT x FROM b ORDER BY n',
    rows: [[0.5], [2.5], [30], [50]],
    meta: [['n', 'DOUBLE', 8]],
  },
  {
    sql: 'SELECT ts, v FROM a UNION ALL SELECT ts, v FROM b ORDER BY ts DESC LIMIT 1, 2',
    rows: [
      [at(3), 1],
      [at(2), null],
    ],
  },
  { sql: 'SELECT v FROM b UNION ALL SELECT NULL ORDER BY 1', rows: [[null], [30], [50]] },
  { sql: `SELECT v FROM b UNION ALL SELECT 'x' ORDER BY 1`, rows: [['30'], ['50'], ['x']] },
  {
    sql: '(SELECT v FROM a ORDER BY v DESC LIMIT 1) UNION ALL (SELECT v FROM b ORDER BY v LIMIT 1) ORDER BY v',
    rows: [[4], [30]],
  },
  { sql: 'SELECT 1 UNION ALL SELECT 1 UNION SELECT 1', rows: [[1]] },
  { sql: 'SELECT 1 UNION SELECT 1 UNION ALL SELECT 1', rows: [[1], [1]] },
  { sql: 'SELECT 1 UNION ALL (SELECT 2 UNION ALL SELECT 1 ORDER BY 1 LIMIT 1) ORDER BY 1', rows: [[1], [1]] },
  { sql: 'SELECT 1 UNION (SELECT 2 UNION ALL SELECT 2) ORDER BY 1', rows: [[1], [2]] },
  {
    sql: "SELECT 1234567890123456789 UNION ALL SELECT 1.5 UNION ALL SELECT 'x' ORDER BY 1",
    rows: [['1.5'], ['1234567890123456789'], ['x']],
  },
  { sql: 'SELECT count(*) FROM (SELECT v FROM a UNION ALL (SELECT v FROM b UNION SELECT v FROM b))', rows: [[6]] },
  {
    sql: 'SELECT g, sum(v) FROM m GROUP BY g UNION ALL SELECT 9, sum(v) FROM b ORDER BY 1',
    rows: [
      [1, 16],
      [2, 300],
      [9, 80],
    ],
  },
  { sql: 'SELECT v FROM a UNION SELECT v, x FROM b', error: 0x2634 },
  { sql: 'SELECT v FROM a UNION ALL SELECT v FROM b ORDER BY 2', error: 0x2609 },
  { sql: 'SELECT v FROM a UNION ALL SELECT v FROM b ORDER BY q', error: 0x2602 },
  { sql: 'SELECT v FROM a UNION ALL SELECT v FROM nothing', error: 0x2662 },
  { sql: 'SELECT v FROM a UNION ALL SELECT v FROM b LIMIT -1', error: 0x2637 },
]);

statements('SLIMIT chooses slices, LIMIT rows in each', service, 'd', [
  { sql: 'SELECT g, sum(v) FROM m PARTITION BY g SLIMIT 1', rows: [[1, 16]] },
  { sql: 'SELECT g, sum(v) FROM m PARTITION BY g SLIMIT 1 SOFFSET 1', rows: [[2, 300]] },
  { sql: 'SELECT g, sum(v) FROM m GROUP BY g SLIMIT 1, 5', rows: [[2, 300]] },
  {
    sql: 'SELECT tbname, v FROM m PARTITION BY tbname SLIMIT 2 LIMIT 1',
    rows: [
      ['m1', 1],
      ['m2', 10],
    ],
  },
  { sql: 'SELECT tbname, v FROM m PARTITION BY tbname SLIMIT 1 LIMIT 1 OFFSET 1', rows: [['m1', 2]] },
  {
    sql: 'SELECT tbname, _wstart, sum(v) FROM m PARTITION BY tbname INTERVAL(2s) SLIMIT 1 LIMIT 1',
    rows: [['m1', at(0), 3]],
  },
  { sql: 'SELECT sum(c) FROM (SELECT g, count(*) AS c FROM m PARTITION BY g SLIMIT 2)', rows: [[6]] },
  { sql: 'SELECT v FROM m SLIMIT 1', error: 0x2638 },
  { sql: 'SELECT g FROM m PARTITION BY g SLIMIT -1', error: 0x2637 },
]);

statements('a query may stand for a value', service, 'd', [
  { sql: 'SELECT v FROM a WHERE v > (SELECT avg(v) FROM a)', rows: [[4], [3]] },
  { sql: 'SELECT v FROM a WHERE ts = (SELECT max(ts) FROM a)', rows: [[1]] },
  { sql: 'SELECT v FROM a WHERE ts >= (SELECT min(ts) FROM b) AND v IS NOT NULL', rows: [[3], [1]] },
  { sql: 'SELECT v + (SELECT 100) AS n FROM a WHERE v = 1', rows: [[101]] },
  { sql: 'SELECT v FROM a WHERE v = (SELECT v FROM a WHERE v > 100)', rows: [] },
  { sql: 'SELECT (SELECT max(v) FROM b), count(*) FROM a', rows: [[50, 4]] },
  { sql: 'SELECT g, sum(v) FROM m GROUP BY g HAVING sum(v) > (SELECT max(v) FROM b) ORDER BY g', rows: [[2, 300]] },
  {
    sql: 'SELECT CASE WHEN v > (SELECT min(v) + 1 FROM a) THEN 1 ELSE 0 END AS c FROM a ORDER BY ts',
    rows: [[1], [1], [0], [0]],
  },
  {
    sql: 'SELECT tbname, v FROM m WHERE g = (SELECT max(g) FROM m) ORDER BY v',
    rows: [
      ['m3', 100],
      ['m3', 200],
    ],
  },
  { sql: 'SELECT v FROM a WHERE v > (SELECT v, x FROM b)', error: 0x2667 },
  { sql: 'SELECT v FROM a WHERE v > (SELECT q FROM b)', error: 0x2602 },
  { sql: 'SELECT v FROM a WHERE v > (SELECT v FROM nothing)', error: 0x2662 },
  { sql: 'SELECT v FROM a WHERE v > (SELECT v FROM b', error: 0x2601 },
]);

statements('IN and EXISTS take queries', service, 'd', [
  { sql: 'SELECT v FROM a WHERE v IN (SELECT v - 29 + 2 FROM b)', rows: [[3]] },
  {
    sql: 'SELECT v FROM m WHERE v IN (SELECT m.v FROM m JOIN a ON m.ts = a.ts WHERE a.v > 3) ORDER BY v',
    rows: [[1], [10]],
  },
  { sql: 'SELECT v FROM a WHERE v NOT IN (SELECT v FROM m)', rows: [[4]] },
  { sql: 'SELECT count(*) FROM a WHERE v NOT IN (SELECT v FROM m WHERE v > 1000)', rows: [[4]] },
  { sql: 'SELECT v FROM m WHERE ts IN (SELECT ts FROM b) ORDER BY v', rows: [[2], [100]] },
  { sql: `SELECT v FROM m WHERE tbname IN (SELECT tbname FROM m WHERE v > 50) ORDER BY v`, rows: [[100], [200]] },
  { sql: 'SELECT s FROM a WHERE s IN (SELECT s FROM a WHERE v = 3)', rows: [['q']] },
  { sql: 'SELECT v FROM a WHERE v IN (SELECT x FROM b)', rows: [] },
  { sql: 'SELECT v FROM a WHERE v IN (SELECT v FROM a) ORDER BY v', rows: [[1], [3], [4]] },
  { sql: 'SELECT v FROM b WHERE EXISTS (SELECT v FROM a WHERE v = 1)', rows: [[30], [50]] },
  { sql: 'SELECT v FROM b WHERE EXISTS (SELECT v FROM a WHERE v = 2)', rows: [] },
  { sql: 'SELECT v FROM b WHERE NOT EXISTS (SELECT v FROM a WHERE v = 2) AND v > 30', rows: [[50]] },
  { sql: 'SELECT a.v FROM a JOIN b ON a.ts = b.ts AND a.v IN (SELECT v FROM m WHERE g = 1)', rows: [[3]] },
  { sql: 'CREATE VIEW above AS SELECT v FROM a WHERE v > (SELECT avg(v) FROM a)', affected: 0 },
  { sql: 'SELECT v FROM d.above', rows: [[4], [3]] },
  { sql: 'SELECT count(*) FROM b WHERE v > (SELECT count(*) FROM above)', rows: [[2]] },
  { sql: 'SELECT v FROM a WHERE s IN (SELECT v FROM b)', rows: [] },
  { sql: 'SELECT v FROM a WHERE v IN (SELECT v, x FROM b)', error: 0x2667 },
]);

const few = 'SELECT v FROM a WHERE v IS NOT NULL AND v < 4';
const none = 'SELECT v FROM a WHERE v > 4';
const answers = (...values: readonly (boolean | null)[]): (boolean | null)[][] => values.map((value) => [value]);

statements('a value is compared with all rows of a query or with any of them', service, 'd', [
  { sql: `SELECT v > ALL (${few}) FROM a`, rows: answers(true, false, null, false) },
  { sql: `SELECT v <= ALL (${few}) FROM a`, rows: answers(false, false, null, true) },
  { sql: `SELECT v = ALL (${few}) FROM a`, rows: answers(false, false, null, false) },
  { sql: `SELECT v <> ALL (${few}) FROM a`, rows: answers(true, false, null, false) },
  { sql: `SELECT v > ANY (${few}) FROM a`, rows: answers(true, true, null, false) },
  { sql: `SELECT v < SOME (${few}) FROM a`, rows: answers(false, false, null, true) },
  { sql: `SELECT v <> ANY (${few}) FROM a`, rows: answers(true, true, null, true) },
  { sql: 'SELECT v < ALL (SELECT v FROM a) FROM a', rows: answers(false, false, null, false) },
  { sql: 'SELECT v < ANY (SELECT v FROM a) FROM a', rows: answers(null, true, null, true) },
  { sql: 'SELECT v = ANY (SELECT v FROM a WHERE v = 3 OR v IS NULL) FROM a', rows: answers(null, true, null, null) },
  {
    sql: `SELECT v > ALL (${none}), v > ANY (${none}), v = ANY (${none}) FROM a WHERE v IS NULL`,
    rows: [[true, false, false]],
  },
  { sql: `SELECT v FROM a WHERE NOT v > ANY (${few})`, rows: [[1]] },
  { sql: 'SELECT v FROM a WHERE s >= ALL (SELECT s FROM a WHERE s IS NOT NULL)', rows: [[3]] },
  { sql: 'SELECT v IN (SELECT v FROM a WHERE v = 3 OR v IS NULL) FROM a', rows: answers(null, true, null, null) },
  { sql: 'SELECT v FROM a WHERE s > ALL (SELECT v FROM a)', error: 0x0100, says: 'ALL of a subquery' },
  { sql: 'SELECT v FROM a WHERE v > ALL (1, 2)', error: 0x2600 },
]);

test('a query for a value with two rows is an error', async (t) => {
  t.not(await service.code('SELECT v FROM d.a WHERE v > (SELECT v FROM d.b)'), 0);
});

test('a view with a query for a value means the tables of its own database', async (t) => {
  await service.run('CREATE DATABASE e');
  await service.run('CREATE TABLE e.a (ts TIMESTAMP, v INT)');
  await service.run(`INSERT INTO e.a VALUES (${base}, 1000)`);
  await service.run('CREATE VIEW more AS SELECT v FROM a WHERE v >= (SELECT max(v) FROM a)', { database: 'd' });
  t.deepEqual(await service.rows('SELECT v FROM d.more', { database: 'e' }), [[4]]);
});

test('queries are nested as deep as anybody writes them', async (t) => {
  let text = 'SELECT ts, v FROM d.a';
  for (let level = 0; level < 30; level++) text = `SELECT ts, v FROM (${text})`;
  t.deepEqual(await service.rows(`SELECT sum(v) FROM (${text})`), [[8]]);
  let deep = 'SELECT 1 AS x';
  for (let level = 0; level < 250; level++) deep = `SELECT x FROM (${deep})`;
  t.is(await service.code(deep), 0x2600);
});

import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;
const minute = 60_000;

function at(minutes: number): string {
  return new Date(base + minutes * minute).toISOString();
}

function rows(...list: readonly (readonly [minutes: number, ...values: unknown[]])[]): string {
  return list.map(([minutes, ...values]) => `(${[base + minutes * minute, ...values].join(', ')})`).join(' ');
}

test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.s (ts TIMESTAMP, v INT, b BOOL) TAGS (g INT, tb BOOL)');
  await service.run(
    `INSERT INTO d.a USING d.s TAGS (1, true) VALUES ${rows([0, 1, true], [1, 2, false], [2, 5, 'NULL'])}
       d.b USING d.s TAGS (2, false) VALUES ${rows([0, 3, true], [1, 4, false], [3, 'NULL', true])}`,
  );
  for (const name of ['v1', 'w1']) await service.run(`CREATE VIEW d.${name} AS SELECT v FROM d.a`);
});

statements('LIMIT is for every slice of a PARTITION BY without ORDER BY, and for all rows else', service, 'd', [
  { sql: 'SELECT g, count(*) FROM s GROUP BY g LIMIT 1', rows: [[1, 3]] },
  { sql: 'SELECT g, count(*) FROM s GROUP BY g LIMIT 1 OFFSET 1', rows: [[2, 3]] },
  { sql: 'SELECT g, count(*) FROM s GROUP BY g ORDER BY g DESC LIMIT 1', rows: [[2, 3]] },
  {
    sql: 'SELECT g, count(*) FROM s PARTITION BY g LIMIT 1',
    rows: [
      [1, 3],
      [2, 3],
    ],
  },
  {
    sql: 'SELECT _wstart, avg(v), g FROM s PARTITION BY g INTERVAL(1m, 20s) ORDER BY _wstart DESC LIMIT 1',
    rows: [[at(3), null, 2]],
  },
  {
    sql: 'SELECT _wstart, avg(v), g FROM s PARTITION BY g INTERVAL(1m, 20s) LIMIT 1',
    rows: [
      [at(0), 1, 1],
      [at(0), 3, 2],
    ],
  },
  { sql: 'SELECT top(v, 5) FROM s PARTITION BY g ORDER BY ts DESC, v LIMIT 3 OFFSET 1', rows: [[2], [4], [1]] },
  {
    sql: 'SELECT g, v FROM s PARTITION BY g ORDER BY v DESC, g LIMIT 2',
    rows: [
      [1, 5],
      [2, 4],
    ],
  },
  { sql: 'SELECT diff(v) FROM s PARTITION BY g ORDER BY ts LIMIT 1', rows: [[1]] },
  {
    sql: `SELECT g, _irowts, interp(v) FROM s PARTITION BY g RANGE(${base}, ${base + minute}) EVERY(1m) FILL(PREV) ORDER BY g DESC, _irowts LIMIT 1`,
    rows: [[2, at(0), 3]],
  },
  { sql: 'SELECT g, count(*) FROM s GROUP BY g SLIMIT 1 SOFFSET 1', rows: [[2, 3]] },
]);

statements('selections in a window join look at the partner', service, 'd', [
  {
    sql: 'SELECT a.ts, first(b.v), last(b.v), last_row(b.v), last_row(b.ts) FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1m, 1m)',
    rows: [
      [at(0), 3, 4, 4, at(1)],
      [at(1), 3, 4, 4, at(1)],
      [at(2), 4, 4, null, at(3)],
    ],
  },
  {
    sql: 'SELECT last(b.v), b.ts FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(1m, -1m) WHERE a.v < 5',
    rows: [
      [4, at(1)],
      [4, at(1)],
    ],
  },
  {
    sql: 'SELECT a.ts, count(b.v) FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(0s, -1m)',
    rows: [
      [at(0), 1],
      [at(1), 2],
      [at(2), 1],
    ],
  },
  { sql: 'SELECT last(b.v), last(a.v) FROM a LEFT ASOF JOIN b ON a.ts >= b.ts JLIMIT 2', rows: [[4, 5]] },
]);

statements('a count of the rows of one table leaves out rows without one of it', service, 'd', [
  { sql: 'SELECT count(b.*), count(a.*), count(*) FROM a LEFT JOIN b ON a.ts = b.ts', rows: [[2, 3, 3]] },
  { sql: 'SELECT count(b.*), count(a.*), count(*) FROM a FULL JOIN b ON a.ts = b.ts', rows: [[3, 3, 4]] },
  {
    sql: 'SELECT a.ts, count(b.*), count(*) FROM a LEFT WINDOW JOIN b WINDOW_OFFSET(-1s, 1s)',
    rows: [
      [at(0), 1, 1],
      [at(1), 1, 1],
      [at(2), 0, 1],
    ],
  },
  { sql: 'SELECT count(x.*) FROM a', error: 0x2603, says: 'Table does not exist: x' },
]);

statements('columns of the other side of a SEMI or ANTI join can be named', service, 'd', [
  {
    sql: 'SELECT a.v, b.v, b.ts FROM a LEFT SEMI JOIN b ON a.ts = b.ts',
    rows: [
      [1, 3, at(0)],
      [2, 4, at(1)],
    ],
  },
  {
    sql: 'SELECT a.v, x.v, x.tbname, x.g FROM a LEFT SEMI JOIN s x ON a.ts = x.ts AND a.v < x.v',
    rows: [
      [1, 3, 'b', 2],
      [2, 4, 'b', 2],
    ],
  },
  { sql: 'SELECT a.v FROM a LEFT SEMI JOIN b ON a.ts = b.ts WHERE b.v > 3', rows: [[2]] },
  { sql: 'SELECT sum(b.v) FROM a LEFT SEMI JOIN b ON a.ts = b.ts', rows: [[7]] },
  { sql: 'SELECT a.v, b.v FROM b RIGHT SEMI JOIN a ON a.ts = b.ts ORDER BY b.v DESC LIMIT 1', rows: [[2, 4]] },
  { sql: 'SELECT a.v, b.v, b.tbname FROM a LEFT ANTI JOIN b ON a.ts = b.ts', rows: [[5, null, null]] },
  { sql: 'SELECT b.*, a.v FROM a LEFT ANTI JOIN b ON a.ts = b.ts', rows: [[null, null, null, 5]] },
  { sql: 'SELECT v FROM a LEFT ANTI JOIN b ON a.ts = b.ts', rows: [[5]] },
  { sql: 'SELECT b.nothing FROM a LEFT SEMI JOIN b ON a.ts = b.ts', error: 0x2602 },
]);

statements('a list with NULL surely lacks nothing', service, 'd', [
  { sql: 'SELECT v FROM s WHERE v NOT IN (1, NULL)', rows: [] },
  { sql: 'SELECT v FROM s WHERE v NOT IN (NULL)', rows: [] },
  { sql: 'SELECT v FROM s WHERE v IN (1, NULL)', rows: [[1]] },
  { sql: 'SELECT v FROM s WHERE NOT v IN (1, NULL)', rows: [] },
  { sql: 'SELECT v FROM s WHERE v NOT IN (SELECT v FROM b)', rows: [] },
  { sql: 'SELECT v FROM s WHERE NOT v IN (SELECT v FROM b)', rows: [] },
  { sql: 'SELECT v FROM s WHERE v NOT IN (SELECT v FROM b WHERE v IS NOT NULL)', rows: [[1], [2], [5]] },
  {
    sql: 'SELECT v IN (1, NULL), v NOT IN (1, NULL) FROM a LIMIT 2',
    rows: [
      [true, false],
      [null, null],
    ],
  },
]);

statements('a BOOL is compared with numbers as 0 or 1', service, 'd', [
  { sql: 'SELECT v FROM a WHERE b = 3', rows: [] },
  { sql: 'SELECT v FROM a WHERE b <> 3', rows: [[1], [2]] },
  { sql: 'SELECT v FROM a WHERE b IN (0, 3)', rows: [[2]] },
  { sql: 'SELECT v FROM a WHERE b NOT IN (0)', rows: [[1]] },
  { sql: 'SELECT v FROM a WHERE b = -0.5', rows: [] },
  { sql: 'SELECT v FROM a WHERE b = v', rows: [[1]] },
  { sql: "SELECT v FROM a WHERE b = 'true' OR b = '0'", rows: [[1], [2]] },
  { sql: 'SELECT v FROM a WHERE b BETWEEN 0 AND 7', rows: [[1], [2]] },
  { sql: 'SELECT DISTINCT g FROM s WHERE tb = 3', rows: [] },
  { sql: 'SELECT DISTINCT g FROM s WHERE tb IN (0, 3) ORDER BY g', rows: [[2]] },
  { sql: "SELECT CASE b WHEN 3 THEN 'y' ELSE 'n' END FROM a", rows: [['n'], ['n'], ['n']] },
  { sql: 'SELECT v FROM a WHERE v = true', rows: [[1]] },
]);

statements('TOP, BOTTOM and SAMPLE do without times, and system tables have names', service, 'd', [
  { sql: 'SELECT top(v, 2) FROM (SELECT v FROM s)', rows: [[5], [4]] },
  {
    sql: 'SELECT bottom(v, 1), g FROM (SELECT v, g FROM s) PARTITION BY g',
    rows: [
      [1, 1],
      [3, 2],
    ],
  },
  { sql: 'SELECT count(*) FROM (SELECT sample(v, 9) FROM (SELECT v FROM s))', rows: [[5]] },
  { sql: 'SELECT tail(v, 2) FROM (SELECT v FROM s)', error: 0x2647 },
  {
    sql: 'SELECT tbname, count(*) FROM information_schema.ins_users WHERE name = "root" GROUP BY tbname',
    rows: [['ins_users', 1]],
  },
  {
    sql: "SELECT x.tbname, x.name FROM information_schema.ins_users x WHERE tbname LIKE 'ins%' AND x.name = 'root'",
    rows: [['ins_users', 'root']],
  },
]);

statements('a time-weighted mean ends a tick before the next window', service, 'd', [
  {
    sql: 'SELECT _wstart, round(twa(v), 6) FROM a INTERVAL(1m)',
    rows: [
      ['2023-11-14T22:13:00.000Z', 1.333325],
      ['2023-11-14T22:14:00.000Z', 2.611088],
      ['2023-11-14T22:15:00.000Z', 4.5],
    ]
      .slice(0, 2)
      .concat([['2023-11-14T22:15:00.000Z', 4.5]]),
  },
]);

statements('months and years stand where expressions do', service, 'd', [
  { sql: 'SELECT 1+1n', meta: [['1+1n', 'DOUBLE', 8]], rows: [[2]] },
  { sql: 'SELECT timediff(now(), now()-1y, 1d) > 364, timetruncate(now()-1n, 1d) < now()', rows: [[true, true]] },
  { sql: 'SELECT CASE WHEN now()-1n < now() THEN 1 END, ifnull(NULL, now()-1n) < now()', rows: [[1, true]] },
  {
    sql: 'SELECT count(*) FROM a WHERE ts BETWEEN now()-50y AND now()-1n AND ts IN (now()-1n, 1700000000000)',
    rows: [[1]],
  },
  { sql: 'SELECT count(*) FROM a GROUP BY ts > now()-1n HAVING max(ts) < now()-1n', rows: [[3]] },
]);

statements('clients find views and versions as they ask for them', service, 'd', [
  { sql: "SELECT count(*) FROM information_schema.ins_views WHERE view_name LIKE 'w%'", rows: [[1]] },
  { sql: 'SELECT server_version() MATCH "^3[.][0-9]+[.][0-9]+[.][0-9]+$"', rows: [[true]] },
]);

test('views are listed by a pattern', async (t) => {
  const names = async (sql: string) => (await service.rows(sql, { database: 'd' })).map(([name]) => name);
  t.deepEqual(await names("SHOW `d`.views LIKE '%'"), ['v1', 'w1']);
  t.deepEqual(await names("SHOW VIEWS LIKE 'w%'"), ['w1']);
});

test('lists and descriptions know what another process has just made', async (t) => {
  const second = await neighbour();
  for (let round = 0; round < 4; round += 1) {
    const [database, user] = [`fresh${round}`, `user${round}`];
    await second.run(`CREATE DATABASE ${database}`);
    await second.run(`CREATE STABLE ${database}.m (ts TIMESTAMP, v INT) TAGS (g INT)`);
    await second.run(`CREATE TABLE ${database}.c USING ${database}.m TAGS (1)`);
    t.deepEqual(await service.rows('SHOW TABLES', { database }), [['c']]);
    await second.run(`ALTER STABLE ${database}.m ADD COLUMN w INT`);
    t.is((await service.rows(`DESCRIBE ${database}.m`)).length, 4);
    await second.run(`ALTER STABLE ${database}.m ADD COLUMN x INT`);
    const columns = `SELECT columns FROM information_schema.ins_stables WHERE db_name = '${database}'`;
    t.deepEqual(await service.rows(columns), [[4]]);
    await second.run(`CREATE USER ${user} PASS 'Abc-12345'`);
    t.true((await service.rows('SHOW USERS')).some(([name]) => name === user));
  }
});

statements('aliases of the select list stand in expressions of ORDER BY, keys and HAVING', service, 'd', [
  {
    sql: 'SELECT g, avg(v) AS m FROM s GROUP BY g ORDER BY m * -1',
    rows: [
      [2, 3.5],
      [1, 8 / 3],
    ],
  },
  { sql: 'SELECT v AS x FROM a ORDER BY 0 - x', rows: [[5], [2], [1]] },
  { sql: 'SELECT v % 2 AS odd FROM a PARTITION BY odd + 1 ORDER BY odd + 1 LIMIT 1', rows: [[0]] },
  { sql: 'SELECT v AS x FROM a ORDER BY y + 1', error: 0x2602 },
  { sql: 'SELECT g AS site, count(*) AS c FROM s GROUP BY g HAVING c + 1 > 3 AND site = 1', rows: [[1, 3]] },
  { sql: 'SELECT g AS v, count(*) FROM s GROUP BY g HAVING v > 1', error: 0x260a },
  {
    sql: `SELECT count(*) AS c FROM a WHERE ts >= 1700000000000 AND ts < 1700000180000 INTERVAL(1m, 20s) FILL(VALUE, 0)
      HAVING c = 0 OR c > 2`,
    rows: [],
  },
]);

statements('COUNT, SUM and AVG take each value once', service, 'd', [
  {
    sql: 'SELECT count(DISTINCT b), count(b), sum(DISTINCT g), avg(DISTINCT g), count(DISTINCT tbname) FROM s',
    rows: [[2, 5, 3, 1.5, 2]],
    meta: [
      ['count(distinct b)', 'BIGINT', 8],
      ['count(b)', 'BIGINT', 8],
      ['sum(distinct g)', 'BIGINT', 8],
      ['avg(distinct g)', 'DOUBLE', 8],
      ['count(distinct tbname)', 'BIGINT', 8],
    ],
  },
  {
    sql: 'SELECT g, count(DISTINCT (b)) AS n, sum(DISTINCT v) FROM s GROUP BY g ORDER BY g',
    rows: [
      [1, 2, 8],
      [2, 2, 7],
    ],
  },
  { sql: 'SELECT _wstart, count(DISTINCT g) FROM s INTERVAL(1m, 20s) LIMIT 1', rows: [[at(0), 2]] },
  { sql: 'SELECT count(DISTINCT v), sum(DISTINCT v) FROM s WHERE v > 100', rows: [[0, null]] },
  { sql: 'SELECT count(DISTINCT *) FROM s', error: 0x2600 },
  { sql: 'SELECT count(DISTINCT v, b) FROM s', error: 0x2801 },
  { sql: 'SELECT first(DISTINCT v) FROM s', error: 0x2600 },
]);

statements('a product of whole numbers that is 0 has no sign', service, 'd', [
  { sql: 'SELECT (v - 3) * 0 AS k, count(*) FROM s WHERE v > 0 GROUP BY (v - 3) * 0', rows: [[0, 5]] },
  { sql: 'SELECT DISTINCT 0 / (v - 10), 0 % (v - 10), -(v - v) FROM s WHERE v > 0', rows: [[0, 0, 0]] },
]);

import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z; every row below lies within the 100 seconds after it. */
const base = 1_700_000_000_000;

/**
 * `q.meters`: d1 (north, 1), d2 (north, 2), d3 (south, 2), d4 (NULL, 3; no rows). Ten rows in each of the first three,
 * 10 s apart: current 1.5 * row + 0.1, voltage 200 + row + 10 * table, phase NULL in even rows, note `n<row>`.
 * `q.plain`: ts, v at 0 s, 1 s, 5 s, 6 s, 20 s with v 1, 2, NULL, 4, 5.
 */
test.before(async () => {
  await service.run('CREATE DATABASE q');
  await service.run(
    'CREATE STABLE q.meters (ts TIMESTAMP, current FLOAT, voltage INT, phase DOUBLE, note VARCHAR(8), ok BOOL) TAGS (location VARCHAR(16), group_id INT)',
  );
  const tags = ["'north', 1", "'north', 2", "'south', 2"];
  const parts = tags.map((tag, table) => {
    const rows = Array.from({ length: 10 }, (_, row) => {
      const phase = row % 2 === 0 ? 'NULL' : String(row / 10);
      return `(${base + row * 10_000 + table}, ${1.5 * row + 0.1}, ${200 + row + 10 * table}, ${phase}, 'n${row}', ${row < 5})`;
    });
    return `q.d${table + 1} USING q.meters TAGS (${tag}) VALUES ${rows.join(' ')}`;
  });
  await service.run(`INSERT INTO ${parts.join(' ')}`);
  await service.run('CREATE TABLE q.d4 USING q.meters TAGS (NULL, 3)');
  await service.run('CREATE TABLE q.plain (ts TIMESTAMP, v INT)');
  await service.run(
    `INSERT INTO q.plain VALUES (${base}, 1) (${base + 1000}, 2) (${base + 5000}, NULL) (${base + 6000}, 4) (${base + 20_000}, 5)`,
  );
});

/** Time of so many milliseconds after {@link base}, as results show it. */
function at(ms: number): string {
  return new Date(base + ms).toISOString();
}

/** Asserts the rows of queries, one after the other. */
function answers(
  title: string,
  cases: readonly (readonly [sql: string, rows: readonly (readonly unknown[])[]])[],
): void {
  test(title, async (t) => {
    for (const [sql, rows] of cases) t.deepEqual(await service.rows(sql, { database: 'q' }), rows, sql);
  });
}

answers('rows are chosen by time in every form', [
  [`SELECT v FROM plain WHERE ts = ${base}`, [[1]]],
  [`SELECT v FROM plain WHERE ts >= '${at(5000)}' AND ts < '${at(20_000)}'`, [[null], [4]]],
  [`SELECT v FROM plain WHERE ts BETWEEN ${base + 1000} AND ${base + 6000}`, [[2], [null], [4]]],
  [`SELECT v FROM plain WHERE ts > '2023-11-15T07:13:25+09:00' AND ts <= ${base} + 20s`, [[4], [5]]],
  ['SELECT v FROM plain WHERE ts > NOW - 1h', []],
  [`SELECT count(*) FROM plain WHERE ts < NOW`, [[5]]],
  [`SELECT v FROM plain WHERE ts = ${base} OR ts = ${base + 20_000}`, [[1], [5]]],
]);

answers('rows are chosen by values', [
  ['SELECT v FROM plain WHERE v > 1 AND v <> 4', [[2], [5]]],
  ['SELECT ts FROM plain WHERE v IS NULL', [[at(5000)]]],
  ['SELECT count(*) FROM plain WHERE v IS NOT NULL', [[4]]],
  ['SELECT v FROM plain WHERE v IN (1, 5, 9)', [[1], [5]]],
  ['SELECT v FROM plain WHERE v NOT IN (1, 5)', [[2], [4]]],
  ['SELECT v FROM plain WHERE v BETWEEN 2 AND 4', [[2], [4]]],
  ['SELECT v FROM plain WHERE NOT (v = 1 OR v = 2)', [[4], [5]]],
  ['SELECT v FROM plain WHERE v % 2 = 0', [[2], [4]]],
  ["SELECT voltage FROM d1 WHERE note LIKE 'n_' AND note != 'n1' AND voltage < 203", [[200], [202]]],
  ["SELECT voltage FROM d1 WHERE note MATCH '[89]$'", [[208], [209]]],
  ['SELECT voltage FROM d1 WHERE ok = true AND phase > 0.2', [[203]]],
  ["SELECT voltage FROM d1 WHERE ('' = '' OR note IN ('n1')) AND voltage = 201", [[201]]],
  ["SELECT voltage FROM d1 WHERE note = 'n4'", [[204]]],
]);

answers('sub-tables are chosen by tags and names', [
  ["SELECT count(*) FROM meters WHERE location = 'north'", [[20]]],
  ["SELECT count(*) FROM meters WHERE location = 'north' AND group_id = 2 AND voltage > 215", [[4]]],
  ["SELECT count(*) FROM meters WHERE tbname IN ('d1', 'd3')", [[20]]],
  ["SELECT count(*) FROM meters WHERE tbname LIKE 'd%' AND tbname != 'd2'", [[20]]],
  ['SELECT count(*) FROM meters WHERE location IS NULL OR voltage = 200', [[1]]],
  ['SELECT DISTINCT tbname FROM meters WHERE group_id = 2 ORDER BY tbname', [['d2'], ['d3']]],
  ['SELECT DISTINCT location FROM meters ORDER BY location', [[null], ['north'], ['south']]],
  ['SELECT COUNT(*) FROM (SELECT DISTINCT(TBNAME) FROM meters)', [[4]]],
  [
    'SELECT location, voltage FROM d3 WHERE voltage < 222',
    [
      ['south', 220],
      ['south', 221],
    ],
  ],
]);

answers('rows are ordered, cut and skipped', [
  ['SELECT v FROM plain', [[1], [2], [null], [4], [5]]],
  ['SELECT v FROM plain ORDER BY ts DESC LIMIT 2', [[5], [4]]],
  ['SELECT v FROM plain ORDER BY v', [[null], [1], [2], [4], [5]]],
  ['SELECT v FROM plain ORDER BY v DESC LIMIT 1 OFFSET 1', [[4]]],
  ['SELECT v FROM plain LIMIT 1, 2', [[2], [null]]],
  ['SELECT v FROM plain LIMIT 0', []],
  ['SELECT voltage FROM meters ORDER BY location DESC, group_id, voltage DESC LIMIT 1', [[229]]],
  ['SELECT tbname, voltage FROM meters PARTITION BY tbname ORDER BY tbname, ts LIMIT 1', [['d1', 200]]],
]);

answers('aggregates have the values and the types of the dialect', [
  [
    'SELECT count(*), count(v), sum(v), avg(v), min(v), max(v), spread(v), stddev(v), first(v), last(v), last_row(v) FROM plain',
    [[5, 4, 12, 3, 1, 5, 4, 1.5811388300841898, 1, 5, 5]],
  ],
  ['SELECT sum(voltage), avg(phase), max(current), first(note), last(note) FROM d1', [[2045, 0.5, 13.6, 'n0', 'n9']]],
  ['SELECT count(*), sum(voltage) FROM meters', [[30, 6435]]],
  ['SELECT last_row(voltage), last(phase) FROM d2', [[219, 0.9]]],
  ['SELECT max(v), ts FROM plain', [[5, at(20_000)]]],
  ['SELECT sum(v) / count(v) + 1 FROM plain', [[4]]],
  ['SELECT count(*), sum(v) FROM plain WHERE v > 100', [[0, null]]],
  ['SELECT sum(v) FROM plain WHERE v > 100', []],
  ["SELECT abs(-3), concat('a', 'b'), 10s / 1s", [[3, 'ab', 10]]],
]);

answers('rows are grouped and partitioned', [
  [
    'SELECT tbname, count(*), max(voltage) FROM meters GROUP BY tbname ORDER BY tbname',
    [
      ['d1', 10, 209],
      ['d2', 10, 219],
      ['d3', 10, 229],
      ['d4', 0, null],
    ],
  ],
  [
    'SELECT location, sum(voltage) FROM meters GROUP BY location ORDER BY location DESC',
    [
      ['south', 2245],
      ['north', 4190],
    ],
  ],
  [
    'SELECT location, group_id, count(*) FROM meters WHERE ok GROUP BY location, group_id ORDER BY group_id, location',
    [
      ['north', 1, 5],
      ['north', 2, 5],
      ['south', 2, 5],
      // A sub-table without any row is a group too.
      [null, 3, 0],
    ],
  ],
  [
    'SELECT group_id, count(*) c FROM meters PARTITION BY group_id HAVING count(*) > 5 ORDER BY c DESC',
    [
      [2, 20],
      [1, 10],
    ],
  ],
  [
    'SELECT note, count(*) FROM meters WHERE voltage < 212 GROUP BY note HAVING count(*) = 2 ORDER BY note',
    [
      ['n0', 2],
      ['n1', 2],
    ],
  ],
  [
    'SELECT tbname, last_row(voltage) FROM meters PARTITION BY tbname ORDER BY tbname',
    [
      ['d1', 209],
      ['d2', 219],
      ['d3', 229],
    ],
  ],
]);

answers('windows of time slide, are ordered and limited, and come by table or tag', [
  [
    `SELECT _wstart, _wend, count(*), sum(v) FROM plain INTERVAL(5s)`,
    [
      [at(0), at(5000), 2, 3],
      [at(5000), at(10_000), 2, 4],
      [at(20_000), at(25_000), 1, 5],
    ],
  ],
  [
    `SELECT _wstart, count(*) FROM plain INTERVAL(10s) SLIDING(5s)`,
    [
      [at(-5000), 2],
      [at(0), 4],
      [at(5000), 2],
      [at(15_000), 1],
      [at(20_000), 1],
    ],
  ],
  [
    `SELECT _wstart, count(*) FROM plain WHERE ts > ${base} INTERVAL(10s) ORDER BY _wstart DESC LIMIT 1`,
    [[at(20_000), 1]],
  ],
  ['SELECT _wstart, count(*) FROM plain INTERVAL(1d)', [['2023-11-14T00:00:00.000Z', 5]]],
  ['SELECT _wstart, count(*) FROM plain INTERVAL(1n)', [['2023-11-01T00:00:00.000Z', 5]]],
  [
    `SELECT tbname, _wstart, count(*) FROM meters WHERE ts < ${base + 30_000} PARTITION BY tbname INTERVAL(20s) ORDER BY tbname, _wstart`,
    ['d1', 'd2', 'd3'].flatMap((name) => [
      [name, at(0), 2],
      [name, at(20_000), 1],
    ]),
  ],
  [
    `SELECT _wstart, location, avg(voltage) FROM meters PARTITION BY location INTERVAL(50s) ORDER BY location, _wstart`,
    [
      [at(0), 'north', 207],
      [at(50_000), 'north', 212],
      [at(0), 'south', 222],
      [at(50_000), 'south', 227],
    ],
  ],
]);

const range = `ts >= ${base - 5000} AND ts < ${base + 25_000}`;
const filled = (fill: string): string => `SELECT _wstart, sum(v) FROM plain WHERE ${range} INTERVAL(5s) FILL(${fill})`;
const grid = (values: readonly (number | null)[]): unknown[][] =>
  values.map((value, i) => [at(-5000 + i * 5000), value]);

answers('missing windows are filled', [
  [
    filled('NONE'),
    [
      [at(0), 3],
      [at(5000), 4],
      [at(20_000), 5],
    ],
  ],
  [filled('NULL'), grid([null, 3, 4, null, null, 5])],
  [filled('VALUE, 0'), grid([0, 3, 4, 0, 0, 5])],
  [filled('PREV'), grid([null, 3, 4, 4, 4, 5])],
  [filled('NEXT'), grid([3, 3, 4, 5, 5, 5])],
  [filled('LINEAR'), grid([null, 3, 4, 4, 4, 5])],
  [
    `SELECT _wstart, avg(v) FROM plain WHERE ${range} INTERVAL(5s) FILL(LINEAR)`,
    grid([null, 1.5, 4, 4 + 1 / 3, 4 + 2 / 3, 5]),
  ],
  [
    `SELECT tbname, _wstart, count(*) FROM meters WHERE ts >= ${base} AND ts < ${base + 20_000} AND group_id = 1 PARTITION BY tbname INTERVAL(5s) FILL(VALUE, 0)`,
    [0, 5000, 10_000, 15_000].map((ms, i) => ['d1', at(ms), i % 2 === 0 ? 1 : 0]),
  ],
  [
    `SELECT _wstart, sum(v) FROM plain WHERE ts > ${base + 30_000} AND ts < ${base + 50_000} INTERVAL(5s) FILL(NULL)`,
    [],
  ],
]);

answers('queries are nested and united', [
  ['SELECT max(c) FROM (SELECT count(*) AS c FROM meters GROUP BY tbname)', [[10]]],
  ['SELECT sum(`count(*)`) FROM (SELECT count(*) FROM meters GROUP BY location)', [[30]]],
  ['SELECT v FROM (SELECT ts, v FROM plain WHERE v > 1) WHERE v < 5', [[2], [4]]],
  ['SELECT v FROM plain WHERE v = 1 UNION ALL SELECT v FROM plain WHERE v = 1', [[1], [1]]],
  [
    "SELECT CASE WHEN v > 2 THEN 'high' ELSE 'low' END, v FROM plain WHERE v IS NOT NULL AND v < 5",
    [
      ['low', 1],
      ['low', 2],
      ['high', 4],
    ],
  ],
]);

test('column_meta names and types what comes', async (t) => {
  const cases = [
    [
      'SELECT * FROM meters',
      [
        ['ts', 'TIMESTAMP', 8],
        ['current', 'FLOAT', 4],
        ['voltage', 'INT', 4],
        ['phase', 'DOUBLE', 8],
        ['note', 'VARCHAR', 8],
        ['ok', 'BOOL', 1],
        ['location', 'VARCHAR', 16],
        ['group_id', 'INT', 4],
      ],
    ],
    [
      'SELECT COUNT(*), Sum(voltage) AS total, avg( voltage ), max(note) `Max Note`, first(ts), last(current), meters.voltage FROM meters',
      undefined,
    ],
    [
      'SELECT COUNT(*), Sum(voltage) AS total, AVG(voltage), first(ts), last(current), spread(voltage) FROM meters',
      [
        ['count(*)', 'BIGINT', 8],
        ['total', 'BIGINT', 8],
        ['avg(voltage)', 'DOUBLE', 8],
        ['first(ts)', 'TIMESTAMP', 8],
        ['last(current)', 'FLOAT', 4],
        ['spread(voltage)', 'DOUBLE', 8],
      ],
    ],
    ["SELECT m.voltage, voltage + 1, tbname, 'abc', true, ts + 1h, voltage > 1, _wstart FROM meters m", undefined],
    [
      "SELECT m.voltage, voltage + 1, tbname, 'abc', true, ts + 1h FROM meters m",
      [
        ['voltage', 'INT', 4],
        ['voltage + 1', 'DOUBLE', 8],
        ['tbname', 'VARCHAR', 192],
        ["'abc'", 'VARCHAR', 3],
        ['true', 'BOOL', 1],
        ['ts + 1h', 'TIMESTAMP', 8],
      ],
    ],
    [
      `SELECT _wstart, _wduration, count(*) FROM plain INTERVAL(1s)`,
      [
        ['_wstart', 'TIMESTAMP', 8],
        ['_wduration', 'BIGINT', 8],
        ['count(*)', 'BIGINT', 8],
      ],
    ],
  ] as const;
  for (const [sql, expected] of cases) {
    const { body } = await service.sql(sql, { database: 'q' });
    if (expected === undefined) t.not(body.code, 0, sql);
    else t.deepEqual<unknown, unknown>(body.column_meta, expected, sql);
  }
});

test('an empty result still has its columns', async (t) => {
  const { text } = await service.sql('SELECT ts, v FROM q.plain WHERE v > 100');
  t.is(text, '{"code":0,"column_meta":[["ts","TIMESTAMP",8],["v","INT",4]],"data":[],"rows":0}');
});

test('restfulRowLimit cuts a result without a word', async (t) => {
  const limited = await service.attach('--restfulRowLimit=2');
  t.teardown(() => limited.stop());
  const { body } = await limited.sql('SELECT v FROM q.plain');
  t.deepEqual([body.code, body.rows, body.data], [0, 2, [[1], [2]]]);
  const shown = await limited.sql('SHOW q.TABLES');
  t.deepEqual([shown.body.rows, shown.body.data.length], [2, 2]);
});

test('a client that goes away in the middle of a result ends the statement', async (t) => {
  for (let i = 0; i < 5; i++) {
    const response = await service.open({ path: '/rest/sql/q', body: 'SELECT a.voltage FROM meters a' });
    response.destroy();
  }
  t.deepEqual(await service.rows('SELECT 1'), [[1]]);
});

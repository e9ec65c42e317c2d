import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;
const at = (seconds: number): string => new Date(base + seconds * 1000).toISOString();

/** `n`: key 1 and 2 at 0, key 1 at 1. `st`: c1 has keys 'b', 'a' at 0; c2 has 'x' at 0 and 'y' at 1. */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, k INT PRIMARY KEY, v INT, s VARCHAR(8))');
  await service.run('CREATE STABLE d.st (ts TIMESTAMP, k VARCHAR(8) COMPOSITE KEY, v INT) TAGS (g INT)');
  await service.run(
    `INSERT INTO d.n VALUES (${base}, 2, 20, 'b') (${base}, 1, 10, 'a') (${base + 1000}, 1, 30, 'c')
      d.c1 USING d.st TAGS (1) VALUES (${base}, 'b', 2) (${base}, 'a', 1)
      d.c2 USING d.st TAGS (2) VALUES (${base}, 'x', 5) (${base + 1000}, 'y', 7)`,
  );
});

statements('rows of one time that differ in the key stay, in the order of time and key', service, 'd', [
  {
    sql: 'SELECT k, v FROM n',
    rows: [
      [1, 10],
      [2, 20],
      [1, 30],
    ],
  },
  {
    sql: 'SELECT tbname, k, v FROM st PARTITION BY tbname',
    rows: [
      ['c1', 'a', 1],
      ['c1', 'b', 2],
      ['c2', 'x', 5],
      ['c2', 'y', 7],
    ],
  },
  { sql: 'SELECT count(*), sum(v) FROM st', rows: [[4, 15]] },
  {
    sql: 'SELECT g, count(*) FROM st GROUP BY g ORDER BY g',
    rows: [
      [1, 2],
      [2, 2],
    ],
  },
  { sql: 'SELECT first(v), last(v), last_row(v) FROM c1', rows: [[1, 2, 2]] },
  { sql: `SELECT first(v), last(k) FROM n WHERE ts = ${base}`, rows: [[10, 2]] },
  { sql: `SELECT last(v), k FROM n WHERE ts = ${base}`, rows: [[20, 2]] },
  { sql: 'SELECT tail(v, 2) FROM n', rows: [[20], [30]] },
  { sql: 'SELECT k, v, count(*) FROM n COUNT_WINDOW(2)', error: 0x260c },
  { sql: 'SELECT count(*) FROM n SESSION(ts, 10s)', rows: [[3]] },
  {
    sql: 'SELECT a.k, b.k FROM n a JOIN c2 b ON a.ts = b.ts',
    rows: [
      [1, 'x'],
      [2, 'x'],
      [1, 'y'],
    ],
  },
  {
    sql: 'SELECT a.ts, count(b.*) FROM c2 a LEFT WINDOW JOIN n b WINDOW_OFFSET(0s, 0s)',
    rows: [
      [at(0), 2],
      [at(1), 1],
    ],
  },
]);

statements(
  'functions along the time take the first row of each time of a slice, or refuse rows of one time',
  service,
  'd',
  [
    { sql: 'SELECT diff(v) FROM n', rows: [[20]] },
    { sql: 'SELECT diff(v) FROM c1', rows: [] },
    { sql: 'SELECT ts, diff(v) FROM st WHERE g < 3', rows: [[at(1), 6]] },
    { sql: 'SELECT tbname, diff(v) FROM st WHERE g < 3 PARTITION BY tbname', rows: [['c2', 2]] },
    { sql: 'SELECT g + 1, diff(v) FROM st WHERE g < 3 PARTITION BY g + 1', rows: [[3, 2]] },
    { sql: 'SELECT derivative(v, 1s, 0), lag(v) FROM n', error: 0x2667 },
    { sql: 'SELECT derivative(v, 1s, 0) FROM n', rows: [[20]] },
    {
      sql: 'SELECT lag(v), lead(v) FROM n',
      rows: [
        [null, 30],
        [10, null],
      ],
    },
    { sql: 'SELECT twa(v) FROM n', rows: [[20]] },
    { sql: 'SELECT twa(v) FROM n INTERVAL(10s)', rows: [[20]] },
    { sql: 'SELECT irate(v) FROM n', rows: [[20]] },
    { sql: 'SELECT irate(v) FROM st WHERE g < 3', rows: [[6]] },
    {
      sql: 'SELECT g, irate(v) FROM st WHERE g < 3 GROUP BY g ORDER BY g',
      rows: [
        [1, 0],
        [2, 2],
      ],
    },
    {
      sql: `SELECT interp(v) FROM n RANGE(${base}, ${base + 1000}) EVERY(500a) FILL(LINEAR)`,
      rows: [[10], [20], [30]],
    },
    {
      sql: `SELECT interp(v) FROM st WHERE g < 3 RANGE(${base - 1000}, ${base}) EVERY(1s) FILL(NEXT)`,
      rows: [[1], [1]],
    },
    {
      sql: `SELECT interp(v) FROM st WHERE g < 3 RANGE(${base}, ${base + 2000}) EVERY(1s) FILL(PREV)`,
      rows: [[1], [7], [7]],
    },
    { sql: 'SELECT csum(v) FROM n', error: 0x2805 },
    { sql: 'SELECT mavg(v, 1) FROM c1', error: 0x2805 },
    { sql: "SELECT statecount(v, 'GT', 1) FROM n", error: 0x2805 },
    { sql: "SELECT stateduration(v, 'GT', 1) FROM n", error: 0x2805 },
    { sql: 'SELECT csum(v) FROM n WHERE k = 1', rows: [[10], [40]] },
    { sql: 'SELECT count(*) FROM n STATE_WINDOW(k)', error: 0x073e },
    { sql: 'SELECT count(*) FROM n EVENT_WINDOW START WITH v > 0 END WITH v > 20', error: 0x073e },
    { sql: 'SELECT count(*) FROM n COUNT_WINDOW(2)', error: 0x073e },
    { sql: 'SELECT count(*), first(v) FROM n WHERE k = 1 COUNT_WINDOW(2)', rows: [[2, 10]] },
  ],
);

statements('a row with the same time and key replaces the columns that it names', service, 'd', [
  { sql: 'CREATE TABLE w (ts TIMESTAMP, k BIGINT UNSIGNED PRIMARY KEY, a INT, b INT)', affected: 0 },
  { sql: `INSERT INTO w VALUES (${base}, 1, 1, 1) (${base}, 2, 2, 2)`, affected: 2 },
  { sql: `INSERT INTO w (ts, k, a) VALUES (${base}, 2, 20) (${base}, 3, 30)`, affected: 2 },
  {
    sql: 'SELECT k, a, b FROM w',
    rows: [
      [1, 1, 1],
      [2, 20, 2],
      [3, 30, null],
    ],
  },
  { sql: `INSERT INTO w (ts, k, b) VALUES (${base}, 1, 5) (${base}, 1, 6)`, affected: 2 },
  {
    sql: 'SELECT k, a, b FROM w',
    rows: [
      [1, 1, 6],
      [2, 20, 2],
      [3, 30, null],
    ],
  },
  { sql: `INSERT INTO c3 USING st TAGS (3) (ts, k) VALUES (${base}, 'a')`, affected: 1 },
  { sql: `INSERT INTO st (tbname, ts, k, v) VALUES ('c3', ${base}, 'a', 9) ('c3', ${base}, 'b', 8)`, affected: 2 },
  {
    sql: 'SELECT k, v FROM c3',
    rows: [
      ['a', 9],
      ['b', 8],
    ],
  },
  { sql: `DELETE FROM c3 WHERE ts = ${base}`, affected: 2 },
  { sql: 'INSERT INTO w (ts, k, a) SELECT ts + 10s, k, v FROM n', affected: 3 },
  {
    sql: `SELECT k, a FROM w WHERE ts > ${base}`,
    rows: [
      [1, 10],
      [2, 20],
      [1, 30],
    ],
  },
]);

statements('a key has a value in every row', service, 'd', [
  { sql: `INSERT INTO n VALUES (${base}, NULL, 1, 'x')`, error: 0x267b },
  { sql: `INSERT INTO n (ts, v) VALUES (${base}, 1)`, error: 0x267c },
  { sql: `INSERT INTO st (tbname, ts, v) VALUES ('c1', ${base}, 1)`, error: 0x267c },
  { sql: 'INSERT INTO n (ts, v) SELECT ts, v FROM n', error: 0x267c },
  { sql: 'INSERT INTO n (ts, k, v) SELECT ts, NULL, v FROM n', error: 0x267b },
  { sql: 'SELECT count(*) FROM n', rows: [[3]] },
]);

statements('a key is the second column, of some types, and stays as it was made', service, 'd', [
  { sql: 'CREATE TABLE x (ts TIMESTAMP, v INT, k INT PRIMARY KEY)', error: 0x2678 },
  { sql: 'CREATE TABLE x (ts TIMESTAMP, k DOUBLE PRIMARY KEY, v INT)', error: 0x2679 },
  { sql: 'ALTER TABLE n DROP COLUMN k', error: 0x267a },
  { sql: 'ALTER STABLE st MODIFY COLUMN k VARCHAR(20)', error: 0x267a },
  { sql: 'ALTER TABLE n ADD COLUMN q INT PRIMARY KEY', error: 0x267a },
  { sql: 'ALTER TABLE n ADD COLUMN q INT', affected: 0 },
  { sql: 'SELECT k, q FROM n LIMIT 1', rows: [[1, null]] },
]);

test('DESCRIBE and SHOW CREATE tell of the key', async (t) => {
  const described = await service.rows('DESCRIBE d.st');
  t.deepEqual(
    described.map((row) => row[3]),
    ['', 'COMPOSITE KEY', '', 'TAG'],
  );
  const [[, text] = []] = await service.rows('SHOW CREATE STABLE d.st');
  t.regex(String(text), /`k` VARCHAR\(8\) COMPOSITE KEY, `v` INT/);
  await service.run(String(text).replace('`st`', 'd.`st2`'));
  t.deepEqual(
    (await service.rows('DESCRIBE d.st2')).map((row) => row[3]),
    ['', 'COMPOSITE KEY', '', 'TAG'],
  );
});

test('lines write to such a table where they name the key', async (t) => {
  await service.run('CREATE STABLE d.lines (_ts TIMESTAMP, k BIGINT PRIMARY KEY, v DOUBLE) TAGS (host NCHAR(8))');
  const text = `lines,host=a k=1i,v=1 ${base}\nlines,host=a k=2i,v=2 ${base}\nlines,host=a v=3 ${base}\nlines,host=a k=2i,v=4 ${base}`;
  const { status, text: said } = await service.write(text, { db: 'd', precision: 'ms' });
  t.is(status, 400);
  t.regex(said, /key column \\"k\\", which the point leaves out/);
  t.deepEqual(await service.rows('SELECT k, v FROM d.lines'), [
    [1, 1],
    [2, 4],
  ]);
});

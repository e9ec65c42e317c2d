import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z; times below are milliseconds after it. */
const base = 1_700_000_000_000;

/**
 * `src` at 0, 1, 2 s: v 1, 2, NULL; x 1.5, -2.75, 300; s 'a', 'bcdef', NULL. Super table `pump`: p1 (east, 1) has v 1 and 2 at
 * 0 and 1 s, p2 (NULL, 2) has v 3 at 0 s.
 */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE DATABASE us PRECISION "us"');
  await service.run('CREATE TABLE d.src (ts TIMESTAMP, v INT, x DOUBLE, s VARCHAR(8), b BOOL, t TIMESTAMP)');
  await service.run(
    `INSERT INTO d.src VALUES (${base}, 1, 1.5, 'a', true, ${base}) (${base + 1000}, 2, -2.75, 'bcdef', false, NULL)
      (${base + 2000}, NULL, 300, NULL, NULL, 5)`,
  );
  await service.run('CREATE STABLE d.pump (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8), grp INT)');
  await service.run(
    `INSERT INTO d.p1 USING d.pump TAGS ('east', 1) VALUES (${base}, 1) (${base + 1000}, 2)
      d.p2 USING d.pump TAGS (NULL, 2) VALUES (${base}, 3)`,
  );
  for (const name of ['whole', 'listed', 'kinds', 'refused']) {
    await service.run(`CREATE TABLE d.${name} (ts TIMESTAMP, v INT, s VARCHAR(4))`);
  }
  await service.run(
    'CREATE TABLE d.typed (ts TIMESTAMP, a TINYINT, f FLOAT, n NCHAR(3), ok BOOL, t TIMESTAMP, big BIGINT UNSIGNED, d DECIMAL(8,2), h VARBINARY(8))',
  );
  await service.run(
    'CREATE STABLE d.copy (ts TIMESTAMP, v INT, w INT) TAGS (site VARCHAR(8), grp INT, at TIMESTAMP, real DOUBLE, ok BOOL)',
  );
  await service.run('CREATE TABLE us.fine (ts TIMESTAMP, v INT)');
});

const at = (ms: number): string => new Date(base + ms).toISOString();

statements('columns of the SELECT are matched by position', service, 'd', [
  { sql: 'INSERT INTO whole SELECT ts, v, s FROM src WHERE v = 1', affected: 1 },
  { sql: 'SELECT * FROM whole', rows: [[at(0), 1, 'a']] },
  {
    sql: `INSERT INTO whole SELECT ts, sum(v), 'sum' FROM (SELECT TIMETRUNCATE(ts, 1m) AS ts, v FROM src) GROUP BY ts`,
    affected: 1,
  },
  {
    sql: 'SELECT v, s FROM whole',
    rows: [
      [3, 'sum'],
      [1, 'a'],
    ],
  },
  { sql: `INSERT INTO whole SELECT '${new Date(base).toISOString()}', v, s FROM src WHERE v = 1`, affected: 1 },
  { sql: 'INSERT INTO whole SELECT _wstart, count(*), NULL FROM src INTERVAL(1s)', affected: 3 },
  {
    sql: 'SELECT v, s FROM whole',
    rows: [
      [3, 'sum'],
      [1, null],
      [1, null],
      [1, null],
    ],
  },
  { sql: 'INSERT INTO d.whole (SELECT ts, v, s FROM src WHERE v > 100)', affected: 0 },
  { sql: 'INSERT INTO us.fine SELECT ts, v FROM d.src WHERE v IS NOT NULL', affected: 2 },
  {
    sql: 'SELECT * FROM us.fine',
    rows: [
      ['2023-11-14T22:13:20.000000Z', 1],
      ['2023-11-14T22:13:21.000000Z', 2],
    ],
  },
]);

statements('a column list names what is written, and the rest of old rows stays', service, 'd', [
  { sql: `INSERT INTO listed VALUES (${base}, 7, 'old') (${base + 5000}, 8, 'old')`, affected: 2 },
  { sql: 'INSERT INTO listed (v, ts) SELECT v + 10, ts FROM src', affected: 3 },
  {
    sql: 'SELECT v, s FROM listed',
    rows: [
      [11, 'old'],
      [12, null],
      [null, null],
      [8, 'old'],
    ],
  },
  { sql: 'INSERT INTO listed (ts, s) SELECT ts, v FROM listed WHERE v IS NOT NULL', affected: 3 },
  {
    sql: 'SELECT v, s FROM listed',
    rows: [
      [11, '11'],
      [12, '12'],
      [null, null],
      [8, '8'],
    ],
  },
  { sql: 'INSERT INTO listed (ts, v) SELECT ts + 10s, v FROM listed', affected: 4 },
  { sql: 'SELECT count(*), sum(v) FROM listed', rows: [[8, 62]] },
]);

statements('rows of one key in the order of the SELECT: the last one stays', service, 'd', [
  { sql: `INSERT INTO kinds (ts, v) SELECT CAST(${base} AS TIMESTAMP), v FROM src ORDER BY v`, affected: 3 },
  { sql: 'SELECT v FROM kinds', rows: [[2]] },
]);

statements('values are converted to the types of the columns', service, 'd', [
  { sql: `INSERT INTO typed SELECT ts, x, x, s, v, t, x, x, s FROM src WHERE v = 1`, affected: 1 },
  { sql: 'SELECT a, f, n, ok, t, big, d, h FROM typed', rows: [[1, 1.5, 'a', true, at(0), 1, '1.50', '61']] },
  { sql: `INSERT INTO typed (ts, a, ok, d) SELECT ts, b, x, v FROM src WHERE v = 2`, affected: 1 },
  { sql: `SELECT a, ok, d FROM typed WHERE ts > ${base}`, rows: [[0, true, '2.00']] },
]);

statements('a super table takes rows that name their sub-table', service, 'd', [
  {
    sql: "INSERT INTO copy (tbname, ts, v, site, grp) SELECT CONCAT(tbname, 'c'), ts, v, site, grp FROM pump",
    affected: 3,
  },
  {
    sql: 'SELECT tbname, v, w, site, grp FROM copy ORDER BY v',
    rows: [
      ['p1c', 1, null, 'east', 1],
      ['p1c', 2, null, 'east', 1],
      ['p2c', 3, null, null, 2],
    ],
  },
  { sql: `INSERT INTO copy (w, grp, tbname, ts) SELECT v * 10, 99, 'p1c', ts FROM p1`, affected: 2 },
  {
    sql: 'SELECT v, w, grp FROM p1c',
    rows: [
      [1, 10, 1],
      [2, 20, 1],
    ],
  },
  {
    sql: `INSERT INTO copy (tbname, ts, at, real, ok) SELECT 'tagged', ts, ts, x, b FROM src WHERE v = 2`,
    affected: 1,
  },
  { sql: `SELECT TAGS at, real, ok, site FROM tagged`, rows: [[at(1000), -2.75, false, null]] },
  { sql: `INSERT INTO copy (tbname, ts, v) VALUES ('by-values', ${base}, 5) ('p2c', ${base + 1}, 6)`, affected: 2 },
  {
    sql: 'SELECT tbname, v FROM copy WHERE v > 4 ORDER BY v',
    rows: [
      ['by-values', 5],
      ['p2c', 6],
    ],
  },
  { sql: 'INSERT INTO p2 SELECT ts, v FROM p1', affected: 2 },
  { sql: 'SELECT v FROM p2', rows: [[1], [2]] },
  { sql: `INSERT INTO copy (tbname, ts, v) SELECT 'p1', ts, v FROM p1`, error: 0x061d },
  { sql: `INSERT INTO copy (tbname, ts, v) SELECT 'src', ts, v FROM p1`, error: 0x061d },
  { sql: `INSERT INTO copy (tbname, ts, v) SELECT 'a.b', ts, v FROM p1`, error: 0x2617 },
  { sql: `INSERT INTO copy (tbname, ts, v) SELECT '', ts, v FROM p1`, error: 0x2617 },
  { sql: `INSERT INTO copy (tbname, ts, v) SELECT NULL, ts, v FROM p1`, error: 0x0200 },
  {
    sql: `INSERT INTO copy (tbname, ts, v) SELECT s, ts, v FROM src`,
    error: 0x0200,
    says: 'tbname column can not be null',
  },
  { sql: 'INSERT INTO copy (ts, v) SELECT ts, v FROM p1', error: 0x0216, says: 'tbname value expected' },
  { sql: 'INSERT INTO copy SELECT ts, v, v FROM p1', error: 0x0216, says: 'tbname value expected' },
]);

statements('what does not fit is refused, and nothing of it is stored', service, 'd', [
  { sql: 'INSERT INTO refused SELECT ts, v FROM src', error: 0x263f },
  { sql: 'INSERT INTO refused (ts, v) SELECT * FROM src', error: 0x263f },
  { sql: 'INSERT INTO refused (v) SELECT v FROM src', error: 0x0200 },
  { sql: 'INSERT INTO refused (ts, q) SELECT ts, v FROM src', error: 0x2602 },
  { sql: 'INSERT INTO refused (ts, v, v) SELECT ts, v, v FROM src', error: 0x0216 },
  { sql: 'INSERT INTO p1 (ts, grp) SELECT ts, v FROM src', error: 0x2602 },
  { sql: 'INSERT INTO refused (ts, v) SELECT v, v FROM src', error: 0x2605 },
  { sql: "INSERT INTO refused (ts, v) SELECT 'no time', v FROM src", error: 0x0200 },
  { sql: 'INSERT INTO refused (ts, v) SELECT NULL, v FROM src', error: 0x0200 },
  { sql: 'INSERT INTO refused (ts, v) SELECT t, v FROM src', error: 0x0200 },
  { sql: 'INSERT INTO refused (ts, v) SELECT t, v FROM src WHERE v IS NULL', error: 0x060b },
  { sql: 'INSERT INTO refused SELECT ts, v, s FROM src', error: 0x2653 },
  { sql: 'INSERT INTO typed (ts, a) SELECT ts, x FROM src', error: 0x0224 },
  { sql: 'INSERT INTO typed (ts, big) SELECT ts, x FROM src', error: 0x0224 },
  { sql: 'INSERT INTO typed (ts, d) SELECT ts, x * 1000000 FROM src', error: 0x013d },
  { sql: 'INSERT INTO nothing SELECT ts, v FROM src', error: 0x2603 },
  { sql: 'INSERT INTO nowhere.t SELECT ts, v FROM src', error: 0x0388 },
  { sql: 'INSERT INTO refused (ts, v) SELECT ts, v FROM nothing', error: 0x2662 },
  { sql: 'INSERT INTO refused (ts, v) SELECT ts, q FROM src', error: 0x2602 },
  { sql: 'SELECT count(*) FROM refused', rows: [[0]] },
]);

test('many rows are passed on in blocks, in bounded memory', async (t) => {
  const mebibyte = 1024 * 1024;
  const first = 4096;
  await service.run(`CREATE TABLE d.big (ts TIMESTAMP, v BIGINT, note VARCHAR(64))`);
  const note = 'x'.repeat(48);
  const rows = Array.from({ length: first }, (_, i) => `(${base + i}, ${i}, '${note}')`);
  await service.run(`INSERT INTO d.big VALUES ${rows.join(' ')}`);
  service.forgetMostMemory();
  const before = service.memory('VmHWM');
  let count = first;
  for (; count < 500_000; count *= 2) {
    t.is(await service.run(`INSERT INTO d.big SELECT ts + ${count}a, v + ${count}, note FROM d.big`), count);
  }
  const grown = (service.memory('VmHWM') - before) / mebibyte;
  t.log(`${count} rows, memory grew by ${grown.toFixed(0)} MiB`);
  t.true(grown < 150);
  t.deepEqual(await service.rows('SELECT count(*), min(v), max(v), sum(v) FROM d.big'), [
    [count, 0, count - 1, (count * (count - 1)) / 2],
  ]);
  t.is(
    await service.run(
      `INSERT INTO d.pump (tbname, ts, v) SELECT CONCAT('n', CAST(v % 100 AS VARCHAR(4))), ts, v FROM d.big LIMIT 50000`,
    ),
    50_000,
  );
  t.deepEqual(await service.rows(`SELECT count(*) FROM d.pump WHERE tbname = 'n7'`), [[500]]);
});

test('another process reads what was selected into new sub-tables', async (t) => {
  const second = await neighbour();
  await service.run('CREATE STABLE d.seen (ts TIMESTAMP, v INT) TAGS (g INT)');
  t.is(
    await second.run(
      `INSERT INTO d.seen (tbname, ts, v, g) SELECT tbname, ts, v, 5 FROM d.pump WHERE tbname = 'nobody'`,
    ),
    0,
  );
  t.is(await second.run(`INSERT INTO d.seen (tbname, ts, v, g) SELECT 'seen1', ts, v, 5 FROM d.src WHERE v = 1`), 1);
  t.deepEqual(await service.rows('SELECT tbname, v, g FROM d.seen'), [['seen1', 1, 5]]);
  t.deepEqual(await service.rows('SELECT v FROM d.seen1'), [[1]]);
});

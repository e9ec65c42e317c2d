import test from 'ava';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

test.before(async () => {
  for (const database of ['one', 'two']) {
    await service.run(`CREATE DATABASE ${database}`);
    await service.run('CREATE STABLE m (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8))', { database });
    await service.run(`INSERT INTO d USING m TAGS ('x') VALUES (1700000000000, ${database.length})`, { database });
  }
  await service.run('INSERT INTO two.d VALUES (1700000001000, 5)');
});

test.serial('the same words mean what they should for another database, zone and form', async (t) => {
  const sql = 'SELECT last_row(ts), count(*) FROM d';
  for (let round = 0; round < 2; round++) {
    t.deepEqual(await service.rows(sql, { database: 'one' }), [['2023-11-14T22:13:20.000Z', 1]]);
    t.deepEqual(await service.rows(sql, { database: 'two' }), [['2023-11-14T22:13:21.000Z', 2]]);
    const elsewhere = { database: 'one', query: { tz: 'Asia/Tokyo' } };
    t.deepEqual(await service.rows(sql, elsewhere), [['2023-11-15T07:13:20.000+09:00', 1]]);
    const keyed = { database: 'one', query: { row_with_meta: 'true' } };
    const [row] = await service.rows(sql, keyed);
    t.deepEqual(row, { 'last_row(ts)': '2023-11-14T22:13:20.000Z', 'count(*)': 1 } as never);
  }
});

test.serial('a query that is asked again sees what has changed', async (t) => {
  const all = { database: 'one' };
  t.deepEqual(await service.rows('SELECT * FROM d', all), [['2023-11-14T22:13:20.000Z', 3]]);
  await service.run('ALTER STABLE m ADD COLUMN w INT', all);
  t.deepEqual(await service.rows('SELECT * FROM d', all), [['2023-11-14T22:13:20.000Z', 3, null]]);
  t.deepEqual(await service.rows('SELECT site FROM d', all), [['x']]);
  await service.run("ALTER TABLE d SET TAG site = 'y'", all);
  t.deepEqual(await service.rows('SELECT site FROM d', all), [['y']]);
  await service.run('DROP TABLE d', all);
  t.is(await service.code('SELECT * FROM d', all), 0x2662);
  await service.run("CREATE TABLE d USING m TAGS ('z')", all);
  t.deepEqual(await service.rows('SELECT * FROM d', all), []);
  t.deepEqual(await service.rows('SELECT count(*) FROM d', all), [[0]]);
  await service.run('DROP DATABASE one');
  t.not(await service.code('SELECT count(*) FROM d', all), 0);
});

test.serial('results without width are the same each time', async (t) => {
  const database = 'widths';
  await service.run('CREATE DATABASE widths');
  await service.run('CREATE TABLE n (ts TIMESTAMP, v INT)', { database });
  await service.run('INSERT INTO n VALUES (1700000000000, 1) (1700000001000, 2)', { database });
  for (const [sql, rows] of [
    ['SELECT NULL FROM n', [[null], [null]]],
    ["SELECT '' FROM n", [[''], ['']]],
    [
      "SELECT NULL, '', NULL FROM n",
      [
        [null, '', null],
        [null, '', null],
      ],
    ],
    ['SELECT NULL FROM n WHERE 1 = 0', []],
    ["SELECT '' AS a FROM n UNION ALL SELECT NULL FROM n WHERE v = 1", [[''], [''], [null]]],
  ] as const) {
    for (let round = 0; round < 3; round++) t.deepEqual(await service.rows(sql, { database }), rows as never, sql);
  }
});

test.serial('a right that is taken away counts for a query that was answered before', async (t) => {
  await service.run("CREATE USER reader PASS 'secret-1A'");
  await service.run('GRANT READ ON two.* TO reader');
  const reader = { database: 'two', auth: basicOf('reader', 'secret-1A') };
  t.deepEqual(await service.rows('SELECT count(*) FROM d', reader), [[2]]);
  t.deepEqual(await service.rows('SELECT CURRENT_USER() FROM d LIMIT 1', reader), [['reader']]);
  await service.run('REVOKE READ ON two.* FROM reader');
  t.not(await service.code('SELECT count(*) FROM d', reader), 0);
  t.deepEqual(await service.rows('SELECT count(*) FROM d', { database: 'two' }), [[2]]);
});

test.serial('series that a tag chooses are those that have it when they are asked for', async (t) => {
  const database = 'chosen';
  await service.run(`CREATE DATABASE ${database}`);
  await service.run('CREATE STABLE m (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8))', { database });
  const tables = Array.from(
    { length: 18 },
    (_, at) => `d${at} USING m TAGS ('s${at}') VALUES (${1_700_000_000_000 + at}, ${2 ** at})`,
  );
  await service.run(`INSERT INTO ${tables.join(' ')}`, { database });
  const asked = "SELECT COUNT(v), SUM(v) FROM m WHERE site = 'x'";
  const rows = "SELECT tbname, v FROM m WHERE site IN ('x', 'y') AND ts < NOW() ORDER BY ts";
  t.deepEqual(await service.rows(asked, { database }), [[0, null]]);
  const names: unknown[] = [];
  for (let at = 0; at < 18; at++) {
    await service.run(`ALTER TABLE d${at} SET TAG site = 'x'`, { database });
    names.push([`d${at}`, 2 ** at]);
    t.deepEqual(await service.rows(asked, { database }), [[at + 1, 2 ** (at + 1) - 1]]);
    t.deepEqual(await service.rows(rows, { database }), names as never);
  }
  for (let at = 0; at < 17; at++) await service.run(`DROP TABLE d${at}`, { database });
  t.deepEqual(await service.rows(asked, { database }), [[1, 2 ** 17]]);
  await service.run("INSERT INTO d17 VALUES (1700000100000, 1) n USING m TAGS ('x') VALUES (1700000000000, 5)", {
    database,
  });
  t.deepEqual(await service.rows(asked, { database }), [[3, 2 ** 17 + 6]]);
  await service.run("ALTER TABLE d17 SET TAG site = 'z'", { database });
  t.deepEqual(await service.rows(asked, { database }), [[1, 5]]);
  await service.run('DROP TABLE m', { database });
  t.not(await service.code(asked, { database }), 0);
});

test.serial('figures of a large table are exact at once, whatever is written after they were asked for', async (t) => {
  const database = 'large';
  await service.run(`CREATE DATABASE ${database}`);
  await service.run('CREATE STABLE m (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8))', { database });
  const [rows, start] = [60_000, 1_700_000_000_000];
  for (let series = 0; series < 4; series++) {
    const values = Array.from({ length: rows }, (_, at) => `(${start + at * 1000}, 1)`).join(' ');
    await service.run(`INSERT INTO d${series} USING m TAGS ('s${series % 2}') VALUES ${values}`, { database });
  }
  let [count, sum] = [4 * rows, 4 * rows];
  const figures = async (): Promise<void> => {
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM m', { database }), [[count]]);
    t.deepEqual(await service.rows('SELECT SUM(v), COUNT(v) FROM m', { database }), [[sum, count]]);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM m WHERE ts >= 0', { database }), [[count]]);
  };
  const areKnown = () =>
    until(async () => {
      await service.rows('SELECT COUNT(*) FROM m', { database });
      const steps = await service.rows('EXPLAIN VERBOSE TRUE SELECT COUNT(*) FROM m', { database });
      return steps.some(([step]) => String(step).includes('stored meanwhile'));
    }, 60_000);
  const changes = [
    async () => {
      await service.run(`INSERT INTO d0 VALUES (${start - 1000}, 5)`, { database });
      [count, sum] = [count + 1, sum + 5];
    },
    async () => {
      await service.run(`DELETE FROM d2 WHERE ts < ${start + 10_000}`, { database });
      [count, sum] = [count - 10, sum - 10];
    },
    // Keys that are stored twice are known only once they are merged, so this comes last.
    async () => {
      await service.run(`INSERT INTO d1 VALUES (${start}, 7) (${start + 1000}, 8)`, { database });
      sum += 13;
    },
  ];
  for (const change of changes) {
    t.true(await areKnown());
    await figures();
    await change();
    await figures();
  }
});

test.serial('a query whose result was short the last time has all of a longer one', async (t) => {
  const rows = (count: number) => service.rows(`SELECT ts, v, site FROM m LIMIT ${count}`, { database: 'large' });
  const lengths: number[] = [];
  for (const count of [27_000, 27_000, 239_000, 27_000]) lengths.push((await rows(count)).length);
  t.deepEqual(lengths, [27_000, 27_000, 239_000, 27_000]);
});

test.serial('a statement with NOW is not answered with an earlier time', async (t) => {
  const [[first] = []] = await service.rows('SELECT NOW()');
  const [[second] = []] = await service.rows('SELECT NOW()');
  t.true(String(second) > String(first));
});

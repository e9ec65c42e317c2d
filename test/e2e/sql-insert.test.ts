import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

let databases = 0;

/** A database of its own with a normal table `t` (ts, a, b) and a super table `s` (ts, a, b; site, n). */
async function freshDatabase(options = ''): Promise<string> {
  databases++;
  const name = `insert_${databases}`;
  await service.run(`CREATE DATABASE ${name} ${options}`);
  await service.run(`CREATE TABLE ${name}.t (ts TIMESTAMP, a INT, b INT)`);
  await service.run(`CREATE STABLE ${name}.s (ts TIMESTAMP, a INT, b VARCHAR(20)) TAGS (site VARCHAR(16), n INT)`);
  return name;
}

const base = 1700000000000;

test('a later row of the same time replaces column by column', async (t) => {
  const db = await freshDatabase();
  const steps = [
    [`VALUES (${base}, 1, 2)`, 1, [1, 2]],
    [`(ts, a) VALUES (${base}, 10)`, 1, [10, 2]],
    [`(ts, a, b) VALUES (${base}, NULL, 5)`, 1, [null, 5]],
    [`VALUES (${base}, 7, NULL)`, 1, [7, null]],
    [`(ts, b) VALUES (${base}, 3) (${base}, 4)`, 2, [7, 4]],
  ] as const;
  for (const [values, affected, row] of steps) {
    t.is(await service.run(`INSERT INTO ${db}.t ${values}`), affected);
    t.deepEqual(await service.rows(`SELECT a, b FROM ${db}.t`), [[...row]], values);
    t.deepEqual(await service.rows(`SELECT count(*), sum(b) FROM ${db}.t`), [[1, row[1]]], values);
  }
});

test('KEEP may reach further back than nanoseconds do', async (t) => {
  const db = await freshDatabase("KEEP 365000 PRECISION 'ns'");
  const altered = await freshDatabase("PRECISION 'ns'");
  await service.run(`ALTER DATABASE ${altered} KEEP 365000`);
  await service.run(`CREATE STREAM far FILL_HISTORY 1 INTO ${db}.far AS SELECT ts, a FROM ${db}.t`);
  const old = '1700-01-01T00:00:00.000000000Z';
  for (const database of [db, altered]) {
    await service.run('INSERT INTO t VALUES (NOW, 1, 1)', { database });
    await service.run(`INSERT INTO t VALUES ('${old}', 2, 2)`, { database });
    await service.run("INSERT INTO s1 USING s TAGS ('x', 1) VALUES (NOW, 1, 'y')", { database });
    await service.run('CREATE TABLE copy (ts TIMESTAMP, a INT, b INT)', { database });
    t.is(await service.run('INSERT INTO copy SELECT * FROM t', { database }), 2);
    const rows = await service.rows('SELECT a FROM copy WHERE ts < NOW + 1h ORDER BY ts', { database });
    t.deepEqual(rows, [[2], [1]]);
    t.is((await service.rows('SELECT ts FROM t ORDER BY ts LIMIT 1', { database }))[0]?.[0], old);
    t.is(await service.code("INSERT INTO t VALUES ('1600-01-01T00:00:00Z', 2, 2)", { database }), 0x060b);
  }
  await until(async () => (await service.rows(`SELECT count(*) FROM ${db}.far`))[0]?.[0] === 2);
});

test('statements at the same time about one row are joined as if one came after the other', async (t) => {
  const db = await freshDatabase();
  await service.run(
    `CREATE TABLE ${db}.wide (ts TIMESTAMP, ${Array.from({ length: 20 }, (_, i) => `c${i} INT`).join(', ')})`,
  );
  const all = Array.from({ length: 20 }, (_, i) => `INSERT INTO ${db}.wide (ts, c${i}) VALUES (${base}, ${i})`);
  t.deepEqual(
    await Promise.all(all.map((statement) => service.run(statement))),
    all.map(() => 1),
  );
  t.deepEqual(await service.rows(`SELECT * FROM ${db}.wide`), [
    ['2023-11-14T22:13:20.000Z', ...Array.from({ length: 20 }, (_, i) => i)],
  ]);
});

test('one statement writes many tables and makes missing sub-tables', async (t) => {
  const db = await freshDatabase();
  const other = await freshDatabase();
  const statement = [
    `INSERT INTO ${db}.t VALUES (${base}, 1, 2) (${base + 1}, 3, 4), (${base + 2}, NULL, NULL)`,
    `${db}.c1 USING ${db}.s TAGS ('east', 1) VALUES (${base}, 1, 'x')`,
    `${db}.c2 USING ${db}.s (n) TAGS (2) TTL 30 (ts, b) VALUES (${base}, 'only b') (${base + 1}, NULL)`,
    `${db}.c1 (a, ts) VALUES (5, ${base + 5})`,
    `${other}.t VALUES (${base}, 9, 9);`,
  ].join('\n');
  t.is(await service.run(statement), 8);
  t.deepEqual(await service.rows(`SELECT a, b FROM ${db}.t`), [
    [1, 2],
    [3, 4],
    [null, null],
  ]);
  t.deepEqual(await service.rows(`SELECT tbname, ts, a, b, site, n FROM ${db}.s ORDER BY tbname, ts`), [
    ['c1', '2023-11-14T22:13:20.000Z', 1, 'x', 'east', 1],
    ['c1', '2023-11-14T22:13:20.005Z', 5, null, 'east', 1],
    ['c2', '2023-11-14T22:13:20.000Z', null, 'only b', null, 2],
    ['c2', '2023-11-14T22:13:20.001Z', null, null, null, 2],
  ]);
  t.deepEqual(await service.rows(`SELECT a FROM ${other}.t`), [[9]]);
  await service.run(`INSERT INTO ${db}.c1 USING ${db}.s TAGS ('ignored', 99) VALUES (${base + 9}, 1, 'y')`);
  t.deepEqual(await service.rows(`SELECT DISTINCT site, n FROM ${db}.s WHERE tbname = 'c1'`), [['east', 1]]);
});

test('rows go into a super table by name', async (t) => {
  const db = await freshDatabase();
  const rows = [1, 2, 3].map((i) => `('p${i % 2}', 'west', ${base + i}, ${i})`).join(' ');
  t.is(await service.run(`INSERT INTO ${db}.s (tbname, site, ts, a) VALUES ${rows}`), 3);
  t.deepEqual(await service.rows(`SELECT tbname, site, n, a FROM ${db}.s ORDER BY ts`), [
    ['p1', 'west', null, 1],
    ['p0', 'west', null, 2],
    ['p1', 'west', null, 3],
  ]);
  t.not(await service.code(`INSERT INTO ${db}.s VALUES (${base}, 1, 'x')`), 0);
});

test('times are written as numbers, texts and from now', async (t) => {
  const db = await freshDatabase();
  const before = Date.now();
  const values = [
    `(1700000000123, 1, 0)`,
    `('2023-11-14T22:13:21.5Z', 2, 0)`,
    `('2023-11-15 06:13:22+08:00', 3, 0)`,
    `('2023-11-14 22:13:23.25', 4, 0)`,
    `('2023-11-15', 5, 0)`,
    `(NOW, 6, 0)`,
    `(NOW() + 1s, 7, 0)`,
    `(now-1h, 8, 0)`,
    `(TODAY() + 1h, 9, 0)`,
  ];
  t.is(await service.run(`INSERT INTO ${db}.t VALUES ${values.join(' ')}`), values.length);
  const after = Date.now();
  t.deepEqual(await service.rows(`SELECT ts, a FROM ${db}.t WHERE a <= 5 ORDER BY a`), [
    ['2023-11-14T22:13:20.123Z', 1],
    ['2023-11-14T22:13:21.500Z', 2],
    ['2023-11-14T22:13:22.000Z', 3],
    ['2023-11-14T22:13:23.250Z', 4],
    ['2023-11-15T00:00:00.000Z', 5],
  ]);
  const relative = new Map(
    (await service.rows(`SELECT a, ts FROM ${db}.t WHERE a > 5`)).map(([a, ts]) => [a, Date.parse(String(ts))]),
  );
  const near = (ms: number | undefined, shift: number): boolean =>
    ms !== undefined && ms - shift >= before && ms - shift <= after;
  t.true(near(relative.get(6), 0) && near(relative.get(7), 1000) && near(relative.get(8), -3_600_000));
  t.is((relative.get(9) ?? 0) % 86_400_000, 3_600_000);
});

test('literals are converted to the type of their column', async (t) => {
  const db = await freshDatabase();
  await service.run(
    `CREATE TABLE ${db}.k (ts TIMESTAMP, b BOOL, i TINYINT, u SMALLINT UNSIGNED, f FLOAT, d DOUBLE, s VARCHAR(8), n NCHAR(4), c DECIMAL(6,2), x TIMESTAMP)`,
  );
  const rows = [
    `(${base}, true, '0x1F', '12', '1.5', 1e3, 'it''s', "q'q", '12.345', '2024-01-01T00:00:00Z')`,
    `(${base + 1}, 'FALSE', 0b101, 7, -1, .5, '\\\\ \\n', 'üüüü', 1, 1700000000123)`,
    `(${base + 2}, 1, -128, 65535, 0.1, -0.1, '', '', -0.005, NULL)`,
    `(${base + 3}, 'null', 'NULL', NULL, null, 'null', 'null', 'NULL', null, 'null')`,
  ];
  t.is(await service.run(`INSERT INTO ${db}.k VALUES ${rows.join(',')}`), 4);
  t.deepEqual(await service.rows(`SELECT b, i, u, f, d, s, n, c, x FROM ${db}.k`), [
    [true, 31, 12, 1.5, 1000, "it's", "q'q", '12.35', '2024-01-01T00:00:00.000Z'],
    [false, 5, 7, -1, 0.5, '\\ \n', 'üüüü', '1.00', '2023-11-14T22:13:20.123Z'],
    [true, -128, 65535, 0.1, -0.1, '', '', '-0.01', null],
    [null, null, null, null, null, 'null', 'NULL', null, null],
  ]);
  const refused = [
    ['i', '128', 0x0216],
    ['i', "'x'", 0x0216],
    ['u', '-1', 0x0216],
    ['b', "'maybe'", 0x0216],
    ['d', "'abc'", 0x0216],
    ['d', "''", 0x0216],
    ['s', "'123456789'", 0x2653],
    ['n', "'12345'", 0x2653],
    ['c', '123456', 0x013d],
    ['x', "'not a time'", 0x0216],
  ] as const;
  for (const [column, literal, code] of refused) {
    const statement = `INSERT INTO ${db}.k (ts, ${column}) VALUES (${base + 9}, ${literal})`;
    const { status, body } = await service.sql(statement);
    t.deepEqual([body.code, status], [code, 200], statement);
  }
  t.not(await service.code(`INSERT INTO ${db}.k VALUES (NULL, 1, 1, 1, 1, 1, 'x', 'x', 1, NULL)`), 0);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.k`), [[4]]);
});

test('a statement with an error anywhere writes nothing', async (t) => {
  const db = await freshDatabase();
  const statement = `INSERT INTO ${db}.t VALUES (${base}, 1, 1) ${db}.c1 USING ${db}.s TAGS ('x', 1) VALUES (${base}, 'no number', '')`;
  const { body } = await service.sql(statement);
  t.is(body.code, 0x0216);
  t.regex(body.desc ?? '', /^syntax error near ''no number'.* \(invalid int data\)$/);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.t`), [[0]]);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['t']]);
  const cases = [
    `INSERT ${db}.t VALUES (NOW, 1, 1)`,
    `INSERT INTO ${db}.t (NOW, 1, 1)`,
    `INSERT INTO ${db}.t VALUES NOW, 1, 1`,
    `INSERT INTO ${db}.t VALUES (NOW, 1, 1`,
    `INSERT INTO ${db}.t VALUES`,
    `INSERT INTO ${db}.t (ts, a, a) VALUES (NOW, 1, 1)`,
    `INSERT INTO ${db}.c9 USING ${db}.s VALUES (NOW, 1, 'x')`,
  ];
  for (const wrong of cases) t.is(await service.code(wrong), 0x0216, wrong);
});

test('ten thousand rows go in one statement', async (t) => {
  const db = await freshDatabase();
  const rows = Array.from({ length: 10_000 }, (_, i) => `(${base + i}, ${i}, ${-i})`).join(',');
  t.is(await service.run(`INSERT INTO ${db}.t VALUES ${rows}`), 10_000);
  t.deepEqual(await service.rows(`SELECT count(*), sum(a), min(b), first(a), last(a) FROM ${db}.t`), [
    [10_000, 49_995_000, -9999, 0, 9999],
  ]);
  t.is(await service.run(`INSERT INTO ${db}.t VALUES ${rows}`), 10_000);
  t.deepEqual(await service.rows(`SELECT count(*), sum(a) FROM ${db}.t`), [[10_000, 49_995_000]]);
});

test('one statement makes a thousand sub-tables', async (t) => {
  const db = await freshDatabase();
  const parts = Array.from(
    { length: 1000 },
    (_, i) => `${db}.c${i} USING ${db}.s TAGS ('s${i % 10}', ${i}) VALUES (${base}, ${i}, 'x')`,
  );
  t.is(await service.run(`INSERT INTO ${parts.join(' ')}`), 1000);
  t.deepEqual(await service.rows(`SELECT site, count(*), sum(n) FROM ${db}.s GROUP BY site ORDER BY site LIMIT 1`), [
    ['s0', 100, 49_500],
  ]);
  t.deepEqual(await service.rows(`SELECT count(*) FROM (SELECT DISTINCT tbname FROM ${db}.s)`), [[1000]]);
});

test('many statements at once lose no row and read their own writes', async (t) => {
  const db = await freshDatabase();
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const rows = Array.from({ length: 10 }, (_, k) => `(${base + k}, ${i}, 'r${k}')`).join(' ');
      await service.run(
        `INSERT INTO ${db}.d${i % 20} USING ${db}.s TAGS ('x', ${i % 20}) VALUES ${rows.replaceAll(`(${base}`, `(${base + 100 * i}`)}`,
      );
      t.deepEqual(await service.rows(`SELECT a FROM ${db}.d${i % 20} WHERE ts = ${base + 100 * i}`), [[i]]);
    }),
  );
  const [[count, tables] = []] = await service.rows(`SELECT count(*), hyperloglog(n) FROM ${db}.s`);
  t.is(count, 20 * 9 + 100);
  t.is(tables, 20);
});

test('microseconds and nanoseconds are kept', async (t) => {
  const us = await freshDatabase("PRECISION 'us'");
  const ns = await freshDatabase("PRECISION 'ns'");
  await service.run(`INSERT INTO ${us}.t VALUES ('2026-01-02T03:04:05.123456Z', 1, 1) (1700000000123457, 2, 2)`);
  await service.run(`INSERT INTO ${ns}.t VALUES ('2026-01-02T03:04:05.123456789Z', 1, 1) (1700000000123456790, 2, 2)`);
  t.deepEqual(await service.rows(`SELECT ts FROM ${us}.t`), [
    ['2023-11-14T22:13:20.123457Z'],
    ['2026-01-02T03:04:05.123456Z'],
  ]);
  t.deepEqual(await service.rows(`SELECT ts FROM ${ns}.t`), [
    ['2023-11-14T22:13:20.123456790Z'],
    ['2026-01-02T03:04:05.123456789Z'],
  ]);
  t.deepEqual(await service.rows(`SELECT a FROM ${ns}.t WHERE ts = '2026-01-02T03:04:05.123456789Z'`), [[1]]);
  t.deepEqual(await service.rows(`SELECT a FROM ${ns}.t WHERE ts < 1700000000123456791`), [[2]]);
});

test('rows outside of what the database keeps are refused', async (t) => {
  const db = await freshDatabase('KEEP 30d DURATION 1d');
  t.is(await service.code(`INSERT INTO ${db}.t VALUES (NOW - 31d, 1, 1)`), 0x060b);
  t.is(await service.code(`INSERT INTO ${db}.t VALUES (NOW - 29d, 1, 1)`), 0);
  t.is(await service.code(`INSERT INTO ${db}.t VALUES ('2971-01-01', 1, 1)`), 0x060b);
});

test('a tag may be as long as it is declared', async (t) => {
  await service.run('CREATE DATABASE full_tags');
  await service.run('CREATE STABLE full_tags.m (ts TIMESTAMP, v INT) TAGS (g NCHAR(4), h VARCHAR(5))');
  await service.run("INSERT INTO full_tags.s USING full_tags.m TAGS ('höhe', 'höhe') VALUES (NOW, 1)");
  t.deepEqual(await service.rows('SELECT g, h FROM full_tags.m'), [['höhe', 'höhe']]);
});

test('a text that is not UTF-8 is refused with its column, and bytes are taken where they may be any', async (t) => {
  const db = await freshDatabase();
  await service.run(`CREATE TABLE ${db}.bytes (ts TIMESTAMP, raw VARBINARY(8), name NCHAR(8))`);
  const refusals = async (...statements: readonly string[]) => {
    const answers = await Promise.all(statements.map((sql) => service.sql(Buffer.from(sql, 'latin1'))));
    return answers.map(({ body }) => [
      body.code,
      body.desc?.replace(/^.*(\(.*\))$/, '$1').replace(/byte \d+/, 'byte …'),
    ]);
  };
  t.deepEqual(
    await refusals(
      `INSERT INTO ${db}.bytes VALUES (NOW, '\xff', 'a') (NOW, 'b', 'stra\xdfe')`,
      `INSERT INTO ${db}.s1 USING ${db}.s TAGS ('\xe9t\xe9', 1) VALUES (NOW, 1, 'x')`,
      `INSERT INTO ${db}.\`s\xe9\` USING ${db}.s TAGS ('a', 1) VALUES (NOW, 1, 'x')`,
      `INSERT INTO ${db}.s (tbname, ts, a, site, n) VALUES ('s\xe9', NOW, 1, 'a', 1)`,
      `CREATE TABLE ${db}.s2 USING ${db}.s TAGS ('\xe9', 1)`,
    ),
    [
      [0x0216, '(the text of name is not UTF-8)'],
      [0x0216, '(the text of site is not UTF-8)'],
      [0x0216, '(a text that is not UTF-8)'],
      [0x0216, '(a text that is not UTF-8)'],
      [0x2600, 'syntax error: the statement is not UTF-8 from byte … on'],
    ],
  );
  await service.run(Buffer.from(`INSERT INTO ${db}.bytes VALUES (NOW, '\xff\x01', '\xc3\xa9')`, 'latin1'));
  t.deepEqual(await service.rows(`SELECT raw, name FROM ${db}.bytes`), [['ff01', 'é']]);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['bytes'], ['t']]);
});

import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import { engineSecret } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, neighbour, end } = await sharedService();
const engine = new EngineClient({ url: service.engineUrl, user: 'default', password: engineSecret });
test.after.always(async () => {
  await engine.close();
  await end();
});
let databases = 0;

/** A database of its own for a test; milliseconds unless told otherwise. */
async function freshDatabase(options = ''): Promise<string> {
  databases++;
  const name = `sql_${databases}`;
  await service.run(`CREATE DATABASE ${name} ${options}`);
  return name;
}

const noRowsAffected = '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[0]],"rows":1}';

test('health checks of dashboards and load tools are answered', async (t) => {
  const version = await service.sql('SELECT SERVER_VERSION()');
  t.deepEqual([version.body.column_meta[0]?.[0], version.body.rows], ['server_version()', 1]);
  t.regex(String(version.body.data[0]?.[0]), /^3\./);
  const status = await service.sql('select server_status()');
  t.deepEqual([status.body.column_meta, status.body.data], [[['server_status()', 'INT', 4]], [[1]]]);
  const one = await service.sql('select 1');
  t.deepEqual([one.body.column_meta, one.body.data, one.body.rows], [[['1', 'BIGINT', 8]], [[1]], 1]);
  const names = await service.sql('SHOW DATABASES');
  t.deepEqual(names.body.column_meta, [['name', 'VARCHAR', 64]]);
  t.deepEqual(names.body.data.slice(0, 2), [['information_schema'], ['performance_schema']]);
});

test('a definition answers as a write of no rows, byte for byte', async (t) => {
  const db = await freshDatabase();
  t.is((await service.sql(`create table ${db}.t18(ts timestamp, v int)`)).text, noRowsAffected);
  const keyed = await service.sql(`create table ${db}.t19(ts timestamp, v int)`, { query: { row_with_meta: '1' } });
  t.is(keyed.text, '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[{"affected_rows":0}],"rows":1}');
  const two = await service.sql(`insert into ${db}.t18 values (1700000000123, 1) (1700000001123, 2)`);
  t.is(two.text, '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[2]],"rows":1}');
  t.is(two.headers['content-type'], 'application/json; charset=utf-8');
});

test('databases are created with every option, once, and dropped', async (t) => {
  const options = [
    "PRECISION 'us' KEEP 365d DURATION 5d VGROUPS 4 REPLICA 1 BUFFER 96 CACHEMODEL 'both' CACHESIZE 10 COMP 2",
    'WAL_LEVEL 2 WAL_FSYNC_PERIOD 100 MAXROWS 4096 MINROWS 100 PAGES 128 PAGESIZE 8 STT_TRIGGER 1 SINGLE_STABLE 0',
    "WAL_RETENTION_PERIOD 0 WAL_RETENTION_SIZE 0 TABLE_PREFIX 0 TABLE_SUFFIX 0 STRICT 'on' KEEP_TIME_OFFSET 0",
  ].join(' ');
  t.is((await service.sql(`CREATE DATABASE full_options ${options}`)).text, noRowsAffected);
  t.is(await service.code('CREATE DATABASE full_options'), 0x0381);
  t.is((await service.sql("create database if not exists FULL_OPTIONS precision 'ns'")).text, noRowsAffected);
  t.true((await service.rows('SHOW DATABASES')).some(([name]) => name === 'full_options'));
  await service.run('CREATE TABLE full_options.t (ts TIMESTAMP, v INT)');
  await service.run("INSERT INTO full_options.t VALUES ('2026-01-02T03:04:05.123456Z', 1)");
  t.deepEqual(await service.rows('SELECT ts FROM full_options.t'), [['2026-01-02T03:04:05.123456Z']]);
  t.is((await service.sql('ALTER DATABASE full_options KEEP 3650')).text, noRowsAffected);
  t.is((await service.sql('DROP DATABASE full_options')).text, noRowsAffected);
  t.is(await service.code('DROP DATABASE full_options'), 0x0388);
  t.is((await service.sql('DROP DATABASE IF EXISTS full_options')).text, noRowsAffected);
  t.is(await service.code('USE full_options'), 0x0388);
  const refused = [
    ["CREATE DATABASE wrong PRECISION 's'", 0x2619],
    ['CREATE DATABASE wrong BUFFER 1', 0x2619],
    ['CREATE DATABASE wrong KEEP 10 DURATION 10d', 0x2619],
    ['CREATE DATABASE wrong QUORUM 1', 0x2600],
    ['CREATE DATABASE 1wrong', 0x2600],
  ] as const;
  for (const [statement, code] of refused) t.is(await service.code(statement), code, statement);
});

test('the database comes from the address, and USE does not last', async (t) => {
  t.is((await service.sql('create database nodb_yet', { database: 'nodb_yet' })).text, noRowsAffected);
  const database = 'nodb_yet';
  t.is((await service.sql('create table here (ts timestamp, v int)', { database })).text, noRowsAffected);
  await service.run('insert into here values (1700000000123, 1)', { database });
  t.deepEqual(await service.rows('select v from here', { database }), [[1]]);
  t.is(await service.code('select v from here'), 0x2616);
  t.is(await service.code('insert into here values (now, 1)'), 0x2616);
  t.is(await service.code('create table there (ts timestamp, v int)'), 0x2616);
  t.is((await service.sql('USE nodb_yet')).text, noRowsAffected);
  t.is(await service.code('select v from here'), 0x2616);
  for (const statement of ['select v from here', 'insert into here values (now, 1)', 'SHOW TABLES']) {
    const { text } = await service.sql(statement, { database: 'no_such' });
    t.is(text, '{"code":9750,"desc":"Database not specified: there is no database no_such"}', statement);
  }
});

test('super tables, sub-tables and normal tables', async (t) => {
  const db = await freshDatabase();
  const columns = '(ts TIMESTAMP, current FLOAT, phase INT) TAGS (location VARCHAR(24), group_id INT)';
  t.is((await service.sql(`CREATE STABLE ${db}.meters ${columns} COMMENT 'all of them'`)).text, noRowsAffected);
  t.is(await service.code(`CREATE STABLE ${db}.meters ${columns}`), 0x0360);
  t.is(await service.code(`CREATE STABLE IF NOT EXISTS ${db}.meters ${columns}`), 0);
  t.is((await service.sql(`CREATE TABLE ${db}.other ${columns}`)).text, noRowsAffected);
  t.is((await service.sql(`CREATE TABLE ${db}.plain (ts TIMESTAMP, v INT) TTL 10`)).text, noRowsAffected);
  t.is(await service.code(`CREATE TABLE ${db}.plain (ts TIMESTAMP, v INT)`), 0x0603);
  t.is(await service.code(`CREATE TABLE IF NOT EXISTS ${db}.plain (ts TIMESTAMP, v INT)`), 0);
  const batch = [
    `CREATE TABLE ${db}.d1 USING ${db}.meters TAGS ('north', 1) TTL 30 COMMENT 'first'`,
    `${db}.d2 USING ${db}.meters (group_id) TAGS (2)`,
    `IF NOT EXISTS ${db}.d3 USING ${db}.other TAGS ('south', NULL)`,
  ].join(' ');
  t.is((await service.sql(batch)).text, noRowsAffected);
  t.is(await service.code(`CREATE TABLE ${db}.d1 USING ${db}.meters TAGS ('x', 1)`), 0x0603);
  t.is(await service.code(`CREATE TABLE IF NOT EXISTS ${db}.d1 USING ${db}.meters TAGS ('x', 1)`), 0);
  t.is(await service.code(`CREATE TABLE IF NOT EXISTS ${db}.d1 USING ${db}.other TAGS ('x', 1)`), 0x061d);
  t.is(await service.code(`CREATE TABLE ${db}.d4 USING ${db}.meters TAGS ('x')`), 0x260d);
  t.is(await service.code(`CREATE TABLE ${db}.d4 USING ${db}.meters TAGS ('${'x'.repeat(25)}', 1)`), 0x2653);
  t.true([0x2603, 0x2662].includes(await service.code(`CREATE TABLE ${db}.d4 USING ${db}.nothing TAGS (1)`)));
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), [['meters'], ['other']]);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['d1'], ['d2'], ['d3'], ['plain']]);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES LIKE 'd%'`), [['d1'], ['d2'], ['d3']]);
  t.deepEqual(await service.rows('SHOW STABLES', { database: db }), [['meters'], ['other']]);
  t.deepEqual(await service.rows(`SELECT DISTINCT tbname, location, group_id FROM ${db}.meters ORDER BY tbname`), [
    ['d1', 'north', 1],
    ['d2', null, 2],
  ]);
});

test('a longer KEEP counts for the tables that exist', async (t) => {
  const db = await freshDatabase('KEEP 40d');
  await service.run(`CREATE TABLE ${db}.n (ts TIMESTAMP, v INT)`);
  const old = Date.now() - 300 * 86_400_000;
  t.is(await service.code(`INSERT INTO ${db}.n VALUES (${old}, 1)`), 0x060b);
  await service.run(`ALTER DATABASE ${db} KEEP 400d`);
  t.is(await service.code(`INSERT INTO ${db}.n VALUES (${old}, 1)`), 0);
  // Expired rows go when parts are merged.
  for (let i = 0; i < 5; i++) await service.run(`INSERT INTO ${db}.n VALUES (${old + 1}, ${i})`);
  const plan = await service.rows(`EXPLAIN VERBOSE true SELECT * FROM ${db}.n`);
  const [, table] = /^Statement: .* FROM (\S+) AS /m.exec(plan.flat().join('\n')) ?? [];
  await engine.exec(`OPTIMIZE TABLE ${table} FINAL`);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.n`), [[2]]);
});

test('the sub-tables of one statement are checked before any is made', async (t) => {
  const db = await freshDatabase();
  for (const name of ['m', 'n']) await service.run(`CREATE STABLE ${db}.${name} (ts TIMESTAMP, v INT) TAGS (g INT)`);
  await service.run(`CREATE TABLE ${db}.old USING ${db}.n TAGS (1)`);
  const using = (name: string, parent: string) => `${db}.${name} USING ${db}.${parent} TAGS (1)`;
  t.is(await service.code(`CREATE TABLE ${using('a', 'm')} ${using('old', 'n')}`), 0x0603);
  t.is(await service.code(`CREATE TABLE ${using('a', 'm')} ${using('a', 'n')}`), 0x061d);
  t.is(await service.code(`CREATE TABLE ${using('a', 'm')} ${using('a', 'm')}`), 0x0603);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['old']]);
  const tolerant = (name: string, parent: string) => `IF NOT EXISTS ${using(name, parent)}`;
  t.is(await service.code(`CREATE TABLE ${tolerant('a', 'm')} ${tolerant('a', 'm')} ${tolerant('old', 'n')}`), 0);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['a'], ['old']]);
});

test('definitions that make no sense are refused', async (t) => {
  const db = await freshDatabase();
  const cases = [
    [`CREATE TABLE ${db}.x (v INT, ts TIMESTAMP)`, 0x2641],
    [`CREATE TABLE ${db}.x (ts TIMESTAMP, v INT, V INT)`, 0x263c],
    [`CREATE STABLE ${db}.x (ts TIMESTAMP, v INT) TAGS (v INT)`, 0x263c],
    [`CREATE TABLE ${db}.x (ts TIMESTAMP, v VARCHAR(65518))`, 0x2642],
    [`CREATE TABLE ${db}.x (ts TIMESTAMP, v TEXT)`, 0x2600],
    [`CREATE TABLE ${db}.x (ts TIMESTAMP, v JSON)`, 0x2652],
    [`CREATE STABLE ${db}.x (ts TIMESTAMP, v INT) TAGS (j JSON, k INT)`, 0x2633],
    [`CREATE TABLE ${db}.\`\` (ts TIMESTAMP, v INT)`, 0x2617],
    [`CREATE TABLE ${db}.${'x'.repeat(193)} (ts TIMESTAMP, v INT)`, 0x2617],
    ['CREATE TABLE no_such_database.x (ts TIMESTAMP, v INT)', 0x0388],
  ] as const;
  for (const [statement, code] of cases) t.is(await service.code(statement), code, statement);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), []);
});

test('DESCRIBE shows every type with its length', async (t) => {
  const db = await freshDatabase();
  const types = [
    ['b', 'BOOL', 'BOOL', 1],
    ['i1', 'TINYINT', 'TINYINT', 1],
    ['i2', 'SMALLINT', 'SMALLINT', 2],
    ['i4', 'INTEGER', 'INT', 4],
    ['i8', 'BIGINT', 'BIGINT', 8],
    ['u1', 'TINYINT UNSIGNED', 'TINYINT UNSIGNED', 1],
    ['u2', 'SMALLINT UNSIGNED', 'SMALLINT UNSIGNED', 2],
    ['u4', 'INT UNSIGNED', 'INT UNSIGNED', 4],
    ['u8', 'BIGINT UNSIGNED', 'BIGINT UNSIGNED', 8],
    ['f', 'FLOAT', 'FLOAT', 4],
    ['d', 'DOUBLE', 'DOUBLE', 8],
    ['s', 'BINARY(20)', 'VARCHAR', 20],
    ['n', 'NCHAR(10)', 'NCHAR', 10],
    ['x', 'VARBINARY(16)', 'VARBINARY', 16],
    ['g', 'GEOMETRY(64)', 'GEOMETRY', 64],
    ['t2', 'TIMESTAMP', 'TIMESTAMP', 8],
    ['c8', 'DECIMAL(10,3)', 'DECIMAL(10,3)', 8],
    ['c16', 'DECIMAL(30, 5)', 'DECIMAL(30,5)', 16],
  ] as const;
  const list = types.map(([name, type]) => `${name} ${type}`).join(', ');
  await service.run(`CREATE STABLE ${db}.s (ts TIMESTAMP, ${list}) TAGS (k INT, \`Weird Tag\` NCHAR(3))`);
  await service.run(`CREATE TABLE ${db}.c USING ${db}.s TAGS (1, 'abc')`);
  const expected = [
    ['ts', 'TIMESTAMP', 8, ''],
    ...types.map(([name, , type, length]) => [name, type, length, '']),
    ['k', 'INT', 4, 'TAG'],
    ['Weird Tag', 'NCHAR', 3, 'TAG'],
  ];
  for (const table of ['s', 'c']) {
    const described = await service.rows(`DESCRIBE ${db}.${table}`);
    t.deepEqual<unknown, unknown>(
      described.map((row) => row.slice(0, 4)),
      expected,
    );
  }
  const { body } = await service.sql(`SELECT * FROM ${db}.s`);
  t.deepEqual<unknown, unknown>(
    body.column_meta,
    expected.map(([name, type, length]) => [name, type, length]),
  );
  t.deepEqual([body.data, body.rows], [[], 0]);
  t.is(await service.code(`DESCRIBE ${db}.nothing`), 0x2662);
});

test('super tables are altered, old rows keep their values and new columns are NULL in them', async (t) => {
  const db = await freshDatabase();
  await service.run(`CREATE STABLE ${db}.s (ts TIMESTAMP, v INT, text VARCHAR(4)) TAGS (k VARCHAR(4))`);
  await service.run(`INSERT INTO ${db}.a USING ${db}.s TAGS ('k1') VALUES (1700000000000, 1, 'abcd')`);
  for (const change of [
    'ADD COLUMN w DOUBLE',
    'ADD TAG n INT',
    'MODIFY COLUMN text VARCHAR(8)',
    'MODIFY TAG k VARCHAR(16)',
    'RENAME TAG k site',
  ])
    t.is((await service.sql(`ALTER STABLE ${db}.s ${change}`)).text, noRowsAffected, change);
  await service.run(`INSERT INTO ${db}.a VALUES (1700000001000, 2, 'abcdefgh', 2.5)`);
  await service.run(`INSERT INTO ${db}.b USING ${db}.s TAGS ('a longer tag', 7) VALUES (1700000002000, 3, NULL, 3.5)`);
  t.deepEqual(await service.rows(`SELECT v, text, w, site, n FROM ${db}.s ORDER BY ts`), [
    [1, 'abcd', null, 'k1', null],
    [2, 'abcdefgh', 2.5, 'k1', null],
    [3, null, 3.5, 'a longer tag', 7],
  ]);
  const refused = [
    ['ADD COLUMN w INT', 0x036b],
    ['ADD TAG site INT', 0x0369],
    ['MODIFY COLUMN text VARCHAR(5)', 0x264b],
    ['MODIFY COLUMN v BIGINT', 0x264b],
    ['DROP COLUMN nothing', 0x036c],
    ['DROP TAG nothing', 0x036a],
    ['DROP COLUMN ts', 0x264a],
  ] as const;
  for (const [change, code] of refused) t.is(await service.code(`ALTER STABLE ${db}.s ${change}`), code, change);
  await service.run(`ALTER STABLE ${db}.s DROP COLUMN w`);
  await service.run(`ALTER STABLE ${db}.s ADD COLUMN w DOUBLE`);
  t.deepEqual(await service.rows(`SELECT w FROM ${db}.s`), [[null], [null], [null]]);
});

test('a normal table is altered, and others made like it keep and get their rows', async (t) => {
  const db = await freshDatabase();
  await service.run(`CREATE TABLE ${db}.n (ts TIMESTAMP, v INT)`);
  await service.run(`INSERT INTO ${db}.n VALUES (1700000000000, 1)`);
  await service.run(`ALTER TABLE ${db}.n ADD COLUMN w INT`);
  t.deepEqual(await service.rows(`SELECT v, w FROM ${db}.n`), [[1, null]]);
  await service.run(`INSERT INTO ${db}.n (ts, w) VALUES (1700000000000, 2)`);
  t.deepEqual(await service.rows(`SELECT v, w FROM ${db}.n`), [[1, 2]]);
  await service.run(`CREATE TABLE ${db}.other (ts TIMESTAMP, v INT)`);
  await service.run(`INSERT INTO ${db}.other VALUES (1700000000000, 3)`);
  t.deepEqual(await service.rows(`SELECT * FROM ${db}.other`), [['2023-11-14T22:13:20.000Z', 3]]);
});

test('nothing old comes back when a table or a database is dropped and made again', async (t) => {
  const db = await freshDatabase();
  const make = async (value: number): Promise<void> => {
    await service.run(`CREATE STABLE IF NOT EXISTS ${db}.s (ts TIMESTAMP, v INT) TAGS (k INT)`);
    await service.run(`INSERT INTO ${db}.c USING ${db}.s TAGS (${value}) VALUES (${1700000000000 + value}, ${value})`);
    await service.run(`CREATE TABLE IF NOT EXISTS ${db}.n (ts TIMESTAMP, v INT)`);
    await service.run(`INSERT INTO ${db}.n VALUES (${1700000000000 + value}, ${value})`);
  };
  const content = () => Promise.all([service.rows(`SELECT v, k FROM ${db}.s`), service.rows(`SELECT v FROM ${db}.n`)]);
  await make(1);
  t.is((await service.sql(`DROP TABLE ${db}.c`)).text, noRowsAffected);
  t.is(await service.code(`DROP TABLE ${db}.c`), 0x2603);
  t.is(await service.code(`DROP TABLE IF EXISTS ${db}.c`), 0);
  t.deepEqual(await content(), [[], [[1]]]);
  t.is(await service.code(`SELECT * FROM ${db}.c`), 0x2662);
  t.is(await service.code(`INSERT INTO ${db}.c VALUES (now, 1)`), 0x2603);
  await service.run(`DROP TABLE ${db}.n`);
  await make(2);
  t.deepEqual(await content(), [[[2, 2]], [[2]]]);
  t.is((await service.sql(`DROP STABLE ${db}.s`)).text, noRowsAffected);
  t.is(await service.code(`DROP STABLE ${db}.s`), 0x0361);
  t.is(await service.code(`DROP STABLE ${db}.n`), 0x0361);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['n']]);
  await make(3);
  t.deepEqual(await content(), [[[3, 3]], [[2], [3]]]);
  await service.run(`DROP TABLE ${db}.c, ${db}.n`);
  await make(4);
  t.deepEqual(await content(), [[[4, 4]], [[4]]]);
  await service.run(`DROP DATABASE ${db}`);
  t.is(await service.code(`SELECT * FROM ${db}.s`), 0x0388);
  await service.run(`CREATE DATABASE ${db} PRECISION 'ms'`);
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), []);
  await make(5);
  t.deepEqual(await content(), [[[5, 5]], [[5]]]);
});

test('what one service defines or drops, another on the same engine follows', async (t) => {
  const db = await freshDatabase();
  const other = await neighbour();
  await service.run(`CREATE STABLE ${db}.s (ts TIMESTAMP, v INT) TAGS (k INT)`);
  await other.run(`INSERT INTO ${db}.c USING ${db}.s TAGS (1) VALUES (1700000000000, 1)`);
  t.deepEqual(await service.rows(`SELECT v, k FROM ${db}.c`), [[1, 1]]);
  await service.run(`ALTER STABLE ${db}.s ADD COLUMN w INT`);
  await other.run(`INSERT INTO ${db}.c (ts, w) VALUES (1700000000000, 2)`);
  t.deepEqual(await service.rows(`SELECT v, w FROM ${db}.s`), [[1, 2]]);
  await other.run(`DROP TABLE ${db}.c`);
  t.true(await until(async () => (await service.rows(`SELECT * FROM ${db}.s`)).length === 0));
  t.is(await service.code(`SELECT * FROM ${db}.c`), 0x2662);
  await service.run(`DROP DATABASE ${db}`);
  t.true(await until(async () => (await other.code(`SELECT * FROM ${db}.s`)) === 0x0388));
});

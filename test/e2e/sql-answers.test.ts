import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
let databases = 0;

/** A database of its own for a test; milliseconds unless told otherwise. */
async function freshDatabase(options = ''): Promise<string> {
  databases++;
  const name = `sql_${databases}`;
  await service.run(`CREATE DATABASE ${name} ${options}`);
  return name;
}

test('times are shown in the zone that is asked for, with the digits of the database', async (t) => {
  const ms = await freshDatabase();
  const us = await freshDatabase("PRECISION 'us'");
  const ns = await freshDatabase("PRECISION 'ns'");
  const ticks = { [ms]: '1700000000123', [us]: '1700000000123400', [ns]: '1700000000000000000' };
  for (const [db, tick] of Object.entries(ticks)) {
    await service.run(`CREATE TABLE ${db}.t (ts TIMESTAMP, v INT)`);
    await service.run(`INSERT INTO ${db}.t VALUES (${tick}, 1)`);
  }
  const cases = [
    [ms, undefined, '2023-11-14T22:13:20.123Z'],
    [ms, '', '2023-11-14T22:13:20.123Z'],
    [ms, 'UTC', '2023-11-14T22:13:20.123Z'],
    [ms, 'Asia/Tokyo', '2023-11-15T07:13:20.123+09:00'],
    [ms, 'America/New_York', '2023-11-14T17:13:20.123-05:00'],
    [ms, 'Asia/Kolkata', '2023-11-15T03:43:20.123+05:30'],
    [us, undefined, '2023-11-14T22:13:20.123400Z'],
    [us, 'Asia/Tokyo', '2023-11-15T07:13:20.123400+09:00'],
    [ns, undefined, '2023-11-14T22:13:20.000000000Z'],
    [ns, 'Asia/Kolkata', '2023-11-15T03:43:20.000000000+05:30'],
  ] as const;
  for (const [db, tz, expected] of cases) {
    const query = tz === undefined ? {} : { tz };
    t.deepEqual(await service.rows(`SELECT ts FROM ${db}.t`, { query }), [[expected]], tz);
    t.deepEqual(await service.rows(`SELECT first(ts) FROM ${db}.t`, { query }), [[expected]], tz);
  }
  await service.run(`INSERT INTO ${ms}.t VALUES ('2024-07-01T00:00:00+02:00', 2) ('2024-01-01T00:00:00Z', 3)`);
  const summer = await service.rows(`SELECT ts FROM ${ms}.t WHERE v > 1`, { query: { tz: 'America/New_York' } });
  t.deepEqual(summer, [['2023-12-31T19:00:00.000-05:00'], ['2024-06-30T18:00:00.000-04:00']]);
  for (const tz of ['Nowhere/City', '+08:00', 'utc', 'asia/tokyo']) {
    const refused = await service.sql('select 1', { query: { tz } });
    t.deepEqual([refused.status, refused.body.code], [400, 65535], tz);
  }
});

test('rows come as objects when asked for', async (t) => {
  const db = await freshDatabase();
  await service.run(`CREATE TABLE ${db}.t (ts TIMESTAMP, \`V v\` INT)`);
  await service.run(`INSERT INTO ${db}.t VALUES (1700000000123, 1) (1700000000124, NULL)`);
  for (const flag of ['T', '1', 'true']) {
    const query = { row_with_meta: flag };
    const { body } = await service.sql(`SELECT ts, \`V v\`, count(*) FROM ${db}.t GROUP BY ts, \`V v\` ORDER BY ts`, {
      query,
    });
    t.deepEqual<unknown, unknown>(body.data, [
      { ts: '2023-11-14T22:13:20.123Z', 'V v': 1, 'count(*)': 1 },
      { ts: '2023-11-14T22:13:20.124Z', 'V v': null, 'count(*)': 1 },
    ]);
  }
  const shown = await service.sql(`SHOW ${db}.TABLES`, { query: { row_with_meta: 'true' } });
  t.deepEqual<unknown, unknown>(shown.body.data, [{ table_name: 't' }]);
  const refused = await service.sql('select 1', { query: { row_with_meta: 'maybe' } });
  t.deepEqual([refused.status, refused.body.code], [400, 65535]);
});

test('64-bit integers, floats, decimals, binaries and texts are printed exactly', async (t) => {
  const db = await freshDatabase();
  await service.run(
    `CREATE TABLE ${db}.t (ts TIMESTAMP, i BIGINT, u BIGINT UNSIGNED, f FLOAT, d DOUBLE, c DECIMAL(10,3), x VARBINARY(8), s VARCHAR(40), n NCHAR(8))`,
  );
  const first = `(1700000000000, 9223372036854775807, 18446744073709551615, 0.1, 0.1, 12.5, '\\xDEAD01', 'q"b\\\\c\\nd\\te${String.fromCharCode(1)}', 'ünï€')`;
  const second = "(1700000001000, -9223372036854775808, 0, -1.5, 123456789.125, -0.007, '\\x00ff', '', '😀')";
  await service.run(
    `INSERT INTO ${db}.t VALUES ${first} ${second} (1700000002000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  );
  const { text, body } = await service.sql(`SELECT i, u, f, d, c, x, s, n FROM ${db}.t`);
  t.deepEqual(body.data, [
    ['9223372036854775807', '18446744073709551615', 0.1, 0.1, '12.500', 'dead01', 'q"b\\c\nd\te\u0001', 'ünï€'],
    ['-9223372036854775808', 0, -1.5, 123456789.125, '-0.007', '00ff', '', '😀'],
    [null, null, null, null, null, null, null, null],
  ]);
  t.true(text.includes('9223372036854775807') && !text.includes('"9223372036854775807"'));
  t.true(text.includes('18446744073709551615') && !text.includes('"18446744073709551615"'));
  t.true(text.includes('q\\"b\\\\c\\nd\\te\\u0001'));
  t.deepEqual(
    body.column_meta.map(([, type, length]) => [type, length]),
    [
      ['BIGINT', 8],
      ['BIGINT UNSIGNED', 8],
      ['FLOAT', 4],
      ['DOUBLE', 8],
      ['DECIMAL(10,3)', 8],
      ['VARBINARY', 8],
      ['VARCHAR', 40],
      ['NCHAR', 8],
    ],
  );
  await service.run(
    `INSERT INTO ${db}.t (ts, d) VALUES (1700000003000, 1e-7) (1700000004000, 1e21) (1700000005000, 0.000001) (1700000006000, 2.5)`,
  );
  t.deepEqual(await service.rows(`SELECT d FROM ${db}.t WHERE ts >= 1700000003000`), [
    [1e-7],
    [1e21],
    [0.000001],
    [2.5],
  ]);
  t.deepEqual(await service.rows(`SELECT sum(i), max(u), min(i), count(i) FROM ${db}.t`), [
    [-1, '18446744073709551615', '-9223372036854775808', 2],
  ]);
});

test('compressed statements are read and compressed answers sent', async (t) => {
  const headers = { 'content-encoding': 'gzip' };
  const packed = await service.request({ path: '/rest/sql', headers, body: gzipSync('select 1') });
  t.deepEqual(JSON.parse(packed.text).data, [[1]]);
  const wrong = await service.request({ path: '/rest/sql', headers, body: 'select 1' });
  t.is(wrong.status, 400);
  const response = await service.open({ path: '/rest/sql', headers: { 'accept-encoding': 'gzip' }, body: 'select 1' });
  t.is(response.headers['content-encoding'], 'gzip');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  t.deepEqual(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).data, [[1]]);
});

test('JSON tags are stored, selected and searched', async (t) => {
  const db = await freshDatabase();
  await service.run(`CREATE STABLE ${db}.j (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)`);
  const tags = ['{"job":"a","n":1,"ok":true}', '{"job":"b","n":2.5}', '{"other":"x y","none":null}'];
  const rows = tags.map((tag, i) => `${db}.j${i} USING ${db}.j TAGS ('${tag}') VALUES (${1700000000000 + i}, ${i})`);
  t.is(await service.run(`INSERT INTO ${rows.join(' ')}`), 3);
  const described = await service.rows(`DESCRIBE ${db}.j`);
  t.deepEqual(
    described.map((row) => row.slice(0, 4)),
    [
      ['ts', 'TIMESTAMP', 8, ''],
      ['v', 'DOUBLE', 8, ''],
      ['labels', 'JSON', 4095, 'TAG'],
    ],
  );
  const { body } = await service.sql(`SELECT labels, labels->'n' FROM ${db}.j ORDER BY ts`);
  t.deepEqual(
    body.column_meta.map(([, type]) => type),
    ['JSON', 'JSON'],
  );
  t.deepEqual(body.data, [
    [{ job: 'a', n: 1, ok: true }, 1],
    [{ job: 'b', n: 2.5 }, 2.5],
    [{ other: 'x y', none: null }, null],
  ]);
  const cases = [
    ["labels->'job' = 'a'", [0]],
    ["labels->'job' != 'a'", [1]],
    ["labels->'n' = 1", [0]],
    ["labels->'n' > 1", [1]],
    ["labels->'ok' = true", [0]],
    ["labels->'job' = 1", []],
    ["labels->'job' MATCH '^[ab]$'", [0, 1]],
    ["labels->'job' NMATCH '^a'", [1]],
    ["labels->'job' IS NULL", [2]],
    ["labels->'job' IS NOT NULL", [0, 1]],
    ["labels CONTAINS 'other'", [2]],
    ["labels->'other' LIKE 'x%'", [2]],
    ["labels->'job' IN ('a', 'c')", [0]],
    ["labels->'job' = 'a' OR labels->'other' = 'x y'", [0, 2]],
  ] as const;
  for (const [where, expected] of cases)
    t.deepEqual(
      (await service.rows(`SELECT v FROM ${db}.j WHERE ${where} ORDER BY ts`)).map(([v]) => v),
      [...expected],
      where,
    );
  t.deepEqual(await service.rows(`SELECT labels->'job', count(*) FROM ${db}.j GROUP BY labels->'job'`), [
    [null, 1],
    ['a', 1],
    ['b', 1],
  ]);
});

test('errors name their code and have the status of the setting', async (t) => {
  const db = await freshDatabase();
  const mapped = await service.attach('--httpCodeServerError=true');
  t.teardown(() => mapped.stop());
  await service.run(`CREATE STABLE ${db}.s (ts TIMESTAMP, v INT, name VARCHAR(4)) TAGS (k VARCHAR(4))`);
  await service.run(`CREATE TABLE ${db}.n (ts TIMESTAMP, v INT)`);
  const cases = [
    [`SELECT * FROM ${db}.nothing`, 0x2662, 500],
    [`INSERT INTO ${db}.nothing VALUES (NOW, 1)`, 0x2603, 500],
    [`INSERT INTO ${db}.c USING ${db}.nothing TAGS (1) VALUES (NOW, 1)`, 0x2603, 500],
    ['SELECT * FROM no_such_database.t', 0x0388, 500],
    ['INSERT INTO no_such_database.t VALUES (NOW, 1)', 0x0388, 500],
    ['SELECT * FROM n', 0x2616, 500],
    ['not a statement', 0x2600, 400],
    ['SELECT 1; SELECT 2', 0x2600, 400],
    [`SELECT FROM ${db}.n`, 0x2600, 400],
    [`INSERT INTO ${db}.n VALUES ('abc', 1)`, 0x0216, 400],
    [`INSERT INTO ${db}.n VALUES (NOW, 'x')`, 0x0216, 400],
    [`INSERT INTO ${db}.n VALUES (NOW, 1`, 0x0216, 400],
    [`INSERT INTO ${db}.n VALUES`, 0x0216, 400],
    [`CREATE DATABASE ${db}`, 0x0381, 500],
    [`CREATE STABLE ${db}.s (ts TIMESTAMP, v INT) TAGS (k INT)`, 0x0360, 500],
    [`CREATE TABLE ${db}.n (ts TIMESTAMP, v INT)`, 0x0603, 500],
    [`SELECT _wstart, count(*) FROM ${db}.n INTERVAL(1s) FILL(NULL)`, 0x263b, 400],
    [`INSERT INTO ${db}.n VALUES (0, 1)`, 0x060b, 400],
    [`INSERT INTO ${db}.n VALUES ('3000-01-01', 1)`, 0x060b, 400],
    [`SELECT nothing FROM ${db}.n`, 0x2602, 500],
    [`INSERT INTO ${db}.n (ts, nothing) VALUES (NOW, 1)`, 0x2602, 500],
    [`INSERT INTO ${db}.c USING ${db}.s TAGS ('k') VALUES (NOW, 1, 'too long')`, 0x2653, 500],
    [`INSERT INTO ${db}.c USING ${db}.s TAGS ('too long') VALUES (NOW, 1, 'x')`, 0x2653, 500],
    [`INSERT INTO ${db}.n VALUES (NOW, 1, 2)`, 0x263f, 500],
    [`INSERT INTO ${db}.n VALUES (NOW)`, 0x263f, 500],
    [`CREATE TABLE ${db}.m (ts TIMESTAMP)`, 0x263f, 500],
    [`SELECT count(*), v FROM ${db}.n WHERE count(*) > 1`, 0x2608, 500],
    ['SHOW no_such_database.TABLES', 0x0388, 500],
  ] as const;
  for (const [statement, code, status] of cases) {
    const plain = await service.sql(statement);
    t.deepEqual([plain.body.code, plain.status], [code, 200], `${statement}: ${plain.text}`);
    t.deepEqual(Object.keys(plain.body), ['code', 'desc']);
    const strict = await mapped.sql(statement);
    t.deepEqual([strict.body.code, strict.status], [code, status], statement);
  }
  for (const asked of [service, mapped]) {
    const auth = basicOf('root', 'wrong');
    const refused = await asked.sql('select 1', { auth });
    t.deepEqual([refused.body.code, refused.status], [0x0357, 401]);
    t.is((await asked.sql('select 1', { auth: false })).status, 401);
    t.is((await asked.sql('')).body.code, 4358);
    t.is((await asked.sql('   ')).body.code, 4359);
  }
});

test('a request id may be any 64-bit number and any word', async (t) => {
  t.is((await service.sql('select 1', { query: { req_id: '-3' } })).status, 200);
  t.is((await service.sql('select 1', { query: { req_id: 'trace-99999999999999999999' } })).status, 200);
  const nobody = await service.sql('select 1', { query: { req_id: 'x 1' }, auth: false });
  t.deepEqual([nobody.status, nobody.body.code], [400, 65535]);
});

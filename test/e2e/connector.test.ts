import rest from '@tdengine/rest';
import test from 'ava';
import { root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

interface Asked {
  readonly path?: string;
  readonly password?: string;
  readonly query?: Record<string, string>;
}

/** The connector as its manual says, against the service; the path as its manual says unless it is given. */
function cursorOf({ path = '/rest/sql/', password = root.password, query = {} }: Asked = {}) {
  const { port } = service;
  return rest
    .connect({ host: '127.0.0.1', port, path, scheme: 'http', user: root.user, passwd: password, query })
    .cursor();
}

test('a published connector makes, fills and reads tables of every type', async (t) => {
  const cursor = cursorOf();
  for (const definition of [
    'CREATE DATABASE power',
    'CREATE STABLE power.meters (ts TIMESTAMP, current FLOAT, voltage INT) TAGS (location VARCHAR(24), site INT)',
  ]) {
    const result = await cursor.query(definition);
    t.deepEqual([result.getErrCode(), result.getAffectRows(), result.getErrStr()], [0, 0, undefined], definition);
  }
  const types = [
    ['ts', 'TIMESTAMP', 'TIMESTAMP', 8, '1700000000123', '2023-11-14T22:13:20.123Z'],
    ['b', 'BOOL', 'BOOL', 1, 'true', true],
    ['i1', 'TINYINT', 'TINYINT', 1, '-128', -128],
    ['i2', 'SMALLINT', 'SMALLINT', 2, '-32768', -32_768],
    ['i4', 'INT', 'INT', 4, '-2147483648', -2_147_483_648],
    ['i8', 'BIGINT', 'BIGINT', 8, '-9007199254740991', -9_007_199_254_740_991],
    ['u1', 'TINYINT UNSIGNED', 'TINYINT UNSIGNED', 1, '255', 255],
    ['u2', 'SMALLINT UNSIGNED', 'SMALLINT UNSIGNED', 2, '65535', 65_535],
    ['u4', 'INT UNSIGNED', 'INT UNSIGNED', 4, '4294967295', 4_294_967_295],
    ['u8', 'BIGINT UNSIGNED', 'BIGINT UNSIGNED', 8, '9007199254740991', 9_007_199_254_740_991],
    ['f', 'FLOAT', 'FLOAT', 4, '10.3', 10.3],
    ['d', 'DOUBLE', 'DOUBLE', 8, '0.1', 0.1],
    ['dec', 'DECIMAL(10,3)', 'DECIMAL(10,3)', 8, '12.5', '12.500'],
    ['s', 'VARCHAR(20)', 'VARCHAR', 20, '\'a "quoted" text\'', 'a "quoted" text'],
    ['n', 'NCHAR(10)', 'NCHAR', 10, "'数据'", '数据'],
    ['x', 'VARBINARY(8)', 'VARBINARY', 8, "'\\xDEAD01'", 'dead01'],
    ['g', 'GEOMETRY(64)', 'GEOMETRY', 64, "'POINT(1 2)'", '0101000000000000000000f03f0000000000000040'],
    ['o', 'BLOB', 'BLOB', 4_194_304, "'abc'", '616263'],
  ] as const;
  const columns = types.map(([name, type]) => `${name} ${type}`).join(', ');
  t.is((await cursor.query(`CREATE TABLE power.every (${columns})`)).getErrCode(), 0);
  const values = types.map(([, , , , literal]) => literal).join(', ');
  const nulls = types.slice(1).map(() => 'NULL');
  const written = await cursor.query(`INSERT INTO power.every VALUES (${values}) (1700000001123, ${nulls.join(', ')})`);
  t.deepEqual([written.getErrCode(), written.getAffectRows()], [0, 2]);
  const read = await cursor.query('SELECT * FROM power.every', false);
  t.is(read.getErrCode(), 0);
  t.is(read.getCommand(), 'SELECT * FROM power.every');
  t.deepEqual<unknown, unknown>(
    read.getMeta(),
    types.map(([columnName, , typeName, size]) => ({ columnName, typeName, size })),
  );
  t.deepEqual<unknown, unknown>(read.getData(), [
    types.map(([, , , , , value]) => value),
    ['2023-11-14T22:13:21.123Z', ...nulls.map(() => null)],
  ]);
  t.is(read.getAffectRows(), 2);
});

test('a published connector inserts into sub-tables that it makes, and aggregates them', async (t) => {
  await service.run('CREATE DATABASE fleet');
  await service.run('CREATE STABLE fleet.cars (ts TIMESTAMP, speed INT) TAGS (name VARCHAR(8))');
  const cursor = cursorOf({ path: '/rest/sql/fleet', query: { tz: 'Asia/Tokyo' } });
  const cars = "c1 USING cars TAGS ('one') VALUES (1700000000000, 50) (1700000001000, 60) c2 USING cars TAGS ('two')";
  const written = await cursor.query(`INSERT INTO ${cars} VALUES (1700000000000, 90)`);
  t.deepEqual([written.getErrCode(), written.getAffectRows()], [0, 3]);
  const read = await cursor.query('SELECT name, last(ts), avg(speed) FROM cars GROUP BY name ORDER BY name');
  t.deepEqual(read.getData(), [
    ['one', '2023-11-15T07:13:21.000+09:00', 55],
    ['two', '2023-11-15T07:13:20.000+09:00', 90],
  ]);
});

test('a published connector is told what went wrong', async (t) => {
  const wrong = await cursorOf().query('SELECT * FROM nothing.at_all');
  t.deepEqual([wrong.getErrCode(), wrong.getErrStr()], [0x0388, 'Database not exist: nothing']);
  t.is(wrong.getData(), undefined);
  t.is((await cursorOf().query('not a statement')).getErrCode(), 0x2600);
  await t.throwsAsync(cursorOf({ password: 'wrong' }).query('SELECT 1'), { message: 'Authentication failed.' });
  await t.throwsAsync(cursorOf({ path: '/rest/sqlt' }).query('SELECT 1'), { message: 'interface not exists.' });
  await t.throwsAsync(cursorOf({ query: { tz: 'Mars/Olympus' } }).query('SELECT 1'), {
    message: 'http request failed.',
  });
});

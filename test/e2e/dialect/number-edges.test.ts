import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
const base = 1_700_000_000_000;
const id = '1234567890123456781';

test.before(async () => {
  await service.run('CREATE DATABASE numbers');
  await service.run("CREATE DATABASE nanos PRECISION 'ns'");
  await service.run(`CREATE TABLE numbers.n (${columns})`);
  await service.run(
    `INSERT INTO numbers.n VALUES (${base}, ${id}, 18446744073709551615, -30, 1.5, 123.456, ${base + 1}, 'POINT(1 2)')
      (${base + 1}, 5, 0, 30, 0, 1.5, 1, '1') (${base + 2}${', NULL'.repeat(7)})`,
  );
});
test.after.always(end);

const columns =
  'ts TIMESTAMP, b BIGINT, u BIGINT UNSIGNED, i INT, f DOUBLE, dc DECIMAL(20,5), t TIMESTAMP, s VARCHAR(40)';

statements(
  'a time that moves out of 64 bits is refused, so that a DELETE of old rows keeps the new ones',
  service,
  'nanos',
  [
    { sql: 'CREATE TABLE kept (ts TIMESTAMP, v INT)', affected: 0 },
    { sql: 'INSERT INTO kept VALUES (NOW, 1)', affected: 1 },
    { sql: 'DELETE FROM kept WHERE ts < NOW - 200000d', error: 0x060b },
    { sql: 'DELETE FROM kept WHERE ts < NOW - 1000y', error: 0x060b },
    { sql: "SELECT v FROM kept WHERE ts < '2024-01-01' - 200000d", error: 0x060b },
    { sql: 'SELECT v FROM kept WHERE ts < TODAY() - 200000d', error: 0x060b },
    { sql: 'SELECT v FROM kept WHERE ts - 200000d < NOW', error: 0x060b },
    { sql: 'SELECT v FROM numbers.n WHERE ts < NOW - 999999999999d', error: 0x060b },
    { sql: 'DELETE FROM kept WHERE ts < NOW - 100000d', affected: 0 },
    { sql: 'SELECT v FROM kept WHERE ts > NOW - 300y', rows: [[1]] },
    { sql: 'DROP TABLE kept', affected: 0 },
  ],
);

statements('numbers at the ends of their types are read, cut and compared', service, 'numbers', [
  {
    sql: 'SELECT TRUNCATE(f * 1e300, 30), TRUNCATE(f * 1e300, b) FROM n ORDER BY ts LIMIT 1',
    rows: [[1.5e300, 1.5e300]],
  },
  {
    sql: 'SELECT i > -9223372036854775809, b BETWEEN -9223372036854775809 AND 1e30 FROM n ORDER BY ts LIMIT 1',
    rows: [[true, true]],
  },
  { sql: 'SELECT b FROM n WHERE b IN (-9223372036854775809)', rows: [] },
  {
    sql: "SELECT CAST(CAST('9223372036854775808' AS BIGINT) AS VARCHAR(30)), CAST(CAST('-9223372036854775809' AS BIGINT) AS VARCHAR(30))",
    rows: [['-9223372036854775808', '9223372036854775807']],
  },
  {
    sql: "SELECT CAST(CAST('-1' AS BIGINT UNSIGNED) AS VARCHAR(30)), CAST('18446744073709551617' AS BIGINT UNSIGNED), CAST('300x' AS TINYINT)",
    rows: [['18446744073709551615', 1, 44]],
  },
]);

statements('arithmetic with NULL is NULL in functions over rows, too', service, 'numbers', [
  { sql: 'SELECT DERIVATIVE(EXP(i / NULL), 1s, 0) FROM n', rows: [] },
  { sql: 'SELECT CSUM(EXP(NULL + i)) FROM n', rows: [] },
  { sql: 'SELECT TOP(EXP(i / NULL), 1) FROM n', rows: [] },
  { sql: 'SELECT i / NULL, NULL * i, i % NULL FROM n LIMIT 1', rows: [[null, null, null]] },
]);

statements('ROUND and TRUNCATE take any number of digits', service, 'numbers', [
  {
    sql: 'SELECT TRUNCATE(b, -30), TRUNCATE(b, 30), TRUNCATE(f, 1e10), TRUNCATE(f, -1e300), TRUNCATE(dc, -30), TRUNCATE(u, -19) FROM n WHERE b > 5',
    rows: [[0, id, 1.5, 0, '0.00000', '10000000000000000000']],
  },
  {
    sql: 'SELECT TRUNCATE(b, i), TRUNCATE(f, i), TRUNCATE(dc, i), TRUNCATE(f, f/0), TRUNCATE(f * 1e30, -20) FROM n WHERE b IS NOT NULL',
    rows: [
      [0, 0, '0.00000', null, 1.5e30],
      [5, 0, '1.50000', null, 0],
    ],
  },
  {
    sql: 'SELECT ROUND(b, -30), ROUND(b, 30), ROUND(f, 1e10), ROUND(f, -1e300), ROUND(dc, 30), ROUND(f + 1e15, 300) FROM n WHERE b > 5',
    rows: [[0, id, 1.5, 0, '123.45600', 1000000000000001.5]],
  },
  {
    sql: 'SELECT ROUND(b, i), ROUND(f, i), ROUND(dc, i), ROUND(b, -i) FROM n WHERE b IS NOT NULL',
    rows: [
      [0, 0, '0.00000', id],
      [5, 0, '1.50000', 0],
    ],
  },
]);

statements(
  'formats without fields, times without a number and texts that are no shape have answers of the dialect',
  service,
  'numbers',
  [
    {
      sql: "SELECT TO_CHAR(ts, ''), TO_CHAR('2024-01-01', ''), TO_CHAR(NULL, '') FROM n WHERE b = 5",
      rows: [['', '', null]],
    },
    ...["'x'", "''", "' '", "'['"].map((format) => ({
      sql: `SELECT TO_TIMESTAMP(s, ${format}) FROM n`,
      error: 0x2803,
    })),
    { sql: 'SELECT ts - f/0, ts + 1e300, ts - f * 1e308 * 1e308 FROM n WHERE b > 5', rows: [[null, null, null]] },
    { sql: 'SELECT MAX(t - ACOS(f)) FROM n WHERE b > 5', rows: [[null]] },
    { sql: 'SELECT ST_GEOMFROMTEXT(s) FROM n', error: 0x2803, says: 'st_geomfromtext' },
    {
      sql: 'SELECT TIMEDIFF(ts, t, NULL), TIMEDIFF(ts, t, 1a), TIMEDIFF(ts, t) FROM n WHERE b > 5',
      rows: [[-1, -1, -1]],
    },
    { sql: 'SELECT ST_GEOMFROMTEXT(CHAR(256)) FROM n', error: 0x2803, says: 'st_geomfromtext' },
    ...['POINT(1', 'POINT', 'POINT(a b)', 'CIRCLE(1 2)', 'LINESTRING(0 0', 'POINT(1 2) x', ''].map((text) => ({
      sql: `SELECT ST_GEOMFROMTEXT(CONCAT('${text}', SUBSTRING(s, 1, 0))) FROM n`,
      error: 0x2803,
    })),
    { sql: "SELECT TIMEDIFF(ts, t, 's') FROM n", error: 0x2802 },
    {
      sql: "SELECT SUBSTRING('abc', f * 1e308 * 1e308), SUBSTRING('abc', 1, f * 1e308 * 1e308), SUBSTRING('abc', 1.5, f) FROM n WHERE b > 5",
      rows: [['', 'abc', 'a']],
    },
    {
      sql: "SELECT LIKE_IN_SET(CONCAT('a', CHAR(92)), 'a\\\\'), CONCAT('a', CHAR(92)) LIKE CONCAT('a%', CHAR(92)) FROM n WHERE b > 5",
      rows: [[1, true]],
    },
    { sql: 'SELECT REPEAT(s, b) FROM n WHERE b > 5', error: 0x0224, says: 'too large' },
    { sql: "SELECT 1 FROM n WHERE 9223372036854775807 IN ('5', 0.5, 9223372036854775807) AND b = 5", rows: [[1]] },
    { sql: "KILL QUERY 'nope'", error: 0x0118, says: 'kill_id' },
  ],
);

statements('SPREAD and a whole number beside a duration are exact', service, 'nanos', [
  { sql: 'CREATE TABLE n (ts TIMESTAMP, b BIGINT)', affected: 0 },
  ...[0, 1, 2, 5, 42].map((at) => ({
    sql: `INSERT INTO n VALUES (17000000000000000${String(at).padStart(2, '0')}, 92233720368547757${String(at).padStart(2, '0')})`,
    affected: 1,
  })),
  { sql: 'SELECT SPREAD(ts), SPREAD(b) FROM n', rows: [[42, 42]] },
  { sql: 'CREATE TABLE decimals (ts TIMESTAMP, d DECIMAL(38, 2), small DECIMAL(5, 2))', affected: 0 },
  { sql: 'INSERT INTO decimals VALUES (1700000000000000001, 123456789012345678901234567890678.25, 0.1)', affected: 1 },
  { sql: 'INSERT INTO decimals VALUES (1700000000000000002, 123456789012345678901234567890679.25, -0.2)', affected: 1 },
  { sql: 'SELECT SPREAD(d), SPREAD(small) FROM decimals', rows: [[1, 0.3]] },
  { sql: 'SELECT COUNT(*) FROM n WHERE ts > 1700000000000000005 - 3b', rows: [[2]] },
  { sql: 'SELECT COUNT(*) FROM n WHERE ts >= 3b + 1700000000000000002', rows: [[2]] },
  { sql: 'SELECT b - 3b FROM n WHERE ts = 1700000000000000042', rows: [['9223372036854775739']] },
]);

statements('a text with a time is that time beside a duration', service, 'numbers', [
  { sql: "SELECT COUNT(*) FROM n WHERE ts > '2024-01-01' - 1d", rows: [[0]] },
  { sql: "SELECT COUNT(*) FROM n WHERE ts > '2023-11-15' - 1d AND ts < '2023-10-15T22:14:00Z' + 1n", rows: [[3]] },
  {
    sql: "SELECT '2024-01-31' + 1n, 1d + '2024-01-01', '5' + 1s",
    rows: [['2024-02-29T00:00:00.000Z', '2024-01-02T00:00:00.000Z', 1005]],
  },
  { sql: "SELECT ts FROM n WHERE ts > '2023-99-15' - 1d", error: 0x2635, says: '2023-99-15' },
]);

statements('FILL refuses a number that its column cannot hold', service, 'numbers', [
  { sql: 'CREATE TABLE small (ts TIMESTAMP, w INT UNSIGNED, k TINYINT)', affected: 0 },
  { sql: `INSERT INTO small VALUES (${base}, 1, 1)`, affected: 1 },
  ...['MAX(w) FROM small', 'LAST(w) FROM small'].flatMap((counted) =>
    ['-5', '4294967296', '-1e300'].map((number) => ({
      sql: `SELECT ${counted} WHERE ts >= ${base} AND ts < ${base + 2000} INTERVAL(1s) FILL(VALUE, ${number})`,
      error: 0x0224,
      says: 'Value out of range',
    })),
  ),
  {
    sql: `SELECT MAX(k), MAX(w) FROM small WHERE ts >= ${base} AND ts < ${base + 2000} INTERVAL(1s) FILL(VALUE, -128, 4294967295)`,
    rows: [
      [1, 1],
      [-128, 4294967295],
    ],
  },
  { sql: `SELECT INTERP(k) FROM small RANGE(${base}, ${base + 1000}) EVERY(1s) FILL(VALUE, 128)`, error: 0x0224 },
]);

statements('ORDER BY knows an alias that is written as a text', service, 'numbers', [
  { sql: 'SELECT i AS "x y" FROM n WHERE i IS NOT NULL ORDER BY "x y" DESC LIMIT 1', rows: [[30]] },
  { sql: 'SELECT MAX(i) AS "m" FROM n WHERE i IS NOT NULL GROUP BY b ORDER BY "m"', rows: [[-30], [30]] },
  { sql: "SELECT i FROM n WHERE i IS NOT NULL ORDER BY 'i', ts DESC LIMIT 1", rows: [[30]] },
]);

statements('a time of rows that moves out of 64 bits is refused, and compared as it would be', service, 'nanos', [
  { sql: 'CREATE TABLE moved (ts TIMESTAMP, t TIMESTAMP, n BIGINT)', affected: 0 },
  { sql: "INSERT INTO moved VALUES ('2023-11-14T22:13:20Z', 9223372036854775000, 1000)", affected: 1 },
  { sql: 'SELECT n FROM moved WHERE ts + 100000d > NOW', rows: [[1000]] },
  { sql: 'SELECT n FROM moved WHERE NOW > ts + 100000d', rows: [] },
  { sql: "SELECT n FROM moved WHERE ts + 1d - 100000d < '2000-01-01'", rows: [[1000]] },
  { sql: "SELECT n FROM moved WHERE ts + 1d = '2023-11-15T22:13:20Z'", rows: [[1000]] },
  { sql: 'SELECT ts + 100000d FROM moved', error: 0x060b },
  { sql: 'SELECT ts + 300y FROM moved', error: 0x060b },
  { sql: 'SELECT ts - 400y FROM moved', error: 0x060b },
  { sql: 'SELECT t + n FROM moved', error: 0x060b },
  { sql: 'SELECT t + 1000 FROM moved', error: 0x060b },
  { sql: "SELECT ts - '2023-11-14T22:13:20Z', ts - '5' < ts FROM moved", rows: [[0, true]] },
  { sql: "SELECT t - '1700-01-01' FROM moved", error: 0x060b },
  { sql: "SELECT ts + '2024-01-01' FROM moved", error: 0x2605 },
  { sql: "SELECT TIMEDIFF(t, '1700-01-01') FROM moved", error: 0x060b },
  {
    sql: 'SELECT t + 0, t - 0 = t, t - 5 FROM moved WHERE ts - 0b < NOW',
    rows: [['2262-04-11T23:47:16.854775000Z', true, '2262-04-11T23:47:16.854774995Z']],
  },
  { sql: 'DROP TABLE moved', affected: 0 },
]);

statements('whole numbers beyond 2^53 stay what they are beside others', service, 'numbers', [
  {
    sql: 'CREATE TABLE w (ts TIMESTAMP, b BIGINT, u BIGINT UNSIGNED, c TINYINT, d DECIMAL(6,2), f FLOAT)',
    affected: 0,
  },
  {
    sql: `INSERT INTO w VALUES (${base}, 9007199254740993, 18446744073709551615, 1, 1.5, 1.5) (${base + 1}, -9007199254740993, 9007199254740993, 2, 2, 2)`,
    affected: 2,
  },
  {
    sql: 'SELECT LEAST(b, u), GREATEST(b, u), CASE WHEN c = 1 THEN u ELSE b END, COALESCE(b, u), IFNULL(u, -1) FROM w ORDER BY ts',
    meta: [
      ['least(b, u)', 'DECIMAL(20,0)', 16],
      ['greatest(b, u)', 'DECIMAL(20,0)', 16],
      ['case when c = 1 then u else b end', 'DECIMAL(20,0)', 16],
      ['coalesce(b, u)', 'DECIMAL(20,0)', 16],
      ['ifnull(u, -1)', 'DECIMAL(20,0)', 16],
    ],
    rows: [
      ['9007199254740993', '18446744073709551615', '18446744073709551615', '9007199254740993', '18446744073709551615'],
      ['-9007199254740993', '9007199254740993', '-9007199254740993', '-9007199254740993', '9007199254740993'],
    ],
  },
  {
    sql: 'SELECT CAST(x AS VARCHAR(30)) FROM (SELECT b AS x FROM w UNION SELECT u FROM w) ORDER BY x',
    rows: [['-9007199254740993'], ['9007199254740993'], ['18446744073709551615']],
  },
  {
    sql: 'SELECT b % 7, MOD(b, 7), MOD(u, 7), b - 9007199254740992, u % b, b % -1, b % 0, MOD(b, NULL) FROM w ORDER BY ts LIMIT 1',
    rows: [[5, 5, 1, 1, '9007199254738944', 0, null, null]],
  },
  { sql: 'SELECT u - u, u - 18446744073709551614, ts % 1000 FROM w ORDER BY ts LIMIT 1', rows: [[0, 1, 0]] },
  { sql: 'SELECT LAG(u, 1, -1) OVER (ORDER BY ts) FROM w', error: 0x0224 },
  { sql: 'SELECT LAG(c, 1, 300) OVER (ORDER BY ts) FROM w', error: 0x0224 },
  {
    sql: 'SELECT LAG(c, 1, 7) OVER (ORDER BY ts), LAG(c, 1, b) OVER (ORDER BY ts) FROM w',
    rows: [
      [7, '9007199254740993'],
      [1, 1],
    ],
  },
  {
    sql: 'SELECT LEAST(ts, u), COALESCE(NULL, u, ts) FROM w ORDER BY ts LIMIT 1',
    rows: [[null, '2023-11-14T22:13:20.000Z']],
  },
  { sql: 'DROP TABLE w', affected: 0 },
]);

statements('FILL refuses a number that its column does not hold', service, 'numbers', [
  { sql: filledBy('MAX(dc)', '1e300'), error: 0x0224 },
  { sql: filledBy('MAX(dc)', '999999999999999.999995'), error: 0x0224 },
  { sql: filledBy('MAX(dc)', '999999999999999.999994'), rows: [['999999999999999.99999']] },
  { sql: filledBy('MAX(f)', '1e400'), error: 0x0224 },
  { sql: filledBy('MAX(i)', "'3000000000'"), error: 0x0224 },
  { sql: filledBy('MAX(i)', "'30'"), rows: [[30]] },
  { sql: filledBy('MAX(CAST(f AS FLOAT))', '1e39'), error: 0x0224 },
  { sql: filledBy('MAX(CAST(f AS FLOAT))', '1e38'), rows: [[1e38]] },
]);

statements('a number that a common DECIMAL or its own type does not hold is refused', service, 'numbers', [
  { sql: 'CREATE TABLE dd (ts TIMESTAMP, w DECIMAL(38,0), p DECIMAL(38,30), b BIGINT, c TINYINT)', affected: 0 },
  { sql: `INSERT INTO dd VALUES (${base}, 9007199254740993, 1.5, 7, -128) (${base + 1}, 5, 2, 7, -127)`, affected: 2 },
  { sql: 'SELECT w FROM dd UNION ALL SELECT p FROM dd', error: 0x013d },
  {
    sql: `SELECT w AS x FROM dd WHERE ts > ${base} UNION ALL SELECT p FROM dd WHERE ts > ${base} ORDER BY x`,
    rows: [['2.000000000000000000000000000000'], ['5.000000000000000000000000000000']],
  },
  { sql: 'SELECT GREATEST(w, p) FROM dd', error: 0x013d },
  { sql: 'SELECT GREATEST(p, b) FROM dd ORDER BY ts LIMIT 1', rows: [['7.000000000000000000000000000000']] },
  { sql: 'SELECT ABS(c) FROM dd', error: 0x0224, says: 'ABS of the smallest TINYINT' },
  {
    sql: `SELECT ABS(c), ABS(b) FROM dd WHERE ts > ${base}`,
    meta: [
      ['abs(c)', 'TINYINT', 1],
      ['abs(b)', 'BIGINT', 8],
    ],
    rows: [[127, 7]],
  },
  { sql: 'DROP TABLE dd', affected: 0 },
]);

function filledBy(value: string, literal: string): string {
  return `SELECT ${value} FROM n WHERE ts >= ${base} AND ts < ${base + 2000} INTERVAL(1s) FILL(VALUE, ${literal}) LIMIT 1 OFFSET 1`;
}

statements('IRATE of whole numbers beyond 2^53 is exact, one nanosecond apart too', service, 'nanos', [
  { sql: 'CREATE TABLE r (ts TIMESTAMP, b BIGINT)', affected: 0 },
  {
    sql: 'INSERT INTO r VALUES (1700000000000000000, 9007199254740992) (1700000000000000001, 9007199254740993)',
    affected: 2,
  },
  { sql: 'SELECT IRATE(b) FROM r', rows: [[1e9]] },
  { sql: 'INSERT INTO r VALUES (1700000000000000003, 9007199254740997)', affected: 1 },
  { sql: 'SELECT IRATE(b) FROM r', rows: [[2e9]] },
  { sql: 'DROP TABLE r', affected: 0 },
]);

const nines = '9'.repeat(38);

statements('sums that leave their type are an error, never another number', service, 'numbers', [
  {
    sql: 'CREATE TABLE large (ts TIMESTAMP, d DECIMAL(38,0), e DECIMAL(38,10), b BIGINT, u BIGINT UNSIGNED)',
    affected: 0,
  },
  {
    sql: `INSERT INTO large VALUES (${base}, ${nines}, 1.5, 9223372036854775807, 18446744073709551615)
      (${base + 1}, ${nines}, 2, -9223372036854775808, 5) (${base + 60_000}, 1, NULL, 9007199254740993, 18446744073709551611)`,
    affected: 3,
  },
  { sql: 'SELECT SUM(d) FROM large', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT SUM(d) FROM large INTERVAL(1m)', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT SUM(d) FROM large INTERVAL(1a)', rows: [[nines], [nines], ['1']] },
  { sql: 'SELECT SUM(d) FROM large SESSION(ts, 1s)', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT SUM(d) OVER (ORDER BY ts) FROM large', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT CSUM(d) FROM large', error: 0x013d, says: 'CSUM' },
  { sql: 'SELECT SUM(DISTINCT d) FROM large', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT SUM(DISTINCT d) FROM large WHERE d > 1', rows: [[nines]] },
  { sql: 'SELECT SUM(d) FROM (SELECT d FROM large UNION ALL SELECT -d FROM large)', rows: [['0']] },
  { sql: 'SELECT SUM(d) FROM (SELECT d FROM large UNION ALL SELECT d FROM large)', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT SUM(s) FROM (SELECT SUM(d) AS s FROM large INTERVAL(1a))', error: 0x013d, says: 'SUM' },
  { sql: 'SELECT AVG(d) FROM large', error: 0x013d, says: 'AVG' },
  { sql: 'SELECT SUM(e), AVG(e) FROM large', rows: [['3.5000000000', '1.75000000000000']] },
  { sql: 'SELECT SUM(b), AVG(b) FROM large', rows: [['9007199254740992', 3002399751580330.5]] },
  { sql: 'SELECT AVG(b), AVG(DISTINCT b) FROM large WHERE ts < 1700000000002', rows: [[-0.5, -0.5]] },
  { sql: 'SELECT SUM(b) FROM large WHERE b > 0', error: 0x0224, says: 'SUM' },
  { sql: 'SELECT SUM(b) OVER (ORDER BY ts DESC) FROM large WHERE b > 0', error: 0x0224, says: 'SUM' },
  { sql: 'SELECT SUM(u) FROM large', error: 0x0224, says: 'SUM' },
  { sql: 'SELECT CSUM(u) FROM large', error: 0x0224, says: 'CSUM' },
  { sql: 'SELECT DIFF(b) FROM large', error: 0x0224, says: 'DIFF' },
  { sql: 'SELECT DIFF(u) FROM large WHERE u > 5', rows: [[-4]] },
  { sql: 'SELECT MAVG(b, 2) FROM large', rows: [[-0.5], ['-4607182418800017400']] },
  {
    sql: 'SELECT SUM(b) FROM (SELECT b FROM large WHERE b > 0 UNION ALL SELECT 5 FROM large)',
    error: 0x0224,
    says: 'SUM',
  },
  { sql: 'DROP TABLE large', affected: 0 },
]);

statements('a whole number keeps its digits behind a minus and beside bits', service, 'numbers', [
  {
    sql: 'SELECT -b, - -b, - - -b, -u, -i FROM n WHERE b > 5',
    rows: [[`-${id}`, id, `-${id}`, '-18446744073709551615', 30]],
  },
  { sql: 'SELECT -((b & 0) | -9223372036854775808) FROM n WHERE b IS NOT NULL', error: 0x0224, says: 'negated' },
  { sql: `SELECT ${'-'.repeat(1)} ${'- '.repeat(60)} b FROM n WHERE b > 5`, rows: [[`-${id}`]] },
  { sql: 'SELECT -NULL, -t FROM n WHERE b > 5', rows: [[null, -(base + 1)]] },
  {
    sql: 'SELECT u & 18446744073709551615, u | 0, u & 255, u & -1, i & 7 FROM n WHERE b > 5',
    rows: [['18446744073709551615', '18446744073709551615', 255, '18446744073709551615', 2]],
  },
]);

statements('a time that moves off the calendar by months or years is refused', service, 'numbers', [
  { sql: 'SELECT ts + 8000y FROM n', error: 0x060b },
  { sql: 'SELECT ts - 2100y FROM n', error: 0x060b },
  { sql: 'SELECT ts + 100000n FROM n', error: 0x060b },
  { sql: "SELECT TIMESTAMP '2024-01-01' + 8000y", error: 0x060b },
  {
    sql: "SELECT TIMESTAMP '2024-01-01' + 7975y, '2024-01-01' - 2023y",
    rows: [['9999-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z']],
  },
  { sql: 'SELECT ts + 7000y FROM n WHERE b > 5', rows: [['9023-11-14T22:13:20.000Z']] },
]);

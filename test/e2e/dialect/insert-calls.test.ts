import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

const base = 1_700_000_000_000;

test.before(async () => {
  await service.run('CREATE DATABASE calls');
  await service.run("CREATE DATABASE calls_us PRECISION 'us'");
});

statements('INSERT takes functions among its values and tags, and CREATE TABLE among its tags', service, 'calls', [
  {
    sql: 'CREATE TABLE t (ts TIMESTAMP, v VARCHAR(64), n INT, d DOUBLE, b BOOL, x TIMESTAMP, c DECIMAL(10,2), w NCHAR(8))',
  },
  {
    sql:
      `INSERT INTO t VALUES (${base}, md5('mytext'), abs(-3), pi(), cast('true' AS BOOL), to_timestamp('2024', 'yyyy'), ` +
      "cast(1.239 AS DECIMAL(10,2)), concat('日本', 'x'))",
    affected: 1,
  },
  {
    sql: `INSERT INTO t (ts, v) VALUES (${base + 1}, concat('it''s', '\\\\ \\n')) (${base + 2}, md5(NULL)), (timetruncate(${base + 1}, 1s) + 3a, 'plain')`,
    affected: 3,
  },
  {
    sql: 'SELECT v, n, d, b, x, c, w FROM t',
    rows: [
      ['947ef8c8db156a568d5974d71f7638f4', 3, Math.PI, true, '2024-01-01T00:00:00.000Z', '1.24', '日本x'],
      ["it's\\ \n", null, null, null, null, null, null],
      [null, null, null, null, null, null, null],
      ['plain', null, null, null, null, null, null],
    ],
  },
  { sql: `INSERT INTO t (ts, v) VALUES (${base + 4}, aes_encrypt('mytext', 'key'))`, affected: 1 },
  { sql: `SELECT aes_decrypt(v, 'key') FROM t WHERE ts = ${base + 4}`, rows: [['mytext']] },
  { sql: 'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (g VARCHAR(8), n INT)' },
  { sql: `INSERT INTO a USING s TAGS (concat('a', 'b'), length('abc')) VALUES (${base}, 1)`, affected: 1 },
  { sql: `INSERT INTO s (tbname, g, ts, v) VALUES (lower('B'), upper('x'), ${base}, sign(-5))`, affected: 1 },
  {
    sql: 'SELECT tbname, g, n, v FROM s ORDER BY tbname',
    rows: [
      ['a', 'ab', 3, 1],
      ['b', 'X', null, -1],
    ],
  },
  {
    sql: "CREATE TABLE c USING s TAGS (lower('C'), abs(-7)) IF NOT EXISTS calls.d USING calls.s (n) TAGS (length('four')), e USING s (g) TAGS ('plain')",
    affected: 0,
  },
  { sql: "CREATE TABLE f USING s TAGS (upper('x'), 1+1)", error: 0x0216 },
  { sql: "CREATE TABLE f USING s TAGS (repeat('x', 9), 1)", error: 0x2653 },
  { sql: 'CREATE TABLE f USING s TAGS (absent(1), 1)', error: 0x264d },
  {
    sql: "SELECT TAGS tbname, g, n FROM s WHERE tbname IN ('c', 'd', 'e', 'f')",
    rows: [
      ['c', 'c', 7],
      ['d', null, 4],
      ['e', 'plain', null],
    ],
  },
  { sql: 'CREATE STABLE j (ts TIMESTAMP, v INT) TAGS (labels JSON)' },
  { sql: `INSERT INTO ja USING j TAGS (to_json('{"k":"it\\\\"s"}')) VALUES (${base}, 1)`, affected: 1 },
  { sql: 'SELECT labels FROM j', rows: [[{ k: 'it"s' }]] },
  { sql: 'CREATE STABLE bytes (ts TIMESTAMP, v VARCHAR(32)) TAGS (g VARCHAR(32), w VARBINARY(16), p GEOMETRY(64))' },
  {
    sql:
      `INSERT INTO ba USING bytes TAGS ('x', cast('\\xff01' AS VARBINARY(8)), st_geomfromtext('POINT(1.5 2)')) ` +
      `VALUES (${base}, aes_encrypt('mytext', 'key'))`,
    affected: 1,
  },
  {
    sql: `INSERT INTO bb USING bytes TAGS (aes_encrypt('mytext', 'key'), NULL, NULL) VALUES (${base}, 'x')`,
    error: 0x0216,
    says: 'the text of g is not UTF-8',
  },
  {
    sql: "CREATE TABLE bb USING bytes TAGS ('x', cast('\\xff01' AS VARBINARY(8)), NULL)",
    error: 0x0216,
    says: 'a tag is not UTF-8',
  },
  { sql: "CREATE TABLE bc USING bytes TAGS ('x', cast('abc' AS VARBINARY(8)), st_makepoint(1, 2))", affected: 0 },
  {
    sql: 'SELECT TAGS tbname, g, w, p FROM bytes',
    rows: [
      ['ba', 'x', 'ff01', '0101000000000000000000f83f0000000000000040'],
      ['bc', 'x', '616263', '0101000000000000000000f03f0000000000000040'],
    ],
  },
  { sql: 'CREATE TABLE calls_us.t (ts TIMESTAMP, v BIGINT)' },
  {
    sql:
      "INSERT INTO calls_us.t VALUES (to_unixtimestamp('2024-05-06T10:11:12.123456Z'), 9007199254740993 + 0) " +
      "t (ts, n) VALUES (to_unixtimestamp('2023-05-06T10:11:12.123Z'), 1)",
    error: 0x0216,
  },
  {
    sql:
      "INSERT INTO calls_us.t VALUES (to_unixtimestamp('2024-05-06T10:11:12.123456Z'), abs(-9007199254740993)) " +
      "t (ts, n) VALUES (to_unixtimestamp('2023-05-06T10:11:12.123Z'), 1)",
    affected: 2,
  },
  { sql: 'SELECT ts, v = 9007199254740993 FROM calls_us.t', rows: [['2024-05-06T10:11:12.123456Z', true]] },
  { sql: 'SELECT ts FROM t WHERE n = 1', rows: [['2023-05-06T10:11:12.123Z']] },
]);

statements('functions that INSERT cannot take are refused, and nothing is written', service, 'calls', [
  { sql: 'CREATE TABLE r (ts TIMESTAMP, v VARCHAR(64), n INT)' },
  { sql: "INSERT INTO r (ts, v) VALUES (NOW, nosuch('x'))", error: 0x264d },
  { sql: "INSERT INTO r (ts, v) VALUES (NOW, md5('x', 'y'))", error: 0x2801 },
  { sql: "INSERT INTO r (ts, v) VALUES (NOW, md5('x')", error: 0x0216 },
  { sql: "INSERT INTO r (ts, n) VALUES (NOW, 1) (NOW, md5('x'))", error: 0x0216, says: 'invalid int data' },
  { sql: 'INSERT INTO r (ts, n) VALUES (NOW, abs((SELECT count(*) FROM r)))', error: 0x0216 },
  { sql: 'INSERT INTO r (ts, n) VALUES (NOW, abs(n))', error: 0x2602 },
  { sql: 'SELECT count(*) FROM r', rows: [[0]] },
]);

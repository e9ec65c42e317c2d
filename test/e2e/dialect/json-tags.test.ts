import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.before(async () => {
  await service.run('CREATE DATABASE j');
  await service.run('CREATE DATABASE other');
});
test.after.always(end);

statements('a JSON tag is created, described and listed', service, 'other', [
  { sql: 'CREATE STABLE s (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)', affected: 0 },
  {
    sql: 'DESCRIBE s',
    rows: [
      ['ts', 'TIMESTAMP', 8, '', 'delta-i', 'lz4', 'medium'],
      ['v', 'DOUBLE', 8, '', 'delta-d', 'lz4', 'medium'],
      ['labels', 'JSON', 4095, 'TAG', 'disabled', 'disabled', 'disabled'],
    ],
  },
  {
    sql: 'SHOW CREATE STABLE s',
    rows: [['s', 'CREATE STABLE `s` (`ts` TIMESTAMP, `v` DOUBLE) TAGS (`labels` JSON)']],
  },
  { sql: `CREATE TABLE c1 USING s TAGS ('{"a":"x","n":1,"f":2.5,"t":true,"z":null}')`, affected: 0 },
  { sql: `CREATE TABLE c2 USING s TAGS ('{"a":"first","a":"second","":"dropped"}')`, affected: 0 },
  { sql: 'CREATE TABLE c3 USING s TAGS (NULL)', affected: 0 },
  { sql: "CREATE TABLE c4 USING s TAGS ('')", affected: 0 },
  { sql: "CREATE TABLE c5 USING s TAGS ('{}')", affected: 0 },
  {
    sql: 'SHOW TABLE TAGS FROM s',
    meta: [
      ['tbname', 'VARCHAR', 192],
      ['labels', 'JSON', 4095],
    ],
    rows: [
      ['c1', { a: 'x', n: 1, f: 2.5, t: true, z: null }],
      ['c2', { a: 'first' }],
      ['c3', null],
      ['c4', null],
      ['c5', null],
    ],
  },
  {
    sql: 'SHOW TAGS FROM c1',
    rows: [['c1', 'other', 's', 'labels', 'JSON', '{"a":"x","n":1,"f":2.5,"t":true,"z":null}']],
  },
  {
    sql: 'SHOW CREATE TABLE c2',
    rows: [['c2', 'CREATE TABLE `c2` USING `s` (`labels`) TAGS ("{\\"a\\":\\"first\\"}")']],
  },
  { sql: `ALTER TABLE c3 SET TAG labels = '{"now":"set"}'`, affected: 0 },
  { sql: 'SELECT TAGS labels FROM c3', rows: [[{ now: 'set' }]] },
  { sql: 'ALTER STABLE s ADD TAG more INT', error: 0x2633 },
  { sql: 'ALTER STABLE s DROP TAG labels', error: 0x2649 },
  { sql: 'ALTER STABLE s RENAME TAG labels marks', affected: 0 },
  { sql: "SELECT TAGS marks->'a' FROM c1", rows: [['x']] },
  { sql: "CREATE TABLE e USING s TAGS ('[1]')", error: 0x0216, says: 'json parse error' },
  { sql: "CREATE TABLE e USING s TAGS ('{')", error: 0x0216, says: 'json parse error' },
  { sql: `CREATE TABLE e USING s TAGS ('{"a":{"b":1}}')`, error: 0x0216, says: 'json error invalide value' },
  { sql: `CREATE TABLE e USING s TAGS ('{"a":[1]}')`, error: 0x0216, says: 'json error invalide value' },
  { sql: `CREATE TABLE e USING s TAGS ('{"a":"${'x'.repeat(4090)}"}')`, error: 0x0216, says: 'too long than 4095' },
  { sql: `CREATE TABLE e USING s TAGS ('{"${'k'.repeat(257)}":1}')`, error: 0x0216 },
  { sql: 'CREATE TABLE e USING s TAGS (1)', error: 0x0216 },
]);

statements('members of a JSON tag are read, compared and searched', service, 'j', [
  { sql: 'CREATE STABLE m (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)', affected: 0 },
  {
    sql:
      `INSERT INTO a USING m TAGS ('{"job":"api","instance":"h1:9090","n":1,"ok":true}') VALUES (1700000000000, 1)` +
      ` b USING m TAGS ('{"job":"api","instance":"h2:9090","n":2.5,"ok":false}') VALUES (1700000000000, 2)` +
      ` c USING m TAGS ('{"job":"node","code":"404"}') VALUES (1700000000000, 3)` +
      ' d USING m TAGS (NULL) VALUES (1700000000000, 4)',
    affected: 4,
  },
  {
    sql: "SELECT v, labels->'job', labels->'n' FROM m ORDER BY v",
    rows: [
      [1, 'api', 1],
      [2, 'api', 2.5],
      [3, 'node', null],
      [4, null, null],
    ],
  },
  {
    sql: "SELECT labels->'ok' AS ok FROM m WHERE v < 3 ORDER BY v",
    meta: [['ok', 'JSON', 4095]],
    rows: [[true], [false]],
  },
  { sql: 'SELECT labels FROM m WHERE v = 3', rows: [[{ job: 'node', code: '404' }]] },
  { sql: "SELECT v FROM m WHERE labels->'job' = 'api' ORDER BY v", rows: [[1], [2]] },
  { sql: "SELECT v FROM m WHERE labels->'job' <> 'api' ORDER BY v", rows: [[3]] },
  { sql: "SELECT v FROM m WHERE labels->'n' = 1", rows: [[1]] },
  { sql: "SELECT v FROM m WHERE labels->'n' > 1 ORDER BY v", rows: [[2]] },
  { sql: "SELECT v FROM m WHERE labels->'ok' = true", rows: [[1]] },
  { sql: "SELECT v FROM m WHERE labels->'job' MATCH '^(api|web)$' ORDER BY v", rows: [[1], [2]] },
  {
    sql: "SELECT v FROM m WHERE labels->'instance' MATCH 'h[12]:' AND labels->'instance' NMATCH '^h1' ORDER BY v",
    rows: [[2]],
  },
  { sql: "SELECT v FROM m WHERE labels->'job' NMATCH '^api$'", rows: [[3]] },
  { sql: "SELECT v FROM m WHERE labels->'job' LIKE 'a%' ORDER BY v", rows: [[1], [2]] },
  { sql: "SELECT v FROM m WHERE labels CONTAINS 'code'", rows: [[3]] },
  { sql: "SELECT v FROM m WHERE labels CONTAINS 'n' ORDER BY v", rows: [[1], [2]] },
  { sql: "SELECT v FROM m WHERE labels CONTAINS 'absent'", rows: [] },
  { sql: "SELECT v FROM m WHERE labels->'n' IS NULL ORDER BY v", rows: [[3], [4]] },
  { sql: "SELECT v FROM m WHERE labels->'n' IS NOT NULL ORDER BY v", rows: [[1], [2]] },
  { sql: 'SELECT v FROM m WHERE labels IS NULL', rows: [[4]] },
  { sql: "SELECT v FROM m WHERE labels->'job' = 'api' AND labels->'n' >= 2 AND labels CONTAINS 'ok'", rows: [[2]] },
  { sql: "SELECT v FROM m WHERE labels->'job' IN ('node', 'web')", rows: [[3]] },
  { sql: "SELECT labels->'job' FROM a", rows: [['api']] },
  {
    sql: "SELECT count(*), sum(v) FROM m WHERE labels->'job' = 'api'",
    rows: [[2, 3]],
  },
  {
    sql: "SELECT labels->'job' AS job, sum(v) FROM m WHERE labels IS NOT NULL GROUP BY labels->'job' ORDER BY job",
    rows: [
      ['api', 3],
      ['node', 3],
    ],
  },
  {
    sql: "SELECT DISTINCT labels->'job' AS job FROM m WHERE labels CONTAINS 'job' ORDER BY job",
    rows: [['api'], ['node']],
  },
  {
    sql: "SELECT tbname, labels->'instance' FROM m WHERE labels->'job' = 'api' ORDER BY tbname",
    rows: [
      ['a', 'h1:9090'],
      ['b', 'h2:9090'],
    ],
  },
  { sql: "SELECT v FROM m WHERE v CONTAINS 'job'", error: 0x2605 },
  { sql: "SELECT v->'job' FROM m", error: 0x2605 },
]);

statements('whole numbers of a JSON tag keep their digits', service, 'j', [
  { sql: 'CREATE STABLE wide (ts TIMESTAMP, v INT) TAGS (t JSON)', affected: 0 },
  {
    sql: `INSERT INTO w1 USING wide TAGS ('{"n":9007199254740993,"m":-9223372036854775808}') VALUES (1700000000000, 1)
      w2 USING wide TAGS ('{"n":9007199254740992,"u":18446744073709551615}') VALUES (1700000000000, 2)
      w3 USING wide TAGS ('{"n":9007199254740992.5,"u":28446744073709551616,"m":-0}') VALUES (1700000000000, 3)`,
    affected: 3,
  },
  {
    sql: "SELECT CAST(v AS INT), t->'n', t->'u', t->'m' FROM wide ORDER BY v",
    rows: [
      [1, '9007199254740993', null, '-9223372036854775808'],
      [2, '9007199254740992', '18446744073709551615', null],
      [3, '9007199254740992', '28446744073709550000', 0],
    ],
  },
  { sql: "SELECT v FROM wide WHERE t->'n' = 9007199254740992 ORDER BY v", rows: [[2], [3]] },
  { sql: "SELECT v FROM wide WHERE t->'n' > 9007199254740992", rows: [[1]] },
  { sql: "SELECT v FROM wide WHERE t->'u' IN (18446744073709551615, 5)", rows: [[2]] },
  { sql: "SELECT v FROM wide WHERE t->'m' < 0.5 ORDER BY v", rows: [[1], [3]] },
  { sql: 'DROP STABLE wide', affected: 0 },
]);

import test from 'ava';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.before(async () => {
  for (const database of ['names', 'edges', 'other', 'hidden', 'encoded', 'spelled', 'listed'])
    await service.run(`CREATE DATABASE ${database}`);
  // Arriving data may make names that hold back quotes: the super table m`1 has a field f`1 and a tag t`1.
  await service.request({ path: '/lineproto/v1/write?db=names', body: 'm`1,t`1=x f`1=1.5 1700000000000000000\n' });
});
test.after.always(end);

const done = (...list: readonly string[]) => list.map((sql) => ({ sql, affected: 0 }));

statements('names of arriving data with back quotes are reached by doubling them', service, 'names', [
  {
    sql: 'SHOW CREATE STABLE `m``1`',
    rows: [['m`1', 'CREATE STABLE `m``1` (`_ts` TIMESTAMP, `f``1` DOUBLE) TAGS (`t``1` NCHAR(2))']],
  },
  {
    sql: "SELECT `f``1`, m.`t``1`, sum(`f``1`) FROM `m``1` m WHERE `t``1` = 'x' GROUP BY `f``1`, `t``1`",
    meta: [
      ['f`1', 'DOUBLE', 8],
      ['t`1', 'NCHAR', 2],
      ['sum(`f``1`)', 'DOUBLE', 8],
    ],
    rows: [[1.5, 'x', 1.5]],
  },
  {
    sql: 'SHOW TABLE TAGS `t``1` AS `a``b` FROM names.`m``1`',
    meta: [
      ['tbname', 'VARCHAR', 192],
      ['a`b', 'NCHAR', 2],
    ],
  },
  ...done(
    'ALTER STABLE `m``1` RENAME TAG `t``1` ```plain```',
    'ALTER STABLE `m``1` ADD COLUMN `f``2` INT',
    "CREATE TABLE `c``\n\t1` USING `m``1` (```plain```) TAGS ('y')",
  ),
  { sql: 'INSERT INTO `c``\n\t1` (`_ts`, `f``2`) VALUES (1700000000001, 7)', affected: 1 },
  {
    sql: 'SELECT tbname, `f``2` FROM `m``1` WHERE tbname = "c`\\n\\t1"',
    rows: [['c`\n\t1', 7]],
  },
  {
    sql: 'SHOW CREATE TABLE `c``\n\t1`',
    rows: [['c`\n\t1', 'CREATE TABLE `c``\n\t1` USING `m``1` (```plain```) TAGS ("y")']],
  },
  { sql: 'SHOW TAGS FROM `c``\n\t1`', rows: [['c`\n\t1', 'names', 'm`1', '`plain`', 'NCHAR(2)', 'y']] },
  ...done('CREATE VIEW `v``1` AS SELECT `f``2` AS `x``y` FROM `c``\n\t1`'),
  { sql: 'SELECT `x``y` FROM `v``1`', meta: [['x`y', 'INT', 4]], rows: [[7]] },
  ...done('DROP TABLE `c``\n\t1`', 'DROP STABLE `m``1`'),
  { sql: 'SHOW TABLES', rows: [] },
  { sql: 'CREATE TABLE `` (ts TIMESTAMP, v INT)', error: 0x2617 },
  { sql: 'CREATE TABLE `open`` (ts TIMESTAMP, v INT)', error: 0x2600 },
]);

statements('mistakes are told with their place, and with the name that was probably meant', service, 'listed', [
  ...done('CREATE TABLE weather (at TIMESTAMP, humid INT)'),
  { sql: 'SELECT *\n form weather', error: 0x2600, says: 'syntax error near "form weather" at line 2, column 2' },
  {
    sql: 'SELECT at,\n  humidity FROM weather',
    error: 0x2602,
    says: 'Invalid column name: humidity (did you mean humid?) at line 2, column 3',
  },
  {
    sql: 'SELECT _ts FROM weather',
    error: 0x2602,
    says: 'Invalid column name: _ts (did you mean at?) at line 1, column 8',
  },
  {
    sql: 'SELECT mean(humid) FROM weather',
    error: 0x264d,
    says: 'Invalid function name: mean (did you mean avg?) at line 1, column 8',
  },
  {
    sql: 'SELECT *\nFROM wether',
    error: 0x2662,
    says: 'Table does not exist: wether (did you mean weather?) at line 2, column 6',
  },
  { sql: 'SELECT humid, AVG(humid) FROM weather', error: 0x260c, says: 'put the plain column into GROUP BY' },
  { sql: 'SELECT summ(humid) FROM weather', error: 0x264d, says: '(did you mean sum?)' },
  ...done('CREATE VIEW wet AS SELECT humid AS much FROM weather'),
  { sql: 'SELECT  many FROM wet', error: 0x2602, says: 'Invalid column name: many at line 1, column 9' },
  {
    sql: 'SELECT AVG(humid) FROM weather INTERVAL(1m) GROUP BY humid',
    error: 0x2624,
    says: 'write PARTITION BY in front of the window) at line 1, column 54',
  },
  {
    sql: "SELECT humid FROM weather WHERE at > '2026-11-26 14:00'",
    error: 0x2635,
    says: '2026-11-26 14:00 (its seconds are missing: 2026-11-26 14:00:00) at line 1, column 39',
  },
  {
    sql: 'SELECT "2026-11-26T14:00+01:00" + 1d',
    error: 0x2635,
    says: '(its seconds are missing: 2026-11-26T14:00:00+01:00) at line 1, column 9',
  },
  {
    sql: "SELECT humid FROM weather WHERE at BETWEEN 'yesterday' AND NOW",
    error: 0x2635,
    says: 'Incorrect TIMESTAMP value: yesterday at line 1, column 45',
  },
  { sql: 'SELECT RATE(humid[5m]) FROM weather', error: 0x2600, says: '(a range of PromQL is a window here' },
  {
    sql: 'SELECT non_negative_derivative(humid, 1s) FROM weather',
    error: 0x264d,
    says: 'did you mean rate, or derivative',
  },
  { sql: 'SELECT constructor(humid) FROM weather', error: 0x264d, says: 'Invalid function name: constructor at' },
  { sql: 'SHOW MEASUREMENTS', error: 0x2600, says: 'syntax error near "MEASUREMENTS" (here it is SHOW STABLES)' },
  { sql: 'SHOW FIELD KEYS', error: 0x2600, says: '(here it is DESCRIBE table)' },
  ...done('DROP VIEW wet', 'DROP TABLE weather'),
]);

statements('definitions: names, tags and options that do not fit', service, 'edges', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (a VARCHAR(8), f FLOAT, d DOUBLE, b INT)',
    "CREATE TABLE c1 USING s TAGS ('x', 1, 1, 1)",
    'CREATE TABLE n (ts TIMESTAMP, v INT, x VARBINARY(4))',
  ),
  { sql: "CREATE TABLE c2 USING s (a, a) TAGS ('x', 'y')", error: 0x263c, says: 'Duplicated column names' },
  { sql: 'CREATE TABLE c2 USING c1 TAGS (1)', error: 0x0361, says: 'STable not exist: c1' },
  { sql: 'CREATE TABLE c2 USING n TAGS (1)', error: 0x0361 },
  { sql: 'CREATE TABLE c2 USING nothing TAGS (1)', error: 0x2603 },
  { sql: 'ALTER STABLE s MODIFY COLUMN ts BIGINT', error: 0x264b },
  { sql: 'ALTER TABLE n MODIFY COLUMN ts BIGINT', error: 0x264b },
  {
    sql: "ALTER DATABASE edges KEEP 30 precision 'us' BUFFER 5",
    error: 0x2600,
    says: `syntax error near "precision 'us' BUFFER 5"`,
  },
  { sql: 'CREATE TABLE e (ts TIMESTAMP, tbname INT)', error: 0x2600, says: 'syntax error near "tbname INT)"' },
  { sql: 'CREATE TABLE e (_c0 TIMESTAMP, v INT)', error: 0x2600 },
  { sql: 'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (_WSTART INT)', error: 0x2600 },
  { sql: 'ALTER STABLE s ADD TAG tbname INT', error: 0x2600 },
  { sql: 'ALTER TABLE n RENAME COLUMN v _rowts', error: 0x2600 },
  ...done(
    'CREATE TABLE e (ts TIMESTAMP, `_wstart` INT)',
    'CREATE INDEX tag_index ON s (b)',
    'DROP INDEX tag_index',
    "ALTER TABLE c1 SET TAG f = 'abc', d = 'twelve', a = NULL, b = '7'",
  ),
  { sql: 'SHOW TABLE TAGS FROM s', rows: [['c1', null, 0, 0, 7]] },
  ...done("ALTER TABLE c1 SET TAG f = '1.5', d = 'NULL'"),
  { sql: 'SHOW TABLE TAGS f, d FROM s', rows: [['c1', 1.5, null]] },
  { sql: "ALTER TABLE c1 SET TAG b = 'abc'", error: 0x0216 },
  ...done(
    "CREATE TABLE c3 USING s (b) TAGS (1) TTL 2147483647, ttl USING s (b) TAGS (2) comment USING s (b) TAGS (3) COMMENT ''",
    'ALTER TABLE n TTL 2147483647',
  ),
  {
    sql: "SELECT table_name, ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'edges' ORDER BY table_name",
    rows: [
      ['c1', 0, null],
      ['c3', 2147483647, null],
      ['comment', 0, ''],
      ['e', 0, null],
      ['n', 2147483647, null],
      ['ttl', 0, null],
    ],
  },
  { sql: 'CREATE TABLE c4 USING s (b) TAGS (1) TTL 2147483648', error: 0x261a, says: 'ttl 2147483648' },
  { sql: 'CREATE TABLE e4 (ts TIMESTAMP, v INT) TTL 2147483648', error: 0x261a },
  { sql: 'ALTER TABLE n TTL 2147483648', error: 0x261a },
  { sql: 'ALTER TABLE c1 TTL 9999999999', error: 0x261a },
  { sql: 'INSERT INTO c4 USING s (b) TAGS (1) TTL 2147483648 VALUES (NOW, 1)', error: 0x0216 },
  { sql: 'CREATE INDEX e ON s (v)', error: 0x260e, says: 'Invalid tag name: v' },
  { sql: 'CREATE INDEX e ON n (v)', error: 0x0361 },
]);

statements('what does not exist is named', service, 'edges', [
  ...[
    'DESCRIBE nothing',
    'SHOW CREATE TABLE nothing',
    'SHOW TAGS FROM nothing',
    'SHOW INDEXES FROM nothing',
    'SHOW TABLE DISTRIBUTED nothing',
  ].map((sql) => ({ sql, error: 0x2662, says: 'Fail to get table info, error: Table does not exist: nothing' })),
  ...[
    'ALTER TABLE nothing ADD COLUMN w INT',
    'INSERT INTO nothing SELECT ts, v FROM n',
    'CREATE TSMA t ON nothing FUNCTION (MAX(v)) INTERVAL(1m)',
  ].map((sql) => ({ sql, error: 0x2603, says: 'Table does not exist: nothing' })),
  ...[
    'ALTER STABLE nothing ADD COLUMN w INT',
    'ALTER TABLE USING nothing SET TAG a = 1',
    'DROP STABLE nothing',
    'CREATE INDEX i ON nothing (a)',
  ].map((sql) => ({ sql, error: 0x0361, says: 'STable not exist: nothing' })),
  { sql: 'SHOW CREATE STABLE n', error: 0x0361, says: 'STable not exist: n' },
  { sql: 'SHOW CREATE VIEW nothing', error: 0x04a1, says: 'View not exist: nothing' },
  { sql: 'DROP VIEW nothing', error: 0x04a1, says: 'View not exist: nothing' },
  { sql: 'DROP TOPIC nothing', error: 0x03e1, says: 'Topic not exist: nothing' },
  { sql: 'DROP STREAM nothing', error: 0x03f1, says: 'Stream not exist: nothing' },
  ...['DROP USER nothing', "ALTER USER nothing PASS 'Secret_12345'", 'GRANT READ ON edges.* TO nothing'].map((sql) => ({
    sql,
    error: 0x0351,
    says: 'Invalid user: nothing',
  })),
]);

statements('INSERT: super tables that are missing, time literals, the place of an error', service, 'other', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (a INT)',
    'CREATE STABLE s2 (ts TIMESTAMP, v INT) TAGS (a INT)',
    'CREATE TABLE c USING s TAGS (1)',
    'CREATE TABLE n (ts TIMESTAMP, at TIMESTAMP, x VARBINARY(4))',
  ),
  { sql: 'INSERT INTO c USING nothing TAGS (1) VALUES (NOW, 1)', error: 0x2603, says: 'Table does not exist' },
  { sql: 'INSERT INTO c USING s2 TAGS (1) VALUES (NOW, 1)', error: 0x061d },
  { sql: 'INSERT INTO c USING n TAGS (1) VALUES (NOW, 1)', error: 0x0361 },
  { sql: 'INSERT INTO c USING c TAGS (1) VALUES (NOW, 1)', error: 0x0361 },
  { sql: 'INSERT INTO n USING s TAGS (1) VALUES (NOW, NOW)', error: 0x061d },
  {
    sql: 'INSERT INTO n VALUES (TIMESTAMP \'2024-01-02T03:04:05Z\', timestamp "2024-01-02" + 1d, NULL)',
    affected: 1,
  },
  { sql: 'SELECT ts, at FROM n', rows: [['2024-01-02T03:04:05.000Z', '2024-01-03T00:00:00.000Z']] },
  {
    sql: "INSERT INTO n VALUES (TIMESTAMP 'soon', NULL, NULL)",
    error: 0x0216,
    says: "syntax error near ''soon', NULL, NULL)' (invalid timestamp format)",
  },
  { sql: 'INSERT INTO n VALUES (TIMESTAMP 5, NULL, NULL)', error: 0x0216 },
  {
    sql: "INSERT INTO n VALUES (NOW, NULL, '\\x98f')",
    error: 0x0216,
    says: "syntax error near ''\\x98f')' (invalid varbinary data)",
  },
  { sql: "INSERT INTO n VALUES (NOW, NULL, '\\x9g')", error: 0x0216, says: "near ''\\x9g')'" },
]);

test('a user without SYSINFO is denied lists of nodes, whatever else the user may', async (t) => {
  await service.run("CREATE USER plain PASS 'Abcdefg1' SYSINFO 0 CREATEDB 1");
  await service.run('GRANT READ ON edges.* TO plain');
  const as = { auth: basicOf('plain', 'Abcdefg1') };
  t.is(await service.code('SHOW VGROUPS', as), 0x0303);
  t.is(await service.code('SHOW edges.VGROUPS', as), 0x0303);
  t.is(await service.code('SHOW DNODES', as), 0x0303);
  t.is(await service.code('SELECT * FROM information_schema.ins_vgroups', as), 0x2644);
  t.is(await service.code('SELECT * FROM information_schema.ins_dnodes', as), 0x2644);
  t.is(await service.code('SELECT * FROM hidden.t', as), 0x2644);
  t.is(await service.code('SELECT * FROM nothing.t', as), 0x0388);
  t.is(await service.code('SHOW edges.TABLES', as), 0);
});

statements('ENCODE, COMPRESS and LEVEL of columns are kept and shown', service, 'encoded', [
  ...done(
    `CREATE STABLE s (ts TIMESTAMP LEVEL 'high', v INT ENCODE 'DELTA-I' COMPRESS 'zstd', w VARCHAR(8) compress "xz" LEVEL 'low', x DOUBLE) TAGS (g INT)`,
    "CREATE TABLE n (ts TIMESTAMP, v INT ENCODE 'disabled')",
  ),
  {
    sql: 'DESCRIBE s',
    rows: [
      ['ts', 'TIMESTAMP', 8, '', 'delta-i', 'lz4', 'high'],
      ['v', 'INT', 4, '', 'delta-i', 'zstd', 'medium'],
      ['w', 'VARCHAR', 8, '', 'disabled', 'xz', 'low'],
      ['x', 'DOUBLE', 8, '', 'delta-d', 'lz4', 'medium'],
      ['g', 'INT', 4, 'TAG', 'disabled', 'disabled', 'disabled'],
    ],
  },
  ...done(
    "ALTER STABLE s MODIFY COLUMN v LEVEL 'low'",
    "ALTER TABLE s MODIFY COLUMN ts COMPRESS 'tsz'",
    "ALTER STABLE s ADD COLUMN y BOOL COMPRESS 'zlib'",
    'ALTER STABLE s MODIFY COLUMN w VARCHAR(16)',
    'ALTER STABLE s DROP COLUMN x',
    'ALTER TABLE n RENAME COLUMN v vv',
  ),
  {
    sql: 'SHOW CREATE STABLE s',
    rows: [
      [
        's',
        "CREATE STABLE `s` (`ts` TIMESTAMP ENCODE 'delta-i' COMPRESS 'tsz' LEVEL 'high', `v` INT ENCODE 'delta-i' COMPRESS 'zstd' LEVEL 'low', " +
          "`w` VARCHAR(16) ENCODE 'disabled' COMPRESS 'xz' LEVEL 'low', `y` BOOL ENCODE 'bit-packing' COMPRESS 'zlib' LEVEL 'medium') TAGS (`g` INT)",
      ],
    ],
  },
  {
    sql: 'SHOW CREATE TABLE n',
    rows: [['n', "CREATE TABLE `n` (`ts` TIMESTAMP, `vv` INT ENCODE 'disabled' COMPRESS 'lz4' LEVEL 'medium')"]],
  },
  { sql: "CREATE TABLE e (ts TIMESTAMP, v INT ENCODE 'other')", error: 0x261a, says: 'Invalid table option' },
  { sql: "CREATE TABLE e (ts TIMESTAMP LEVEL 'max', v INT)", error: 0x261a },
  { sql: "ALTER STABLE s MODIFY COLUMN v COMPRESS 'gzip'", error: 0x261a },
  { sql: "ALTER STABLE s ADD COLUMN z INT COMPRESS 'gzip'", error: 0x261a },
  { sql: "ALTER STABLE s MODIFY COLUMN nothing LEVEL 'low'", error: 0x036c },
  { sql: "ALTER STABLE s MODIFY COLUMN g LEVEL 'low'", error: 0x036c },
  { sql: "CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g INT LEVEL 'low')", error: 0x2600 },
  { sql: 'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g INT PRIMARY KEY)', error: 0x2600 },
]);

statements('INSERT in odd but legal spellings', service, 'spelled', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (a VARCHAR(8), b INT)',
    'CREATE TABLE n (ts TIMESTAMP, v INT, w VARCHAR(20))',
    'CREATE TABLE `values` (ts TIMESTAMP, v INT)',
  ),
  { sql: 'INSERT INTO n(ts,v)VALUES(1700000000000,1)(1700000000001,0x10),(1700000000002,-0X10)', affected: 3 },
  { sql: 'insert into`n`(`ts`,`v`)values(1700000000003,0b11)', affected: 1 },
  {
    sql: 'IMPORT INTO spelled . n VALUES ( 1700000000004 , +5 , \'it\'\'s\' ) , ( 1700000000005,\'6\',"say ""x""" ) ;',
    affected: 2,
  },
  {
    sql: "INSERT/**/INTO -- a line\n`spelled`.`n` /* ( */ (w /* , */, ts) VALUES/* ) */('a\\nb\\t\\%\\q', /* 1, */ 1700000000006) -- end",
    affected: 1,
  },
  {
    sql: 'SELECT v, w FROM n',
    rows: [
      [1, null],
      [16, null],
      [-16, null],
      [3, null],
      [5, "it's"],
      [6, 'say "x"'],
      [null, 'a\nb\t\\%q'],
    ],
  },
  {
    sql: "INSERT INTO c1 USING s(b)TAGS(5)VALUES(1700000000000,1)c2 USING s TAGS('y',NULL)TTL 3 COMMENT'c'VALUES(1700000000000,2) `values` VALUES(1700000000000,3) n(v,ts)VALUES(NULL,1700000000000)",
    affected: 4,
  },
  {
    sql: 'SHOW TABLE TAGS FROM s',
    rows: [
      ['c1', null, 5],
      ['c2', 'y', null],
    ],
  },
  { sql: 'SELECT v FROM n LIMIT 1', rows: [[null]] },
  { sql: 'SELECT v FROM `values`', rows: [[3]] },
  {
    sql: "INSERT INTO n (ts, v) VALUES ('2024-1-2 3:4:5', 1) ('2024-01-02T03:04:05.1Z', 2) ('2024-01-02 03:04:05.1299+08', 3) ('2024-01-02T03:04:05-0530', 4)",
    affected: 4,
  },
  {
    sql: "SELECT ts, v FROM n WHERE ts >= '2024-01-01'",
    rows: [
      ['2024-01-01T19:04:05.129Z', 3],
      ['2024-01-02T03:04:05.000Z', 1],
      ['2024-01-02T03:04:05.100Z', 2],
      ['2024-01-02T08:34:05.000Z', 4],
    ],
  },
  { sql: 'INSERT INTO n VALUES (NOW, 1, NULL) /* open', error: 0x0216 },
  { sql: "INSERT INTO n VALUES (NOW, 1 /* open, 'x')", error: 0x0216 },
  { sql: "INSERT INTO n VALUES (NOW, 1, 'x'); INSERT INTO n VALUES (NOW, 1, 'x')", error: 0x0216 },
  { sql: 'INSERT INTO n (ts, v) VALUES (NOW + 1d + 1h, 1)', error: 0x0216, says: "near '+ 1h, 1)' (, expected)" },
  { sql: 'INSERT INTO n (ts, v) VALUES (NOW + 1 d, 1)', error: 0x0216 },
  { sql: "INSERT INTO n (ts, v) VALUES ('2023-02-29', 1)", error: 0x0216, says: 'invalid timestamp format' },
  { sql: "INSERT INTO n (ts, v) VALUES ('', 1)", error: 0x0216, says: 'invalid timestamp' },
  { sql: 'SELECT count(*) FROM n', rows: [[11]] },
]);

statements('SHOW of a database lists what is in it and nothing else', service, 'listed', [
  ...done(
    'CREATE VIEW listed.v1 AS SELECT 1',
    'CREATE VIEW encoded.v2 AS SELECT 2',
    'CREATE STABLE measured (ts TIMESTAMP, v INT) TAGS (g INT)',
    'CREATE TSMA m1 ON measured FUNCTION(max(v)) INTERVAL(1m)',
  ),
  {
    sql: 'SHOW listed.VIEWS',
    meta: [
      ['view_name', 'VARCHAR', 192],
      ['db_name', 'VARCHAR', 64],
      ['effective_user', 'VARCHAR', 24],
      ['create_time', 'TIMESTAMP', 8],
      ['type', 'VARCHAR', 11],
      ['query_sql', 'VARCHAR', 16384],
      ['parameters', 'VARCHAR', 1024],
      ['default_values', 'VARCHAR', 1024],
      ['target_table', 'VARCHAR', 192],
    ],
  },
  { sql: 'SHOW hidden.VIEWS', rows: [] },
  { sql: 'SHOW hidden.TSMAS', rows: [] },
  { sql: 'SHOW hidden.DISK_INFO', rows: [] },
  { sql: 'SHOW nothing.VIEWS', error: 0x0388, says: 'Database not exist' },
  { sql: 'SHOW nothing.TSMAS', error: 0x0388 },
  { sql: 'SHOW nothing.DISK_INFO', error: 0x0388 },
]);

test('lists of a database name its own objects', async (t) => {
  await service.run('CREATE DATABASE a1');
  await service.run('CREATE DATABASE a2');
  await service.run('CREATE VIEW a1.v1 AS SELECT 1');
  await service.run('CREATE VIEW a2.v2 AS SELECT 2');
  const [shown = [], ...more] = await service.rows('SHOW `a2`.VIEWS');
  t.deepEqual([shown.slice(0, 2), more], [['v2', 'a2'], []]);
});

import test from 'ava';
import { sharedService } from '../../support/shared-service.js';
import { type StatementCase, statements } from '../../support/statement-cases.js';

const { service, end } = await sharedService();
test.before(async () => {
  for (const name of ['made', 'types', 'altered', 'children', 'dropped', 'limits']) {
    await service.run(`CREATE DATABASE ${name}`);
  }
});
test.after.always(end);

const done = (...texts: string[]): StatementCase[] => texts.map((sql) => ({ sql, affected: 0 }));
const refused = (error: number, ...texts: string[]): StatementCase[] => texts.map((sql) => ({ sql, error }));

statements('CREATE DATABASE: options in any case and order, ranges, existence', service, undefined, [
  {
    sql: "create database o1 Precision 'US' KEEP 100d DURATION 1d vgroups 4 REPLICA 1 buffer 3 cachemodel 'LAST_ROW' cachesize 65536 comp 0",
    meta: [['affected_rows', 'INT', 4]],
    affected: 0,
  },
  {
    sql: "SELECT precision, duration, keep, vgroups, buffer, cachemodel, cachesize, comp FROM information_schema.ins_databases WHERE name = 'o1'",
    rows: [['us', '1d', '100d,100d,100d', 4, 3, 'last_row', 65536, 0]],
  },
  ...done(
    'CREATE DATABASE IF NOT EXISTS o1',
    'CREATE DATABASE o2 KEEP 30,60,90d DURATION 10',
    "CREATE DATABASE o3 WAL_LEVEL 2 WAL_FSYNC_PERIOD 0 WAL_RETENTION_PERIOD -1 MINROWS 10 MAXROWS 200 STT_TRIGGER 16 PAGES 64 PAGESIZE 16384 TSDB_PAGESIZE 1 TABLE_PREFIX -191 TABLE_SUFFIX 191 KEEP_TIME_OFFSET 23 STRICT 'off' SCHEMALESS 1 ENCRYPT_ALGORITHM 'none'",
    'CREATE DATABASE `o 4`',
    'DROP DATABASE `o 4`',
    'CREATE DATABASE o5 KEEP 1 DURATION 60m KEEP 2',
  ),
  { sql: "SELECT keep FROM information_schema.ins_databases WHERE name = 'o2'", rows: [['30d,60d,90d']] },
  { sql: "SELECT keep, duration FROM information_schema.ins_databases WHERE name = 'o5'", rows: [['2d,2d,2d', '1h']] },
  { sql: 'CREATE DATABASE o1', error: 0x0381, says: 'Database already exists' },
  { sql: 'CREATE DATABASE e BUFFER 1', error: 0x2619, says: 'Invalid option buffer: 1 valid range: [3, 16384]' },
  { sql: "CREATE DATABASE e PRECISION 's'", error: 0x2619, says: "Invalid option precision: 's'" },
  ...refused(
    0x2619,
    'CREATE DATABASE e VGROUPS 1025',
    'CREATE DATABASE e KEEP 20',
    'CREATE DATABASE e KEEP 100,50',
    'CREATE DATABASE e KEEP 100,200,300,400',
    'CREATE DATABASE e DURATION 59m',
    "CREATE DATABASE e CACHEMODEL 'sometimes'",
    'CREATE DATABASE e MINROWS 1000 MAXROWS 1000',
    'CREATE DATABASE e SINGLE_STABLE 2',
  ),
  { sql: 'CREATE DATABASE e DAYS 10', error: 0x2600, says: 'syntax error near "DAYS 10"' },
  ...refused(0x2600, 'CREATE DATABASE e QUORUM 1', 'CREATE DATABASE e BUFFER=3', 'CREATE DATABASE e UPDATE 1'),
  { sql: 'CREATE DATABASE ``', error: 0x2617, says: 'Invalid identifier name: ' },
  { sql: `CREATE DATABASE ${'d'.repeat(65)}`, error: 0x2617 },
  ...done(`CREATE DATABASE ${'d'.repeat(64)}`),
  { sql: 'CREATE DATABASE', error: 0x2601 },
]);

statements('options by the names of older servers', service, undefined, [
  {
    sql: 'CREATE DATABASE o_s3 S3_CHUNKPAGES 131072 S3_KEEPLOCAL 525600m S3_COMPACT 0 WITH_ARBITRATOR 0 CACHESHARDBITS 2',
    affected: 0,
  },
  {
    sql: "SELECT ss_chunkpages, ss_keeplocal, ss_compact FROM information_schema.ins_databases WHERE name = 'o_s3'",
    rows: [[131072, '365d', 0]],
  },
  { sql: 'DROP DATABASE o_s3', affected: 0 },
]);

statements('ALTER, USE and DROP DATABASE', service, undefined, [
  ...done(
    'CREATE DATABASE a1',
    'ALTER DATABASE a1 KEEP 40',
    'ALTER DATABASE a1 KEEP 40',
    "ALTER DATABASE a1 CACHEMODEL 'both' BUFFER 100 WAL_LEVEL 2",
    'USE a1',
  ),
  {
    sql: "SELECT keep, cachemodel, buffer, wal_level FROM information_schema.ins_databases WHERE name = 'a1'",
    rows: [['40d,40d,40d', 'both', 100, 2]],
  },
  ...refused(0x2619, 'ALTER DATABASE a1 KEEP 29', 'ALTER DATABASE a1 BUFFER 16385', 'ALTER DATABASE a1 MINROWS 1001'),
  ...refused(0x2600, "ALTER DATABASE a1 PRECISION 'us'", 'ALTER DATABASE a1 VGROUPS 4'),
  { sql: 'ALTER DATABASE a1', error: 0x2601 },
  { sql: 'ALTER DATABASE nothing KEEP 400', error: 0x0388, says: 'Database not exist' },
  { sql: 'USE nothing', error: 0x0388 },
  { sql: 'DROP DATABASE nothing', error: 0x0388 },
  ...done('DROP DATABASE IF EXISTS nothing', 'DROP DATABASE a1', 'DROP DATABASE IF EXISTS a1'),
  { sql: 'USE a1', error: 0x0388 },
]);

statements('statements without effect are checked and succeed', service, 'made', [
  ...done(
    'CREATE STABLE sma (ts TIMESTAMP, v INT) TAGS (g INT)',
    'FLUSH DATABASE made',
    'TRIM DATABASE made MAX_SPEED 10',
    "COMPACT DATABASE made START WITH '2024-01-01' END WITH NOW",
    'COMPACT VGROUPS IN (2, 3)',
    'BALANCE VGROUP',
    'BALANCE VGROUP LEADER',
    'REDISTRIBUTE VGROUP 2 DNODE 1',
    'SPLIT VGROUP 2',
    'S3MIGRATE DATABASE made',
    'RESET QUERY CACHE',
    'CREATE SMA INDEX idx ON sma FUNCTION(max(v), min(v)) INTERVAL(1m, 10s) SLIDING(30s) WATERMARK 5s MAX_DELAY 1m',
    'CREATE INDEX tag_index ON sma (g)',
    'DROP INDEX tag_index',
    "ALTER LOCAL 'debugFlag' '131'",
    "ALTER DNODE 1 'debugFlag' '131'",
    'KILL CONNECTION 1',
    'KILL TRANSACTION 1',
    'ALTER STABLE sma MODIFY COLUMN v ENCODE "simple8b" COMPRESS "lz4" LEVEL "high"',
  ),
  ...refused(0x0388, 'FLUSH DATABASE nothing', 'TRIM DATABASE nothing', 'COMPACT DATABASE nothing'),
  ...refused(0x0361, 'CREATE SMA INDEX idx ON nothing FUNCTION(max(v)) INTERVAL(1m)', 'CREATE INDEX i ON nothing (g)'),
  { sql: "CREATE FUNCTION f AS 'lib.so' OUTPUTTYPE INT", error: 0x0100 },
  { sql: "CREATE DNODE 'host:6030'", error: 0x0100 },
]);

statements('CREATE STABLE and CREATE TABLE: forms, options, existence', service, 'made', [
  ...done(
    'CREATE STABLE s1 (ts TIMESTAMP, v INT) TAGS (g INT)',
    'CREATE STABLE IF NOT EXISTS s1 (ts TIMESTAMP, v INT) TAGS (g INT)',
    "CREATE TABLE s2 (_ts TIMESTAMP ENCODE 'delta-i' COMPRESS 'lz4' LEVEL 'medium', v INT COMPRESS 'zstd') TAGS (g INT) COMMENT 'a comment' SMA(v)",
    'CREATE TABLE n1 (time TIMESTAMP, v INT) TTL 10 COMMENT "it is ""normal"""',
    'CREATE TABLE IF NOT EXISTS n1 (other TIMESTAMP, w INT)',
    'CREATE TABLE made.`N 1` (`wstart` TIMESTAMP, `Value` INT, value INT)',
    'CREATE TABLE MiXeD (TS TIMESTAMP, V INT)',
    'CREATE STABLE rolled (ts TIMESTAMP, v INT) TAGS (g INT) ROLLUP(avg) WATERMARK 5s,10s MAX_DELAY 10s,20s',
  ),
  {
    sql: "SELECT table_name, ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'made' AND type = 'NORMAL_TABLE' ORDER BY table_name",
    rows: [
      ['N 1', 0, null],
      ['mixed', 0, null],
      ['n1', 10, 'it is "normal"'],
    ],
  },
  {
    sql: "SELECT table_comment FROM information_schema.ins_stables WHERE db_name = 'made' AND stable_name = 's2'",
    rows: [['a comment']],
  },
  { sql: 'CREATE STABLE s1 (ts TIMESTAMP, v INT) TAGS (g INT)', error: 0x0360, says: 'STable already exists' },
  { sql: 'CREATE TABLE n1 (ts TIMESTAMP, v INT)', error: 0x0603, says: 'Table already exists' },
  { sql: 'CREATE TABLE e (v INT, ts TIMESTAMP)', error: 0x2641, says: 'First column must be timestamp' },
  { sql: 'CREATE TABLE e (ts TIMESTAMP)', error: 0x263f, says: 'Illegal number of columns' },
  { sql: 'CREATE TABLE e (ts TIMESTAMP, v INT, V INT)', error: 0x263c, says: 'Duplicated column names' },
  ...refused(0x263c, 'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (v INT)', 'CREATE TABLE e (ts TIMESTAMP, ts INT)'),
  { sql: 'CREATE STABLE e (ts TIMESTAMP, v INT)', error: 0x2601 },
  ...refused(
    0x2600,
    'CREATE TABLE e (ts TIMESTAMP, v TEXT)',
    'CREATE TABLE e (ts TIMESTAMP, v REAL)',
    'CREATE TABLE e (ts TIMESTAMP, v VARCHAR)',
  ),
  { sql: "CREATE TABLE USING s1 (g) FILE 'x.csv'", error: 0x0100 },
  { sql: 'CREATE TABLE nothing.t (ts TIMESTAMP, v INT)', error: 0x0388 },
  { sql: 'CREATE TABLE information_schema.t (ts TIMESTAMP, v INT)', error: 0x0388 },
]);

test('a definition without a database wants one', async (t) => {
  for (const sql of ['CREATE TABLE t (ts TIMESTAMP, v INT)', 'DROP TABLE t', 'ALTER TABLE t ADD COLUMN w INT']) {
    const { body } = await service.sql(sql);
    t.deepEqual([body.code, body.desc], [0x2616, 'Database not specified'], sql);
  }
});

const manyColumns = (count: number): string => Array.from({ length: count }, (_, i) => `c${i} INT`).join(', ');

statements('limits of names, types, rows and tags', service, 'limits', [
  ...done(
    `CREATE TABLE ${'t'.repeat(192)} (${'c'.repeat(64)} TIMESTAMP, v INT)`,
    'CREATE TABLE widest (ts TIMESTAMP, v VARCHAR(65517))',
    'CREATE TABLE n_widest (ts TIMESTAMP, v NCHAR(16379))',
    'CREATE STABLE tag_widest (ts TIMESTAMP, v INT) TAGS (g VARCHAR(16382))',
    'CREATE STABLE tag_n_widest (ts TIMESTAMP, v INT) TAGS (g NCHAR(4095))',
    `CREATE STABLE tags_128 (ts TIMESTAMP, v INT) TAGS (${manyColumns(128)})`,
    `CREATE TABLE columns_4096 (ts TIMESTAMP, ${manyColumns(4095)})`,
    `CREATE TABLE commented (ts TIMESTAMP, v INT) COMMENT '${'x'.repeat(1024)}'`,
    'CREATE TABLE decimals (ts TIMESTAMP, a DECIMAL(38,38), b DECIMAL(1), c DECIMAL)',
  ),
  ...refused(
    0x2617,
    `CREATE TABLE ${'t'.repeat(193)} (ts TIMESTAMP, v INT)`,
    `CREATE TABLE e (ts TIMESTAMP, ${'c'.repeat(65)} INT)`,
    `CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (${'c'.repeat(65)} INT)`,
    'CREATE TABLE `` (ts TIMESTAMP, v INT)',
    'CREATE TABLE `a.b` (ts TIMESTAMP, v INT)',
  ),
  ...refused(
    0x2642,
    'CREATE TABLE e (ts TIMESTAMP, v VARCHAR(65518))',
    'CREATE TABLE e (ts TIMESTAMP, v VARBINARY(65518))',
    'CREATE TABLE e (ts TIMESTAMP, v VARCHAR(0))',
    'CREATE TABLE e (ts TIMESTAMP, v NCHAR(16380))',
    'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g VARCHAR(16383))',
    'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g NCHAR(4096))',
  ),
  {
    sql: 'CREATE TABLE e (ts TIMESTAMP, a VARCHAR(40000), b VARCHAR(40000))',
    error: 0x263e,
    says: 'Row length exceeds max length',
  },
  {
    sql: 'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (a VARCHAR(10000), b VARCHAR(10000))',
    error: 0x263d,
    says: 'Tags length exceeds max length 16384',
  },
  {
    sql: `CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (${manyColumns(129)})`,
    error: 0x2643,
    says: 'Invalid number of tag columns',
  },
  { sql: `CREATE TABLE e (ts TIMESTAMP, ${manyColumns(4096)})`, error: 0x2640, says: 'Too many columns' },
  {
    sql: `CREATE TABLE e (ts TIMESTAMP, v INT) COMMENT '${'x'.repeat(1025)}'`,
    error: 0x264e,
    says: 'Comment too long',
  },
  { sql: `ALTER TABLE commented COMMENT '${'x'.repeat(1025)}'`, error: 0x264e },
  { sql: 'ALTER TABLE widest ADD COLUMN w BIGINT', error: 0x263e },
  { sql: 'ALTER STABLE tag_widest ADD TAG h INT', error: 0x263d },
  { sql: 'ALTER STABLE tags_128 ADD TAG h INT', error: 0x2643 },
  { sql: 'ALTER TABLE columns_4096 ADD COLUMN w INT', error: 0x2640 },
  { sql: 'CREATE TABLE e (ts TIMESTAMP, v JSON)', error: 0x2652, says: 'Only tag can be json type' },
  {
    sql: 'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (j JSON, g INT)',
    error: 0x2633,
    says: 'Only one tag if there is a json tag',
  },
  { sql: 'CREATE STABLE one.s (ts TIMESTAMP, v INT) TAGS (g INT)', error: 0x0388 },
  ...done(
    'CREATE DATABASE single SINGLE_STABLE 1',
    'CREATE STABLE single.a (ts TIMESTAMP, v INT) TAGS (g INT)',
    'CREATE TABLE single.n (ts TIMESTAMP, v INT)',
  ),
  {
    sql: 'CREATE STABLE single.b (ts TIMESTAMP, v INT) TAGS (g INT)',
    error: 0x03c5,
    says: 'Database is single stable mode',
  },
]);

statements('every column type is created, described, written and read', service, 'types', [
  ...done(
    `CREATE TABLE t (ts TIMESTAMP, b BOOL, i1 TINYINT, i2 SMALLINT, i4 INTEGER, i8 BIGINT, u1 TINYINT UNSIGNED, u2 SMALLINT UNSIGNED,
      u4 INT UNSIGNED, u8 BIGINT UNSIGNED, f FLOAT, d DOUBLE, v BINARY(10), n NCHAR(4), x VARBINARY(4), g GEOMETRY(40),
      p DECIMAL(10,2), q DECIMAL(38,4), m MEDIUMBLOB, other TIMESTAMP)`,
  ),
  {
    sql:
      'INSERT INTO t VALUES (1700000000000, true, -128, 32767, -2147483648, 9223372036854775807, 255, 65535, 4294967295, ' +
      "18446744073709551615, 10.3, 1e300, 'äöü', 'äöü€', '\\x98f46e', 'POINT(1 2)', 1.005, '12345678901234567890.12345', 'blob', '2024-01-02T03:04:05.678Z')",
    affected: 1,
  },
  { sql: 'INSERT INTO t (ts) VALUES (1700000000001)', affected: 1 },
  {
    sql: 'SELECT * FROM t',
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['b', 'BOOL', 1],
      ['i1', 'TINYINT', 1],
      ['i2', 'SMALLINT', 2],
      ['i4', 'INT', 4],
      ['i8', 'BIGINT', 8],
      ['u1', 'TINYINT UNSIGNED', 1],
      ['u2', 'SMALLINT UNSIGNED', 2],
      ['u4', 'INT UNSIGNED', 4],
      ['u8', 'BIGINT UNSIGNED', 8],
      ['f', 'FLOAT', 4],
      ['d', 'DOUBLE', 8],
      ['v', 'VARCHAR', 10],
      ['n', 'NCHAR', 4],
      ['x', 'VARBINARY', 4],
      ['g', 'GEOMETRY', 40],
      ['p', 'DECIMAL(10,2)', 8],
      ['q', 'DECIMAL(38,4)', 16],
      ['m', 'BLOB', 4194304],
      ['other', 'TIMESTAMP', 8],
    ],
    rows: [
      [
        '2023-11-14T22:13:20.000Z',
        true,
        -128,
        32767,
        -2147483648,
        '9223372036854775807',
        255,
        65535,
        4294967295,
        '18446744073709551615',
        10.3,
        1e300,
        'äöü',
        'äöü€',
        '98f46e',
        '0101000000000000000000f03f0000000000000040',
        '1.01',
        '12345678901234567890.1235',
        '626c6f62',
        '2024-01-02T03:04:05.678Z',
      ],
      ['2023-11-14T22:13:20.001Z', ...Array<null>(19).fill(null)],
    ],
  },
  {
    sql: "SELECT col_name, col_type FROM information_schema.ins_columns WHERE db_name = 'types' AND col_name IN ('v', 'n', 'x', 'g', 'p', 'u8', 'i4', 'm')",
    rows: [
      ['i4', 'INT'],
      ['u8', 'BIGINT UNSIGNED'],
      ['v', 'VARCHAR(10)'],
      ['n', 'NCHAR(4)'],
      ['x', 'VARBINARY(4)'],
      ['g', 'GEOMETRY(40)'],
      ['p', 'DECIMAL(10,2)'],
      ['m', 'BLOB'],
    ],
  },
  ...done(
    `CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (b BOOL, i1 TINYINT, u8 BIGINT UNSIGNED, f FLOAT, d DOUBLE, v1 VARCHAR(5), n NCHAR(5),
      x VARBINARY(5), g GEOMETRY(30), w TIMESTAMP)`,
    "CREATE TABLE c USING s TAGS (false, '-7', 18446744073709551615, 0.1, '2.5', 'abc', 'äöü', '\\x00ff', 'POINT(0 -1)', 1700000000000)",
  ),
  {
    sql: 'SHOW TABLE TAGS FROM s',
    rows: [
      [
        'c',
        false,
        -7,
        '18446744073709551615',
        0.1,
        2.5,
        'abc',
        'äöü',
        '00ff',
        '01010000000000000000000000000000000000f0bf',
        '2023-11-14T22:13:20.000Z',
      ],
    ],
  },
  ...refused(
    0x2605,
    'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g DECIMAL(10,2))',
    'CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (g BLOB)',
  ),
]);

statements('CREATE TABLE … USING: tags, lists of tables, existence', service, 'children', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (a VARCHAR(8), b INT)',
    'CREATE STABLE other (ts TIMESTAMP, v INT) TAGS (x INT)',
    'CREATE TABLE n (ts TIMESTAMP, v INT)',
    "CREATE TABLE c1 USING s TAGS ('x', 1)",
    "CREATE TABLE IF NOT EXISTS c1 USING s TAGS ('ignored', 2)",
    "CREATE TABLE c2 USING s (b) TAGS ('7') COMMENT 'two' TTL 4",
    "CREATE TABLE c3 USING s TAGS (NULL, -3), IF NOT EXISTS c1 USING s TAGS ('y', 1) children.o1 USING other TAGS (5)",
    'CREATE TABLE `C4` USING children.s (b, a) TAGS (4, "it\'s")',
  ),
  {
    sql: 'SHOW TABLE TAGS FROM s',
    rows: [
      ['C4', "it's", 4],
      ['c1', 'x', 1],
      ['c2', null, 7],
      ['c3', null, -3],
    ],
  },
  {
    sql: "SELECT ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'children' AND table_name = 'c2'",
    rows: [[4, 'two']],
  },
  { sql: "CREATE TABLE c1 USING s TAGS ('x', 1)", error: 0x0603 },
  { sql: 'CREATE TABLE n USING s TAGS ("x", 1)', error: 0x0603 },
  {
    sql: 'CREATE TABLE IF NOT EXISTS c1 USING other TAGS (1)',
    error: 0x061d,
    says: 'Table already exists in other stables',
  },
  { sql: 'CREATE TABLE e USING nothing TAGS (1)', error: 0x2603, says: 'Table does not exist' },
  { sql: 'CREATE TABLE e USING n TAGS (1)', error: 0x0361 },
  { sql: "CREATE TABLE e USING s TAGS ('x')", error: 0x260d, says: 'Tags number not matched' },
  { sql: "CREATE TABLE e USING s (a) TAGS ('x', 1)", error: 0x260d },
  { sql: 'CREATE TABLE e USING s (zzz) TAGS (1)', error: 0x260e },
  { sql: "CREATE TABLE e USING s TAGS ('123456789', 1)", error: 0x2653, says: 'Value too long for column/tag: a' },
  { sql: "CREATE TABLE e USING s TAGS ('x', 'text')", error: 0x0216 },
  { sql: "CREATE TABLE e USING s TAGS ('x', 2147483648)", error: 0x0216 },
  { sql: "CREATE TABLE types.e USING children.s TAGS ('x', 1)", error: 0x2618 },
  { sql: "CREATE TABLE e1 USING s TAGS ('x', 1) e2 USING s TAGS ('too long for it', 1)", error: 0x2653 },
  { sql: 'SHOW CHILD TABLES', rows: [['C4'], ['c1'], ['c2'], ['c3'], ['o1']] },
  { sql: "INSERT INTO c9 USING s TAGS ('z', 9) TTL 30 COMMENT 'it\\'s' VALUES (NOW, 1)", affected: 1 },
  {
    sql: "SELECT ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'children' AND table_name = 'c9'",
    rows: [[30, "it's"]],
  },
]);

statements('ALTER STABLE and ALTER TABLE: columns, tags, comment, TTL', service, 'altered', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT, t VARCHAR(4)) TAGS (a VARCHAR(4), b INT)',
    "CREATE TABLE c USING s TAGS ('x', 1)",
    'CREATE TABLE n (ts TIMESTAMP, v INT, t NCHAR(4))',
  ),
  { sql: "INSERT INTO c VALUES (1700000000000, 1, 'abcd') n VALUES (1700000000000, 2, 'abcd')", affected: 2 },
  ...done(
    "ALTER STABLE s ADD COLUMN w DOUBLE ENCODE 'delta-d'",
    'ALTER TABLE s ADD TAG c TINYINT',
    'ALTER STABLE s MODIFY COLUMN t VARCHAR(8)',
    'ALTER STABLE s MODIFY TAG a VARCHAR(8)',
    'ALTER STABLE s RENAME TAG b bb',
    "ALTER STABLE s COMMENT 'new'",
    'ALTER TABLE n ADD COLUMN w DOUBLE',
    'ALTER TABLE n MODIFY COLUMN t NCHAR(8)',
    'ALTER TABLE n RENAME COLUMN v vv',
    'ALTER TABLE n COMMENT "normal"',
    'ALTER TABLE n TTL 12',
  ),
  {
    sql: 'SELECT * FROM s',
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['v', 'INT', 4],
      ['t', 'VARCHAR', 8],
      ['w', 'DOUBLE', 8],
      ['a', 'VARCHAR', 8],
      ['bb', 'INT', 4],
      ['c', 'TINYINT', 1],
    ],
    rows: [['2023-11-14T22:13:20.000Z', 1, 'abcd', null, 'x', 1, null]],
  },
  {
    sql: 'SELECT * FROM n',
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['vv', 'INT', 4],
      ['t', 'NCHAR', 8],
      ['w', 'DOUBLE', 8],
    ],
    rows: [['2023-11-14T22:13:20.000Z', 2, 'abcd', null]],
  },
  {
    sql: "SELECT ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'altered' AND table_name = 'n'",
    rows: [[12, 'normal']],
  },
  {
    sql: "SELECT table_comment FROM information_schema.ins_stables WHERE db_name = 'altered' AND stable_name = 's'",
    rows: [['new']],
  },
  { sql: "INSERT INTO c VALUES (1700000000001, 2, 'abcdefgh', 0.5)", affected: 1 },
  ...done('ALTER STABLE s DROP COLUMN w', 'ALTER STABLE s ADD COLUMN w DOUBLE', 'ALTER STABLE s DROP TAG c'),
  {
    sql: 'SELECT v, t, w FROM s ORDER BY ts',
    rows: [
      [1, 'abcd', null],
      [2, 'abcdefgh', null],
    ],
  },
  { sql: 'ALTER STABLE s ADD COLUMN v INT', error: 0x036b, says: 'Column already exists' },
  { sql: 'ALTER STABLE s ADD COLUMN bb INT', error: 0x036b },
  { sql: 'ALTER STABLE s DROP COLUMN nothing', error: 0x036c, says: 'Column does not exist' },
  { sql: "ALTER STABLE s MODIFY COLUMN nothing COMPRESS 'lz4'", error: 0x036c },
  ...done("ALTER STABLE s MODIFY COLUMN v COMPRESS 'lz4'", "ALTER TABLE n MODIFY COLUMN ts LEVEL 'high'"),
  { sql: "ALTER TABLE c MODIFY COLUMN v LEVEL 'high'", error: 0x2649 },
  { sql: 'ALTER STABLE s ADD TAG a INT', error: 0x0369, says: 'Tag already exists' },
  { sql: 'ALTER STABLE s DROP TAG nothing', error: 0x036a, says: 'Tag does not exist' },
  { sql: 'ALTER STABLE s RENAME TAG nothing z', error: 0x036a },
  { sql: 'ALTER STABLE s DROP COLUMN ts', error: 0x264a, says: 'Primary timestamp column cannot be dropped' },
  ...refused(
    0x264b,
    'ALTER STABLE s MODIFY COLUMN t VARCHAR(8)',
    'ALTER STABLE s MODIFY COLUMN t VARCHAR(4)',
    'ALTER STABLE s MODIFY COLUMN t NCHAR(20)',
    'ALTER STABLE s MODIFY COLUMN v BIGINT',
    'ALTER STABLE s MODIFY TAG bb BIGINT',
  ),
  ...done('ALTER STABLE s DROP COLUMN t', 'ALTER STABLE s DROP COLUMN w', 'ALTER STABLE s DROP TAG bb'),
  { sql: 'ALTER STABLE s DROP COLUMN v', error: 0x2651, says: 'No columns can be dropped' },
  { sql: 'ALTER STABLE s DROP TAG a', error: 0x2649 },
  ...refused(
    0x2649,
    'ALTER TABLE c ADD COLUMN z INT',
    'ALTER TABLE c DROP COLUMN v',
    'ALTER TABLE n ADD TAG z INT',
    'ALTER TABLE s RENAME COLUMN v z',
    'ALTER TABLE s SET TAG a = "z"',
    'ALTER TABLE n SET TAG a = "z"',
  ),
  { sql: 'ALTER TABLE nothing ADD COLUMN z INT', error: 0x2603 },
  { sql: 'ALTER STABLE nothing ADD COLUMN z INT', error: 0x0361 },
  { sql: 'ALTER STABLE n ADD COLUMN z INT', error: 0x0361 },
  { sql: 'ALTER TABLE n', error: 0x2601 },
]);

statements('ALTER TABLE of a sub-table: SET TAG, COMMENT, TTL', service, 'altered', [
  ...done(
    'CREATE STABLE st (ts TIMESTAMP, v INT) TAGS (a VARCHAR(4), b INT, f FLOAT, ok BOOL, at TIMESTAMP)',
    "CREATE TABLE t1 USING st TAGS ('x', 1, 0.5, true, 1700000000000) t2 USING st TAGS ('y', 2, 1.5, false, 0)",
  ),
  { sql: 'INSERT INTO t1 VALUES (1700000000000, 1) t2 VALUES (1700000000000, 2)', affected: 2 },
  ...done(
    "ALTER TABLE t1 SET TAG a = 'new'",
    "ALTER TABLE altered.t1 SET TAG b = '7', ok = NULL, at = '2024-01-02T03:04:05Z'",
  ),
  {
    sql: 'SHOW TABLE TAGS FROM st',
    rows: [
      ['t1', 'new', 7, 0.5, null, '2024-01-02T03:04:05.000Z'],
      ['t2', 'y', 2, 1.5, false, '1970-01-01T00:00:00.000Z'],
    ],
  },
  { sql: "SELECT v FROM st WHERE a = 'new'", rows: [[1]] },
  { sql: "SELECT v FROM st WHERE a = 'x'", rows: [] },
  { sql: 'SELECT b FROM t1', rows: [[7]] },
  ...done('ALTER TABLE t1 TTL 9', "ALTER TABLE t1 COMMENT 'first'", 'ALTER TABLE t2 COMMENT ""'),
  {
    sql: "SELECT table_name, ttl, table_comment FROM information_schema.ins_tables WHERE stable_name = 'st' ORDER BY table_name",
    rows: [
      ['t1', 9, 'first'],
      ['t2', 0, ''],
    ],
  },
  { sql: "ALTER TABLE t1 SET TAG a = 'too long'", error: 0x2653 },
  { sql: "ALTER TABLE t1 SET TAG nothing = 'z'", error: 0x260e },
  { sql: 'ALTER TABLE t1 SET TAG b = 2147483648', error: 0x0216 },
  { sql: 'ALTER TABLE t1 SET TAG b = 1, b = 2', error: 0x263c },
  { sql: 'ALTER TABLE nothing SET TAG a = "z"', error: 0x2603 },
  ...done('DROP TABLE t1', "CREATE TABLE t1 USING st TAGS ('z', 3, 0, true, 0)"),
  { sql: 'SELECT TAGS a, b FROM t1', rows: [['z', 3]] },
  { sql: 'SELECT v FROM t1', rows: [] },
]);

statements('DROP TABLE and DROP STABLE: a list is checked before the first is dropped', service, 'dropped', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (g INT)',
    'CREATE TABLE c1 USING s TAGS (1) c2 USING s TAGS (2) c3 USING s TAGS (3)',
    'CREATE TABLE n (ts TIMESTAMP, v INT)',
    'CREATE STABLE alone (ts TIMESTAMP, v INT) TAGS (g INT)',
    'CREATE TABLE a1 USING alone TAGS (1)',
  ),
  { sql: 'DROP TABLE c1, nothing', error: 0x2603, says: 'Table does not exist' },
  { sql: 'DROP TABLE c1, n, s', error: 0x263a, says: 'Cannot drop super table in batch' },
  { sql: 'DROP TABLE c1, nowhere.c2', error: 0x0388 },
  { sql: 'SHOW TABLES', rows: [['a1'], ['c1'], ['c2'], ['c3'], ['n']] },
  ...done('DROP TABLE c1, IF EXISTS nothing, n, dropped.c1'),
  { sql: 'SHOW TABLES', rows: [['a1'], ['c2'], ['c3']] },
  { sql: 'DROP TABLE c1', error: 0x2603 },
  { sql: 'DROP STABLE c2', error: 0x0361, says: 'STable not exist' },
  { sql: 'DROP STABLE nothing', error: 0x0361 },
  ...done('DROP TABLE IF EXISTS nothing', 'DROP STABLE IF EXISTS nothing', 'DROP STABLE s'),
  { sql: 'SHOW TABLES', rows: [['a1']] },
  { sql: 'SELECT * FROM c2', error: 0x2662 },
  ...done('DROP TABLE alone'),
  { sql: 'SHOW TABLES', rows: [] },
  { sql: "SELECT count(*) FROM information_schema.ins_tables WHERE db_name = 'dropped'", rows: [[0]] },
  { sql: "SELECT ntables FROM information_schema.ins_databases WHERE name = 'dropped'", rows: [[0]] },
  { sql: "SELECT count(*) FROM information_schema.ins_tags WHERE db_name = 'dropped'", rows: [[0]] },
]);

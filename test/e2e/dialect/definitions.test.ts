import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { type StatementCase, statements } from '../../support/sql/statement-cases.js';

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
  { sql: "CREATE DATABASE e ENCRYPT_ALGORITHM 'sm4'", error: 0x0100, says: "ENCRYPT_ALGORITHM 'sm4'" },
  { sql: "CREATE DATABASE e PRECISION 's'", error: 0x2619, says: "Invalid option precision: 's'" },
  ...refused(
    0x2619,
    'CREATE DATABASE e VGROUPS 1025',
    'CREATE DATABASE e KEEP 20 DURATION 10',
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

statements('a short KEEP shortens the DURATION that is not given', service, undefined, [
  ...done('CREATE DATABASE k1 KEEP 7'),
  {
    sql: "SELECT keep, duration FROM information_schema.ins_databases WHERE name = 'k1'",
    rows: [['7d,7d,7d', '56h']],
  },
  ...done('ALTER DATABASE k1 KEEP 1d,2d', 'ALTER DATABASE k1 KEEP 400'),
  { sql: "SELECT duration FROM information_schema.ins_databases WHERE name = 'k1'", rows: [['10d']] },
  {
    sql: 'CREATE DATABASE k2 KEEP 7 DURATION 3',
    error: 0x2619,
    says: 'keep: 7, it must be at least 3 times duration, which is 3; write DURATION 3360m or less',
  },
  { sql: 'CREATE DATABASE k2 DURATION 2000', error: 0x2619, says: 'which is 2000; write KEEP, too' },
  ...done('CREATE DATABASE k2 KEEP 7 DURATION 1', 'DROP DATABASE k1', 'DROP DATABASE k2'),
]);

statements('databases are altered, used and dropped, and what they cannot be is refused', service, undefined, [
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
  ...refused(0x2619, 'ALTER DATABASE a1 KEEP 0', 'ALTER DATABASE a1 BUFFER 16385', 'ALTER DATABASE a1 MINROWS 1001'),
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
    "ALTER LOCAL 'debugFlag' '131'",
    "ALTER DNODE 1 'debugFlag' '131'",
    'KILL CONNECTION 1',
    'KILL TRANSACTION 1',
    'ALTER STABLE sma MODIFY COLUMN v ENCODE "simple8b" COMPRESS "lz4" LEVEL "high"',
  ),
  ...refused(0x0388, 'FLUSH DATABASE nothing', 'TRIM DATABASE nothing', 'COMPACT DATABASE nothing'),
  ...refused(0x0361, 'CREATE SMA INDEX idx ON nothing FUNCTION(max(v)) INTERVAL(1m)', 'CREATE INDEX i ON nothing (g)'),
  ...refused(0x0484, 'DROP INDEX nothing'),
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

statements('names of databases hold any character, as buckets of other products do', service, undefined, [
  ...done(
    `CREATE DATABASE \`my.b\`\`u"c'k\``,
    `CREATE STABLE \`my.b\`\`u"c'k\`.s (ts TIMESTAMP, v INT) TAGS (g VARCHAR(8))`,
  ),
  {
    sql: `INSERT INTO \`my.b\`\`u"c'k\`.t1 USING \`my.b\`\`u"c'k\`.s TAGS (lower('A')) VALUES (NOW, 1) \`my.b\`\`u"c'k\`.s (tbname, ts, v) VALUES ('t2', NOW, 2)`,
    affected: 2,
  },
  {
    sql: `SELECT tbname, g, v FROM \`my.b\`\`u"c'k\`.s ORDER BY v`,
    rows: [
      ['t1', 'a', 1],
      ['t2', null, 2],
    ],
  },
  { sql: `SHOW \`my.b\`\`u"c'k\`.STABLES`, rows: [['s']] },
  ...done(`DROP DATABASE \`my.b\`\`u"c'k\``),
]);

statements('limits of names, types, rows and tags', service, 'limits', [
  ...done(
    `CREATE TABLE ${'t'.repeat(192)} (${'c'.repeat(192)} TIMESTAMP, v INT)`,
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
    `CREATE TABLE e (ts TIMESTAMP, ${'c'.repeat(193)} INT)`,
    `CREATE STABLE e (ts TIMESTAMP, v INT) TAGS (${'c'.repeat(193)} INT)`,
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

import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { type StatementCase, statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();

test.before(async () => {
  for (const name of ['made', 'types', 'altered', 'children', 'dropped', 'limits', 'indexed', 'raced']) {
    await service.run(`CREATE DATABASE ${name}`);
  }
});

test.after.always(end);
const done = (...texts: string[]): StatementCase[] => texts.map((sql) => ({ sql, affected: 0 }));
const refused = (error: number, ...texts: string[]): StatementCase[] => texts.map((sql) => ({ sql, error }));

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
  { sql: 'CREATE TABLE e USING nothing TAGS (1)', error: 0x2603, says: 'Table does not exist: nothing' },
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
    'ALTER STABLE s KEEP 100d',
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
  { sql: 'ALTER TABLE n KEEP 100d', error: 0x2649 },
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
  { sql: 'ALTER TABLE nothing SET TAG a = "z"', error: 0x2603, says: 'Table does not exist: nothing' },
  ...done("ALTER TABLE t1 SET TAG a = 'one', b = 1 t2 SET TAG a = 'two'"),
  {
    sql: 'SELECT TAGS tbname, a, b FROM st',
    rows: [
      ['t1', 'one', 1],
      ['t2', 'two', 2],
    ],
  },
  { sql: "ALTER TABLE t1 SET TAG a = 'kept' nothing SET TAG a = 'z'", error: 0x2603 },
  { sql: "ALTER TABLE t1 SET TAG a = 'kept' t2 SET TAG a = 'too long'", error: 0x2653 },
  { sql: 'ALTER TABLE USING st SET TAG b = 5 WHERE v = 1', error: 0x0100 },
  { sql: 'ALTER TABLE USING st SET TAG b = 5 WHERE max(b) = 1', error: 0x2608 },
  { sql: 'ALTER TABLE USING t1 SET TAG b = 5', error: 0x0361 },
  ...done(
    'ALTER TABLE USING st SET TAG b = 5, f = NULL',
    "ALTER TABLE USING altered.st SET TAG b = 6 WHERE tbname = 't2' AND a IN ('two', 'x')",
    "ALTER TABLE USING st SET TAG a = 'none' WHERE b > 6",
  ),
  {
    sql: 'SELECT TAGS tbname, a, b, f FROM st',
    rows: [
      ['t1', 'one', 5, null],
      ['t2', 'two', 6, null],
    ],
  },
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
  { sql: 'DROP TABLE c1, nothing', error: 0x2603, says: 'Table does not exist: nothing' },
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

const indexes = `SELECT index_name, table_name, column_name FROM information_schema.ins_indexes
  WHERE db_name = 'indexed' ORDER BY table_name, index_name`;

statements('CREATE INDEX keeps an index on a tag, which follows its tag until it is dropped', service, 'indexed', [
  ...done(
    'CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (a INT, b VARCHAR(8), c INT)',
    'CREATE STABLE other (ts TIMESTAMP, v INT) TAGS (a INT)',
    'CREATE INDEX on_b ON s (b)',
    'CREATE INDEX IF NOT EXISTS on_b ON s (b)',
    'CREATE INDEX indexed.on_c ON indexed.s (c)',
  ),
  ...refused(0x0483, 'CREATE INDEX on_b ON s (b)', 'CREATE INDEX more ON s (c)', 'CREATE INDEX more ON s (a)'),
  ...refused(0x0483, 'CREATE INDEX on_b ON other (a)'),
  ...refused(0x260e, 'CREATE INDEX more ON s (v)'),
  ...done('ALTER STABLE s RENAME TAG b renamed', 'ALTER STABLE s DROP TAG c', 'DROP INDEX a_other'),
  {
    sql: indexes,
    rows: [
      ['a_s', 's', 'a'],
      ['on_b', 's', 'renamed'],
    ],
  },
  ...done('CREATE INDEX again ON other (a)', 'DROP INDEX on_b'),
  {
    sql: indexes,
    rows: [
      ['again', 'other', 'a'],
      ['a_s', 's', 'a'],
    ],
  },
  ...refused(0x0484, 'DROP INDEX on_b'),
]);

test('of statements that create one sub-table at once, one creates it', async (t) => {
  await service.run('CREATE STABLE raced.s (ts TIMESTAMP, v INT) TAGS (g INT)');
  const create = (g: number): Promise<number> => service.code(`CREATE TABLE raced.c USING raced.s TAGS (${g})`);
  const codes = await Promise.all([1, 2, 3, 4, 5, 6].map(create));
  t.deepEqual(codes.toSorted(), [0, 0x0603, 0x0603, 0x0603, 0x0603, 0x0603]);
  t.deepEqual(await service.rows('SELECT TAGS g FROM raced.s'), [[codes.indexOf(0) + 1]]);
});

import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();

test.after.always(end);

test.before(async () => {
  for (const statement of [
    'CREATE DATABASE plain',
    "CREATE DATABASE `wide` VGROUPS 3 PRECISION 'us' KEEP 300,400 DURATION 720m BUFFER 96 CACHEMODEL 'both' WAL_LEVEL 2 SINGLE_STABLE 1",
    'CREATE DATABASE again',
    'CREATE STABLE plain.pump (ts TIMESTAMP, temp DOUBLE, state INT) TAGS (site NCHAR(10), n INT)',
    "CREATE TABLE plain.p1 USING plain.pump TAGS ('east', 1) plain.p2 USING plain.pump TAGS ('west', 2) plain.q1 USING plain.pump (n) TAGS (3)",
    "CREATE TABLE plain.log (ts TIMESTAMP, line VARCHAR(50)) COMMENT 'all that is said'",
    'CREATE TABLE plain.`Mixed` (ts TIMESTAMP, v INT)',
    'CREATE STABLE wide.one (ts TIMESTAMP, v INT) TAGS (g INT)',
  ]) {
    await service.run(statement);
  }
});

statements('SHOW CREATE prints statements in their fixed form', service, 'plain', [
  {
    sql: 'SHOW CREATE STABLE pump',
    meta: [
      ['Table', 'VARCHAR', 192],
      ['Create Table', 'VARCHAR', 65535],
    ],
    rows: [
      ['pump', 'CREATE STABLE `pump` (`ts` TIMESTAMP, `temp` DOUBLE, `state` INT) TAGS (`site` NCHAR(10), `n` INT)'],
    ],
  },
  {
    sql: 'SHOW CREATE TABLE pump',
    rows: [
      ['pump', 'CREATE STABLE `pump` (`ts` TIMESTAMP, `temp` DOUBLE, `state` INT) TAGS (`site` NCHAR(10), `n` INT)'],
    ],
  },
  { sql: 'SHOW CREATE TABLE p1', rows: [['p1', 'CREATE TABLE `p1` USING `pump` (`site`, `n`) TAGS ("east", 1)']] },
  { sql: 'SHOW CREATE TABLE q1', rows: [['q1', 'CREATE TABLE `q1` USING `pump` (`site`, `n`) TAGS (NULL, 3)']] },
  {
    sql: 'SHOW CREATE TABLE plain.log',
    rows: [['log', "CREATE TABLE `log` (`ts` TIMESTAMP, `line` VARCHAR(50)) COMMENT 'all that is said'"]],
  },
  {
    sql: 'SHOW CREATE TABLE `Mixed`',
    rows: [['Mixed', 'CREATE TABLE `Mixed` (`ts` TIMESTAMP, `v` INT)']],
  },
  { sql: 'SHOW CREATE STABLE p1', error: 0x0361 },
  { sql: 'SHOW CREATE STABLE log', error: 0x0361 },
  { sql: 'SHOW CREATE TABLE nothing', error: 0x2662 },
  {
    sql: 'SHOW CREATE DATABASE plain',
    meta: [
      ['Database', 'VARCHAR', 64],
      ['Create Database', 'VARCHAR', 65535],
    ],
    rows: [
      [
        'plain',
        "CREATE DATABASE `plain` BUFFER 256 CACHESIZE 1 CACHEMODEL 'none' COMP 2 DURATION 10d WAL_FSYNC_PERIOD 3000 " +
          'MAXROWS 4096 MINROWS 100 STT_TRIGGER 2 KEEP 3650d,3650d,3650d PAGES 256 PAGESIZE 4 ' +
          "PRECISION 'ms' REPLICA 1 WAL_LEVEL 1 VGROUPS 2 SINGLE_STABLE 0 TABLE_PREFIX 0 TABLE_SUFFIX 0 TSDB_PAGESIZE 4 " +
          'WAL_RETENTION_PERIOD 3600 WAL_RETENTION_SIZE 0 KEEP_TIME_OFFSET 0',
      ],
    ],
  },
  {
    sql: 'SHOW CREATE DATABASE wide',
    rows: [
      [
        'wide',
        "CREATE DATABASE `wide` BUFFER 96 CACHESIZE 1 CACHEMODEL 'both' COMP 2 DURATION 12h WAL_FSYNC_PERIOD 3000 " +
          'MAXROWS 4096 MINROWS 100 STT_TRIGGER 2 KEEP 300d,400d,400d PAGES 256 PAGESIZE 4 ' +
          "PRECISION 'us' REPLICA 1 WAL_LEVEL 2 VGROUPS 3 SINGLE_STABLE 1 TABLE_PREFIX 0 TABLE_SUFFIX 0 TSDB_PAGESIZE 4 " +
          'WAL_RETENTION_PERIOD 3600 WAL_RETENTION_SIZE 0 KEEP_TIME_OFFSET 0',
      ],
    ],
  },
  { sql: 'SHOW CREATE DATABASE nothing', error: 0x0388 },
]);

// Before the others: it drops a database and makes it again.
test.serial('what SHOW CREATE prints makes the same thing again', async (t) => {
  const superTable =
    'CREATE STABLE all_types (`Time` TIMESTAMP, a BOOL, b TINYINT UNSIGNED, c DECIMAL(20,4), d VARBINARY(7), `e f` NCHAR(3), ' +
    'g GEOMETRY(80), h BLOB) TAGS (i VARCHAR(40), j FLOAT, k DOUBLE, l TIMESTAMP, m GEOMETRY(200), n VARBINARY(9), o NCHAR(9), ' +
    'p BOOL, q BIGINT UNSIGNED) COMMENT "it\'s `one` \\\\ \\"two\\""';
  const objects: readonly (readonly [name: string, create: string, drop: string])[] = [
    ['all_types', superTable, 'STABLE'],
    [
      'c1',
      `CREATE TABLE c1 USING all_types TAGS ('say "it''s" \\\\n \\n', 1.17549e-38, 0.1234567890123456, 1700000000123456, ` +
        `'POLYGON((0 0, 4 0, 4 4.5, 0 0))', '\\x00ff7f', 'größe', false, 18446744073709551615) TTL 7 COMMENT 'a "b" c'`,
      'TABLE',
    ],
    [
      'c2',
      `CREATE TABLE c2 USING all_types (i, m) TAGS ('', 'GEOMETRYCOLLECTION(POINT(-1.5 2), MULTIPOINT(1 2, 3 4))')`,
      'TABLE',
    ],
    ['c3', `CREATE TABLE c3 USING all_types (m) TAGS ('MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))')`, 'TABLE'],
    ['n', "CREATE TABLE n (ts TIMESTAMP, `select` NCHAR(16379)) COMMENT '' TTL 30", 'TABLE'],
  ];
  const options = { database: 'again' };
  await service.run('CREATE STABLE labels (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)', options);
  for (const [name, create, kind] of [
    ...objects,
    ['j', `CREATE TABLE j USING labels TAGS ('{"a b":"x\\\\"y","n":1.5,"t":true}')`, 'TABLE'] as const,
  ]) {
    await service.run(create, options);
    const [[, printed] = []] = await service.rows(`SHOW CREATE TABLE ${name}`, options);
    const described = await service.rows(`DESCRIBE ${name}`, options);
    const tags = name === 'n' ? [] : await service.rows(`SHOW TAGS FROM ${name}`, options);
    await service.run(`DROP ${kind} ${name}`, options);
    t.is(await service.code(`DESCRIBE ${name}`, options), 0x2662);
    t.is(await service.run(String(printed), options), 0, String(printed));
    t.deepEqual(await service.rows(`SHOW CREATE TABLE ${name}`, options), [[name, printed]]);
    t.deepEqual(await service.rows(`DESCRIBE ${name}`, options), described);
    if (name !== 'n') t.deepEqual(await service.rows(`SHOW TAGS FROM ${name}`, options), tags);
  }
  t.deepEqual(
    await service.rows(
      "SELECT ttl, table_comment FROM information_schema.ins_tables WHERE db_name = 'again' AND table_name = 'c1'",
    ),
    [[7, 'a "b" c']],
  );
  const [[, database] = []] = await service.rows('SHOW CREATE DATABASE again');
  await service.run('DROP DATABASE again');
  await service.run(String(database));
  t.deepEqual(await service.rows('SHOW CREATE DATABASE again'), [['again', database]]);
});

statements('SHOW knows a sub-table that a row has just made', service, 'plain', [
  { sql: "INSERT INTO new1 USING pump TAGS ('new', 5) VALUES (NOW, 1, 1)", affected: 1 },
  { sql: 'SHOW CREATE TABLE new1', rows: [['new1', 'CREATE TABLE `new1` USING `pump` (`site`, `n`) TAGS ("new", 5)']] },
  { sql: "INSERT INTO new2 USING pump TAGS ('new', 6) VALUES (NOW, 1, 1)", affected: 1 },
  {
    sql: 'SHOW TAGS FROM new2',
    rows: [
      ['new2', 'plain', 'pump', 'site', 'NCHAR(10)', 'new'],
      ['new2', 'plain', 'pump', 'n', 'INT', '6'],
    ],
  },
]);

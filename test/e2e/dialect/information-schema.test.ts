import test from 'ava';
import { startService } from '../../support/service/service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await startService();
for (const statement of [
  'CREATE DATABASE metrics',
  "CREATE DATABASE fine PRECISION 'ns' VGROUPS 1 KEEP 60 COMP 1 CACHEMODEL 'last_row' STRICT 'off'",
  'CREATE STABLE metrics.meter (ts TIMESTAMP, v INT, w DOUBLE, note VARCHAR(20)) TAGS (place NCHAR(10), grp INT, ok BOOL)',
  `CREATE TABLE metrics.m1 USING metrics.meter TAGS ('north', 1, true)
    metrics.m2 USING metrics.meter TAGS ('north', 2, false) COMMENT 'second'
    metrics.m3 USING metrics.meter (place) TAGS ('south') TTL 90`,
  'CREATE STABLE metrics.empty_one (ts TIMESTAMP, a DECIMAL(20,4)) TAGS (x VARBINARY(8)) COMMENT "holds nothing"',
  'CREATE TABLE metrics.events (at TIMESTAMP, what NCHAR(64)) TTL 5',
  "CREATE TABLE metrics.errors (at TIMESTAMP, code BIGINT UNSIGNED) COMMENT ''",
  'CREATE STABLE fine.j (ts TIMESTAMP, v FLOAT) TAGS (labels JSON)',
  `CREATE TABLE fine.j1 USING fine.j TAGS ('{"a":"b","n":1}') fine.j2 USING fine.j TAGS (NULL)`,
]) {
  await service.run(statement);
}
test.after.always(end);

const info = 'information_schema';

statements('ins_databases: system databases without options, others with all of them', service, undefined, [
  {
    sql: `SELECT name, vgroups, ntables, replica, strict, duration, keep, precision, status FROM ${info}.ins_databases
      WHERE vgroups IS NOT NULL ORDER BY name`,
    meta: [
      ['name', 'VARCHAR', 64],
      ['vgroups', 'INT', 4],
      ['ntables', 'BIGINT', 8],
      ['replica', 'TINYINT', 1],
      ['strict', 'VARCHAR', 4],
      ['duration', 'VARCHAR', 10],
      ['keep', 'VARCHAR', 32],
      ['precision', 'VARCHAR', 2],
      ['status', 'VARCHAR', 10],
    ],
    rows: [
      ['fine', 1, 2, 1, 'off', '10d', '60d,60d,60d', 'ns', 'ready'],
      ['metrics', 2, 5, 1, 'on', '10d', '3650d,3650d,3650d', 'ms', 'ready'],
    ],
  },
  {
    sql: `SELECT buffer, pagesize, pages, minrows, maxrows, comp, single_stable, cachemodel, cachesize, wal_level,
      wal_fsync_period, wal_retention_period, wal_retention_size, stt_trigger, table_prefix, table_suffix, tsdb_pagesize,
      keep_time_offset FROM ${info}.ins_databases WHERE name = 'fine'`,
    rows: [[256, 4, 256, 100, 4096, 1, false, 'last_row', 1, 1, 3000, 3600, 0, 2, 0, 0, 4, 0]],
  },
  {
    sql: `SELECT name, create_time, replica, duration, status FROM ${info}.ins_databases WHERE vgroups IS NULL ORDER BY name`,
    rows: [
      ['information_schema', null, null, null, 'ready'],
      ['performance_schema', null, null, null, 'ready'],
    ],
  },
  { sql: `SELECT ntables > 20 FROM ${info}.ins_databases WHERE name = 'information_schema'`, rows: [[true]] },
  { sql: `SELECT ntables FROM ${info}.ins_databases WHERE name = 'performance_schema'`, rows: [[5]] },
  { sql: `SELECT count(*) FROM ${info}.ins_databases WHERE create_time > now - 1h`, rows: [[2]] },
]);

const tables = `FROM ${info}.ins_tables WHERE db_name = 'metrics'`;

statements('ins_tables: sub-tables, normal tables and system tables', service, undefined, [
  {
    sql: `SELECT table_name, columns, stable_name, ttl, table_comment, type ${tables} ORDER BY table_name`,
    meta: [
      ['table_name', 'VARCHAR', 192],
      ['columns', 'INT', 4],
      ['stable_name', 'VARCHAR', 192],
      ['ttl', 'INT', 4],
      ['table_comment', 'VARCHAR', 1024],
      ['type', 'VARCHAR', 21],
    ],
    rows: [
      ['errors', 2, null, 0, '', 'NORMAL_TABLE'],
      ['events', 2, null, 5, null, 'NORMAL_TABLE'],
      ['m1', 4, 'meter', 0, null, 'CHILD_TABLE'],
      ['m2', 4, 'meter', 0, 'second', 'CHILD_TABLE'],
      ['m3', 4, 'meter', 90, null, 'CHILD_TABLE'],
    ],
  },
  {
    sql: `SELECT * ${tables} AND table_name = 'nothing'`,
    meta: [
      ['table_name', 'VARCHAR', 192],
      ['db_name', 'VARCHAR', 64],
      ['create_time', 'TIMESTAMP', 8],
      ['columns', 'INT', 4],
      ['stable_name', 'VARCHAR', 192],
      ['uid', 'BIGINT', 8],
      ['vgroup_id', 'INT', 4],
      ['ttl', 'INT', 4],
      ['table_comment', 'VARCHAR', 1024],
      ['type', 'VARCHAR', 21],
    ],
    rows: [],
  },
  {
    sql: `SELECT table_name ${tables} AND stable_name = 'meter' ORDER BY table_name DESC LIMIT 2`,
    rows: [['m3'], ['m2']],
  },
  { sql: `SELECT table_name ${tables} ORDER BY table_name LIMIT 2 OFFSET 1`, rows: [['events'], ['m1']] },
  { sql: `SELECT table_name ${tables} AND table_name LIKE 'm_' AND ttl > 0`, rows: [['m3']] },
  { sql: `SELECT table_name ${tables} AND table_name = 'm2'`, rows: [['m2']] },
  {
    sql: `SELECT table_name ${tables} AND (table_name = 'm2' OR table_name = 'm3') ORDER BY 1`,
    rows: [['m2'], ['m3']],
  },
  {
    sql: `SELECT type, count(*) ${tables} GROUP BY type ORDER BY type`,
    rows: [
      ['CHILD_TABLE', 3],
      ['NORMAL_TABLE', 2],
    ],
  },
  {
    sql: `SELECT db_name, count(*) AS n FROM ${info}.ins_tables WHERE type <> 'SYSTEM_TABLE' GROUP BY db_name HAVING count(*) > 2`,
    rows: [['metrics', 5]],
  },
  { sql: `SELECT count(*) FROM (SELECT DISTINCT stable_name ${tables} AND stable_name IS NOT NULL)`, rows: [[1]] },
  { sql: `SELECT upper(table_name), ttl * 2 AS twice ${tables} AND ttl BETWEEN 1 AND 50`, rows: [['EVENTS', 10]] },
  {
    sql: `SELECT db_name, type FROM ${info}.ins_tables WHERE table_name = 'ins_tables'`,
    rows: [['information_schema', 'SYSTEM_TABLE']],
  },
  {
    sql: `SELECT table_name FROM ${info}.ins_tables WHERE db_name = 'performance_schema' ORDER BY table_name`,
    rows: [['perf_apps'], ['perf_connections'], ['perf_consumers'], ['perf_queries'], ['perf_trans']],
  },
  { sql: 'SHOW performance_schema.TABLES LIKE "%con%"', rows: [['perf_connections'], ['perf_consumers']] },
  {
    sql: `SELECT DISTINCT db_name FROM ${info}.ins_tables WHERE type = 'CHILD_TABLE' ORDER BY db_name`,
    rows: [['fine'], ['metrics']],
  },
  {
    sql: `SELECT t.table_name FROM ${info}.ins_tables t WHERE t.db_name = 'fine' ORDER BY t.table_name`,
    rows: [['j1'], ['j2']],
  },
  {
    sql: `SELECT table_name AS n FROM ${info}.ins_tables WHERE db_name = 'fine' AND table_name = 'j1' UNION ALL
      SELECT stable_name FROM ${info}.ins_stables WHERE db_name = 'fine' ORDER BY n`,
    rows: [['j'], ['j1']],
  },
]);

statements('a system database may be the one of the URL', service, info, [
  { sql: "SELECT table_name FROM ins_tables WHERE db_name = 'fine' ORDER BY table_name", rows: [['j1'], ['j2']] },
  { sql: "SHOW TABLES LIKE 'ins_vgr%'", rows: [['ins_vgroups']] },
  { sql: "SELECT stable_name FROM ins_stables WHERE db_name = 'fine'", rows: [['j']] },
  { sql: 'SELECT * FROM no_such_table', error: 0x2662 },
]);

statements('ins_stables counts columns and tags', service, undefined, [
  {
    sql: `SELECT stable_name, columns, \`tags\`, table_comment FROM ${info}.ins_stables WHERE db_name = 'metrics' ORDER BY stable_name`,
    meta: [
      ['stable_name', 'VARCHAR', 192],
      ['columns', 'INT', 4],
      ['tags', 'INT', 4],
      ['table_comment', 'VARCHAR', 1024],
    ],
    rows: [
      ['empty_one', 2, 1, 'holds nothing'],
      ['meter', 4, 3, null],
    ],
  },
  { sql: `SELECT count(*) FROM ${info}.ins_stables WHERE last_update >= create_time`, rows: [[3]] },
]);

statements('ins_tags: one row for every tag of every sub-table', service, undefined, [
  {
    sql: `SELECT * FROM ${info}.ins_tags WHERE db_name = 'metrics' AND table_name = 'm2'`,
    meta: [
      ['table_name', 'VARCHAR', 192],
      ['db_name', 'VARCHAR', 64],
      ['stable_name', 'VARCHAR', 192],
      ['tag_name', 'VARCHAR', 192],
      ['tag_type', 'VARCHAR', 32],
      ['tag_value', 'VARCHAR', 16384],
    ],
    rows: [
      ['m2', 'metrics', 'meter', 'place', 'NCHAR(10)', 'north'],
      ['m2', 'metrics', 'meter', 'grp', 'INT', '2'],
      ['m2', 'metrics', 'meter', 'ok', 'BOOL', 'false'],
    ],
  },
  { sql: `SELECT count(*) FROM ${info}.ins_tags WHERE db_name = 'metrics'`, rows: [[9]] },
  { sql: `SELECT count(*) FROM ${info}.ins_tags`, rows: [[11]] },
  {
    sql: `SELECT table_name FROM ${info}.ins_tags WHERE tag_name = 'place' AND tag_value = 'north' ORDER BY table_name`,
    rows: [['m1'], ['m2']],
  },
  {
    sql: `SELECT DISTINCT tag_name, tag_type FROM ${info}.ins_tags WHERE db_name = 'metrics' AND stable_name = 'meter' ORDER BY tag_name`,
    rows: [
      ['grp', 'INT'],
      ['ok', 'BOOL'],
      ['place', 'NCHAR(10)'],
    ],
  },
  {
    sql: `SELECT tag_name, count(*), count(tag_value) FROM ${info}.ins_tags WHERE db_name = 'metrics' GROUP BY tag_name ORDER BY tag_name`,
    rows: [
      ['grp', 3, 2],
      ['ok', 3, 2],
      ['place', 3, 3],
    ],
  },
  {
    sql: `SELECT table_name, tag_type, tag_value FROM ${info}.ins_tags WHERE db_name = 'fine' ORDER BY table_name`,
    rows: [
      ['j1', 'JSON', '{"a":"b","n":1}'],
      ['j2', 'JSON', null],
    ],
  },
]);

statements('ins_columns: the columns of every table, tags left out', service, undefined, [
  {
    sql: `SELECT col_name, col_type, col_length, table_type FROM ${info}.ins_columns WHERE db_name = 'metrics' AND table_name = 'm1'`,
    meta: [
      ['col_name', 'VARCHAR', 192],
      ['col_type', 'VARCHAR', 32],
      ['col_length', 'INT', 4],
      ['table_type', 'VARCHAR', 21],
    ],
    rows: [
      ['ts', 'TIMESTAMP', 8, 'CHILD_TABLE'],
      ['v', 'INT', 4, 'CHILD_TABLE'],
      ['w', 'DOUBLE', 8, 'CHILD_TABLE'],
      ['note', 'VARCHAR(20)', 20, 'CHILD_TABLE'],
    ],
  },
  {
    sql: `SELECT table_name, col_name, col_type FROM ${info}.ins_columns WHERE db_name = 'metrics' AND table_type = 'NORMAL_TABLE'
      ORDER BY table_name, col_name`,
    rows: [
      ['errors', 'at', 'TIMESTAMP'],
      ['errors', 'code', 'BIGINT UNSIGNED'],
      ['events', 'at', 'TIMESTAMP'],
      ['events', 'what', 'NCHAR(64)'],
    ],
  },
  {
    sql: `SELECT col_type, col_precision, col_scale FROM ${info}.ins_columns WHERE table_name = 'empty_one' AND col_name = 'a'`,
    rows: [['DECIMAL(20,4)', 20, 4]],
  },
  {
    sql: `SELECT table_type, count(*) FROM ${info}.ins_columns WHERE db_name = 'metrics' GROUP BY table_type ORDER BY table_type`,
    rows: [
      ['CHILD_TABLE', 12],
      ['NORMAL_TABLE', 4],
      ['SUPER_TABLE', 6],
    ],
  },
  {
    sql: `SELECT col_name, col_type FROM ${info}.ins_columns WHERE table_name = 'ins_configs'`,
    rows: [
      ['name', 'VARCHAR(32)'],
      ['value', 'VARCHAR(64)'],
    ],
  },
]);

statements('the tables of nodes, users and privileges', service, undefined, [
  {
    sql: `SELECT * FROM ${info}.ins_cluster WHERE id < 0`,
    meta: [
      ['id', 'BIGINT', 8],
      ['name', 'VARCHAR', 134],
      ['uptime', 'INT', 4],
      ['create_time', 'TIMESTAMP', 8],
      ['version', 'VARCHAR', 10],
      ['expire_time', 'TIMESTAMP', 8],
    ],
    rows: [],
  },
  { sql: `SELECT count(*), count(expire_time) FROM ${info}.ins_cluster`, rows: [[1, 0]] },
  { sql: `SELECT vnodes, status FROM ${info}.ins_dnodes WHERE id = 1`, rows: [[3, 'ready']] },
  { sql: `SELECT count(*) FROM ${info}.ins_vnodes WHERE status = 'leader'`, rows: [[3]] },
  {
    sql: `SELECT name, super, enable, sysinfo, createdb FROM ${info}.ins_users WHERE name = 'root'`,
    meta: [
      ['name', 'VARCHAR', 24],
      ['super', 'TINYINT', 1],
      ['enable', 'TINYINT', 1],
      ['sysinfo', 'TINYINT', 1],
      ['createdb', 'TINYINT', 1],
    ],
    rows: [['root', 1, 1, 1, 1]],
  },
  { sql: `SELECT count(*) FROM ${info}.ins_grants`, rows: [[1]] },
  { sql: `SELECT value FROM ${info}.ins_configs WHERE name = 'charset'`, rows: [['UTF-8']] },
  { sql: `SELECT count(*) FROM ${info}.ins_streams`, rows: [[0]] },
  { sql: `SELECT topic_name, schema FROM ${info}.ins_topics`, rows: [] },
  { sql: 'SELECT name FROM performance_schema.perf_apps', rows: [['sluice']] },
  { sql: 'SELECT count(*) FROM performance_schema.perf_trans', rows: [[0]] },
]);

statements('what is not there, and what may not be changed', service, undefined, [
  { sql: `SELECT * FROM ${info}.nothing`, error: 0x2662, says: 'Table does not exist' },
  { sql: `SELECT nothing FROM ${info}.ins_tables`, error: 0x2602, says: 'Invalid column name: nothing' },
  { sql: `CREATE DATABASE ${info}`, error: 0x0381 },
  { sql: `CREATE DATABASE IF NOT EXISTS ${info}`, affected: 0 },
  { sql: `DROP DATABASE ${info}`, error: 0x2644 },
  { sql: `USE ${info}`, affected: 0 },
]);

// Before the others, which count databases.
test.serial('what one process defines another one lists the same way', async (t) => {
  const other = await service.attach();
  try {
    await service.run('CREATE DATABASE shared VGROUPS 5');
    await service.run('CREATE STABLE shared.s (ts TIMESTAMP, v INT) TAGS (g VARCHAR(8))');
    await other.run("CREATE TABLE shared.c1 USING shared.s TAGS ('one') COMMENT 'c'");
    await service.run("ALTER TABLE shared.c1 SET TAG g = 'two'");
    await other.run('ALTER TABLE shared.c1 TTL 8');
    const lists = [
      `SELECT * FROM ${info}.ins_tables WHERE db_name = 'shared'`,
      `SELECT * FROM ${info}.ins_tags WHERE db_name = 'shared'`,
      `SELECT * FROM ${info}.ins_stables WHERE db_name = 'shared'`,
      `SELECT id, name, create_time FROM ${info}.ins_cluster`,
      'SHOW shared.VGROUPS',
      'SHOW CREATE TABLE shared.c1',
      'SHOW CREATE DATABASE shared',
    ];
    for (const list of lists) t.is((await other.sql(list)).text, (await service.sql(list)).text, list);
    t.deepEqual(await service.rows('SHOW CREATE TABLE shared.c1'), [
      ['c1', 'CREATE TABLE `c1` USING `s` (`g`) TAGS ("two") TTL 8 COMMENT "c"'],
    ]);
    await other.run('DROP TABLE shared.c1');
    t.deepEqual(await service.rows(`SELECT table_name FROM ${info}.ins_tags WHERE db_name = 'shared'`), []);
    t.deepEqual(await service.rows('SHOW shared.TABLES'), []);
  } finally {
    await service.run('DROP DATABASE IF EXISTS shared');
    await other.stop();
  }
});

import { text as readToEnd } from 'node:stream/consumers';
import test from 'ava';
import { startService } from '../../support/service/service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await startService();

// Databases are made here, one after the other, because their vgroups are numbered in that order.
for (const statement of [
  'CREATE DATABASE plain',
  "CREATE DATABASE `wide` VGROUPS 3 PRECISION 'us' KEEP 300,400 DURATION 720m BUFFER 96 CACHEMODEL 'both' WAL_LEVEL 2 SINGLE_STABLE 1",
  'CREATE DATABASE again',
  'CREATE DATABASE bulk',
  'CREATE STABLE plain.pump (ts TIMESTAMP, temp DOUBLE, state INT) TAGS (site NCHAR(10), n INT)',
  "CREATE TABLE plain.p1 USING plain.pump TAGS ('east', 1) plain.p2 USING plain.pump TAGS ('west', 2) plain.q1 USING plain.pump (n) TAGS (3)",
  "CREATE TABLE plain.log (ts TIMESTAMP, line VARCHAR(50)) COMMENT 'all that is said'",
  'CREATE TABLE plain.log_2 (ts TIMESTAMP, line VARCHAR(50))',
  'CREATE TABLE plain.`Mixed` (ts TIMESTAMP, v INT)',
  'CREATE STABLE plain.valve (ts TIMESTAMP, open BOOL) TAGS (id BIGINT)',
  'CREATE TABLE bulk.long_lines (ts TIMESTAMP, line VARCHAR(1000))',
  'CREATE STABLE wide.one (ts TIMESTAMP, v INT) TAGS (g INT)',
  // Numbers of vgroups only rise.
  'DROP DATABASE again',
  'CREATE DATABASE again',
]) {
  await service.run(statement);
}

test.after.always(end);
const name64 = [['name', 'VARCHAR', 64]] as const;
const tableName = [['table_name', 'VARCHAR', 192]] as const;

statements('SHOW DATABASES: all, those of users, those of the system', service, undefined, [
  {
    sql: 'SHOW DATABASES',
    meta: name64,
    rows: [['information_schema'], ['performance_schema'], ['again'], ['bulk'], ['plain'], ['wide']],
  },
  { sql: 'show user databases;', meta: name64, rows: [['again'], ['bulk'], ['plain'], ['wide']] },
  { sql: 'SHOW SYSTEM DATABASES', meta: name64, rows: [['information_schema'], ['performance_schema']] },
]);

statements('SHOW TABLES: normal tables and sub-tables, of a database, by pattern', service, undefined, [
  {
    sql: 'SHOW plain.TABLES',
    meta: tableName,
    rows: [['Mixed'], ['log'], ['log_2'], ['p1'], ['p2'], ['q1']],
  },
  { sql: 'SHOW NORMAL plain.TABLES', meta: tableName, rows: [['Mixed'], ['log'], ['log_2']] },
  { sql: 'SHOW CHILD plain.TABLES', rows: [['p1'], ['p2'], ['q1']] },
  { sql: "SHOW plain.TABLES LIKE 'p%'", rows: [['p1'], ['p2']] },
  { sql: "SHOW plain.TABLES LIKE '_1'", rows: [['p1'], ['q1']] },
  { sql: "SHOW plain.TABLES LIKE 'log\\_2'", rows: [['log_2']] },
  { sql: "SHOW plain.TABLES LIKE 'P%'", rows: [] },
  { sql: "SHOW CHILD plain.TABLES LIKE 'log%'", meta: tableName, rows: [] },
  { sql: "SHOW plain.TABLES LIKE 'it''s'", rows: [] },
  { sql: 'SHOW wide.TABLES', rows: [] },
  { sql: 'SHOW nothing.TABLES', error: 0x0388, says: 'Database not exist: nothing' },
  { sql: 'SHOW TABLES', error: 0x2616, says: 'Database not specified' },
]);

statements('SHOW without a database asks the one of the URL', service, 'plain', [
  { sql: 'SHOW TABLES', rows: [['Mixed'], ['log'], ['log_2'], ['p1'], ['p2'], ['q1']] },
  { sql: 'SHOW STABLES', meta: [['stable_name', 'VARCHAR', 192]], rows: [['pump'], ['valve']] },
  { sql: 'SHOW CHILD TABLES', rows: [['p1'], ['p2'], ['q1']] },
  { sql: 'SHOW wide.STABLES', rows: [['one']] },
]);

statements('SHOW STABLES lists super tables alone', service, undefined, [
  { sql: 'SHOW plain.STABLES', rows: [['pump'], ['valve']] },
  { sql: "SHOW plain.STABLES LIKE '%v%'", rows: [['valve']] },
  { sql: 'SHOW nothing.STABLES', error: 0x0388 },
  { sql: 'SHOW STABLES', error: 0x2616 },
]);

statements('SHOW VGROUPS numbers the vgroups of the server from 2 on', service, undefined, [
  {
    sql: 'SHOW wide.VGROUPS',
    meta: [
      ['vgroup_id', 'INT', 4],
      ['db_name', 'VARCHAR', 64],
      ['tables', 'INT', 4],
      ['v1_dnode', 'SMALLINT', 2],
      ['v1_status', 'VARCHAR', 9],
      ['v2_dnode', 'SMALLINT', 2],
      ['v2_status', 'VARCHAR', 9],
      ['v3_dnode', 'SMALLINT', 2],
      ['v3_status', 'VARCHAR', 9],
      ['v4_dnode', 'SMALLINT', 2],
      ['v4_status', 'VARCHAR', 9],
      ['cacheload', 'INT', 4],
      ['cacheelements', 'INT', 4],
      ['tsma', 'TINYINT', 1],
    ],
    rows: [4, 5, 6].map((id) => [id, 'wide', 0, 1, 'leader', null, null, null, null, null, null, 0, 0, 0]),
  },
  {
    sql: 'SELECT vgroup_id, db_name, v1_status FROM information_schema.ins_vgroups ORDER BY vgroup_id',
    rows: [
      [2, 'plain', 'leader'],
      [3, 'plain', 'leader'],
      [4, 'wide', 'leader'],
      [5, 'wide', 'leader'],
      [6, 'wide', 'leader'],
      [9, 'bulk', 'leader'],
      [10, 'bulk', 'leader'],
      [11, 'again', 'leader'],
      [12, 'again', 'leader'],
    ],
  },
  { sql: "SELECT sum(tables) FROM information_schema.ins_vgroups WHERE db_name = 'plain'", rows: [[6]] },
  { sql: 'SHOW nothing.VGROUPS', error: 0x0388 },
]);

test('GET and POST of vgroups agree with the lists', async (t) => {
  t.is((await service.rows('SHOW VGROUPS')).length, 9);
  const listed = await service.rows(
    "SELECT table_name, vgroup_id FROM information_schema.ins_tables WHERE db_name = 'plain' ORDER BY table_name",
  );
  t.is(listed.length, 6);
  for (const [name, vgroup] of listed) {
    const asked = await service.request({ method: 'GET', path: `/rest/vgid?db=plain&table=${name}` });
    t.deepEqual([asked.status, asked.text], [200, `{"code":0,"vgID":${vgroup}}`], String(name));
  }
  const body = JSON.stringify(listed.map(([name]) => name));
  const all = await service.request({ path: '/rest/sql/plain/vgid', body });
  t.is(all.text, JSON.stringify({ code: 0, vgIDs: listed.map(([, vgroup]) => vgroup) }));
  const missing = await service.request({ method: 'GET', path: '/rest/vgid?db=nothing&table=t' });
  t.deepEqual([missing.status, JSON.parse(missing.text).code], [200, 0x0388]);
});

const describeMeta = [
  ['field', 'VARCHAR', 192],
  ['type', 'VARCHAR', 20],
  ['length', 'INT', 4],
  ['note', 'VARCHAR', 13],
  ['encode', 'VARCHAR', 12],
  ['compress', 'VARCHAR', 12],
  ['level', 'VARCHAR', 12],
] as const;

const tag = ['TAG', 'disabled', 'disabled', 'disabled'];

const pump = [
  ['ts', 'TIMESTAMP', 8, '', 'delta-i', 'lz4', 'medium'],
  ['temp', 'DOUBLE', 8, '', 'delta-d', 'lz4', 'medium'],
  ['state', 'INT', 4, '', 'simple8b', 'lz4', 'medium'],
  ['site', 'NCHAR', 10, ...tag],
  ['n', 'INT', 4, ...tag],
];

statements('DESCRIBE shows columns, tags and their encoding', service, 'plain', [
  { sql: 'DESCRIBE pump', meta: describeMeta, rows: pump },
  { sql: 'desc p1;', meta: describeMeta, rows: pump },
  {
    sql: 'DESCRIBE plain.log',
    rows: [
      ['ts', 'TIMESTAMP', 8, '', 'delta-i', 'lz4', 'medium'],
      ['line', 'VARCHAR', 50, '', 'disabled', 'zstd', 'medium'],
    ],
  },
  {
    sql: 'DESCRIBE valve',
    rows: [
      ['ts', 'TIMESTAMP', 8, '', 'delta-i', 'lz4', 'medium'],
      ['open', 'BOOL', 1, '', 'bit-packing', 'zstd', 'medium'],
      ['id', 'BIGINT', 8, ...tag],
    ],
  },
  {
    sql: 'DESCRIBE information_schema.ins_configs',
    rows: [
      ['name', 'VARCHAR', 32, '', 'disabled', 'zstd', 'medium'],
      ['value', 'VARCHAR', 64, '', 'disabled', 'zstd', 'medium'],
    ],
  },
  { sql: 'DESCRIBE nothing', error: 0x2662, says: 'Fail to get table info, error: Table does not exist' },
  { sql: 'DESCRIBE nothing.nothing', error: 0x0388 },
]);

const tagMeta = [
  ['table_name', 'VARCHAR', 192],
  ['db_name', 'VARCHAR', 64],
  ['stable_name', 'VARCHAR', 192],
  ['tag_name', 'VARCHAR', 192],
  ['tag_type', 'VARCHAR', 32],
  ['tag_value', 'VARCHAR', 16384],
] as const;

const p1Tags = [
  ['p1', 'plain', 'pump', 'site', 'NCHAR(10)', 'east'],
  ['p1', 'plain', 'pump', 'n', 'INT', '1'],
];

statements('SHOW TAGS and SHOW TABLE TAGS give the tags of sub-tables, as lists and as columns', service, 'plain', [
  { sql: 'SHOW TAGS FROM p1', meta: tagMeta, rows: p1Tags },
  { sql: 'SHOW TAGS FROM p1 FROM plain', rows: p1Tags },
  { sql: 'SHOW TAGS FROM plain.p1', rows: p1Tags },
  {
    sql: 'SHOW TAGS FROM q1',
    rows: [
      ['q1', 'plain', 'pump', 'site', 'NCHAR(10)', null],
      ['q1', 'plain', 'pump', 'n', 'INT', '3'],
    ],
  },
  { sql: 'SHOW TAGS FROM log', error: 0x2665 },
  { sql: 'SHOW TAGS FROM nothing', error: 0x2662 },
  { sql: 'SHOW TAGS FROM p1 FROM nothing', error: 0x0388 },
  {
    sql: 'SHOW TABLE TAGS FROM pump',
    meta: [
      ['tbname', 'VARCHAR', 192],
      ['site', 'NCHAR', 10],
      ['n', 'INT', 4],
    ],
    rows: [
      ['p1', 'east', 1],
      ['p2', 'west', 2],
      ['q1', null, 3],
    ],
  },
  {
    sql: 'SHOW TABLE TAGS n, site AS place FROM pump',
    meta: [
      ['tbname', 'VARCHAR', 192],
      ['n', 'INT', 4],
      ['place', 'NCHAR', 10],
    ],
    rows: [
      ['p1', 1, 'east'],
      ['p2', 2, 'west'],
      ['q1', 3, null],
    ],
  },
  { sql: 'SHOW TABLE TAGS tbname, n FROM q1', rows: [['q1', 3]] },
  { sql: 'SHOW TABLE TAGS nothing FROM pump', error: 0x2602 },
  { sql: 'SHOW TABLE TAGS FROM valve', rows: [] },
  { sql: 'SHOW TABLE TAGS FROM log', error: 0x2665 },
]);

statements('SHOW INDEXES lists the index of the first tag', service, 'plain', [
  { sql: 'SHOW INDEXES FROM nothing', error: 0x2662 },
  { sql: 'SHOW INDEXES FROM log', rows: [] },
  {
    sql: `SELECT index_name, db_name, table_name, column_name, index_type FROM information_schema.ins_indexes
      WHERE db_name = 'plain' ORDER BY table_name`,
    rows: [
      ['site_pump', 'plain', 'pump', 'site', 'tag_index'],
      ['id_valve', 'plain', 'valve', 'id', 'tag_index'],
    ],
  },
]);

/** Every list that stands for a system table. */
const listsOf: Readonly<Record<string, string>> = {
  USERS: 'information_schema.ins_users',
  DNODES: 'information_schema.ins_dnodes',
  MNODES: 'information_schema.ins_mnodes',
  'ANODES FULL': 'information_schema.ins_anodes_full',
  XNODES: 'information_schema.ins_xnodes',
  SCANS: 'information_schema.ins_scans',
  RETENTIONS: 'information_schema.ins_retentions',
  RSMAS: 'information_schema.ins_rsmas',
  SSMIGRATES: 'information_schema.ins_ssmigrates',
  QNODES: 'information_schema.ins_qnodes',
  SNODES: 'information_schema.ins_snodes',
  BNODES: 'information_schema.ins_bnodes',
  FUNCTIONS: 'information_schema.ins_functions',
  STREAMS: 'information_schema.ins_streams',
  TOPICS: 'information_schema.ins_topics',
  SUBSCRIPTIONS: 'information_schema.ins_subscriptions',
  GRANTS: 'information_schema.ins_user_privileges',
  LICENCES: 'information_schema.ins_grants',
  TOKENS: 'information_schema.ins_tokens',
  VIEWS: 'information_schema.ins_views',
  TSMAS: 'information_schema.ins_tsmas',
  COMPACTS: 'information_schema.ins_compacts',
  'USER PRIVILEGES': 'information_schema.ins_user_privileges',
  ENCRYPTIONS: 'information_schema.ins_encryptions',
  ARBGROUPS: 'information_schema.ins_arbgroups',
  CONSUMERS: 'performance_schema.perf_consumers',
  TRANSACTIONS: 'performance_schema.perf_trans',
};

test('a SHOW list and the SELECT over its system table give the same', async (t) => {
  for (const [list, table] of Object.entries(listsOf)) {
    const shown = await service.sql(`SHOW ${list}`);
    const selected = await service.sql(`SELECT * FROM ${table}`);
    t.is(shown.body.code, 0, list);
    t.is(shown.text, selected.text, list);
  }
});

test('every other list answers, if only with no rows', async (t) => {
  const lists =
    'CLUSTER,CLUSTER MACHINES,VARIABLES,LOCAL VARIABLES,USERS FULL,GRANTS FULL,GRANTS LOGS,ANODES,VNODES,ROLES,MOUNTS,' +
    'QUERIES,CONNECTIONS,APPS,SCORES,VTABLES,plain.DISK_INFO,plain.VIEWS,plain.TSMAS,plain.STREAMS,VNODES ON DNODE 1';
  for (const list of lists.split(',')) {
    const { body, text } = await service.sql(`SHOW ${list}`);
    t.is(body.code, 0, text);
    t.true(body.column_meta.length > 0, list);
  }
});

test('a SHOW list takes its database before its word or behind FROM', async (t) => {
  for (const list of ['TABLES', 'STABLES', 'VGROUPS', 'VIEWS', 'STREAMS', 'TSMAS', 'DISK_INFO', 'VTABLES', 'ALIVE']) {
    const before = await service.sql(`SHOW plain.${list}`);
    const behind = await service.sql(`SHOW ${list} FROM plain`);
    t.is(before.body.code, 0, before.text);
    t.is(behind.text, before.text, list);
    t.is((await service.sql(`SHOW ${list} FROM nothing`)).body.code, 0x0388, list);
  }
  t.true((await service.sql('SHOW STABLES FROM plain')).body.rows > 0);
  t.deepEqual(
    (await service.sql("SHOW NORMAL TABLES FROM plain LIKE 'x%'")).text,
    (await service.sql("SHOW NORMAL plain.TABLES LIKE 'x%'")).text,
  );
});

statements('SHOW tells whether the server and its parts are alive', service, undefined, [
  { sql: 'SHOW plain.ALIVE', meta: [['status', 'INT', 4]], rows: [[1]] },
  { sql: 'SHOW CLUSTER ALIVE', meta: [['status', 'INT', 4]], rows: [[1]] },
  { sql: 'SHOW nothing.ALIVE', error: 0x0388 },
  { sql: 'SHOW SCORES', rows: [] },
  { sql: 'SHOW TRANSACTION 1', rows: [] },
  { sql: 'SHOW COMPACT 1', rows: [] },
  { sql: 'SHOW COMPACT', error: 0x2601 },
  { sql: 'SELECT id, status FROM information_schema.ins_dnodes WHERE id = 1', rows: [[1, 'ready']] },
  { sql: 'SELECT id, role, status FROM information_schema.ins_mnodes', rows: [[1, 'leader', 'ready']] },
  { sql: 'SELECT version FROM information_schema.ins_cluster', rows: [['community']] },
  {
    sql: "SHOW VARIABLES LIKE 'timez%'",
    meta: [
      ['name', 'VARCHAR', 32],
      ['value', 'VARCHAR', 64],
      ['scope', 'VARCHAR', 8],
      ['info', 'VARCHAR', 64],
    ],
    rows: [['timezone', 'UTC', 'server', '']],
  },
  { sql: "SHOW CLUSTER VARIABLES LIKE 'charset'", rows: [['charset', 'UTF-8', 'server', '']] },
  { sql: "SHOW LOCAL VARIABLES LIKE 'no such%'", rows: [] },
  { sql: "SHOW DNODE 1 VARIABLES LIKE 'charset'", rows: [[1, 'charset', 'UTF-8', 'server', '']] },
  { sql: 'SHOW DNODE 2 VARIABLES', rows: [] },
  { sql: "SHOW USERS LIKE 'r%'", error: 0x2600, says: `syntax error near "LIKE 'r%'"` },
  { sql: 'SHOW TABLE DISTRIBUTED plain.nothing', error: 0x2662 },
  { sql: 'SHOW NOTHING', error: 0x2600, says: 'syntax error near "NOTHING"' },
  { sql: 'SHOW', error: 0x2601 },
]);

test('SHOW TABLE DISTRIBUTED gives lines of text', async (t) => {
  const { body } = await service.sql('SHOW TABLE DISTRIBUTED plain.pump');
  t.deepEqual(
    body.column_meta.map(([name, type]) => [name, type]),
    [['_block_dist', 'VARCHAR']],
  );
  t.true(body.rows > 0);
});

test('a running query is listed and can be killed', async (t) => {
  const itself = "SELECT user, sql FROM performance_schema.perf_queries WHERE sql LIKE 'SELECT user%'";
  t.deepEqual(await service.rows(itself), [['root', itself]]);
  t.is((await service.rows('SHOW CONNECTIONS'))[0]?.[1], 'root');
  t.is((await service.rows('SHOW APPS')).length, 1);

  // A result that no buffer holds stays running while nobody reads it.
  const line = 'x'.repeat(1_000);
  for (let block = 0; block < 30; block++) {
    const rows = Array.from({ length: 1_000 }, (_, i) => `(${1_700_000_000_000 + block * 1_000 + i}, '${line}')`);
    await service.run(`INSERT INTO bulk.long_lines VALUES ${rows.join(' ')}`);
  }
  const response = await service.open({ path: '/rest/sql', body: 'SELECT * FROM bulk.long_lines' });
  const find = "SELECT kill_id, user FROM performance_schema.perf_queries WHERE sql LIKE 'SELECT * FROM bulk%'";
  const [[id, user] = []] = await service.rows(find);
  t.is(user, 'root');
  t.is(await service.run(`KILL QUERY '${id}'`), 0);
  const whole = await readToEnd(response).then(
    () => true,
    () => false,
  );
  t.false(whole);
  t.deepEqual(await service.rows(find), []);

  t.is(await service.code("KILL QUERY 'abc'"), 0x0118);
  t.is(await service.run("KILL QUERY '1:999999'"), 0);
  t.is(await service.code('KILL QUERY 7'), 0x2600);
});

import test from 'ava';
import { basicOf, type TestService } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

const noRight = 0x0303;
const noAccess = 0x2644;

test.before('two databases of the administrator', async () => {
  await service.run('CREATE DATABASE shop');
  await service.run('CREATE DATABASE vault');
  for (const database of ['shop', 'vault']) {
    await service.run(`CREATE STABLE ${database}.m (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8))`);
    await service.run(`INSERT INTO ${database}.m1 USING ${database}.m TAGS ('a') VALUES (1700000000000, 1)`);
    await service.run(`CREATE TABLE ${database}.n (ts TIMESTAMP, v INT)`);
  }
});

/** A new user, with what runs statements as this one. */
async function login(name: string, options = '', on: TestService = service) {
  await service.run(`CREATE USER ${name} PASS 'Secret_12' ${options}`);
  const auth = basicOf(name, 'Secret_12');
  return {
    auth,
    code: (sql: string, database?: string) => on.code(sql, { auth, ...(database === undefined ? {} : { database }) }),
    rows: (sql: string) => on.rows(sql, { auth }),
  };
}

const reads = [
  'SELECT * FROM shop.m',
  'SELECT v FROM shop.m1',
  'SELECT COUNT(*) FROM shop.n',
  'SELECT * FROM (SELECT v FROM shop.m)',
];
const writes = [
  'INSERT INTO shop.m1 VALUES (1700000000001, 2)',
  "INSERT INTO shop.m9 USING shop.m TAGS ('b') VALUES (NOW, 2)",
];
const definitions = [
  'CREATE TABLE shop.n2 (ts TIMESTAMP, v INT)',
  'CREATE STABLE shop.s2 (ts TIMESTAMP, v INT) TAGS (t INT)',
  "CREATE TABLE shop.m2 USING shop.m TAGS ('c')",
  'ALTER STABLE shop.s2 ADD COLUMN w INT',
  'DROP TABLE shop.n2',
  'DROP STABLE shop.s2',
];

test.serial('a new user sees and does nothing with what belongs to others, and learns nothing about it', async (t) => {
  const ann = await login('ann');
  t.deepEqual(await ann.rows('SHOW USER DATABASES'), []);
  for (const sql of [...reads, ...writes]) t.is(await ann.code(sql), noAccess, sql);
  for (const sql of [
    ...definitions,
    'DESCRIBE shop.m',
    'SHOW shop.TABLES',
    'SHOW shop.STABLES',
    'USE shop',
    'DROP DATABASE shop',
  ]) {
    t.is(await ann.code(sql), noAccess, sql);
    const elsewhere = sql.replace('shop', 'nowhere');
    t.is(await ann.code(elsewhere), noAccess, elsewhere);
  }
  const said = async (sql: string) => (await service.sql(sql, { auth: ann.auth })).body.desc;
  t.is(await said(writes[0]!), 'Permission denied or target object not exist: `shop`');
  t.is(await ann.code('SELECT * FROM m', 'shop'), noAccess);
  t.is(await ann.code('INSERT INTO m1 VALUES (NOW, 1)', 'shop'), noAccess);
  t.is(await ann.code('SHOW TABLES', 'shop'), noAccess);
  t.is(await ann.code('SELECT 1', 'shop'), 0);
  t.is(await ann.code('CREATE DATABASE mine'), noRight);
  t.is(await ann.code('BALANCE VGROUP'), noRight);
});

test.serial('READ lets a user read one database and nothing else, until it is revoked', async (t) => {
  const bea = await login('bea');
  await service.run('GRANT READ ON shop.* TO bea');
  t.deepEqual(await bea.rows('SHOW USER DATABASES'), [['shop']]);
  for (const sql of [...reads, 'DESCRIBE shop.m', 'SHOW shop.TABLES']) t.is(await bea.code(sql), 0, sql);
  for (const sql of writes) t.is(await bea.code(sql), noAccess, sql);
  for (const sql of [...definitions, 'DROP DATABASE shop', 'ALTER DATABASE shop KEEP 10', 'FLUSH DATABASE shop']) {
    t.is(await bea.code(sql), noRight, sql);
  }
  const { body } = await service.sql(writes[0]!, { auth: bea.auth });
  t.is(body.desc, 'Permission denied or target object not exist; GRANT WRITE ON `shop`.* TO bea allows it');
  t.is(await bea.code('SELECT * FROM vault.m'), noAccess);
  t.is(await bea.code('SELECT * FROM shop.m UNION ALL SELECT * FROM vault.m'), noAccess);
  t.is(await bea.code('SELECT * FROM (SELECT * FROM vault.m)', 'shop'), noAccess);
  await service.run('REVOKE READ ON shop.* FROM bea');
  for (const sql of reads) t.is(await bea.code(sql), noAccess, sql);
});

test.serial('a right that is taken away while its user writes and reads is gone once that is answered', async (t) => {
  const pam = await login('pam');
  await service.run('GRANT ALL ON shop.* TO pam');
  let [isRevoked, isOver] = [false, false];
  const asked: { readonly isLate: boolean; readonly code: number }[] = [];
  const go = async (sql: string): Promise<void> => {
    while (!isOver) {
      const isLate = isRevoked;
      asked.push({ isLate, code: await pam.code(sql) });
    }
  };
  const going = Promise.all([writes[0]!, writes[0]!, 'SELECT COUNT(*) FROM shop.m', 'SELECT * FROM shop.m1'].map(go));
  t.true(await until(() => asked.filter(({ code }) => code === 0).length > 10));
  await service.run('REVOKE ALL ON shop.* FROM pam');
  isRevoked = true;
  t.true(await until(() => asked.filter(({ isLate }) => isLate).length > 10));
  isOver = true;
  await going;
  t.deepEqual([...new Set(asked.filter(({ isLate }) => isLate).map(({ code }) => code))], [noAccess]);
});

test.serial('WRITE lets a user write and define in one database, but not read it', async (t) => {
  const cid = await login('cid');
  await service.run('GRANT WRITE ON shop.* TO cid');
  for (const sql of [...writes, ...definitions]) t.is(await cid.code(sql), 0, sql);
  for (const sql of reads) t.is(await cid.code(sql), noAccess, sql);
  t.is(await cid.code('INSERT INTO shop.m1 VALUES (NOW, 1) vault.m1 VALUES (NOW, 1)'), noAccess);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM vault.m'), [[1]]);
});

test.serial('a right on one table is a right on its sub-tables and on no other table', async (t) => {
  const dan = await login('dan');
  await service.run('GRANT READ, WRITE ON shop.m TO dan');
  for (const sql of ['SELECT * FROM shop.m', 'SELECT * FROM shop.m1', ...writes]) t.is(await dan.code(sql), 0, sql);
  t.is(await dan.code('SELECT * FROM shop.n'), noAccess);
  t.is(await dan.code('INSERT INTO shop.n VALUES (NOW, 1)'), noAccess);
  t.is(await dan.code('DROP STABLE shop.m'), noRight);
  t.is((await service.write('m,site=a v=1', { db: 'shop' }, { auth: dan.auth })).status, 403);
});

test.serial('ALL on every database is everything but users and other makers’ databases', async (t) => {
  const eve = await login('eve');
  await service.run('GRANT ALL ON *.* TO eve');
  t.deepEqual(await eve.rows('SHOW USER DATABASES'), await service.rows('SHOW USER DATABASES'));
  for (const sql of [...reads, ...writes, 'SELECT * FROM vault.m']) t.is(await eve.code(sql), 0, sql);
  t.is(await eve.code('SELECT * FROM nowhere.m'), 0x0388);
  t.is(await eve.code('DROP DATABASE vault'), noRight);
  t.is(await eve.code('CREATE DATABASE more'), noRight);
  t.is(await eve.code("CREATE USER more PASS 'Secret_12'"), noRight);
});

test.serial(
  'whoever may make databases owns what is made, by statement or by a write, and nobody else does',
  async (t) => {
    const fay = await login('fay', 'CREATEDB 1');
    const gus = await login('gus', 'CREATEDB 1');
    t.is(await fay.code('SELECT * FROM fays.m'), 0x0388);
    t.is(await fay.code('CREATE DATABASE fays'), 0);
    t.is(await fay.code('CREATE TABLE fays.n (ts TIMESTAMP, v INT)'), 0);
    t.is(await fay.code('INSERT INTO fays.n VALUES (NOW, 1)'), 0);
    t.is(await gus.code('SELECT * FROM fays.n'), noAccess);
    t.is(await gus.code('DROP DATABASE fays'), noAccess);
    t.is(await fay.code('SELECT * FROM shop.m'), noAccess);
    t.is((await service.write('w v=1', { db: 'made' }, { auth: fay.auth })).status, 204);
    t.deepEqual(await fay.rows('SELECT v FROM made.w'), [[1]]);
    t.is((await service.write('w v=1', { db: 'made' }, { auth: gus.auth })).status, 403);
    await service.run('DROP USER fay');
    const again = await login('fay');
    t.is(await again.code('SELECT * FROM fays.n'), noAccess);
  },
);

test.serial('rights end with their database: one made anew under the name is another one', async (t) => {
  const hal = await login('hal');
  await service.run('CREATE DATABASE brief');
  await service.run('GRANT ALL ON brief.* TO hal');
  t.is(await hal.code('CREATE TABLE brief.n (ts TIMESTAMP, v INT)'), 0);
  await service.run('DROP DATABASE brief');
  await service.run('CREATE DATABASE brief');
  t.is(await hal.code('SHOW brief.TABLES'), noAccess);
});

test.serial('line protocol takes WRITE on the database, and the right to make one that is missing', async (t) => {
  const ida = await login('ida');
  const write = async (db: string) => (await service.write('w v=1', { db }, { auth: ida.auth })).status;
  t.is(await write('shop'), 403);
  t.is(await write('unmade'), 403);
  await service.run('GRANT READ ON shop.* TO ida');
  t.is(await write('shop'), 403);
  await service.run('GRANT WRITE ON shop.* TO ida');
  t.is(await write('shop'), 204);
  t.false((await service.rows('SHOW DATABASES')).some(([name]) => name === 'unmade'));
  t.is((await service.write('w v=1', { db: 'information_schema' })).status, 404);
  const wrong = { auth: basicOf('ida', 'Secret_13') };
  t.is((await service.write('w v=1', { db: 'shop' }, wrong)).status, 401);
});

test.serial('rights, users and passwords of one process count in the others within a second', async (t) => {
  const other = await neighbour();
  const jon = await login('jon', '', other);
  const reading = (): Promise<number> => jon.code('SELECT * FROM shop.m');
  const becomes = async (expected: number): Promise<boolean> => {
    const until = Date.now() + 1000;
    while ((await reading()) !== expected) if (Date.now() > until) return false;
    return true;
  };
  t.is(await reading(), noAccess);
  await service.run('GRANT READ ON shop.* TO jon');
  t.true(await becomes(0));
  await service.run('REVOKE ALL ON shop.* FROM jon');
  t.true(await becomes(noAccess));
  await service.run('ALTER USER jon ENABLE 0');
  t.true(await becomes(0x0315));
  await service.run('DROP USER jon');
  t.true(await becomes(0x0357));
});

test.serial('a user without SYSINFO sees no nodes, settings or what others run', async (t) => {
  const kim = await login('kim', 'SYSINFO 0');
  for (const list of ['DNODES', 'VARIABLES', 'CLUSTER', 'CONNECTIONS', 'QUERIES']) {
    t.is(await kim.code(`SHOW ${list}`), noRight, list);
  }
});

test.serial('system tables show everybody what they may know of, and others’ statements to root alone', async (t) => {
  const lea = await login('lea');
  const count = (table: string, where = '') => lea.rows(`SELECT COUNT(*) FROM information_schema.${table} ${where}`);
  const hidden = "WHERE db_name = 'shop'";
  t.deepEqual(await count('ins_databases', 'WHERE vgroups IS NOT NULL'), [[0]]);
  for (const table of ['ins_tables', 'ins_stables', 'ins_tags', 'ins_columns', 'ins_vgroups', 'ins_indexes']) {
    t.deepEqual(await count(table, hidden), [[0]], table);
  }
  await service.run('GRANT READ ON shop.* TO lea');
  t.deepEqual(await lea.rows('SELECT name FROM information_schema.ins_databases WHERE vgroups IS NOT NULL'), [
    ['shop'],
  ]);
  t.deepEqual(await count('ins_stables'), await count('ins_stables', hidden));
  t.not((await count('ins_tags', hidden))[0]?.[0], 0);
  const users = await lea.rows('SELECT DISTINCT user FROM performance_schema.perf_queries');
  t.deepEqual(users, [['lea']]);
  const mia = await login('mia', 'SYSINFO 0');
  t.is(await mia.code('SELECT * FROM information_schema.ins_dnodes'), noAccess);
  t.is(await mia.code('SELECT name FROM information_schema.ins_users'), 0);
  const vgroup = async (db: string) =>
    (await service.request({ method: 'GET', path: `/rest/vgid?db=${db}&table=m`, auth: mia.auth })).text;
  t.true((await vgroup('shop')).includes(String(noAccess)));
  t.is(await vgroup('nowhere'), (await vgroup('shop')).replace('shop', 'nowhere'));
});

test.serial('DELETE takes WRITE; INSERT … SELECT takes WRITE on the target and READ on the source', async (t) => {
  const ned = await login('ned');
  const copy = 'INSERT INTO shop.n SELECT ts, v FROM vault.n';
  t.is(await ned.code('DELETE FROM shop.n WHERE ts < 0'), noAccess);
  t.is(await ned.code(copy), noAccess);
  await service.run('GRANT READ ON shop.* TO ned');
  await service.run('GRANT READ ON vault.* TO ned');
  t.is(await ned.code('DELETE FROM shop.n WHERE ts < 0'), noAccess);
  t.is(await ned.code(copy), noAccess);
  await service.run('REVOKE READ ON shop.* FROM ned');
  await service.run('GRANT WRITE ON shop.* TO ned');
  t.is(await ned.code('DELETE FROM shop.n WHERE ts < 0'), 0);
  t.is(await ned.code(copy), 0);
  t.is(await ned.code('INSERT INTO shop.n SELECT ts, v FROM shop.n'), noAccess);
  await service.run('REVOKE READ ON vault.* FROM ned');
  t.is(await ned.code(copy), noAccess);
});

test.serial('a view lends no rights: its reader must be allowed to read the view and what it stands on', async (t) => {
  await service.run('CREATE VIEW shop.peek AS SELECT v FROM vault.m');
  const ora = await login('ora');
  t.is(await ora.code('SELECT * FROM shop.peek'), noAccess);
  await service.run('GRANT READ ON shop.* TO ora');
  t.is(await ora.code('SELECT * FROM shop.peek'), noAccess);
  await service.run('GRANT READ ON vault.* TO ora');
  t.deepEqual(await ora.rows('SELECT * FROM shop.peek'), [[1]]);
  await service.run('REVOKE READ ON shop.* FROM ora');
  t.is(await ora.code('SELECT * FROM shop.peek'), noAccess);
  t.is(await ora.code('CREATE VIEW vault.mine AS SELECT v FROM vault.m'), noRight);
  t.is(await ora.code('DROP VIEW shop.peek'), noAccess);
  t.is(await ora.code('SELECT a.v FROM vault.m a JOIN shop.m b ON a.ts = b.ts'), noAccess);
});

test.serial('lists of tags show those of tables that the user may read, and no others', async (t) => {
  await service.run('CREATE STABLE shop.k (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8))');
  await service.run("CREATE TABLE shop.k1 USING shop.k TAGS ('a') shop.k2 USING shop.k TAGS ('b')");
  await service.run('CREATE TABLE shop.lone (ts TIMESTAMP, v INT)');
  const query =
    "SELECT table_name, tag_value FROM information_schema.ins_tags WHERE stable_name = 'k' ORDER BY table_name";
  const [k1, k2] = [
    ['k1', 'a'],
    ['k2', 'b'],
  ];
  const cases: readonly (readonly [string, string, readonly string[][]])[] = [
    ['uma', 'WRITE ON shop.k', []],
    ['ugo', 'WRITE ON shop.*', []],
    ['una', 'READ ON shop.lone', []],
    ['uri', 'READ ON shop.k1', [k1]],
    ['uta', 'READ ON shop.k', [k1, k2]],
    ['ulf', 'READ ON shop.*', [k1, k2]],
  ];
  for (const [user, grant, listed] of cases) {
    const reader = await login(user);
    await service.run(`GRANT ${grant} TO ${user}`);
    t.deepEqual(await reader.rows(query), [...listed], grant);
    t.is((await reader.rows('SHOW TAGS FROM shop.k')).length, listed.length, grant);
    t.is(await reader.code('SHOW CREATE TABLE shop.k2'), listed.includes(k2) ? 0 : noAccess, grant);
  }
  const uri = await login('uri2');
  await service.run('GRANT READ ON shop.k1 TO uri2');
  await service.run("GRANT READ ON shop.k WITH site = 'b' TO uri2");
  t.deepEqual(await uri.rows(query), [k1, k2]);
  await service.run('DROP STABLE shop.k');
});

test.serial(
  'READ under a condition on tags shows the sub-tables that meet it to queries, and nothing else',
  async (t) => {
    const sub = await login('sub');
    await service.run('CREATE STABLE shop.c (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8), floor INT)');
    await service.run(`INSERT INTO shop.c1 USING shop.c TAGS ('a', 1) VALUES (1700000000000, 1) shop.c2 USING shop.c TAGS ('b', 2)
    VALUES (1700000000000, 2) (1700000001000, 3) shop.c3 USING shop.c TAGS ('b', 9) VALUES (1700000000000, 4)`);
    t.is(await service.code("GRANT WRITE ON shop.c WITH site = 'a' TO sub"), 0x0100);
    t.is(await service.code('GRANT READ ON shop.c WITH v = 1 TO sub'), 0x260e);
    t.is(await service.code("GRANT READ ON shop.c WITH m.site = 'a' TO sub"), 0x260e);
    t.is(await service.code("GRANT READ ON shop.n WITH site = 'a' TO sub"), 0x0361);
    t.is(await service.code("GRANT READ ON shop.* WITH site = 'a' TO sub"), 0x2600);
    t.is(await service.code('GRANT READ ON shop.c WITH floor = (SELECT 1) TO sub'), 0x0100);
    t.is(await sub.code('SELECT * FROM shop.c'), noAccess);
    await service.run("GRANT READ ON shop.c WITH site = 'a' TO sub");
    await service.run('GRANT READ ON shop.c WITH c.floor > 5 TO sub');
    const sees = async (expected: Record<string, unknown>): Promise<void> => {
      for (const [sql, rows] of Object.entries(expected)) t.deepEqual(await sub.rows(sql), rows, sql);
    };
    await sees({
      'SELECT v FROM shop.c ORDER BY v': [[1], [4]],
      'SELECT count(*) FROM shop.c WHERE v = 2 OR v = 4': [[1]],
      'SELECT tbname, max(v) FROM shop.c GROUP BY tbname ORDER BY tbname': [
        ['c1', 1],
        ['c3', 4],
      ],
      'SELECT TAGS floor FROM shop.c x ORDER BY x.floor': [[1], [9]],
      'SELECT v FROM shop.c2': [],
      'SELECT v FROM shop.c3': [[4]],
      'SELECT a.v, b.v FROM shop.c a JOIN shop.c b ON a.ts = b.ts AND a.site = b.site ORDER BY a.v': [
        [1, 1],
        [4, 4],
      ],
      'SELECT (SELECT sum(v) FROM shop.c)': [[5]],
      'SELECT v FROM shop.c1 WHERE v IN (SELECT v - 1 FROM shop.c2)': [],
      'SELECT v FROM shop.c1 UNION ALL SELECT v FROM shop.c2': [[1]],
      'SELECT `condition` FROM information_schema.ins_user_privileges': [["site = 'a'"], ['c.floor > 5']],
    });
    await sees({
      "SELECT table_name, tag_name, tag_value FROM information_schema.ins_tags WHERE stable_name = 'c' ORDER BY table_name, tag_name":
        [
          ['c1', 'floor', '1'],
          ['c1', 'site', 'a'],
          ['c3', 'floor', '9'],
          ['c3', 'site', 'b'],
        ],
      'SHOW TAGS FROM shop.c2': [],
    });
    t.is((await sub.rows('SHOW TAGS FROM shop.c3')).length, 2);
    t.is((await sub.rows('SHOW CREATE TABLE shop.c3')).length, 1);
    t.is((await service.rows("SELECT * FROM information_schema.ins_tags WHERE stable_name = 'c'")).length, 6);
    for (const sql of [
      'SHOW CREATE TABLE shop.c2',
      'INSERT INTO shop.c1 VALUES (NOW, 1)',
      'SELECT * FROM shop.m',
      'CREATE TOPIC theirs AS SELECT v FROM shop.c',
    ]) {
      t.not(await sub.code(sql), 0, sql);
    }
    await service.run("REVOKE READ ON shop.c WITH site = 'a' FROM sub");
    await sees({ 'SELECT v FROM shop.c': [[4]] });
    await service.run('GRANT READ ON shop.c TO sub');
    await sees({ 'SELECT count(*) FROM shop.c': [[4]] });
    await service.run('REVOKE READ ON shop.c FROM sub');
    t.is(await sub.code('SELECT * FROM shop.c'), noAccess);
    await service.run('GRANT READ ON shop.c WITH floor > 5 TO sub');
    await service.run('DROP STABLE shop.c');
    t.deepEqual(await sub.rows('SHOW USER PRIVILEGES'), []);
  },
);

test.serial(
  'the size of a table is shown to those who may read all of it, and is that of the table alone',
  async (t) => {
    await service.run('CREATE DATABASE sized');
    await service.run('CREATE TABLE sized.a (ts TIMESTAMP, v INT)');
    await service.run('CREATE TABLE sized.b (ts TIMESTAMP, v INT)');
    await service.run('INSERT INTO sized.a VALUES (NOW, 1) (NOW + 1a, 2) sized.b VALUES (NOW, 1)');
    const sam = await login('sam');
    await service.run('GRANT WRITE ON sized.a TO sam');
    t.is(await sam.code('SHOW CREATE TABLE sized.a'), 0);
    t.is(await sam.code('SHOW TABLE DISTRIBUTED sized.a'), 0x2644);
    await service.run('GRANT READ ON sized.a TO sam');
    t.is(await sam.code('SHOW TABLE DISTRIBUTED sized.b'), 0x2644);
    const [, [text = ''] = []] = await sam.rows('SHOW TABLE DISTRIBUTED sized.a');
    t.regex(String(text), /^Total_Rows=\[2\] /);
    await service.run('DROP USER sam');
  },
);

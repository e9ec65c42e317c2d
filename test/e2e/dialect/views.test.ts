import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

/** `t` and `grows` at 0, 1, 2 s with v 1, 2, 3; super table `m`: m1 (g 1) has 10 at 0 s, m2 (g 2) has 20 at 1 s. Both also in database `e`. */
test.before(async () => {
  for (const [name, factor] of [
    ['d', 1],
    ['e', 100],
  ] as const) {
    await service.run(`CREATE DATABASE ${name}`);
    await service.run(`CREATE TABLE ${name}.t (ts TIMESTAMP, v INT)`);
    await service.run(`CREATE TABLE ${name}.grows (ts TIMESTAMP, v INT)`);
    await service.run(`CREATE STABLE ${name}.m (ts TIMESTAMP, v INT) TAGS (g INT)`);
    await service.run(
      `INSERT INTO ${name}.t VALUES (${base}, ${factor}) (${base + 1000}, ${2 * factor}) (${base + 2000}, ${3 * factor})
        ${name}.grows VALUES (${base}, 1) (${base + 1000}, 2) (${base + 2000}, 3)
        ${name}.m1 USING ${name}.m TAGS (1) VALUES (${base}, ${10 * factor})
        ${name}.m2 USING ${name}.m TAGS (2) VALUES (${base + 1000}, ${20 * factor})`,
    );
  }
});

const at = (ms: number): string => new Date(base + ms).toISOString();

statements('a view is selected from like a table', service, 'd', [
  { sql: 'CREATE VIEW big AS SELECT ts, v AS n FROM grows WHERE v > 1', affected: 0 },
  {
    sql: 'SELECT * FROM big',
    meta: [
      ['ts', 'TIMESTAMP', 8],
      ['n', 'INT', 4],
    ],
    rows: [
      [at(1000), 2],
      [at(2000), 3],
    ],
  },
  { sql: 'SELECT big.n FROM big WHERE n > 2', rows: [[3]] },
  { sql: 'SELECT b.n FROM d.big b ORDER BY n DESC LIMIT 1', rows: [[3]] },
  { sql: 'SELECT _wstart, sum(n) FROM big INTERVAL(10s)', rows: [[at(0), 5]] },
  {
    sql: 'SELECT t.v, big.n FROM t LEFT JOIN big ON t.ts = big.ts',
    rows: [
      [1, null],
      [2, 2],
      [3, 3],
    ],
  },
  { sql: 'SELECT count(*) FROM (SELECT n FROM big UNION ALL SELECT n FROM big)', rows: [[4]] },
  { sql: `INSERT INTO grows VALUES (${base + 3000}, 4)`, affected: 1 },
  { sql: 'SELECT n FROM big', rows: [[2], [3], [4]] },
  { sql: `DELETE FROM grows WHERE ts = ${base + 3000}`, affected: 1 },
  { sql: 'SELECT v FROM big', error: 0x2602 },
  { sql: 'SELECT tbname FROM big', error: 0x264c },
]);

statements('a view stands on super tables, unions, joins and other views', service, 'd', [
  { sql: 'CREATE VIEW sums AS SELECT g, sum(v) FROM m GROUP BY g ORDER BY g;', affected: 0 },
  {
    sql: 'SELECT g, `sum(v)` FROM sums',
    rows: [
      [1, 10],
      [2, 20],
    ],
  },
  { sql: 'CREATE VIEW both AS SELECT ts, v FROM t UNION ALL SELECT ts, v FROM m', affected: 0 },
  { sql: 'SELECT sum(v) FROM both', rows: [[36]] },
  { sql: "CREATE VIEW late AS SELECT * FROM both WHERE ts > '2023-11-14T22:13:20Z'", affected: 0 },
  { sql: 'SELECT v FROM late ORDER BY v', rows: [[2], [3], [20]] },
  { sql: 'CREATE VIEW pairs AS SELECT t.ts, t.v AS a, m.v AS b FROM t JOIN m ON t.ts = m.ts', affected: 0 },
  { sql: 'SELECT a + b AS c FROM pairs', rows: [[11], [22]] },
  { sql: 'CREATE VIEW users AS SELECT name FROM information_schema.ins_users', affected: 0 },
  { sql: 'SELECT * FROM users', rows: [['root']] },
  { sql: 'CREATE VIEW one AS SELECT 1 AS x', affected: 0 },
  { sql: 'SELECT x + 1 FROM one', rows: [[2]] },
]);

statements('tables of a view are those of the database it was made in', service, 'd', [
  { sql: 'CREATE VIEW e.here AS SELECT v FROM t', affected: 0 },
  { sql: 'SELECT v FROM e.here', rows: [[1], [2], [3]] },
  { sql: 'CREATE VIEW there AS SELECT v FROM e.t', affected: 0 },
  { sql: 'SELECT v FROM there', rows: [[100], [200], [300]] },
  { sql: 'CREATE VIEW e.twice AS SELECT v FROM e.here WHERE v > 1', affected: 0 },
  { sql: 'SELECT v FROM e.twice', rows: [[2], [3]] },
]);

statements('OR REPLACE puts another query in the place of a view', service, 'd', [
  { sql: 'CREATE VIEW changing AS SELECT 1 AS x', affected: 0 },
  { sql: 'CREATE VIEW changing AS SELECT 2 AS x', error: 0x04a0 },
  { sql: 'SELECT x FROM changing', rows: [[1]] },
  { sql: 'CREATE OR REPLACE VIEW changing AS SELECT 3 AS y', affected: 0 },
  { sql: 'SELECT y FROM changing', rows: [[3]] },
  { sql: 'CREATE OR REPLACE VIEW fresh AS SELECT y FROM changing', affected: 0 },
  { sql: 'CREATE OR REPLACE VIEW changing AS SELECT y FROM changing', error: 0x0100 },
  { sql: 'CREATE OR REPLACE VIEW changing AS SELECT y FROM fresh', error: 0x0100 },
  { sql: 'SELECT y FROM fresh', rows: [[3]] },
  { sql: 'DROP VIEW changing', affected: 0 },
  { sql: 'SELECT y FROM fresh', error: 0x2662 },
  { sql: 'DROP VIEW changing', error: 0x04a1 },
  { sql: 'DROP VIEW IF EXISTS changing', affected: 0 },
  { sql: 'DROP VIEW d.fresh', affected: 0 },
]);

statements('views are listed and shown', service, 'd', [
  { sql: 'CREATE VIEW `Listed` AS SELECT v\n FROM t', affected: 0 },
  {
    sql: `SELECT view_name, db_name, effective_user, query_sql FROM information_schema.ins_views WHERE view_name = 'Listed'`,
    rows: [['Listed', 'd', 'root', 'SELECT v\n FROM t']],
  },
  { sql: 'SHOW CREATE VIEW `Listed`', rows: [['`d`.`Listed`', 'CREATE VIEW `d`.`Listed` AS SELECT v\n FROM t']] },
  { sql: 'SHOW CREATE VIEW listed', error: 0x04a1 },
  { sql: 'CREATE VIEW e.described AS SELECT ts, v AS n, count(*) FROM m PARTITION BY ts, v', affected: 0 },
  {
    sql: 'DESCRIBE e.described',
    rows: [
      ['ts', 'TIMESTAMP', 8, 'VIEW COL', '', '', ''],
      ['n', 'INT', 4, 'VIEW COL', '', '', ''],
      ['count(*)', 'BIGINT', 8, 'VIEW COL', '', '', ''],
    ],
  },
  { sql: 'SELECT v FROM `Listed`', rows: [[1], [2], [3]] },
]);

statements('a view needs a name of its own and a query that can be run', service, 'd', [
  { sql: 'CREATE VIEW t AS SELECT v FROM e.t', error: 0x0603 },
  { sql: 'CREATE VIEW m1 AS SELECT v FROM t', error: 0x0603 },
  { sql: 'CREATE VIEW named AS SELECT v FROM t', affected: 0 },
  { sql: 'CREATE TABLE named (ts TIMESTAMP, v INT)', error: 0x0603 },
  { sql: 'CREATE STABLE named (ts TIMESTAMP, v INT) TAGS (g INT)', error: 0x0603 },
  { sql: 'CREATE VIEW bad AS SELECT q FROM t', error: 0x2602 },
  { sql: 'CREATE VIEW bad AS SELECT v FROM nothing', error: 0x2662 },
  { sql: 'CREATE VIEW nowhere.v AS SELECT v FROM t', error: 0x0388 },
  { sql: 'CREATE VIEW bad AS SHOW TABLES', error: 0x2600 },
  { sql: 'CREATE VIEW bad', error: 0x2601 },
  { sql: 'CREATE VIEW bad AS', error: 0x2601 },
  { sql: 'DELETE FROM named', error: 0x2662 },
  { sql: `INSERT INTO named VALUES (${base}, 1)`, error: 0x2603 },
  { sql: 'INSERT INTO named SELECT * FROM t', error: 0x2603 },
  { sql: 'DROP TABLE named', error: 0x2603 },
  { sql: 'CREATE TABLE made (ts TIMESTAMP, v INT)', affected: 0 },
  { sql: 'CREATE VIEW whole AS SELECT * FROM t', affected: 0 },
  { sql: 'INSERT INTO made SELECT * FROM whole', affected: 3 },
]);

test('a view of one process is known to another one at once, and goes with its database', async (t) => {
  const second = await neighbour();
  await service.run('CREATE DATABASE f');
  await service.run('CREATE TABLE f.t (ts TIMESTAMP, v INT)');
  await service.run(`INSERT INTO f.t VALUES (${base}, 5)`);
  await service.run('CREATE VIEW f.v AS SELECT v FROM f.t');
  t.deepEqual(await second.rows('SELECT v FROM f.v'), [[5]]);
  await second.run('DROP VIEW f.v');
  await second.run('CREATE VIEW f.w AS SELECT v + 1 AS v FROM f.t');
  t.deepEqual(await service.rows('SELECT v FROM f.w'), [[6]]);
  await second.run('DROP DATABASE f');
  await second.run('CREATE DATABASE f');
  t.is(await second.code('SELECT v FROM f.w'), 0x2662);
});

test('views that stand on each other without end are refused, not followed', async (t) => {
  const depth = 20;
  await service.run('CREATE VIEW d.chain0 AS SELECT 1 AS x');
  for (let level = 1; level < 16; level++)
    await service.run(`CREATE VIEW d.chain${level} AS SELECT x FROM d.chain${level - 1}`);
  t.deepEqual(await service.rows('SELECT x FROM d.chain15'), [[1]]);
  t.is(await service.code(`CREATE VIEW d.chain${depth} AS SELECT x FROM (SELECT x FROM d.chain15)`), 0);
  t.is(await service.code(`SELECT x FROM d.chain${depth}`), 0x0100);
});

import test from 'ava';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

test.before(async () => {
  await service.run('CREATE DATABASE d VGROUPS 3');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT, w DOUBLE) TAGS (g INT, site VARCHAR(10))');
  await service.run("CREATE TABLE d.m1 USING d.m TAGS (1, 'a')");
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, x INT)');
});

const invalid = 0x2639;
const refused = [
  'SELECT count(*) FROM d.m',
  'SELECT ts, avg(v) FROM d.m',
  'SELECT last(v) FROM d.m',
  'SELECT ts, diff(v) FROM d.m1',
  'SELECT _wstart, count(*) FROM d.m INTERVAL(1m)',
  'SELECT ts, v FROM d.m PARTITION BY tbname',
  'SELECT v FROM d.m GROUP BY v',
  'SELECT DISTINCT v FROM d.m',
  'SELECT ts, v FROM d.m ORDER BY ts',
  'SELECT ts, v FROM d.m LIMIT 5',
  'SELECT a.ts FROM d.m1 a, d.n b WHERE a.ts = b.ts',
  'SELECT ts FROM (SELECT ts FROM d.m)',
  'SELECT ts FROM d.m UNION ALL SELECT ts FROM d.n',
  'SELECT ts FROM d.m WHERE v > (SELECT max(x) FROM d.n)',
  'SELECT name FROM information_schema.ins_databases',
  'SELECT 1',
];

statements('a topic gives a row for each row of one table, or it is refused', service, undefined, [
  ...refused.map((query) => ({ sql: `CREATE TOPIC bad AS ${query}`, error: invalid, says: 'Invalid topic query' })),
  { sql: 'CREATE TOPIC bad AS STABLE d.m WHERE v > 1', error: invalid },
  { sql: 'CREATE TOPIC bad AS STABLE d.n', error: 0x0361 },
  { sql: 'CREATE TOPIC bad AS DATABASE nowhere', error: 0x0388 },
  { sql: 'CREATE TOPIC bad AS SELECT nothing FROM d.m', error: 0x2602 },
  { sql: "SELECT topic_name FROM information_schema.ins_topics WHERE topic_name = 'bad'", rows: [] },
]);

statements('topics are made, listed and dropped, and what they need stays as it is', service, undefined, [
  { sql: 'CREATE TOPIC hot AS SELECT ts, v + 1 AS v1, g, tbname FROM d.m WHERE v > 20', affected: 0 },
  { sql: 'CREATE TOPIC hot AS DATABASE d', error: 0x03e0, says: 'Topic already exists' },
  { sql: 'CREATE TOPIC IF NOT EXISTS hot AS DATABASE d', affected: 0 },
  { sql: "CREATE TOPIC tagged WITH META AS STABLE d.m WHERE site = 'a'", affected: 0 },
  {
    sql: `SELECT topic_name, db_name, sql, schema, meta, type FROM information_schema.ins_topics
      WHERE topic_name IN ('hot', 'tagged')`,
    rows: [
      [
        'hot',
        'd',
        'CREATE TOPIC hot AS SELECT ts, v + 1 AS v1, g, tbname FROM d.m WHERE v > 20',
        '[{"name":"ts","type":"TIMESTAMP","length":8},{"name":"v1","type":"DOUBLE","length":8},' +
          '{"name":"g","type":"INT","length":4},{"name":"tbname","type":"VARCHAR","length":192}]',
        'no',
        'column',
      ],
      [
        'tagged',
        'd',
        "CREATE TOPIC tagged WITH META AS STABLE d.m WHERE site = 'a'",
        '[{"name":"ts","type":"TIMESTAMP","length":8},{"name":"v","type":"INT","length":4},' +
          '{"name":"w","type":"DOUBLE","length":8}]',
        'yes',
        'stable',
      ],
    ],
  },
  { sql: 'SHOW SUBSCRIPTIONS', rows: [] },
  { sql: 'SHOW CONSUMERS', rows: [] },
  { sql: 'ALTER STABLE d.m DROP COLUMN v', error: 0x03c4, says: 'Field used by topic' },
  { sql: 'ALTER STABLE d.m DROP TAG g', error: 0x03c4 },
  { sql: 'ALTER STABLE d.m RENAME TAG site place', error: 0x03c4 },
  { sql: 'ALTER STABLE d.m ADD COLUMN u INT', affected: 0 },
  { sql: 'ALTER STABLE d.m DROP COLUMN u', affected: 0 },
  { sql: 'DROP STABLE d.m', error: 0x03ed, says: 'Topic must be dropped first: hot' },
  { sql: 'DROP DATABASE d', error: 0x03ed, says: 'Topic must be dropped first:' },
  { sql: 'DROP TOPIC hot', affected: 0 },
  { sql: 'DROP TOPIC hot', error: 0x03e1, says: 'Topic not exist' },
  { sql: 'DROP TOPIC IF EXISTS hot', affected: 0 },
  { sql: 'ALTER STABLE d.m DROP TAG g', affected: 0 },
  { sql: 'ALTER STABLE d.m ADD TAG g INT', affected: 0 },
  { sql: 'DROP CONSUMER GROUP g1 ON hot', error: 0x03e1 },
  { sql: 'DROP CONSUMER GROUP g1 ON tagged', error: 0x03e8, says: 'Subscribe not exist' },
  { sql: 'DROP CONSUMER GROUP IF EXISTS g1 ON tagged', affected: 0 },
  { sql: 'DROP TOPIC FORCE tagged', affected: 0 },
  { sql: 'CREATE TOPIC whole AS DATABASE d', affected: 0 },
  { sql: 'ALTER STABLE d.m DROP COLUMN w', affected: 0 },
  { sql: 'DROP TABLE d.n', affected: 0 },
  { sql: 'DROP DATABASE d', error: 0x03ed },
  { sql: 'DROP TOPIC whole', affected: 0 },
]);

test('whoever may read may make a topic, and its maker or the owner of the database drops it', async (t) => {
  await service.run("CREATE USER ann PASS 'Secret_12'");
  await service.run("CREATE USER bob PASS 'Secret_12'");
  const [ann, bob] = [{ auth: basicOf('ann', 'Secret_12') }, { auth: basicOf('bob', 'Secret_12') }];
  const create = 'CREATE TOPIC anns AS SELECT ts, v FROM d.m';
  t.is(await service.code(create, ann), 0x2644);
  t.is(await service.code('CREATE TOPIC anns AS DATABASE d', ann), 0x2644);
  await service.run('GRANT READ ON d.* TO ann');
  t.is(await service.code(create, ann), 0);
  t.deepEqual(await service.rows('SELECT topic_name FROM information_schema.ins_topics', bob), []);
  t.is(await service.code('DROP TOPIC anns', bob), 0x0303);
  t.is(await service.code('GRANT SUBSCRIBE ON anns TO bob', bob), 0x0303);
  t.is(await service.code('GRANT SUBSCRIBE ON nothing TO bob', ann), 0x03e1);
  t.is(await service.code('GRANT SUBSCRIBE ON anns TO nobody', ann), 0x0351);
  t.is(await service.code('GRANT SUBSCRIBE ON anns TO bob', ann), 0);
  t.deepEqual(await service.rows('SELECT topic_name FROM information_schema.ins_topics', bob), [['anns']]);
  const privileges =
    "SELECT privilege, db_name, notes FROM information_schema.ins_user_privileges WHERE user_name = 'bob'";
  t.deepEqual(await service.rows(privileges), [['subscribe', 'anns', 'topic']]);
  t.is(await service.code('REVOKE SUBSCRIBE ON anns FROM bob', ann), 0);
  t.deepEqual(await service.rows('SELECT topic_name FROM information_schema.ins_topics', bob), []);
  t.is(await service.code('DROP TOPIC anns', ann), 0);
});

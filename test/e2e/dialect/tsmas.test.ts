import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

/** Super table `m` with m1 and m2, each with v and x at every 20 s of ten minutes; normal table `n` with the same of m1. */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT, x DOUBLE, s VARCHAR(10)) TAGS (g INT)');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT)');
  for (const g of [1, 2]) {
    const rows = Array.from({ length: 30 }, (_, i) => `(${base + i * 20_000}, ${i * g}, ${i / g}, 'r${i}')`);
    await service.run(`INSERT INTO d.m${g} USING d.m TAGS (${g}) VALUES ${rows.join(' ')}`);
  }
  await service.run('INSERT INTO d.n SELECT ts, v FROM d.m1');
});

const queries = [
  'SELECT _wstart, avg(v), max(x), count(*) FROM d.m INTERVAL(1m)',
  'SELECT _wstart, avg(v), count(*) FROM d.m PARTITION BY tbname INTERVAL(5m) SLIDING(1m)',
  'SELECT /*+ skip_tsma() */ sum(v), min(x) FROM d.m WHERE g = 2',
  'SELECT last(v), first(x) FROM d.m INTERVAL(10m)',
];

test.serial('a TSMA changes no result, neither of rows that were there nor of later ones', async (t) => {
  const results = () => Promise.all(queries.map((query) => service.rows(query)));
  const before = await results();
  await service.run('CREATE TSMA t1 ON d.m FUNCTION(avg(v), max(x), count(*), sum(v)) INTERVAL(1m)');
  await service.run('CREATE TSMA t5 ON d.m FUNCTION(avg(v), last(v), first(x)) INTERVAL(5m) SLIDING(1m)');
  await service.run('CREATE RECURSIVE TSMA t10 ON d.t1 INTERVAL(10m)');
  await service.run('CREATE SMA INDEX i1 ON m FUNCTION(max(v), min(v)) INTERVAL(10s) SLIDING(5s)', { database: 'd' });
  t.deepEqual(await results(), before);
  const rows = `(${base + 5_000}, 1000, 1000, 'late')`;
  await service.run(`INSERT INTO d.m1 VALUES ${rows} (${base}, -5, -5, 'over')`);
  const [windows] = await results();
  t.deepEqual(windows?.[0]?.slice(1), [(-5 + 1000 + 1 + 0 + 2) / 5, 1000, 5]);
  for (const name of ['t10', 't5', 't1']) await service.run(`DROP TSMA d.${name}`);
  await service.run('DROP INDEX d.i1');
  t.is((await service.rows('SHOW TSMAS')).length, 0);
});

statements('TSMAs are kept, listed and dropped', service, 'd', [
  { sql: 'CREATE TSMA a ON m FUNCTION(avg(v), count(*)) INTERVAL(10m)', affected: 0 },
  { sql: 'CREATE TSMA a ON m FUNCTION(avg(v)) INTERVAL(1m)', error: 0x0480 },
  { sql: 'CREATE TSMA IF NOT EXISTS a ON m FUNCTION(avg(v)) INTERVAL(1m)', affected: 0 },
  { sql: 'CREATE RECURSIVE TSMA b ON a INTERVAL(30m)', affected: 0 },
  { sql: 'CREATE TSMA c ON d.n FUNCTION(sum(v), spread(v)) INTERVAL(1h)', affected: 0 },
  { sql: 'CREATE SMA INDEX i ON m FUNCTION(max(v), min(v)) INTERVAL(1m, 10s) SLIDING(30s) WATERMARK 5s', affected: 0 },
  { sql: 'CREATE SMA INDEX i ON m FUNCTION(max(v)) INTERVAL(1m)', error: 0x0480 },
  {
    sql: 'SELECT tsma_name, db_name, table_name, `interval`, func_list FROM information_schema.ins_tsmas',
    rows: [
      ['a', 'd', 'm', '10m', 'avg(v),count(*)'],
      ['b', 'd', 'm', '30m', 'avg(v),count(*)'],
      ['c', 'd', 'n', '1h', 'sum(v),spread(v)'],
      ['i', 'd', 'm', '1m', 'max(v),min(v)'],
    ],
  },
  {
    sql: 'SELECT create_sql FROM information_schema.ins_tsmas WHERE tsma_name = "b"',
    rows: [['CREATE RECURSIVE TSMA b ON a INTERVAL(30m)']],
  },
  { sql: 'ALTER STABLE m DROP COLUMN v', error: 0x03c8, says: 'v' },
  { sql: 'DROP INDEX i', affected: 0 },
  { sql: 'DROP INDEX i', error: 0x0484 },
  { sql: 'DROP INDEX IF EXISTS i', affected: 0 },
  { sql: 'DROP TSMA a', error: 0x0485, says: 'drop recursive TSMA first' },
  { sql: 'DROP TSMA b', affected: 0 },
  { sql: 'DROP TSMA b', error: 0x0481 },
  { sql: 'DROP TSMA IF EXISTS d.b', affected: 0 },
  { sql: 'DROP TSMA nothing.a', error: 0x0388 },
  { sql: 'DROP TSMA a', affected: 0 },
  { sql: 'DROP TABLE n', affected: 0 },
  { sql: 'SHOW d.TSMAS', rows: [] },
]);

statements('what a TSMA cannot be is refused', service, 'd', [
  { sql: 'CREATE TSMA x ON nothing FUNCTION(avg(v)) INTERVAL(1m)', error: 0x2603 },
  { sql: 'CREATE SMA INDEX x ON nothing FUNCTION(max(v)) INTERVAL(1m)', error: 0x0361 },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(nothing)) INTERVAL(1m)', error: 0x2602, says: 'nothing' },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(s)) INTERVAL(1m)', error: 0x2802 },
  { sql: 'CREATE TSMA x ON m FUNCTION(percentile(v, 50)) INTERVAL(1m)', error: 0x3109 },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(v + 1)) INTERVAL(1m)', error: 0x3108 },
  { sql: 'CREATE TSMA x ON m FUNCTION(v) INTERVAL(1m)', error: 0x3109 },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(v)) INTERVAL(59s)', error: 0x3107, says: '1m' },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(v)) INTERVAL(2y)', error: 0x3107 },
  { sql: 'CREATE TSMA x ON m FUNCTION(avg(v)) INTERVAL(1m) SLIDING(2m)', error: 0x2631 },
  { sql: 'CREATE RECURSIVE TSMA x ON nothing INTERVAL(1m)', error: 0x0481 },
  { sql: `CREATE TSMA ${'x'.repeat(179)} ON m FUNCTION(avg(v)) INTERVAL(1m)`, error: 0x2617 },
]);

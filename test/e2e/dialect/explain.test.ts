import test from 'ava';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT)');
  await service.run(`INSERT INTO d.m1 USING d.m TAGS (1) VALUES (${base}, 1) (${base + 1000}, 2) (${base + 9000}, 3)`);
  await service.run('CREATE VIEW d.w AS SELECT v FROM d.m');
});

const meta = [['QUERY_PLAN', 'VARCHAR', 16_384]] as const;

statements('EXPLAIN tells the steps of a query, the last one first', service, 'd', [
  { sql: 'EXPLAIN SELECT 1', meta, rows: [['-> Select 1'], ['   -> One row']] },
  {
    sql: 'EXPLAIN SELECT _wstart, sum(v) FROM m WHERE g = 1 PARTITION BY tbname INTERVAL(5s) FILL(NONE) LIMIT 3',
    rows: [
      ['-> Limit 3 offset 0'],
      ['   -> Select _wstart, sum(v)'],
      ['      -> Fill NONE'],
      ['         -> Windows INTERVAL(5s) FILL(NONE) by tbname'],
      ['            -> Scan super table d.m, filter: g = 1'],
    ],
  },
  {
    sql: 'EXPLAIN SELECT x.v FROM d.n x JOIN m1 y ON x.ts = y.ts UNION ALL SELECT v FROM (SELECT DISTINCT v FROM w) s ORDER BY 1',
    rows: [
      ['-> Sort by 1 term'],
      ['   -> Union all'],
      ['      -> Select v'],
      ['         -> Join inner on x.ts = y.ts'],
      ['            -> Scan normal table d.n'],
      ['            -> Scan sub-table d.m1'],
      ['      -> Select v'],
      ['         -> Subquery s'],
      ['            -> Distinct'],
      ['               -> Select v'],
      ['                  -> Scan view d.w'],
    ],
  },
  {
    sql: 'EXPLAIN SELECT count(*) FROM information_schema.ins_tables GROUP BY type HAVING count(*) > 1',
    rows: [
      ['-> Select count(*)'],
      ['   -> Filter groups: count(*) > 1'],
      ['      -> Groups by type'],
      ['         -> Scan system table information_schema.ins_tables'],
    ],
  },
  { sql: 'EXPLAIN SELECT nothing FROM m', error: 0x2602 },
  { sql: 'EXPLAIN SELECT v FROM nothing', error: 0x2662 },
  { sql: 'EXPLAIN INSERT INTO n VALUES (now, 1)', error: 0x2600 },
]);

test('EXPLAIN ANALYZE runs the query and tells how many rows it gives', async (t) => {
  const rows = (await service.rows('EXPLAIN ANALYZE SELECT * FROM d.m WHERE v > 1')).map(([line]) => String(line));
  t.deepEqual(rows.slice(0, 3), ['-> Select *', '   -> Scan super table d.m, filter: v > 1', 'Rows: 2']);
  t.regex(rows[4] ?? '', /^Time: \d+\.\d ms$/);
  t.is(rows.length, 5);
});

test('EXPLAIN VERBOSE adds the statement of the engine and what its indexes leave', async (t) => {
  const text = (await service.rows('EXPLAIN VERBOSE true SELECT v FROM d.m WHERE ts < 5'))
    .map(([line]) => line)
    .join('\n');
  t.regex(text, /^Statement: SELECT /m);
  t.regex(text, /^Plan of the engine:\n/m);
  t.regex(text, /ReadFromMergeTree|Keys:/);
  t.notRegex(String(await service.rows('EXPLAIN VERBOSE false SELECT v FROM d.m')), /Statement/);
});

test('EXPLAIN takes the rights that the query takes', async (t) => {
  await service.run("CREATE USER eve PASS 'Secret-12'");
  const eve = { auth: basicOf('eve', 'Secret-12') };
  t.is(await service.code('EXPLAIN SELECT v FROM d.m', eve), await service.code('SELECT v FROM d.m', eve));
  t.is(await service.code('EXPLAIN SELECT v FROM d.m', eve), 0x2644);
});

import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

test.before(async () => {
  await service.run('CREATE DATABASE d');
  for (const name of ['plain', 'other', 'forms', 'whole', 'twice', 'anew']) {
    await service.run(`CREATE TABLE d.${name} (ts TIMESTAMP, v INT, w INT)`);
  }
  await service.run(`INSERT INTO d.other VALUES (${base}, 7, 7)`);
  await service.run('CREATE STABLE d.pump (ts TIMESTAMP, v INT) TAGS (site VARCHAR(8), grp INT)');
  await service.run(`CREATE TABLE d.p0 USING d.pump TAGS ('west', 0)`);
});

/** Rows `(base + at, v)` of normal and sub-tables as INSERT takes them. */
function rows(...pairs: readonly (readonly [at: number, v: number | null])[]): string {
  return pairs.map(([at, v]) => `(${base + at}, ${v})`).join(' ');
}

const fillOf = (table: string): string =>
  `INSERT INTO ${table} (ts, v) VALUES ${rows([0, 0], [1000, 1], [2000, 2], [3000, 3], [4000, 4], [5000, 5])}`;

statements('DELETE takes limits on the primary timestamp in every form', service, 'd', [
  { sql: fillOf('forms'), affected: 6 },
  { sql: `DELETE FROM forms WHERE ts = ${base}`, affected: 1 },
  { sql: 'SELECT v FROM forms', rows: [[1], [2], [3], [4], [5]] },
  { sql: `DELETE FROM forms WHERE ts < '2023-11-14T22:13:22Z'`, affected: 1 },
  { sql: 'SELECT v FROM forms', rows: [[2], [3], [4], [5]] },
  { sql: `DELETE FROM forms WHERE ts > ${base + 2000} AND ts <= ${base + 3000}`, affected: 1 },
  { sql: 'SELECT v FROM forms', rows: [[2], [4], [5]] },
  { sql: `DELETE FROM forms WHERE _c0 BETWEEN ${base + 4000} AND ${base + 4999}`, affected: 1 },
  { sql: `DELETE FROM forms WHERE ${base + 5000} <= _rowts`, affected: 1 },
  { sql: `DELETE FROM forms WHERE ts < NOW AND ts >= ${base} + 2s AND true`, affected: 1 },
  { sql: 'SELECT v FROM forms', rows: [] },
  { sql: 'DELETE FROM forms WHERE ts < NOW()', affected: 0 },
  { sql: 'SELECT v FROM other', rows: [[7]] },
]);

statements('DELETE without WHERE removes every row of the table and of no other', service, 'd', [
  { sql: fillOf('whole'), affected: 6 },
  { sql: 'DELETE FROM whole', affected: 6 },
  { sql: 'SELECT count(*) FROM whole', rows: [[0]] },
  { sql: 'SELECT v FROM other', rows: [[7]] },
  { sql: 'DELETE FROM whole', affected: 0 },
]);

statements('an overwritten row counts once, and all its versions go', service, 'd', [
  { sql: `INSERT INTO twice VALUES (${base}, 1, 1) (${base}, 2, 2)`, affected: 2 },
  { sql: `INSERT INTO twice VALUES (${base}, 3, 3)`, affected: 1 },
  { sql: `INSERT INTO twice (ts, v) VALUES (${base}, 4) (${base + 1}, 5)`, affected: 2 },
  {
    sql: 'SELECT v, w FROM twice',
    rows: [
      [4, 3],
      [5, null],
    ],
  },
  { sql: `DELETE FROM twice WHERE ts = ${base}`, affected: 1 },
  { sql: 'SELECT v, w FROM twice', rows: [[5, null]] },
]);

statements('a row written after the DELETE under an old time is new: omitted columns are NULL', service, 'd', [
  { sql: `INSERT INTO anew VALUES (${base}, 1, 1)`, affected: 1 },
  { sql: `DELETE FROM anew WHERE ts = ${base}`, affected: 1 },
  { sql: `INSERT INTO anew (ts, w) VALUES (${base}, 9)`, affected: 1 },
  { sql: `SELECT v, w FROM anew WHERE ts = ${base}`, rows: [[null, 9]] },
  { sql: 'DELETE FROM anew', affected: 1 },
]);

statements('DELETE from a super table chooses sub-tables by tags and tbname', service, 'd', [
  {
    sql: `INSERT INTO p1 USING pump TAGS ('east', 1) VALUES ${rows([0, 1], [1000, 2])}
          p2 USING pump TAGS ('west', 1) VALUES ${rows([0, 3], [1000, 4])}
          p3 USING pump TAGS ('west', 2) VALUES ${rows([0, 5], [1000, 6], [2000, 7])}`,
    affected: 7,
  },
  { sql: `DELETE FROM pump WHERE site = 'west' AND ts = ${base}`, affected: 2 },
  { sql: 'SELECT v FROM pump ORDER BY v', rows: [[1], [2], [4], [6], [7]] },
  { sql: `DELETE FROM pump WHERE tbname = 'p1' AND ts < ${base + 500}`, affected: 1 },
  {
    sql: `DELETE FROM pump WHERE grp + 1 = 3 AND (site = 'west' OR site = 'north') AND ts >= ${base + 2000}`,
    affected: 1,
  },
  { sql: `DELETE FROM pump WHERE tbname IN ('p2', 'p9')`, affected: 1 },
  { sql: `DELETE FROM pump WHERE site = 'nowhere'`, affected: 0 },
  { sql: 'SELECT v FROM pump ORDER BY v', rows: [[2], [6]] },
  { sql: `DELETE FROM p3 WHERE ts > ${base}`, affected: 1 },
  { sql: 'SELECT v FROM p3', rows: [] },
  { sql: `DELETE FROM pump WHERE ts <= ${base + 1000}`, affected: 1 },
  { sql: 'SELECT count(*) FROM pump', rows: [[0]] },
]);

const noRange = { error: 0x2655, says: 'must have a definite time window range' } as const;

statements('conditions that give no single range of time are refused', service, 'd', [
  { sql: 'DELETE FROM plain WHERE v = 1', ...noRange },
  { sql: `DELETE FROM plain WHERE ts > ${base} AND v = 1`, ...noRange },
  { sql: `DELETE FROM plain WHERE ts <> ${base}`, ...noRange },
  { sql: `DELETE FROM plain WHERE ts < ${base} OR ts > ${base + 1}`, ...noRange },
  { sql: `DELETE FROM plain WHERE ts NOT BETWEEN ${base} AND ${base + 1}`, ...noRange },
  { sql: `DELETE FROM plain WHERE ts IN (${base})`, ...noRange },
  { sql: 'DELETE FROM plain WHERE ts IS NOT NULL', ...noRange },
  { sql: 'DELETE FROM plain WHERE ts = v', ...noRange },
  { sql: `DELETE FROM pump WHERE site = 'west' OR ts > ${base}`, ...noRange },
  { sql: 'DELETE FROM pump WHERE v > 1', ...noRange },
  { sql: `DELETE FROM p0 WHERE site = 'west'`, ...noRange },
]);

statements('DELETE names what it does not know', service, 'd', [
  { sql: 'DELETE FROM nothing', error: 0x2662 },
  { sql: 'DELETE FROM nowhere.plain', error: 0x0388 },
  { sql: 'DELETE FROM plain WHERE q > 1', error: 0x2602 },
  { sql: 'DELETE FROM plain WHERE count(*) > 1', error: 0x2608 },
  { sql: `DELETE FROM plain WHERE ts > 'yesterday'`, error: 0x2635 },
  { sql: 'DELETE plain', error: 0x2600 },
  { sql: 'DELETE FROM plain WHERE', error: 0x2601 },
]);

test('DELETE of one process and writes of another on the same engine agree', async (t) => {
  const second = await neighbour();
  await service.run('CREATE DATABASE shared');
  await service.run('CREATE TABLE shared.t (ts TIMESTAMP, v INT, w INT)');
  const stored = { query: { ack: 'stored' } };
  await service.run(`INSERT INTO shared.t VALUES (${base}, 1, 1) (${base + 1}, 2, 2)`, stored);
  t.is(await second.run(`DELETE FROM shared.t WHERE ts = ${base}`), 1);
  t.deepEqual(await service.rows('SELECT v, w FROM shared.t'), [[2, 2]]);
  t.is(await service.run(`INSERT INTO shared.t (ts, w) VALUES (${base}, 5)`, stored), 1);
  t.deepEqual(await second.rows('SELECT v, w FROM shared.t'), [
    [null, 5],
    [2, 2],
  ]);
  t.is(await service.run('DELETE FROM shared.t'), 2);
  t.deepEqual(await second.rows('SELECT v, w FROM shared.t'), []);
});

test('partial rows that are written while DELETE runs never bring back removed values', async (t) => {
  await service.run('CREATE TABLE d.race (ts TIMESTAMP, v INT, w INT)');
  for (let round = 0; round < 5; round++) {
    await service.run(`INSERT INTO d.race VALUES (${base}, ${round}, 1)`);
    const [, removed] = await Promise.all([
      service.run(`INSERT INTO d.race (ts, w) VALUES (${base}, 2)`),
      service.run(`DELETE FROM d.race WHERE ts = ${base}`),
    ]);
    t.is(removed, 1);
    const left = await service.rows('SELECT v, w FROM d.race');
    // Either the row was removed after it had been completed, or it was written anew.
    t.true(left.length === 0 || JSON.stringify(left) === '[[null,2]]', JSON.stringify(left));
    await service.run('DELETE FROM d.race');
  }
});

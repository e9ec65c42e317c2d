import test from 'ava';
import { moreCases } from '../support/cases.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const count = moreCases(20_000, 100_000);
const inStatement = 5_000;
const start = Date.now();

const { service, end } = await sharedService();
test.after.always(end);

test('thousands of sub-tables are dropped together, and nothing else with them', async (t) => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.st (ts TIMESTAMP, v INT) TAGS (n INT)');
  await service.run('CREATE TABLE d.normal (ts TIMESTAMP, v INT)');
  const names = Array.from({ length: count }, (_, place) => `t${place}`);
  for (let at = 0; at < count; at += inStatement) {
    const some = names.slice(at, at + inStatement);
    await service.run(
      `INSERT INTO ${some.map((name, n) => `d.${name} USING d.st TAGS (${n}) VALUES (${start + n}, 1)`).join(' ')}`,
    );
  }
  await service.run(`INSERT INTO d.kept USING d.st TAGS (7) VALUES (${start}, 1) d.normal VALUES (${start}, 1)`);
  const begun = performance.now();
  for (let at = 0; at < count; at += inStatement) {
    const some = names.slice(at, at + inStatement).map((name) => `d.${name}`);
    await service.run(`DROP TABLE ${at === 0 ? 'd.normal, IF EXISTS d.missing, ' : ''}${some.join(', ')}`);
  }
  const seconds = (performance.now() - begun) / 1000;
  t.log(`${count} sub-tables dropped in ${seconds.toFixed(1)} s`);
  // One by one they would take minutes; each statement of 5,000 takes a third of a second on two cores.
  t.true(seconds < (count / inStatement) * 5, `${seconds} s`);
  // Their rows are removed later, and are seen by nobody until then.
  for (const where of ['', ' WHERE n >= 0', ` WHERE ts >= ${start}`, ' WHERE v = 1']) {
    t.deepEqual(await service.rows(`SELECT count(*) FROM d.st${where}`), [[1]], where);
  }
  t.deepEqual(await service.rows('SELECT tbname, v FROM d.st PARTITION BY tbname'), [['kept', 1]]);
  t.deepEqual(await service.rows('SELECT last(v), first(ts) FROM d.st'), [[1, new Date(start).toISOString()]]);
  t.is(Number((await service.rows('DELETE FROM d.st WHERE ts < 5'))[0]?.[0]), 0);
  // The plan tells whether there are still rows to be left out.
  const plan = async (): Promise<string> =>
    JSON.stringify(await service.rows('EXPLAIN VERBOSE true SELECT count(*) FROM d.st'));
  t.true(await until(async () => !(await plan()).includes('NOT IN')), await plan());
  t.log(`all rows gone ${((performance.now() - begun) / 1000).toFixed(1)} s after the first statement`);
  t.deepEqual(await service.rows('SELECT count(*) FROM d.st'), [[1]]);
  t.deepEqual(await service.rows('SHOW d.TABLES'), [['kept']]);
  t.is(await service.code(`DROP TABLE d.kept, d.${names[0]}`), 0x2603, 'one that is missing stops all of them');
  t.deepEqual(await service.rows('SHOW d.TABLES'), [['kept']]);
});

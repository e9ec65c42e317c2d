import test from 'ava';
import { sharedService } from '../support/shared-service.js';

/** The long run has four times as many. */
const count = Number(process.env.SLUICE_TEST_DROPPED_TABLES ?? 5_000);
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
  t.true(seconds < (count / inStatement) * 8, `${seconds} s`);
  t.deepEqual(await service.rows('SELECT count(*) FROM d.st'), [[1]]);
  t.deepEqual(await service.rows('SHOW d.TABLES'), [['kept']]);
  t.is(await service.code(`DROP TABLE d.kept, d.${names[0]}`), 0x2603, 'one that is missing stops all of them');
  t.deepEqual(await service.rows('SHOW d.TABLES'), [['kept']]);
});

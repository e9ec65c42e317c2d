import test from 'ava';
import { TableSizes } from '../../../src/database/store/table-sizes.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const t1 = { storage: 'd1_0.t1_0', tagStorage: 'd1_0.t2_0' };
const t2 = { storage: 'd1_0.t2_0', tagStorage: undefined };

const { client, end } = await sharedEngine();
test.after.always(end);

test('a table is small until the engine reports that it is large, and is checked now and then', async (t) => {
  let queries = 0;
  const rows = (sql: string) => {
    queries++;
    return client.rows(sql);
  };
  const engineAsked = { rows, exec: (sql: string) => client.exec(sql), makeRoom: () => client.makeRoom() };
  const sizes = new TableSizes({ stores: () => [{ engine: engineAsked, prefix: '' }] });
  await client.exec('CREATE DATABASE d1_0');
  for (const [name, count] of [
    ['t1_0', 300_000],
    ['t2_0', 3],
  ]) {
    await client.exec(`CREATE TABLE d1_0.${name} (id UInt64) ENGINE = MergeTree ORDER BY id`);
    await client.exec(`INSERT INTO d1_0.${name} SELECT number FROM numbers(${count})`);
  }
  t.false(sizes.isLarge(t2, 0));
  t.false(sizes.isLarge(t1, 0));
  await until(() => sizes.isLarge(t1, 1));
  t.deepEqual([sizes.isLarge(t2, 1), queries], [false, 2]);
  // One has 100,000 rows of each series, the other three of one.
  await until(() => sizes.hasShortSeries(t2, 1));
  t.false(sizes.hasShortSeries(t1, 1));
  t.is(sizes.rowsPerSeries(t1, 1), 100_000);
  // A failed query changes nothing.
  await client.exec('TRUNCATE TABLE d1_0.t1_0');
  t.true(sizes.isLarge(t1, 29_000));
  t.is(queries, 2);
  t.true(sizes.isLarge(t1, 31_000));
  await until(() => !sizes.isLarge(t1, 31_000));
  t.true(sizes.hasShortSeries(t1, 31_000));
  t.is(queries, 3);
});

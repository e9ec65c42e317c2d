import test from 'ava';
import { EngineClient } from '../../src/database/client.js';
import { TableSizes } from '../../src/database/table-sizes.js';
import { startEngine } from '../support/engine.js';
import { until } from '../support/until.js';

test('a table is small until the engine has said that it is large, and is asked about now and then', async (t) => {
  const engine = await startEngine();
  const client = new EngineClient(engine.endpoint);
  let asked = 0;
  const rows = (sql: string) => {
    asked++;
    return client.rows(sql);
  };
  const engineAsked = { rows, exec: (sql: string) => client.exec(sql) };
  const sizes = new TableSizes({ stores: () => [{ engine: engineAsked, prefix: '' }] });
  await client.exec('CREATE DATABASE d1_0');
  for (const [name, count] of [
    ['t1_0', 300_000],
    ['t2_0', 10],
  ]) {
    await client.exec(`CREATE TABLE d1_0.${name} (id UInt64) ENGINE = MergeTree ORDER BY id`);
    await client.exec(`INSERT INTO d1_0.${name} SELECT number FROM numbers(${count})`);
  }
  t.false(sizes.isLarge('d1_0.t2_0', 0));
  t.false(sizes.isLarge('d1_0.t1_0', 0));
  await until(() => sizes.isLarge('d1_0.t1_0', 1));
  t.deepEqual([sizes.isLarge('d1_0.t2_0', 1), asked], [false, 2]);
  // What cannot be asked stays as it is known.
  await client.exec('TRUNCATE TABLE d1_0.t1_0');
  t.true(sizes.isLarge('d1_0.t1_0', 29_000));
  t.is(asked, 2);
  t.true(sizes.isLarge('d1_0.t1_0', 31_000));
  await until(() => !sizes.isLarge('d1_0.t1_0', 31_000));
  t.is(asked, 3);
  await client.close();
  await engine.end();
});

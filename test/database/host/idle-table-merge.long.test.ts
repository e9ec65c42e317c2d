import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { startEngine } from '../../support/engine/engine.js';
import { until } from '../../support/until.js';

test('a host merges the parts of its idle tables', async (t) => {
  const { endpoint, end } = await startEngine();
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  await client.exec(
    'CREATE TABLE default.m (a Int64) ENGINE = MergeTree ORDER BY a SETTINGS merge_selector_base = 100',
  );
  const rows = Buffer.from(Array.from({ length: 15_000 }, (_, at) => `${at}\n`).join(''));
  for (let at = 0; at < 5; at++) await client.insert({ table: 'default.m', columns: 'a', format: 'TSV' }, rows);
  const parts = async () =>
    (await client.rows("SELECT count() FROM system.parts WHERE active AND table = 'm'"))[0]?.[0];
  t.is(await parts(), 5);
  t.true(await until(async () => (await parts()) === 1));
});

import test from 'ava';
import { EngineClient } from '../../../../src/database/engine/client.js';
import { sharedEngine } from '../../../support/engine/shared-engine.js';

const engine = await sharedEngine();
test.after.always(engine.end);

test('the engine takes settings of all tables from its configuration', async (t) => {
  const client = new EngineClient(engine.endpoint);
  const name = 'vertical_merge_algorithm_min_columns_to_activate';
  t.deepEqual(await client.rows(`SELECT toUInt32(value) FROM system.merge_tree_settings WHERE name = '${name}'`), [
    [2],
  ]);
  await client.close();
});

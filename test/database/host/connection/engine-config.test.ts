import test from 'ava';
import { sharedEngine } from '../../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

test('the engine takes settings of all tables from its configuration', async (t) => {
  const name = 'vertical_merge_algorithm_min_columns_to_activate';
  t.deepEqual(await client.rows(`SELECT toUInt32(value) FROM system.merge_tree_settings WHERE name = '${name}'`), [
    [2],
  ]);
});

import test from 'ava';
import { sharedEngine } from '../../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

test('the engine takes settings of all tables from its configuration', async (t) => {
  const setting = (name: string) =>
    client.rows(`SELECT toUInt32(value) FROM system.merge_tree_settings WHERE name = '${name}'`);
  t.deepEqual(await setting('vertical_merge_algorithm_min_columns_to_activate'), [[2]]);
  // Longer than it takes to notice that a merge could not write its files.
  t.deepEqual(await setting('old_parts_lifetime'), [[10]]);
});

import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { insertNumbers, OwnTables } from '../../../src/database/engine/own-tables.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const create = [
  {
    table: 'sluice.notes',
    definition: `(name String, words Array(String), size UInt8 DEFAULT 7) ENGINE = MergeTree ORDER BY tuple() ${insertNumbers}`,
  },
];

const { endpoint, end } = await sharedEngine();
test.after.always(end);

/** An engine whose first statement fails. */
class FailingFirst extends EngineClient {
  statements = 0;

  override exec(statement: string): Promise<void> {
    this.statements++;
    return this.statements === 1 ? Promise.reject(new Error('The first statement fails.')) : super.exec(statement);
  }
}

test('tables are made once, after a failure with the next call, and rows are read in the order of their inserts', async (t) => {
  const client = new FailingFirst(endpoint);
  t.teardown(() => client.close());
  const tables = new OwnTables(client, create);

  await t.throwsAsync(tables.prepare(), { message: 'The first statement fails.' });
  await Promise.all([tables.prepare(), tables.prepare()]);
  t.is(client.statements, 3, 'one that failed, the database and the table');

  await tables.insert(
    'notes',
    [
      { name: 'b', words: ['x', 'y'] },
      { name: 'a"\n', words: [] },
    ],
    'name, words',
  );
  await tables.insert('notes', [{ name: 'c', words: [], size: undefined }]);
  t.is(client.statements, 3);
  t.deepEqual(
    await client.rows('SELECT name, length(words), size FROM sluice.notes ORDER BY _block_number, _block_offset'),
    [
      ['b', 2, 7],
      ['a"\n', 0, 7],
      ['c', 0, 7],
    ],
  );
});

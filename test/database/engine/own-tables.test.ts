import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import type { Engine } from '../../../src/database/engine/engine.js';
import { insertNumbers, OwnTables } from '../../../src/database/engine/own-tables.js';
import { statementOf } from '../../../src/database/engine/table-change.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const create = [
  `CREATE TABLE IF NOT EXISTS sluice.notes (name String, words Array(String), size UInt8 DEFAULT 7)
   ENGINE = MergeTree ORDER BY tuple() ${insertNumbers}`,
];

const { endpoint, end } = await sharedEngine();
test.after.always(end);

test('tables are made once, after a failure with the next call, and rows are read in the order of their inserts', async (t) => {
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  let statements = 0;
  const failsFirst: Engine = {
    countsLog: false,
    ordersByReceipt: false,
    cluster: undefined,
    nodes: () => [],
    history: client.history,
    keeper: undefined,
    isMissing: false,
    stores: () => client.stores(),
    define: (change) => failsFirst.exec(statementOf(change)),
    exec: (statement) => {
      statements++;
      return statements === 1 ? Promise.reject(new Error('The first statement fails.')) : client.exec(statement);
    },
    rows: (statement) => client.rows(statement),
    bytes: (statement) => client.bytes(statement),
    result: (statement, options) => client.result(statement, options),
    insert: (statement, data) => client.insert(statement, data),
  };
  const tables = new OwnTables(failsFirst, create);

  await t.throwsAsync(tables.prepare(), { message: 'The first statement fails.' });
  await Promise.all([tables.prepare(), tables.prepare()]);
  t.is(statements, 3, 'one that failed, the database and the table');

  await tables.insert('notes (name, words)', [
    { name: 'b', words: ['x', 'y'] },
    { name: 'a"\n', words: [] },
  ]);
  await tables.insert('notes', [{ name: 'c', words: [], size: undefined }]);
  t.is(statements, 3);
  t.deepEqual(
    await client.rows('SELECT name, length(words), size FROM sluice.notes ORDER BY _block_number, _block_offset'),
    [
      ['b', 2, 7],
      ['a"\n', 0, 7],
      ['c', 0, 7],
    ],
  );
});

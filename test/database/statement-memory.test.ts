import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import { startEngine } from '../support/engine.js';

const grouped = (keys: number): string =>
  `SELECT count() FROM (SELECT toString(number) AS text FROM numbers(${keys}) GROUP BY text)`;

test('a statement that needs more memory than it may have is refused for good, and others go on', async (t) => {
  const { endpoint, end } = await startEngine({ maxStatementBytes: 100 * 1024 * 1024 });
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  const error = await t.throwsAsync(client.rows(grouped(20_000_000)));
  t.like(error, { fault: { kind: 'database' } });
  t.is(error?.message, 'The statement needs more memory than one may have, see limits.statementMemory');
  t.deepEqual(await client.rows(grouped(1_000)), [[1_000]]);
});

test('what the engine says holds no part of a statement', async (t) => {
  const { endpoint, end } = await startEngine();
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  for (const sql of [
    "SELECT repeat('x', 10000000000)",
    'SELECT nothing_there FROM numbers(3)',
    "SELECT toInt32('inner text')",
  ]) {
    const error = await t.throwsAsync(client.rows(sql));
    t.notRegex(error?.message ?? '', /SELECT|[Ii]n scope|[Ww]hile (?:executing|processing)/, sql);
  }
});

import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import type { ResultOptions } from '../../src/database/engine/engine.js';
import { startEngine } from '../support/engine/engine.js';
import { formattedQuery } from '../support/engine/formatted-query.js';

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

test('of the queries of a user that hold too much together the largest is ended, and all others go on', async (t) => {
  const { endpoint, end } = await startEngine({ maxUserBytes: 100 * 1024 * 1024 });
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  const run = async (sql: string, options: ResultOptions): Promise<string> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of await client.result(formattedQuery(`${sql} FORMAT TSV`), options)) pieces.push(piece);
    return Buffer.concat(pieces).toString().trim();
  };
  const large = grouped(100_000_000);
  const small = 'SELECT sleep(2.5)';
  const [streamed, whole, own, other] = await Promise.allSettled([
    run(large, { owner: 'eva "ü\n' }),
    run(large, { owner: 'tom', underSeriesLimit: true }),
    run(small, { owner: 'tom' }),
    run(small, {}),
  ]);
  const why = 'The statements of this user need more memory together than they may have, see limits.userMemory';
  for (const ended of [streamed, whole]) t.like(ended, { reason: { fault: { kind: 'database', message: why } } });
  for (const kept of [own, other]) t.deepEqual(kept, { status: 'fulfilled', value: '0' });
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

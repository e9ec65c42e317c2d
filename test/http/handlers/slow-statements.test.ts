import test from 'ava';
import type { SlowStatementList } from '../../../src/model/slow-statement.js';
import { send, startServer, type TestServer } from '../../support/inputs/http-server.js';

const path = '/api/v1/statements';
const list: SlowStatementList = {
  thresholdMs: 1000,
  records: [
    {
      id: 7,
      user: 'ann',
      database: null,
      sql: 'select <1>',
      state: 'done',
      startTime: 1_700_000_000_000,
      waitedMs: 0,
      durationMs: 1234,
      error: null,
    },
  ],
};

test('an administrator is shown the list', async (t) => {
  const asked: string[] = [];
  const server = await startServer(t, {
    slowStatements: async (user) => {
      asked.push(user);
      return list;
    },
  });
  const reply = await send(server, { method: 'GET', path });
  t.is(reply.status, 200);
  t.deepEqual(JSON.parse(reply.text), list);
  t.notRegex(reply.text, /</);
  t.is(asked.length, 1);
});

test('somebody else is told that it is not for them, and a stranger to say who asks', async (t) => {
  const server = await startServer(t);
  const status = async (from: TestServer, more: object) => (await send(from, { method: 'GET', path, ...more })).status;
  t.is(await status(server, {}), 403);
  t.is(await status(server, { auth: false }), 401);
  t.is(await status(server, { headers: { authorization: 'Basic !' } }), 401);
  t.is(await status(await startServer(t, { guard: () => 'all-paused' }), {}), 503);
});

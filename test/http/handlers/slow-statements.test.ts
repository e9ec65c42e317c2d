import test from 'ava';
import type { SlowStatementList } from '../../../src/model/slow-statement.js';
import { ask, type Room, startRoom } from '../../support/doors/http-room.js';

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
  const room = await startRoom(t, {
    slowStatements: async (user) => {
      asked.push(user);
      return list;
    },
  });
  const reply = await ask(room, { method: 'GET', path });
  t.is(reply.status, 200);
  t.deepEqual(JSON.parse(reply.text), list);
  t.notRegex(reply.text, /</);
  t.is(asked.length, 1);
});

test('somebody else is told that it is not for them, and a stranger to say who asks', async (t) => {
  const room = await startRoom(t);
  const status = async (from: Room, more: object) => (await ask(from, { method: 'GET', path, ...more })).status;
  t.is(await status(room, {}), 403);
  t.is(await status(room, { auth: false }), 401);
  t.is(await status(room, { headers: { authorization: 'Basic !' } }), 401);
  t.is(await status(await startRoom(t, { guard: () => 'all-paused' }), {}), 503);
});

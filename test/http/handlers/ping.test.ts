import test from 'ava';
import type { GuardState } from '../../../src/model/exchange.js';
import { ask, startRoom } from '../../support/http-room.js';

test('ping tells the state of the memory guard without asking who calls', async (t) => {
  let state: GuardState = 'normal';
  const room = await startRoom(t, { guard: () => state });
  const statuses = async () => {
    const found: number[] = [];
    for (const query of ['', '?action=query', '?action=x', '?action=QUERY']) {
      const reply = await ask(room, { method: 'GET', path: `/-/ping${query}`, auth: false });
      t.is(reply.headers['content-length'], '0');
      t.is(reply.text, '');
      t.is(reply.headers['retry-after'] !== undefined, reply.status === 503);
      found.push(reply.status);
    }
    return found;
  };
  t.deepEqual(await statuses(), [200, 200, 200, 200]);
  state = 'query-paused';
  t.deepEqual(await statuses(), [200, 503, 200, 200]);
  state = 'all-paused';
  t.deepEqual(await statuses(), [503, 503, 503, 503]);
});

test('ping is 503 while the database hangs', async (t) => {
  const room = await startRoom(t, { isDatabaseHung: () => true });
  t.is((await ask(room, { method: 'GET', path: '/-/ping', auth: false })).status, 503);
});

test('ping tells what is left to be read back from the log', async (t) => {
  const left = new Map([['power', 42]]);
  const room = await startRoom(t, { replay: () => left });
  const reply = await ask(room, { method: 'GET', path: '/-/ping', auth: false });
  t.is(reply.status, 200);
  t.deepEqual(JSON.parse(reply.text), { replay: { power: 42 } });
  left.clear();
  t.is((await ask(room, { method: 'GET', path: '/-/ping', auth: false })).text, '');
});

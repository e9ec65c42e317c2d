import test from 'ava';
import type { ClusterState, GuardState } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { send, startServer } from '../../support/inputs/http-server.js';

test('ping tells the state of the memory guard without asking who calls', async (t) => {
  let state: GuardState = 'normal';
  const server = await startServer(t, { guard: () => state });
  const statuses = async () => {
    const statuses: number[] = [];
    for (const query of ['', '?action=query', '?action=x', '?action=QUERY']) {
      const reply = await send(server, { method: 'GET', path: `/-/ping${query}`, auth: false });
      t.is(reply.headers['content-length'], '0');
      t.is(reply.text, '');
      t.is(reply.headers['retry-after'] !== undefined, reply.status === 503);
      statuses.push(reply.status);
    }
    return statuses;
  };
  t.deepEqual(await statuses(), [200, 200, 200, 200]);
  state = 'query-paused';
  t.deepEqual(await statuses(), [200, 503, 200, 200]);
  state = 'all-paused';
  t.deepEqual(await statuses(), [503, 503, 503, 503]);
});

test('ping is 503 while the database hangs', async (t) => {
  const server = await startServer(t, { isDatabaseHung: () => true });
  t.is((await send(server, { method: 'GET', path: '/-/ping', auth: false })).status, 503);
});

test('ping is 503 with the reason while no write can be logged, and 200 for queries', async (t) => {
  const refused = fault('resource', Codes.free, 'The write-ahead log cannot be written: the disk is full');
  const server = await startServer(t, { refusedWrites: () => refused });
  const reply = await send(server, { method: 'GET', path: '/-/ping', auth: false });
  t.is(reply.status, 503);
  t.deepEqual(JSON.parse(reply.text), { reason: refused.message });
  const queries = await send(server, { method: 'GET', path: '/-/ping?action=query', auth: false });
  t.deepEqual([queries.status, queries.text], [200, '']);
});

test('ping tells what is left to be read back from the log', async (t) => {
  const left = new Map([['power', 42]]);
  const server = await startServer(t, { replay: () => left });
  const reply = await send(server, { method: 'GET', path: '/-/ping', auth: false });
  t.is(reply.status, 200);
  t.deepEqual(JSON.parse(reply.text), { replay: { power: 42 } });
  left.clear();
  t.is((await send(server, { method: 'GET', path: '/-/ping', auth: false })).text, '');
});

test('ping of queries tells how the parts of a cluster answer, and names none of them', async (t) => {
  const nodes = { up: 4, behind: 0, away: 0 };
  let cluster: ClusterState = { isMissing: false, nodes, keeper: 'up' };
  const server = await startServer(t, { cluster: () => cluster });
  const answers = async (): Promise<unknown> => {
    const [plain, queries] = await Promise.all(
      ['', '?action=query'].map((query) => send(server, { method: 'GET', path: `/-/ping${query}`, auth: false })),
    );
    t.deepEqual([plain!.status, plain!.text], [200, '']);
    return [queries!.status, queries!.text === '' ? undefined : JSON.parse(queries!.text)];
  };
  t.deepEqual(await answers(), [200, undefined]);
  cluster = { isMissing: false, nodes, keeper: 'away' };
  t.deepEqual(await answers(), [200, { nodes, keeper: 'away' }]);
  cluster = { isMissing: true, nodes: { up: 2, behind: 0, away: 2 }, keeper: undefined };
  t.deepEqual(await answers(), [503, { nodes: { up: 2, behind: 0, away: 2 } }]);
});

import { once } from 'node:events';
import http from 'node:http';
import test from 'ava';
import { routes } from '../../src/http/routes.js';
import type { Credentials, GuardState } from '../../src/model/exchange.js';
import { type Reply, send, startServer } from '../support/inputs/http-server.js';

const guarded = routes.flatMap((route) => (route.guard === undefined || 'protocol' in route ? [] : [route]));

/** One request to a route, its parameters filled in. */
function asked(
  server: { port: number },
  { method, path }: (typeof guarded)[number],
  more: object = {},
): Promise<Reply> {
  return send(server, { method, path: path.replace(/:\w+/g, 'd'), auth: false, ...more });
}

test('every route that asks who calls is shut by the memory guard before it looks at anything', async (t) => {
  const state: { now: GuardState } = { now: 'all-paused' };
  const server = await startServer(t, { guard: () => state.now });
  for (const route of guarded) {
    const reply = await asked(server, route, { headers: { 'content-encoding': 'gzip, br' } });
    t.deepEqual([reply.status, reply.text], [503, 'memory exceeds threshold'], route.path);
  }
  state.now = 'query-paused';
  for (const route of guarded) {
    const { status } = await asked(server, route);
    t.is(status === 503, route.guard === 'query-paused', route.path);
  }
});

test('every route that asks who calls looks at the credentials before the coding of the body', async (t) => {
  const server = await startServer(t);
  const headers = { 'content-encoding': 'gzip, br' };
  for (const route of guarded) {
    t.is((await asked(server, route, { headers })).status, 401, route.path);
    t.is((await asked(server, route, { headers, auth: true })).status, 415, route.path);
  }
});

test('an empty path parameter is no interface', async (t) => {
  const server = await startServer(t);
  for (const { method, path } of guarded.filter(({ path: at }) => at.includes(':') && at !== '/rest/sql/:db')) {
    const reply = await send(server, { method, path: path.replace(/:\w+/g, '') });
    t.deepEqual([reply.status, reply.text], [404, '404 page not found'], path);
  }
});

test('the credentials of a connection are those of each of its requests', async (t) => {
  const seen: Credentials[] = [];
  const server = await startServer(t, {
    write: ({ request, answer }) => {
      seen.push(request.credentials);
      answer({ outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [] });
    },
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const send = async (query: string, pair: string) => {
    const path = `/lineproto/v1/write?db=d${query}`;
    const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    const request = http.request({ port: server.port, method: 'POST', path, headers, agent });
    request.end('m v=1');
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
  };
  await send('', 'a:1');
  await send('', 'a:1');
  await send('', 'a:2');
  await send('&p=3', 'a:2');
  await send('', 'b:1');
  const pairs = seen.map(
    (credentials) => credentials.scheme === 'password' && `${credentials.user}:${credentials.password}`,
  );
  t.deepEqual(pairs, ['a:1', 'a:1', 'a:2', 'a:3', 'b:1']);
  t.is(seen[0], seen[1]);
});

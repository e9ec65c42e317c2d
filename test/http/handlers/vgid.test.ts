import test from 'ava';
import { send, startServer, type TestServer } from '../../support/inputs/http-server.js';

const get = (server: TestServer, query: string) => send(server, { method: 'GET', path: `/rest/vgid${query}` });
const post = (server: TestServer, database: string, body: string) =>
  send(server, { path: `/rest/sql/${database}/vgid`, body });

test('GET tells the vgroup of one table, POST of many in the order of the request', async (t) => {
  const server = await startServer(t);
  const one = await get(server, '?db=d&table=any');
  t.deepEqual([one.status, one.text], [200, '{"code":0,"vgID":2}']);
  const many = await post(server, 'd', '["a","b","c"]');
  t.deepEqual([many.status, many.text], [200, '{"code":0,"vgIDs":[2,3,4]}']);
});

test('a missing or empty parameter, and an empty list, are 400 with code 65535', async (t) => {
  const server = await startServer(t);
  for (const query of ['', '?db=d', '?table=t', '?db=&table=t', '?db=d&table=']) {
    const reply = await get(server, query);
    t.deepEqual([reply.status, reply.text], [400, '{"code":65535,"desc":"illegal params"}'], query);
  }
  const empty = await post(server, 'd', '[]');
  t.deepEqual([empty.status, empty.text], [400, '{"code":65535,"desc":"illegal params"}']);
  for (const body of ['', '{', '[1]', '[""]', '[null]', '{"a":1}']) {
    const reply = await post(server, 'd', body);
    t.deepEqual([reply.status, JSON.parse(reply.text).code], [400, 65535], body);
  }
  for (const body of ['['.repeat(300_000), `["${'\\\\n'.repeat(300_000)}"]`]) {
    t.is((await post(server, 'd', body)).text, '{"code":65535,"desc":"illegal params"}');
  }
});

test('an unknown database has its own code, and its status when that is asked for', async (t) => {
  const plain = await get(await startServer(t), '?db=nothing&table=t');
  t.deepEqual([plain.status, plain.text], [200, '{"code":904,"desc":"Database not exist"}']);
  const server = await startServer(t, { settings: { httpCodeServerError: true } });
  t.is((await get(server, '?db=nothing&table=t')).status, 500);
  t.is((await post(server, 'nothing', '["t"]')).status, 500);
});

test('both routes want the credentials that the SQL route wants', async (t) => {
  const server = await startServer(t);
  for (const [method, path] of [
    ['GET', '/rest/vgid?db=d&table=t'],
    ['POST', '/rest/sql/d/vgid'],
  ] as const) {
    const nobody = await send(server, { method, path, body: method === 'POST' ? '["t"]' : '', auth: false });
    t.is(nobody.status, 401, path);
    const wrong = await send(server, {
      method,
      path,
      headers: { authorization: 'Basic cm9vdDp3cm9uZw==' },
      auth: false,
    });
    t.deepEqual([wrong.status, JSON.parse(wrong.text).code], [401, 0x0357], path);
  }
});

test('while the memory guard pauses everything both routes are 503', async (t) => {
  const server = await startServer(t, { guard: () => 'all-paused' });
  t.is((await get(server, '?db=d&table=t')).status, 503);
});

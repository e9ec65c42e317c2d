import test from 'ava';
import { ask, type Room, startRoom } from '../../support/doors/http-room.js';

const get = (room: Room, query: string) => ask(room, { method: 'GET', path: `/rest/vgid${query}` });
const post = (room: Room, database: string, body: string) => ask(room, { path: `/rest/sql/${database}/vgid`, body });

test('GET tells the vgroup of one table, POST of many in the order of the request', async (t) => {
  const room = await startRoom(t);
  const one = await get(room, '?db=d&table=any');
  t.deepEqual([one.status, one.text], [200, '{"code":0,"vgID":2}']);
  const many = await post(room, 'd', '["a","b","c"]');
  t.deepEqual([many.status, many.text], [200, '{"code":0,"vgIDs":[2,3,4]}']);
});

test('a missing or empty parameter, and an empty list, are 400 with code 65535', async (t) => {
  const room = await startRoom(t);
  for (const query of ['', '?db=d', '?table=t', '?db=&table=t', '?db=d&table=']) {
    const reply = await get(room, query);
    t.deepEqual([reply.status, reply.text], [400, '{"code":65535,"desc":"illegal params"}'], query);
  }
  const empty = await post(room, 'd', '[]');
  t.deepEqual([empty.status, empty.text], [400, '{"code":65535,"desc":"illegal params"}']);
  for (const body of ['', '{', '[1]', '[""]', '[null]', '{"a":1}']) {
    const reply = await post(room, 'd', body);
    t.deepEqual([reply.status, JSON.parse(reply.text).code], [400, 65535], body);
  }
  for (const body of ['['.repeat(300_000), `["${'\\\\n'.repeat(300_000)}"]`]) {
    t.is((await post(room, 'd', body)).text, '{"code":65535,"desc":"illegal params"}');
  }
});

test('an unknown database has its own code, and its status when that is asked for', async (t) => {
  const plain = await get(await startRoom(t), '?db=nothing&table=t');
  t.deepEqual([plain.status, plain.text], [200, '{"code":904,"desc":"Database not exist"}']);
  const room = await startRoom(t, { settings: { httpCodeServerError: true } });
  t.is((await get(room, '?db=nothing&table=t')).status, 500);
  t.is((await post(room, 'nothing', '["t"]')).status, 500);
});

test('both routes want the credentials that the SQL route wants', async (t) => {
  const room = await startRoom(t);
  for (const [method, path] of [
    ['GET', '/rest/vgid?db=d&table=t'],
    ['POST', '/rest/sql/d/vgid'],
  ] as const) {
    const nobody = await ask(room, { method, path, body: method === 'POST' ? '["t"]' : '', auth: false });
    t.is(nobody.status, 401, path);
    const wrong = await ask(room, { method, path, headers: { authorization: 'Basic cm9vdDp3cm9uZw==' }, auth: false });
    t.deepEqual([wrong.status, JSON.parse(wrong.text).code], [401, 0x0357], path);
  }
});

test('while the memory guard pauses everything both routes are 503', async (t) => {
  const room = await startRoom(t, { guard: () => 'all-paused' });
  t.is((await get(room, '?db=d&table=t')).status, 503);
});

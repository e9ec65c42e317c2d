import test from 'ava';
import { EngineClient } from '../../src/database/engine/client.js';
import type { ListedDocument, WholeDocument } from '../../src/model/document.js';
import { basic, basicOf, engineSecret, startService } from '../support/service/service.js';

// In a process of its own: it has a second service on the same engine.
const { service, end } = await startService();
const neighbour = await service.attach();
const engine = new EngineClient({ url: service.engineUrl, user: 'default', password: engineSecret });
test.after.always(async () => {
  await engine.close();
  await neighbour.stop();
  await end();
});

const [ann, bob] = [basicOf('ann', 'Secret-12345'), basicOf('bob', 'Secret-12345')];
test.before(async () => {
  for (const name of ['ann', 'bob']) await service.run(`CREATE USER ${name} PASS 'Secret-12345'`);
});

const panel = { title: 'T', language: 'sql', query: 'SELECT 1', database: '', graph: 'lines', width: 6, height: 4 };
const query = { language: 'sql', query: "SELECT '<ø>\n' FROM t", database: 'd' };

interface Options {
  readonly auth?: string;
  readonly body?: unknown;
  readonly of?: typeof service;
}

async function call(method: string, path: string, { auth = ann, body, of = service }: Options = {}) {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const reply = await of.request({ method, path: `/api/v1/${path}`, body: text, auth });
  return { status: reply.status, headers: reply.headers, text: reply.text };
}

/** The answer as JSON; fails unless it has the status. */
async function read<T>(status: number, method: string, path: string, options?: Options): Promise<T> {
  const reply = await call(method, path, options);
  if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  const answer: T = JSON.parse(reply.text);
  return answer;
}

async function names(path: string, auth: string, of = service): Promise<readonly string[]> {
  const { records } = await read<{ records: ListedDocument[] }>(200, 'GET', path, { auth, of });
  return records.map(({ name }) => name);
}

test.serial('what is stored comes back as it was sent, through every service on the database', async (t) => {
  const created = await call('POST', 'saved-queries', { body: { name: 'Mine', content: query } });
  t.is(created.status, 201, created.text);
  const { id, version }: ListedDocument = JSON.parse(created.text);
  t.is(created.headers.location, `/api/v1/saved-queries/${id}`);
  t.is(version, 1);
  const whole = await read<WholeDocument>(200, 'GET', `saved-queries/${id}`, { of: neighbour });
  t.like(whole, { name: 'Mine', owner: 'ann', shared: false, version: 1, updatedBy: 'ann', mayChange: true });
  t.deepEqual(whole.content, query);
  t.is((await call('GET', `dashboards/${id}`)).status, 404, 'it is of another kind');
});

test.serial(
  'a private document does not exist for others, a shared one is read by all and changed by its owner',
  async (t) => {
    const body = { name: 'Board', content: { panels: [panel] } };
    const { id } = await read<ListedDocument>(201, 'POST', 'dashboards', { body });
    const path = `dashboards/${id}`;
    t.deepEqual(await names('dashboards', bob), []);
    t.deepEqual(await names('dashboards', basic), ['Board']);
    const changed = { ...body, shared: true, version: 1 };
    for (const [method, sent] of [['GET'], ['PUT', changed], ['DELETE']] as const) {
      const target = method === 'DELETE' ? `${path}?version=1` : path;
      const reply = await call(method, target, { auth: bob, body: sent });
      t.is(reply.status, 404, `${method}: ${reply.text}`);
      t.deepEqual(JSON.parse(reply.text), { code: 0x1203, desc: `Dashboard "${id}" does not exist` });
    }
    t.like(await read<ListedDocument>(200, 'PUT', path, { body: changed }), { version: 2, shared: true });
    t.like(await read<WholeDocument>(200, 'GET', path, { auth: bob }), { mayChange: false, content: body.content });
    t.is((await call('PUT', path, { auth: bob, body: { ...changed, version: 2 } })).status, 403);
    t.is((await call('DELETE', `${path}?version=2`, { auth: bob })).status, 403);
    const byRoot = await read<ListedDocument>(200, 'PUT', path, { auth: basic, body: { ...changed, version: 2 } });
    t.like(byRoot, { version: 3, owner: 'ann', updatedBy: 'root', mayChange: true });
    t.is((await call('DELETE', `${path}?version=3`)).status, 204);
    t.is((await call('GET', path)).status, 404);
  },
);

test.serial(
  'of changes of one version at once, through two services, one is stored and all others are refused',
  async (t) => {
    const { id } = await read<ListedDocument>(201, 'POST', 'saved-queries', { body: { name: 'Race', content: query } });
    const path = `saved-queries/${id}`;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => {
        const content = { ...query, query: `SELECT ${at}` };
        const body = { name: `Race ${at}`, shared: false, version: 1, content };
        return call('PUT', path, { body, of: at % 2 === 0 ? service : neighbour });
      }),
    );
    t.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409, 409, 409]);
    const winner = replies.findIndex(({ status }) => status === 200);
    const whole = await read<WholeDocument>(200, 'GET', path, { of: neighbour });
    t.like(whole, { version: 2, name: `Race ${winner}`, content: { query: `SELECT ${winner}` } });
    t.regex(replies.find(({ status }) => status === 409)?.text ?? '', /has version 2 by now, by ann; version 1 cannot/);
    t.is((await call('DELETE', `${path}?version=1`)).status, 409);
  },
);

test.serial('bad requests are refused with the place of the mistake', async (t) => {
  const content = { panels: [{ ...panel, width: 0 }] };
  for (const [method, path, body, status, message] of [
    ['POST', 'dashboards', '{', 400, 'the body is not JSON'],
    ['POST', 'dashboards', '', 400, 'the body is not JSON'],
    [
      'POST',
      'dashboards',
      { name: 'x', content },
      400,
      'body.content.panels[0].width must be a whole number from 1 to 12, not 0',
    ],
    ['POST', 'saved-queries', { name: 'x', content: { panels: [] } }, 400, 'body.content must have the key language'],
    ['PUT', 'saved-queries/x', { name: 'x', shared: true, content: query }, 400, 'body must have the key version'],
    ['DELETE', 'saved-queries/x', '', 400, 'parameter version is missing: the version that was read'],
    ['DELETE', 'saved-queries/x?version=1', '', 404, 'Saved query "x" does not exist'],
    ['POST', 'dashboards', 'x'.repeat(262_145), 400, 'request body too long, the limit is 262144 bytes'],
  ] as const) {
    const reply = await call(method, path, { body });
    t.is(reply.status, status, reply.text);
    t.is(JSON.parse(reply.text).desc, message);
  }
  t.is((await call('GET', 'dashboards', { auth: basicOf('ann', 'wrong') })).status, 401);
});

test.serial('contents that no document has are removed once they are an hour old', async (t) => {
  const { id } = await read<ListedDocument>(201, 'POST', 'saved-queries', { body: { name: 'Old', content: query } });
  const stored = async (): Promise<readonly string[]> =>
    (await engine.rows('SELECT toString(id) FROM sluice.documents WHERE stored < now() - 3600')).map(([key]) =>
      String(key),
    );
  const insert = { table: 'sluice.documents', columns: 'id, content, stored', format: 'JSONEachRow' };
  await engine.insert(
    insert,
    Buffer.from(`{"id": 7, "content": "{}", "stored": ${Math.floor(Date.now() / 1000) - 3700}}`),
  );
  t.deepEqual(await stored(), ['7']);
  const body = { name: 'Old', shared: false, version: 1, content: query };
  await read(200, 'PUT', `saved-queries/${id}`, { body });
  t.deepEqual(await stored(), []);
  t.deepEqual((await read<WholeDocument>(200, 'GET', `saved-queries/${id}`)).content, query);
});

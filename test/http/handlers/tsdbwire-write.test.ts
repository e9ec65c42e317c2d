import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import {
  basic,
  password,
  type Reply,
  type RequestParts,
  type ServerOptions,
  send,
  startServer,
  user,
} from '../../support/inputs/http-server.js';

interface Seen {
  readonly request: WriteRequest;
  readonly body: string;
}

/** Reads every body to its end, remembers it, and answers with one delivery. */
function recording(seen: Seen[], delivery: Delivery = delivered(1)): ServerOptions {
  return {
    write: (exchange) => {
      text(exchange.request.body).then(
        (body) => {
          seen.push({ request: exchange.request, body });
          exchange.answer(delivery);
        },
        () => exchange.refuse(fault('database', Codes.free, 'the pipeline stumbled')),
      );
    },
  };
}

const telnet = '/tsdbwire/v1/put/telnet/demo';

function put(server: { port: number }, path = telnet, more: RequestParts = {}): Promise<Reply> {
  return send(server, { path, body: 'm 1700000000 1 a=b\n', ...more });
}

test('a write that is stored is 204 without a body, and carries what the request said', async (t) => {
  const seen: Seen[] = [];
  const settings = { tsdbwire: { enable: true, createDatabase: true, db: 'own' } };
  const server = await startServer(t, { ...recording(seen), settings });
  const reply = await put(server, '/tsdbwire/v1/put/telnet/De%20mo?ttl=7&details&sync&summary');
  t.deepEqual([reply.status, reply.body.length], [204, 0]);
  t.is(seen[0]?.body, 'm 1700000000 1 a=b\n');
  t.is(seen[0]?.request.format, 'tsdbwire-telnet');
  t.like(seen[0]?.request.target, { database: 'De mo', createDatabase: true, ttl: 7 });
  const body = gzipSync('m 1700000001 1 a=b\n');
  t.is((await put(server, telnet, { body, headers: { 'content-encoding': 'gzip' } })).status, 204);
  t.is(seen[1]?.body, 'm 1700000001 1 a=b\n');
});

test('bad credentials are refused in the words of this interface', async (t) => {
  const server = await startServer(t);
  const base64 = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const cases = [
    [undefined, 401, 'auth needed'],
    ['Digest abc', 401, 'unsupported auth type'],
    ['Bearer abc', 401, '[0x357] Authentication failure'],
    ['Custom abc', 401, 'invalid custom Authorization'],
    ['Basic !!!', 401, 'wrong basic auth'],
    [base64('root'), 401, 'wrong basic auth'],
    [base64(':x'), 400, 'no auth info found'],
    [base64('root:'), 400, 'no auth info found'],
    [base64('root:wrong'), 401, '[0x357] Authentication failure'],
  ] as const;
  for (const [authorization, status, message] of cases) {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await put(server, telnet, { auth: false, headers });
    t.deepEqual([reply.status, reply.text], [status, JSON.stringify({ code: status, message, desc: message })]);
  }
});

test('tokens and login codes are taken, whatever the case of the scheme', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, recording(seen));
  const login = await send(server, { method: 'GET', path: '/rest/login/root/pass:word', auth: false });
  for (const authorization of [
    'Bearer abc',
    `Custom ${JSON.parse(login.text).desc}`,
    basic.replace('Basic', 'basic'),
  ]) {
    t.is((await put(server, telnet, { auth: false, headers: { authorization } })).status, 204, authorization);
  }
  const known = { scheme: 'password', user, password, from: '127.0.0.1' };
  t.deepEqual<unknown, unknown>(
    seen.map(({ request }) => request.credentials),
    [{ scheme: 'token', token: 'abc', from: '127.0.0.1' }, known, known],
  );
});

test('bad parameters are 400 and say which', async (t) => {
  const server = await startServer(t);
  for (const name of ['req_id', 'ttl']) {
    const reply = await put(server, `${telnet}?${name}=soon`);
    const message = `illegal param, ${name} must be numeric`;
    t.deepEqual([reply.status, reply.text], [400, JSON.stringify({ code: 400, message, desc: message })]);
  }
  const reply = await put(server, `${telnet}?ttl=99999999999`);
  t.is(reply.status, 400);
  t.is(JSON.parse(reply.text).message, 'illegal param, ttl must be at most 2147483647');
});

test('bad lines, what trying again cannot help and what it can help have different answers', async (t) => {
  const bad = { row: 2, fault: fault('parameter', Codes.schemalessData, 'the point has no tags (column 9)') };
  const cases: [Delivery, number, string][] = [
    [delivered(3, 1, [bad]), 400, 'line 3: [0x3002] the point has no tags (column 9) (1 rejected, 3 written)'],
    [{ outcome: 'rejected', fault: fault('database', Codes.free, 'no') }, 400, '[0xffff] no'],
    [
      { outcome: 'rejected', fault: fault('database', Codes.databaseNotExist, 'Database not exist') },
      404,
      '[0x388] Database not exist',
    ],
    [{ outcome: 'failed', fault: fault('network', Codes.networkUnavailable, 'down') }, 503, '[0xb] down'],
    [{ outcome: 'failed', fault: fault('database', Codes.free, 'broken') }, 500, '[0xffff] broken'],
    [{ outcome: 'shed', reason: 'queue-full' }, 503, 'write queue is full'],
  ];
  for (const [delivery, status, message] of cases) {
    const reply = await put(await startServer(t, recording([], delivery)));
    t.deepEqual([reply.status, reply.text], [status, JSON.stringify({ code: status, message, desc: message })]);
    t.is(reply.headers['retry-after'], status === 503 ? '5' : undefined);
  }
});

test('a body that is not what its headers promise is 400, a strange coding 415', async (t) => {
  const server = await startServer(t, recording([]));
  const bad = await put(server, telnet, { headers: { 'content-encoding': 'gzip' } });
  t.deepEqual(
    [bad.status, bad.text],
    [
      400,
      '{"code":400,"message":"request body is not valid gzip or deflate data","desc":"request body is not valid gzip or deflate data"}',
    ],
  );
  t.is((await put(server, telnet, { headers: { 'content-encoding': 'gzip, br' } })).status, 415);
});

test('the memory guard refuses before anything else', async (t) => {
  const server = await startServer(t, { guard: () => 'all-paused' });
  const reply = await put(server, telnet, { auth: false });
  t.deepEqual([reply.status, reply.text], [503, 'memory exceeds threshold']);
  t.is(reply.headers['retry-after'], '120');
});

test('no database, another method and an input that is switched off do not exist', async (t) => {
  const server = await startServer(t);
  t.is((await put(server, '/tsdbwire/v1/put/telnet')).status, 404);
  t.is((await put(server, '/tsdbwire/v1/put/telnet/')).status, 404);
  t.is((await send(server, { method: 'GET', path: telnet })).status, 404);
  const off = await startServer(t, { settings: { tsdbwire: { enable: false, createDatabase: false, db: 'own' } } });
  t.is((await put(off)).status, 404);
});

test('the path of OpenTSDB takes points for the database that is named, and counts them when asked', async (t) => {
  const seen: Seen[] = [];
  const bad = { row: 1, fault: fault('parameter', Codes.schemalessData, 'no tags') };
  const settings = { tsdbwire: { enable: true, createDatabase: false, db: 'own' } };
  const server = await startServer(t, { ...recording(seen), settings });
  const cases: [string, Readonly<Record<string, string>>, string][] = [
    ['/api/put', {}, 'own'],
    ['/api/put', { 'x-sluice-db': 'by_header' }, 'by_header'],
    ['/api/put?db=by_parameter', { 'x-sluice-db': 'by_header' }, 'by_parameter'],
  ];
  for (const [path, headers, database] of cases) {
    t.is((await put(server, path, { headers })).status, 204);
    t.like(seen.pop()?.request, { format: 'opentsdb-json', target: { database, createDatabase: false } });
  }
  const shown = async (path: string, of = server) => {
    const { status, text } = await put(of, path);
    return `${status} ${text}`;
  };
  t.is(await shown('/api/put?summary'), '200 {"success":1,"failed":0}');
  t.is(await shown('/api/put?details=true'), '200 {"success":1,"failed":0,"errors":[]}');
  const some = await startServer(t, recording([], delivered(3, 1, [bad])));
  const message = 'object 2: [0x3002] no tags (1 rejected, 3 written)';
  t.is(
    await shown('/api/put', some),
    `400 {"error":{"code":400,"message":"${message}"},"code":12290,"desc":"${message}"}`,
  );
  t.is(await shown('/api/put?summary', some), '400 {"success":3,"failed":1}');
  const error = 'object 2: no tags';
  t.is(await shown('/api/put?details', some), `400 {"success":3,"failed":1,"errors":[{"error":"${error}"}]}`);
  const texts = ['{"metric":"m"}', '{"metric":"m...', undefined];
  const rejects = texts.map((text) => ({ ...bad, ...(text !== undefined && { text }) }));
  const shownPoints = await startServer(t, recording([], delivered(3, 4, rejects)));
  t.is(
    await shown('/api/put?details', shownPoints),
    `400 {"success":3,"failed":4,"errors":[{"datapoint":{"metric":"m"},"error":"${error}"},{"error":"${error}"},{"error":"${error}"}]}`,
  );
  const nobody = await put(server, '/api/put', { auth: false });
  t.is(
    `${nobody.status} ${nobody.text}`,
    '401 {"error":{"code":401,"message":"auth needed"},"code":4357,"desc":"auth needed"}',
  );
});

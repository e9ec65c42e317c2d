import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { SqlAnswer, SqlRequest } from '../../../src/model/exchange.js';
import {
  connect,
  isKnown,
  type Reply,
  rows,
  type ServerOptions,
  send,
  sendSql,
  startServer,
  wrongPassword,
} from '../../support/inputs/http-server.js';

/** Remembers the requests that came through and answers each with one row. */
function recording(seen: SqlRequest[], answer: () => SqlAnswer = () => rows('[1]\n')): ServerOptions {
  return {
    sql: (exchange) => {
      seen.push(exchange.request);
      if (!isKnown(exchange.request.credentials)) exchange.refuse(wrongPassword);
      else exchange.answer(answer());
    },
  };
}

function codeOf(reply: Reply): unknown {
  return JSON.parse(reply.text).code;
}

function descOf(reply: Reply): string {
  return JSON.parse(reply.text).desc;
}

test('a request without Authorization is 401 with code 4357 and names the scheme to use', async (t) => {
  const reply = await sendSql(await startServer(t), 'select 1', { auth: false });
  t.is(reply.status, 401);
  t.is(reply.text, '{"code":4357,"desc":"no auth info input"}');
  t.is(reply.headers['www-authenticate'], 'Basic realm="adapter"');
  t.is(reply.headers['content-length'], String(reply.body.length));
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
});

test('malformed Authorization headers are 401 with their own codes', async (t) => {
  const server = await startServer(t);
  const cases = [
    ['Basic !!!', 4388],
    [`Basic ${Buffer.from('nocolon').toString('base64')}`, 4388],
    [`Basic ${Buffer.from('root:').toString('base64')}`, 4388],
    ['Digest x', 4386],
    ['Custom AAAA', 4389],
  ] as const;
  for (const [authorization, code] of cases) {
    const reply = await sendSql(server, 'select 1', { headers: { authorization } });
    t.is(reply.status, 401);
    t.is(codeOf(reply), code);
  }
});

test('a wrong password is 401 with code 855 in both status modes', async (t) => {
  const authorization = `Basic ${Buffer.from('root:wrong').toString('base64')}`;
  for (const httpCodeServerError of [false, true]) {
    const server = await startServer(t, { settings: { httpCodeServerError } });
    const reply = await sendSql(server, 'select 1', { headers: { authorization } });
    t.is(reply.status, 401);
    t.is(reply.text, '{"code":855,"desc":"Authentication failure"}');
    t.truthy(reply.headers['www-authenticate']);
  }
});

test('an empty body is 400 with code 4358 and a blank one 400 with code 4359', async (t) => {
  const server = await startServer(t);
  const empty = await sendSql(server, '');
  t.deepEqual([empty.status, empty.text], [400, '{"code":4358,"desc":"request is empty"}']);
  const blank = await sendSql(server, '  \n');
  t.deepEqual([blank.status, blank.text], [400, '{"code":4359,"desc":"no sql input"}']);
});

test('a bad req_id is reported before missing credentials', async (t) => {
  const server = await startServer(t);
  for (const id of ['a%20b', '%0a', '%207']) {
    const reply = await sendSql(server, 'select 1', { auth: false, path: `/rest/sql?req_id=${id}` });
    t.is(reply.status, 400);
    t.is(codeOf(reply), 65535);
    t.true(descOf(reply).startsWith('illegal param, req_id must have at most 128'));
  }
});

test('missing credentials are reported before a bad time zone and an empty body', async (t) => {
  const reply = await sendSql(await startServer(t), '', {
    auth: false,
    path: '/rest/sql?tz=No/Where&row_with_meta=maybe',
  });
  t.is(codeOf(reply), 4357);
});

test('a bad time zone is reported before row_with_meta, and that before the body', async (t) => {
  const server = await startServer(t);
  const zone = await sendSql(server, '', { path: '/rest/sql?tz=Nowhere/City&row_with_meta=maybe' });
  t.deepEqual([zone.status, zone.text], [400, '{"code":65535,"desc":"unknown time zone Nowhere/City"}']);
  const flag = await sendSql(server, '', { path: '/rest/sql?row_with_meta=maybe' });
  t.is(flag.status, 400);
  t.true(descOf(flag).startsWith('illegal param, row_with_meta must be boolean'));
});

test('parameters, database and trimmed statement reach the pipeline', async (t) => {
  const seen: SqlRequest[] = [];
  const server = await startServer(t, recording(seen));
  await sendSql(server, ' \t select 1 \r\n', { path: '/rest/sql/My%20%60Db?tz=Asia/Tokyo&row_with_meta=T&req_id=-3' });
  const [request] = seen;
  t.is(request?.statement.toString(), 'select 1');
  t.is(request?.database, 'My `Db');
  t.is(request?.timeZone, 'Asia/Tokyo');
  t.is(request?.form, 'objects');
  t.is(request?.rowLimit, -1);
});

test('a connection zone is that of the output too, and tz is not looked at beside it', async (t) => {
  const seen: SqlRequest[] = [];
  const server = await startServer(t, recording(seen));
  await sendSql(server, 'select 1', { path: '/rest/sql?tz=nonsense&conn_tz=Asia/Tokyo' });
  await sendSql(server, 'select 1', { path: '/rest/sql?tz=Asia/Tokyo' });
  t.deepEqual(
    seen.map(({ timeZone, connectionZone }) => [timeZone, connectionZone]),
    [
      ['Asia/Tokyo', 'Asia/Tokyo'],
      ['Asia/Tokyo', undefined],
    ],
  );
  const unknown = await sendSql(server, '', { path: '/rest/sql?conn_tz=Nowhere/City' });
  t.deepEqual([unknown.status, unknown.text], [400, '{"code":65535,"desc":"unknown time zone Nowhere/City"}']);
});

test('defaults are no database, UTC and rows as arrays', async (t) => {
  const seen: SqlRequest[] = [];
  const server = await startServer(t, recording(seen));
  await sendSql(server, 'select 1', { path: '/rest/sql?tz=&row_with_meta=&req_id=' });
  const [request] = seen;
  t.deepEqual([request?.database, request?.timeZone, request?.form], [undefined, 'UTC', 'arrays']);
});

test('the first of repeated parameters wins', async (t) => {
  const seen: SqlRequest[] = [];
  await sendSql(await startServer(t, recording(seen)), 'select 1', { path: '/rest/sql?tz=Asia/Tokyo&tz=Bad' });
  t.is(seen[0]?.timeZone, 'Asia/Tokyo');
});

test('the exchange carries the given request id as hexadecimal digits, or a fresh one', async (t) => {
  const ids: string[] = [];
  const server = await startServer(t, {
    sql: (exchange) => {
      ids.push(exchange.id);
      exchange.answer(rows());
    },
  });
  for (const id of ['255', '%2B7', '-1', '0', ''])
    await sendSql(server, 'select 1', { path: `/rest/sql?req_id=${id}` });
  t.deepEqual(ids.slice(0, 3), ['0xff', '0x7', '0xffffffffffffffff']);
  t.regex(ids[3] ?? '', /^0x20[0-9a-f]{14}$/);
  t.not(ids[3], ids[4]);
});

test('a gzip body is inflated, layer by layer, whatever case the header has', async (t) => {
  const seen: SqlRequest[] = [];
  const server = await startServer(t, recording(seen));
  const once = gzipSync('select 1');
  const twice = gzipSync(once);
  for (const [body, encoding] of [
    [once, 'gzip'],
    [once, 'GZip'],
    [twice, 'gzip, gzip'],
  ] as const) {
    const reply = await send(server, { body, headers: { 'content-encoding': encoding } });
    t.is(reply.status, 200);
  }
  t.deepEqual(
    seen.map((request) => request.statement.toString()),
    ['select 1', 'select 1', 'select 1'],
  );
});

test('a body that is not the gzip data it claims to be is 400, another coding beside gzip 415', async (t) => {
  const server = await startServer(t);
  const plain = await sendSql(server, 'select 1', { headers: { 'content-encoding': 'gzip' } });
  t.is(plain.status, 400);
  t.is(codeOf(plain), 65535);
  const cut = await send(server, {
    body: gzipSync('select 1').subarray(0, 15),
    headers: { 'content-encoding': 'gzip' },
  });
  t.is(cut.status, 400);
  const mixed = await sendSql(server, 'select 1', { headers: { 'content-encoding': 'gzip, br' } });
  t.is(mixed.status, 415);
  t.is(codeOf(mixed), 65535);
});

test('other codings are not touched', async (t) => {
  const seen: SqlRequest[] = [];
  await sendSql(await startServer(t, recording(seen)), 'select 1', { headers: { 'content-encoding': 'deflate' } });
  t.is(seen[0]?.statement.toString(), 'select 1');
});

test('a statement above the limit is 400 with code 537, announced, chunked or inflated', async (t) => {
  const server = await startServer(t, { settings: { sqlBytes: 100_000 } });
  const long = 'x'.repeat(100_001);
  const answers = [
    await sendSql(server, long),
    await sendSql(server, long, { headers: { 'transfer-encoding': 'chunked' } }),
    await send(server, { body: gzipSync(Buffer.alloc(200_000_000)), headers: { 'content-encoding': 'gzip' } }),
  ];
  for (const reply of answers) t.deepEqual([reply.status, codeOf(reply)], [400, 537]);
  t.is((await sendSql(server, 'x'.repeat(100_000))).status, 200);
});

test('a stranger who announces a long statement is refused before it is read', async (t) => {
  const server = await startServer(t);
  const { socket, received } = connect(server);
  const stranger = Buffer.from('root:wrong-password').toString('base64');
  socket.write(
    `POST /rest/sql HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${stranger}\r\nContent-Length: 900000\r\n\r\nselect`,
  );
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (chunk) => resolve(chunk.toString('latin1'))),
  );
  t.regex(answer, /^HTTP\/1\.1 401 /);
  socket.destroy();
  await received;
});

test('everything paused refuses before any other check', async (t) => {
  const server = await startServer(t, { guard: () => 'all-paused' });
  const reply = await sendSql(server, '', { auth: false, path: '/rest/sql?req_id=x' });
  t.deepEqual([reply.status, reply.text], [503, 'memory exceeds threshold']);
  t.is(reply.headers['retry-after'], '120');
  t.is(reply.headers['content-type'], 'text/plain; charset=utf-8');
});

test('paused queries are refused by their first keyword before they run; the rest goes on', async (t) => {
  const seen: SqlRequest[] = [];
  const server = await startServer(t, { ...recording(seen), guard: () => 'query-paused' });
  for (const statement of [
    'select 1',
    'SHOW databases',
    'desc t',
    ' Describe t',
    '/* x */ -- y\n(select 1)',
    'explain x',
  ]) {
    const reply = await sendSql(server, statement);
    t.deepEqual([reply.status, reply.text], [503, 'query memory exceeds threshold'], statement);
    t.is(reply.headers['retry-after'], '120');
  }
  t.is(seen.length, 0);
  for (const statement of ['insert into t values (1)', 'create table selected (ts timestamp)', 'descending']) {
    t.is((await sendSql(server, statement)).status, 200);
  }
});

test('the content type of a request does not matter, however strange', async (t) => {
  const server = await startServer(t);
  for (const type of [
    'text/plain',
    'application/json',
    'application/x-www-form-urlencoded',
    ';;;',
    'x/y; charset=\u00ff',
  ]) {
    t.is((await sendSql(server, 'select 1', { headers: { 'content-type': type } })).status, 200, type);
  }
});

test('a trailing slash is redirected with method, body and query kept', async (t) => {
  const reply = await sendSql(await startServer(t), 'select 1', { path: '/rest/sql/?tz=UTC' });
  t.deepEqual([reply.status, reply.headers.location], [307, '/rest/sql?tz=UTC']);
});

test('a mistake in a pipeline is 500 without details, and is logged', async (t) => {
  const server = await startServer(t, {
    sql: () => {
      throw new Error('a secret inside');
    },
  });
  const reply = await sendSql(server, 'select 1');
  t.deepEqual([reply.status, reply.text], [500, '{"code":65535,"desc":"internal error"}']);
  t.is(server.log.filter((line) => line.level === 'error').length, 1);
});

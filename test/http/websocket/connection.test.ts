import { once } from 'node:events';
import test from 'ava';
import { WebSocket } from 'ws';
import { version } from '../../../src/model/version.js';
import { buildServer, connect, password, send, startServer, user } from '../../support/inputs/http-server.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { until } from '../../support/until.js';

const known = { user, password };

test('a client asks for the version, logs in once, and keeps the state of its connection', async (t) => {
  const { port } = await startServer(t);
  const client = await SocketClient.open(port);
  const { version: told, code, action } = await client.request('version');
  t.deepEqual([code, action, told], [0, 'version', version]);
  t.like(await client.request('get_current_db'), { code: 0xffff, message: 'server not connected' });
  t.like(await client.request('conn', { user, password: 'wrong' }), { code: 0x0357, action: 'conn' });
  t.like(await client.request('conn', { ...known, mode: 1 }), { code: 0xffff, message: 'unexpected mode: 1' });
  t.like(await client.request('conn', { ...known, tz: 'Mars/Base' }), { code: 0xffff });
  t.like(await client.request('conn', { ...known, db: 'd', tz: 'Asia/Tokyo', app: 'a', mode: 0 }), { code: 0 });
  t.like(await client.request('conn', known), { code: 0xffff, message: 'duplicate connections' });
  t.like(await client.request('get_connection_info'), { code: 0, user, db: 'd', tz: 'Asia/Tokyo', app: 'a' });
  client.socket.close();
});

test('request ids of 64 bits come back exactly, wherever they stand', async (t) => {
  const { port } = await startServer(t);
  const client = await SocketClient.open(port);
  client.socket.send('{"action":"version","args":{"req_id":18446744073709551615}}');
  t.is((await client.reply(2n ** 64n - 1n)).action, 'version');
  client.socket.send('{"action":"version","req_id":9007199254740993}');
  t.is((await client.reply(9007199254740993n)).action, 'version');
  client.socket.close();
});

test('options of a connection are set together or not at all', async (t) => {
  const { port } = await startServer(t);
  const client = await SocketClient.logIn(port, known);
  const zone = { option: 1, value: 'Asia/Tokyo' };
  t.like(await client.request('options_connection', { options: [zone, { option: 9, value: 'x' }] }), {
    code: 0xffff,
    message: 'unknown option 9',
  });
  t.not((await client.request('get_connection_info')).tz, 'Asia/Tokyo');
  t.like(await client.request('options_connection', { options: [zone, { option: 3, value: 'app' }] }), { code: 0 });
  t.like(await client.request('get_connection_info'), { tz: 'Asia/Tokyo', app: 'app' });
  client.socket.close();
});

test('what is no request, and what no action is named, gets an error and loses nothing else', async (t) => {
  const { port } = await startServer(t);
  const client = await SocketClient.logIn(port, known);
  for (const bad of ['', 'x', '[]', '1', 'null', '{}', '{"action":1}', '{"action":"conn","args":[]}']) {
    client.messages.length = 0;
    client.socket.send(bad);
    t.true(await until(() => client.messages.length === 1), bad);
    t.like(JSON.parse(String(client.messages[0])), { code: 0xffff, req_id: 0 }, bad);
  }
  t.like(await client.request('flush_all'), {
    code: 0xffff,
    action: 'flush_all',
    message: 'unknown action "flush_all"',
  });
  for (const length of [0, 1, 23]) {
    client.messages.length = 0;
    client.socket.send(Buffer.alloc(length));
    t.true(await until(() => client.messages.length === 1));
    t.like(JSON.parse(String(client.messages[0])), { code: 0xffff, message: 'message length is too short' });
  }
  const id = client.send(200, 0n, Buffer.alloc(10));
  t.like(await client.reply(id), { code: 0xffff, message: 'unknown binary action 200' });
  t.like(await client.request('get_current_db'), { code: 0 });
  client.socket.close();
});

test('a path of WebSocket without an upgrade, an upgrade of another path, and other protocols are answered over HTTP', async (t) => {
  const server = await startServer(t);
  t.is((await send(server, { path: '/ws', method: 'GET' })).status, 426);
  await t.throwsAsync(SocketClient.open(server.port, '/metrics'), { message: '200' });
  await t.throwsAsync(SocketClient.open(server.port, '/nowhere'), { message: '404' });
  const { socket, received } = connect(server);
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  socket.write(
    `POST /rest/sql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\nAuthorization: Basic ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`,
  );
  t.regex(await received, /^HTTP\/1\.1 200 OK/);
});

test('while memory is short no connection opens, and none is read', async (t) => {
  let state: 'normal' | 'all-paused' = 'normal';
  const server = await startServer(t, { guard: () => state });
  const client = await SocketClient.logIn(server.port, known);
  state = 'all-paused';
  await t.throwsAsync(SocketClient.open(server.port), { message: '503' });
  const first = await client.request('get_current_db');
  t.is(first.code, 0);
  const second = client.request('get_current_db');
  state = 'normal';
  t.is((await second).code, 0);
  client.socket.close();
});

test('a page of another origin opens a connection only with cors.allowWebSockets', async (t) => {
  const { port } = await startServer(t);
  const { port: open } = await startServer(t, { cors: { allowWebSockets: true } });
  const origin = 'http://other.example';
  await t.throwsAsync(SocketClient.open(port, '/ws', { origin }), { message: '403' });
  for (const [at, from] of [
    [open, origin],
    [port, `http://127.0.0.1:${port}`],
  ] as const) {
    (await SocketClient.open(at, '/ws', { origin: from })).socket.close();
  }
  t.pass();
});

test('a user who may not stay loses the connection', async (t) => {
  let mayStay = true;
  const { port } = await startServer(t, { mayStay: () => mayStay });
  const client = await SocketClient.logIn(port, known);
  mayStay = false;
  t.is(await client.closed(), 1008);
});

test('a client that has not logged in may send little', async (t) => {
  const { port } = await startServer(t);
  const client = await SocketClient.open(port);
  client.socket.send('x'.repeat(70_000));
  t.is(await client.closed(), 1008);
});

test('a server that drains closes its connections, and the end of an upgrade is counted once', async (t) => {
  const ended: string[] = [];
  const server = buildServer(
    {
      observer: {
        begun: () => undefined,
        ended: ({ route, method, status }) => ended.push(`${method} ${route} ${status}`),
        refused: () => undefined,
      },
    },
    [],
  );
  const port = await server.start();
  const client = await SocketClient.logIn(port, known);
  t.like(await client.request('nothing'), { code: 0xffff });
  const drained = server.drain();
  t.is(await client.closed(), 1001);
  await drained;
  await server.stop();
  t.deepEqual(ended, ['GET /ws 101', 'conn /ws 200', 'unknown /ws 400']);
});

test('messages are compressed for clients that offer it', async (t) => {
  const { port } = await startServer(t);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: true });
  await once(socket, 'open');
  t.regex(socket.extensions, /permessage-deflate/);
  socket.send(JSON.stringify({ action: 'x'.repeat(5_000), args: {} }));
  const [data] = await once(socket, 'message');
  t.like(JSON.parse(String(data)), { code: 0xffff });
  socket.close();
});

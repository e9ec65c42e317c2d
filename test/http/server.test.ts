import { once } from 'node:events';
import http from 'node:http';
import test from 'ava';
import { delivered } from '../../src/model/delivery.js';
import type { GuardState } from '../../src/model/exchange.js';
import { ask, askSql, basic, buildServer, connect, rows, startRoom, user } from '../support/http-room.js';
import { until } from '../support/until.js';

const statement = `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a condition holds; the test's own time limit ends a vain wait. */
test('an unknown path, a wrong method, a wrong case and HEAD are all 404 in plain text', async (t) => {
  const room = await startRoom(t);
  const cases = [
    ['POST', '/no/such'],
    ['GET', '/rest/sql'],
    ['POST', '/-/ping'],
    ['POST', '/Rest/sql'],
    ['POST', '/'],
    ['OPTIONS', '/rest/sql'],
    ['DELETE', '/rest/sql/demo'],
    ['PROPFIND', '/rest/sql'],
    ['POST', '/rest/sql/a%2Fb'],
    ['POST', '/rest/sql/a/b'],
    ['GET', '/rest/login/root'],
  ] as const;
  for (const [method, path] of cases) {
    const reply = await ask(room, { method, path, headers: { 'accept-encoding': 'gzip' } });
    t.deepEqual([reply.status, reply.text], [404, '404 page not found'], `${method} ${path}`);
    t.is(reply.headers['content-type'], 'text/plain');
    t.is(reply.headers['content-encoding'], undefined);
    t.is(reply.headers.allow, undefined);
  }
  t.is((await ask(room, { method: 'HEAD', path: '/rest/sql' })).status, 404);
});

test('HEAD is answered as GET is, without the body', async (t) => {
  const room = await startRoom(t);
  for (const path of ['/-/ping', '/metrics', '/openapi.json', '/', '/page/style.css', '/no/such', '/rest/login/u/p']) {
    const [get, head] = [await ask(room, { method: 'GET', path }), await ask(room, { method: 'HEAD', path })];
    t.deepEqual([head.status, head.text], [get.status, ''], path);
    t.is(head.headers['content-type'], get.headers['content-type'], path);
  }
});

test("what is odd about a request is the client's mistake, answered once and not logged as an error", async (t) => {
  const room = await startRoom(t);
  for (const [head, status] of [
    ['GET /page/style.css HTTP/1.1\r\nHost: a\r\nRange: bytes=9-1', 416],
    ['GET /page/style.css HTTP/1.1\r\nHost: a\r\nRange: bytes=999999999-', 416],
    ['QUERY /rest/sql HTTP/1.1\r\nHost: a', 404],
    ['QUERY /-/ping HTTP/1.1\r\nHost: a', 404],
    ['MKCALENDAR / HTTP/1.1\r\nHost: a', 404],
    ['PRI * HTTP/2.0', 400],
    ['PRI *', 404],
    ['GET * HTTP/1.1\r\nHost: a', 400],
    ['GET /-/ping HTTP/1.1\r\nHost: a\r\nhost: b', 400],
    ['GET /-/ping HTTP/1.1\r\nHost: a\r\nHost: a', 400],
  ] as const) {
    const { socket, received } = connect(room);
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    const reply = await received;
    t.regex(reply, new RegExp(`^HTTP/1.1 ${status} `), head);
    t.is(reply.split('HTTP/1.1 ').length, 2, `${head}: ${reply}`);
  }
  t.deepEqual(
    room.log.filter(({ level }) => level !== 'debug'),
    [],
  );
});

test('a path of another product is answered with the one that does the same here', async (t) => {
  const room = await startRoom(t);
  const cases = [
    ['GET', '/ready', 'GET /-/ping'],
    ['PUT', '/api/v2/write?org=a&bucket=b', 'POST /api/v2/write?bucket=<database>'],
    ['POST', '/otlp/v1/metrics', 'POST /v1/metrics?db=<database>'],
    ['POST', '/api/v1/write', 'POST /metricsdb/v1/remote_write/<database>'],
    ['POST', '/api/put/', 'POST /api/put?db=<database>'],
    ['POST', '/api/v1/push', 'POST /metricsdb/v1/remote_write/<database>'],
    ['GET', '/api/v1/query_range?query=up', 'POST /rest/sql/<database>, with SQL as the body'],
  ] as const;
  for (const [method, path, meant] of cases) {
    const reply = await ask(room, { method, path });
    t.deepEqual([reply.status, reply.text], [404, `404 page not found; did you mean ${meant}?`]);
  }
});

test('a path may be percent-encoded, but not wrongly', async (t) => {
  const room = await startRoom(t);
  t.is((await askSql(room, 'select 1', { path: '/rest/%73ql' })).status, 200);
  const reply = await askSql(room, 'select 1', { path: '/rest/sql/%zz' });
  t.is(reply.status, 400);
  t.is(JSON.parse(reply.text).code, 65535);
});

test('a preflight is answered on any path', async (t) => {
  const room = await startRoom(t);
  for (const path of ['/rest/sql', '/no/such']) {
    const headers = { origin: 'http://x.example', 'access-control-request-method': 'POST' };
    const reply = await ask(room, { method: 'OPTIONS', path, headers, auth: false });
    t.is(reply.status, 204);
    t.is(reply.headers['access-control-allow-origin'], '*');
    t.is(reply.headers['access-control-allow-headers'], 'Origin,Content-Length,Content-Type,Authorization');
    t.is(reply.headers['access-control-max-age'], '43200');
  }
});

test('a foreign origin that is not allowed is 403 without a body, and nothing runs', async (t) => {
  let ran = 0;
  const room = await startRoom(t, {
    cors: { allowAllOrigins: false, allowOrigins: ['https://good.example'] },
    sql: (exchange) => {
      ran++;
      exchange.answer(rows());
    },
  });
  const refused = await askSql(room, 'select 1', { headers: { origin: 'http://x.example' } });
  t.deepEqual([refused.status, refused.text, ran], [403, '', 0]);
  const allowed = await askSql(room, 'select 1', { headers: { origin: 'https://good.example' } });
  t.is(allowed.status, 200);
  t.is(allowed.headers['access-control-allow-origin'], 'https://good.example');
  t.is(allowed.headers.vary, 'Origin, Accept-Encoding');
});

test('errors carry the cross-origin headers too', async (t) => {
  const room = await startRoom(t);
  const reply = await askSql(room, 'select 1', { auth: false, headers: { origin: 'http://x.example' } });
  t.deepEqual([reply.status, reply.headers['access-control-allow-origin']], [401, '*']);
});

test('pipelined requests on one connection are answered in order', async (t) => {
  let count = 0;
  const room = await startRoom(t, {
    sql: (exchange) => {
      const number = ++count;
      setTimeout(() => exchange.answer({ kind: 'affected', rows: number }), number === 1 ? 50 : 0);
    },
  });
  const { socket, received } = connect(room);
  socket.write(statement + statement.replace('Host: a', 'Host: a\r\nConnection: close'));
  t.deepEqual((await received).match(/"data":\[\[\d\]\]/g), ['"data":[[1]]', '"data":[[2]]']);
});

test('requests behind others are given up with their connection, which is cut when they are very many', async (t) => {
  const open: { readonly aborted: AbortSignal }[] = [];
  const room = await startRoom(t, { sql: (exchange) => open.push(exchange) });
  const { socket } = connect(room);
  socket.write(statement.repeat(3));
  t.true(await until(() => open.length === 3));
  socket.destroy();
  t.true(await until(() => open.every(({ aborted }) => aborted.aborted)));

  const { socket: greedy, received } = connect(room);
  greedy.on('error', () => undefined);
  greedy.write(statement.repeat(300));
  await received.catch(() => undefined);
  t.true(open.length < 200, `${open.length}`);
  t.true(await until(() => open.every(({ aborted }) => aborted.aborted)));
  await room.server.drain();
});

test('a client that waits for 100-continue gets it', async (t) => {
  const { socket, received } = connect(await startRoom(t));
  const [head, body] = statement.split('\r\n\r\n');
  socket.write(`${head}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
  const [first] = await once(socket, 'data');
  t.is(String(first), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body ?? '');
  t.true((await received).includes('HTTP/1.1 200 OK'));
});

test('an HTTP/1.0 client gets a length, and the connection closes', async (t) => {
  const { socket, received } = connect(await startRoom(t));
  socket.write(`POST /rest/sql HTTP/1.0\r\nContent-Length: 8\r\n\r\nselect 1`);
  const reply = await received;
  t.true(reply.includes('401 Unauthorized'));
  t.regex(reply, /content-length: 41\r\n/i);
});

test('a body shorter than its length is 400 when the client is done sending', async (t) => {
  const { socket, received } = connect(await startRoom(t));
  socket.end(statement.replace('Length: 8', 'Length: 80'));
  const reply = await received;
  t.true(reply.startsWith('HTTP/1.1 400'));
  t.true(reply.endsWith('{"code":4385,"desc":"invalid content length"}'));
});

test('a request without a Host is 400 with a body, in HTTP/1.0 it needs none', async (t) => {
  const room = await startRoom(t);
  const send = async (text: string): Promise<string> => {
    const { socket, received } = connect(room);
    socket.end(text);
    return received;
  };
  const refused = await send(statement.replace('Host: a\r\n', ''));
  t.true(refused.startsWith('HTTP/1.1 400'));
  t.true(refused.endsWith('{"code":65535,"desc":"the Host header is missing"}'));
  const old = await send(statement.replace('Host: a\r\n', '').replace('HTTP/1.1', 'HTTP/1.0'));
  t.true(old.startsWith('HTTP/1.1 200'), old);
});

test('bytes that are no request are 400, and headers beyond the limit 431', async (t) => {
  const room = await startRoom(t);
  const cases = [
    ['hello\r\n\r\n', 'HTTP/1.1 400'],
    [statement.replace('Length: 8', 'Length: x'), 'HTTP/1.1 400'],
    [`GET /-/ping HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'HTTP/1.1 431'],
    // Netdata writes its credentials like this.
    ['GET /-/ping HTTP/1.1\r\nHost: a\r\nAuthorization: b\nX: c\r\n\r\n', 'HTTP/1.1 400', /malformed HTTP request: \S/],
  ] as const;
  for (const [text, status, said = /./] of cases) {
    const { socket, received } = connect(room);
    socket.write(text);
    const reply = await received;
    t.true(reply.startsWith(status), reply.slice(0, 80));
    t.regex(reply, /\{"code":\d+,"desc":"[^"]+"\}$/);
    t.regex(reply, said);
  }
});

test('a client that is slow with its headers is told so and cut off', async (t) => {
  const { socket, received } = connect(await startRoom(t, { timeouts: { headersMs: 200 } }));
  socket.write('POST /rest/sql HTTP/1.1\r\nHost:');
  t.true((await received).startsWith('HTTP/1.1 408'));
});

test('a client that stops sending its body is cut off', async (t) => {
  const { socket, received } = connect(await startRoom(t, { timeouts: { idleMs: 200 } }));
  socket.write(statement.slice(0, -2));
  t.is(await received, '');
});

test('a client that stops reading its answer is cut off', async (t) => {
  let ended = () => {};
  const whenEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  async function* lines() {
    try {
      for (;;) yield Buffer.alloc(65_536, '[1]\n');
    } finally {
      ended();
    }
  }
  const room = await startRoom(t, {
    timeouts: { idleMs: 200 },
    sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }),
  });
  const { socket } = connect(room);
  socket.pause();
  socket.write(statement);
  await whenEnded;
  socket.destroy();
  t.pass();
});

test('a statement that takes longer than the idle limit is still answered', async (t) => {
  const room = await startRoom(t, {
    timeouts: { idleMs: 100 },
    sql: (exchange) => setTimeout(() => exchange.answer({ kind: 'affected', rows: 1 }), 500),
  });
  t.is((await askSql(room, 'insert')).status, 200);
});

test('a body that the pipeline is slow to read does not cost the client its connection', async (t) => {
  const room = await startRoom(t, {
    timeouts: { idleMs: 100 },
    write: (exchange) => {
      setTimeout(() => {
        exchange.request.body.resume();
        exchange.request.body.once('end', () => exchange.answer(delivered(1)));
      }, 500);
    },
  });
  const reply = await ask(room, { path: '/lineproto/v1/write?db=d', body: Buffer.alloc(5_000_000, 'x') });
  t.is(reply.status, 204);
});

test('an idle connection is closed after the keep-alive span', async (t) => {
  const { socket, received } = connect(await startRoom(t, { timeouts: { keepAliveMs: 200 } }));
  socket.write('GET /-/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  t.true((await received).startsWith('HTTP/1.1 200'));
});

test('a busy port rejects the start with host and port in the message', async (t) => {
  const room = await startRoom(t);
  const second = buildServer({}, [], room.port);
  t.teardown(() => second.stop());
  const message = `Cannot listen for HTTP on 127.0.0.1:${room.port}: the port is in use.`;
  await t.throwsAsync(() => second.start(), { message });
});

test('stop is safe before start and twice', async (t) => {
  const server = buildServer({}, []);
  await server.stop();
  await server.stop();
  const other = buildServer({}, []);
  await other.start();
  await other.stop();
  await other.stop();
  t.pass();
});

test('drain before start resolves at once', async (t) => {
  const server = buildServer({}, []);
  await server.drain();
  await server.stop();
  t.pass();
});

test('drain lets open requests finish, closes idle connections and takes no new ones', async (t) => {
  let finish: (() => void) | undefined;
  const room = await startRoom(t, {
    sql: (exchange) => {
      finish = () => exchange.answer({ kind: 'affected', rows: 1 });
    },
  });
  const idle = connect(room);
  idle.socket.write('GET /-/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle.socket, 'data');
  const busy = connect(room);
  busy.socket.write(statement);
  t.true(await until(() => finish !== undefined));
  let drained = false;
  const draining = room.server.drain().then(() => {
    drained = true;
  });
  await idle.received;
  await t.throwsAsync(() => askSql(room, 'select 1'), { code: 'ECONNREFUSED' });
  t.false(drained);
  finish?.();
  await draining;
  const reply = await busy.received;
  t.regex(reply, /connection: close/i);
  t.true(reply.endsWith('"rows":1}'));
});

test('a request that arrives on an open connection while draining is 503', async (t) => {
  let finish: (() => void) | undefined;
  const room = await startRoom(t, {
    sql: (exchange) => {
      finish = () => exchange.answer({ kind: 'affected', rows: 1 });
    },
  });
  const late = connect(room);
  late.socket.write('GET /-/ping HTTP/1.1\r\n');
  const busy = connect(room);
  busy.socket.write(statement);
  t.true(await until(() => finish !== undefined));
  await pause(50);
  const draining = room.server.drain();
  late.socket.write('Host: a\r\n\r\n');
  const reply = await late.received;
  t.true(reply.startsWith('HTTP/1.1 503'));
  t.regex(reply, /retry-after: \d+/i);
  finish?.();
  await draining;
});

test('stop cuts what a drain still waits for', async (t) => {
  let taken = false;
  let aborted = false;
  const room = await startRoom(t, {
    sql: (exchange) => {
      taken = true;
      exchange.aborted.addEventListener('abort', () => {
        aborted = true;
      });
    },
  });
  const { socket, received } = connect(room);
  socket.write(statement);
  t.true(await until(() => taken));
  void room.server.drain();
  await room.server.stop();
  t.is(await received, '');
  t.true(await until(() => aborted));
  t.pass();
});

test('requests are logged at debug without secrets', async (t) => {
  const room = await startRoom(t);
  await ask(room, { method: 'GET', path: `/rest/login/${user}/sesame`, auth: false });
  await ask(room, { path: '/lineproto/v1/write?db=d&u=root&p=sesame', auth: false });
  t.true(await until(() => room.log.length >= 2));
  t.is(room.log.length, 2);
  t.true(room.log.every((line) => line.level === 'debug'));
  t.false(JSON.stringify(room.log).includes('sesame'));
  t.like(room.log[0]?.fields, { method: 'GET', status: 401, uri: `/rest/login/${user}/***`, client: '127.0.0.1' });
});

test('the observer hears of every request by route, and of refusals', async (t) => {
  let state: GuardState = 'normal';
  const events: string[] = [];
  const room = await startRoom(t, {
    guard: () => state,
    observer: {
      begun: () => events.push('begun'),
      ended: ({ route, method, status, seconds }) => {
        t.true(seconds >= 0);
        events.push(`${method} ${route} ${status}`);
      },
      refused: (reason) => events.push(reason),
    },
  });
  await askSql(room, 'select 1', { path: '/rest/sql/some_db' });
  await askSql(room, 'select 1', { path: '/no/such' });
  state = 'all-paused';
  await askSql(room, 'select 1');
  t.true(await until(() => events.length >= 7));
  t.deepEqual(events, [
    'begun',
    'POST /rest/sql/:db 200',
    'begun',
    'POST unknown 404',
    'begun',
    'all-paused',
    'POST /rest/sql 503',
  ]);
});

test('a client that goes away is counted as 499', async (t) => {
  let taken = false;
  const statuses: number[] = [];
  const room = await startRoom(t, {
    observer: {
      begun: () => undefined,
      ended: ({ status }) => statuses.push(status),
      refused: () => undefined,
    },
    sql: (exchange) => {
      taken = true;
      exchange.aborted.addEventListener('abort', () => exchange.answer(rows()));
    },
  });
  const { socket } = connect(room);
  socket.write(statement);
  t.true(await until(() => taken));
  socket.destroy();
  t.true(await until(() => statuses.length > 0));
  t.deepEqual(statuses, [499]);
});

test('many requests over one kept connection leave nothing behind', async (t) => {
  const room = await startRoom(t);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(async () => agent.destroy());
  const sockets = new Set<unknown>();
  for (let number = 0; number < 50; number++) {
    const request = http.request({
      host: '127.0.0.1',
      port: room.port,
      method: 'POST',
      path: '/rest/sql',
      headers: { authorization: basic },
      agent,
    });
    request.end('select 1');
    const [response] = await once(request, 'response');
    sockets.add(request.socket);
    response.resume();
    await once(response, 'end');
    t.is(response.statusCode, 200);
  }
  t.is(sockets.size, 1);
});

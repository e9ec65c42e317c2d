import { once } from 'node:events';
import http from 'node:http';
import test from 'ava';
import type { GuardState } from '../../src/model/exchange.js';
import { basic, connect, rows, send, sendSql, startServer, user } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

const statement = `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`;

test('an unknown path, a wrong method, a wrong case and HEAD are all 404 in plain text', async (t) => {
  const server = await startServer(t);
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
    const reply = await send(server, { method, path, headers: { 'accept-encoding': 'gzip' } });
    t.deepEqual([reply.status, reply.text], [404, '404 page not found'], `${method} ${path}`);
    t.is(reply.headers['content-type'], 'text/plain');
    t.is(reply.headers['content-encoding'], undefined);
    t.is(reply.headers.allow, undefined);
  }
  t.is((await send(server, { method: 'HEAD', path: '/rest/sql' })).status, 404);
});

test('HEAD is answered as GET is, without the body', async (t) => {
  const server = await startServer(t);
  for (const path of ['/-/ping', '/metrics', '/openapi.json', '/', '/page/style.css', '/no/such', '/rest/login/u/p']) {
    const [get, head] = [await send(server, { method: 'GET', path }), await send(server, { method: 'HEAD', path })];
    t.deepEqual([head.status, head.text], [get.status, ''], path);
    t.is(head.headers['content-type'], get.headers['content-type'], path);
  }
});

test("what is odd about a request is the client's mistake, answered once and not logged as an error", async (t) => {
  const server = await startServer(t);
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
    ['POST /rest/sql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked', 501],
    ['GET /-/ping HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked', 200],
  ] as const) {
    const { socket, received } = connect(server);
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    const reply = await received;
    t.regex(reply, new RegExp(`^HTTP/1.1 ${status} `), head);
    t.is(reply.split('HTTP/1.1 ').length, 2, `${head}: ${reply}`);
  }
  t.deepEqual(
    server.log.filter(({ level }) => level !== 'debug'),
    [],
  );
});

test('a path of another product, or with a slash too many, is answered with the one that does the same here', async (t) => {
  const server = await startServer(t);
  const cases = [
    ['PUT', '/api/v2/write?org=a&bucket=b', 'POST /api/v2/write?bucket=<database>'],
    ['POST', '/api/v2/signin', 'Authorization: Token <user>:<password> with each request'],
    ['POST', '/otlp/v1/metrics', 'POST /v1/metrics?db=<database>'],
    ['POST', '/api/v1/write', 'POST /metricsdb/v1/remote_write/<database>'],
    ['POST', '/api/put/', 'POST /api/put?db=<database>'],
    ['POST', '/api/v1/put?details', 'POST /api/put?db=<database>'],
    ['POST', '/api/v1/import/prometheus/metrics/job/j', 'POST /metrics/job/<job>?db=<database>'],
    ['PUT', '/metrics/jobs/x', 'POST /metrics/job/<job>?db=<database>'],
    ['POST', '/api/v1/import/prometheus/?db=a', 'POST or GET /api/v1/import/prometheus'],
    ['POST', '/metricsdb/v1/remote_write/a/', 'POST /metricsdb/v1/remote_write/<db>'],
    ['GET', '/rest/sql/', 'POST /rest/sql'],
    ['POST', '/api/v1/prom/write?db=a', 'POST /metricsdb/v1/remote_write/<database>'],
    ['POST', '/api/v1/push', 'POST /metricsdb/v1/remote_write/<database>'],
    ['POST', '/v1/traces', 'POST /v1/metrics?db=<database>, because only metrics are stored'],
    ['GET', '/api/v1/query_range?query=up', 'POST /rest/sql/<database>, with SQL as the body'],
  ] as const;
  for (const [method, path, meant] of cases) {
    const reply = await send(server, { method, path });
    const text = `404 page not found; did you mean ${meant}?`;
    t.deepEqual([reply.status, reply.text, reply.headers['x-influxdb-error']], [404, text, text]);
  }
});

test('a wrong method on a path is 404, and a header says which methods the path takes', async (t) => {
  const server = await startServer(t);
  for (const [method, path, meant] of [
    ['GET', '/rest/sql', 'POST /rest/sql'],
    ['GET', '/rest/sql/demo?tz=UTC', 'POST /rest/sql/<db>'],
    ['GET', '/lineproto/v1/write', 'POST /lineproto/v1/write'],
    ['POST', '/api/v1/events/7/resolve', 'PUT /api/v1/events/<id>/resolve'],
    ['GET', '/metrics/job/a', 'POST or PUT or DELETE /metrics/job/<job>'],
    ['GET', '/metrics/job/a/instance/b', 'POST or PUT or DELETE /metrics/job/<job>/<more>'],
    ['POST', '/-/ping', 'GET /-/ping'],
    ['POST', '/', 'GET /'],
    ['POST', '/rest/sql/a/b', undefined],
    ['POST', '/none/', undefined],
    ['POST', '/Rest/sql', undefined],
  ] as const) {
    const reply = await send(server, { method, path });
    t.deepEqual([reply.status, reply.text, reply.headers.allow], [404, '404 page not found', undefined], path);
    const said = meant && `404 page not found; did you mean ${meant}?`;
    t.is(reply.headers['x-influxdb-error'], said, path);
  }
});

test('a path may be percent-encoded, but not wrongly', async (t) => {
  const server = await startServer(t);
  t.is((await sendSql(server, 'select 1', { path: '/rest/%73ql' })).status, 200);
  const reply = await sendSql(server, 'select 1', { path: '/rest/sql/%zz' });
  t.is(reply.status, 400);
  t.is(JSON.parse(reply.text).code, 65535);
});

test('a preflight is answered on any path', async (t) => {
  const server = await startServer(t);
  for (const path of ['/rest/sql', '/no/such']) {
    const headers = { origin: 'http://x.example', 'access-control-request-method': 'POST' };
    const reply = await send(server, { method: 'OPTIONS', path, headers, auth: false });
    t.is(reply.status, 204);
    t.is(reply.headers['access-control-allow-origin'], '*');
    t.is(reply.headers['access-control-allow-headers'], 'Origin,Content-Length,Content-Type,Authorization');
    t.is(reply.headers['access-control-max-age'], '43200');
  }
});

test('a foreign origin that is not allowed is 403 with the setting that allows it, and nothing runs', async (t) => {
  let ran = 0;
  const server = await startServer(t, {
    cors: { allowAllOrigins: false, allowOrigins: ['https://good.example'] },
    sql: (exchange) => {
      ran++;
      exchange.answer(rows());
    },
  });
  const refused = await sendSql(server, 'select 1', { headers: { origin: 'http://x.example' } });
  const desc = 'origin http://x.example is not allowed, see cors.allowOrigins';
  t.deepEqual([refused.status, JSON.parse(refused.text), ran], [403, { code: 65535, desc }, 0]);
  const allowed = await sendSql(server, 'select 1', { headers: { origin: 'https://good.example' } });
  t.is(allowed.status, 200);
  t.is(allowed.headers['access-control-allow-origin'], 'https://good.example');
  t.is(allowed.headers.vary, 'Origin, Accept-Encoding');
});

test('errors carry the cross-origin headers too', async (t) => {
  const server = await startServer(t);
  const reply = await sendSql(server, 'select 1', { auth: false, headers: { origin: 'http://x.example' } });
  t.deepEqual([reply.status, reply.headers['access-control-allow-origin']], [401, '*']);
});

test('requests are logged at debug without secrets', async (t) => {
  const server = await startServer(t);
  await send(server, { method: 'GET', path: `/rest/login/${user}/sesame`, auth: false });
  await send(server, { path: '/lineproto/v1/write?db=d&u=root&p=sesame', auth: false });
  t.true(await until(() => server.log.length >= 2));
  t.is(server.log.length, 2);
  t.true(server.log.every((line) => line.level === 'debug'));
  t.false(JSON.stringify(server.log).includes('sesame'));
  t.like(server.log[0]?.fields, { method: 'GET', status: 401, uri: `/rest/login/${user}/***`, client: '127.0.0.1' });
});

test('the observer hears of every request by route, and of refusals', async (t) => {
  let state: GuardState = 'normal';
  const events: string[] = [];
  const server = await startServer(t, {
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
  await sendSql(server, 'select 1', { path: '/rest/sql/some_db' });
  await sendSql(server, 'select 1', { path: '/no/such' });
  state = 'all-paused';
  await sendSql(server, 'select 1');
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
  const server = await startServer(t, {
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
  const { socket } = connect(server);
  socket.write(statement);
  t.true(await until(() => taken));
  socket.destroy();
  t.true(await until(() => statuses.length > 0));
  t.deepEqual(statuses, [499]);
});

test('many requests over one kept connection leave nothing behind', async (t) => {
  const server = await startServer(t);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(async () => agent.destroy());
  const sockets = new Set<unknown>();
  for (let number = 0; number < 50; number++) {
    const request = http.request({
      host: '127.0.0.1',
      port: server.port,
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

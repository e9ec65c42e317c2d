import { once } from 'node:events';
import test from 'ava';
import { delivered } from '../../src/model/delivery.js';
import type { Exchange, SqlAnswer, SqlRequest } from '../../src/model/exchange.js';
import { basic, buildServer, connect, send, sendSql, startServer } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

const statement = `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`;

test('pipelined requests on one connection are answered in order', async (t) => {
  let count = 0;
  const server = await startServer(t, {
    sql: (exchange) => {
      const number = ++count;
      setTimeout(() => exchange.answer({ kind: 'affected', rows: number }), number === 1 ? 50 : 0);
    },
  });
  const { socket, received } = connect(server);
  socket.write(statement + statement.replace('Host: a', 'Host: a\r\nConnection: close'));
  t.deepEqual((await received).match(/"data":\[\[\d\]\]/g), ['"data":[[1]]', '"data":[[2]]']);
});

test('requests behind others wait for their turn, and are given up with their connection, which is cut when they are very many', async (t) => {
  const open: Exchange<SqlRequest, SqlAnswer>[] = [];
  const server = await startServer(t, { sql: (exchange) => open.push(exchange) });
  const { socket } = connect(server);
  socket.write(statement.repeat(3));
  t.true(await until(() => open.length === 1));
  open[0]!.answer({ kind: 'affected', rows: 1 });
  t.true(await until(() => open.length === 2));
  socket.destroy();
  t.true(await until(() => open[1]!.aborted.aborted));

  const { socket: greedy, received } = connect(server);
  greedy.on('error', () => undefined);
  greedy.write(statement.repeat(300));
  await received.catch(() => undefined);
  t.true(await until(() => open.at(-1)!.aborted.aborted));
  await server.server.drain();
  t.true(open.length <= 3, `${open.length}`);
});

test('what is no request is refused behind the answers to the requests before it', async (t) => {
  const server = await startServer(t, {
    sql: (exchange) => setTimeout(() => exchange.answer({ kind: 'affected', rows: 1 }), 20),
  });
  for (const [broken, status] of [
    ['GARBAGE\r\n\r\n', '400 Bad Request'],
    [statement.replace('Content-Length: 8', 'Content-Length: a'), '400 Bad Request'],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
  ] as const) {
    const { socket, received } = connect(server);
    socket.write(statement.repeat(2) + broken);
    t.deepEqual((await received).match(/HTTP\/1\.1 [^\r]+/g), [
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      `HTTP/1.1 ${status}`,
    ]);
  }
});

test('a body that breaks off is refused behind the answers to the requests before it, and no other one', async (t) => {
  const server = await startServer(t, {
    sql: (exchange) => setTimeout(() => exchange.answer({ kind: 'affected', rows: 1 }), 20),
  });
  const { socket, received } = connect(server);
  const chunked = statement.replace('Content-Length: 8\r\n\r\nselect 1', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n');
  socket.write(statement + chunked);
  t.deepEqual((await received).match(/HTTP\/1\.1 [^\r]+/g), ['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request']);
});

test('a client that waits for 100-continue gets it', async (t) => {
  const { socket, received } = connect(await startServer(t));
  const [head, body] = statement.split('\r\n\r\n');
  socket.write(`${head}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
  const [first] = await once(socket, 'data');
  t.is(String(first), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body ?? '');
  t.true((await received).includes('HTTP/1.1 200 OK'));
});

test('another expectation is refused with a reason', async (t) => {
  const { socket, received } = connect(await startServer(t));
  socket.write(statement.replace('Host: a', 'Host: a\r\nExpect: bogus\r\nConnection: close'));
  const reply = await received;
  t.true(reply.startsWith('HTTP/1.1 417 '), reply);
  t.true(reply.endsWith('{"code":65535,"desc":"the only expectation that is met is Expect: 100-continue"}'), reply);
});

test('an HTTP/1.0 client gets a length, and the connection closes', async (t) => {
  const { socket, received } = connect(await startServer(t));
  socket.write(`POST /rest/sql HTTP/1.0\r\nContent-Length: 8\r\n\r\nselect 1`);
  const reply = await received;
  t.true(reply.includes('401 Unauthorized'));
  t.regex(reply, /content-length: 41\r\n/i);
});

test('a body shorter than its length is 400 when the client is done sending', async (t) => {
  const { socket, received } = connect(await startServer(t));
  socket.end(statement.replace('Length: 8', 'Length: 80'));
  const reply = await received;
  t.true(reply.startsWith('HTTP/1.1 400'));
  t.true(reply.endsWith('{"code":4385,"desc":"invalid content length"}'));
});

test('a request without a Host is 400 with a body, in HTTP/1.0 it needs none', async (t) => {
  const server = await startServer(t);
  const send = async (text: string): Promise<string> => {
    const { socket, received } = connect(server);
    socket.end(text);
    return received;
  };
  const refused = await send(statement.replace('Host: a\r\n', ''));
  t.true(refused.startsWith('HTTP/1.1 400'));
  t.true(refused.endsWith('{"code":65535,"desc":"the Host header is missing"}'));
  const old = await send(statement.replace('Host: a\r\n', '').replace('HTTP/1.1', 'HTTP/1.0'));
  t.true(old.startsWith('HTTP/1.1 200'), old);
});

test('a header counts however many stand before it', async (t) => {
  const server = await startServer(t, { sql: (exchange) => exchange.answer({ kind: 'affected', rows: 7 }) });
  const { socket, received } = connect(server);
  const many = Array.from({ length: 3000 }, (_, at) => `X-${at}: y\r\n`).join('');
  socket.end(statement.replace('Authorization', `Connection: close\r\n${many}Authorization`));
  t.regex(await received, /"data":\[\[7\]\]/);
});

test('bytes that are no request are 400, and headers beyond the limit 431', async (t) => {
  const server = await startServer(t);
  const cases = [
    ['hello\r\n\r\n', 'HTTP/1.1 400'],
    [statement.replace('Length: 8', 'Length: x'), 'HTTP/1.1 400'],
    [`GET /-/ping HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'HTTP/1.1 431'],
    // Netdata writes its credentials like this.
    ['GET /-/ping HTTP/1.1\r\nHost: a\r\nAuthorization: b\nX: c\r\n\r\n', 'HTTP/1.1 400', /malformed HTTP request: \S/],
  ] as const;
  for (const [text, status, said = /./] of cases) {
    const { socket, received } = connect(server);
    socket.write(text);
    const reply = await received;
    t.true(reply.startsWith(status), reply.slice(0, 80));
    t.regex(reply, /\{"code":\d+,"desc":"[^"]+"\}$/);
    t.regex(reply, said);
  }
});

test('a client that is slow with its headers is told so and cut off', async (t) => {
  const { socket, received } = connect(await startServer(t, { timeouts: { headersMs: 200 } }));
  socket.write('POST /rest/sql HTTP/1.1\r\nHost:');
  t.true((await received).startsWith('HTTP/1.1 408'));
});

test('a body that drips behind its answer ends the connection, and one that flows does not', async (t) => {
  const server = await startServer(t, { timeouts: { answeredMs: 150 } });
  const refused = statement.replace('Length: 8', 'Length: 80000000');
  const { socket: dripping, received: ofDripping } = connect(server);
  const drops = setInterval(() => dripping.write('x'), 10);
  dripping.write(refused);
  const { socket: flowing } = connect(server);
  const flow = setInterval(() => flowing.write(Buffer.alloc(100_000)), 10);
  t.teardown(() => {
    clearInterval(drops);
    clearInterval(flow);
    flowing.destroy();
  });
  flowing.write(refused);
  await once(flowing, 'data');
  t.true((await ofDripping).includes('statement too long'));
  t.false(flowing.destroyed);
});

test('a client that stops sending its body is cut off', async (t) => {
  const { socket, received } = connect(await startServer(t, { timeouts: { idleMs: 200 } }));
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
  const server = await startServer(t, {
    timeouts: { idleMs: 200 },
    sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }),
  });
  const { socket } = connect(server);
  socket.pause();
  socket.write(statement);
  await whenEnded;
  socket.destroy();
  t.pass();
});

test('a statement that takes longer than the idle limit is still answered', async (t) => {
  const server = await startServer(t, {
    timeouts: { idleMs: 100 },
    sql: (exchange) => setTimeout(() => exchange.answer({ kind: 'affected', rows: 1 }), 500),
  });
  t.is((await sendSql(server, 'insert')).status, 200);
});

test('a body that the pipeline is slow to read does not cost the client its connection', async (t) => {
  const server = await startServer(t, {
    timeouts: { idleMs: 100 },
    write: (exchange) => {
      setTimeout(() => {
        exchange.request.body.resume();
        exchange.request.body.once('end', () => exchange.answer(delivered(1)));
      }, 500);
    },
  });
  const reply = await send(server, { path: '/lineproto/v1/write?db=d', body: Buffer.alloc(5_000_000, 'x') });
  t.is(reply.status, 204);
});

test('an idle connection is closed after the keep-alive span', async (t) => {
  const { socket, received } = connect(await startServer(t, { timeouts: { keepAliveMs: 200 } }));
  socket.write('GET /-/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  t.true((await received).startsWith('HTTP/1.1 200'));
});

test('a busy port rejects the start with host and port in the message', async (t) => {
  const server = await startServer(t);
  const second = buildServer({}, [], server.port);
  t.teardown(() => second.stop());
  const message = `Cannot listen for HTTP on 127.0.0.1:${server.port}: the port is in use.`;
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
  const server = await startServer(t, {
    sql: (exchange) => {
      finish = () => exchange.answer({ kind: 'affected', rows: 1 });
    },
  });
  const idle = connect(server);
  idle.socket.write('GET /-/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle.socket, 'data');
  const busy = connect(server);
  busy.socket.write(statement);
  t.true(await until(() => finish !== undefined));
  let drained = false;
  const draining = server.server.drain().then(() => {
    drained = true;
  });
  await idle.received;
  await t.throwsAsync(() => sendSql(server, 'select 1'), { code: 'ECONNREFUSED' });
  t.false(drained);
  finish?.();
  await draining;
  const reply = await busy.received;
  t.regex(reply, /connection: close/i);
  t.true(reply.endsWith('"rows":1}'));
});

test('a request that arrives on an open connection while draining is 503', async (t) => {
  let finish: (() => void) | undefined;
  const server = await startServer(t, {
    sql: (exchange) => {
      finish = () => exchange.answer({ kind: 'affected', rows: 1 });
    },
  });
  const late = connect(server);
  late.socket.write('GET /-/ping HTTP/1.1\r\n');
  const busy = connect(server);
  busy.socket.write(statement);
  t.true(await until(() => finish !== undefined));
  t.true(await until(() => server.server.connections === 2));
  const draining = server.server.drain();
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
  const server = await startServer(t, {
    sql: (exchange) => {
      taken = true;
      exchange.aborted.addEventListener('abort', () => {
        aborted = true;
      });
    },
  });
  const { socket, received } = connect(server);
  socket.write(statement);
  t.true(await until(() => taken));
  void server.server.drain();
  await server.server.stop();
  t.is(await received, '');
  t.true(await until(() => aborted));
  t.pass();
});

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { deflateSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type { Exchange, WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import {
  basic,
  connect,
  type Reply,
  type RequestParts,
  send,
  startServer,
  wrongPassword,
} from '../../support/inputs/http-server.js';
import { standsStill } from '../../support/until.js';

type Write = (exchange: Exchange<WriteRequest, Delivery>) => void;

interface Seen {
  readonly request: WriteRequest;
  readonly body: string;
}

const allGood = delivered(1);

/** Reads every body to its end, remembers it, and answers with one delivery. */
function recording(seen: Seen[], delivery: Delivery = allGood): Write {
  return (exchange) => {
    text(exchange.request.body).then(
      (body) => {
        seen.push({ request: exchange.request, body });
        exchange.answer(delivery);
      },
      () => exchange.refuse(fault('database', Codes.free, 'the pipeline stumbled')),
    );
  };
}

function write(server: { port: number }, query: string, more: RequestParts = {}): Promise<Reply> {
  return send(server, { path: `/lineproto/v1/write?${query}`, body: 'cpu v=1 1\n', ...more });
}

async function answerTo(t: Parameters<typeof startServer>[0], delivery: Delivery): Promise<Reply> {
  return write(await startServer(t, { write: recording([], delivery) }), 'db=demo');
}

test('a write that is stored is 204 without a body, and carries what the request said', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, {
    write: recording(seen),
    settings: { lineproto: { enable: true, createDatabase: true } },
  });
  const reply = await write(server, 'db=De%20mo&precision=s&ttl=7', { headers: { 'accept-encoding': 'gzip' } });
  t.is(reply.status, 204);
  t.is(reply.body.length, 0);
  t.is(reply.headers['content-encoding'], undefined);
  t.is(reply.headers['content-type'], undefined);
  const [first] = seen;
  t.is(first?.body, 'cpu v=1 1\n');
  t.is(first?.request.length, 10);
  t.deepEqual(first?.request.target, { database: 'De mo', createDatabase: true, ttl: 7, precision: 's' });
  t.deepEqual(first?.request.credentials, {
    scheme: 'password',
    user: 'root',
    password: 'pass:word',
    from: '127.0.0.1',
  });
});

test('credentials may come as u and p alone', async (t) => {
  t.is((await write(await startServer(t), 'db=demo&u=root&p=pass:word', { auth: false })).status, 204);
});

test('no credentials are 401', async (t) => {
  const reply = await write(await startServer(t), 'db=demo', { auth: false });
  t.deepEqual(
    [reply.status, reply.text],
    [401, '{"code":"forbidden","message":"no auth info found","desc":"no auth info found"}'],
  );
  t.truthy(reply.headers['www-authenticate']);
});

test('a malformed header or a token is 401, unless u and p are both given', async (t) => {
  const server = await startServer(t);
  for (const authorization of ['Basic !!!', 'Bearer abc', 'Token root:x']) {
    const headers = { authorization };
    t.is((await write(server, 'db=demo', { headers })).status, 401);
    t.is((await write(server, 'db=demo&u=root', { headers })).status, 401);
    t.is((await write(server, 'db=demo&u=root&p=pass:word', { headers })).status, 204);
  }
});

test('bad parameters are 400 and say which, in the order of the checks', async (t) => {
  const server = await startServer(t);
  const shape = (code: string, message: string, op: string) =>
    JSON.stringify({ code, message, op, err: message, line: 0, desc: message });
  const cases = [
    ['req_id=-1', shape('illegal param', 'req_id must be numeric', 'parse req_id')],
    ['ttl=soon', shape('not found', 'db required', 'get db query')],
    ['db=&ttl=soon', shape('not found', 'db required', 'get db query')],
    ['db=demo&ttl=99999999999', shape('illegal param', 'ttl must be at most 2147483647', 'parse ttl')],
    ['db=demo&ttl=soon&precision=x', shape('illegal param', 'ttl must be numeric', 'parse ttl')],
  ] as const;
  for (const [query, body] of cases) {
    const reply = await write(server, query);
    t.deepEqual([reply.status, reply.text], [400, body]);
  }
  t.is((await write(server, 'req_id=18446744073709551616&db=demo')).status, 400);
  t.is((await write(server, 'req_id=18446744073709551615&db=demo')).status, 204);
});

test('every spelling of a precision is understood and others are 400', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, { write: recording(seen) });
  const words = ['', 'n', 'ns', 'u', 'us', '%C2%B5', '%C2%B5s', '%CE%BC', '%CE%BCs', 'ms', 's', 'm', 'h'];
  for (const word of words) t.is((await write(server, `db=demo&precision=${word}`)).status, 204, word);
  await write(server, 'db=demo');
  t.deepEqual(
    seen.map((one) => one.request.target.precision),
    ['ns', 'ns', 'ns', 'us', 'us', 'us', 'us', 'us', 'us', 'ms', 's', 'm', 'h', 'ns'],
  );
  for (const word of ['furlong', 'S', 'toString', 'd']) {
    const reply = await write(server, `db=demo&precision=${word}`);
    t.deepEqual([reply.status, JSON.parse(reply.text).op], [400, 'parse precision']);
  }
});

test('a negative ttl is no ttl', async (t) => {
  const seen: Seen[] = [];
  await write(await startServer(t, { write: recording(seen) }), 'db=demo&ttl=-3');
  t.is(seen[0]?.request.target.ttl, 0);
});

test('an empty body is 204', async (t) => {
  t.is((await write(await startServer(t), 'db=demo', { body: '' })).status, 204);
});

test('a gzip body arrives inflated and without a length', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, { write: recording(seen) });
  const reply = await write(server, 'db=demo', { body: gzipSync('a v=1\n'), headers: { 'content-encoding': 'gzip' } });
  t.is(reply.status, 204);
  t.deepEqual([seen[0]?.body, seen[0]?.request.length], ['a v=1\n', undefined]);
});

test('a body that is not the gzip data it claims to be is 400, whatever the pipeline says', async (t) => {
  const server = await startServer(t, { write: recording([]) });
  for (const body of ['plain', gzipSync('a v=1\n'.repeat(100)).subarray(0, 30)]) {
    const reply = await write(server, 'db=demo', { body, headers: { 'content-encoding': 'gzip' } });
    t.is(reply.status, 400);
    t.is(
      reply.text,
      '{"code":"internal error","message":"read line error","op":"read line","err":"request body is not valid gzip or deflate data","line":0,"desc":"request body is not valid gzip or deflate data"}',
    );
  }
});

test('a long text that inflates to very many times its length is refused, one of real rows is not', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, { write: recording(seen), settings: { inflatedBytes: 2 ** 30 } });
  const send = (bytes: string | Buffer, coding = 'gzip') =>
    write(server, 'db=demo', { body: bytes, headers: { 'content-encoding': coding } });
  const mebibyte = 1024 * 1024;
  const lineFeeds = gzipSync(Buffer.alloc(20 * mebibyte, '\n'));
  for (const [body, coding] of [
    [lineFeeds, 'gzip'],
    [gzipSync(lineFeeds), 'gzip, gzip'],
  ] as const) {
    const reply = await send(body, coding);
    t.is(reply.status, 400);
    t.regex(reply.text, /the body inflates to more than 200 times its length/);
  }
  t.is(seen.length, 0);
  t.is((await send(gzipSync(Buffer.alloc(15 * mebibyte, '\n')))).status, 204);
  const rows = Array.from({ length: 500_000 }, (_, at) => `meters,room=a celsius=21.5 ${1_700_000_000_000 + at}\n`);
  t.is((await send(gzipSync(rows.join('')))).status, 204);
  t.true((seen[1]?.body.length ?? 0) > 16 * mebibyte);
});

test('deflate is undone as gzip is, and another coding is 415, alone or beside gzip', async (t) => {
  const seen: Seen[] = [];
  const server = await startServer(t, { write: recording(seen) });
  const deflated = { body: deflateSync('a v=1\n'), headers: { 'content-encoding': 'deflate' } };
  t.is((await write(server, 'db=demo', deflated)).status, 204);
  t.is(seen[0]?.body, 'a v=1\n');
  for (const coding of ['br', 'gzip, br']) {
    const reply = await write(server, 'db=demo', { headers: { 'content-encoding': coding } });
    t.is(reply.status, 415, coding);
    t.regex(reply.text, /unsupported Content-Encoding \\"[^"]+": a body may be wrapped in gzip or deflate/);
  }
});

test('rejected lines are 400, name the first bad line and count both ways', async (t) => {
  const bad = (row: number) => ({ row, fault: fault('syntax', Codes.schemalessData, `bad value in row ${row}`) });
  const reply = await answerTo(t, delivered(3, 120, [bad(4), bad(1)]));
  t.is(reply.status, 400);
  const message = 'line 2: [0x3002] bad value in row 1 (120 rejected, 3 written)';
  t.deepEqual(JSON.parse(reply.text), {
    code: 'invalid',
    message,
    op: 'parse line',
    err: message,
    line: 2,
    desc: message,
  });
  t.like(JSON.parse((await answerTo(t, delivered(3, 2))).text), { message: '2 rejected, 3 written', line: 0 });
});

test('each ending of a write has its status', async (t) => {
  const unreachable = fault('network', Codes.networkUnavailable, 'database unreachable');
  const missing = fault('database', Codes.databaseNotExist, 'Database not exist');
  const badData = fault('syntax', Codes.lineSyntax, 'not a line');
  const other = fault('database', Codes.free, 'odd');
  const cases: readonly (readonly [Delivery, number, string])[] = [
    [
      { outcome: 'failed', fault: unreachable },
      503,
      '{"code":"internal error","message":"[0xb] database unreachable","desc":"[0xb] database unreachable"}',
    ],
    [
      { outcome: 'failed', fault: other },
      500,
      '{"code":"internal error","message":"[0xffff] odd","desc":"[0xffff] odd"}',
    ],
    [
      { outcome: 'rejected', fault: missing },
      404,
      '{"code":"not found","message":"[0x388] Database not exist","desc":"[0x388] Database not exist"}',
    ],
    [
      { outcome: 'rejected', fault: wrongPassword },
      401,
      '{"code":"forbidden","message":"[0x357] Authentication failure","desc":"[0x357] Authentication failure"}',
    ],
    [{ outcome: 'shed', reason: 'memory' }, 503, 'memory exceeds threshold'],
    [
      { outcome: 'shed', reason: 'queue-full' },
      503,
      '{"code":"internal error","message":"write queue is full","desc":"write queue is full"}',
    ],
    [
      { outcome: 'shed', reason: 'draining' },
      503,
      '{"code":"internal error","message":"service is shutting down","desc":"service is shutting down"}',
    ],
  ];
  for (const [delivery, status, body] of cases) {
    const reply = await answerTo(t, delivery);
    t.deepEqual([reply.status, reply.text], [status, body]);
    t.is(reply.headers['retry-after'] !== undefined, status === 503);
  }
  for (const refusal of [badData, other]) {
    t.is((await answerTo(t, { outcome: 'rejected', fault: refusal })).status, 400);
  }
});

test('a refusal behind the input has the status of its fault', async (t) => {
  for (const [refusal, status] of [
    [wrongPassword, 401],
    [fault('network', Codes.networkUnavailable, 'down'), 503],
    [fault('resource', Codes.free, 'busy'), 503],
    [fault('parameter', Codes.invalidParameters, 'odd'), 400],
    [fault('database', Codes.schemalessTypeConflict, 'type'), 400],
    [fault('database', Codes.databaseNotExist, 'none'), 404],
    [fault('database', Codes.free, 'odd'), 500],
  ] as const) {
    const server = await startServer(t, { write: (exchange) => exchange.refuse(refusal) });
    t.is((await write(server, 'db=demo')).status, status, refusal.message);
  }
});

test('a refusal reaches a client that still sends, and its connection stays usable', async (t) => {
  const bodies: Write[] = [
    (exchange) => exchange.refuse(wrongPassword),
    (exchange) => {
      exchange.request.body.once('data', () => {
        exchange.request.body.destroy();
        exchange.refuse(wrongPassword);
      });
    },
  ];
  for (const refusing of bodies) {
    const server = await startServer(t, { write: refusing });
    t.is((await write(server, 'db=demo', { body: Buffer.alloc(8_000_000, 'x') })).status, 401);
  }
});

test('everything paused is 503 before authentication; paused queries do not matter', async (t) => {
  const paused = await write(await startServer(t, { guard: () => 'all-paused' }), '', { auth: false });
  t.deepEqual([paused.status, paused.text], [503, 'memory exceeds threshold']);
  t.is(paused.headers['retry-after'], '120');
  t.is((await write(await startServer(t, { guard: () => 'query-paused' }), 'db=demo')).status, 204);
});

test('the route does not exist while line protocol is off', async (t) => {
  const server = await startServer(t, { settings: { lineproto: { enable: false, createDatabase: false } } });
  const reply = await write(server, 'db=demo');
  t.deepEqual([reply.status, reply.text], [404, '404 page not found']);
});

test('a body is passed on while it arrives, and no faster than it is read', async (t) => {
  let begun: (exchange: Exchange<WriteRequest, Delivery>) => void = () => {};
  const whenBegun = new Promise<Exchange<WriteRequest, Delivery>>((resolve) => {
    begun = resolve;
  });
  const { socket, received } = connect(await startServer(t, { write: (exchange) => begun(exchange) }));
  const size = 50_000_000;
  const path = '/lineproto/v1/write?db=demo';
  socket.write(`POST ${path} HTTP/1.0\r\nAuthorization: ${basic}\r\nContent-Length: ${size}\r\n\r\n`);
  socket.write(Buffer.alloc(size, 'x'));
  const exchange = await whenBegun;
  await standsStill(() => socket.writableLength);
  t.true(socket.writableLength > size / 2);
  let read = 0;
  exchange.request.body.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  await once(exchange.request.body, 'end');
  t.is(read, size);
  exchange.answer(allGood);
  t.true((await received).startsWith('HTTP/1.1 204'));
});

test('a client that goes away while it sends aborts the exchange and breaks the body', async (t) => {
  let events: Promise<unknown>[] = [];
  const server = await startServer(t, {
    write: (exchange) => {
      exchange.request.body.resume();
      events = [once(exchange.request.body, 'error').then(String), once(exchange.aborted, 'abort')];
      setTimeout(() => socket.destroy(), 10);
      void Promise.all(events).then(() => exchange.answer({ outcome: 'shed', reason: 'draining' }));
    },
  });
  const { socket, received } = connect(server);
  const path = '/lineproto/v1/write?db=demo';
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 100\r\n\r\nabc`);
  await received;
  await t.notThrowsAsync(Promise.all(events));
  t.deepEqual(
    server.log.filter((line) => line.level !== 'debug'),
    [],
  );
});

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import type { Exchange, GuardState, WriteRequest } from '../../src/model/exchange.js';
import { Codes, fault } from '../../src/model/fault.js';
import { basic, connect, type ServerOptions, startServer, type TestServer } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

/** A request for a write, as one text. */
function write(db: string, body: string, more = ''): string {
  return `POST /write?db=${db} HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
}

/** A write that reached the pipeline. */
interface Written {
  readonly database: string;
  readonly body: string;
}

const badLine = { row: 0, fault: fault('syntax', Codes.schemalessData, 'it is bad') };

/** Stores every body, except those whose text asks for another answer. */
function recording(written: Written[]): Pick<ServerOptions, 'write'> {
  const end = (exchange: Exchange<WriteRequest, Delivery>, body: string): void => {
    written.push({ database: exchange.request.target.database, body });
    if (body.startsWith('bad')) exchange.answer(delivered(1, 1, [badLine]));
    else if (body.startsWith('away')) exchange.refuse(fault('network', Codes.networkUnavailable, 'no engine'));
    else exchange.answer(delivered(1));
  };
  return {
    write: (exchange) => {
      const { request } = exchange;
      const whole = request.length === undefined ? undefined : request.whole?.(request.length);
      if (whole !== undefined) end(exchange, whole.toString());
      else
        void text(request.body).then(
          (body) => end(exchange, body),
          () => undefined,
        );
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await nextTurn();
}

/** Sends chunks one after the other; gives all that was answered, but the time. */
async function converse(server: TestServer, chunks: readonly string[]): Promise<string> {
  const { socket, received } = connect(server);
  await once(socket, 'connect');
  socket.setNoDelay();
  for (const chunk of chunks) {
    socket.write(chunk, 'latin1');
    await turns();
  }
  socket.end();
  return (await received).replaceAll(/\r\nDate: [^\r]*/g, '');
}

/** A connection on which one request is sent at a time. */
function talk(server: TestServer) {
  const { socket, received } = connect(server);
  const say = async (request: string): Promise<string> => {
    socket.write(request);
    const [answer] = await once(socket, 'data');
    return String(answer);
  };
  /** Has the head of the writes to a database cached. */
  const introduce = async (db: string): Promise<void> => {
    for (let time = 0; time < 2; time++) await say(write(db, 'm v=1 1\n'));
  };
  return { socket, received, say, introduce };
}

test('a connection is read on whose first answer is given while a long body behind it is paused', async (t) => {
  const written: Written[] = [];
  const server = await startServer(t, recording(written));
  const long = 'x'.repeat(100_000);
  const answers = await converse(server, [`${write('d', '')}${write('d', long)}`, write('d', 'behind')]);
  t.is(answers.split('HTTP/1.1 204').length, 4);
  t.deepEqual(
    written.map(({ body }) => body.length),
    [0, long.length, 6],
  );
});

test('writes with the same head are answered alike, and each of them is counted', async (t) => {
  const written: Written[] = [];
  const ended: unknown[] = [];
  const observer = {
    begun: () => ended.push('begun'),
    ended: ({ route, method, status, client, failed }: Record<string, unknown>) =>
      ended.push({ route, method, status, client, failed }),
    refused: () => undefined,
  };
  const server = await startServer(t, { ...recording(written), observer, dropsDebug: true });
  const { say } = talk(server);
  const answers: string[] = [];
  for (let time = 0; time < 5; time++) answers.push(await say(write('a', 'm v=1 1\n'.repeat(time + 1))));
  t.deepEqual(
    written.map(({ database, body }) => `${database} ${body.length}`),
    ['a 8', 'a 16', 'a 24', 'a 32', 'a 40'],
  );
  const [first = '', ...others] = answers.map((answer) => answer.replace(/Date: .*/, 'Date'));
  t.regex(first, /^HTTP\/1\.1 204 No Content\r\n.*x-influxdb-version/s);
  for (const other of others) t.is(other, first);
  t.true(await until(() => ended.length === 10));
  const stored = { route: '/write', method: 'POST', status: 204, client: '127.0.0.1', failed: false };
  t.deepEqual(ended.slice(-2), ['begun', stored]);
});

test('what a header or the URL says of a write counts for that write alone', async (t) => {
  const written: Written[] = [];
  const server = await startServer(t, { ...recording(written), dropsDebug: true });
  const { say, introduce } = talk(server);
  await introduce('a');
  const wrong = write('a', 'm v=1 1\n').replace(basic, 'Basic !');
  t.regex(await say(wrong), /^HTTP\/1\.1 401/);
  t.regex(await say(write('a', 'm v=1 1\n')), /^HTTP\/1\.1 204/);
  t.regex(await say(write('a&precision=x', 'm v=1 1\n')), /^HTTP\/1\.1 400/);
  t.regex(await say(write('b', 'm v=1 1\n')), /^HTTP\/1\.1 204/);
  t.regex(await say(write('b', 'm v=1 1\n', 'Content-Encoding: br\r\n')), /^HTTP\/1\.1 415/);
  t.regex(
    await say(write('b', 'm v=1 1\n', 'Transfer-Encoding: gzip\r\n').replace(/Content-Length.*\r\n/, '')),
    /^HTTP\/1\.1 [45]/,
  );
  t.deepEqual(
    written.map(({ database }) => database),
    ['a', 'a', 'a', 'b'],
  );
});

const head = write('a', 'm v=1 1\n');
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(head, write('a', 'm v=22 1\n'), write('b', 'm v=1 1\n', 'X: y\r\n')) },
  { weight: 3, arbitrary: fc.constantFrom(write('a', ''), write('a', 'bad'), write('a', 'away'), write('a', head)) },
  fc.constantFrom(
    head.replace('Length: 8', 'Length: 008'),
    head.replace('Length: 8', 'Length: 7'),
    head.replace('Length: 8', 'Length: 80'),
    head.replace('Length: 8', 'Length: 8x'),
    head.replace('Length: 8', 'Length: 8\r\nConnection: close'),
    head
      .replace('Content-Length: 8', 'Transfer-Encoding: chunked')
      .replace('m v=1', '8\r\nm v=1')
      .concat('\r\n0\r\n\r\n'),
    head.replace(': a', ':a'),
    head.replace('HTTP/1.1', 'HTTP/1.0'),
    head.slice(0, 30),
    `GET /x HTTP/1.1\r\nHost: a\r\nX: `,
    'GET /-/ping HTTP/1.1\r\nHost: a\r\n\r\n',
    '\r\n',
    'nonsense\r\n\r\n',
  ),
);
const chunk = fc.oneof(
  { weight: 5, arbitrary: piece },
  fc.array(piece, { minLength: 2, maxLength: 3 }).map((pieces) => pieces.join('')),
  fc.tuple(piece, fc.nat(60)).map(([request, at]) => request.slice(0, at)),
  fc.tuple(piece, fc.nat(60)).map(([request, at]) => request.slice(at)),
);

/** The same chunks, in which no two heads are equal. */
function withOtherHeads(chunks: readonly string[]): string[] {
  let heads = 0;
  return chunks.map((text) => text.replaceAll('Host: a', () => `Host: ${String.fromCharCode(98 + (heads++ % 20))}`));
}

test('a connection that repeats its head gets the same answers as one that does not', async (t) => {
  const [same, different]: [Written[], Written[]] = [[], []];
  const servers = [
    await startServer(t, { ...recording(same), dropsDebug: true }),
    await startServer(t, { ...recording(different), dropsDebug: true }),
  ] as const;
  const property = fc.asyncProperty(fc.array(chunk, { minLength: 1, maxLength: 12 }), async (chunks) => {
    const sent = [head, head, ...chunks];
    const [one, other] = await Promise.all([converse(servers[0], sent), converse(servers[1], withOtherHeads(sent))]);
    t.is(one, other);
    const bodies = [same, different].map((all) =>
      all.map(({ database, body }) => `${database} ${body}`.replaceAll(/Host: ./g, '')).sort(),
    );
    t.deepEqual(bodies[0], bodies[1]);
    t.true(same.length >= 2);
    same.length = 0;
    different.length = 0;
  });
  await fc.assert(property, { numRuns: 60 });
});

test('a request behind one that is not answered waits, and a client that goes away is noticed', async (t) => {
  const open: Exchange<WriteRequest, Delivery>[] = [];
  const statuses: number[] = [];
  const observer = {
    begun: () => undefined,
    ended: ({ status }: { readonly status: number }) => statuses.push(status),
    refused: () => undefined,
  };
  let isSlow = false;
  const server = await startServer(t, {
    write: (exchange) => {
      if (isSlow) open.push(exchange);
      else exchange.answer(delivered(1));
    },
    observer,
    dropsDebug: true,
  });
  const { socket, say, introduce } = talk(server);
  await introduce('a');
  isSlow = true;
  socket.write(head);
  t.true(await until(() => open.length === 1));
  socket.write(head.replace('v=1', 'v=2'));
  const answer = say(head.replace('v=1', 'v=3'));
  await turns();
  t.is(open.length, 1);
  open[0]?.answer(delivered(1));
  t.regex(await answer, /^HTTP\/1\.1 204/);
  t.true(await until(() => open.length >= 2));
  const last = open.at(-1);
  t.false(last?.aborted.aborted);
  socket.destroy();
  t.true(await until(() => last?.aborted.aborted === true));
  t.true(await until(() => statuses.includes(499)));
  last?.answer(delivered(1));
  await server.server.drain();
});

test('a connection is read on behind requests that came before the answers to others', async (t) => {
  const open: Exchange<WriteRequest, Delivery>[] = [];
  let isSlow = false;
  const server = await startServer(t, {
    write: (exchange) => {
      if (isSlow) open.push(exchange);
      else exchange.answer(delivered(1));
    },
    dropsDebug: true,
  });
  const { socket, introduce } = talk(server);
  await introduce('a');
  let answers = '';
  socket.on('data', (bytes: Buffer) => {
    answers += bytes;
  });
  isSlow = true;
  socket.write(head);
  for (let request = 1; request <= 4; request++) {
    t.true(await until(() => open.length === request));
    // The next one comes while this one is in flight.
    socket.write(head);
    await turns();
    open[request - 1]?.answer(delivered(1));
    t.true(await until(() => answers.split('HTTP/1.1 204').length === request + 1));
  }
  t.true(await until(() => open.length === 5));
  open[4]?.answer(delivered(1));
  t.true(await until(() => answers.split('HTTP/1.1 204').length === 6));
});

test('a write has one name in the logs, which is that of the client where it gives one', async (t) => {
  const ids: (readonly string[])[] = [];
  const note = (exchange: Exchange<WriteRequest, Delivery>): void => {
    ids.push([exchange.id, exchange.id]);
    exchange.answer(delivered(1));
  };
  const server = await startServer(t, { write: note, dropsDebug: true });
  const { say } = talk(server);
  for (let time = 0; time < 4; time++) await say(write('a&req_id=77', 'm v=1 1\n'));
  t.deepEqual(ids, Array(4).fill(['0x4d', '0x4d']));
  ids.length = 0;
  for (let time = 0; time < 4; time++) await say(write('a', 'm v=1 1\n'));
  t.is(new Set(ids.flat()).size, 4);
});

for (const isCached of [false, true]) {
  const title = isCached ? 'whose head is cached' : 'whose head is new';
  test(`a client that closes its half behind a write ${title} gets its answer`, async (t) => {
    const open: Exchange<WriteRequest, Delivery>[] = [];
    let isSlow = !isCached;
    const server = await startServer(t, {
      write: (exchange) => {
        if (isSlow) open.push(exchange);
        else exchange.answer(delivered(1));
      },
      dropsDebug: true,
    });
    const { socket, received, introduce } = talk(server);
    if (isCached) await introduce('a');
    isSlow = true;
    socket.end(head);
    t.true(await until(() => open.length === 1));
    await turns();
    t.false(open[0]?.aborted.aborted);
    open[0]?.answer(delivered(1));
    t.is((await received).split('HTTP/1.1 204').length, isCached ? 4 : 2);
    await server.server.drain();
  });

  test(`a client that closes its half behind a write ${title} is told when that fails`, async (t) => {
    const server = await startServer(t, { ...recording([]), dropsDebug: true });
    const { socket, received, introduce } = talk(server);
    if (isCached) await introduce('a');
    socket.end(write('a', 'away'));
    t.regex(await received, /HTTP\/1\.1 503/);
  });
}

test('a drain waits for a write, and closes its connection behind the answer', async (t) => {
  let open: Exchange<WriteRequest, Delivery> | undefined;
  let isSlow = false;
  const write = (exchange: Exchange<WriteRequest, Delivery>): void => {
    if (isSlow) open = exchange;
    else exchange.answer(delivered(1));
  };
  const server = await startServer(t, { write, dropsDebug: true });
  const { socket, received, introduce } = talk(server);
  await introduce('a');
  isSlow = true;
  socket.write(head);
  t.true(await until(() => open !== undefined));
  let isDrained = false;
  const draining = server.server.drain().then(() => {
    isDrained = true;
  });
  await turns();
  t.false(isDrained);
  open?.answer(delivered(1));
  await draining;
  t.regex(await received, /(204 No Content.*){3}Connection: close\r\n\r\n$/s);
});

test('the memory guard and the log of requests see writes whose head is cached', async (t) => {
  let state: GuardState = 'normal';
  const written: Written[] = [];
  const server = await startServer(t, { ...recording(written), guard: () => state });
  const { say, introduce } = talk(server);
  await introduce('a');
  t.regex(await say(head), /^HTTP\/1\.1 204/);
  state = 'all-paused';
  t.regex(await say(head), /^HTTP\/1\.1 503.*memory exceeds threshold/s);
  t.is(written.length, 3);
  t.true(await until(() => server.log.filter(({ message }) => message === 'Request answered.').length === 4));
});

test('a write that takes longer than a connection may be silent is still answered, and an idle one is closed', async (t) => {
  let isSlow = false;
  const server = await startServer(t, {
    write: (exchange) => {
      if (isSlow) setTimeout(() => exchange.answer(delivered(1)), 350);
      else exchange.answer(delivered(1));
    },
    timeouts: { idleMs: 100, keepAliveMs: 100 },
    dropsDebug: true,
  });
  const { socket, received, introduce } = talk(server);
  await introduce('a');
  isSlow = true;
  socket.write(head);
  t.is((await received).match(/204 No Content/g)?.length, 3);
});

test('a mistake of the program in a write is answered and logged', async (t) => {
  let isBroken = false;
  const server = await startServer(t, {
    write: (exchange) => {
      if (isBroken) throw new Error('a mistake');
      exchange.answer(delivered(1));
    },
    dropsDebug: true,
  });
  const { say, introduce } = talk(server);
  await introduce('a');
  isBroken = true;
  t.regex(await say(head), /^HTTP\/1\.1 500 .*internal error/s);
  t.true(server.log.some(({ level, message }) => level === 'error' && message === 'A request failed.'));
});

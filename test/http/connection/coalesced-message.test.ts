import { once } from 'node:events';
import net from 'node:net';
import test from 'ava';
import { CoalescedMessage } from '../../../src/http/connection/coalesced-message.js';
import { basic, connect, type ServerOptions, startServer } from '../../support/inputs/http-server.js';
import { until } from '../../support/until.js';

class Message extends CoalescedMessage {
  refusals = 0;

  protected override tooTiny(): void {
    this.refusals++;
  }
}

function newMessage(): Message {
  return new Message(new net.Socket());
}

/** The bytes of a text one by one, as a chunk of HTTP each. */
function chunked(text: string): string {
  return [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
}

function head(path: string, authorization = basic): string {
  const headers = `Host: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked`;
  return `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`;
}

/** Notes bodies of writes, and in how many pieces they were read. */
function collecting(bodies: { text: string; pieces: number }[]): ServerOptions {
  return {
    write: (exchange) => {
      const { request } = exchange;
      let [text, pieces] = ['', 0];
      request.body.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        pieces++;
      });
      request.body.once('end', () => {
        bodies.push({ text, pieces });
        exchange.answer({ outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [] });
      });
    },
  };
}

test('many small pieces of a body that is not read wait as few blocks, in their order', async (t) => {
  const message = newMessage();
  const text = Array.from({ length: 10_000 }, (_, at) => at % 10).join('');
  for (const letter of text) message.push(Buffer.from(letter));
  message.push(null);
  const blocks: Buffer[] = [];
  message.on('data', (block: Buffer) => blocks.push(block));
  await once(message, 'end');
  t.is(Buffer.concat(blocks).toString(), text);
  t.true(blocks.length < 10, `${blocks.length}`);
});

test('pieces that come one per turn of the event loop wait together while the reader is busy', async (t) => {
  const message = newMessage();
  for (let at = 0; at < 100; at++) {
    message.push(Buffer.of(at));
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.deepEqual([...(message.read() ?? [])], [...Array(100).keys()]);
  message.push(Buffer.of(100));
  message.push(Buffer.of(101));
  t.true(await until(() => message.readableLength > 0));
  t.deepEqual([...(message.read() ?? [])], [100, 101]);
});

test('pieces of all sizes stay in their order', async (t) => {
  const message = newMessage();
  const pieces = [1, 2_047, 1, 1, 5_000, 3, 2_048, 2_049, 7, 1].map((size, at) => Buffer.alloc(size, at));
  for (const piece of pieces) message.push(piece);
  message.push(null);
  const blocks: Buffer[] = [];
  for await (const block of message) blocks.push(block);
  t.true(Buffer.concat(blocks).equals(Buffer.concat(pieces)));
});

test('very many tiny pieces within a short time are refused once, and as many with 16 bytes in each are not', async (t) => {
  const modest = newMessage().resume();
  for (let at = 0; at < 60_000; at++) modest.push(Buffer.alloc(16));
  const tiny = newMessage().resume();
  for (let at = 0; at < 60_000; at++) tiny.push(Buffer.alloc(15));
  t.true(await until(() => tiny.refusals > 0));
  t.is(tiny.refusals, 1);
  t.is(modest.refusals, 0);
});

test('a body in chunks of one byte is read whole, in few pieces, behind and before other requests', async (t) => {
  const bodies: { text: string; pieces: number }[] = [];
  const { socket, received } = connect(await startServer(t, collecting(bodies)));
  const text = 'm,a=b v=1 1\n'.repeat(1_000);
  for (let time = 0; time < 3; time++) socket.write(`${head('/write?db=d')}${chunked(text)}0\r\n\r\n`);
  socket.write('GET /-/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  t.deepEqual((await received).match(/HTTP\/1\.1 \d+/g), [...Array(3).fill('HTTP/1.1 204'), 'HTTP/1.1 200']);
  t.deepEqual(
    bodies.map((body) => body.text === text),
    [true, true, true],
  );
  for (const { pieces } of bodies) t.true(pieces < 30, `${pieces}`);
});

test('a body of 40,000 chunks of 40 bytes is taken', async (t) => {
  const bodies: { text: string; pieces: number }[] = [];
  const { socket, received } = connect(await startServer(t, collecting(bodies)));
  const line = `m,a=b v=1 1700000000000000000`.padEnd(39, '0');
  socket.write(head('/write?db=d').replace('Host: a', 'Host: a\r\nConnection: close'));
  socket.write(`28\r\n${line}\n\r\n`.repeat(40_000));
  socket.write('0\r\n\r\n');
  t.regex(await received, /^HTTP\/1\.1 204/);
  t.is(bodies[0]?.text.length, 40 * 40_000);
});

for (const path of ['/rest/sql', '/write?db=d', '/api/v2/write?bucket=d&org=o', '/metricsdb/v1/remote_write/d']) {
  test(`a body of very many chunks of one byte is refused: ${path}`, async (t) => {
    const server = await startServer(t);
    const { socket, received } = connect(server);
    socket.write(head(path) + chunked('m'.repeat(16_385)));
    t.regex(
      await received,
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*too many tiny pieces: send at least 16 bytes in each chunk/,
    );
    await server.server.drain();
  });
}

for (const [who, authorization] of [
  ['without a password', ''],
  ['with a wrong password', `Basic ${btoa('root:wrong')}`],
] as const) {
  test(`a stranger ${who} who sends tiny chunks is cut soon, and one with modest chunks sends to the end`, async (t) => {
    const server = await startServer(t);
    const { socket, received } = connect(server);
    socket.write(head('/rest/sql', authorization) + chunked('m'.repeat(500)));
    await once(socket, 'data');
    const begun = performance.now();
    socket.write(chunked('m'.repeat(600)));
    t.regex(await received, /^HTTP\/1\.1 401/);
    t.true(performance.now() - begun < 8_000);

    const honest = connect(server);
    honest.socket.write(head('/rest/sql', authorization) + `28\r\n${'m'.repeat(40)}\r\n`.repeat(20_000));
    await once(honest.socket, 'data');
    honest.socket.write('0\r\n\r\nGET /-/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    t.deepEqual((await honest.received).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
}

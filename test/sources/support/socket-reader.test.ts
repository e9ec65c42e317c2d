import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { readSocket } from '../../../src/sources/support/socket-reader.js';
import { standsStill, until } from '../../support/until.js';

/** Both ends of a connection. */
async function connected(t: { teardown(end: () => void): void }): Promise<{ near: net.Socket; far: net.Socket }> {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const far = net.connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  const accepted: [net.Socket] = [new net.Socket()];
  server.once('connection', (socket) => {
    accepted[0] = socket;
  });
  await Promise.all([once(server, 'connection'), once(far, 'connect')]);
  const [near] = accepted;
  for (const socket of [near, far]) socket.on('error', () => {});
  t.teardown(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

const never = new AbortController().signal;

test('everything that was sent comes out, and the end of the other half ends it', async (t) => {
  const { near, far } = await connected(t);
  const sent = Buffer.alloc(1_000_000, 'abcdefg\n');
  far.end(sent);
  const pieces: Buffer[] = [];
  for await (const together of readSocket(near, never)) pieces.push(...together);
  t.true(Buffer.concat(pieces).equals(sent));
  t.true(near.writable);
});

test('what arrives in one turn of the event loop comes together', async (t) => {
  const { near } = await connected(t);
  const reader = readSocket(near, never);
  const next = reader.next();
  await turn();
  for (const piece of ['one\n', 'two\n']) near.emit('data', Buffer.from(piece));
  t.deepEqual((await next).value?.map(String), ['one\n', 'two\n']);
  await reader.return(undefined);
});

test('what arrived before the connection broke is not lost', async (t) => {
  const { near, far } = await connected(t);
  const reader = readSocket(near, never);
  far.write('one\n');
  t.is(String((await reader.next()).value), 'one\n');
  far.write('two\nthree\n');
  t.true(await until(() => near.bytesRead === 14));
  far.resetAndDestroy();
  t.true(await until(() => near.destroyed));
  let rest = '';
  for await (const together of reader) rest += Buffer.concat(together);
  t.is(rest, 'two\nthree\n');
});

test('while nobody takes what was read, the sender is held back', async (t) => {
  const { near, far } = await connected(t);
  const reader = readSocket(near, never);
  far.write('x');
  await reader.next();
  const block = Buffer.alloc(1_000_000);
  let written = 0;
  for (let i = 0; i < 100 && written < 64 * block.length; i++) {
    if (far.writableLength < block.length) {
      far.write(block);
      written += block.length;
    }
    await turn();
  }
  await standsStill(() => near.bytesRead);
  t.true(near.bytesRead < 500_000, `${near.bytesRead} bytes were read`);
  await reader.return(undefined);
});

test('while nobody takes what was read, a sender of single bytes is held back soon', async (t) => {
  const { near } = await connected(t);
  const reader = readSocket(near, never);
  const next = reader.next();
  near.emit('data', Buffer.of(1));
  await next;
  let pieces = 0;
  for (; pieces < 10_000 && !near.isPaused(); pieces++) near.emit('data', Buffer.of(1));
  t.true(pieces < 1_000, `${pieces} pieces were read`);
  await reader.return(undefined);
});

test('a stop ends the reading once what was read is taken', async (t) => {
  const { near, far } = await connected(t);
  const stopping = new AbortController();
  const reader = readSocket(near, stopping.signal);
  far.write('one\n');
  t.is(String((await reader.next()).value), 'one\n');
  far.write('two\n');
  t.true(await until(() => near.bytesRead === 8));
  stopping.abort();
  t.is(String((await reader.next()).value), 'two\n');
  t.true((await reader.next()).done);
  t.false(near.destroyed);
});

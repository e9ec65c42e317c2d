import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test from 'ava';
import { Lifeline } from '../../../src/database/cluster/lifeline.js';
import { until } from '../../support/until.js';

test('a connection that the other end closes is told once, and may be opened again', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const lifeline = new Lifeline(`http://127.0.0.1:${port}/path`);
  let ends = 0;
  lifeline.watch(() => ends++);
  lifeline.open();
  lifeline.open();
  t.true(await until(() => sockets.length > 0));
  sockets[0]!.destroy();
  t.true(await until(() => ends === 1));
  t.is(sockets.length, 1, 'it is opened once');
  lifeline.open();
  t.true(await until(() => sockets.length === 2));
  const closed = once(sockets[1]!, 'close');
  sockets[1]!.resume();
  lifeline.close();
  await closed;
  t.is(ends, 1, 'its own end is no news');
});

test('an address where nobody listens is no end of a connection', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const closed = once(server, 'close');
  server.close();
  await closed;
  const lifeline = new Lifeline(`http://127.0.0.1:${port}`);
  lifeline.watch(() => t.fail());
  lifeline.open();
  const other = createServer().listen(port, '127.0.0.1');
  t.teardown(() => other.close());
  let isOpen = false;
  other.on('connection', (socket) => {
    isOpen = true;
    socket.on('error', () => undefined);
  });
  t.true(
    await until(() => {
      lifeline.open();
      return isOpen;
    }),
  );
  lifeline.close();
});

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test from 'ava';
import { LivenessPipe } from '../../../src/database/cluster/liveness-pipe.js';
import { until } from '../../support/until.js';

test('the listener is called once when the server closes the connection, which may be opened again', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const pipe = new LivenessPipe(`http://127.0.0.1:${port}/path`);
  let ends = 0;
  pipe.watch(() => ends++);
  pipe.open();
  pipe.open();
  t.true(await until(() => sockets.length > 0));
  sockets[0]!.destroy();
  t.true(await until(() => ends === 1));
  t.is(sockets.length, 1, 'it is opened once');
  pipe.open();
  t.true(await until(() => sockets.length === 2));
  const closed = once(sockets[1]!, 'close');
  sockets[1]!.resume();
  pipe.close();
  await closed;
  t.is(ends, 1, 'its own close calls no listener');
});

test('a refused connection calls no listener', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const closed = once(server, 'close');
  server.close();
  await closed;
  const pipe = new LivenessPipe(`http://127.0.0.1:${port}`);
  pipe.watch(() => t.fail());
  pipe.open();
  const other = createServer().listen(port, '127.0.0.1');
  t.teardown(() => other.close());
  let isOpen = false;
  other.on('connection', (socket) => {
    isOpen = true;
    socket.on('error', () => undefined);
  });
  t.true(
    await until(() => {
      pipe.open();
      return isOpen;
    }),
  );
  pipe.close();
});

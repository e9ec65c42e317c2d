import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { TcpListener, UdpListener } from '../../../src/sources/support/listeners.js';
import { until } from '../../support/until.js';

function listener(maxConnections: number, connected: (socket: net.Socket) => void = () => {}, port = 0) {
  let refused = 0;
  const tcp = new TcpListener({
    port,
    setting: 'input.port',
    maxConnections,
    keepAlive: true,
    connected,
    refused: () => refused++,
  });
  return { tcp, refused: () => refused };
}

/** Greets, and ends when the other end does. */
function greet(socket: net.Socket): void {
  socket.write('hi');
  socket.resume().once('end', () => socket.end());
}

test('accepts up to the limit, closes one connection more at once, and accepts again when one is gone', async (t) => {
  const { tcp, refused } = listener(1, greet);
  const port = await tcp.start();
  t.teardown(() => tcp.destroy());
  const first = net.connect(port, '127.0.0.1');
  t.is(String((await once(first, 'data'))[0]), 'hi');
  t.is(tcp.connections, 1);
  t.is(await text(net.connect(port, '127.0.0.1')), '');
  t.is(refused(), 1);
  first.destroy();
  t.true(await until(() => tcp.connections === 0));
  const next = net.connect(port, '127.0.0.1');
  t.is(String((await once(next, 'data'))[0]), 'hi');
  next.destroy();
});

test('a connection that is silent is cut, before its first byte sooner than after it, but not while its reader is held up', async (t) => {
  const tcp = new TcpListener({
    port: 0,
    setting: 'input.port',
    maxConnections: 9,
    keepAlive: true,
    silence: { firstMs: 50, laterMs: 100 },
    connected: (socket) => {
      socket.once('data', (bytes) => {
        if (String(bytes) === 'hold') socket.pause();
      });
    },
    refused: () => {},
  });
  const port = await tcp.start();
  t.teardown(() => tcp.destroy());
  const stranger = net.connect(port, '127.0.0.1').resume();
  const held = net.connect(port, '127.0.0.1').resume();
  const sender = net.connect(port, '127.0.0.1').resume();
  held.write('hold');
  sender.write('a line');
  const ended: string[] = [];
  stranger.once('close', () => ended.push('stranger'));
  sender.once('close', () => ended.push('sender'));
  t.true(await until(() => ended.length === 2));
  t.deepEqual(ended, ['stranger', 'sender']);
  t.is(tcp.connections, 1);
  held.destroy();
});

test('a closed listener takes nobody new and leaves open connections alone until it is destroyed', async (t) => {
  const { tcp } = listener(10, greet);
  const port = await tcp.start();
  const open = net.connect(port, '127.0.0.1');
  await once(open, 'data');
  tcp.close();
  tcp.close();
  const late = net.connect(port, '127.0.0.1');
  const [error] = await once(late, 'error');
  t.is(error.code, 'ECONNREFUSED');
  t.is(tcp.connections, 1);
  tcp.destroy();
  await once(open, 'close');
  t.is(tcp.connections, 0);
});

test('a port that is in use is named when the start fails', async (t) => {
  const taken = listener(1).tcp;
  const port = await taken.start();
  t.teardown(() => taken.destroy());
  const second = listener(1, () => {}, port).tcp;
  await t.throwsAsync(second.start(), {
    message: `Cannot listen for TCP on *:${port}: the port is in use; see input.port.`,
  });
  second.destroy();
});

test('receives datagrams over IPv4 and says which port is in use', async (t) => {
  const seen: string[] = [];
  const options = { port: 0, setting: 'input.port', receiveBufferBytes: 65_536, failed: () => {} };
  const udp = new UdpListener({ ...options, received: (datagram) => seen.push(datagram.toString()) });
  const port = await udp.start();
  const second = new UdpListener({ ...options, port, received: () => {} });
  await t.throwsAsync(second.start(), {
    message: `Cannot listen for UDP on *:${port}: the port is in use; see input.port.`,
  });
  const sender = createSocket('udp4');
  t.true(
    await until(() => {
      sender.send('one', port, '127.0.0.1');
      return seen.length > 0;
    }),
  );
  t.is(seen[0], 'one');
  sender.close();
  udp.close();
  udp.close();
});

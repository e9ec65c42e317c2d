import { once } from 'node:events';
import net from 'node:net';
import test from 'ava';
import { mailChannel } from '../../src/notify/mail.js';
import { storedEvent } from '../support/events/stored-events.js';

/** Greets, and goes on dripping lines of its second answer. */
async function drippingServer(): Promise<{ readonly port: number; readonly closed: Promise<unknown>; close(): void }> {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = net.createServer((socket) => {
    socket.write('220 here\r\n');
    const drip = setInterval(() => socket.write('250-more\r\n'), 20);
    socket.resume().on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(drip);
      closed();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, closed: gone, close: () => server.close() };
}

test('a mail to a server with very slow lines times out, at the latest when the service stops', async (t) => {
  const server = await drippingServer();
  t.teardown(server.close);
  const settings = { server: `smtp://127.0.0.1:${server.port}/`, from: 'a@b', to: ['c@d'] };
  const change = { change: 'opened', event: storedEvent(1) } as const;
  const never = new AbortController().signal;
  await t.throwsAsync(mailChannel(settings, 'here', 200).send([change], never), { message: /took too long/ });
  await server.closed;
  await t.throwsAsync(mailChannel(settings, 'here').send([change], AbortSignal.abort()), { message: /took too long/ });
});

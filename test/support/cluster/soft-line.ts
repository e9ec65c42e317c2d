import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Scope } from '../processes.js';

/**
 * Passes on what comes to one port of this machine to another one, so that a connection which its sender resets just ends. As part of
 * another program the engine aborts when a connection of its native protocol is reset; a server of its own does not.
 */
export async function softLine(t: Scope, from: number, to: number): Promise<void> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
    const end = (): void => {
      far.end();
      far.resume();
    };
    near.on('error', end).on('close', end);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  server.listen(from, '127.0.0.1');
  await once(server, 'listening');
}

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Scope } from '../processes.js';

/** A line, and what a test may do to it. */
export interface SoftLine {
  /** After so many bytes of answers a connection ends, as when the answering node dies; undefined for none. */
  cutAfter: number | undefined;
}

/**
 * Passes on what comes to one port of this machine to another one, so that a connection which its sender resets just ends. As part of
 * another program the engine aborts when a connection of its native protocol is reset; a server of its own does not.
 */
export async function softLine(t: Scope, from: number, to: number): Promise<SoftLine> {
  const line: SoftLine = { cutAfter: undefined };
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
    near.pipe(far);
    const { cutAfter } = line;
    if (cutAfter === undefined) far.pipe(near);
    else
      far.once('data', (bytes: Buffer) => {
        near.end(bytes.subarray(0, cutAfter));
        far.destroy();
      });
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
  return line;
}

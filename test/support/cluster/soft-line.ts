import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Scope } from '../service/processes.js';

/** A line between two ports of this machine, and what a test may do to it. */
export class SoftLine {
  /** After so many bytes of answers new connections end, as when the answering node dies; undefined for none. */
  cutAfter: number | undefined;
  /** Where it is asked. */
  port = 0;
  readonly open = new Set<Socket>();
  #isCut = false;
  #isSilent = false;

  /** Ends all connections, and new ones at once. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.open) socket.destroy();
  }

  /** Nothing passes any more in either direction, and nobody is told. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.open) socket.pause();
  }

  /** Everything passes again on new connections; those that were silent are ended. */
  mend(): void {
    this.#isCut = false;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    for (const socket of this.open) socket.destroy();
  }

  /** Joins what has come in with a port. */
  join(near: Socket, to: number): void {
    if (this.#isCut) return void near.destroy();
    this.#hold(near);
    near.on('error', () => undefined);
    if (this.#isSilent) return;
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.#hold(far);
    near.pipe(far);
    const { cutAfter } = this;
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
  }

  #hold(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
  }
}

/**
 * Passes on what comes to one port of this machine to another one, so that a connection which its sender resets just ends. As part of
 * another program the engine aborts when a connection of its native protocol is reset; a server of its own does not. 0 stands for any port.
 */
export async function softLine(t: Scope, from: number, to: number): Promise<SoftLine> {
  const line = new SoftLine();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => line.join(near, to));
  t.teardown(() => {
    for (const socket of line.open) socket.destroy();
    server.close();
  });
  server.listen(from, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) line.port = address.port;
  return line;
}

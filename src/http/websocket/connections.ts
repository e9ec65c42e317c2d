import { OpenList } from '../../async/open-list.js';
import { OpenWork } from '../../async/open-work.js';
import { type ConnectionOptions, SocketConnection } from './connection.js';
import type { SocketProtocol } from './protocol.js';

const tickMs = 1_000;

/** The open WebSocket connections of a server. */
export class SocketConnections {
  readonly #open = new OpenList<SocketConnection>();
  readonly #work = new OpenWork();
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;

  /** How many are open. */
  get count(): number {
    return this.#open.size;
  }

  /** Takes a connection over. */
  add(protocol: SocketProtocol, options: Omit<ConnectionOptions, 'closed'>): void {
    const connection: SocketConnection = new SocketConnection(protocol, {
      ...options,
      closed: () => this.#removed(connection),
    });
    this.#work.begin();
    this.#open.add(connection);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    if (this.#isDraining) connection.end('service is shutting down');
  }

  /** Has every connection answer what it has begun, and closes it; resolves when none is open. */
  drain(): Promise<void> {
    this.#isDraining = true;
    for (const connection of this.#open.all()) connection.end('service is shutting down');
    return this.#work.none();
  }

  /** Cuts those that are left. */
  stop(): void {
    for (const connection of this.#open.all()) connection.cut();
  }

  #removed(connection: SocketConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#work.end();
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const connection of this.#open.all()) connection.tick(now);
  }
}

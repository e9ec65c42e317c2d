import { connect, type Socket } from 'node:net';

/** Ports of addresses that name none. */
const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * A connection to a server on which no data are sent. The operating system closes it with the server's process, so that
 * the listener detects a crash at once. A server also closes idle connections, so the listener must probe the server.
 */
export class LivenessPipe {
  readonly #address: { readonly host: string; readonly port: number };
  #socket: Socket | undefined;
  #listener: () => void = () => {};

  constructor(url: string) {
    const { protocol, hostname, port } = new URL(url);
    this.#address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (ports[protocol] ?? 80) };
  }

  /** Sets the listener, which is called when an open connection closes. */
  watch(listener: () => void): void {
    this.#listener = listener;
  }

  /** Opens the connection if it is not open. */
  open(): void {
    if (this.#socket !== undefined) return;
    const socket = connect(this.#address);
    this.#socket = socket;
    let wasOpen = false;
    socket.unref().on('connect', () => {
      wasOpen = true;
    });
    // Data, such as a timeout notice of the server, are discarded, because unread data would delay the event.
    socket.on('error', () => undefined).resume();
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (wasOpen) this.#listener();
    });
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }
}

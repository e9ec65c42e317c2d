import { connect, type Socket } from 'node:net';

/** Ports of addresses that name none. */
const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * A connection to a server on which nothing is ever sent. The operating system ends it with the server's process, so that the
 * listener knows of a crash at once. A server also ends idle connections, so the listener has to look what it was.
 */
export class Lifeline {
  readonly #address: { readonly host: string; readonly port: number };
  #socket: Socket | undefined;
  #ended: () => void = () => {};

  constructor(url: string) {
    const { protocol, hostname, port } = new URL(url);
    this.#address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (ports[protocol] ?? 80) };
  }

  /** Calls the listener, instead of an earlier one, when a connection ends that was open. */
  watch(ended: () => void): void {
    this.#ended = ended;
  }

  /** Opens it where it is not open. */
  open(): void {
    if (this.#socket !== undefined) return;
    const socket = connect(this.#address);
    this.#socket = socket;
    let wasOpen = false;
    socket.unref().on('connect', () => {
      wasOpen = true;
    });
    // Whatever comes, such as a notice that the server waits no longer, is not read but must not stand in the way of the end.
    socket.on('error', () => undefined).resume();
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (wasOpen) this.#ended();
    });
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }
}

import { connect, type Socket } from 'node:net';

/** Sends StatsD over TCP, where nothing is answered: what waits in a killed service to be aggregated is gone with it. */
export class StatsdSender {
  /** Values of the gauge that were sent: all numbers from 1 to this one. */
  sent = 0;
  readonly #name: string;
  #socket: Socket | undefined;
  #port = 0;

  constructor(name: string) {
    this.#name = name;
  }

  send(port: number): void {
    if (this.#socket === undefined || this.#socket.destroyed || this.#port !== port) {
      this.#socket?.destroy();
      this.#port = port;
      this.#socket = connect(port, '127.0.0.1').on('error', () => {});
    }
    this.sent++;
    this.#socket.write(`${this.#name}:${this.sent}|g\n`);
  }

  end(): void {
    this.#socket?.destroy();
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { Sink } from '../model/component.js';
import { type Delivery, delivered } from '../model/delivery.js';
import { Codes, type FaultError, fault } from '../model/fault.js';
import { reasonOf } from '../model/reason.js';
import { deliveryOf } from './outcome.js';
import { untilAborted } from './until-aborted.js';

/** Where a telnet-format listener is. */
export interface TelnetTcpOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Lines to a telnet-format listener over one connection. Nobody says that a line is stored: a batch counts as delivered when
 * the operating system has taken all of it, and what the listener complains about fails the next one.
 */
export class TelnetTcpSink implements Sink<ByteBlock> {
  readonly name = 'telnet-tcp';
  readonly #options: TelnetTcpOptions;
  #socket: Socket | undefined;
  #connecting: Promise<Socket> | undefined;
  #complaint = '';

  constructor(options: TelnetTcpOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {}
  async drain(): Promise<void> {}

  /** Closes the connection once all that was written has left. */
  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined || socket.destroyed) return;
    const closed = once(socket, 'close').catch(() => undefined);
    socket.end();
    await closed;
  }

  write(batch: Batch<ByteBlock>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(batch), deadline));
  }

  async #write({ payload, rows }: Batch<ByteBlock>): Promise<Delivery> {
    try {
      const socket = await this.#connected();
      await new Promise<void>((resolve, reject) => {
        socket.write(payload.bytes, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      return { outcome: 'failed', fault: this.#unreachable(error) };
    }
    if (this.#complaint === '') return delivered(rows);
    const said = this.#complaint;
    this.#complaint = '';
    return { outcome: 'rejected', fault: fault('database', Codes.lineSyntax, said) };
  }

  #connected(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) return Promise.resolve(this.#socket);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Socket> {
    const { host, port } = this.#options;
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (said: string) => {
      if (this.#complaint === '') this.#complaint = said.trim().slice(0, 500);
    });
    this.#socket = socket;
    return socket;
  }

  #unreachable(error: unknown): FaultError['fault'] {
    const { host, port } = this.#options;
    const reason = reasonOf(error);
    const text = `The telnet-format listener at ${host}:${port} cannot be reached: ${reason}`;
    return fault('network', Codes.networkUnavailable, text, error);
  }
}

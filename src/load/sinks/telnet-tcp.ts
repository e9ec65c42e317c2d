import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, type Fault, fault, reasonOf } from '../../model/fault.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { LateEnding, RowSink, RowText } from '../model/ports.js';

/** Longest unfinished complaint in memory. */
const maxPendingLength = 4096;
/** Longest piece of a complaint that is repeated. */
const maxShownLength = 500;

/**
 * Complaints of a telnet-format listener about lines that it does not store, counted in rows: a line each for bad ones,
 * `put: illegal argument: 7 more lines`, and `(lines: 7)` at the end of what holds for a whole batch.
 */
export class TelnetComplaints {
  #rows = 0;
  #first = '';
  #pending = '';

  /** Takes what was read, however it is cut. */
  add(piece: string): void {
    const lines = (this.#pending + piece).split('\n');
    this.#pending = (lines.pop() ?? '').slice(0, maxPendingLength);
    for (const line of lines.map((text) => text.trim())) {
      if (line === '') continue;
      const [, more] = /^put: illegal argument: (\d+) more lines$/.exec(line) ?? [];
      const [, all] = /\(lines: (\d+)\)$/.exec(line) ?? [];
      this.#rows += Number(more ?? all ?? 1);
      if (this.#first === '') this.#first = line.slice(0, maxShownLength);
    }
  }

  /** Takes at most so many refused rows off, and gives the first complaint. */
  take(most: number): { readonly rows: number; readonly said: string } {
    const rows = Math.min(this.#rows, most);
    this.#rows -= rows;
    const said = this.#first;
    if (this.#rows === 0) this.#first = '';
    return { rows, said };
  }
}

/** Where a telnet-format listener is. */
interface TelnetTcpOptions {
  readonly host: string;
  readonly port: number;
  /** Closes the connection at once. */
  readonly cut?: AbortSignal;
}

/**
 * Lines to a telnet-format listener over one connection. No response says that a line is stored: a request counts as
 * delivered when the operating system has taken all of it. What the listener complains about meanwhile is taken off the
 * next ones, and what it complains about after the last one is the result of {@link TelnetTcpSink.end}.
 */
export class TelnetTcpSink implements RowSink<RowText> {
  readonly #options: TelnetTcpOptions;
  readonly #address: string;
  readonly #complaints = new TelnetComplaints();
  #socket: Socket | undefined;
  #connecting: Promise<Socket> | undefined;
  #isEnding = false;
  /** Rows of this connection that count as delivered. */
  #unconfirmedRows = 0;
  /** Rows of connections that broke, and why the first of them did. */
  #lostRows = 0;
  #broken: Fault | undefined;

  constructor(options: TelnetTcpOptions) {
    const { host, port, cut } = options;
    this.#options = options;
    this.#address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    cut?.addEventListener('abort', () => this.#socket?.destroy(), { once: true });
  }

  /** Closes the connection once the listener has processed all that was written. */
  async stop(): Promise<void> {
    await this.end(new AbortController().signal);
  }

  write(lines: RowText, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(lines), deadline));
  }

  /**
   * Ends the connection, and waits for the listener, which closes it once it has stored or refused all lines. Undefined
   * when all rows are stored.
   */
  async end(deadline: AbortSignal): Promise<LateEnding | undefined> {
    this.#isEnding = true;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) {
      await closed(socket, deadline);
      if (!socket.readableEnded) this.#lose('it did not say that it has read everything');
    }
    const complaints = this.#complaints.take(Number.POSITIVE_INFINITY);
    const failure = this.#broken ?? (complaints.rows > 0 ? refused(complaints.said) : undefined);
    const rows = this.#lostRows + complaints.rows;
    this.#broken = undefined;
    this.#lostRows = 0;
    this.#unconfirmedRows = 0;
    return failure && { rows, fault: failure };
  }

  async #write({ text, rows }: RowText): Promise<Delivery> {
    try {
      const socket = await this.#connected();
      await new Promise<void>((resolve, reject) => {
        socket.write(text, (error) => (error ? reject(error) : resolve()));
      });
      // A write in flight ends without an error when its connection is destroyed.
      if (socket.destroyed) throw new Error('the connection was broken off');
    } catch (error) {
      const message = `The telnet-format listener at ${this.#address} cannot be reached: ${reasonOf(error)}`;
      return { outcome: 'failed', fault: fault('network', Codes.networkUnavailable, message, error) };
    }
    const complaints = this.#complaints.take(rows);
    const stored = rows - complaints.rows;
    this.#unconfirmedRows += stored;
    const rejects = complaints.rows === 0 ? [] : [{ row: 0, fault: refused(complaints.said) }];
    return delivered(stored, complaints.rows, rejects);
  }

  #connected(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) return Promise.resolve(this.#socket);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Socket> {
    const { host, port, cut } = this.#options;
    const socket = connect({ host, port, noDelay: true, ...(cut === undefined ? {} : { signal: cut }) });
    await once(socket, 'connect');
    let reason = '';
    socket.on('error', (error) => {
      reason = reasonOf(error);
    });
    socket.on('end', () => {
      if (!this.#isEnding) reason = 'the connection was closed';
    });
    socket.on('close', () => {
      if (reason !== '' || !this.#isEnding) this.#lose(reason || 'the connection was broken off');
    });
    socket.setEncoding('utf8').on('data', (said: string) => this.#complaints.add(said));
    this.#socket = socket;
    return socket;
  }

  /** Counts the rows of a connection that broke: no complaint will say which were stored. */
  #lose(why: string): void {
    if (this.#unconfirmedRows === 0) return;
    const text = `The connection to the telnet-format listener at ${this.#address} broke: ${why}`;
    this.#broken ??= fault('network', Codes.networkUnavailable, text);
    this.#lostRows += this.#unconfirmedRows;
    this.#unconfirmedRows = 0;
    this.#complaints.take(Number.POSITIVE_INFINITY);
  }
}

/** Ends a connection, and waits until the other end has closed it too. */
async function closed(socket: Socket, deadline: AbortSignal): Promise<void> {
  if (socket.closed) return;
  const closing = once(socket, 'close').catch(() => undefined);
  socket.end();
  await untilAborted(closing, deadline).catch(() => socket.destroy());
}

function refused(said: string): Fault {
  return fault('database', Codes.lineSyntax, `The listener says: ${said}`);
}

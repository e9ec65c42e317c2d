import type { Socket } from 'node:net';
import type { Observable } from 'rxjs';
import { lineFeed } from '../../bytes/ascii.js';
import { withoutByteOrderMark } from '../../bytes/byte-order-mark.js';
import type { Batch, ByteBlock, Target, WireFormat } from '../../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../../model/component.js';
import { fromBytes } from './bridges.js';
import { DatagramQueue } from './datagrams.js';
import { Emitter } from './emitter.js';
import { type Frame, framing, lineFeedCutter, textOf } from './framing.js';
import { type ListenAddress, TcpListener, UdpListener } from './listeners.js';
import { readSocket } from './socket-reader.js';

/** Longest line that is read over TCP. */
const maxLineBytes = 65_536;
/** Emits whole lines at once: they do not wait for more. */
const tcpFraming = { blockBytes: maxLineBytes, maxLineBytes, eager: true };
/** Bytes of datagrams that wait while the gate is shut. */
const maxPendingBytes = 64 * 1024 * 1024;
/** Bytes that the kernel keeps for us while we are busy; it grants what its own limit allows. */
const receiveBufferBytes = 16 * 1024 * 1024;

/** Where the source listens, and what for. */
export interface LineListenerOptions {
  /** Name of the source, and of the group of its settings. */
  readonly name: string;
  readonly format: WireFormat;
  /** Transports that are listened on, one by one; all on the same port unless that is 0. */
  readonly protocols: readonly ('tcp' | 'udp')[];
  /** Every interface when left out. */
  readonly host?: string;
  readonly port: number;
  /** Without a limit, and not kept alive, when left out. */
  readonly maxTCPConnections?: number;
  readonly tcpKeepAlive?: boolean;
  /** Datagrams that may wait to be read. */
  readonly allowPendingMessages: number;
  /** True for a datagram that others may stand behind in one text; left out, that is each. */
  readonly mayStandBefore?: (datagram: Buffer) => boolean;
  readonly target: Target;
}

/** Counts of the source since the start. */
interface LineCounts {
  readonly datagrams: number;
  readonly shedDatagrams: number;
  readonly refusedConnections: number;
  readonly tooLongLines: number;
}

/**
 * Text over UDP, TCP or both, as blocks of whole lines. Over TCP readers wait for the gate; datagrams are shed and
 * counted.
 */
export class LineListener implements Source<ByteBlock> {
  readonly name: string;
  readonly batches$: Observable<Batch<ByteBlock>>;
  /** The ports that are listened on, once started, in the order of the protocols. */
  readonly ports: number[] = [];
  readonly #options: LineListenerOptions;
  readonly #gate: ReadGate;
  readonly #log: ComponentLog;
  readonly #emitter: Emitter;
  readonly #queue: DatagramQueue;
  readonly #listeners: readonly (TcpListener | UdpListener)[];
  readonly #ended = new AbortController();
  #refused = 0;
  #tooLong = 0;

  constructor(options: LineListenerOptions, gate: ReadGate, log: ComponentLog) {
    const { name, format, target } = options;
    this.name = name;
    this.#options = options;
    this.#gate = gate;
    this.#log = log;
    this.#emitter = new Emitter({ origin: name, format, target });
    this.batches$ = this.#emitter.batches$;
    const limits = { maxPending: options.allowPendingMessages, maxPendingBytes };
    const emit = (block: Buffer): void => this.#emitter.emit(block, countLines(block));
    this.#queue = new DatagramQueue('lines', limits, gate, log, emit, options.mayStandBefore);
    this.#listeners = options.protocols.map((protocol) => (protocol === 'tcp' ? this.#tcp() : this.#udp()));
  }

  get counts(): LineCounts {
    const { received: datagrams, shed: shedDatagrams } = this.#queue;
    return { datagrams, shedDatagrams, refusedConnections: this.#refused, tooLongLines: this.#tooLong };
  }

  async start(): Promise<void> {
    const { protocols, target } = this.#options;
    for (const [i, listener] of this.#listeners.entries()) {
      const listens = await listener.start();
      this.ports.push(listens);
      this.#log.info({ listens, database: target.database, protocol: protocols[i] }, 'Listening for lines.');
    }
  }

  async drain(): Promise<void> {
    this.#end();
    await this.#emitter.settled();
  }

  async stop(): Promise<void> {
    this.#end();
  }

  #end(): void {
    for (const listener of this.#listeners) listener.close();
    this.#queue.flush();
    this.#ended.abort();
    for (const listener of this.#listeners) if (listener instanceof TcpListener) listener.destroy();
    this.#emitter.close();
  }

  #udp(): UdpListener {
    return new UdpListener({
      ...addressOf(this.#options),
      receiveBufferBytes,
      received: (datagram) => this.#queue.add(withoutByteOrderMark(datagram)),
      failed: (error) => this.#log.warn({ error: error.message }, 'The socket of a listener failed.'),
    });
  }

  #tcp(): TcpListener {
    const { maxTCPConnections: limit = Number.POSITIVE_INFINITY, tcpKeepAlive = false } = this.#options;
    return new TcpListener({
      ...addressOf(this.#options),
      maxConnections: limit,
      keepAlive: tcpKeepAlive,
      connected: (socket) => this.#read(socket),
      refused: () => {
        this.#refused++;
        this.#log.warn({ refused: this.#refused, limit }, 'A connection was refused: there are too many.');
      },
    });
  }

  #read(socket: Socket): void {
    const done = (): void => {
      socket.destroy();
    };
    fromBytes<Frame>(
      readSocket(socket, this.#ended.signal),
      framing(() => lineFeedCutter, tcpFraming),
      this.#gate,
      this.#ended.signal,
    ).subscribe({
      next: (frame) => {
        // The beginning of a line whose connection broke may say anything.
        const isCut = frame.last && !socket.readableEnded;
        if (frame.tooLong) this.#tooLong++;
        else if (!isCut) this.#emitter.emit(textOf(frame), frame.lines);
      },
      complete: done,
      error: done,
    });
  }
}

function countLines(block: Uint8Array): number {
  let lines = 0;
  for (let at = block.indexOf(lineFeed); at >= 0; at = block.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}

function addressOf({ name, host, port }: LineListenerOptions): ListenAddress {
  return { host, port, setting: `${name}.port` };
}

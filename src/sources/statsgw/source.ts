import type { Socket } from 'node:net';
import type { Observable } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../../model/batch.js';
import type { ComponentLog, CreditGate, Source } from '../../model/component.js';
import { fromBytes } from '../support/bridges.js';
import { DatagramQueue } from '../support/datagrams.js';
import { Emitter } from '../support/emitter.js';
import { type Frame, framing, lineFeedCutter } from '../support/framing.js';
import { type ListenAddress, TcpListener, UdpListener } from '../support/listeners.js';

/** Longest line that is read over TCP. */
const maxLineBytes = 65_536;
/** Every read of a connection goes on at once: what it brought is not kept back for more to come. */
const tcpFraming = { blockBytes: 1, maxLineBytes };
/** Bytes of datagrams that wait while the gate is shut. */
const maxPendingBytes = 64 * 1024 * 1024;
/** What the kernel keeps for us while we are busy; it grants what its own limit allows. */
const receiveBufferBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

/** Where the source listens, and what for. */
export interface StatsgwSourceOptions {
  readonly protocol: 'tcp' | 'udp';
  /** Every interface when left out. */
  readonly host?: string;
  readonly port: number;
  readonly maxTCPConnections: number;
  readonly tcpKeepAlive: boolean;
  /** Datagrams that may wait to be read. */
  readonly allowPendingMessages: number;
  readonly target: Target;
}

/** What the source has counted since the start. */
export interface StatsgwCounts {
  readonly datagrams: number;
  readonly shedDatagrams: number;
  readonly refusedConnections: number;
  readonly tooLongLines: number;
}

/** StatsD text over UDP or TCP, as blocks of whole lines. Over TCP readers wait for the gate; datagrams are shed and counted. */
export class StatsgwSource implements Source<ByteBlock> {
  readonly name = 'statsgw';
  readonly batches$: Observable<Batch<ByteBlock>>;
  /** The port that is listened on, once started. */
  port = 0;
  readonly #options: StatsgwSourceOptions;
  readonly #gate: CreditGate;
  readonly #log: ComponentLog;
  readonly #emitter: Emitter;
  readonly #queue: DatagramQueue;
  readonly #listener: TcpListener | UdpListener;
  readonly #ended = new AbortController();
  #refused = 0;
  #tooLong = 0;

  constructor(options: StatsgwSourceOptions, gate: CreditGate, log: ComponentLog) {
    this.#options = options;
    this.#gate = gate;
    this.#log = log;
    this.#emitter = new Emitter({ origin: this.name, format: 'statsd', target: options.target }, gate);
    this.batches$ = this.#emitter.batches$;
    const limits = { maxPending: options.allowPendingMessages, maxPendingBytes };
    this.#queue = new DatagramQueue('lines', limits, gate, (block) => this.#emitter.emit(block, countLines(block)));
    this.#listener = options.protocol === 'tcp' ? this.#tcp() : this.#udp();
  }

  get counts(): StatsgwCounts {
    const { received: datagrams, shed: shedDatagrams } = this.#queue;
    return { datagrams, shedDatagrams, refusedConnections: this.#refused, tooLongLines: this.#tooLong };
  }

  async start(): Promise<void> {
    this.port = await this.#listener.start();
    this.#log.info(
      { listens: this.port, database: this.#options.target.database, protocol: this.#options.protocol },
      'Listening for statistics clients.',
    );
  }

  async drain(): Promise<void> {
    this.#end();
    await this.#emitter.settled();
  }

  async stop(): Promise<void> {
    this.#end();
  }

  #end(): void {
    this.#listener.close();
    this.#queue.flush();
    this.#ended.abort();
    if (this.#listener instanceof TcpListener) this.#listener.destroy();
    this.#emitter.close();
  }

  #udp(): UdpListener {
    return new UdpListener({
      ...addressOf(this.#options),
      receiveBufferBytes,
      received: (datagram) => {
        if (!this.#queue.add(datagram)) this.#shed();
      },
      failed: (error) => this.#log.warn({ error: error.message }, 'The socket of the statistics listener failed.'),
    });
  }

  #tcp(): TcpListener {
    return new TcpListener({
      ...addressOf(this.#options),
      maxConnections: this.#options.maxTCPConnections,
      keepAlive: this.#options.tcpKeepAlive,
      connected: (socket) => this.#read(socket),
      refused: () => {
        this.#refused++;
        const limit = this.#options.maxTCPConnections;
        this.#log.warn({ refused: this.#refused, limit }, 'A connection was refused: there are too many.');
      },
    });
  }

  /** One line in the log at the first datagram that is shed, and at every so many more. */
  #shed(): void {
    const limit = this.#options.allowPendingMessages;
    const { shed } = this.#queue;
    if (shed !== 1 && shed % limit !== 0) return;
    this.#log.error({ shed, limit }, 'Datagrams are shed: too many wait to be read, or memory is short.');
  }

  #read(socket: Socket): void {
    const done = (): void => {
      socket.destroy();
    };
    fromBytes<Frame>(
      socket,
      framing(() => lineFeedCutter, tcpFraming),
      this.#gate,
      this.#ended.signal,
    ).subscribe({
      next: (frame) => {
        if (frame.tooLong) this.#tooLong++;
        else this.#emitter.emit(frame.bytes, frame.lines);
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

function addressOf({ host, port }: StatsgwSourceOptions): ListenAddress {
  return { host, port, setting: 'statsgw.port' };
}

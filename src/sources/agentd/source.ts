import type { Observable } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../../model/component.js';
import { DatagramQueue } from '../support/datagrams.js';
import { Emitter } from '../support/emitter.js';
import { UdpListener } from '../support/listeners.js';

/** Bytes of datagrams that wait while the gate is shut. */
const maxPendingBytes = 64 * 1024 * 1024;
/** Bytes that the kernel keeps for us while we are busy; it grants what its own limit allows. */
const receiveBufferBytes = 16 * 1024 * 1024;

/** Where the source listens, and what for. */
interface AgentdSourceOptions {
  /** Every interface when left out. */
  readonly host?: string;
  readonly port: number;
  /** Blocks that may be written at the same time; what comes meanwhile goes into the next ones. */
  readonly worker: number;
  /** Datagrams that may wait to be read. */
  readonly allowPendingPackets: number;
  readonly target: Target;
}

/**
 * Packets of metric agents over UDP, each behind its length in two bytes. Those for which there is no room are shed and
 * counted.
 */
export class AgentdSource implements Source<ByteBlock> {
  readonly name = 'agentd';
  readonly batches$: Observable<Batch<ByteBlock>>;
  /** The port that is listened on, once started. */
  port = 0;
  readonly #options: AgentdSourceOptions;
  readonly #log: ComponentLog;
  readonly #emitter: Emitter;
  readonly #queue: DatagramQueue;
  readonly #listener: UdpListener;

  constructor(options: AgentdSourceOptions, gate: ReadGate, log: ComponentLog) {
    this.#options = options;
    this.#log = log;
    this.#emitter = new Emitter({ origin: this.name, format: 'agentd', target: options.target });
    this.batches$ = this.#emitter.batches$;
    const limits = { maxPending: options.allowPendingPackets, maxPendingBytes };
    const opened = async (): Promise<void> => {
      await this.#emitter.below(options.worker);
      await gate.opened();
    };
    const reading = {
      opened,
      get isHeld() {
        return gate.isHeld;
      },
    };
    this.#queue = new DatagramQueue('lengths', limits, reading, log, (block, packets) =>
      this.#emitter.emit(block, packets),
    );
    const { host, port } = options;
    this.#listener = new UdpListener({
      ...(host === undefined ? { port } : { host, port }),
      setting: 'agentd.port',
      receiveBufferBytes,
      received: (datagram) => this.#queue.add(datagram),
      failed: (error) => log.warn({ error: error.message }, 'The socket of the agent listener failed.'),
    });
  }

  get counts(): { readonly datagrams: number; readonly shedDatagrams: number } {
    const { received: datagrams, shed: shedDatagrams } = this.#queue;
    return { datagrams, shedDatagrams };
  }

  async start(): Promise<void> {
    this.port = await this.#listener.start();
    this.#log.info({ listens: this.port, database: this.#options.target.database }, 'Listening for metric agents.');
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
    this.#emitter.close();
  }
}

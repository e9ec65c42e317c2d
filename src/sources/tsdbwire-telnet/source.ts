import type { Socket } from 'node:net';
import { Subject } from 'rxjs';
import { detached } from '../../async/detached.js';
import type { Batch, ByteBlock } from '../../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import { TcpListener } from '../support/listeners.js';
import { LossLog } from '../support/loss-log.js';
import { type Command, commandWords } from './commands.js';
import { type ConnectionContext, TelnetConnection } from './connection.js';
import type { TsdbwireTelnetSettings } from './options.js';

/**
 * No line that can be stored is longer: a value of 64 KiB with every byte escaped, tags and names. Lines that do not
 * end are outside of the credit, one for each connection, so the bound is no wider than it must be.
 */
const longestLineBytes = 192 * 1024;

/** Options of the source. */
export interface TsdbwireTelnetOptions extends TsdbwireTelnetSettings {
  readonly host?: string;
  readonly maxLineBytes: number;
  /** Answer to `version`. */
  readonly version: string;
}

/** Counts of one port since the start. */
interface PortCounts {
  lines: number;
  rejectedLines: number;
  lostLines: number;
  overlongLines: number;
  refusedConnections: number;
}

/** One port with its database and its clients. */
interface Port {
  readonly listener: TcpListener;
  readonly connections: Set<TelnetConnection>;
  readonly counts: PortCounts;
  /** Once it is bound. */
  port: number;
}

/**
 * TCP listeners for lines of the telnet format, a database for each port. Clients get no reply when a line is stored;
 * they get errors of bad lines. So transient failures must be retried behind this source.
 */
export class TsdbwireTelnetSource implements Source<ByteBlock> {
  readonly name = 'tsdbwire_telnet';
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly #options: TsdbwireTelnetOptions;
  readonly #gate: ReadGate;
  readonly #log: ComponentLog;
  readonly #losses: LossLog;
  readonly #ports: readonly Port[];

  constructor(options: TsdbwireTelnetOptions, gate: ReadGate, log: ComponentLog) {
    this.#options = options;
    this.#gate = gate;
    this.#log = log;
    this.#losses = new LossLog(log);
    this.#ports = options.ports.map((port, i) => this.#newPort(port, options.dbs[i] ?? ''));
  }

  /** The ports that are listened on, once started. */
  get ports(): readonly number[] {
    return this.#ports.map(({ port }) => port);
  }

  /** Sum of the counts of all ports since the start. */
  get counts(): Readonly<PortCounts> {
    const sum = { lines: 0, rejectedLines: 0, lostLines: 0, overlongLines: 0, refusedConnections: 0 };
    for (const { counts } of this.#ports) {
      sum.lines += counts.lines;
      sum.rejectedLines += counts.rejectedLines;
      sum.lostLines += counts.lostLines;
      sum.overlongLines += counts.overlongLines;
      sum.refusedConnections += counts.refusedConnections;
    }
    return sum;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#ports.reduce((sum, { connections }) => sum + connections.size, 0);
  }

  async start(): Promise<void> {
    for (const [i, port] of this.#ports.entries()) {
      port.port = await port.listener.start();
      this.#log.info({ listens: port.port, database: this.#options.dbs[i] }, 'Listening for lines.');
    }
  }

  async drain(): Promise<void> {
    for (const { listener } of this.#ports) listener.close();
    const open = this.#ports.flatMap(({ connections }) => [...connections]);
    for (const connection of open) connection.stop();
    await Promise.all(open.map(({ over }) => over));
  }

  async stop(): Promise<void> {
    for (const { listener, connections } of this.#ports) {
      for (const connection of connections) connection.destroy();
      listener.destroy();
    }
    this.#losses.stop();
    this.batches$.complete();
  }

  #newPort(port: number, database: string): Port {
    const { host, maxTCPConnections, tcpKeepAlive, user, ttlDays } = this.#options;
    const counts = { lines: 0, rejectedLines: 0, lostLines: 0, overlongLines: 0, refusedConnections: 0 };
    const connections = new Set<TelnetConnection>();
    // The operator named the database in the settings, so it is made when it is missing.
    const target = { database, user, createDatabase: true, ttl: ttlDays, precision: 'ms' } as const;
    const { batchSize, flushIntervalMs } = this.#options;
    const maxLineBytes = Math.min(this.#options.maxLineBytes, longestLineBytes);
    const context: ConnectionContext = {
      gate: this.#gate,
      maxLineBytes,
      batchSize,
      flushIntervalMs,
      emit: (bytes, lines, settled) => {
        counts.lines += lines;
        this.batches$.next({
          origin: this.name,
          target,
          payload: { kind: 'bytes', format: 'tsdbwire-telnet', bytes },
          rows: lines,
          bytes: bytes.length,
          settle: (delivery) => {
            this.#count(delivery, lines, counts, database);
            settled(delivery);
          },
        });
      },
      overlong: () => {
        counts.overlongLines++;
        this.#losses.add('warn', 'Lines that are too long were dropped.', 1, `the limit is ${maxLineBytes} bytes`);
      },
      answer: (command) => this.#answer(command, entry),
    };
    const listener = new TcpListener({
      host,
      port,
      setting: 'tsdbwire_telnet.ports',
      maxConnections: maxTCPConnections,
      keepAlive: tcpKeepAlive,
      connected: (socket) => this.#connect(socket, context, connections),
      refused: () => {
        counts.refusedConnections++;
        const reason = `tsdbwire_telnet.maxTCPConnections is ${maxTCPConnections}`;
        this.#losses.add('warn', 'Connections were refused.', 1, reason);
      },
    });
    const entry: Port = { listener, connections, counts, port };
    return entry;
  }

  #connect(socket: Socket, context: ConnectionContext, connections: Set<TelnetConnection>): void {
    const connection = new TelnetConnection(socket, context);
    connections.add(connection);
    detached(connection.over.finally(() => connections.delete(connection)));
  }

  #count(delivery: Delivery, lines: number, counts: PortCounts, database: string): void {
    if (delivery.outcome === 'delivered') {
      if (delivery.rejectedRows === 0) return;
      counts.rejectedLines += delivery.rejectedRows;
      const reason = delivery.rejects[0]?.fault.message ?? '';
      this.#losses.add('warn', 'Bad lines were not stored.', delivery.rejectedRows, reason);
      return;
    }
    counts.lostLines += lines;
    const reason = delivery.outcome === 'shed' ? delivery.reason : delivery.fault.message;
    this.#losses.add('error', 'Lines were not stored.', lines, `database ${JSON.stringify(database)}: ${reason}`);
  }

  #answer(command: Exclude<Command, 'exit'>, { counts, connections, port }: Port): string {
    switch (command) {
      case 'version':
        return `${this.#options.version}\n`;
      case 'help':
        return `available commands: put ${commandWords.join(' ')}\n`;
      case 'stats': {
        const seconds = Math.floor(Date.now() / 1000);
        const metrics = { connections: connections.size, ...counts };
        return Object.entries(metrics)
          .map(([name, value]) => `tsdbwire_telnet.${name} ${seconds} ${value} port=${port}\n`)
          .join('');
      }
    }
  }
}

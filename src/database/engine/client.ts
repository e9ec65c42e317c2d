import { availableParallelism } from 'node:os';
import type { Chunks } from '../../model/exchange.js';
import { BufferBudget, type BufferedResult, wholeResult } from './buffered-result.js';
import { type ConnectionLease, ConnectionPool } from './connection-pool.js';
import { unlessMade } from './definition-room.js';
import { EmbeddedHost } from './embedded-host.js';
import type { Cell, Engine, EngineNode, InsertData, InsertOptions, ResultOptions, Store } from './engine.js';
import { faultErrorOf } from './engine-faults.js';
import { EngineServer } from './engine-server.js';
import type { HostDirectory } from './handover.js';
import { InsertHistory } from './history.js';
import { anyEffect, type Effect, type EngineQuery, type Insert } from './request.js';
import { effectOf, statementOf, type TableChange } from './table-change.js';
import type { StatementOptions, Transport } from './transport.js';

/** Address and credentials of the engine, and limits of the statements in flight. */
export interface EngineClientOptions {
  /** `http://host:port` of a server; unused with a directory. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Gives the directory of the embedded host on this machine, undefined while none runs. */
  readonly directory?: (() => HostDirectory | undefined) | undefined;
  /**
   * `pool.maxConnect`: limit of statements in flight; 0 is four times the number of processors, and three eighths more.
   * Half of them give results, so that writes never wait for slow queries and their readers. Those three eighths, or with
   * a limit an eighth of it, are for queries of few series, which need not wait for others. With fewer than four there is no such share.
   */
  readonly maxConnect?: number;
  /** `pool.maxIdle`: idle connections to a server that are kept; 0 keeps all. */
  readonly maxIdle?: number;
  /** `pool.idleTimeout`, ms; 0 is 10 s. A server keeps idle connections for 10 s or more. */
  readonly idleTimeoutMs?: number;
  /** Timeout of a connection to a server without data while a statement runs. */
  readonly requestTimeoutMs?: number;
  /** Certificates of the authorities that vouch for an `https://` engine, PEM; without it those that Node knows. */
  readonly ca?: string | undefined;
  /** Concurrent long results of an embedded host; {@link maxHostResults} when left out. */
  readonly maxResults?: number;
}

/** Buffered bytes of all results. */
const maxBufferedBytes = 64 * 1024 * 1024;
/** An embedded host has nine connections for results. */
export const maxHostResults = 8;
const defaultIdleTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 15 * 60_000;

/**
 * One engine as the rest of the program sees it. Every failure is a FaultError: kind `network` when the engine could not
 * be reached or the connection broke, `resource` when it lacks disk, memory or merge capacity, `database` otherwise.
 */
export class EngineClient implements Engine {
  readonly #transport: Transport;
  /** Limits statements without a reader. */
  readonly #statements: ConnectionPool;
  /** Limits results, which last as long as their readers, and shares them among users. */
  readonly #results: ConnectionPool;

  constructor(options: EngineClientOptions) {
    const { url, user, password, directory, ca } = options;
    const budget = new BufferBudget(maxBufferedBytes);
    const most = options.maxConnect || availableParallelism() * 4;
    const eighth = most < 4 ? 0 : Math.ceil(most / 8);
    const half = Math.max(1, Math.floor(most / 2) - (options.maxConnect ? eighth : 0));
    const long = directory === undefined ? half : Math.min(half, options.maxResults ?? maxHostResults);
    const short = options.maxConnect ? eighth : 3 * eighth;
    this.#results = new ConnectionPool(long, short);
    this.#statements = most === 1 ? this.#results : new ConnectionPool(Math.ceil(most / 2));
    this.#transport =
      directory !== undefined
        ? new EmbeddedHost(directory, budget)
        : new EngineServer(
            {
              url,
              user,
              password,
              ca,
              maxSockets: most === 1 ? 1 : long + short + Math.ceil(most / 2),
              maxFreeSockets: options.maxIdle || 256,
              idleTimeoutMs: options.idleTimeoutMs || defaultIdleTimeoutMs,
              requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
            },
            budget,
          );
  }

  /** See {@link Engine.define}: there is this one engine. */
  define(change: TableChange): Promise<void> {
    return unlessMade(change, this.exec(statementOf(change), effectOf(change)), (query) => this.rows(query));
  }

  /** See {@link Engine.makeRoom}; servers have no reserve. */
  makeRoom(): Promise<void> {
    return this.#limited({}, () => this.#transport.makeRoom());
  }

  /** Runs a statement without a result. No retry after a failure. */
  exec(statement: string, effect: Effect = anyEffect, options: StatementOptions = {}): Promise<void> {
    return this.#limited(options, () => this.#transport.change(statement, effect, options));
  }

  /** The whole result. */
  bytes(query: EngineQuery, options: StatementOptions = {}): Promise<Buffer> {
    return this.#limited(options, async () => wholeResult(await this.#transport.query(query, options)));
  }

  /**
   * The rows, each as an array of its values in the order of the columns. 64-bit integers are JSON numbers: cast those
   * beyond 2^53 to String in the statement.
   */
  async rows(
    statement: string,
    cacheableUntilChangeOf?: readonly string[],
    options: StatementOptions = {},
  ): Promise<readonly (readonly Cell[])[]> {
    const text = (
      await this.bytes({ statement, format: 'JSONCompactEachRow', cacheableUntilChangeOf }, options)
    ).toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [parseRow(line)]));
  }

  /** See {@link Engine.result}. */
  async result(query: EngineQuery, options: ResultOptions & StatementOptions = {}): Promise<Chunks> {
    const { owner, underSeriesLimit, signal, onWaited } = options;
    const requestedAt = performance.now();
    const lease = await this.#results.take({ owner, isShort: underSeriesLimit }, signal);
    onWaited?.(performance.now() - requestedAt);
    try {
      const result = await this.#transport.query(query, options);
      if (!Buffer.isBuffer(result)) return this.#pieces(result, lease, options);
      lease.release();
      return result.length === 0 ? [] : [result];
    } catch (error) {
      lease.release();
      throw this.#failed(error);
    }
  }

  /** Stores rows. No retry after a failure: whether they were stored is unknown after a fault of kind `network`. */
  insert(insert: Insert, data: InsertData, options: StatementOptions & InsertOptions = {}): Promise<void> {
    return this.#limited(options, () => this.#transport.insert(insert, data, options));
  }

  readonly ordered = this;
  readonly log = this;
  readonly system = this;
  readonly complete = this;
  readonly ordersByReceipt = false;

  /** True for an embedded host. */
  get countsLog(): boolean {
    return this.#transport.countsLog;
  }

  stores(): readonly Store[] {
    return [{ engine: this, prefix: '' }];
  }

  nodes(): readonly EngineNode[] {
    return [];
  }

  readonly cluster = undefined;
  readonly history = new InsertHistory((statement) => this.rows(statement));
  readonly isMissing = false;
  /** A single engine keeps the log in a table. */
  readonly keeper = undefined;

  /** True when the engine answers. */
  ping(): Promise<boolean> {
    return this.#transport.ping().then(
      () => true,
      () => false,
    );
  }

  /**
   * Fails every statement in flight and further ones with a fault of kind `network` and this reason, until called with
   * undefined: for an engine that does not answer.
   */
  refuseAll(reason: string | undefined): void {
    this.#transport.refuseAll(reason);
  }

  /** Closes all connections; statements in flight fail. */
  async close(): Promise<void> {
    this.#transport.close();
  }

  /** Runs a statement without a reader. */
  async #limited<T>({ signal }: StatementOptions, run: () => Promise<T>): Promise<T> {
    const lease = await this.#statements.take({}, signal);
    try {
      return await run();
    } catch (error) {
      throw this.#failed(error);
    } finally {
      lease.release();
    }
  }

  /** The lease ends as soon as the result has arrived, however slow the reader is. */
  #pieces(
    result: BufferedResult,
    lease: ConnectionLease,
    { owner, mayPause }: ResultOptions,
  ): AsyncIterableIterator<Uint8Array> {
    result.whenOver(() => lease.release());
    if (owner !== undefined && mayPause !== true) lease.watch(result);
    const pieces: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => pieces,
      next: () =>
        result.next().catch((error: unknown) => {
          throw this.#failed(error);
        }),
      return: () => result.return(),
    };
    return pieces;
  }

  #failed(error: unknown): Error {
    return faultErrorOf(error, this.#transport.isServer);
  }
}

function parseRow(line: string): readonly Cell[] {
  const row: readonly Cell[] = JSON.parse(line);
  return row;
}

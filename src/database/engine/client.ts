import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { BufferPool } from '../../bytes/buffer-pool.js';
import type { Chunks } from '../../model/exchange.js';
import type { FaultError } from '../../model/fault.js';
import { reliedOnDefaults } from '../../sql/engine/settings.js';
import { BufferBudget, BufferedResult } from './buffered-result.js';
import { type ConnectionLease, ConnectionPool } from './connection-pool.js';
import { makeRoomStatement, requireRoom, unlessMade } from './definition-room.js';
import {
  type Cell,
  type Engine,
  type EngineNode,
  type InsertData,
  type InsertOptions,
  oneFrameHeader,
  ownerHeader,
  type ResultOptions,
  type Store,
} from './engine.js';
import { faultErrorOf, isFileMissing, isUnknownUser } from './engine-faults.js';
import { EngineHttp, exceptionIn } from './engine-http.js';
import { Handover, type HandoverDirectory, handoverHeader } from './handover.js';
import { InsertHistory } from './history.js';
import { wholeBody } from './http-connections.js';
import { logEntriesHeader } from './log-table.js';
import { QueryChannel } from './query-channel.js';
import { limitsFor } from './statement-limits.js';
import { statementOf, type TableChange } from './table-change.js';

/** Address and credentials of the engine, and limits of the connections. */
export interface EngineClientOptions {
  /** `http://host:port` of the embedded host or of a cluster node. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /**
   * `pool.maxConnect`: limit of connections; 0 is four times the number of processors, and three eighths more. Half of
   * them stream results, so that writes never wait for slow queries and their readers. An eighth is for short results
   * while all of those are in use. Without a limit, queries of few series have connections of their own. With fewer than
   * four connections there are no such classes.
   */
  readonly maxConnect?: number;
  /** `pool.maxIdle`: idle connections kept; 0 keeps all. */
  readonly maxIdle?: number;
  /** `pool.idleTimeout`, ms; 0 is 10 s. The host keeps idle connections for 30 s, a server for 10 s or more. */
  readonly idleTimeoutMs?: number;
  /**
   * A server continues a query after its connection closes, unlike the embedded host: true kills it by its id, and sends
   * the parser limits that the host has set already.
   */
  readonly isServer?: boolean;
  /** Timeout of a connection without data while a statement runs. */
  readonly requestTimeoutMs?: number;
  /** Certificates of the authorities that vouch for an `https://` engine, PEM; without it those that Node knows. */
  readonly ca?: string | undefined;
  /** Concurrent results of an embedded host; {@link maxHostResults} when left out. */
  readonly maxResults?: number;
  /** Directory in which rows are handed over to an engine of this machine. */
  readonly handover?: () => HandoverDirectory | undefined;
  /** Called when the engine rejects user or password; returns those of a restarted engine, for the next statements. */
  readonly renew?: () => { readonly user: string; readonly password: string } | undefined;
}

/** Options of a statement. */
interface StatementOptions {
  /** Cancels the statement. */
  readonly signal?: AbortSignal;
  /** Settings of the engine for this statement. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Buffered bytes of all results. */
const maxBufferedBytes = 64 * 1024 * 1024;
/** An embedded host has twelve connections that can stream. */
export const maxHostResults = 8;
const defaultIdleTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 15 * 60_000;

/**
 * The engine as the rest of the program sees it. Every failure is a {@link FaultError}: kind `network` when the engine
 * could not be reached or the connection broke, `resource` when it lacks disk, memory or merge capacity, `database` otherwise.
 * Statements carry their own FORMAT and SETTINGS clauses.
 */
export class EngineClient implements Engine {
  /** Connections for statements without a reader. */
  readonly #statements: EngineHttp;
  /** Connections for streamed results, which last as long as their readers. */
  readonly #streams: ConnectionClass;
  /** Connections for short results while all of those are in use. */
  readonly #shortResults: ConnectionClass;
  /** The same for queries of few series. */
  readonly #seriesResults: ConnectionClass;
  readonly #bufferBudget = new BufferBudget(maxBufferedBytes);
  readonly #url: string;
  readonly #isServer: boolean;
  readonly #handover: Handover;
  /** Buffers for rows that are not handed over. */
  readonly #buffers = new BufferPool();
  readonly #channel: QueryChannel;
  readonly #renew: EngineClientOptions['renew'];
  #credentials: { readonly user: string; readonly password: string };

  constructor(options: EngineClientOptions) {
    const { url, user, password, isServer = false, handover = () => undefined, renew } = options;
    const most = options.maxConnect || availableParallelism() * 4;
    const connections = (maxSockets: number): EngineHttp =>
      new EngineHttp({
        url,
        ca: options.ca,
        maxSockets,
        maxFreeSockets: options.maxIdle || 256,
        idleTimeoutMs: options.idleTimeoutMs || defaultIdleTimeoutMs,
        requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
      });
    this.#url = url;
    this.#isServer = isServer;
    this.#handover = new Handover(handover);
    this.#channel = new QueryChannel(handover);
    this.#renew = renew;
    this.#credentials = { user, password };
    const few = most < 4 ? 0 : Math.ceil(most / 8);
    const half = Math.floor(most / 2) - (options.maxConnect ? few : 0);
    const results = isServer ? half : Math.min(half, options.maxResults ?? maxHostResults);
    this.#statements = connections(Math.ceil(most / 2));
    const connectionClass = (count: number): ConnectionClass => ({
      http: connections(count),
      pool: new ConnectionPool(count),
    });
    this.#streams =
      most === 1 ? { http: this.#statements, pool: new ConnectionPool(1) } : connectionClass(Math.max(1, results));
    this.#shortResults = few === 0 ? this.#streams : connectionClass(few);
    this.#seriesResults = options.maxConnect ? this.#shortResults : connectionClass(2 * few);
  }

  /** See {@link Engine.define}: there is this one engine. */
  define(change: TableChange): Promise<void> {
    return unlessMade(change, this.exec(statementOf(change)), (query) => this.rows(query));
  }

  /** See {@link Engine.makeRoom}; servers have no reserve. */
  async makeRoom(): Promise<void> {
    if (!this.#isServer) await this.exec(makeRoomStatement);
  }

  /** Runs a statement without a result. No retry after a failure. */
  async exec(sql: string, options: StatementOptions = {}): Promise<void> {
    // An embedded host checks that itself.
    if (this.#isServer) await requireRoom(this.#url, sql, (query) => this.rows(query));
    await this.#whole(sql, { ...limitsFor(sql, this.#isServer), ...options.parameters }, options);
  }

  /** The whole result, in the format that the statement names. */
  async bytes(sql: string, options: StatementOptions = {}): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await this.#result(this.#statements, sql, options)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /**
   * The rows, each as an array of its values in the order of the columns. The statement must not name a format. 64-bit
   * integers are JSON numbers: cast those beyond 2^53 to String in the statement.
   */
  async rows(sql: string, options: StatementOptions = {}): Promise<readonly (readonly Cell[])[]> {
    const text = (await this.bytes(`${sql}\nFORMAT JSONCompactEachRow`, options)).toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [parseRow(line)]));
  }

  /**
   * The bytes of a result in the format that the statement names: a short one whole, others as they arrive, pulled by the
   * reader. Returning early or aborting cancels the statement. A stale connection is replaced once.
   */
  async result(sql: string, options: ResultOptions & StatementOptions = {}): Promise<Chunks> {
    const { owner, fitsOneFrame, underSeriesLimit, signal, onWaited, limitedStatement } = options;
    if (limitedStatement !== undefined && !this.#isServer) {
      return this.result(limitedStatement, { ...options, limitedStatement: undefined, fitsOneFrame: true });
    }
    // The host buffers them, so that no reader holds them up.
    const usesShortClass = fitsOneFrame === true && !this.#streams.pool.isFree(owner);
    const connectionClass = underSeriesLimit === true ? this.#seriesResults : this.#shortResults;
    const { http, pool } = usesShortClass ? connectionClass : this.#streams;
    const requestedAt = performance.now();
    const lease = await pool.take(http === this.#streams.http ? owner : undefined, signal);
    onWaited?.(performance.now() - requestedAt);
    try {
      return await this.#result(http, sql, options, lease);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  async #result(
    http: EngineHttp,
    sql: string,
    options: ResultOptions & StatementOptions,
    lease?: ConnectionLease,
  ): Promise<Chunks> {
    // The embedded host cancels a query when its connection closes and needs no id.
    const queryId = this.#isServer ? randomUUID() : undefined;
    try {
      const channelOptions = { signal: options.signal, owner: countedOwner(options) };
      const whole = options.fitsOneFrame === true ? await this.#channel.query(sql, channelOptions) : undefined;
      if (whole !== undefined) {
        lease?.release();
        return chunksOf(whole);
      }
      const response = await this.#open(http, sql, queryId, options);
      if (isBuffered(response)) {
        const whole = await wholeBody(response);
        lease?.release();
        return chunksOf(whole);
      }
      return this.#pieces(response, queryId, lease, options);
    } catch (error) {
      if (options.signal?.aborted) this.#kill(queryId);
      throw this.#failed(error);
    }
  }

  /** Begins to read at once; the lease ends as soon as the response has arrived, however slow the reader is. */
  #pieces(
    response: IncomingMessage,
    queryId: string | undefined,
    lease: ConnectionLease | undefined,
    { owner, mayPause }: ResultOptions,
  ): AsyncIterable<Uint8Array> {
    const pieces = new BufferedResult(response, this.#bufferBudget, () => lease?.release());
    if (owner !== undefined && mayPause !== true) lease?.watch(pieces);
    const tag = response.headers['x-clickhouse-exception-tag'];
    return this.#checked(pieces, typeof tag === 'string' ? tag : undefined, queryId);
  }

  async *#checked(
    pieces: AsyncIterable<Buffer>,
    tag: string | undefined,
    queryId: string | undefined,
  ): AsyncGenerator<Uint8Array, void, void> {
    let ended = false;
    try {
      for await (const piece of pieces) {
        const broken = tag === undefined ? undefined : exceptionIn(piece, tag);
        if (broken !== undefined) throw broken;
        yield piece;
      }
      ended = true;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      if (!ended) this.#kill(queryId);
    }
  }

  /**
   * Sends rows. `statement` is an INSERT up to and including its FORMAT, `data` the rows in that format. Resolves when the
   * rows are stored. No retry after a failure: whether they were stored is unknown after a fault of kind `network`.
   */
  async insert(
    statement: string,
    data: InsertData,
    { logEntries, ...options }: StatementOptions & InsertOptions = {},
  ): Promise<void> {
    const parameters = { query: statement, ...options.parameters };
    const headers: Record<string, string> = logEntries === undefined ? {} : { [logEntriesHeader]: String(logEntries) };
    const send = () => this.#buffers.joined(data, (body) => this.#whole(body, parameters, options, headers));
    const file = this.#handover.put(data instanceof Uint8Array ? [data] : data);
    if (file === undefined) return send();
    let wereRead = false;
    try {
      await this.#whole('', parameters, options, { ...headers, [handoverHeader]: file.name });
      wereRead = true;
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await send();
    } finally {
      file.end(wereRead);
    }
  }

  readonly ordersByReceipt = false;

  /** True for the host that this process has started. */
  get countsLog(): boolean {
    return this.#handover.isOffered;
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
    return this.#statements.ping();
  }

  /**
   * Fails every statement in flight and further ones with a fault of kind `network` and this reason, until called with
   * undefined: for an engine that does not answer.
   */
  refuseAll(reason: string | undefined): void {
    this.#statements.refuseAll(reason);
    this.#streams.http.refuseAll(reason);
    this.#shortResults.http.refuseAll(reason);
    this.#seriesResults.http.refuseAll(reason);
    this.#channel.refuseAll(reason);
  }

  /** Closes all connections; statements in flight fail. */
  async close(): Promise<void> {
    this.#statements.close();
    this.#streams.http.close();
    this.#shortResults.http.close();
    this.#seriesResults.http.close();
    this.#channel.close();
    this.#handover.close();
  }

  /** The whole response to a statement without a reader. */
  async #whole(
    body: string | Uint8Array,
    parameters: Record<string, string>,
    { signal }: StatementOptions,
    headers: Readonly<Record<string, string>> = {},
  ) {
    try {
      return await wholeBody(await this.#statements.send({ ...this.#credentials, parameters, body, headers, signal }));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #open(
    http: EngineHttp,
    sql: string,
    queryId: string | undefined,
    options: ResultOptions & StatementOptions,
  ): Promise<IncomingMessage> {
    const { signal, fitsOneFrame, parameters: own } = options;
    const limits = { ...limitsFor(sql, this.#isServer), ...own };
    const parameters = queryId === undefined ? limits : { ...reliedOnDefaults, ...limits, query_id: queryId };
    const headers: Record<string, string> = fitsOneFrame === true ? { [oneFrameHeader]: '1' } : {};
    const owner = countedOwner(options);
    if (owner !== undefined) headers[ownerHeader] = encodeURIComponent(owner);
    return http.send({ ...this.#credentials, parameters, headers, body: sql, signal, mayRetry: true });
  }

  /** The fault for an error; after rejected credentials the next statements use renewed ones. */
  #failed(error: unknown): FaultError {
    const failed = faultErrorOf(error, this.#isServer);
    if (isUnknownUser(failed.fault)) this.#credentials = this.#renew?.() ?? this.#credentials;
    return failed;
  }

  /** Does not wait: a query that has ended is not found, and one on an unreachable server ends by itself. */
  #kill(queryId: string | undefined): void {
    if (queryId === undefined) return;
    this.exec(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`).catch(() => undefined);
  }
}

/** Connections of one class, and their leases. */
interface ConnectionClass {
  readonly http: EngineHttp;
  readonly pool: ConnectionPool;
}

/** Longest response, in bytes, that is read whole once the engine has completed it. */
const maxBufferedResponse = 1024 * 1024;

/** True when the engine has completed a short response: only then an embedded host sends its length. */
function isBuffered({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= maxBufferedResponse;
}

/** The user whose memory limit applies; none for queries of few series. */
function countedOwner({ owner, underSeriesLimit }: ResultOptions): string | undefined {
  return underSeriesLimit === true ? undefined : owner;
}

/** A whole result as pieces; none for a result without bytes. */
function chunksOf(whole: Buffer): Chunks {
  return whole.length === 0 ? [] : [whole];
}

function parseRow(line: string): readonly Cell[] {
  const row: readonly Cell[] = JSON.parse(line);
  return row;
}

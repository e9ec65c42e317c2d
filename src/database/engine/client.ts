import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { BufferPool } from '../../bytes/buffer-pool.js';
import type { Chunks } from '../../model/exchange.js';
import type { FaultError } from '../../model/fault.js';
import { reliedOnDefaults } from '../../sql/engine/settings.js';
import { makeRoomStatement, requireRoom } from './definition-room.js';
import {
  type Cell,
  type Engine,
  type EngineNode,
  fewRowsHeader,
  type InsertData,
  type InsertOptions,
  ownerHeader,
  type ResultOptions,
  type Store,
} from './engine.js';
import { faultErrorOf, isFileMissing, isUnknownUser } from './engine-faults.js';
import { EngineHttp, exceptionIn } from './engine-http.js';
import { Handover, type HandoverPlace, handoverHeader } from './handover.js';
import { HeldBytes, HeldResult } from './held-result.js';
import { InsertHistory } from './history.js';
import { wholeBody } from './http-connections.js';
import { logEntriesHeader } from './log-table.js';
import { type ResultPlace, ResultPlaces } from './result-places.js';
import { ShortAsks } from './short-asks.js';
import { limitsFor } from './statement-limits.js';
import { statementOf, type TableChange } from './table-change.js';

/** Where the engine answers, as whom, and over how many connections. */
export interface EngineClientOptions {
  /** `http://host:port` of the embedded host or of a cluster node. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /**
   * `pool.maxConnect`: connections at most; 0 is four times the number of processors, and three eighths more. Half of them are for
   * results that are read as they come, so that writes never wait for slow queries and their readers, and an eighth for short
   * answers that find all of those taken, beside which what reads little has connections of its own where there is no limit. With fewer than four there are no such shares.
   */
  readonly maxConnect?: number;
  /** `pool.maxIdle`: idle connections kept; 0 keeps all. */
  readonly maxIdle?: number;
  /** `pool.idleTimeout`, ms; 0 is 10 s. The host keeps idle connections for 30 s, a server for 10 s or more. */
  readonly idleTimeoutMs?: number;
  /**
   * A server goes on with a query when its connection closes, unlike the embedded host: true kills it by its id, and sends
   * the limits of the parser that the host has set already.
   */
  readonly isServer?: boolean;
  /** How long a connection may be silent while a statement runs. */
  readonly requestTimeoutMs?: number;
  /** Certificates of the authorities that vouch for an `https://` engine, PEM; without it those that Node knows. */
  readonly ca?: string | undefined;
  /** Results of an embedded host that are read at once; {@link maxHostResults} when left out. */
  readonly maxResults?: number;
  /** Where rows may be left for an engine of this machine. */
  readonly handover?: () => HandoverPlace | undefined;
  /** Asked when the engine refuses user or password: those of an engine that was started anew, for the next statements. */
  readonly renew?: () => { readonly user: string; readonly password: string } | undefined;
}

/** How a statement is sent. */
interface StatementOptions {
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Settings of the engine for this statement. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Results of all readers that are held here at once. */
const heldBytes = 64 * 1024 * 1024;
/** An embedded host has twelve connections that can stream. */
export const maxHostResults = 8;
const defaultIdleTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 15 * 60_000;

/**
 * The engine as the rest of the program sees it. Every failure is a {@link FaultError}: kind `network` when the engine
 * could not be reached or broke off, `resource` when it lacks disk, memory or merge capacity, `database` otherwise.
 * Statements carry their own FORMAT and SETTINGS clauses.
 */
export class EngineClient implements Engine {
  /** For statements that end by themselves. */
  readonly #short: EngineHttp;
  /** For results that last as long as their reader, each in a place of its own. */
  readonly #results: ResultLane;
  /** For short answers while all places are taken. */
  readonly #few: ResultLane;
  /** The same for those that read little. */
  readonly #light: ResultLane;
  readonly #held = new HeldBytes(heldBytes);
  readonly #url: string;
  readonly #isServer: boolean;
  readonly #handover: Handover;
  /** For rows that are not handed over. */
  readonly #buffers = new BufferPool();
  readonly #asks: ShortAsks;
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
    this.#asks = new ShortAsks(handover);
    this.#renew = renew;
    this.#credentials = { user, password };
    const few = most < 4 ? 0 : Math.ceil(most / 8);
    const half = Math.floor(most / 2) - (options.maxConnect ? few : 0);
    const results = isServer ? half : Math.min(half, options.maxResults ?? maxHostResults);
    this.#short = connections(Math.ceil(most / 2));
    const lane = (count: number): ResultLane => ({ http: connections(count), places: new ResultPlaces(count) });
    this.#results = most === 1 ? { http: this.#short, places: new ResultPlaces(1) } : lane(Math.max(1, results));
    this.#few = few === 0 ? this.#results : lane(few);
    this.#light = options.maxConnect ? this.#few : lane(2 * few);
  }

  /** See {@link Engine.define}: there is this one engine. */
  define(change: TableChange): Promise<void> {
    return this.exec(statementOf(change));
  }

  /** See {@link Engine.makeRoom}; servers have no reserve. */
  async makeRoom(): Promise<void> {
    if (!this.#isServer) await this.exec(makeRoomStatement);
  }

  /** Runs a statement without a result. Not repeated on failure. */
  async exec(sql: string, options: StatementOptions = {}): Promise<void> {
    // An embedded host looks by itself.
    if (this.#isServer) await requireRoom(this.#url, sql, (question) => this.rows(question));
    await this.#whole(sql, { ...limitsFor(sql, this.#isServer), ...options.parameters }, options);
  }

  /** The whole result, in the format that the statement names. */
  async bytes(sql: string, options: StatementOptions = {}): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await this.#result(this.#short, sql, options)) pieces.push(piece);
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
   * The bytes of a result in the format that the statement names: a short one whole, others as they come, pulled by the
   * reader. Returning early or aborting cancels the statement. A connection that turns out dead is replaced once.
   */
  async result(sql: string, options: ResultOptions & StatementOptions = {}): Promise<Chunks> {
    const { owner, hasFewRows, isLight, signal, waited, upToRows } = options;
    if (upToRows !== undefined && !this.#isServer) {
      return this.result(upToRows, { ...options, upToRows: undefined, hasFewRows: true });
    }
    // They are held by the host until they are whole, so that no reader holds them up.
    const isFew = hasFewRows === true && !this.#results.places.isFree(owner);
    const few = isLight === true ? this.#light : this.#few;
    const { http, places } = isFew ? few : this.#results;
    const asked = performance.now();
    const place = await places.take(http === this.#results.http ? owner : undefined, signal);
    waited?.(performance.now() - asked);
    try {
      return await this.#result(http, sql, options, place);
    } catch (error) {
      place.release();
      throw error;
    }
  }

  async #result(
    http: EngineHttp,
    sql: string,
    options: ResultOptions & StatementOptions,
    place?: ResultPlace,
  ): Promise<Chunks> {
    // The embedded host ends a query with its connection and needs no id for that.
    const queryId = this.#isServer ? randomUUID() : undefined;
    try {
      const asked = { signal: options.signal, owner: countedOwner(options) };
      const whole = options.hasFewRows === true ? await this.#asks.ask(sql, asked) : undefined;
      if (whole !== undefined) {
        place?.release();
        return withoutEmpty(whole);
      }
      const answer = await this.#open(http, sql, queryId, options);
      if (isShort(answer)) {
        const whole = await wholeBody(answer);
        place?.release();
        return withoutEmpty(whole);
      }
      return this.#pieces(answer, queryId, place, options);
    } catch (error) {
      if (options.signal?.aborted) this.#kill(queryId);
      throw this.#failed(error);
    }
  }

  /** Begins to read at once; the connection is given back as soon as the answer is here, whatever its reader does. */
  #pieces(
    answer: IncomingMessage,
    queryId: string | undefined,
    place: ResultPlace | undefined,
    { owner, mayPause }: ResultOptions,
  ): AsyncIterable<Uint8Array> {
    const pieces = new HeldResult(answer, this.#held, () => place?.release());
    if (owner !== undefined && mayPause !== true) place?.watch(pieces);
    const tag = answer.headers['x-clickhouse-exception-tag'];
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
   * rows are stored. Not repeated on failure: whether they were stored is unknown after a fault of kind `network`.
   */
  async insert(
    statement: string,
    data: InsertData,
    { logEntries, ...options }: StatementOptions & InsertOptions = {},
  ): Promise<void> {
    const parameters = { query: statement, ...options.parameters };
    const headers: Record<string, string> = logEntries === undefined ? {} : { [logEntriesHeader]: String(logEntries) };
    const send = () => this.#buffers.joined(data, (body) => this.#whole(body, parameters, options, headers));
    const handed = this.#handover.put(data instanceof Uint8Array ? [data] : data);
    if (handed === undefined) return send();
    let wereRead = false;
    try {
      await this.#whole('', parameters, options, { ...headers, [handoverHeader]: handed.name });
      wereRead = true;
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await send();
    } finally {
      handed.end(wereRead);
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
    return this.#short.ping();
  }

  /**
   * Ends every statement, and refuses further ones with a fault of kind `network` that gives this reason, until called with
   * undefined: for an engine that does not answer.
   */
  refuseAll(reason: string | undefined): void {
    this.#short.refuseAll(reason);
    this.#results.http.refuseAll(reason);
    this.#few.http.refuseAll(reason);
    this.#light.http.refuseAll(reason);
    this.#asks.refuseAll(reason);
  }

  /** Gives up all connections; statements that run fail. */
  async close(): Promise<void> {
    this.#short.close();
    this.#results.http.close();
    this.#few.http.close();
    this.#light.http.close();
    this.#asks.close();
    this.#handover.close();
  }

  /** The whole answer to a statement on a connection for short ones. */
  async #whole(
    body: string | Uint8Array,
    parameters: Record<string, string>,
    { signal }: StatementOptions,
    headers: Readonly<Record<string, string>> = {},
  ) {
    try {
      return await wholeBody(await this.#short.send({ ...this.#credentials, parameters, body, headers, signal }));
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
    const { signal, hasFewRows, parameters: own } = options;
    const limits = { ...limitsFor(sql, this.#isServer), ...own };
    const parameters = queryId === undefined ? limits : { ...reliedOnDefaults, ...limits, query_id: queryId };
    const headers: Record<string, string> = hasFewRows === true ? { [fewRowsHeader]: '1' } : {};
    const owner = countedOwner(options);
    if (owner !== undefined) headers[ownerHeader] = encodeURIComponent(owner);
    return http.send({ ...this.#credentials, parameters, headers, body: sql, signal, mayRepeat: true });
  }

  /** The fault that an error comes to, after which the next statements know the engine's new credentials. */
  #failed(error: unknown): FaultError {
    const failed = faultErrorOf(error, this.#isServer);
    if (isUnknownUser(failed.fault)) this.#credentials = this.#renew?.() ?? this.#credentials;
    return failed;
  }

  /** Never waits: a query that has ended is not found, and one that cannot be reached ends by itself. */
  #kill(queryId: string | undefined): void {
    if (queryId === undefined) return;
    this.exec(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`).catch(() => undefined);
  }
}

/** Connections for results, and who has them. */
interface ResultLane {
  readonly http: EngineHttp;
  readonly places: ResultPlaces;
}

/** Longest answer that is taken whole, once the engine has all of it. */
const shortAnswerBytes = 1024 * 1024;

/** True when the engine has all of an answer, and it is not long: one of ours says its length then. */
function isShort({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= shortAnswerBytes;
}

/** The user to whom the memory of a result counts; none for results that read little. */
function countedOwner({ owner, isLight }: ResultOptions): string | undefined {
  return isLight === true ? undefined : owner;
}

/** A result without bytes is one without pieces. */
function withoutEmpty(whole: Buffer): Chunks {
  return whole.length === 0 ? [] : [whole];
}

function parseRow(line: string): readonly Cell[] {
  const row: readonly Cell[] = JSON.parse(line);
  return row;
}

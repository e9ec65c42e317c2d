import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import type { Chunks } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import { reasonOf } from '../model/reason.js';
import { reliedOnDefaults } from '../sql/plan/settings.js';
import { raisedFault } from '../sql/print/raise.js';
import { type Cell, type Engine, fewRowsHeader, type InsertOptions, type ResultOptions } from './engine.js';
import { EngineHttp, EngineRefusal, refusalIn } from './engine-http.js';
import { Handover, type HandoverPlace, handoverHeader } from './handover.js';
import { wholeBody } from './http-connections.js';
import { logEntriesHeader } from './log-table.js';

/** Where the engine answers, as whom, and over how many connections. */
export interface EngineClientOptions {
  /** `http://host:port` of the embedded host or of a cluster node. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /**
   * `pool.maxConnect`: connections at most; 0 is four times the number of processors. Half of them are for results that are
   * read as they come, so that writes never wait for slow queries and their readers. With one there is no such share.
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
  /** Where rows may be left for an engine of this machine. */
  readonly handover?: () => HandoverPlace | undefined;
  /** Asked when the engine refuses user or password: those of an engine that was started anew, for the next statements. */
  readonly renew?: () => { readonly user: string; readonly password: string } | undefined;
}

/** What the `cause` of a fault of kind `database` or `resource` holds. */
export interface EngineCause {
  /** Code in the engine's list of errors. */
  readonly engineCode: number;
  /** Its name, such as `UNKNOWN_TABLE`. */
  readonly engineType: string;
}

/** May end a statement early. */
export interface StatementOptions {
  readonly signal?: AbortSignal;
}

const defaultIdleTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 15 * 60_000;
const blockEnd = '\r\n__exception__\r\n';

/**
 * The engine as the rest of the program sees it. Every failure is a {@link FaultError}: kind `network` when the engine
 * could not be reached or broke off, `resource` when it lacks disk, memory or merge capacity, `database` otherwise.
 * Statements carry their own FORMAT and SETTINGS clauses.
 */
export class EngineClient implements Engine {
  /** For statements that end by themselves. */
  readonly #short: EngineHttp;
  /** For results that last as long as their reader. */
  readonly #results: EngineHttp;
  readonly #isServer: boolean;
  readonly #handover: Handover;
  readonly #renew: EngineClientOptions['renew'];
  #credentials: { readonly user: string; readonly password: string };

  constructor(options: EngineClientOptions) {
    const { url, user, password, isServer = false, handover = () => undefined, renew } = options;
    const most = options.maxConnect || availableParallelism() * 4;
    const connections = (maxSockets: number): EngineHttp =>
      new EngineHttp({
        url,
        maxSockets,
        maxFreeSockets: options.maxIdle || 256,
        idleTimeoutMs: options.idleTimeoutMs || defaultIdleTimeoutMs,
        requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
      });
    this.#isServer = isServer;
    this.#handover = new Handover(handover);
    this.#renew = renew;
    this.#credentials = { user, password };
    this.#short = connections(Math.ceil(most / 2));
    this.#results = most === 1 ? this.#short : connections(Math.floor(most / 2));
  }

  /** Runs a statement without a result. Not repeated on failure. */
  async exec(sql: string, options: StatementOptions = {}): Promise<void> {
    await this.#whole(sql, limitsFor(sql, this.#isServer), options);
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
  result(sql: string, options: ResultOptions = {}): Promise<Chunks> {
    return this.#result(this.#results, sql, options);
  }

  async #result(http: EngineHttp, sql: string, options: ResultOptions): Promise<Chunks> {
    // The embedded host ends a query with its connection and needs no id for that.
    const queryId = this.#isServer ? randomUUID() : undefined;
    try {
      const answer = await this.#open(http, sql, queryId, options);
      if (isShort(answer)) return withoutEmpty(await wholeBody(answer));
      return this.#pieces(answer, queryId);
    } catch (error) {
      if (options.signal?.aborted) this.#kill(queryId);
      throw this.#failed(error);
    }
  }

  async *#pieces(answer: IncomingMessage, queryId: string | undefined): AsyncGenerator<Uint8Array, void, void> {
    let ended = false;
    try {
      const tag = answer.headers['x-clickhouse-exception-tag'];
      for await (const piece of answer) {
        if (!Buffer.isBuffer(piece)) continue;
        const broken = typeof tag === 'string' ? exceptionIn(piece, tag) : undefined;
        if (broken !== undefined) throw broken;
        yield piece;
      }
      ended = true;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      if (!ended) this.#kill(queryId);
      answer.destroy();
    }
  }

  /**
   * Sends rows. `statement` is an INSERT up to and including its FORMAT, `data` the rows in that format. Resolves when the
   * rows are stored. Not repeated on failure: whether they were stored is unknown after a fault of kind `network`.
   */
  async insert(
    statement: string,
    data: Uint8Array,
    { logEntries, ...options }: StatementOptions & InsertOptions = {},
  ): Promise<void> {
    const parameters = { query: statement };
    const headers: Record<string, string> = logEntries === undefined ? {} : { [logEntriesHeader]: String(logEntries) };
    const handed = this.#handover.put(data);
    if (handed === undefined) {
      await this.#whole(data, parameters, options, headers);
      return;
    }
    let wereRead = false;
    try {
      await this.#whole('', parameters, options, { ...headers, [handoverHeader]: handed.name });
      wereRead = true;
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await this.#whole(data, parameters, options, headers);
    } finally {
      handed.end(wereRead);
    }
  }

  /** True for the host that this process has started. */
  get countsLog(): boolean {
    return this.#handover.isOffered;
  }

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
    this.#results.refuseAll(reason);
  }

  /** Gives up all connections; statements that run fail. */
  async close(): Promise<void> {
    this.#short.close();
    this.#results.close();
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
    { signal, hasFewRows }: ResultOptions,
  ): Promise<IncomingMessage> {
    const limits = limitsFor(sql, this.#isServer);
    const parameters = queryId === undefined ? limits : { ...reliedOnDefaults, ...limits, query_id: queryId };
    const headers: Record<string, string> = hasFewRows === true ? { [fewRowsHeader]: '1' } : {};
    return http.send({ ...this.#credentials, parameters, headers, body: sql, signal, mayRepeat: true });
  }

  /** The fault that an error comes to, after which the next statements know the engine's new credentials. */
  #failed(error: unknown): FaultError {
    const failed = faultErrorOf(error);
    if (isUnknownUser(failed.fault)) this.#credentials = this.#renew?.() ?? this.#credentials;
    return failed;
  }

  /** Never waits: a query that has ended is not found, and one that cannot be reached ends by itself. */
  #kill(queryId: string | undefined): void {
    if (queryId === undefined) return;
    this.exec(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`).catch(() => undefined);
  }
}

/** Longest answer that is taken whole, once the engine has all of it. */
const shortAnswerBytes = 1024 * 1024;

/** True when the engine has all of an answer, and it is not long: one of ours says its length then. */
function isShort({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= shortAnswerBytes;
}

/** A result without bytes is one without pieces. */
function withoutEmpty(whole: Buffer): Chunks {
  return whole.length === 0 ? [] : [whole];
}

function parseRow(line: string): readonly Cell[] {
  const row: readonly Cell[] = JSON.parse(line);
  return row;
}

/** Statements above this length need the engine's limit raised, which the embedded host has done already. */
const plainStatementBytes = 128 * 1024;

/** Statements up to this length stay within what a server's parser does by default, however they are nested. */
const flatStatementBytes = 1000;
const parserLimits = { max_parser_depth: '10000', max_parser_backtracks: '100000000' } as const;

function limitsFor(sql: string, isServer: boolean): Readonly<Record<string, string>> {
  const size = sql.length > plainStatementBytes ? { max_query_size: String(sql.length * 4) } : {};
  return isServer && sql.length > flatStatementBytes ? { ...size, ...parserLimits } : size;
}

/** Not enough space, memory limit, too many parts, too many queries, no thread to be had. */
const resourceCodes = new Set([202, 241, 243, 252, 439]);
/** Of a cluster: socket timeout, network error, no coordination service, no connection to a shard. */
const networkCodes = new Set([209, 210, 225, 279, 999]);

/** What `throwIf` of a statement fails with. */
const raisedCode = 395;

/** Too deep a pipeline, syntax tree or recursion; the engine's own words name addresses of its stack. */
const depthCodes = new Set([167, 168, 306]);

/** A decimal beyond its digits, found while rows are computed. */
const decimalOverflowCode = 407;

/** A pattern that is not a regular expression; the engine's words are about its own way of writing texts. */
const regularExpressionCode = 427;

function faultErrorOf(error: unknown): FaultError {
  if (error instanceof FaultError) return error;
  if (error instanceof EngineRefusal) return new FaultError(engineFault(error));
  const text = `The database cannot be reached: ${reasonOf(error)}`;
  return new FaultError(fault('network', Codes.networkUnavailable, text, error));
}

function engineFault({ code: engineCode, type: engineType, message: text }: EngineRefusal): Fault {
  const cause: EngineCause = { engineCode, engineType };
  const raised = engineCode === raisedCode ? raisedFault(text) : undefined;
  if (raised !== undefined) return raised;
  if (networkCodes.has(engineCode)) return fault('network', Codes.networkUnavailable, text, cause);
  if (depthCodes.has(engineCode)) {
    return fault('syntax', Codes.syntaxError, 'The statement is nested too deeply', cause);
  }
  if (engineCode === decimalOverflowCode) {
    return fault('database', Codes.decimalOverflow, 'Decimal value overflow', cause);
  }
  if (engineCode === regularExpressionCode) {
    return fault('syntax', Codes.invalidParameters, 'Invalid parameters: not a regular expression', cause);
  }
  const isDiskFull = /errno: 28\b|No space left on device/.test(text);
  return fault(resourceCodes.has(engineCode) || isDiskFull ? 'resource' : 'database', Codes.free, text, cause);
}

/** No such user, wrong or missing password, not allowed from here, authentication failed. */
const authenticationCodes: readonly number[] = [192, 193, 194, 511, 516];

/** True when the engine refused user or password. */
export function isUnknownUser(value: Fault): boolean {
  const code = engineCodeOf(value);
  return code !== undefined && authenticationCodes.includes(code);
}

/**
 * True when the engine has not found the file with handed rows: it began anew meanwhile, or someone cleared its place in memory.
 * Nothing was inserted then.
 */
function isFileMissing(error: unknown): boolean {
  return engineCodeOf(error) === 107;
}

/** The engine's code behind a fault or the error that carries it, or undefined when it did not come from the engine. */
export function engineCodeOf(found: unknown): number | undefined {
  const value = found instanceof FaultError ? found.fault : found;
  if (typeof value !== 'object' || value === null || !('cause' in value)) return undefined;
  const { cause } = value;
  if (typeof cause !== 'object' || cause === null || !('engineCode' in cause)) return undefined;
  return typeof cause.engineCode === 'number' ? cause.engineCode : undefined;
}

/**
 * The error that a broken off result ends with: `\r\n__exception__\r\n<tag>\r\n<text>\n<length> <tag>\r\n__exception__\r\n`,
 * where the tag comes from the reply's head.
 */
function exceptionIn(piece: Buffer, tag: string): Error | undefined {
  const end = ` ${tag}${blockEnd}`;
  if (piece.length < end.length || piece.toString('latin1', piece.length - end.length) !== end) return undefined;
  const block = piece.toString('utf8', Math.max(0, piece.length - 65_536));
  return refusalIn(
    block.slice(block.lastIndexOf(`${tag}\r\n`, block.length - end.length) + tag.length + 2, -end.length),
  );
}

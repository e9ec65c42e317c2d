import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as plainRequest,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { withoutTrailing } from '../../text/ends.js';

/** Where a server answers, and how many connections it is sent. */
export interface HttpConnectionsOptions {
  readonly url: string;
  readonly maxSockets: number;
  readonly maxFreeSockets: number;
  /** How long an idle connection is kept; without it until the server closes it. */
  readonly idleTimeoutMs?: number;
  /** How long a connection may be silent while an answer is awaited or read. */
  readonly requestTimeoutMs: number;
  /** Certificates of the authorities that vouch for an `https://` server, PEM; without it those that Node knows. */
  readonly ca?: string | undefined;
}

/** One request; its path is below that of the server's URL. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** Breaks the connection off, also while the answer is read. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Sends the request once more where a connection that had been kept turns out to be closed. The other end may close one at
   * any moment, mostly before it has read anything; but nobody can tell, so only what may be done twice may be repeated.
   */
  readonly mayRepeat?: boolean;
}

/**
 * Connections to one server that requests share, for as long as they last. The connection used last is taken first, as it is
 * the least likely to be a dead one.
 */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  readonly #address: ReturnType<typeof urlToHttpOptions>;
  readonly #path: string;
  readonly #calls = new Set<ClientRequest>();
  #refusal: string | undefined;
  #isClosed = false;

  constructor(options: HttpConnectionsOptions) {
    const { maxSockets, maxFreeSockets, idleTimeoutMs: timeout } = options;
    const url = new URL(options.url);
    const kept = { keepAlive: true, maxSockets, maxFreeSockets, scheduling: 'lifo' } as const;
    const pool = timeout === undefined ? kept : { ...kept, timeout };
    this.#options = options;
    this.#isSecure = url.protocol === 'https:';
    this.#agent = this.#isSecure
      ? new SecureAgent(options.ca === undefined ? pool : { ...pool, ca: options.ca })
      : new Agent(pool);
    this.#address = urlToHttpOptions(new URL(url.origin));
    this.#path = withoutTrailing(url.pathname, '/');
  }

  /** Resolves with the answer once its head is there. Rejects with the error of a connection that could not be made or broke. */
  async send(request: HttpRequest): Promise<IncomingMessage> {
    try {
      return await this.#send(request);
    } catch (error) {
      const isStale = error instanceof NoAnswer && error.isStale && request.signal?.aborted !== true && !this.#isClosed;
      if (isStale && request.mayRepeat === true) return this.#send(request);
      throw error;
    }
  }

  /** Breaks off every request, and refuses further ones for this reason, until called with undefined. */
  refuseAll(reason: string | undefined): void {
    this.#refusal = reason;
    if (reason === undefined) return;
    for (const call of this.#calls) call.destroy(new Error(reason));
  }

  /** Gives up all connections; what runs on them fails, and so does what is sent from now on. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  #send({ method, path, headers = {}, body = '', signal }: HttpRequest): Promise<IncomingMessage> {
    const { requestTimeoutMs } = this.#options;
    const asked = { ...this.#address, method, path: this.#path + path, headers, agent: this.#agent };
    const limits = { timeout: requestTimeoutMs, ...(signal === undefined ? {} : { signal }) };
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the connections were given up');
      if (this.#refusal !== undefined) throw new Error(this.#refusal);
      const call = (this.#isSecure ? secureRequest : plainRequest)({ ...asked, ...limits }, resolve);
      this.#calls.add(call);
      call.once('close', () => this.#calls.delete(call));
      call.on('timeout', () => {
        call.destroy(Object.assign(new Error(`no answer within ${requestTimeoutMs} ms`), { code: timeoutCode }));
      });
      call.on('error', (error) => reject(new NoAnswer(error, call.reusedSocket)));
      call.end(body);
    });
  }
}

const timeoutCode = 'ETIMEDOUT';

/** True when a server was silent for too long, and has not refused or closed the connection. */
export function isTimeout(error: unknown): boolean {
  return error instanceof NoAnswer && error.code === timeoutCode;
}

/** A request that had no answer. */
class NoAnswer extends Error {
  /** The system's name for what happened, such as `ECONNREFUSED`; empty where it has none. */
  readonly code: string;
  /** The connection had been kept, and was closed. */
  readonly isStale: boolean;

  constructor(cause: Error, isReused: boolean) {
    const code = 'code' in cause ? String(cause.code) : '';
    super(cause.message || code || cause.name, { cause });
    this.code = code;
    this.isStale = isReused && (code === 'ECONNRESET' || code === 'EPIPE');
  }
}

/** All of an answer. */
export function wholeBody(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.on('data', (piece: Buffer) => pieces.push(piece));
    answer.on('end', () => resolve(Buffer.concat(pieces)));
    answer.on('error', reject);
  });
}

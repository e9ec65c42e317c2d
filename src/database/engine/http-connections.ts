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

/** Address of a server, and limits of the connections to it. */
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
  /** Closes the connection, also while the response is read. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Retries the request once if a reused connection turns out to be closed. The server may close one at any moment,
   * mostly before it has read anything. The client cannot tell, so only idempotent requests may be retried.
   */
  readonly mayRetry?: boolean;
}

/**
 * Keep-alive connections to one server. The most recently used connection is taken first, as it is
 * the least likely to be a dead one.
 */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  readonly #address: ReturnType<typeof urlToHttpOptions>;
  readonly #path: string;
  readonly #inFlight = new Set<ClientRequest>();
  #refusal: string | undefined;
  #isClosed = false;

  constructor(options: HttpConnectionsOptions) {
    const { maxSockets, maxFreeSockets, idleTimeoutMs: timeout } = options;
    const url = new URL(options.url);
    const keepAlive = { keepAlive: true, maxSockets, maxFreeSockets, scheduling: 'lifo' } as const;
    const pool = timeout === undefined ? keepAlive : { ...keepAlive, timeout };
    this.#options = options;
    this.#isSecure = url.protocol === 'https:';
    this.#agent = this.#isSecure
      ? new SecureAgent(options.ca === undefined ? pool : { ...pool, ca: options.ca })
      : new Agent(pool);
    this.#address = urlToHttpOptions(new URL(url.origin));
    this.#path = withoutTrailing(url.pathname, '/');
  }

  /**
   * Resolves with the response once its head has arrived. Rejects with the error of a connection that failed or broke.
   */
  async send(request: HttpRequest): Promise<IncomingMessage> {
    try {
      return await this.#send(request);
    } catch (error) {
      const isStale =
        error instanceof NoResponse && error.isStale && request.signal?.aborted !== true && !this.#isClosed;
      if (isStale && request.mayRetry === true) return this.#send(request);
      throw error;
    }
  }

  /** Fails every request in flight and further ones with this reason, until called with undefined. */
  refuseAll(reason: string | undefined): void {
    this.#refusal = reason;
    if (reason === undefined) return;
    for (const call of this.#inFlight) call.destroy(new Error(reason));
  }

  /** Closes all connections; requests in flight and later ones fail. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  #send({ method, path, headers = {}, body = '', signal }: HttpRequest): Promise<IncomingMessage> {
    const { requestTimeoutMs } = this.#options;
    const options = { ...this.#address, method, path: this.#path + path, headers, agent: this.#agent };
    const limits = { timeout: requestTimeoutMs, ...(signal === undefined ? {} : { signal }) };
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the connections were given up');
      if (this.#refusal !== undefined) throw new Error(this.#refusal);
      const call = (this.#isSecure ? secureRequest : plainRequest)({ ...options, ...limits }, resolve);
      this.#inFlight.add(call);
      call.once('close', () => this.#inFlight.delete(call));
      call.on('timeout', () => {
        call.destroy(Object.assign(new Error(`no answer within ${requestTimeoutMs} ms`), { code: timeoutCode }));
      });
      call.on('error', (error) => reject(new NoResponse(error, call.reusedSocket)));
      call.end(body);
    });
  }
}

const timeoutCode = 'ETIMEDOUT';

/** True for a timeout: the server has neither answered nor refused or closed the connection. */
export function isTimeout(error: unknown): boolean {
  return error instanceof NoResponse && error.code === timeoutCode;
}

/** A request without a response. */
class NoResponse extends Error {
  /** The system's name for what happened, such as `ECONNREFUSED`; empty where it has none. */
  readonly code: string;
  /** The connection was reused, and the server had closed it. */
  readonly isStale: boolean;

  constructor(cause: Error, isReused: boolean) {
    const code = 'code' in cause ? String(cause.code) : '';
    super(cause.message || code || cause.name, { cause });
    this.code = code;
    this.isStale = isReused && (code === 'ECONNRESET' || code === 'EPIPE');
  }
}

/** The whole body of a response. */
export function wholeBody(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () => resolve(Buffer.concat(pieces)));
    response.on('error', reject);
  });
}

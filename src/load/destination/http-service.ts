import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpConnections } from '../../database/engine/http-connections.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import type { SocketAddress } from './service-socket.js';

/** Where the HTTP service listens, and for which user its requests are. */
interface HttpServiceOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Set for TLS, with the certificates of the authorities that count; without them those that Node knows. */
  readonly tls?: { readonly ca: string | undefined } | undefined;
  /** Connections at most, which stay open. */
  readonly connections: number;
  /** How long the service may be silent while a response is awaited or read. */
  readonly requestTimeoutMs?: number;
}

/** One response of the service, whose body comes in pieces. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
}

/** As long as the service itself waits for its engine. */
const defaultRequestTimeoutMs = 15 * 60_000;

/** The service's HTTP interface over connections that stay open, with Basic authorization. */
export class HttpService {
  /** The address, for people. */
  readonly url: string;
  /** The same service over WebSocket. */
  readonly socketAddress: SocketAddress;
  readonly #connections: HttpConnections;
  readonly #authorization: string;

  constructor(options: HttpServiceOptions) {
    const { host, port, user, password, tls, connections, requestTimeoutMs = defaultRequestTimeoutMs } = options;
    this.url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const pool = { maxSockets: connections, maxFreeSockets: connections };
    this.#connections = new HttpConnections({ url: this.url, ...pool, requestTimeoutMs, ca: tls?.ca });
    this.socketAddress = { url: this.url, user, password, ca: tls?.ca, requestTimeoutMs };
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /**
   * Sends a body; the caller pulls the body of the response, to its end or until it returns early. Throws a FaultError
   * of kind `network` when there is no response, and so do the chunks when it breaks off. `mayRetry` is for idempotent
   * requests, which are sent again over a new connection when an open one turns out to be dead.
   */
  async post(
    path: string,
    body: Uint8Array,
    signal: AbortSignal | undefined,
    mayRetry: boolean,
  ): Promise<HttpResponse> {
    const headers = {
      authorization: this.#authorization,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.byteLength,
    };
    try {
      const response = await this.#connections.send({ method: 'POST', path, headers, body, signal, mayRetry });
      return { status: response.statusCode ?? 0, headers: response.headers, chunks: this.#chunksOf(response) };
    } catch (error) {
      return this.#fail(error);
    }
  }

  close(): void {
    this.#connections.close();
  }

  async *#chunksOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of response) if (Buffer.isBuffer(chunk)) yield chunk;
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): never {
    const text = `The service at ${this.url} cannot be reached: ${reasonOf(error)}`;
    throw new FaultError(fault('network', Codes.networkUnavailable, text, error));
  }
}

/** Pieces as one. */
export async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'it does not answer',
};

/** Why a connection failed, in words for a person. */
export function unreachableWords(cause: unknown): string {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const text = cause instanceof Error ? cause.message : String(cause);
  return reasons[code] ?? (text === '' ? code : text);
}

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpConnections } from '../../database/engine/http-connections.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';

/** Where the HTTP service listens, and as whom it is asked. */
interface HttpServiceOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Set when TLS is spoken, with the certificates of the authorities that vouch for the service; without them those that Node knows. */
  readonly tls?: { readonly ca: string | undefined } | undefined;
  /** Connections at most, which are kept. */
  readonly connections: number;
  /** How long the service may be silent while an answer is awaited or read. */
  readonly requestTimeoutMs?: number;
}

/** One answer of the service. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One answer of the service that comes in pieces. */
export interface HttpStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
}

/** As long as the service itself waits for its engine. */
const defaultRequestTimeoutMs = 15 * 60_000;

/** The service's HTTP interface over connections that are kept, with Basic authorization. */
export class HttpService {
  /** The address, for people. */
  readonly url: string;
  readonly #connections: HttpConnections;
  readonly #authorization: string;

  constructor(options: HttpServiceOptions) {
    const { host, port, user, password, tls, connections, requestTimeoutMs = defaultRequestTimeoutMs } = options;
    this.url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const pool = { maxSockets: connections, maxFreeSockets: connections };
    this.#connections = new HttpConnections({ url: this.url, ...pool, requestTimeoutMs, ca: tls?.ca });
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /** Sends rows and reads the whole answer. Throws a FaultError of kind `network` when there is none. */
  async post(path: string, body: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    // A row that is written twice is stored once.
    const { status, headers, chunks } = await this.open(path, body, signal, true);
    return { status, headers, body: await wholeOf(chunks) };
  }

  /**
   * Sends a body; the answer's body is pulled by the caller, who reads it to its end or gives it up by returning early. Throws
   * a FaultError of kind `network` when there is no answer, and so do the chunks when it breaks off. `mayRepeat`: the request
   * comes to the same when it is carried out twice, so it is sent again over a new connection when a kept one is dead.
   */
  async open(path: string, body: Uint8Array, signal: AbortSignal | undefined, mayRepeat: boolean): Promise<HttpStream> {
    const headers = {
      authorization: this.#authorization,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.byteLength,
    };
    try {
      const answer = await this.#connections.send({ method: 'POST', path, headers, body, signal, mayRetry: mayRepeat });
      return { status: answer.statusCode ?? 0, headers: answer.headers, chunks: this.#chunksOf(answer) };
    } catch (error) {
      return this.#broken(error);
    }
  }

  close(): void {
    this.#connections.close();
  }

  async *#chunksOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of response) if (Buffer.isBuffer(chunk)) yield chunk;
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): never {
    const reason = reasonOf(error);
    throw new FaultError(
      fault('network', Codes.networkUnavailable, `The service at ${this.url} cannot be reached: ${reason}`, error),
    );
  }
}

/** Pieces as one. */
export async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Codes, FaultError, fault } from '../model/fault.js';
import { reasonOf } from '../model/reason.js';

/** Where the HTTP service listens, and as whom it is asked. */
export interface HttpServiceOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Connections at most, which are kept. */
  readonly connections: number;
}

/** One answer of the service. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** One answer of the service that comes in pieces. */
export interface HttpStream {
  readonly status: number;
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
}

/** The service's HTTP interface over connections that are kept, with Basic authorization. */
export class HttpService {
  readonly #options: HttpServiceOptions;
  readonly #agent: Agent;
  readonly #authorization: string;

  constructor(options: HttpServiceOptions) {
    const { user, password, connections } = options;
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /** The address, for people. */
  get url(): string {
    return `http://${this.#options.host}:${this.#options.port}`;
  }

  /** Sends a body and reads the whole answer. Throws a FaultError of kind `network` when there is none. */
  async post(path: string, body: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { status, chunks } = await this.open(path, body, signal);
    return { status, body: await wholeOf(chunks) };
  }

  /**
   * Sends a body; the answer's body is pulled by the caller, who reads it to its end or gives it up by returning early. Throws
   * a FaultError of kind `network` when there is no answer, and so do the chunks when it breaks off.
   */
  async open(path: string, body: Uint8Array, signal: AbortSignal): Promise<HttpStream> {
    try {
      return await this.#open(path, body, signal);
    } catch (error) {
      // A connection that was kept may be closed by the other end at any moment: nothing of the request has been read then.
      if (isReset(error) && !signal.aborted)
        return this.#open(path, body, signal).catch((again) => this.#broken(again));
      return this.#broken(error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #open(path: string, body: Uint8Array, signal: AbortSignal): Promise<HttpStream> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { host, port } = this.#options;
      const headers = {
        authorization: this.#authorization,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.byteLength,
      };
      const request = httpRequest({ host, port, method: 'POST', path, headers, agent: this.#agent, signal }, resolve);
      request.once('error', (error) => reject(new RequestError(request, error)));
      request.end(body);
    });
    return { status: response.statusCode ?? 0, chunks: this.#chunksOf(response) };
  }

  async *#chunksOf(response: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* response;
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

/** A request that had no answer. */
class RequestError extends Error {
  readonly code: string;
  readonly reused: boolean;
  constructor(request: ClientRequest, cause: Error) {
    super(cause.message || ('code' in cause ? String(cause.code) : cause.name), { cause });
    this.code = 'code' in cause ? String(cause.code) : '';
    this.reused = request.reusedSocket;
  }
}

function isReset(error: unknown): boolean {
  return error instanceof RequestError && error.reused && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

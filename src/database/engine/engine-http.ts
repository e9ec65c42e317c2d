import type { IncomingMessage } from 'node:http';
import { HttpConnections, type HttpConnectionsOptions, type HttpRequest, wholeBody } from './http-connections.js';

/** A request with one statement. */
interface EngineRequest {
  readonly user: string;
  readonly password: string;
  /** Settings and parameters of the interface, such as `query_id`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The statement, or the data of the one in the parameter `query`. */
  readonly body: string | Uint8Array;
  /** Other headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection, also while the response is read. */
  readonly signal?: AbortSignal | undefined;
  /** The statement only reads, so it may be retried; see {@link HttpRequest}. */
  readonly mayRetry?: boolean;
}

/** An error that the engine returns for a statement. */
export class EngineError extends Error {
  /** Code in the engine's list of errors. */
  readonly code: number;
  /** Its name, such as `UNKNOWN_TABLE`; empty when the engine did not say it. */
  readonly type: string;

  constructor(code: number, type: string, message: string) {
    super(message);
    this.code = code;
    this.type = type;
  }
}

/** The ClickHouse HTTP interface of an engine. */
export class EngineHttp {
  readonly #connections: HttpConnections;

  constructor(options: HttpConnectionsOptions) {
    this.#connections = new HttpConnections(options);
  }

  /**
   * Sends a statement; resolves with the answer once its head is there and says that the statement has begun well.
   * Rejects with an {@link EngineError}, or with the error of a connection that could not be made or broke.
   */
  send({ user, password, parameters, body, headers: others, ...more }: EngineRequest): Promise<IncomingMessage> {
    const headers = {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'Content-Length': Buffer.byteLength(body),
      ...others,
    };
    return this.#send({ method: 'POST', path: `/?${new URLSearchParams(parameters)}`, headers, body, ...more });
  }

  /** Rejects unless the engine answers. */
  async ping(): Promise<void> {
    await wholeBody(await this.#send({ method: 'GET', path: '/ping' }));
  }

  /** See {@link HttpConnections.refuseAll}. */
  refuseAll(reason: string | undefined): void {
    this.#connections.refuseAll(reason);
  }

  /** Closes all connections; requests in flight fail. */
  close(): void {
    this.#connections.close();
  }

  async #send(request: HttpRequest): Promise<IncomingMessage> {
    const response = await this.#connections.send(request);
    if (response.statusCode === 200 && response.headers['x-clickhouse-exception-code'] === undefined) return response;
    throw engineErrorIn((await wholeBody(response)).toString());
  }
}

/**
 * The error in the engine's words: `Code: 60. DB::Exception: What is wrong. (UNKNOWN_TABLE)`, where a server adds its
 * version. Those about its keeper are `Coordination::Exception`. The engine's message ends at a byte 0 that it quotes,
 * before the name. Other texts come from a proxy in between.
 */
export function engineErrorIn(text: string): Error {
  const head = /Code: (\d+)\. (?:DB|Coordination)::Exception: /.exec(text);
  const rest = head === null ? '' : text.slice(head.index + head[0].length);
  const types = [...rest.matchAll(/\(([A-Z0-9_]+)\)/g)];
  const type = types.findLast(({ index, 1: name = '' }) => index > 0 && /[A-Z]{3}/.test(name));
  if (head === null) return new Error(text.trim());
  return new EngineError(Number(head[1]), type?.[1] ?? '', rest.slice(0, type?.index).trim());
}

const blockEnd = '\r\n__exception__\r\n';

/**
 * The error at the end of an aborted result: `\r\n__exception__\r\n<tag>\r\n<text>\n<length>
 * <tag>\r\n__exception__\r\n`, where the tag comes from the reply's head.
 */
export function exceptionIn(piece: Buffer, tag: string): Error | undefined {
  const end = ` ${tag}${blockEnd}`;
  if (piece.length < end.length || piece.toString('latin1', piece.length - end.length) !== end) return undefined;
  const block = piece.toString('utf8', Math.max(0, piece.length - 65_536));
  return engineErrorIn(
    block.slice(block.lastIndexOf(`${tag}\r\n`, block.length - end.length) + tag.length + 2, -end.length),
  );
}

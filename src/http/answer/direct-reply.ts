import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest, Reply } from '../request/call.js';
import { newRequestId } from '../request/parameters.js';
import type { RequestHead } from '../request/request-head.js';

/** A request of a route that is served in front of the router. */
class DirectRequest implements HttpRequest {
  readonly raw: IncomingMessage;
  readonly #head: RequestHead;
  #id: string | undefined;

  constructor(raw: IncomingMessage, head: RequestHead) {
    this.raw = raw;
    this.#head = head;
  }

  /** Made when it is first used, as most writes need none. */
  get id(): string {
    this.#id ??= this.#head.requestId || newRequestId();
    return this.#id;
  }

  get method(): string {
    return this.#head.method;
  }

  get url(): string {
    return this.#head.url;
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }
}

/** The answer to a request of a route that is served in front of the router. Its body is there as a whole. */
export class DirectReply implements Reply {
  readonly request: HttpRequest;
  readonly raw: ServerResponse;
  statusCode = 200;
  readonly #headers: Record<string, number | string> = {};

  constructor(request: IncomingMessage, response: ServerResponse, head: RequestHead) {
    this.request = new DirectRequest(request, head);
    this.raw = response;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  /** Names are in lower case. */
  header(name: string, value: number | string): this {
    this.#headers[name] = value;
    return this;
  }

  headers(values: Readonly<Record<string, string>>): this {
    Object.assign(this.#headers, values);
    return this;
  }

  hasHeader(name: string): boolean {
    return this.#headers[name] !== undefined;
  }

  getHeader(name: string): number | string | undefined {
    return this.#headers[name];
  }

  send(body?: string | Uint8Array): this {
    const { raw } = this;
    if (raw.headersSent || raw.destroyed) return this;
    if (body !== undefined && !this.hasHeader('content-length')) this.header('content-length', Buffer.byteLength(body));
    raw.writeHead(this.statusCode, this.#headers).end(body);
    return this;
  }
}

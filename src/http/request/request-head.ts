import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Credentials } from '../../model/exchange.js';
import { plainAddress } from './client-address.js';
import { clientRequestId } from './parameters.js';

/** Longest head that a connection's cache entry may hold, in characters. */
const maxCachedCharacters = 8_192;

/** The general checks of a head: the request goes on, or gets an answer instead. */
export type HeadVerdict =
  | {
      readonly kind: 'pass' | 'preflight';
      /** Headers of every answer to the request. */
      readonly headers: Readonly<Record<string, string>>;
      /** See the cross-origin policy. */
      readonly foreignPage?: string;
    }
  | { readonly kind: 'refuse'; readonly status: number; readonly reason: string };

/** What the checks of a route read from a head. */
export interface HeadAdmission {
  /** Name of the request in the logs; undefined where the client gives none. */
  readonly id: string | undefined;
  readonly credentials: Credentials;
  /** Layers of compression around the body. */
  readonly layers: number;
}

/**
 * The head of a request with its meaning, all of which follows from the parsed method, URL and headers (except the
 * length of the body) and from the connection. So all requests of a connection with equal heads share one object: see
 * {@link headOf}.
 */
export class RequestHead {
  readonly method: string;
  readonly url: string;
  /** Address of the client as people write it. */
  readonly client: string;
  readonly #version: string;
  readonly #headers: readonly string[];
  #query: URLSearchParams | undefined;
  #requestId: string | undefined;
  /** Set by the general checks. */
  verdict: HeadVerdict | undefined;
  /** Set by the checks of the route, where they will read the same next time. */
  admission: HeadAdmission | undefined;
  /** Set by the router of writes: serves a request with this head. */
  serve: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

  constructor(raw: IncomingMessage) {
    const { method = '', url = '', httpVersion, rawHeaders, socket } = raw;
    this.method = method;
    this.url = url;
    this.client = plainAddress(socket.remoteAddress ?? '');
    this.#version = httpVersion;
    this.#headers = rawHeaders;
  }

  /** Query parameters, read when first used. */
  get query(): URLSearchParams {
    if (this.#query === undefined) {
      const question = this.url.indexOf('?');
      this.#query = new URLSearchParams(question === -1 ? '' : this.url.slice(question + 1));
    }
    return this.#query;
  }

  /** The `req_id` of the client as logs print it; empty where it gives none. */
  get requestId(): string {
    this.#requestId ??= clientRequestId(this.url);
    return this.#requestId;
  }

  /** The page that no setting names which a browser calls for; see the cross-origin policy. */
  get foreignPage(): string | undefined {
    return this.verdict === undefined || this.verdict.kind === 'refuse' ? undefined : this.verdict.foreignPage;
  }

  /** True when a request has this head; only the length of its body may differ. */
  isOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): boolean {
    const headers = this.#headers;
    if (url !== this.url || method !== this.method || rawHeaders.length !== headers.length) return false;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!;
      if (rawHeaders[at] !== name) return false;
      if (rawHeaders[at + 1] !== headers[at + 1] && !isContentLength(name)) return false;
    }
    return httpVersion === this.#version;
  }

  /** True for a head that is short enough to be cached. */
  get isShort(): boolean {
    let characters = this.url.length;
    for (const text of this.#headers) characters += text.length;
    return characters <= maxCachedCharacters;
  }
}

const contentLength = 'content-length';

function isContentLength(name: string): boolean {
  return name.length === contentLength.length && name.toLowerCase() === contentLength;
}

/** The last head of each connection that passed the checks of its route. */
const cached = new WeakMap<Socket, RequestHead>();

/** The cached head of a request's connection, if the request has an equal one. */
export function cachedHead(raw: IncomingMessage): RequestHead | undefined {
  const last = cached.get(raw.socket);
  return last?.isOf(raw) === true ? last : undefined;
}

/** The head of a request: the cached one where it is equal, else a new one. */
export function headOf(raw: IncomingMessage): RequestHead {
  return cachedHead(raw) ?? new RequestHead(raw);
}

/** Caches a head for the next requests of its connection. */
export function cacheHead(socket: Socket, head: RequestHead): void {
  if (cached.get(socket) !== head && head.isShort) cached.set(socket, head);
}

import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ExpositionForm, expositionForm } from '../../model/exposition-head.js';
import { endsOpenMetrics, missingEnd } from '../../transforms/parse/exposition/words.js';

/** How targets are scraped. */
export interface ScrapeOptions {
  /** `Authorization` header; empty for none. */
  readonly authorization: string;
  readonly responseTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
}

/** The answer of a target. */
interface Scrape {
  readonly body: Buffer;
  readonly form: ExpositionForm;
}

/** Formats in the order of preference: the plain one first, because everybody has it and it is cheaper to read. */
const accept = 'text/plain;version=0.0.4;q=1,application/openmetrics-text;version=1.0.0;q=0.9,*/*;q=0.1';

/**
 * The request that an address stands for: without a path it is `/metrics`; `unix:///run/x.sock?path=/m` names a socket.
 */
export function requestOf(address: string): http.RequestOptions & { readonly isSecure: boolean } {
  const url = new URL(address);
  if (url.protocol === 'unix:') {
    const path = url.searchParams.get('path') ?? '/metrics';
    return { isSecure: false, socketPath: decodeURIComponent(url.pathname), path };
  }
  const path = url.pathname === '/' || url.pathname === '' ? '/metrics' : url.pathname;
  const { hostname, port, username, password } = url;
  const auth = username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
  return {
    isSecure: url.protocol === 'https:',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    path: path + url.search,
    ...auth,
  };
}

/** Most addresses that a target may send the scrape on to, one after the other. */
const maxRedirects = 10;
const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

/**
 * Asks one target, and where it sends the scrape on to. Rejects with one clear line when it cannot be reached, does not
 * answer 200 within the time, or answers with more than may be read or with OpenMetrics text that was cut off. The
 * `Authorization` header is for the target alone.
 */
export async function scrape(address: string, options: ScrapeOptions, stopped: AbortSignal): Promise<Scrape> {
  const timeout = AbortSignal.timeout(options.responseTimeoutMs);
  const signal = AbortSignal.any([timeout, stopped]);
  let { authorization } = options;
  let url = address;
  try {
    for (let sent = 0; ; sent++) {
      const response = await get(url, authorization, options.agents, signal);
      const next = redirectOf(response, url);
      if (next === undefined) return await collect(response, options.maxBodyBytes);
      response.resume();
      if (sent === maxRedirects) throw new Error(`the target redirects more than ${maxRedirects} times`);
      if (!isSameServer(new URL(url), next)) authorization = '';
      url = next.href;
    }
  } catch (error) {
    if (timeout.aborted) throw new Error(`there is no whole answer within ${options.responseTimeoutMs} ms`);
    throw error;
  }
}

function get(
  address: string,
  authorization: string,
  agents: ScrapeOptions['agents'],
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const { isSecure, ...where } = requestOf(address);
  const headers = { accept, 'accept-encoding': 'gzip', ...(authorization === '' ? {} : { authorization }) };
  const request = isSecure ? https.request : http.request;
  const agent = isSecure ? agents.https : agents.http;
  return new Promise((resolve, reject) => {
    request({ ...where, headers, agent, signal }, resolve)
      .once('error', reject)
      .end();
  });
}

/** Where an answer sends the scrape on to, over HTTP; undefined for every other answer. */
function redirectOf({ statusCode, headers }: http.IncomingMessage, url: string): URL | undefined {
  const { location } = headers;
  if (!redirects.includes(statusCode) || location === undefined || url.startsWith('unix:')) return undefined;
  if (!URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  return next.protocol === 'http:' || next.protocol === 'https:' ? next : undefined;
}

/** True when the credentials of one address may go to the other: the same server, and never unencrypted after TLS. */
function isSameServer(from: URL, to: URL): boolean {
  if (from.protocol === to.protocol) return from.host === to.host;
  return to.protocol === 'https:' && from.hostname === to.hostname;
}

async function collect(response: http.IncomingMessage, maxBodyBytes: number): Promise<Scrape> {
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`the answer is status ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of plainBody(response)) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > maxBodyBytes) {
      response.destroy();
      throw new Error(`the answer is longer than ${maxBodyBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const form = expositionForm(response.headers['content-type']);
  if (form === 'openmetrics' && !endsOpenMetrics(body)) throw new Error(missingEnd);
  return { body, form };
}

/** The body without its gzip, if it has one. What goes wrong with the answer goes wrong with it. */
function plainBody(response: http.IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return response;
  if (coding !== 'gzip' && coding !== 'x-gzip') {
    response.destroy();
    throw new Error(`the answer is in the coding ${JSON.stringify(coding)}, which was not requested`);
  }
  return pipeline(response, createGunzip(), () => undefined);
}

import http from 'node:http';
import https from 'node:https';

/** How targets are asked. */
export interface ScrapeOptions {
  /** `Authorization` header; empty for none. */
  readonly authorization: string;
  readonly responseTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
}

/** The answer of a target. */
export interface Scrape {
  readonly body: Buffer;
  readonly isOpenMetrics: boolean;
}

/** What is asked for: the plain format first, because everybody has it and it is cheaper to read. */
const accept = 'text/plain;version=0.0.4;q=1,application/openmetrics-text;version=1.0.0;q=0.9,*/*;q=0.1';

/** The request that an address stands for: without a path it is `/metrics`; `unix:///run/x.sock?path=/m` names a socket. */
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

/**
 * Asks one target. Rejects with one clear line when it cannot be reached, does not answer 200 within the time, or answers
 * with more than may be read.
 */
export function scrape(address: string, options: ScrapeOptions, stopped: AbortSignal): Promise<Scrape> {
  const { authorization, responseTimeoutMs, agents } = options;
  const { isSecure, ...where } = requestOf(address);
  const headers = { accept, ...(authorization === '' ? {} : { authorization }) };
  const timeout = AbortSignal.timeout(responseTimeoutMs);
  const signal = AbortSignal.any([timeout, stopped]);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(timeout.aborted ? new Error(`there is no whole answer within ${responseTimeoutMs} ms`) : error);
    };
    const answered = (response: http.IncomingMessage): void => {
      collect(response, options.maxBodyBytes).then(resolve, fail);
    };
    const ask = isSecure ? https.request : http.request;
    const agent = isSecure ? agents.https : agents.http;
    ask({ ...where, headers, agent, signal }, answered)
      .once('error', fail)
      .end();
  });
}

async function collect(response: http.IncomingMessage, maxBodyBytes: number): Promise<Scrape> {
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`the answer is status ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > maxBodyBytes) {
      response.destroy();
      throw new Error(`the answer is longer than ${maxBodyBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const type = response.headers['content-type'] ?? '';
  return { body: Buffer.concat(chunks), isOpenMetrics: type.startsWith('application/openmetrics-text') };
}

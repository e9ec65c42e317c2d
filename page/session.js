import { say } from './dom.js';

const key = 'sluice.session';

/**
 * What is wrong, in words for a person. `reason` tells what to do about it.
 */
export class Trouble extends Error {
  /**
   * @param {'unreachable' | 'database' | 'memory' | 'password' | 'denied' | 'refused' | 'aborted'} reason
   * @param {string} message
   */
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }

  /** True when it may pass by itself. */
  get isTransient() {
    return this.reason === 'unreachable' || this.reason === 'database' || this.reason === 'memory';
  }
}

/** @typedef {{ user: string; authorization: string }} Session */

/**
 * Who is logged in, in this tab and until it is closed.
 * @returns {Session | undefined}
 */
export function session() {
  const kept = sessionStorage.getItem(key);
  return kept === null ? undefined : JSON.parse(kept);
}

/**
 * Logs in for this tab, once the service lets the pair in.
 * @param {string} user
 * @param {string} password
 */
export async function logIn(user, password) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  await request('/api/v1/events?pageSize=1', {}, authorization);
  sessionStorage.setItem(key, JSON.stringify({ user, authorization }));
}

export function logOut() {
  sessionStorage.removeItem(key);
}

/**
 * One request on behalf of who is logged in; throws {@link Trouble} when nothing good comes back.
 * @param {string} path
 * @param {RequestInit} [options]
 * @param {string} [authorization]
 * @returns {Promise<Response>}
 */
export async function request(path, options = {}, authorization = session()?.authorization ?? '') {
  let response;
  try {
    // Without credentials of the browser it does not put its own password box over the page.
    response = await fetch(path, { ...options, credentials: 'omit', cache: 'no-store', headers: { authorization } });
  } catch {
    if (options.signal?.aborted) throw new Trouble('aborted', 'Cancelled.');
    throw new Trouble('unreachable', 'The service cannot be reached.');
  }
  if (response.ok) return response;
  throw await troubleOf(response);
}

/**
 * What went wrong beside the place that is empty for it, where it stays so; all else concerns the whole page.
 * @param {unknown} error
 * @param {Element} place
 * @param {(error: unknown) => void} failed
 */
export function tellTrouble(error, place, failed) {
  if (error instanceof Trouble && !error.isTransient && error.reason !== 'password') say(place, error.message);
  else failed(error);
}

/** @param {Response} response */
async function troubleOf(response) {
  const body = parsedError(await response.text().catch(() => ''));
  const words = body.text ?? `Status ${response.status}.`;
  // Limits of PromQL, which say which one it was.
  const isLimit = body.type === 'timeout' || body.type === 'canceled';
  // A statement about another user may be refused with 401, too. The log-in is wrong for all other codes.
  const isOfStatement = body.code !== undefined && body.code >= 0x0350 && body.code <= 0x0356;
  if (response.status === 401 && !isOfStatement)
    return new Trouble('password', 'The user name or the password is wrong.');
  if (response.status === 403) return new Trouble('denied', words);
  if (response.status === 503 && /memory exceeds threshold/.test(words)) {
    return new Trouble('memory', 'The service is short of memory and takes no work at the moment.');
  }
  if (response.status === 502 || (response.status === 503 && !isLimit)) {
    return new Trouble('database', 'The database is not answering.');
  }
  return new Trouble('refused', words);
}

/**
 * Code and text of a refusal: most are JSON objects, and those of the memory guard plain text.
 * @param {string} text
 * @returns {{ code?: number, text?: string, type?: string }} `type` is that of an error of Prometheus
 */
function parsedError(text) {
  try {
    const { code, desc, message, error, errorType } = JSON.parse(text) ?? {};
    return { code: typeof code === 'number' ? code : undefined, text: desc ?? message ?? error, type: errorType };
  } catch {
    return text === '' || text.startsWith('<') ? {} : { text };
  }
}

/**
 * A JSON answer.
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function requestJson(path, options) {
  const response = await request(path, options);
  return response.json();
}

import type { EventChange } from '../model/notification.js';
import { type Channel, PermanentRejection } from './channel.js';
import { headOf, lineOf } from './message.js';

/** Statuses of the 400 class that are transient. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);
const timeoutMs = 15_000;

/**
 * Posts events as JSON: `text` has a line for each, which chat services show, `events` has them whole.
 * @param identity name of this service among others
 */
export function webhookChannel(address: string, identity: string): Channel {
  const { origin } = new URL(address);
  return {
    kind: 'webhook',
    // The path of a webhook is as good as a password.
    target: `${origin}/…`,
    send: async (changes: readonly EventChange[], signal: AbortSignal) => {
      const text = changes.length === 1 ? headOf(changes) : [headOf(changes), ...changes.map(lineOf)].join('\n');
      const body = JSON.stringify({
        service: identity,
        text,
        events: changes.map(({ change, event }) => ({ change, ...event })),
      });
      const status = await post(address, body, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      if (status < 300) return;
      const words = `The receiver answered with status ${status}.`;
      throw status >= 300 && status < 500 && !passing.has(status) ? new PermanentRejection(words) : new Error(words);
    },
  };
}

/** The status of the answer; rejects with a text that does not hold the address. */
async function post(address: string, body: string, signal: AbortSignal): Promise<number> {
  try {
    const response = await fetch(withoutUser(address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorizationOf(address) },
      body,
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new Error(`The receiver cannot be reached: ${networkReasonOf(error)}.`);
  }
}

/** The code of the system behind "fetch failed" of `fetch`, such as ECONNREFUSED. */
function networkReasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : reasonOf(error);
}

function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function authorizationOf(address: string): Readonly<Record<string, string>> {
  const { username, password } = new URL(address);
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

import type { Transporter } from 'nodemailer';
import type { EventChange } from '../model/notification.js';
import { mask } from '../text/mask.js';
import { type Channel, PermanentRejection } from './channel.js';
import { headOf, textOf } from './message.js';
import type { MailSettings } from './options.js';

/** Timeout of each step of the server, ms. */
const timeoutMs = 15_000;
/** Timeout of one mail, ms: a server may send its lines very slowly. */
const maxMailMs = 60_000;

/**
 * Mails events: one mail per batch. Uses TLS with servers that offer it.
 * @param identity name of this service among others, in the subject
 * @param mostMs longest time of one mail
 */
export function mailChannel({ server, from, to }: MailSettings, identity: string, mostMs = maxMailMs): Channel {
  const { host } = new URL(server);
  let transport: Promise<Transporter> | undefined;
  return {
    kind: 'mail',
    target: `${to.join(', ')} by ${host}`,
    send: async (changes: readonly EventChange[], signal: AbortSignal) => {
      transport ??= open(server);
      try {
        await (await transport).sendMail({
          from,
          to: [...to],
          subject: `[${identity}] ${headOf(changes)}`,
          text: `${changes.map(textOf).join('\n\n')}\n`,
          signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
        });
      } catch (error) {
        throw deliveryError(error, server);
      }
    },
  };
}

async function open(server: string): Promise<Transporter> {
  // Loaded only if mail is sent.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: server,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
}

/** The error without the password. A wrong password is transient: it may be corrected at the server. */
function deliveryError(error: unknown, server: string): Error {
  const { responseCode = 0, code = '', message = String(error) } = detailsOf(error);
  if (code === 'EABORT') return new Error('The mail server took too long, or the service stops.');
  const { username, password } = new URL(server);
  const secrets = [password, username].flatMap((part) => (part === '' ? [] : [part, decodeURIComponent(part)]));
  let words = message.replace(/[\r\n]+/g, ' ').slice(0, 300);
  for (const secret of secrets) words = words.replaceAll(secret, mask);
  return responseCode >= 500 && code !== 'EAUTH' ? new PermanentRejection(words) : new Error(words);
}

function detailsOf(error: unknown): { responseCode?: number; code?: string; message?: string } {
  if (!(error instanceof Error)) return {};
  const responseCode = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0;
  return { responseCode, code: 'code' in error ? String(error.code) : '', message: error.message };
}

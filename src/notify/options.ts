import { type EventSeverity, eventSeverities } from '../model/event.js';
import { isHttpUrl, option, optionTable, type SettingReader } from '../model/option.js';

/** Where mail goes. */
export interface MailSettings {
  /** Address of the server for the library that sends, with user and password. */
  readonly server: string;
  readonly from: string;
  readonly to: readonly string[];
}

/** Channels of notifications, and the severity from which they are sent. */
export interface NotifySettings {
  readonly webhook: string | undefined;
  readonly mail: MailSettings | undefined;
  /** Events of this severity and worse are sent. */
  readonly severity: EventSeverity;
}

/** Settings of notifications; both addresses may hold passwords. */
export const notifyOptions = optionTable('notify', 'Notifications', [
  option.secret(
    'notify.webhook',
    'http or https address that gets events as JSON when they open and when they are resolved',
  ),
  option.secret(
    'notify.mail',
    'where events are mailed: smtp://user:password@host:587/?from=address&to=address; smtps speaks TLS from the start; see docs/events.md',
  ),
  option.text('notify.severity', 'send events of this severity and worse', {
    default: 'warning',
    allowed: eventSeverities,
  }),
]);

/** Reads the settings of {@link notifyOptions}. */
export function readNotifySettings(reader: SettingReader): NotifySettings {
  const { webhook, mail: address, severity } = reader.settings(notifyOptions);
  if (webhook !== '' && !isHttpUrl(webhook)) reader.refuse('notify.webhook', 'an http or https address');
  const mail = address === '' ? undefined : readMail(address);
  if (address !== '' && mail === undefined) {
    reader.refuse('notify.mail', 'smtp://user:password@host:port/?from=address&to=address,address');
  }
  return { webhook: webhook === '' ? undefined : webhook, mail, severity };
}

/** Undefined when the text is no address of a mail server with a sender and a recipient. */
function readMail(text: string): MailSettings | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const from = url.searchParams.get('from') ?? '';
  const to = (url.searchParams.get('to') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  url.searchParams.delete('from');
  url.searchParams.delete('to');
  const isComplete = /^smtps?:$/.test(url.protocol) && url.hostname !== '';
  if (!isComplete || ![from, ...to].every((one) => /^[^\s@]+@[^\s@]+$/.test(one)) || to.length === 0) return undefined;
  return { server: url.href, from, to };
}

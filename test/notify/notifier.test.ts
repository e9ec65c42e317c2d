import test from 'ava';
import { resolveSettings } from '../../src/config/resolve.js';
import type { EventChange } from '../../src/model/notification.js';
import { Notifier } from '../../src/notify/notifier.js';
import { type NotifySettings, notifyOptions, readNotifySettings } from '../../src/notify/options.js';
import { smtpReceiver } from '../support/events/smtp-receiver.js';
import { storedEvent } from '../support/events/stored-events.js';
import { webhookReceiver } from '../support/events/webhook-receiver.js';
import { type LogLine, recordingLog } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

const fast = { firstDelayMs: 5, maxDelayMs: 20, drainMs: 2_000 };
const none: NotifySettings = { webhook: undefined, mail: undefined, severity: 'info' };

function notifier(settings: Partial<NotifySettings>, lines: LogLine[] = []): Notifier {
  return new Notifier({ ...none, ...settings }, 'here', recordingLog(lines), fast);
}

function change(n: number, more: Partial<EventChange['event']> = {}): EventChange {
  return { change: 'opened', event: storedEvent(n, { title: `event ${n}`, severity: 'critical', ...more }) };
}

test('events are posted to a webhook in order, those of one turn in one message, with a text for chats', async (t) => {
  const receiver = await webhookReceiver();
  t.teardown(receiver.close);
  const own = notifier({ webhook: `http://ann:p%20w@127.0.0.1:${receiver.port}/secret-path` });
  own.add(change(1));
  await own.drain();
  own.add(change(2));
  own.add({ ...change(3), change: 'resolved' });
  await own.drain();
  t.deepEqual(
    receiver.posts.map(({ text, events }) => [text, events.map((event) => `${event.change} ${event.title}`).join()]),
    [
      ['CRITICAL: event 1', 'opened event 1'],
      ['2 events\nCRITICAL: event 2\nRESOLVED: event 3', 'opened event 2,resolved event 3'],
    ],
  );
  t.is(receiver.heads[0]?.authorization, `Basic ${Buffer.from('ann:p w').toString('base64')}`);
  t.like(own.channels[0], { kind: 'webhook', sent: 3, waiting: 0, failed: 0, problem: null });
});

test('failed notifications are retried until they are accepted; permanently rejected ones are dropped', async (t) => {
  const statuses = [503, 429, 200, 404, 200];
  const receiver = await webhookReceiver(() => statuses.shift() ?? 200);
  t.teardown(receiver.close);
  const lines: LogLine[] = [];
  const own = notifier({ webhook: `http://user:hidden@127.0.0.1:${receiver.port}/hidden-path` }, lines);
  own.add(change(1));
  t.true(await until(() => own.channels[0]?.sent === 1));
  t.is(statuses.length, 2);
  own.add(change(2));
  t.true(await until(() => own.channels[0]?.failed === 1));
  own.add(change(3));
  await own.drain();
  t.true(await until(() => own.channels[0]?.sent === 2));
  t.deepEqual(
    receiver.posts.map(({ text }) => text),
    ['CRITICAL: event 1', 'CRITICAL: event 3'],
  );
  const log = JSON.stringify([lines, own.channels]);
  t.regex(log, /status 503/);
  t.notRegex(log, /hidden/);
  await own.stop();
});

test('an unreachable receiver is logged and does not delay a stop', async (t) => {
  const receiver = await webhookReceiver();
  receiver.close();
  const own = notifier({ webhook: `http://127.0.0.1:${receiver.port}/` });
  own.add(change(1));
  t.true(await until(() => own.channels[0]?.problem !== null));
  t.like(own.channels[0], { waiting: 1, problem: 'The receiver cannot be reached: ECONNREFUSED.' });
  await own.drain();
  await own.stop();
});

test('events are mailed, many in one mail, after a log-in', async (t) => {
  const receiver = await smtpReceiver();
  t.teardown(receiver.close);
  const server = `smtp://ann:pass%2Fword@127.0.0.1:${receiver.port}/`;
  const own = notifier({ mail: { server, from: 'sluice@example.org', to: ['a@example.org', 'b@example.org'] } });
  own.add(change(1, { description: 'Open the valve.' }));
  own.add(change(2));
  await own.drain();
  const [mail, ...others] = receiver.mails;
  t.deepEqual(others, []);
  t.like(mail, { from: 'sluice@example.org', to: ['a@example.org', 'b@example.org'], login: 'ann:pass/word' });
  t.regex(mail?.text ?? '', /^Subject: \[here\] 2 events$.*CRITICAL: event 1\nOpen the valve\..*CRITICAL: event 2/ms);
});

test('a permanently rejected mail is dropped, and a wrong password is in no message', async (t) => {
  let refuses = 'AUTH';
  const receiver = await smtpReceiver((command) => (command === refuses ? `535 no, not with topsecret` : undefined));
  t.teardown(receiver.close);
  const lines: LogLine[] = [];
  const mail = { server: `smtp://ann:topsecret@127.0.0.1:${receiver.port}/`, from: 'a@b', to: ['c@d'] };
  const own = notifier({ mail }, lines);
  own.add(change(1));
  t.true(await until(() => own.channels[0]?.problem !== null));
  refuses = 'MAIL';
  t.true(await until(() => own.channels[0]?.failed === 1));
  refuses = '';
  t.deepEqual(await own.test('root'), [{ kind: 'mail', target: `c@d by 127.0.0.1:${receiver.port}`, problem: null }]);
  t.regex(receiver.mails[0]?.text ?? '', /Test message.*root asked for it/s);
  t.notRegex(JSON.stringify([lines, own.channels]), /topsecret/);
  await own.stop();
});

test('only events of the configured severity and worse are sent', async (t) => {
  const receiver = await webhookReceiver();
  t.teardown(receiver.close);
  const own = notifier({ webhook: `http://127.0.0.1:${receiver.port}/`, severity: 'warning' });
  own.add(change(1, { severity: 'info' }));
  own.add(change(2, { severity: 'warning' }));
  own.add(change(3, { severity: 'critical' }));
  await own.drain();
  t.deepEqual(
    receiver.posts.flatMap(({ events }) => events.map(({ title }) => title)),
    ['event 2', 'event 3'],
  );
});

/** The settings that values give by flag, or the flags that are refused. */
function read(values: Readonly<Record<string, string>>) {
  const resolution = resolveSettings({
    program: '',
    version: '',
    argv: Object.entries(values).map(([flag, value]) => `--${flag}=${value}`),
    env: {},
    tables: [notifyOptions],
    read: readNotifySettings,
  });
  if (resolution.outcome === 'settings') return resolution.settings;
  return resolution.outcome === 'refused' ? resolution.errors.map((line) => line.split(/[ :]/)[0]) : [];
}

test('the address of a mail server has the sender and recipients; incomplete ones are errors', (t) => {
  const mail = 'smtps://u:p@mail.example.org:465/?from=a@x.org&to=b@x.org,c@x.org&tls.rejectUnauthorized=false';
  t.deepEqual(read({ 'notify.mail': mail, 'notify.webhook': 'https://h.example.org/x' }), {
    webhook: 'https://h.example.org/x',
    mail: {
      server: 'smtps://u:p@mail.example.org:465/?tls.rejectUnauthorized=false',
      from: 'a@x.org',
      to: ['b@x.org', 'c@x.org'],
    },
    severity: 'warning',
  });
  for (const wrong of [
    'mail.example.org',
    'http://h/?from=a@b&to=c@d',
    'smtp://h/?to=c@d',
    'smtp://h/?from=a@b&to=c',
  ]) {
    t.deepEqual(read({ 'notify.mail': wrong }), ['notify.mail'], wrong);
  }
  t.deepEqual(read({ 'notify.webhook': 'h.example.org' }), ['notify.webhook']);
});

import type { Component, ComponentLog } from '../model/component.js';
import { type Event, eventSeverities } from '../model/event.js';
import type { WatchedFigures } from '../model/figure.js';
import type { EventChange, NotificationChannel, NotificationTest } from '../model/notification.js';
import type { Channel } from './channel.js';
import { mailChannel } from './mail.js';
import type { NotifySettings } from './options.js';
import { Outbox, type OutboxTimes } from './outbox.js';
import { webhookChannel } from './webhook.js';

/**
 * Tells people of events, over every channel of the settings. What waits is kept in memory: a restart forgets it, the events
 * themselves are in the database.
 */
export class Notifier implements Component {
  readonly name = 'notifications';
  readonly #outboxes: readonly Outbox[];
  readonly #severity: NotifySettings['severity'];
  readonly #identity: string;

  constructor(settings: NotifySettings, identity: string, log: ComponentLog, times?: OutboxTimes) {
    const { webhook, mail } = settings;
    const channels: Channel[] = [
      ...(webhook === undefined ? [] : [webhookChannel(webhook, identity)]),
      ...(mail === undefined ? [] : [mailChannel(mail, identity)]),
    ];
    this.#outboxes = channels.map((channel) => new Outbox(channel, log, times));
    this.#severity = settings.severity;
    this.#identity = identity;
  }

  add(change: EventChange): void {
    const least = eventSeverities.indexOf(this.#severity);
    if (eventSeverities.indexOf(change.event.severity) > least) return;
    for (const outbox of this.#outboxes) outbox.add(change);
  }

  get channels(): readonly NotificationChannel[] {
    return this.#outboxes.map(({ state }) => state);
  }

  /** Sends a test message over every channel now. */
  test(user: string): Promise<readonly NotificationTest[]> {
    const change = { change: 'opened', event: testEvent(this.#identity, user) } as const;
    return Promise.all(
      this.#outboxes.map(async (outbox) => {
        const problem = (await outbox.test(change)) ?? null;
        const { kind, target } = outbox.state;
        return { kind, target, problem };
      }),
    );
  }

  async drain(): Promise<void> {
    await Promise.all(this.#outboxes.map((outbox) => outbox.drain()));
  }

  async stop(): Promise<void> {
    for (const outbox of this.#outboxes) outbox.stop();
  }

  /** Figures of notifications. */
  get figures(): WatchedFigures {
    const sum = (key: 'sent' | 'failed' | 'waiting') => () =>
      this.channels.reduce((all, channel) => all + channel[key], 0);
    return {
      adapter_notifications_sent_total: { help: 'Events that people were told of.', read: sum('sent') },
      adapter_notifications_failed_total: { help: 'Events that nobody could be told of.', read: sum('failed') },
      adapter_notifications_waiting: { help: 'Events that people are still to be told of.', read: sum('waiting') },
    };
  }
}

function testEvent(identity: string, user: string): Event {
  const now = Date.now();
  return {
    id: 'test',
    status: 'active',
    severity: 'info',
    elementId: identity,
    title: 'Test message',
    description: `${user} asked for it on the page. Nothing is wrong.`,
    source: 'system',
    rule: 'test',
    value: null,
    threshold: null,
    count: 1,
    startTime: now,
    lastSeenTime: now,
    endTime: null,
    acknowledgedBy: null,
    acknowledgedAt: null,
    resolvedBy: null,
    resolvedAt: null,
    comment: null,
    attributes: { service: identity },
  };
}

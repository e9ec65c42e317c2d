import type { Component, ComponentLog } from '../model/component.js';
import { type Event, eventSeverities } from '../model/event.js';
import type { WatchedMetrics } from '../model/metric.js';
import type { EventChange, NotificationChannel, NotificationTest } from '../model/notification.js';
import type { Channel } from './channel.js';
import { ChannelQueue, type QueueTimes } from './channel-queue.js';
import { mailChannel } from './mail.js';
import type { NotifySettings } from './options.js';
import { webhookChannel } from './webhook.js';

/**
 * Sends notifications of events over every channel of the settings. They wait in memory: a restart drops them, while
 * the events themselves are in the database.
 */
export class Notifier implements Component {
  readonly name = 'notifications';
  readonly #queues: readonly ChannelQueue[];
  readonly #severity: NotifySettings['severity'];
  readonly #identity: string;

  constructor(settings: NotifySettings, identity: string, log: ComponentLog, times?: QueueTimes) {
    const { webhook, mail } = settings;
    const channels: Channel[] = [
      ...(webhook === undefined ? [] : [webhookChannel(webhook, identity)]),
      ...(mail === undefined ? [] : [mailChannel(mail, identity)]),
    ];
    this.#queues = channels.map((channel) => new ChannelQueue(channel, log, times));
    this.#severity = settings.severity;
    this.#identity = identity;
  }

  add(change: EventChange): void {
    const least = eventSeverities.indexOf(this.#severity);
    if (eventSeverities.indexOf(change.event.severity) > least) return;
    for (const queue of this.#queues) queue.add(change);
  }

  get channels(): readonly NotificationChannel[] {
    return this.#queues.map(({ state }) => state);
  }

  /** Sends a test message over every channel now. */
  test(user: string): Promise<readonly NotificationTest[]> {
    const change = { change: 'opened', event: testEvent(this.#identity, user) } as const;
    return Promise.all(
      this.#queues.map(async (queue) => {
        const problem = (await queue.test(change)) ?? null;
        const { kind, target } = queue.state;
        return { kind, target, problem };
      }),
    );
  }

  async drain(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.drain()));
  }

  async stop(): Promise<void> {
    for (const queue of this.#queues) queue.stop();
  }

  /** Metrics of notifications. */
  get metrics(): WatchedMetrics {
    const sum = (key: 'sent' | 'failed' | 'waiting') => () =>
      this.channels.reduce((all, channel) => all + channel[key], 0);
    return {
      adapter_notifications_sent: { isCounter: true, help: 'Events whose notification was sent.', read: sum('sent') },
      adapter_notifications_failed: {
        isCounter: true,
        help: 'Events whose notification failed for good.',
        read: sum('failed'),
      },
      adapter_notifications_waiting: { help: 'Events whose notification waits.', read: sum('waiting') },
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

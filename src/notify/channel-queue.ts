import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../async/deferred.js';
import type { ComponentLog } from '../model/component.js';
import { reasonOf } from '../model/fault.js';
import type { EventChange, NotificationChannel } from '../model/notification.js';
import { backOffMs } from '../text/duration.js';
import { type Channel, PermanentRejection } from './channel.js';

/** Limit of events that wait for one channel; beyond it the oldest are dropped. */
const maxWaiting = 1_000;
/** Events in one message. */
const maxBatch = 100;
/** How long an event is retried, ms. */
const maxAgeMs = 24 * 3_600_000;
const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** How long a stop waits for a receiver that does not answer, ms. */
const drainMs = 2_000;

/** Pauses between attempts, and the longest drain, in ms; tests take shorter ones. */
export interface QueueTimes {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly drainMs: number;
}

interface QueuedChange {
  readonly change: EventChange;
  readonly since: number;
}

/** Queue of one channel: sends events in order, with retries until the receiver accepts them. */
export class ChannelQueue {
  readonly #channel: Channel;
  readonly #log: ComponentLog;
  readonly #times: QueueTimes;
  readonly #stopped = new AbortController();
  readonly #waiting: QueuedChange[] = [];
  #working: Promise<void> | undefined;
  #sent = 0;
  #failed = 0;
  #lastSentTime: number | null = null;
  #problem: string | null = null;
  /** Called when an attempt fails and will be retried. */
  #attemptFailed = (): void => undefined;

  constructor(channel: Channel, log: ComponentLog, times: QueueTimes = { firstDelayMs, maxDelayMs, drainMs }) {
    this.#channel = channel;
    this.#log = log;
    this.#times = times;
  }

  add(change: EventChange): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#waiting.length >= maxWaiting) this.#dropOldest(1, 'Too many events wait.');
    this.#waiting.push({ change, since: Date.now() });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  get state(): NotificationChannel {
    const { kind, target } = this.#channel;
    return {
      kind,
      target,
      sent: this.#sent,
      failed: this.#failed,
      waiting: this.#waiting.length,
      lastSentTime: this.#lastSentTime,
      problem: this.#problem,
    };
  }

  /** Sends one message at once, without the queue or retries. Undefined when it was accepted, otherwise why not. */
  async test(change: EventChange): Promise<string | undefined> {
    try {
      await this.#channel.send([change], this.#stopped.signal);
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /**
   * Waits until all is sent, but not for retries, and not for long: a receiver that does not answer must not delay the
   * stop.
   */
  async drain(): Promise<void> {
    const working = this.#working;
    if (working === undefined || this.#problem !== null) return;
    const { promise: failed, resolve } = deferred();
    this.#attemptFailed = resolve;
    const timer = setTimeout(resolve, this.#times.drainMs);
    await Promise.race([working, failed]);
    clearTimeout(timer);
  }

  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    if (this.#waiting.length > 0) {
      this.#log.warn({ ...this.#named, events: this.#waiting.length }, 'Some notifications could not be sent.');
    }
  }

  get #named() {
    const { kind, target } = this.#channel;
    return { channel: kind, target };
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopped;
    // Changes of one turn of the event loop share a message.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { firstDelayMs: first, maxDelayMs: most } = this.#times;
    for (let failures = 0; this.#waiting.length > 0 && !signal.aborted; ) {
      if (await this.#attempt(failures === 0)) failures = 0;
      else await sleep(backOffMs(++failures, first, most), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** True when the first batch of the queue is finished. */
  async #attempt(isFirst: boolean): Promise<boolean> {
    const old = this.#waiting.findIndex(({ since }) => Date.now() - since <= maxAgeMs);
    if (old !== 0) this.#dropOldest(old < 0 ? this.#waiting.length : old, 'It was tried for a day.');
    const entries = this.#waiting.slice(0, maxBatch);
    if (entries.length === 0) return true;
    try {
      await this.#channel.send(
        entries.map(({ change }) => change),
        this.#stopped.signal,
      );
    } catch (error) {
      this.#problem = reasonOf(error);
      if (error instanceof PermanentRejection) {
        this.#giveUp(this.#remove(entries), this.#problem);
        return true;
      }
      this.#attemptFailed();
      if (isFirst) {
        this.#log.warn({ ...this.#named, reason: this.#problem }, 'A notification failed; Sluice retries.');
      }
      return false;
    }
    this.#remove(entries);
    this.#sent += entries.length;
    this.#lastSentTime = Date.now();
    if (this.#problem !== null) this.#log.info(this.#named, 'Notifications are sent again.');
    this.#problem = null;
    return true;
  }

  /** Removes sent entries, and counts them: meanwhile the oldest may have been dropped. */
  #remove(entries: readonly QueuedChange[]): number {
    const done = new Set(entries);
    const rest = this.#waiting.filter((entry) => !done.has(entry));
    return this.#waiting.splice(0, this.#waiting.length, ...rest).length - rest.length;
  }

  #dropOldest(events: number, reason: string): void {
    this.#waiting.splice(0, events);
    this.#giveUp(events, reason);
  }

  #giveUp(events: number, reason: string): void {
    this.#failed += events;
    this.#log.error({ ...this.#named, events, reason }, 'Notifications were dropped that could not be sent.');
  }
}

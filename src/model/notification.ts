import type { Event } from './event.js';

/** Change of an event that sends notifications. */
export interface EventChange {
  readonly change: 'opened' | 'resolved';
  readonly event: Event;
}

/** A way to people outside of the page. */
export interface NotificationChannel {
  readonly kind: 'webhook' | 'mail';
  /** Where it leads, without what is secret in it. */
  readonly target: string;
  /** Events with a notification. */
  readonly sent: number;
  /** Events that were never delivered: refused for good, too old, or too many. */
  readonly failed: number;
  /** Events that are tried again, or wait behind one that is. */
  readonly waiting: number;
  /** Unix ms; null before the first. */
  readonly lastSentTime: number | null;
  /** Why the last attempt failed; null when it did not. */
  readonly problem: string | null;
}

/** Result of a test message. */
export interface NotificationTest {
  readonly kind: NotificationChannel['kind'];
  readonly target: string;
  /** Null when it was taken. */
  readonly problem: string | null;
}

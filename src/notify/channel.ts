import type { EventChange, NotificationChannel } from '../model/notification.js';

/** A channel of notifications, which sends one message at a time. */
export interface Channel extends Pick<NotificationChannel, 'kind' | 'target'> {
  /** Rejects with {@link PermanentRejection} when a retry is useless, otherwise with a transient error. */
  send(changes: readonly EventChange[], signal: AbortSignal): Promise<void>;
}

/** The receiver will never accept this message. The text holds no secret. */
export class PermanentRejection extends Error {}

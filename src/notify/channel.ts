import type { EventChange, NotificationChannel } from '../model/notification.js';

/** A way to tell people, over which one message is sent at a time. */
export interface Channel extends Pick<NotificationChannel, 'kind' | 'target'> {
  /** Rejects with {@link RefusedForGood} when trying again is of no use, otherwise with what may pass. */
  send(changes: readonly EventChange[], signal: AbortSignal): Promise<void>;
}

/** The other side will never take this message. The text holds no secret. */
export class RefusedForGood extends Error {}

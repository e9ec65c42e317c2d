import type { ChildProcess } from 'node:child_process';

/** Time limits for an engine that does not answer, in ms. */
interface HeartbeatLimits {
  /** After this time it counts as hung. */
  readonly hungAfterMs: number;
  /** After this time it is killed; 0 is never. */
  readonly killAfterMs: number;
}

/** Ping of a {@link Heartbeat}, and the engine host's reply, sent once its engine and its disk have answered. */
export interface HeartbeatMessage {
  readonly beat: number;
}

/** Called at a change: the engine does not answer, answers again, or has not answered for too long. */
type HeartbeatListener = (news: 'silent' | 'back' | 'given-up') => void;

const maxTickMs = 2_000;

/**
 * Pings an engine host over its IPC channel, one ping at a time. Silence is counted in ticks and not by the clock, so
 * that a suspended machine or a delay of this process does not count as silence of the host.
 */
export class Heartbeat {
  readonly #child: ChildProcess;
  readonly #tickMs: number;
  readonly #limits: HeartbeatLimits;
  readonly #listener: HeartbeatListener;
  readonly #timer: NodeJS.Timeout;
  /** Number of the last ping. */
  #number = 0;
  #isAnswered = true;
  #silentTicks = 0;
  #isSilent = false;

  constructor(child: ChildProcess, limits: HeartbeatLimits, listener: HeartbeatListener) {
    this.#child = child;
    this.#limits = limits;
    this.#listener = listener;
    this.#tickMs = Math.max(1, Math.min(maxTickMs, limits.hungAfterMs / 4));
    child.on('message', this.#onMessage);
    this.#timer = setInterval(() => {
      // A reply that waits to be read is handled first.
      setImmediate(() => this.#tick());
    }, this.#tickMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#child.off('message', this.#onMessage);
  }

  #tick(): void {
    if (this.#isAnswered) {
      this.#isAnswered = false;
      this.#number++;
      const ping: HeartbeatMessage = { beat: this.#number };
      if (this.#child.connected) this.#child.send(ping, () => undefined);
      return;
    }
    this.#silentTicks++;
    const silentMs = this.#silentTicks * this.#tickMs;
    const { hungAfterMs: noticeMs, killAfterMs: giveUpMs } = this.#limits;
    if (!this.#isSilent && silentMs >= noticeMs) {
      this.#isSilent = true;
      this.#listener('silent');
    }
    if (giveUpMs > 0 && silentMs >= giveUpMs) {
      this.stop();
      this.#listener('given-up');
    }
  }

  readonly #onMessage = (message: unknown): void => {
    if (readHeartbeat(message) !== this.#number) return;
    this.#isAnswered = true;
    this.#silentTicks = 0;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#listener('back');
  };
}

/** The number of a ping or a reply; undefined for other messages. */
export function readHeartbeat(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || !('beat' in message)) return undefined;
  return typeof message.beat === 'number' ? message.beat : undefined;
}

import type { ChildProcess } from 'node:child_process';

/** How long an engine may be silent. */
interface HeartbeatLimits {
  /** After this it counts as hung. */
  readonly noticeMs: number;
  /** After this it is given up; 0 is never. */
  readonly giveUpMs: number;
}

/** Answer of an engine host to a question of {@link Heartbeat}, once its engine and its disk have answered it. */
export interface HeartbeatMessage {
  readonly beat: number;
}

/** Told of a change: the engine is silent, answers again, or has been silent for too long. */
type HeartbeatListener = (news: 'silent' | 'back' | 'given-up') => void;

const longestTickMs = 2_000;

/**
 * Asks an engine host again and again over its channel whether it works, one question at a time. Silence is counted in
 * ticks that have passed and not by the clock, so that a machine that slept, or this process being late, is no silence of the host.
 */
export class Heartbeat {
  readonly #child: ChildProcess;
  readonly #tickMs: number;
  readonly #limits: HeartbeatLimits;
  readonly #listener: HeartbeatListener;
  readonly #timer: NodeJS.Timeout;
  /** Of the question that is open. */
  #number = 0;
  #isAnswered = true;
  #silentTicks = 0;
  #isSilent = false;

  constructor(child: ChildProcess, limits: HeartbeatLimits, listener: HeartbeatListener) {
    this.#child = child;
    this.#limits = limits;
    this.#listener = listener;
    this.#tickMs = Math.max(1, Math.min(longestTickMs, limits.noticeMs / 4));
    child.on('message', this.#heard);
    this.#timer = setInterval(() => {
      // An answer that waits to be read is looked at first.
      setImmediate(() => this.#tick());
    }, this.#tickMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#child.off('message', this.#heard);
  }

  #tick(): void {
    if (this.#isAnswered) {
      this.#isAnswered = false;
      this.#number++;
      const question: HeartbeatMessage = { beat: this.#number };
      if (this.#child.connected) this.#child.send(question, () => undefined);
      return;
    }
    this.#silentTicks++;
    const silentMs = this.#silentTicks * this.#tickMs;
    const { noticeMs, giveUpMs } = this.#limits;
    if (!this.#isSilent && silentMs >= noticeMs) {
      this.#isSilent = true;
      this.#listener('silent');
    }
    if (giveUpMs > 0 && silentMs >= giveUpMs) {
      this.stop();
      this.#listener('given-up');
    }
  }

  readonly #heard = (message: unknown): void => {
    if (readHeartbeat(message) !== this.#number) return;
    this.#isAnswered = true;
    this.#silentTicks = 0;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#listener('back');
  };
}

/** The number of a question or an answer; undefined for other messages. */
export function readHeartbeat(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || !('beat' in message)) return undefined;
  return typeof message.beat === 'number' ? message.beat : undefined;
}

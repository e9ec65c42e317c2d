import { type Clock, systemClock } from '../../async/clock.js';

/** When the last event of a key came, and when the one before, ms of the process. */
interface LastEvents {
  readonly last: number;
  readonly before: number;
}

/**
 * Delays work on a key while its events follow each other quickly, up to a limit: for work that takes as long for one
 * event as for many. A single event is not delayed.
 */
export class Debounce {
  readonly #quietMs: number;
  readonly #maxDelayMs: number;
  readonly #clock: Clock;
  /** By key, the oldest first; entries older than `quietMs` are dropped. */
  readonly #events = new Map<string, LastEvents>();

  /** Waits for `quietMs` without an event, and for at most `maxDelayMs`. */
  constructor(quietMs: number, maxDelayMs: number, clock: Clock = systemClock) {
    this.#quietMs = quietMs;
    this.#maxDelayMs = maxDelayMs;
    this.#clock = clock;
  }

  /** Records an event. */
  record(key: string): void {
    const now = this.#clock.now();
    const before = this.#events.get(key)?.last ?? Number.NEGATIVE_INFINITY;
    this.#events.delete(key);
    this.#events.set(key, { last: now, before });
    for (const [old, { last }] of this.#events) {
      if (last > now - this.#quietMs) return;
      this.#events.delete(old);
    }
  }

  /** Resolves once the events of a key have paused, or the longest delay is over. */
  async quiet(key: string): Promise<void> {
    const end = this.#clock.now() + this.#maxDelayMs;
    for (let now = this.#clock.now(); now < end && this.#isBusy(key, now); now = this.#clock.now()) {
      await new Promise<void>((resolve) => this.#clock.after(this.#quietMs, resolve, false));
    }
  }

  #isBusy(key: string, now: number): boolean {
    const events = this.#events.get(key);
    return events !== undefined && events.before > events.last - this.#quietMs && events.last > now - this.#quietMs;
  }
}

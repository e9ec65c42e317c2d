import { type Clock, systemClock } from '../../async/clock.js';

/** When something came last at a place, and when the time before, ms of the process. */
interface Coming {
  readonly last: number;
  readonly before: number;
}

/**
 * Finds the pauses in what comes to a place again and again, for work that takes as long for little as for much: it is done when no more
 * comes for a while, and at the latest after a time. What comes alone does not wait.
 */
export class Pauses {
  readonly #pauseMs: number;
  readonly #mostMs: number;
  readonly #clock: Clock;
  /** By place, the oldest first; what is older than a pause is forgotten. */
  readonly #comings = new Map<string, Coming>();

  constructor(pauseMs: number, mostMs: number, clock: Clock = systemClock) {
    this.#pauseMs = pauseMs;
    this.#mostMs = mostMs;
    this.#clock = clock;
  }

  /** Notes that something has come. */
  note(place: string): void {
    const now = this.#clock.now();
    const before = this.#comings.get(place)?.last ?? Number.NEGATIVE_INFINITY;
    this.#comings.delete(place);
    this.#comings.set(place, { last: now, before });
    for (const [old, { last }] of this.#comings) {
      if (last > now - this.#pauseMs) return;
      this.#comings.delete(old);
    }
  }

  /** Waits for a pause at a place. */
  async next(place: string): Promise<void> {
    const end = this.#clock.now() + this.#mostMs;
    for (let now = this.#clock.now(); now < end && this.#isBusy(place, now); now = this.#clock.now()) {
      await new Promise<void>((resolve) => this.#clock.after(this.#pauseMs, resolve, false));
    }
  }

  #isBusy(place: string, now: number): boolean {
    const coming = this.#comings.get(place);
    return coming !== undefined && coming.before > coming.last - this.#pauseMs && coming.last > now - this.#pauseMs;
  }
}

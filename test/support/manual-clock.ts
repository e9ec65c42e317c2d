import type { Alarm, Clock } from '../../src/async/clock.js';

/** A clock whose time passes when a test says so. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #alarms = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  /** Alarms that are still to come. */
  get alarms(): number {
    return this.#alarms.size;
  }

  after(ms: number, run: () => void): Alarm {
    const alarm = { at: this.#now + ms, run };
    this.#alarms.add(alarm);
    return { cancel: () => this.#alarms.delete(alarm) };
  }

  /** Lets so many milliseconds pass. What is to happen meanwhile happens in its order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#alarms].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#alarms.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

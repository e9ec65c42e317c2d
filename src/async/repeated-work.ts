import type { Component } from '../model/component.js';
import { type Alarm, type Clock, systemClock } from './clock.js';
import { detached } from './detached.js';

/** Pause after a run that was rejected, in ms, at least. */
const leastRestMs = 1_000;

/**
 * Work that is done again and again, one run after the other, from `firstMs` after its start until it is drained or
 * stopped. It keeps no process alive.
 */
export class RepeatedWork implements Component {
  readonly name: string;
  readonly #firstMs: number;
  readonly #work: (stopped: AbortSignal) => Promise<number>;
  readonly #ending = new AbortController();
  readonly #clock: Clock;
  #alarm: Alarm | undefined;
  #run: Promise<void> = Promise.resolve();

  /**
   * `work` gives after how many ms it begins again, and its signal fires when it must end early. It should not reject:
   * the process warns of that and begins it again after the pause before it, or a second.
   */
  constructor(
    name: string,
    firstMs: number,
    work: (stopped: AbortSignal) => Promise<number>,
    clock: Clock = systemClock,
  ) {
    this.name = name;
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#work = work;
  }

  async start(): Promise<void> {
    this.#schedule(this.#firstMs);
  }

  async drain(): Promise<void> {
    await this.stop();
    await this.#run;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#alarm?.cancel();
  }

  #schedule(ms: number): void {
    const { signal } = this.#ending;
    if (signal.aborted) return;
    const run = (): void => {
      const work = this.#work(signal);
      detached(work);
      this.#run = work.then(
        (restMs) => this.#schedule(restMs),
        () => this.#schedule(Math.max(ms, leastRestMs)),
      );
    };
    this.#alarm = this.#clock.after(ms, run, false);
  }
}

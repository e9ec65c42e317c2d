import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { detached } from '../../async/detached.js';

/** How often the processor time of an engine that has not answered yet is looked at, ms. */
const lookMs = 1_000;
/** An engine that waits for itself uses less: 0.5 % of a processor when it rests. */
const busyShare = 0.02;
/** How long being busy counts as being alive, ms. */
const longestBusyMs = 120_000;

/** What {@link Liveness} looks at. */
interface Signs {
  /** Asks the engine something small; may reject, which is an answer, too. */
  works(): Promise<void>;
  /** Processor time that the process of the engine has used since its start, ms. */
  processorMs(): number;
  readonly clock?: Clock;
}

/** Processor time of this process and of the engine in it, ms. */
export function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Whether an engine lives: it answers, or it is busy. With heavy queries on a machine with too much work a small statement waits for the
 * processor for longer than a hung engine is given; a hung engine uses no processor time.
 */
export class Liveness {
  readonly #signs: Signs;
  readonly #clock: Clock;
  #answer: Promise<void> | undefined;
  /** When the engine was asked what it has not answered yet. */
  #since = 0;

  constructor(signs: Signs) {
    this.#signs = signs;
    this.#clock = signs.clock ?? systemClock;
  }

  /** Resolves once the engine has answered or was busy for a moment; never while it hangs. */
  alive(): Promise<void> {
    if (this.#answer === undefined) {
      this.#since = this.#clock.now();
      const answered = (): void => {
        this.#answer = undefined;
      };
      this.#answer = this.#signs.works().then(answered, answered);
    }
    const answer = this.#answer;
    return new Promise((resolve) => {
      let used = this.#signs.processorMs();
      let alarm: Alarm | undefined;
      const look = (): void => {
        const before = used;
        used = this.#signs.processorMs();
        const isBusy = used - before >= busyShare * lookMs;
        if (isBusy && this.#clock.now() - this.#since < longestBusyMs) resolve();
        else alarm = this.#clock.after(lookMs, look, false);
      };
      alarm = this.#clock.after(lookMs, look, false);
      detached(
        answer.then(() => {
          alarm?.cancel();
          resolve();
        }),
      );
    });
  }
}

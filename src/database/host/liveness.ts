import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { detached } from '../../async/detached.js';

/** How often the processor time of an engine that has not answered yet is checked, ms. */
const checkIntervalMs = 1_000;
/** A hung engine uses less; an idle one uses 0.5 % of a processor. */
const busyShare = 0.02;
/** How long a busy engine counts as alive without an answer, ms. */
const maxBusyMs = 120_000;

/** Inputs of {@link Liveness}. */
interface LivenessProbe {
  /** Runs a small statement on the engine; a rejection counts as an answer, too. */
  ping(): Promise<void>;
  /** Processor time that the process of the engine has used since its start, ms. */
  processorMs(): number;
  readonly clock?: Clock;
}

/** Processor time of this process and of the engine in it, ms. */
export function selfProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Decides whether an engine is alive: it answers, or it is busy. On an overloaded machine a small statement may wait
 * for longer than the timeout of a hung engine. A hung engine uses no processor time.
 */
export class Liveness {
  readonly #probe: LivenessProbe;
  readonly #clock: Clock;
  #pending: Promise<void> | undefined;
  /** Time of the ping that the engine has not answered yet. */
  #since = 0;

  constructor(probe: LivenessProbe) {
    this.#probe = probe;
    this.#clock = probe.clock ?? systemClock;
  }

  /** Resolves once the engine has answered or was busy for a moment; never while it hangs. */
  alive(): Promise<void> {
    if (this.#pending === undefined) {
      this.#since = this.#clock.now();
      const answered = (): void => {
        this.#pending = undefined;
      };
      this.#pending = this.#probe.ping().then(answered, answered);
    }
    const answer = this.#pending;
    return new Promise((resolve) => {
      let used = this.#probe.processorMs();
      let alarm: Alarm | undefined;
      const check = (): void => {
        const before = used;
        used = this.#probe.processorMs();
        const isBusy = used - before >= busyShare * checkIntervalMs;
        if (isBusy && this.#clock.now() - this.#since < maxBusyMs) resolve();
        else alarm = this.#clock.after(checkIntervalMs, check, false);
      };
      alarm = this.#clock.after(checkIntervalMs, check, false);
      detached(
        answer.then(() => {
          alarm?.cancel();
          resolve();
        }),
      );
    });
  }
}

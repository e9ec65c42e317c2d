import { type Alarm, type Clock, systemClock } from '../async/clock.js';
import { type Batch, type ByteBlock, batchFrom } from '../model/batch.js';
import type { Delivery } from '../model/delivery.js';
import { backOffMs } from '../text/duration.js';

const firstDelayMs = 100;
const maxDelayMs = 5_000;

/**
 * How long to wait before the attempt after the one numbered `attempt` (from 1): twice as long each time, plus jitter.
 */
export function delayMs(attempt: number): number {
  return backOffMs(attempt, firstDelayMs, maxDelayMs) * (0.5 + Math.random() / 2);
}

/**
 * Tries failed writes again for senders that cannot. A batch keeps its credit meanwhile, so an outage stalls its source
 * instead of filling memory. A rejected batch is final; after {@link Retries.stop} so is every ending.
 */
export class Retries {
  readonly #again: (batch: Batch<ByteBlock>) => void;
  readonly #clock: Clock;
  /** Batches that wait for their next attempt, with what they end with if there is none. */
  readonly #waiting = new Map<Alarm, () => void>();
  #stopped = false;

  /** `again` lets a batch enter the pipeline once more. */
  constructor(again: (batch: Batch<ByteBlock>) => void, clock: Clock = systemClock) {
    this.#again = again;
    this.#clock = clock;
  }

  /** Batches that wait for their next attempt. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The batch, settled only once it is stored or can never be. */
  wrap(batch: Batch<ByteBlock>, attempt = 1): Batch<ByteBlock> {
    return batchFrom(batch, batch.target, (delivery) => {
      if (delivery.outcome === 'failed' && !this.#stopped) this.#wait(batch, attempt, delivery);
      else batch.settle(delivery);
    });
  }

  /** Ends all waiting; what waits ends as its last attempt did. */
  stop(): void {
    this.#stopped = true;
    for (const [alarm, end] of this.#waiting) {
      alarm.cancel();
      end();
    }
    this.#waiting.clear();
  }

  #wait(batch: Batch<ByteBlock>, attempt: number, delivery: Delivery): void {
    const alarm = this.#clock.after(delayMs(attempt), () => {
      this.#waiting.delete(alarm);
      this.#again(this.wrap(batch, attempt + 1));
    });
    this.#waiting.set(alarm, () => batch.settle(delivery));
  }
}

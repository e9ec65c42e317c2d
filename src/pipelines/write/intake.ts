import { type MonoTypeOperatorFunction, map, type Observable } from 'rxjs';
import { stage } from '../../async/stage.js';
import { type Batch, batchFrom, type Payload } from '../../model/batch.js';
import type { CreditGate } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';

/** Takes the bytes of each batch out of a credit, and gives them back when the batch is settled. */
export function withCredit<P extends Payload>(
  gate: Pick<CreditGate, 'take' | 'give'>,
): MonoTypeOperatorFunction<Batch<P>> {
  return map((batch) => {
    const { bytes } = batch;
    gate.take(bytes);
    return batchFrom(batch, batch.target, (delivery: Delivery) => {
      gate.give(bytes);
      batch.settle(delivery);
    });
  });
}

/**
 * Holds batches back while `paused$` is true, and passes them on in their order once it is false. Sources read nothing
 * during a pause, so that what waits here is what each of their connections had read before.
 */
export function pausedWhile<P extends Payload>(paused$: Observable<boolean>): MonoTypeOperatorFunction<Batch<P>> {
  return stage(({ next, fail }) => {
    let isPaused = false;
    let held: Batch<P>[] = [];
    const release = (): void => {
      const batches = held;
      held = [];
      for (const batch of batches) next(batch);
    };
    const subscription = paused$.subscribe({
      next: (value) => {
        isPaused = value;
        if (!isPaused) release();
      },
      error: fail,
    });
    return {
      take: (batch) => {
        if (isPaused) held.push(batch);
        else next(batch);
      },
      finish: release,
      stop: () => subscription.unsubscribe(),
    };
  });
}

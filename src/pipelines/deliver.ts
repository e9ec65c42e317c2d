import { map, mergeMap, type Observable, type OperatorFunction } from 'rxjs';
import type { Batch, Payload } from '../model/batch.js';
import type { Sink } from '../model/component.js';
import type { Delivery } from '../model/delivery.js';
import { Codes, fault } from '../model/fault.js';

/**
 * Writes every batch and settles it: the only caller of `settle` after a write. How many writes run at once is decided
 * upstream. A sink that throws has a defect: the batch fails, the pipeline lives.
 */
export function deliver<P extends Payload>(sink: Sink<P>, timeoutMs: number): OperatorFunction<Batch<P>, Delivery> {
  return (source: Observable<Batch<P>>) =>
    source.pipe(
      mergeMap((batch) =>
        sink.write(batch, AbortSignal.timeout(timeoutMs)).then(
          (delivery) => ({ batch, delivery }),
          (error: unknown) => ({ batch, delivery: failed(error) }),
        ),
      ),
      map(({ batch, delivery }) => {
        batch.settle(delivery);
        return delivery;
      }),
    );
}

function failed(error: unknown): Delivery {
  return { outcome: 'failed', fault: fault('database', Codes.free, 'The write failed unexpectedly', error) };
}

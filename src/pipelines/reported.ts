import { type MonoTypeOperatorFunction, map } from 'rxjs';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { Delivery } from '../model/delivery.js';
import type { LossLog } from '../sources/support/loss-log.js';

/** What became of what a listener took, since the start. */
export interface Outcomes {
  storedRows: number;
  /** Rows that were bad. */
  rejectedRows: number;
  /** Batches that could not be stored at all. */
  lostBatches: number;
}

/** Counts and logs how batches end whose senders are never told. */
export function reported(losses: LossLog, outcomes: Outcomes): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  const count = (delivery: Delivery): void => {
    if (delivery.outcome === 'delivered') {
      const { rows, rejectedRows, rejects } = delivery;
      outcomes.storedRows += rows;
      outcomes.rejectedRows += rejectedRows;
      const [first] = rejects;
      if (first !== undefined)
        losses.add('warn', 'Rows were bad and are not stored.', rejectedRows, first.fault.message);
    } else if (delivery.outcome !== 'shed') {
      outcomes.lostBatches++;
      losses.add('error', 'A batch could not be stored.', 1, delivery.fault.message);
    }
  };
  return map((batch) => ({
    ...batch,
    settle: (delivery) => {
      count(delivery);
      batch.settle(delivery);
    },
  }));
}

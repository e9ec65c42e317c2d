import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { isDenied } from '../database/catalogue/rights.js';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { Delivery } from '../model/delivery.js';
import type { Fault } from '../model/fault.js';
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
  const count = (batch: Batch<ByteBlock>, delivery: Delivery): void => {
    if (delivery.outcome === 'delivered') {
      const { rows, rejectedRows, rejects } = delivery;
      outcomes.storedRows += rows;
      outcomes.rejectedRows += rejectedRows;
      const [first] = rejects;
      if (first !== undefined)
        losses.add('warn', 'Rows were bad and are not stored.', rejectedRows, first.fault.message);
    } else if (delivery.outcome !== 'shed') {
      outcomes.lostBatches++;
      losses.add('error', 'A batch could not be stored.', 1, lossReason(delivery.fault, batch));
    }
  };
  return map((batch) => ({
    ...batch,
    settle: (delivery) => {
      count(batch, delivery);
      batch.settle(delivery);
    },
  }));
}

/** Why a batch was lost; for a lack of rights, with the statements that mend it, for nobody else reads of it. */
function lossReason(fault: Fault, { target: { database, user } }: Batch<ByteBlock>): string {
  if (!isDenied(fault)) return fault.message;
  const name = `\`${database}\``;
  return `${fault.message}: user ${user}, database ${database}. As root: CREATE DATABASE IF NOT EXISTS ${name} PRECISION 'ns'; GRANT WRITE ON ${name}.* TO ${user}`;
}

import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { isDenied } from '../database/catalogue/rights.js';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { Delivery } from '../model/delivery.js';
import type { Fault } from '../model/fault.js';
import type { LossLog } from '../sources/support/loss-log.js';

/** Logs how batches end whose senders are never told. */
export function reported(losses: LossLog): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  const report = (batch: Batch<ByteBlock>, delivery: Delivery): void => {
    if (delivery.outcome === 'delivered') {
      const { rejectedRows, rejects } = delivery;
      const [first] = rejects;
      if (first !== undefined)
        losses.add('warn', 'Rows were bad and are not stored.', rejectedRows, first.fault.message);
    } else if (delivery.outcome !== 'shed') {
      losses.add('error', 'A batch could not be stored.', 1, lossReason(delivery.fault, batch));
    }
  };
  return map((batch) => ({
    ...batch,
    settle: (delivery) => {
      report(batch, delivery);
      batch.settle(delivery);
    },
  }));
}

/** Why a batch was lost; for a lack of rights, with the statements that mend it, because no sender is told. */
function lossReason(fault: Fault, { target: { database, user } }: Batch<ByteBlock>): string {
  if (!isDenied(fault)) return fault.message;
  const name = `\`${database}\``;
  return `${fault.message}: user ${user}, database ${database}. As root: CREATE DATABASE IF NOT EXISTS ${name} PRECISION 'ns'; GRANT WRITE ON ${name}.* TO ${user}`;
}

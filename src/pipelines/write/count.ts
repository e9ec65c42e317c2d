import { type MonoTypeOperatorFunction, map, tap } from 'rxjs';
import type { Openable, OpenList } from '../../async/open-list.js';
import { type Batch, batchFrom, type Payload } from '../../model/batch.js';
import type { WriteMeter } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';

/** Endings of batches that have come and have not ended. */
export type OpenBatches = OpenList<Openable & Pick<Batch, 'settle'>>;

/** Counts the bytes of payloads as they come. */
export function countReceived<P extends Payload>(meter: WriteMeter): MonoTypeOperatorFunction<Batch<P>> {
  return tap(({ origin, bytes }) => meter.received(origin, bytes));
}

/** Counts the rows of payloads as they end. */
export function countEnded<P extends Payload>(
  meter: WriteMeter,
  open: OpenBatches,
): MonoTypeOperatorFunction<Batch<P>> {
  return map((batch) => counted(batch, meter, open));
}

/**
 * X
 */
function counted<P extends Payload>(batch: Batch<P>, meter: WriteMeter, open: OpenBatches): Batch<P> {
  const { origin } = batch;
  const settle = (delivery: Delivery): void => {
    if (!open.delete(entry)) return;
    if (delivery.outcome === 'delivered') {
      meter.settled(origin, 'stored', delivery.rows);
      meter.settled(origin, 'rejected', delivery.rejectedRows);
    } else meter.settled(origin, delivery.outcome, Math.max(1, batch.rows));
    batch.settle(delivery);
  };
  const entry = { place: -1, settle };
  open.add(entry);
  return batchFrom(batch, batch.target, settle);
}

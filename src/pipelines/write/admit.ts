import type { MonoTypeOperatorFunction } from 'rxjs';
import { stage } from '../../async/stage.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { ensureWritable, isWritable } from '../../database/catalogue/ensure-database.js';
import { isDenied } from '../../database/catalogue/rights.js';
import { isStaleSchema } from '../../database/store/stale-schema.js';
import { type Batch, type ByteBlock, batchFrom, targetAt } from '../../model/batch.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, faultOf } from '../../model/fault.js';
import { unread } from './stamp.js';

/** How often a payload is read because drops by other processes overtake it. */
const maxReadings = 3;

/**
 * Lets in the payloads whose user may write to their database, which is looked for or made where it is not known;
 * others end here. It notes what the catalogue is like as a payload is read: a payload whose schema a drop made stale
 * is read again.
 */
export function admit(catalogue: Catalogue): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return stage(({ next, work }) => {
    const ensured = async (batch: Batch<ByteBlock>, count: number): Promise<void> => {
      const { database: name, createDatabase: create, user } = batch.target;
      try {
        await ensureWritable(catalogue, { name, create, user });
      } catch (error) {
        batch.settle(refusalOf(error));
        return;
      }
      next(reading(batch, count));
    };
    const reading = (batch: Batch<ByteBlock>, count: number): Batch<ByteBlock> => {
      const { target } = batch;
      const settle = (delivery: Delivery): void => {
        const isLost = delivery.outcome === 'failed' && isStaleSchema(delivery.fault);
        if (isLost && count < maxReadings) work(ensured(batch, count + 1));
        else batch.settle(delivery);
      };
      const { nowMicros } = target.reading ?? unread();
      const read = targetAt(target, { epoch: catalogue.epoch(target.database), nowMicros });
      // The first reading has counted its rows by kind.
      return batchFrom(batch, count === 1 ? read : { ...read, tally: undefined }, settle);
    };
    return {
      take: (batch) => {
        const { database: name, user } = batch.target;
        if (isWritable(catalogue, { name, user })) next(reading(batch, 1));
        else work(ensured(batch, 1));
      },
    };
  });
}

function refusalOf(error: unknown): Delivery {
  const failure = faultOf(error);
  const isMissing = failure.code === Codes.databaseNotExist || isDenied(failure);
  return { outcome: isMissing ? 'rejected' : 'failed', fault: failure };
}

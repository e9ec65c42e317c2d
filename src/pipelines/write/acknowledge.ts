import { type MonoTypeOperatorFunction, map } from 'rxjs';
import type { Acknowledgement, Batch, RowSet } from '../../model/batch.js';

/**
 * Takes the payload off rows that are acknowledged once they are stored: they are not logged. `usual` is for writes
 * that do not say when.
 */
export function acknowledge(usual: Acknowledgement): MonoTypeOperatorFunction<Batch<RowSet>> {
  return map((batch) => {
    if ((batch.target.ack ?? usual) === 'logged') return batch;
    const { text, ...payload } = batch.payload;
    return text === undefined ? batch : { ...batch, payload };
  });
}

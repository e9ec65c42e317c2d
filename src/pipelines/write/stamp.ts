import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { nowMicros } from '../../async/clock.js';
import { type Batch, type ByteBlock, batchFrom, type Reading, targetAt } from '../../model/batch.js';

/**
 * Rows without a time have the time of their arrival, however often and late the text is read, so that none is stored
 * twice.
 */
export function stamp(): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return map((batch) => batchFrom(batch, targetAt(batch.target, batch.target.reading ?? unread())));
}

/** The reading of a payload that comes now and is not parsed yet. */
export function unread(): Reading {
  return { epoch: 0, nowMicros: nowMicros() };
}

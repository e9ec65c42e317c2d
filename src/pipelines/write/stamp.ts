import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { type Batch, type ByteBlock, batchFrom, type Reading, targetAt } from '../../model/batch.js';
import { type DatabaseDef, daysInTicks, lastTick, ticksPerSecond } from '../../model/schema.js';
import type { TimeRange } from '../../sql/plan/insert-select.js';

/** Rows without a time have the time of their arrival, however often the text is read, so that none is stored twice. */
export function stamp(): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return map((batch) => batchFrom(batch, targetAt(batch.target, unread())));
}

/** A text that nobody has looked at, as of now. */
export function unread(): Reading {
  return { epoch: 0, nowMicros: nowMicros() };
}

/** How far the monotonic clock may be from the system's before it is set anew. */
const maxClockErrorMs = 2;
let clockOriginMs = performance.timeOrigin;

/** Unix microseconds: the fine steps of the monotonic clock, which alone would not follow when the system's is set. */
export function nowMicros(): bigint {
  const elapsedMs = performance.now();
  const systemMs = Date.now();
  if (Math.abs(clockOriginMs + elapsedMs - systemMs) > maxClockErrorMs) clockOriginMs = systemMs - elapsedMs;
  return BigInt(Math.round((clockOriginMs + elapsedMs) * 1000));
}

/** Now, or another time in Unix microseconds, in ticks of a database. */
export function nowTicks({ precision }: DatabaseDef, micros = nowMicros()): bigint {
  return (micros * BigInt(ticksPerSecond(precision) / 1000)) / 1000n;
}

/** First and last tick that a row of a database may have now, or at another time. */
export function storableTimes(database: DatabaseDef, now = nowTicks(database)): TimeRange {
  return { min: now - daysInTicks(database.keepDays, database.precision), max: lastTick(database.precision) };
}

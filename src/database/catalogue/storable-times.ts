import { nowMicros } from '../../async/clock.js';
import { type DatabaseDef, daysInTicks, lastTick, ticksPerSecond } from '../../model/schema.js';
import type { TimeRange } from '../../sql/plan/insert-select.js';

/** Now, or another time in Unix microseconds, in ticks of a database. */
export function nowTicks({ precision }: DatabaseDef, micros = nowMicros()): bigint {
  return (micros * BigInt(ticksPerSecond(precision) / 1000)) / 1000n;
}

/** The first tick of a timestamp; KEEP may reach back behind it. */
const firstTick = -(2n ** 63n);

/** First and last tick that a row of a database may have now, or at another time. */
export function storableTimes(database: DatabaseDef, now = nowTicks(database)): TimeRange {
  const oldest = now - daysInTicks(database.keepDays, database.precision);
  return { min: oldest < firstTick ? firstTick : oldest, max: lastTick(database.precision) };
}

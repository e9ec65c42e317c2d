import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { calendarToTicks, ticksToCalendar } from '../engine/storage.js';
import { zoneOffsets } from '../times/zone.js';

const secondsPerDay = 86400;

/**
 * Seconds east of UTC at `ticks` in a zone, as engine SQL. Behind a day that the zone left out to cross the date line, the
 * engine's own figure is a day too low.
 */
function offsetSeconds(ticks: string, precision: Precision, zone: string): string {
  const offset = `timezoneOffset(${ticksToCalendar(ticks, precision, zone)})`;
  const skipped = zoneOffsets(zone).skippedDay;
  if (skipped === undefined) return offset;
  return `(${offset} + if(${ticks} >= ${skipped * ticksPerSecond(precision)}, ${secondsPerDay}, 0))`;
}

/** The offset in force at `ticks` in a zone, as `+hhmm`: engine SQL. */
export function offsetText(ticks: string, precision: Precision, zone: string): string {
  if (zoneOffsets(zone).skippedDay === undefined) {
    return `formatDateTime(${ticksToCalendar(ticks, precision, zone)}, '%z')`;
  }
  const minutes = `intDiv(${offsetSeconds(ticks, precision, zone)}, 60)`;
  const digits = (number: string): string => `leftPad(toString(${number}), 2, '0')`;
  const [hours, rest] = [`intDiv(abs(${minutes}), 60)`, `abs(${minutes}) % 60`];
  return `concat(if(${minutes} < 0, '-', '+'), ${digits(hours)}, ${digits(rest)})`;
}

/** ISO 8601 in a zone, with the digits of the precision and the offset in force as `+hhmm`: engine SQL. */
export function isoTime(ticks: string, precision: Precision, zone: string): string {
  const calendar = ticksToCalendar(ticks, precision, zone);
  const format = '%Y-%m-%dT%H:%i:%S.%f';
  if (zoneOffsets(zone).skippedDay === undefined) return `formatDateTime(${calendar}, '${format}%z')`;
  return `concat(formatDateTime(${calendar}, '${format}'), ${offsetText(ticks, precision, zone)})`;
}

/**
 * Ticks moved by calendar months in a zone, as engine SQL. The local time of day stays; one that the clock skips there is
 * read with the offset that held before.
 */
export function shiftMonths(ticks: string, months: number, precision: Precision, zone: string): string {
  const moved = `addMonths(${ticksToCalendar(ticks, precision, zone)}, ${months})`;
  if (zoneOffsets(zone).isFixed) return calendarToTicks(moved, precision);
  // The engine reads a skipped time with the offset behind it, and comes to an instant before the change.
  const offset = (at: string): string => `${offsetSeconds(at, precision, zone)} * ${ticksPerSecond(precision)}`;
  const local = ticksToCalendar(`(${ticks} + ${offset(ticks)})`, precision, 'UTC');
  const movedLocal = calendarToTicks(`addMonths(${local}, ${months})`, precision);
  return `(${movedLocal} - ${offset(calendarToTicks(moved, precision))})`;
}

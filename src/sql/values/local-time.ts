import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { calendarToTicks, ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { zoneOffsets } from '../times/zone.js';

const secondsPerDay = 86400;

/**
 * Seconds east of UTC at `ticks` in a zone, as engine SQL. Behind a day that the zone left out to cross the date line,
 * the engine's own result is a day too low.
 */
export function offsetSeconds(ticks: Expr, precision: Precision, zone: string): Expr {
  const offset = expr`timezoneOffset(${ticksToCalendar(ticks, precision, zone)})`;
  const skipped = zoneOffsets(zone).skippedDay;
  if (skipped === undefined) return offset;
  return expr`(${offset} + if(${ticks} >= ${skipped * ticksPerSecond(precision)}, ${secondsPerDay}, 0))`;
}

/** The offset in force at `ticks` in a zone, as `+hhmm`: engine SQL. */
export function offsetText(ticks: Expr, precision: Precision, zone: string): Expr {
  if (zoneOffsets(zone).skippedDay === undefined) {
    return expr`formatDateTime(${ticksToCalendar(ticks, precision, zone)}, '%z')`;
  }
  const minutes = expr`intDiv(${offsetSeconds(ticks, precision, zone)}, 60)`;
  const digits = (number: Expr): Expr => expr`leftPad(toString(${number}), 2, '0')`;
  const [hours, rest] = [expr`intDiv(abs(${minutes}), 60)`, expr`abs(${minutes}) % 60`];
  return expr`concat(if(${minutes} < 0, '-', '+'), ${digits(hours)}, ${digits(rest)})`;
}

/** ISO 8601 in a zone, with the digits of the precision and the offset in force as `+hhmm`: engine SQL. */
export function isoTime(ticks: Expr, precision: Precision, zone: string): Expr {
  const calendar = ticksToCalendar(ticks, precision, zone);
  const format = '%Y-%m-%dT%H:%i:%S.%f';
  if (zoneOffsets(zone).skippedDay === undefined) return expr`formatDateTime(${calendar}, ${text(`${format}%z`)})`;
  return expr`concat(formatDateTime(${calendar}, ${text(format)}), ${offsetText(ticks, precision, zone)})`;
}

/**
 * Ticks moved by calendar months in a zone, as engine SQL. The local time of day stays; one that the clock skips there
 * is read with the offset that held before.
 */
export function shiftMonths(ticks: Expr, months: number, precision: Precision, zone: string): Expr {
  const moved = expr`addMonths(${ticksToCalendar(ticks, precision, zone)}, ${months})`;
  if (zoneOffsets(zone).isFixed) return calendarToTicks(moved, precision);
  // The engine reads a skipped time with the offset behind it, and comes to an instant before the change.
  const offset = (at: Expr): Expr => expr`${offsetSeconds(at, precision, zone)} * ${ticksPerSecond(precision)}`;
  const local = ticksToCalendar(expr`(${ticks} + ${offset(ticks)})`, precision, 'UTC');
  const movedLocal = calendarToTicks(expr`addMonths(${local}, ${months})`, precision);
  return expr`(${movedLocal} - ${offset(calendarToTicks(moved, precision))})`;
}

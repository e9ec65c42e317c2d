import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { fractionDigits } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { zoneOffsets } from '../times/zone.js';
import { offsetSeconds } from './local-time.js';

/** Year, month, day, hour, minute, second, fraction and zone of a time, as `TimestampReader` reads them. */
const form = String.raw`^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?([Zz]|[-+]\d{2}(?::?\d{2})?)?)?$`;

/** Years that are added so that no year is below zero; the calendar repeats itself after them. */
const cycleYears = 400;
const cycleDays = 146097;
/** Days from the first of March of the year 0 to the epoch. */
const epochDay = 719468;
const secondsPerDay = 86400;
const endOfZones = 15 * 3600;

/**
 * Ticks of texts of rows, as engine SQL: the times that `parseTimestamp` reads of a literal, and NULL for every other
 * text. `zone` (an IANA name) is where text without a zone of its own is local.
 */
export function ticksOfText(source: Expr, precision: Precision, zone: string): Expr {
  const part = (at: number): Expr => expr`toInt64OrZero(arrayElement(g, ${at}))`;
  const [year, month, day] = [part(1), part(2), part(3)];
  const secondOfDay = expr`${part(4)} * 3600 + ${part(5)} * 60 + ${part(6)}`;
  const local = expr`${daysOf(year, month, day)} * ${secondsPerDay} + ${secondOfDay}`;
  const written = expr`arrayElement(g, 8)`;
  const minutes = expr`if(length(${written}) > 3, toInt64OrZero(right(${written}, 2)), 0)`;
  const distance = expr`toInt64OrZero(substring(${written}, 2, 2)) * 3600 + ${minutes} * 60`;
  const east = expr`if(startsWith(${written}, '-'), negate(${distance}), ${distance})`;
  const seconds = expr`if(${written} = '', ${utcOf(expr`l`, zone)}, l - ${east})`;
  const fraction = expr`toInt64OrZero(substring(concat(arrayElement(g, 7), '000000000'), 1, ${fractionDigits(precision)}))`;
  const ticks = expr`accurateCastOrNull(toInt128(${seconds}) * ${ticksPerSecond(precision)} + ${fraction}, 'Int64')`;
  const isTime = expr`and(${isDate(year, month, day)}, ${part(4)} < 24, ${part(5)} < 60, ${part(6)} < 60, ${minutes} < 60, ${distance} < ${endOfZones})`;
  const ofParts = expr`arrayElement(arrayMap(l -> if(${isTime}, ${ticks}, NULL), [${local}]), 1)`;
  const parts = expr`extractGroups(ifNull(${source}, ''), ${text(form)})`;
  return expr`arrayElement(arrayMap(g -> ${ofParts}, [${parts}]), 1)`;
}

function isDate(year: Expr, month: Expr, day: Expr): Expr {
  const isLeap = expr`and(${year} % 4 = 0, or(${year} % 100 != 0, ${year} % 400 = 0))`;
  const length = expr`multiIf(${month} = 2, 28 + ${isLeap}, in(${month}, (4, 6, 9, 11)), 30, 31)`;
  return expr`and(${month} >= 1, ${month} <= 12, ${day} >= 1, ${day} <= ${length})`;
}

/** Days since 1970-01-01 of a date; years begin in March here, so that a leap day is the last of its year. */
function daysOf(year: Expr, month: Expr, day: Expr): Expr {
  const years = expr`(${year} + ${cycleYears} - if(${month} <= 2, 1, 0))`;
  const leapDays = expr`intDiv(${years}, 4) - intDiv(${years}, 100) + intDiv(${years}, 400)`;
  const months = expr`(${month} + if(${month} <= 2, 9, -3))`;
  return expr`(${years} * 365 + ${leapDays} + intDiv(${months} * 153 + 2, 5) + ${day} - ${1 + epochDay + cycleDays})`;
}

/** Unix seconds of a local time in seconds, as `ZoneOffsets.toUtc` finds them. */
function utcOf(local: Expr, zone: string): Expr {
  const offsets = zoneOffsets(zone);
  if (offsets.isFixed) return expr`(${local} - ${offsets.offsetAt(0)})`;
  const offsetAt = (seconds: Expr): Expr => offsetSeconds(expr`(${seconds}) * 1000`, 'ms', zone);
  const before = offsetAt(expr`${local} - ${secondsPerDay}`);
  const after = offsetAt(expr`${local} + ${secondsPerDay}`);
  const [early, late] = [expr`${local} - ${before}`, expr`${local} - ${after}`];
  const isLate = expr`and(${offsetAt(early)} != ${before}, ${offsetAt(late)} = ${after})`;
  return expr`if(${isLate}, ${late}, ${early})`;
}

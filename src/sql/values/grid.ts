import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { call, int64, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { calendarToTicks, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { addMonthsToDay, civilFromDays, daysFromCivil } from '../times/calendar.js';
import { addDuration } from '../times/timestamp.js';
import { zoneOffsets } from '../times/zone.js';
import { floorDivide, remainder } from './convert.js';
import { shiftMonths } from './local-time.js';

const secondsPerDay = 86400;

/**
 * A division of time into cells that are numbered: cell 0 begins at the epoch, moved by `shift` ticks. `step` counts
 * ticks, local days or calendar months; days and months begin at midnight in `zone`.
 */
export interface Grid {
  readonly unit: 'ticks' | 'days' | 'months';
  readonly step: bigint;
  readonly shift: bigint;
  /** Days or months by which the numbering is moved. */
  readonly phase: bigint;
  /** Local days by which cells of days or months begin later: a month may begin on the sixth, a week on Monday. */
  readonly dayShift: bigint;
  readonly precision: Precision;
  readonly zone: string;
}

/** The start of the cell that holds `ticks`, as engine SQL. */
export function cellStart(grid: Grid, ticks: Expr): Expr {
  if (grid.unit !== 'ticks') return startOfCell(grid, cellNumber(grid, ticks));
  const moved = movedBack(grid, ticks);
  return expr`(${ticks} - ${remainder(moved, grid.step)})`;
}

/** The number of the cell that holds `ticks`, as engine SQL of type Int64. */
export function cellNumber(grid: Grid, ticks: Expr): Expr {
  const moved = movedBack(grid, ticks);
  if (grid.unit === 'ticks') return floorDivide(moved, grid.step);
  return cellOfCount(grid, unitCount(grid, moved));
}

function movedBack({ shift }: Grid, ticks: Expr): Expr {
  return shift === 0n ? ticks : expr`(${ticks} - ${shift})`;
}

/** Local days since 1970-01-01, or calendar months since 1970-01, at `ticks`. */
function unitCount(grid: Grid, ticks: Expr): Expr {
  const today = expr`toDate32(${ticksToCalendar(ticks, grid.precision, grid.zone)})`;
  const date = grid.dayShift === 0n ? today : expr`subtractDays(${today}, ${grid.dayShift})`;
  return grid.unit === 'days'
    ? expr`toInt64(toInt32(${date}))`
    : expr`toInt64(toYear(${date}) * 12 + toMonth(${date}) - ${1970 * 12 + 1})`;
}

function cellOfCount(grid: Grid, count: Expr): Expr {
  const moved = grid.phase === 0n ? count : expr`(${count} - ${grid.phase})`;
  return grid.step === 1n ? moved : floorDivide(moved, grid.step);
}

/** Where a cell begins, in ticks, as engine SQL; `number` is engine SQL too. */
export function startOfCell(grid: Grid, number: Expr): Expr {
  const stepped = grid.step === 1n ? number : expr`(${number} * ${grid.step})`;
  return startOfCount(grid, grid.phase === 0n ? stepped : expr`(${stepped} + ${grid.phase})`);
}

/**
 * Where the tick, the local day or the calendar month with a number begins, in ticks; the inverse of {@link unitCount}.
 */
function startOfCount(grid: Grid, count: Expr): Expr {
  const shifted = (sql: Expr): Expr => (grid.shift === 0n ? sql : expr`(${sql} + ${grid.shift})`);
  if (grid.unit === 'ticks') return shifted(count);
  const add = grid.unit === 'days' ? 'addDays' : 'addMonths';
  const begin = call(add, expr`toDate32('1970-01-01')`, count);
  const date = grid.dayShift === 0n ? begin : expr`addDays(${begin}, ${grid.dayShift})`;
  const midnight = expr`toDateTime64(${date}, ${fractionDigits(grid.precision)}, ${text(grid.zone)})`;
  return shifted(calendarToTicks(midnight, grid.precision));
}

/**
 * The first tick after a span of `length` units that begins with a cell, as engine SQL. It is the start of the cell
 * there, so that spans meet each other also at a midnight that the clock skips.
 */
export function endOfSpan(grid: Grid, start: Expr, length: bigint): Expr {
  if (grid.unit === 'ticks') return expr`(${start} + ${length})`;
  return startOfCount(grid, expr`(${unitCount(grid, movedBack(grid, start))} + ${length})`);
}

/**
 * The first tick after the calendar months that begin with a cell, as engine SQL. Behind a cell of days it is where a
 * day begins; behind one of ticks the local time of day stays.
 */
export function endOfMonths(grid: Grid, start: Expr, months: bigint): Expr {
  if (grid.unit === 'ticks') return shiftMonths(start, Number(months), grid.precision, grid.zone);
  const days: Grid = { ...grid, unit: 'days', dayShift: 0n };
  const first = expr`addDays(toDate32('1970-01-01'), ${unitCount(days, movedBack(grid, start))})`;
  return startOfCount(days, expr`toInt64(toInt32(addMonths(${first}, ${months})))`);
}

/** The same of the cell with a number, in ticks. */
export function endOfMonthsAt(grid: Grid, number: bigint, months: bigint): bigint {
  const start = startOfCellAt(grid, number);
  if (grid.unit === 'ticks') return addDuration(start, { count: Number(months), unit: 'n' }, grid.precision, grid.zone);
  const days: Grid = { ...grid, unit: 'days', step: 1n, phase: 0n, dayShift: 0n };
  return startOfCellAt(days, BigInt(addMonthsToDay(Number(cellNumberAt(days, start)), Number(months))));
}

/** The number of the cell that is a day which the zone left out, and so begins and ends with the next one. */
export function emptyCell({ unit, step, phase, dayShift, zone }: Grid): bigint | undefined {
  const { skippedDay } = zoneOffsets(zone);
  if (skippedDay === undefined || unit !== 'days' || step !== 1n) return undefined;
  const next = Math.floor((skippedDay + zoneOffsets(zone).offsetAt(skippedDay)) / secondsPerDay);
  return BigInt(next - 1) - dayShift - phase;
}

/**
 * The starts of all spans of `length` units, one beginning with every cell, that hold `ticks`: an array as engine SQL,
 * newest first. `length` counts what the grid's step counts.
 */
export function coveringStarts(grid: Grid, ticks: Expr, length: bigint): Expr {
  if (grid.unit === 'ticks') {
    return expr`range(${cellStart(grid, ticks)}, ${ticks} - ${length}, ${int64(-grid.step)})`;
  }
  const moved = movedBack(grid, ticks);
  const count = unitCount(grid, moved);
  const numbers = expr`range(${cellOfCount(grid, count)}, ${cellOfCount(grid, expr`(${count} - ${length})`)}, toInt64(-1))`;
  const starts = expr`arrayMap(n -> ${startOfCell(grid, expr`n`)}, ${numbers})`;
  // A day that the zone left out begins with the next one.
  return zoneOffsets(grid.zone).skippedDay === undefined ? starts : expr`arrayDistinct(${starts})`;
}

/** The number of the cell that holds an instant known at plan time. */
export function cellNumberAt(grid: Grid, ticks: bigint): bigint {
  return floorBig(unitCountAt(grid, ticks) - grid.phase, grid.step);
}

/** The number of the first of the spans of {@link coveringStarts} that holds an instant. */
export function firstCoveringAt(grid: Grid, ticks: bigint, length: bigint): bigint {
  return floorBig(unitCountAt(grid, ticks) - length - grid.phase, grid.step) + 1n;
}

/** Ticks, local days or calendar months from where the grid begins to an instant. */
function unitCountAt(grid: Grid, ticks: bigint): bigint {
  const moved = ticks - grid.shift;
  if (grid.unit === 'ticks') return moved;
  const seconds = Number(floorBig(moved, BigInt(ticksPerSecond(grid.precision))));
  const today = Math.floor((seconds + zoneOffsets(grid.zone).offsetAt(seconds)) / secondsPerDay);
  const days = today - Number(grid.dayShift);
  if (grid.unit === 'days') return BigInt(days);
  const { year, month } = civilFromDays(days);
  return BigInt((year - 1970) * 12 + month - 1);
}

/** Where a cell begins, in ticks. */
export function startOfCellAt(grid: Grid, number: bigint): bigint {
  const count = number * grid.step + grid.phase;
  if (grid.unit === 'ticks') return count + grid.shift;
  const first = grid.unit === 'days' ? Number(count) : dayOfMonthNumber(Number(count));
  const days = first + Number(grid.dayShift);
  const seconds = zoneOffsets(grid.zone).toUtc(days * secondsPerDay);
  return BigInt(seconds) * BigInt(ticksPerSecond(grid.precision)) + grid.shift;
}

function dayOfMonthNumber(months: number): number {
  const year = Math.floor(months / 12);
  return daysFromCivil(1970 + year, months - year * 12 + 1, 1);
}

/** Quotient rounded down. */
function floorBig(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

/** True when local days of a zone are days of UTC, so that plain arithmetic finds them. */
export function isUtc(zone: string): boolean {
  return /^(etc\/)?(utc|gmt|z)$/i.test(zone);
}

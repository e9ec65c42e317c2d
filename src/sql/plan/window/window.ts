import { Codes } from '../../../model/fault.js';
import { type Precision, ticksPerSecond } from '../../../model/schema.js';
import type { Expr } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import type { Duration, WindowClause, WindowLength } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { zoneOffsets } from '../../times/zone.js';
import { monthsOf } from '../../values/arithmetic.js';
import { refuse } from '../../values/context.js';
import {
  cellNumberAt,
  cellStart,
  coveringStarts,
  endOfMonths,
  endOfMonthsAt,
  endOfSpan,
  firstCoveringAt,
  type Grid,
  isUtc,
  startOfCellAt,
} from '../../values/grid.js';
import type { TimeBounds } from '../../values/value.js';

type IntervalClause = Extract<WindowClause, { kind: 'interval' }>;

/** The windows of an INTERVAL clause. */
export interface IntervalWindows {
  /** Where windows begin: one in every cell. */
  readonly grid: Grid;
  /** The start of the window that holds `ticks`; with SLIDING one row per window. */
  startOf(ticks: Expr): Expr;
  /** The first tick after a window. */
  endOf(start: Expr): Expr;
  /** The number of the first window that holds an instant. */
  firstAt(ticks: bigint): bigint;
}

/** A length in the unit its grid counts in. */
interface Span {
  readonly unit: Grid['unit'];
  readonly count: bigint;
}

/** Reads an INTERVAL clause; `zone` gives midnight, month and year. Checks lengths, sliding and offset. */
export function intervalWindows(
  clause: IntervalClause,
  precision: Precision,
  zone: string,
  bounds: TimeBounds | undefined,
): IntervalWindows {
  const span = spanOf(clause.length, precision, zone);
  if (span.count < 1n) throw refuse(Codes.intervalTooSmall, `Interval cannot be less than 1 ${precision}`);
  const sliding = clause.sliding === undefined ? span : spanOf(clause.sliding, precision, zone);
  if (span.unit === 'months' && clause.sliding !== undefined && sliding.unit !== 'months') {
    return monthsInSteps(clause, clause.sliding, span, { precision, zone, bounds });
  }
  const length = commonUnit(span, sliding, clause.length, precision);
  checkSliding(length, sliding);
  const grid = gridOf(clause, sliding, length, { precision, zone, bounds });
  const tumbling = clause.sliding === undefined || sliding.count === length.count;
  return {
    grid,
    startOf: (ticks) =>
      tumbling ? cellStart(grid, ticks) : expr`arrayJoin(${coveringStarts(grid, ticks, length.count)})`,
    endOf: (start) => endOfSpan(grid, start, length.count),
    firstAt: (ticks) => firstCoveringAt(grid, ticks, length.count),
  };
}

/** Days of a month at most, and one more for what clocks are set. */
const longestMonth = 32n;

/**
 * Windows of calendar months that begin at every step of days or of a fixed length: INTERVAL(1n) SLIDING(2w). They
 * begin at midnight of the zone, as windows of days do.
 */
function monthsInSteps(clause: IntervalClause, step: WindowLength, months: Span, place: Place): IntervalWindows {
  const { precision, zone } = place;
  const sliding = spanOf(step, precision, zone);
  const pace: Span = { unit: 'ticks', count: ticksOf(step, precision) ?? 0n };
  checkSliding({ unit: 'ticks', count: leastTicks(months, precision) }, pace);
  const grid = gridOf(clause, sliding, months, place);
  const longest = months.count * longestMonth * (sliding.unit === 'days' ? 1n : dayTicks(precision));
  const endOf = (start: Expr): Expr => endOfMonths(grid, start, months.count);
  return {
    grid,
    startOf: (ticks) => {
      const starts = coveringStarts(grid, ticks, longest);
      return expr`arrayJoin(arrayFilter(s -> ${endOf(expr`s`)} > ${ticks}, ${starts}))`;
    },
    endOf,
    firstAt: (ticks) => {
      let number = firstCoveringAt(grid, ticks, longest);
      while (endOfMonthsAt(grid, number, months.count) <= ticks) number += 1n;
      return number;
    },
  };
}

function ticksOf(length: WindowLength, precision: Precision): bigint | undefined {
  return isDuration(length) ? durationTicks(length, precision) : length.ticks;
}

function isDuration(length: WindowLength): length is Duration {
  return 'unit' in length;
}

function spanOf(length: WindowLength, precision: Precision, zone: string): Span {
  if (!isDuration(length)) return { unit: 'ticks', count: length.ticks };
  if (length.unit === 'n' || length.unit === 'y') return { unit: 'months', count: BigInt(monthsOf(length)) };
  const days = isUtc(zone) ? undefined : daysOf(length);
  if (days !== undefined) return { unit: 'days', count: days };
  return { unit: 'ticks', count: durationTicks(length, precision) ?? 0n };
}

/** The window's length in the unit of the sliding step; a day that slides by hours is 24 of them. */
function commonUnit(span: Span, sliding: Span, length: WindowLength, precision: Precision): Span {
  if (span.unit === sliding.unit) return span;
  const ticks = ticksOf(length, precision);
  if (sliding.unit !== 'ticks' || ticks === undefined) throw slidingTooLarge();
  return { unit: 'ticks', count: ticks };
}

function slidingTooLarge(): Error {
  return refuse(Codes.slidingTooLarge, 'sliding value no larger than the interval value');
}

function checkSliding(length: Span, sliding: Span): void {
  if (sliding.count > length.count) throw slidingTooLarge();
  if (sliding.count < 1n || sliding.count * 100n < length.count) {
    throw refuse(Codes.slidingTooSmall, 'sliding value can not less than 1% of interval value');
  }
}

/** Where a grid is laid. */
interface Place {
  readonly precision: Precision;
  readonly zone: string;
  readonly bounds: TimeBounds | undefined;
}

function gridOf(clause: IntervalClause, sliding: Span, length: Span, { bounds, ...place }: Place): Grid {
  const { precision } = place;
  const shift = localShift(clause, sliding, place);
  const grid = { unit: sliding.unit, step: sliding.count, shift, phase: 0n, dayShift: 0n, ...place };
  const { offset } = clause;
  if (offset === undefined) return grid;
  if (offset === 'AUTO') return bounds?.low === undefined ? grid : gridFrom(grid, bounds.low);
  const span = spanOf(offset, precision, 'UTC');
  if (span.count < 0n) throw refuse(Codes.offsetNegative, 'Interval offset cannot be negative');
  if (leastTicks(span, precision) >= leastTicks(length, precision)) {
    throw refuse(Codes.offsetTooLong, 'Interval offset should be shorter than interval');
  }
  // Days of the calendar are not always 24 hours long.
  const days = isDuration(offset) ? daysOf(offset) : undefined;
  if (days !== undefined && grid.unit !== 'ticks') return { ...grid, dayShift: days };
  if (span.unit !== 'months') return { ...grid, shift: shift + span.count };
  if (grid.unit !== 'months') throw refuse(Codes.offsetTooLong, 'Interval offset should be shorter than interval');
  return { ...grid, phase: span.count };
}

/** The grid of which a cell begins at an instant: on its day of the month, and at its time of day. */
function gridFrom(grid: Grid, first: bigint): Grid {
  if (grid.unit === 'ticks') return { ...grid, shift: first };
  const single = { ...grid, step: 1n };
  const number = cellNumberAt(single, first);
  const phase = ((number % grid.step) + grid.step) % grid.step;
  return { ...grid, phase, shift: first - startOfCellAt(single, number) };
}

/**
 * Days, weeks, months and years begin at midnight of the zone also where they slide by hours: at the midnight of
 * standard time, because the steps are of one length all year round.
 */
function localShift(
  { length }: IntervalClause,
  sliding: Span,
  { precision, zone }: Pick<Grid, 'precision' | 'zone'>,
): bigint {
  const isCalendar = isDuration(length) && durationTicks(length, precision) === undefined;
  const isOfDays = isDuration(length) && daysOf(length) !== undefined;
  if (sliding.unit !== 'ticks' || !(isCalendar || isOfDays) || isUtc(zone)) return 0n;
  return -BigInt(zoneOffsets(zone).standard) * BigInt(ticksPerSecond(precision));
}

function dayTicks(precision: Precision): bigint {
  return durationTicks({ count: 1, unit: 'd' }, precision) ?? 1n;
}

/** Ticks of a span, months taken at their shortest. */
function leastTicks(span: Span, precision: Precision): bigint {
  if (span.unit === 'ticks') return span.count;
  return span.count * dayTicks(precision) * (span.unit === 'days' ? 1n : 28n);
}

/** Days of a duration in d or w. */
function daysOf({ count, unit }: Duration): bigint | undefined {
  if (unit !== 'd' && unit !== 'w') return undefined;
  return BigInt(unit === 'w' ? count * 7 : count);
}

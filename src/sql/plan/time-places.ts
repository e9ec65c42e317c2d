import { isSmall } from '../engine/settings.js';
import { bareTime } from '../engine/storage.js';
import { chainTerms } from '../resolve/expression.js';
import type { Expression, Query, Span } from '../syntax/ast.js';
import { parseTimestamp } from '../times/timestamp.js';
import type { QueryPlan, TimeReading } from './query.js';
import type { KnownBounds, WindowRange } from './rows/block.js';
import { fillSteps } from './window/fill.js';
import { windowLimits } from './window/filled-arrays.js';

/** The times that limit a query, and everything else in its text. */
export interface TimePlaces {
  /** The text, with a mark for each time: the number of its digits, or that it was quoted. */
  readonly shape: string;
  /** Numbers in digits, and texts. */
  readonly times: readonly WrittenTime[];
  /** How many terms of the WHERE have no other limits than these. */
  readonly terms: number;
}

type WrittenTime = bigint | string;

/** Numbers with fewer digits are no times, or very old ones. */
const fewestDigits = 10;
const comparisons = new Set(['<', '<=', '>', '>=']);
/** How texts that are times begin. */
const timeText = /^\d{4}-\d/;
/** Columns with the limits of a query themselves. */
const showsLimits = /_q(?:start|end|duration)/i;

/**
 * The numbers and texts that limit the time of a plain query of one table, as dashboards ask with other times again and again. Undefined
 * where there are none, and where times decide about the plan itself: INTERP, joins, windows that begin where the query does.
 */
export function timePlaces(query: Query, text: string): TimePlaces | undefined {
  if (query.kind !== 'select' || query.from?.kind !== 'table' || query.where === undefined) return undefined;
  const { window } = query;
  if (window !== undefined && (window.kind !== 'interval' || window.offset === 'AUTO')) return undefined;
  if (query.range !== undefined || showsLimits.test(text)) return undefined;
  const terms = chainTerms(query.where, 'AND');
  const places = terms.flatMap(timesOf);
  if (places.length === 0) return undefined;
  places.sort((a, b) => a.start - b.start);
  const times: WrittenTime[] = [];
  let shape = '';
  let at = 0;
  for (const { start, end, value } of places) {
    const written = text.slice(start, end);
    if (written !== (typeof value === 'bigint' ? `${value}` : `'${value}'`)) return undefined;
    shape += `${text.slice(at, start)}#${typeof value === 'bigint' ? written.length : 'text'}#`;
    times.push(value);
    at = end;
  }
  return { shape: shape + text.slice(at), times, terms: terms.filter(hasTimesAlone).length };
}

/** A BETWEEN may have a time on one side, and something else on the other. */
function hasTimesAlone(term: Expression): boolean {
  return timesOf(term).length === (term.kind === 'between' ? 2 : 1);
}

interface Place extends Span {
  readonly value: WrittenTime;
}

function timesOf(term: Expression): readonly Place[] {
  const sides =
    term.kind === 'binary' && comparisons.has(term.operator)
      ? [term.left, term.right]
      : term.kind === 'between' && !term.negated
        ? [term.value, term.low, term.high]
        : [];
  return sides.flatMap((side): readonly Place[] => {
    if (side.kind === 'string') return timeText.test(side.value) ? [{ ...side.span, value: side.value }] : [];
    const isTime = side.kind === 'integer' && String(side.value).length >= fewestDigits;
    return isTime ? [{ ...side.span, value: side.value }] : [];
  });
}

/** Ticks in digits; undefined where a text is no time, or a very old one. */
function digitsOf(time: WrittenTime, { precision, zone }: TimeReading): string | undefined {
  const ticks = typeof time === 'bigint' ? time : parseTimestamp(time, precision, zone);
  if (ticks === undefined || ticks < 0n) return undefined;
  const digits = String(ticks);
  return digits.length < fewestDigits ? undefined : digits;
}

function allDigits(times: readonly WrittenTime[], reading: TimeReading): readonly string[] | undefined {
  const digits = times.map((time) => digitsOf(time, reading));
  return digits.every((each) => each !== undefined) ? digits : undefined;
}

/** A text with places, each with the number of the mark that stands there. */
interface Template {
  readonly pieces: readonly string[];
  readonly places: readonly number[];
}

/** A plan that is the same for other times, but for their digits and the windows between them. */
export interface MovablePlan {
  readonly plan: QueryPlan;
  readonly reading: TimeReading;
  readonly sql: Template;
  readonly terms: readonly Template[];
  /** The limits of windows for such times, where it has windows. */
  readonly boundsFor: ((digits: readonly string[]) => KnownBounds) | undefined;
}

/**
 * The plan of a query with such times, ready for others; undefined where more of it may depend on them, as it may where `reading` is not
 * known.
 */
export function movablePlan(plan: QueryPlan, { times, terms: termCount }: TimePlaces): MovablePlan | undefined {
  const { reading, windows } = plan;
  const digits = reading && allDigits(times, reading);
  if (reading === undefined || digits === undefined) return undefined;
  const steps = windows?.isFilled === true ? [fillMark(plan, windows.between(windows.bounds))] : [];
  if (steps.includes('')) return undefined;
  const sql = templateOf(plan.sql, [...digits, ...steps]);
  const limits = sql.places.filter((mark) => mark < digits.length);
  const isEachOnce = limits.length === digits.length && new Set(limits).size === digits.length;
  const filledAt = sql.places.flatMap((mark, at) => (mark < digits.length ? [] : [at]));
  const areFilled = filledAt.length > 0 && filledAt.every((at) => windowsAt.test(sql.pieces[at] ?? ''));
  if (steps.length > 0 && !(areInArrays(plan) ? areFilled : filledAt.length === 1)) return undefined;
  const isLimit = sql.places.every((mark, at) => mark >= digits.length || limitAt(sql, at) !== undefined);
  if (!isEachOnce || !isLimit) return undefined;
  const boundsFor = windows && boundsOfPlaces(sql, digits);
  // Whatever else limits the time may be what counts for others.
  if (windows !== undefined && (boundsFor === undefined || windows.boundTerms !== termCount)) return undefined;
  const terms = (plan.figures?.terms ?? []).map((term) => templateOf(term, digits));
  return { plan, reading, sql, terms, boundsFor };
}

/** The plan for other times, as many of the same kind each; undefined where they are none, or need another one. */
export function movedPlan(movable: MovablePlan, times: readonly WrittenTime[]): QueryPlan | undefined {
  const { plan, reading, sql, terms, boundsFor } = movable;
  const digits = allDigits(times, reading);
  if (digits === undefined) return undefined;
  const { figures, windows } = plan;
  const bounds = boundsFor?.(digits);
  const marks = [...digits];
  if (windows !== undefined && bounds !== undefined) {
    const range = windows.between(bounds);
    if (!windows.keepsPlan(range)) return undefined;
    if (windows.isFilled) marks.push(fillMark(plan, range));
  }
  const text = filled(sql, marks);
  if (isSmall(text) !== isSmall(plan.sql)) return undefined;
  const moved = figures && { ...figures, terms: terms.map((term) => filled(term, marks)) };
  return { ...plan, sql: text, figures: moved };
}

/** What stands before the limits of windows that are arrays. */
const windowsAt = /(?:Resample|\brange)\($/;

function areInArrays({ sql }: QueryPlan): boolean {
  return sql.includes('Resample(');
}

/** What says which windows are filled. */
function fillMark(plan: QueryPlan, range: WindowRange): string {
  return areInArrays(plan) ? windowLimits(range) : fillSteps(range);
}

function templateOf(text: string, marks: readonly string[]): Template {
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const matches = [...text.matchAll(new RegExp(longestFirst.join('|'), 'g'))];
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: mark, index } of matches) {
    pieces.push(text.slice(at, index));
    at = index + mark.length;
  }
  return { pieces: [...pieces, text.slice(at)], places: matches.map(([mark]) => marks.indexOf(mark)) };
}

const limit = /\b(less|lessOrEquals|greater|greaterOrEquals)\(\w+\.(\w+), $/;

/** How the time of a row is compared at a place: `less(t1.ts, 1700000000000)`. */
function limitAt({ pieces }: Template, at: number): string | undefined {
  const behind = pieces[at + 1] ?? '';
  const [, name, column] = behind.startsWith(')') ? (limit.exec(pieces[at] ?? '') ?? []) : [];
  return column === bareTime ? name : undefined;
}

/** Between which times rows are, where one place is the lower limit and the other the upper one. */
function boundsOfPlaces(sql: Template, digits: readonly string[]): MovablePlan['boundsFor'] {
  const limits = digits.map((_, mark) => limitAt(sql, sql.places.indexOf(mark)) ?? '');
  const low = limits.findIndex((name) => name.startsWith('greater'));
  const high = limits.findIndex((name) => name.startsWith('less'));
  if (limits.length !== 2 || low < 0 || high < 0) return undefined;
  const [above, below] = [limits[low] === 'greater' ? 1n : 0n, limits[high] === 'less' ? 1n : 0n];
  return (others) => ({ low: BigInt(others[low] ?? 0) + above, high: BigInt(others[high] ?? 0) - below });
}

function filled({ pieces, places }: Template, marks: readonly string[]): string {
  return pieces.reduce((text, piece, at) => `${text}${marks[places[at - 1] ?? 0] ?? ''}${piece}`);
}

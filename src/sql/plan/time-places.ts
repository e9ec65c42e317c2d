import { bareTime } from '../engine/storage.js';
import { chainTerms } from '../resolve/expression.js';
import type { Expression, Query, Span } from '../syntax/ast.js';
import type { QueryPlan } from './query.js';

/** The times that limit a query, and everything else in its text. */
export interface TimePlaces {
  /** The text, with the number of its digits for each time. */
  readonly shape: string;
  /** In digits. */
  readonly times: readonly string[];
}

/** Numbers with fewer digits are no times, or very old ones. */
const fewestDigits = 10;
const comparisons = new Set(['<', '<=', '>', '>=']);
/** Columns with the limits of a query themselves. */
const showsLimits = /_q(?:start|end|duration)/i;

/**
 * The numbers that limit the time of a plain query of one table, as dashboards ask with other times again and again. Undefined where there
 * are none, and where times decide about the plan itself: windows, INTERP, joins.
 */
export function timePlaces(query: Query, text: string): TimePlaces | undefined {
  if (query.kind !== 'select' || query.from?.kind !== 'table' || query.where === undefined) return undefined;
  if (query.window !== undefined || query.range !== undefined || showsLimits.test(text)) return undefined;
  const places = chainTerms(query.where, 'AND').flatMap(numbersOf);
  if (places.length === 0) return undefined;
  places.sort((a, b) => a.start - b.start);
  const times: string[] = [];
  let shape = '';
  let at = 0;
  for (const { start, end, value } of places) {
    const digits = String(value);
    if (text.slice(start, end) !== digits) return undefined;
    shape += `${text.slice(at, start)}#${digits.length}#`;
    times.push(digits);
    at = end;
  }
  return { shape: shape + text.slice(at), times };
}

function numbersOf(term: Expression): readonly (Span & { readonly value: bigint })[] {
  const sides =
    term.kind === 'binary' && comparisons.has(term.operator)
      ? [term.left, term.right]
      : term.kind === 'between'
        ? [term.value, term.low, term.high]
        : [];
  return sides.flatMap((side) =>
    side.kind === 'integer' && String(side.value).length >= fewestDigits ? [{ ...side.span, value: side.value }] : [],
  );
}

/** A text with places, each with the number of the time that stands there. */
interface Template {
  readonly pieces: readonly string[];
  readonly places: readonly number[];
}

/** A plan that is the same for other times, but for their digits. */
export interface MovablePlan {
  readonly plan: QueryPlan;
  readonly sql: Template;
  readonly terms: readonly Template[];
}

/**
 * The plan of a query with such times, ready for others; undefined where more of it may depend on them. Single series alone are read in the
 * same way whatever the times are.
 */
export function movablePlan(plan: QueryPlan, times: readonly string[]): MovablePlan | undefined {
  if (plan.series === undefined) return undefined;
  const sql = templateOf(plan.sql, times);
  const isEachOnce = sql.places.length === times.length && new Set(sql.places).size === times.length;
  if (!isEachOnce || !sql.places.every((_, at) => isLimit(sql.pieces, at))) return undefined;
  const terms = (plan.figures?.terms ?? []).map((term) => templateOf(term, times));
  return { plan, sql, terms };
}

/** The plan for other times, as many with as many digits each. */
export function movedPlan({ plan, sql, terms }: MovablePlan, times: readonly string[]): QueryPlan {
  const { figures } = plan;
  const moved = figures && { ...figures, terms: terms.map((term) => filled(term, times)) };
  return { ...plan, sql: filled(sql, times), figures: moved };
}

function templateOf(text: string, times: readonly string[]): Template {
  const longestFirst = times.toSorted((a, b) => b.length - a.length);
  const found = [...text.matchAll(new RegExp(longestFirst.join('|'), 'g'))];
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: digits, index } of found) {
    pieces.push(text.slice(at, index));
    at = index + digits.length;
  }
  return { pieces: [...pieces, text.slice(at)], places: found.map(([digits]) => times.indexOf(digits)) };
}

/** True for a place that is compared with the time of a row: `less(t1.ts, 1700000000000)`. */
function isLimit(pieces: readonly string[], at: number): boolean {
  const behind = pieces[at + 1] ?? '';
  return pieces[at]?.endsWith(`.${bareTime}, `) === true && behind.startsWith(')');
}

function filled({ pieces, places }: Template, times: readonly string[]): string {
  return pieces.reduce((text, piece, at) => `${text}${times[places[at - 1] ?? 0] ?? ''}${piece}`);
}

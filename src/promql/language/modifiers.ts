import type { Refuse } from './refuse.js';
import type { DurationExpr, DurationOperand, Expr, Span, SubqueryExpr, VectorSelector } from './tree.js';

/** What follows an expression and changes which samples it reads. */
type Modifier =
  | { readonly kind: 'offset'; readonly by: DurationOperand }
  /** Seconds, or an end of the query. */
  | { readonly kind: 'at'; readonly at: number | 'start' | 'end' }
  | { readonly kind: 'range'; readonly range: DurationOperand; readonly bracket: number }
  | { readonly kind: 'subquery'; readonly range: DurationOperand; readonly step: DurationOperand | undefined };

/** The expression with a modifier; refuses what Prometheus refuses. `span` is the place of both. */
export function applyModifier(expr: Expr, modifier: Modifier, span: Span, refuse: Refuse): Expr {
  switch (modifier.kind) {
    case 'range':
      return withRange(expr, modifier.range, modifier.bracket, span, refuse);
    case 'subquery':
      return subquery(expr, modifier.range, modifier.step, span, refuse);
    case 'offset':
      return withOffset(expr, modifier.by, span, refuse);
    case 'at':
      return pinned(expr, modifier.at, span, refuse);
  }
}

/** Milliseconds of a number of seconds, and the expression when it depends on the query. */
function durationOf(
  operand: DurationOperand,
  refuse: Refuse,
): { readonly ms: number; readonly expr: DurationExpr | undefined } {
  if (operand.kind === 'duration') return { ms: 0, expr: operand };
  if (Math.abs(operand.value) >= 2 ** 63 / 1e9 || Number.isNaN(operand.value))
    refuse(operand.span, 'duration out of range');
  return { ms: Math.trunc(Math.round(operand.value * 1e9) / 1e6), expr: undefined };
}

function positive(
  operand: DurationOperand,
  refuse: Refuse,
): { readonly ms: number; readonly expr: DurationExpr | undefined } {
  if (operand.kind === 'number' && operand.value <= 0) refuse(operand.span, 'duration must be greater than 0');
  return durationOf(operand, refuse);
}

function withRange(expr: Expr, range: DurationOperand, bracket: number, span: Span, refuse: Refuse): Expr {
  const place = { start: bracket, end: span.end };
  if (expr.kind !== 'vector') return refuse(place, 'ranges only allowed for vector selectors');
  if (expr.offsetMs !== 0 || expr.offsetExpr !== undefined)
    return refuse(place, 'no offset modifiers allowed before range');
  if (expr.at !== undefined) return refuse(place, 'no @ modifiers allowed before range');
  const { ms, expr: rangeExpr } = positive(range, refuse);
  return { kind: 'matrix', selector: expr, rangeMs: ms, rangeExpr, span };
}

function subquery(
  expr: Expr,
  range: DurationOperand,
  step: DurationOperand | undefined,
  span: Span,
  refuse: Refuse,
): SubqueryExpr {
  const { ms: rangeMs, expr: rangeExpr } = positive(range, refuse);
  const { ms: stepMs, expr: stepExpr } = step === undefined ? { ms: 0, expr: undefined } : positive(step, refuse);
  const modifiers = { offsetMs: 0, offsetExpr: undefined, at: undefined };
  return { kind: 'subquery', expr, rangeMs, rangeExpr, stepMs, stepExpr, ...modifiers, span };
}

const afterSelector = 'must be preceded by an instant vector selector or range vector selector or a subquery';

function withOffset(expr: Expr, by: DurationOperand, span: Span, refuse: Refuse): Expr {
  const holder = holderOf(expr) ?? refuse(expr.span, `offset modifier ${afterSelector}`);
  if (holder.offsetMs !== 0 || holder.offsetExpr !== undefined)
    refuse(expr.span, 'offset may not be set multiple times');
  const { ms: offsetMs, expr: offsetExpr } = durationOf(by, refuse);
  return withModifiers(expr, { offsetMs, offsetExpr }, span);
}

function pinned(expr: Expr, at: number | 'start' | 'end', span: Span, refuse: Refuse): Expr {
  if (typeof at === 'number' && !(Math.abs(at) < 2 ** 63))
    refuse(expr.span, `timestamp out of bounds for @ modifier: ${at.toFixed(6)}`);
  const holder = holderOf(expr) ?? refuse(expr.span, `@ modifier ${afterSelector}`);
  if (holder.at !== undefined) refuse(expr.span, '@ <timestamp> may not be set multiple times');
  return withModifiers(expr, { at: typeof at === 'number' ? Math.round(at * 1000) : at }, span);
}

/** The node that has the modifiers of an expression. */
function holderOf(expr: Expr): VectorSelector | SubqueryExpr | undefined {
  if (expr.kind === 'matrix') return expr.selector;
  return expr.kind === 'vector' || expr.kind === 'subquery' ? expr : undefined;
}

type Modifiers = Partial<Pick<VectorSelector, 'offsetMs' | 'offsetExpr' | 'at'>>;

function withModifiers(expr: Expr, modifiers: Modifiers, span: Span): Expr {
  if (expr.kind === 'matrix') return { ...expr, selector: { ...expr.selector, ...modifiers }, span };
  if (expr.kind === 'vector' || expr.kind === 'subquery') return { ...expr, ...modifiers, span };
  return expr;
}

import type { Refuse } from './refuse.js';
import { type BinaryOperator, type Expr, isSetOperator, type Span, typeOf, type VectorMatching } from './tree.js';

/** The words between an operator and its right side. */
export type MatchingClause = VectorMatching;

/** A part of a sequence of operands and operators. */
export type Item =
  | { readonly item: 'operand'; readonly expr: Expr }
  | { readonly item: 'prefix'; readonly operator: '+' | '-'; readonly span: Span }
  | { readonly item: 'postfix'; readonly apply: (expr: Expr) => Expr }
  | {
      readonly item: 'infix';
      readonly operator: BinaryOperator;
      readonly returnsBool: boolean;
      readonly matching: MatchingClause;
      /** The operator with its words. */
      readonly span: Span;
      readonly whole: Span;
    };

type Infix = Extract<Item, { item: 'infix' }>;

const levels: Readonly<Record<BinaryOperator, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '</': 3,
  '>/': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6,
};

/** Most operands and operators side by side. */
const mostItems = 2_000;

/**
 * Joins a sequence by precedence, with `count` called for every new expression. A sign binds as `*` does, `^` to the
 * right.
 */
export function joinItems(items: readonly Item[], refuse: Refuse, count: (expr: Expr) => Expr): Expr {
  let at = 0;
  if (items.length > mostItems) refuse({ start: 0, end: 0 }, `an expression has more than ${mostItems} operands`);

  function operand(): Expr {
    const item = items[at++];
    if (item?.item === 'prefix') return count(withSign(item.operator, item.span, sequence(levels['^'])));
    if (item?.item !== 'operand') return refuse({ start: 0, end: 0 }, 'unexpected operator');
    let { expr } = item;
    for (let next = items[at]; next?.item === 'postfix'; next = items[at]) {
      expr = count(next.apply(expr));
      at++;
    }
    return expr;
  }

  function sequence(least: number): Expr {
    let left = operand();
    for (let next = items[at]; next?.item === 'infix' && levels[next.operator] >= least; next = items[at]) {
      at++;
      const right = sequence(next.operator === '^' ? levels['^'] : levels[next.operator] + 1);
      left = count(binary(left, next, right, refuse));
    }
    return left;
  }

  return sequence(0);
}

function withSign(operator: '+' | '-', sign: Span, expr: Expr): Expr {
  const span = { start: sign.start, end: expr.span.end };
  if (expr.kind === 'number') return { ...expr, value: operator === '-' ? -expr.value : expr.value, span };
  return { kind: 'unary', operator, expr, span };
}

function binary(left: Expr, infix: Infix, right: Expr, refuse: Refuse): Expr {
  const { operator, returnsBool, matching } = infix;
  const span = { start: left.span.start, end: right.span.end };
  const isSet = isSetOperator(operator);
  const areVectors = typeOf(left) === 'vector' && typeOf(right) === 'vector';
  if (!areVectors) {
    if (matching.labels.length > 0) refuse(span, 'vector matching only allowed between instant vectors');
    if (matching.fillLeft !== undefined || matching.fillRight !== undefined)
      refuse(span, 'filling in missing series only allowed between instant vectors');
  }
  const cardinality = isSet && matching.cardinality === 'one-to-one' ? 'many-to-many' : matching.cardinality;
  return {
    kind: 'binary',
    operator,
    left,
    right,
    matching: areVectors ? { ...matching, cardinality } : undefined,
    returnsBool,
    span,
  };
}

import type { LabelMatcher } from '../../model/series-query.js';
import { plainNumber } from './literals.js';
import { matcherOperator } from './print.js';
import type { DurationOperand, Expr, PinnedTime, VectorMatching, VectorSelector } from './tree.js';

/** A value of JSON. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The tree of an expression in the form of Prometheus' `parse_query`. */
export function treeOf(expr: Expr): Json {
  switch (expr.kind) {
    case 'aggregate':
      return {
        type: 'aggregation',
        op: expr.operator,
        expr: treeOf(expr.expr),
        param: expr.parameter === undefined ? null : treeOf(expr.parameter),
        grouping: expr.labels,
        without: expr.isWithout,
      };
    case 'binary':
      return {
        type: 'binaryExpr',
        op: expr.operator,
        lhs: treeOf(expr.left),
        rhs: treeOf(expr.right),
        matching: expr.matching === undefined ? null : matchingTree(expr.matching),
        bool: expr.returnsBool,
      };
    case 'call': {
      const { name, args, returns, variadic } = expr.signature;
      const func = { name, argTypes: args, variadic, returnType: returns };
      return { type: 'call', func, args: expr.args.map(treeOf) };
    }
    case 'matrix':
      return {
        ...selectorTree(expr.selector),
        type: 'matrixSelector',
        range: expr.rangeMs,
        rangeExpr: durationTree(expr.rangeExpr),
      };
    case 'number':
      return { type: 'numberLiteral', val: plainNumber(expr.value) };
    case 'paren':
      return { type: 'parenExpr', expr: treeOf(expr.expr) };
    case 'string':
      return { type: 'stringLiteral', val: expr.value };
    case 'subquery':
      return {
        type: 'subquery',
        expr: treeOf(expr.expr),
        range: expr.rangeMs,
        rangeExpr: durationTree(expr.rangeExpr),
        offset: expr.offsetMs,
        offsetExpr: durationTree(expr.offsetExpr),
        step: expr.stepMs,
        stepExpr: durationTree(expr.stepExpr),
        ...pinnedTree(expr.at),
      };
    case 'unary':
      return { type: 'unaryExpr', op: expr.operator, expr: treeOf(expr.expr) };
    case 'vector':
      return { ...selectorTree(expr), type: 'vectorSelector' };
  }
}

function matchingTree({ cardinality, labels, isOn, include, fillLeft, fillRight }: VectorMatching): Json {
  return {
    card: cardinality,
    labels,
    on: isOn,
    include,
    fillValues: { lhs: fillLeft ?? null, rhs: fillRight ?? null },
  };
}

function selectorTree({ name, offsetMs, offsetExpr, matchers, at }: VectorSelector): { readonly [name: string]: Json } {
  return {
    name,
    offset: offsetMs,
    offsetExpr: durationTree(offsetExpr),
    matchers: matchers.map(matcherTree),
    ...pinnedTree(at),
    anchored: false,
    smoothed: false,
  };
}

function matcherTree(matcher: LabelMatcher): Json {
  return { name: matcher.name, value: matcher.value, type: matcherOperator(matcher) };
}

function pinnedTree(at: PinnedTime | undefined): { readonly timestamp: Json; readonly startOrEnd: Json } {
  return {
    timestamp: typeof at === 'number' ? at : null,
    startOrEnd: typeof at === 'string' ? at : null,
  };
}

function durationTree(expr: DurationOperand | undefined): Json {
  if (expr === undefined) return null;
  if (expr.kind === 'number') return { type: 'numberLiteral', val: plainNumber(expr.value), duration: expr.isDuration };
  const { operator, left, right, isWrapped } = expr;
  return {
    type: 'durationExpr',
    op: operator,
    lhs: durationTree(left),
    rhs: durationTree(right),
    wrapped: isWrapped,
  };
}

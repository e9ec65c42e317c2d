import type { LabelMatcher } from '../../model/series-query.js';

/** What an expression evaluates to: one number, a text, samples of one time, or samples of a range of times. */
export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix';

/** A function: the types of its arguments and of its result. */
export interface FunctionSignature {
  readonly name: string;
  readonly args: readonly ValueType[];
  readonly returns: ValueType;
  /**
   * 0 when the arguments are as many as their types. Else the last one is optional, and this many of its type may
   * follow the others; -1 for any number.
   */
  readonly variadic: number;
}

/** Where something stands in the text of a query: offsets of the first character and of the one after the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Arithmetic operators. */
type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^' | 'atan2';
/** Operators that keep samples for which they hold. */
export type ComparisonOperator = '==' | '!=' | '>' | '<' | '>=' | '<=';
/** Operators that cut native histograms. */
type TrimOperator = '</' | '>/';
/** Operators on sets of series. */
type SetOperator = 'and' | 'or' | 'unless';
/** Operators between two expressions. */
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | TrimOperator | SetOperator;

/** Aggregations over series. */
export type AggregateOperator =
  | 'sum'
  | 'avg'
  | 'count'
  | 'min'
  | 'max'
  | 'group'
  | 'stddev'
  | 'stdvar'
  | 'quantile'
  | 'count_values'
  | 'topk'
  | 'bottomk'
  | 'limitk'
  | 'limit_ratio';

/** `sum by (labels) (parameter, expr)` */
export interface AggregateExpr {
  readonly kind: 'aggregate';
  readonly operator: AggregateOperator;
  readonly parameter: Expr | undefined;
  readonly expr: Expr;
  readonly labels: readonly string[];
  readonly isWithout: boolean;
  readonly span: Span;
}

/** How series of two sides are brought together. */
export interface VectorMatching {
  readonly cardinality: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many';
  readonly labels: readonly string[];
  /** Only the labels are compared; else all but them. */
  readonly isOn: boolean;
  /** Labels that the result gets from the side with one series. */
  readonly include: readonly string[];
  /** Values that stand for series without a counterpart. */
  readonly fillLeft: number | undefined;
  readonly fillRight: number | undefined;
}

/** `left operator right` */
export interface BinaryExpr {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expr;
  readonly right: Expr;
  /** Undefined unless both sides are vectors. */
  readonly matching: VectorMatching | undefined;
  /** A comparison gives 0 or 1 instead of keeping samples. */
  readonly returnsBool: boolean;
  readonly span: Span;
}

/** `name(args)` */
export interface CallExpr {
  readonly kind: 'call';
  readonly signature: FunctionSignature;
  readonly args: readonly Expr[];
  readonly span: Span;
}

/** A duration that depends on the range or the step of the query: `step() * 2`. */
export interface DurationExpr {
  readonly kind: 'duration';
  readonly operator: '+' | '-' | '*' | '/' | '%' | '^' | 'step' | 'range' | 'min_of' | 'max_of';
  readonly left: DurationOperand | undefined;
  readonly right: DurationOperand | undefined;
  readonly isWrapped: boolean;
  readonly span: Span;
}

/** What durations are computed from. */
export type DurationOperand = DurationExpr | NumberExpr;

/** The moment that `@` pins a selector to: Unix milliseconds, or an end of the query. */
export type PinnedTime = number | 'start' | 'end';

/** `name{matchers}`, with its modifiers. */
export interface VectorSelector {
  readonly kind: 'vector';
  /** The name before the braces; empty when there is none. */
  readonly name: string;
  /** With the name as a matcher of `__name__`. */
  readonly matchers: readonly LabelMatcher[];
  /** Milliseconds. */
  readonly offsetMs: number;
  readonly offsetExpr: DurationExpr | undefined;
  readonly at: PinnedTime | undefined;
  readonly span: Span;
}

/** `selector[range]`; the modifiers are on the selector. */
export interface MatrixSelector {
  readonly kind: 'matrix';
  readonly selector: VectorSelector;
  /** Milliseconds. */
  readonly rangeMs: number;
  readonly rangeExpr: DurationExpr | undefined;
  readonly span: Span;
}

/** `expr[range:step]` */
export interface SubqueryExpr {
  readonly kind: 'subquery';
  readonly expr: Expr;
  /** Milliseconds. */
  readonly rangeMs: number;
  readonly rangeExpr: DurationExpr | undefined;
  /** Milliseconds; 0 for the step of the service. */
  readonly stepMs: number;
  readonly stepExpr: DurationExpr | undefined;
  readonly offsetMs: number;
  readonly offsetExpr: DurationExpr | undefined;
  readonly at: PinnedTime | undefined;
  readonly span: Span;
}

/** A number; a duration as a number counts seconds. */
export interface NumberExpr {
  readonly kind: 'number';
  readonly value: number;
  readonly isDuration: boolean;
  readonly span: Span;
}

/** A text. */
export interface StringExpr {
  readonly kind: 'string';
  readonly value: string;
  readonly span: Span;
}

/** `(expr)` */
interface ParenExpr {
  readonly kind: 'paren';
  readonly expr: Expr;
  readonly span: Span;
}

/** `-expr`, `+expr` */
export interface UnaryExpr {
  readonly kind: 'unary';
  readonly operator: '+' | '-';
  readonly expr: Expr;
  readonly span: Span;
}

/** An expression of PromQL. Nodes never change. */
export type Expr =
  | AggregateExpr
  | BinaryExpr
  | CallExpr
  | MatrixSelector
  | NumberExpr
  | ParenExpr
  | StringExpr
  | SubqueryExpr
  | UnaryExpr
  | VectorSelector;

/** The type of an expression's value. */
export function typeOf(expr: Expr): ValueType {
  switch (expr.kind) {
    case 'aggregate':
    case 'vector':
      return 'vector';
    case 'matrix':
    case 'subquery':
      return 'matrix';
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'call':
      return expr.signature.returns;
    case 'paren':
    case 'unary':
      return typeOf(expr.expr);
    case 'binary':
      return typeOf(expr.left) === 'scalar' && typeOf(expr.right) === 'scalar' ? 'scalar' : 'vector';
  }
}

/** The expression without the parentheses around it. */
export function bare(expr: Expr): Expr {
  return expr.kind === 'paren' ? bare(expr.expr) : expr;
}

/** The expressions in an expression, one level down. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'aggregate':
      return expr.parameter === undefined ? [expr.expr] : [expr.expr, expr.parameter];
    case 'binary':
      return [expr.left, expr.right];
    case 'call':
      return expr.args;
    case 'matrix':
      return [expr.selector];
    case 'paren':
    case 'subquery':
    case 'unary':
      return [expr.expr];
    case 'number':
    case 'string':
    case 'vector':
      return [];
  }
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '>', '<', '>=', '<=']);
const setOperators: ReadonlySet<string> = new Set(['and', 'or', 'unless']);

/** True for an operator that compares numbers. */
export function isComparison(operator: BinaryOperator): operator is ComparisonOperator {
  return comparisons.has(operator);
}

/** True for an operator on sets of series. */
export function isSetOperator(operator: BinaryOperator): operator is SetOperator {
  return setOperators.has(operator);
}

import type { LabelMatcher } from '../../model/series-query.js';
import { compilePattern } from '../pattern.js';
import { quotedText } from './literals.js';
import type { Refuse } from './refuse.js';
import {
  type BinaryExpr,
  type CallExpr,
  childrenOf,
  type Expr,
  isComparison,
  isSetOperator,
  type Span,
  typeOf,
  type ValueType,
  type VectorSelector,
} from './tree.js';

const typeNames: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
};

/** Refuses an expression whose types or arguments do not fit. */
export function check(expr: Expr, query: string, refuse: Refuse): void {
  for (const child of checkedChildren(expr)) check(child, query, refuse);
  switch (expr.kind) {
    case 'aggregate': {
      const { operator, parameter } = expr;
      expectType(expr.expr, 'vector', 'aggregation expression', refuse);
      const type = operator === 'count_values' ? 'string' : 'scalar';
      if (parameter !== undefined) expectType(parameter, type, 'aggregation parameter', refuse);
      break;
    }
    case 'binary':
      checkBinary(expr, query, refuse);
      break;
    case 'call':
      checkCall(expr, refuse);
      break;
    case 'unary': {
      const type = typeOf(expr.expr);
      if (type === 'scalar' || type === 'vector') break;
      const text = 'unary expression only allowed on expressions of type scalar or instant vector, got';
      refuse(expr.span, `${text} ${quotedText(typeNames[type])}`);
      break;
    }
    case 'subquery': {
      const type = typeOf(expr.expr);
      if (type !== 'vector') refuse(expr.span, `subquery is only allowed on instant vector, got ${type} instead`);
      break;
    }
    case 'vector':
      checkSelector(expr, refuse);
  }
}

/** The expressions in an expression that are checked by themselves: all but the labels that `info` selects. */
function checkedChildren(expr: Expr): readonly Expr[] {
  if (expr.kind === 'call' && expr.signature.name === 'info') return expr.args.slice(0, 1);
  return childrenOf(expr);
}

function expectType(expr: Expr, type: ValueType, context: string, refuse: Refuse): void {
  const actual = typeOf(expr);
  if (actual !== type) refuse(expr.span, `expected type ${typeNames[type]} in ${context}, got ${typeNames[actual]}`);
}

/** The operator of a binary expression and its words, without blanks around them. */
function operatorSpan({ left, right }: BinaryExpr, query: string): Span {
  let start = left.span.end;
  while (/\s/.test(query[start] ?? '.')) start++;
  return { start, end: right.span.start };
}

function checkBinary(expr: BinaryExpr, query: string, refuse: Refuse): void {
  const { operator, left, right, matching, returnsBool } = expr;
  const [leftType, rightType] = [typeOf(left), typeOf(right)];
  const place = operatorSpan(expr, query);
  if (returnsBool && !isComparison(operator)) refuse(place, 'bool modifier can only be used on comparison operators');
  if (isComparison(operator) && !returnsBool && leftType === 'scalar' && rightType === 'scalar')
    refuse(place, 'comparisons between scalars must use BOOL modifier');
  if (matching?.isOn) {
    const twice = matching.labels.find((label) => matching.include.includes(label));
    if (twice !== undefined) refuse(place, `label ${quotedText(twice)} must not occur in ON and GROUP clause at once`);
  }
  for (const [side, type] of [
    [left, leftType],
    [right, rightType],
  ] as const) {
    if (type !== 'scalar' && type !== 'vector')
      refuse(side.span, 'binary expression must contain only scalar and instant vector types');
  }
  if (!isSetOperator(operator)) return;
  if (leftType === 'scalar' || rightType === 'scalar')
    refuse(expr.span, `set operator ${quotedText(operator)} not allowed in binary scalar expression`);
  if (matching !== undefined && matching.cardinality !== 'many-to-many')
    refuse(expr.span, `no grouping allowed for ${quotedText(operator)} operation`);
  if (matching?.fillLeft !== undefined || matching?.fillRight !== undefined)
    refuse(expr.span, 'filling in missing series not allowed for set operators');
}

function checkCall({ signature, args, span }: CallExpr, refuse: Refuse): void {
  const { name, variadic } = signature;
  const count = signature.args.length;
  const call = `in call to ${quotedText(name)}, got ${args.length}`;
  if (variadic === 0) {
    if (args.length !== count) refuse(span, `expected ${count} argument(s) ${call}`);
  } else {
    const least = count - 1;
    if (args.length < least) refuse(span, `expected at least ${least} argument(s) ${call}`);
    if (variadic > 0 && args.length > least + variadic)
      refuse(span, `expected at most ${least + variadic} argument(s) ${call}`);
  }
  const selector = name === 'info' ? args[1] : undefined;
  if (selector !== undefined && selector.kind !== 'vector') refuse(selector.span, 'expected label selectors only');
  if (selector?.kind === 'vector' && selector.name !== '')
    refuse(selector.span, 'expected label selectors only, got vector selector instead');
  for (const [i, arg] of args.entries()) {
    const type = signature.args[Math.min(i, count - 1)];
    if (type !== undefined) expectType(arg, type, `call to function ${quotedText(name)}`, refuse);
  }
}

function checkSelector({ name, matchers, span }: VectorSelector, refuse: Refuse): void {
  if (name !== '') {
    const other = matchers.slice(0, -1).find((matcher) => matcher.name === '__name__');
    if (other !== undefined) {
      const names = `${quotedText(name)} or ${quotedText(other.value)}`;
      refuse(span, `metric name must not be set twice: ${names}`);
    }
    return;
  }
  if (matchers.every(takesAbsence)) refuse(span, 'vector selector must contain at least one non-empty matcher');
}

/** True for a matcher that a series without the label passes. */
export function takesAbsence({ kind, value }: LabelMatcher): boolean {
  switch (kind) {
    case 'equal':
      return value === '';
    case 'not-equal':
      return value !== '';
    case 'match':
      return compilePattern(value).testExact('');
    case 'not-match':
      return !compilePattern(value).testExact('');
  }
}

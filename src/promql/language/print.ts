import type { LabelMatcher } from '../../model/series-query.js';
import { durationText, isPlainLabel, plainNumber, quotedText } from './literals.js';
import type {
  AggregateExpr,
  BinaryExpr,
  DurationExpr,
  DurationOperand,
  Expr,
  MatrixSelector,
  PinnedTime,
  SubqueryExpr,
  VectorSelector,
} from './tree.js';

/** Longest line that {@link formatQuery} does not split. */
const mostLineBytes = 100;

const operatorTexts = { equal: '=', 'not-equal': '!=', match: '=~', 'not-match': '!~' } as const;

/** The operator of a matcher as queries write it. */
export function matcherOperator({ kind }: LabelMatcher): '=' | '!=' | '=~' | '!~' {
  return operatorTexts[kind];
}

/** An expression on one line, in the form of Prometheus. */
function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'aggregate': {
      const parameter = expr.parameter === undefined ? '' : `${printExpr(expr.parameter)}, `;
      return `${aggregateHead(expr)}(${parameter}${printExpr(expr.expr)})`;
    }
    case 'binary':
      return `${printExpr(expr.left)} ${binaryHead(expr)} ${printExpr(expr.right)}`;
    case 'call':
      return `${expr.signature.name}(${expr.args.map(printExpr).join(', ')})`;
    case 'matrix':
      return printMatrix(expr);
    case 'number':
      return expr.isDuration ? durationText(expr.value * 1000) : plainNumber(expr.value);
    case 'paren':
      return `(${printExpr(expr.expr)})`;
    case 'string':
      return quotedText(expr.value);
    case 'subquery':
      return printExpr(expr.expr) + subqueryTail(expr);
    case 'unary':
      return expr.operator + printExpr(expr.expr);
    case 'vector':
      return bareSelector(expr) + atText(expr.at) + offsetText(expr);
  }
}

function labelsText(labels: readonly string[]): string {
  return labels.map((label) => (isPlainLabel(label) ? label : quotedText(label))).join(', ');
}

function aggregateHead({ operator, labels, isWithout }: AggregateExpr): string {
  if (isWithout) return `${operator} without (${labelsText(labels)}) `;
  return labels.length > 0 ? `${operator} by (${labelsText(labels)}) ` : operator;
}

/** The operator of a binary expression and its words. */
function binaryHead({ operator, returnsBool, matching }: BinaryExpr): string {
  let text: string = operator;
  if (returnsBool) text += ' bool';
  if (matching === undefined) return text;
  const isGrouped = matching.cardinality === 'many-to-one' || matching.cardinality === 'one-to-many';
  if (matching.labels.length > 0 || matching.isOn || isGrouped)
    text += ` ${matching.isOn ? 'on' : 'ignoring'} (${labelsText(matching.labels)})`;
  if (isGrouped)
    text += ` group_${matching.cardinality === 'many-to-one' ? 'left' : 'right'} (${labelsText(matching.include)})`;
  const { fillLeft, fillRight } = matching;
  if (fillLeft !== undefined && fillLeft === fillRight) return `${text} fill (${fillLeft})`;
  if (fillLeft !== undefined) text += ` fill_left (${fillLeft})`;
  return fillRight === undefined ? text : `${text} fill_right (${fillRight})`;
}

function bareSelector({ name, matchers }: VectorSelector): string {
  const texts = matchers
    .filter(
      (matcher) => !(matcher.name === '__name__' && matcher.kind === 'equal' && matcher.value === name && name !== ''),
    )
    .map(matcherText)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return texts.length === 0 ? name : `${name}{${texts.join(',')}}`;
}

/** A matcher as queries write it. */
function matcherText(matcher: LabelMatcher): string {
  const { name, value } = matcher;
  return `${isPlainLabel(name) ? name : quotedText(name)}${matcherOperator(matcher)}${quotedText(value)}`;
}

function atText(at: PinnedTime | undefined): string {
  if (at === undefined) return '';
  return typeof at === 'number' ? ` @ ${(at / 1000).toFixed(3)}` : ` @ ${at}()`;
}

function offsetText({ offsetMs, offsetExpr }: Pick<VectorSelector, 'offsetMs' | 'offsetExpr'>): string {
  if (offsetExpr !== undefined) return ` offset ${printDuration(offsetExpr)}`;
  return offsetMs === 0 ? '' : ` offset ${durationText(offsetMs)}`;
}

function printMatrix({ selector, rangeMs, rangeExpr }: MatrixSelector): string {
  const range = rangeExpr === undefined ? durationText(rangeMs) : printDuration(rangeExpr);
  return `${bareSelector(selector)}[${range}]${atText(selector.at)}${offsetText(selector)}`;
}

function subqueryTail(expr: SubqueryExpr): string {
  const { rangeMs, rangeExpr, stepMs, stepExpr } = expr;
  const range = rangeExpr === undefined ? durationText(rangeMs) : printDuration(rangeExpr);
  const step = stepMs !== 0 ? durationText(stepMs) : stepExpr === undefined ? '' : printDuration(stepExpr);
  return `[${range}:${step}]${atText(expr.at)}${offsetText(expr)}`;
}

function printDuration(expr: DurationOperand): string {
  if (expr.kind === 'number') return printExpr(expr);
  const text = durationBody(expr);
  return expr.isWrapped ? `(${text})` : text;
}

function durationBody({ operator, left, right }: DurationExpr): string {
  if (right === undefined) return `${operator}()`;
  if (left === undefined) return (operator === '-' ? '-' : '') + printDuration(right);
  if (operator === 'min_of' || operator === 'max_of')
    return `${operator}(${printDuration(left)}, ${printDuration(right)})`;
  return `${printDuration(left)} ${operator} ${printDuration(right)}`;
}

/** An expression on as many lines as it needs, in the form of Prometheus. */
export function formatQuery(expr: Expr): string {
  return pretty(expr, 0);
}

function pretty(expr: Expr, level: number): string {
  const indent = '  '.repeat(level);
  const line = printExpr(expr);
  const isShort = Buffer.byteLength(line) <= mostLineBytes;
  switch (expr.kind) {
    case 'aggregate': {
      if (isShort) return indent + line;
      const parameter = expr.parameter === undefined ? '' : `${pretty(expr.parameter, level + 1)},\n`;
      return `${indent}${aggregateHead(expr)}(\n${parameter}${pretty(expr.expr, level + 1)}\n${indent})`;
    }
    case 'binary':
      if (isShort) return indent + line;
      return `${pretty(expr.left, level + 1)}\n${indent}${binaryHead(expr)}\n${pretty(expr.right, level + 1)}`;
    case 'call': {
      if (isShort) return indent + line;
      const args = expr.args.map((arg) => pretty(arg, level + 1)).join(',\n');
      return `${indent}${expr.signature.name}(\n${args}\n${indent})`;
    }
    case 'paren':
      return isShort ? indent + line : `${indent}(\n${pretty(expr.expr, level + 1)}\n${indent})`;
    case 'subquery':
      return isShort ? line : pretty(expr.expr, level) + subqueryTail(expr);
    case 'unary':
      return `${indent}${expr.operator}${pretty(expr.expr, level).trim()}`;
    default:
      return indent + line;
  }
}

import type { BinaryOperator, ComparisonOperator, Expression } from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import { isLiteral } from '../syntax/tree.js';
import type { ExpressionParser } from './call.js';
import type { Cursor } from './cursor.js';
import { parseLiteral } from './literals.js';
import { parsePrimary, parseSubquery } from './primary.js';

/** Operands of one unbroken chain of arithmetic operators; the tree of such a chain is as deep as the chain is long. */
export const maxChainOperands = 500;

/** Binding strength of the arithmetic operators, weakest first. */
const arithmetic = new Map<string, { readonly operator: BinaryOperator; readonly level: number }>([
  ['|', { operator: '|', level: 1 }],
  ['&', { operator: '&', level: 2 }],
  ['+', { operator: '+', level: 3 }],
  ['-', { operator: '-', level: 3 }],
  ['*', { operator: '*', level: 4 }],
  ['/', { operator: '/', level: 4 }],
  ['%', { operator: '%', level: 4 }],
]);

const orders = new Map<string, ComparisonOperator>([
  ['=', '='],
  ['<>', '<>'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

const comparisons = new Map<string, BinaryOperator>([
  ...orders,
  ['LIKE', 'LIKE'],
  ['MATCH', 'MATCH'],
  ['NMATCH', 'NMATCH'],
  ['REGEXP', 'REGEXP'],
  ['CONTAINS', 'CONTAINS'],
]);

const negatedComparisons = new Map<string, BinaryOperator>([
  ['LIKE', 'NOT LIKE'],
  ['MATCH', 'NMATCH'],
  ['REGEXP', 'NOT REGEXP'],
]);

const parser: ExpressionParser = { expression: parseExpression, operand: parseOperand };

/**
 * Any expression, conditions included. Chains of AND and of OR become balanced trees, so that ten thousand terms are
 * fourteen levels deep; both are associative under three-valued logic. Arithmetic chains lean left, because rounding
 * and time arithmetic depend on the order, and are limited to {@link maxChainOperands}.
 */
export function parseExpression(cursor: Cursor): Expression {
  cursor.enter();
  const value = parseOr(cursor);
  cursor.leave();
  return value;
}

/**
 * An expression without comparison or logic on its outermost level: a bound of BETWEEN, the first operand of POSITION.
 */
function parseOperand(cursor: Cursor): Expression {
  return parseArithmetic(cursor, 1);
}

function parseOr(cursor: Cursor): Expression {
  return parseTerms(cursor, 'OR', parseAnd);
}

function parseAnd(cursor: Cursor): Expression {
  return parseTerms(cursor, 'AND', parseNot);
}

function parseTerms(cursor: Cursor, operator: 'AND' | 'OR', parseTerm: (cursor: Cursor) => Expression): Expression {
  const first = parseTerm(cursor);
  if (!cursor.at(operator)) return first;
  const terms = [first];
  while (cursor.accept(operator)) terms.push(parseTerm(cursor));
  cursor.count('conditions', terms.length);
  return balanced(operator, terms, 0, terms.length);
}

function balanced(operator: 'AND' | 'OR', terms: readonly Expression[], from: number, to: number): Expression {
  if (to - from === 1) return terms[from]!;
  const middle = from + Math.ceil((to - from) / 2);
  return binary(operator, balanced(operator, terms, from, middle), balanced(operator, terms, middle, to));
}

function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, span: { start: left.span.start, end: right.span.end } };
}

function parseNot(cursor: Cursor): Expression {
  const start = cursor.start;
  if (!cursor.accept('NOT')) return parsePredicate(cursor);
  cursor.enter();
  const value = parseNot(cursor);
  cursor.leave();
  return { kind: 'not', value, span: cursor.spanFrom(start) };
}

/** One comparison at most: `a = b = c` is refused, as the dialect does. */
function parsePredicate(cursor: Cursor): Expression {
  const start = cursor.start;
  const left = parseOperand(cursor);
  const order = orders.get(cursor.word);
  const comparison = order ?? comparisons.get(cursor.word);
  if (comparison !== undefined) {
    cursor.advance();
    if (order !== undefined && atQuantifier(cursor)) return parseQuantified(cursor, left, order, start);
    return binary(comparison, left, parseOperand(cursor));
  }
  switch (cursor.word) {
    case 'IS':
      return parseIsNull(cursor, left, start);
    case 'IN':
      return parseIn(cursor, left, start, false);
    case 'BETWEEN':
      return parseBetween(cursor, left, start, false);
    case 'NOT':
      return parseNegated(cursor, left, start);
    default:
      return left;
  }
}

function atQuantifier(cursor: Cursor): boolean {
  return (cursor.at('ALL') || cursor.at('ANY') || cursor.at('SOME')) && cursor.peek() === '(';
}

/** `value operator ALL (query)`, where ANY and SOME are the same; `= ANY` is IN and `<> ALL` is NOT IN. */
function parseQuantified(cursor: Cursor, value: Expression, operator: ComparisonOperator, start: number): Expression {
  const every = cursor.at('ALL');
  cursor.advance();
  cursor.expect('(');
  if (!cursor.at('SELECT')) cursor.fail();
  const query = parseSubquery(cursor);
  const span = cursor.spanFrom(start);
  if (operator === (every ? '<>' : '=')) return { kind: 'in-query', value, query, negated: every, span };
  return { kind: 'quantified', value, operator, every, query, span };
}

function parseNegated(cursor: Cursor, left: Expression, start: number): Expression {
  cursor.advance();
  if (cursor.at('IN')) return parseIn(cursor, left, start, true);
  if (cursor.at('BETWEEN')) return parseBetween(cursor, left, start, true);
  const comparison = negatedComparisons.get(cursor.word) ?? cursor.fail();
  cursor.advance();
  return binary(comparison, left, parseOperand(cursor));
}

function parseIsNull(cursor: Cursor, value: Expression, start: number): Expression {
  cursor.advance();
  const negated = cursor.accept('NOT');
  cursor.expect('NULL');
  return { kind: 'is-null', value, negated, span: cursor.spanFrom(start) };
}

/** `IN (literal, ...)` or `IN (query)` */
function parseIn(cursor: Cursor, value: Expression, start: number, negated: boolean): Expression {
  cursor.advance();
  cursor.expect('(');
  if (cursor.at('SELECT')) {
    const query = parseSubquery(cursor);
    return { kind: 'in-query', value, query, negated, span: cursor.spanFrom(start) };
  }
  const list = cursor.list(parseItem);
  cursor.expect(')');
  cursor.count('list items', list.length);
  // The engine may compare each item that is no literal by itself.
  const others = list.filter((item) => !isLiteral(item.kind === 'negate' ? item.value : item));
  cursor.count('conditions', others.length);
  return { kind: 'in', value, list, negated, span: cursor.spanFrom(start) };
}

/**
 * An item of a list. Nearly all are plain literals, and there may be very many, so the levels of an expression are for
 * the others.
 */
function parseItem(cursor: Cursor): Expression {
  const { start, lastEnd } = cursor;
  if (cursor.kind === TokenKind.integer || cursor.kind === TokenKind.string) {
    const literal = parseLiteral(cursor);
    if (literal !== undefined && (cursor.at(',') || cursor.at(')'))) {
      cursor.count('values', 1);
      return literal;
    }
    cursor.seek(start);
    cursor.lastEnd = lastEnd;
  }
  return parseExpression(cursor);
}

/** `BETWEEN low AND high` */
function parseBetween(cursor: Cursor, value: Expression, start: number, negated: boolean): Expression {
  cursor.advance();
  const low = parseOperand(cursor);
  cursor.expect('AND');
  const high = parseOperand(cursor);
  return { kind: 'between', value, low, high, negated, span: cursor.spanFrom(start) };
}

function parseArithmetic(cursor: Cursor, weakest: number): Expression {
  let left = parseUnary(cursor);
  let operands = 1;
  for (;;) {
    const entry = arithmetic.get(cursor.word);
    if (entry === undefined || entry.level < weakest) return left;
    operands += 1;
    if (operands > maxChainOperands) cursor.fail(`more than ${maxChainOperands} operands`);
    cursor.advance();
    left = binary(entry.operator, left, parseArithmetic(cursor, entry.level + 1));
  }
}

function parseUnary(cursor: Cursor): Expression {
  const start = cursor.start;
  const negative = cursor.accept('-');
  if (!negative && !cursor.accept('+')) return parseMember(cursor);
  cursor.enter();
  const value = parseUnary(cursor);
  cursor.leave();
  return negative ? { kind: 'negate', value, span: cursor.spanFrom(start) } : value;
}

/**
 * `tag->'key'`. The dialect lists `->` below arithmetic but admits only a string behind it, so it binds to the value
 * just before it.
 */
function parseMember(cursor: Cursor): Expression {
  const value = parsePrimary(cursor, parser);
  if (!cursor.accept('->')) return value;
  const key = parsePrimary(cursor, parser);
  if (key.kind !== 'string') cursor.failAt(key.span.start);
  return binary('->', value, key);
}

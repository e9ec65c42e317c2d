import type { Expression } from '../syntax/ast.js';
import { histogramCall } from '../syntax/histogram-call.js';
import type { Cursor } from './cursor.js';
import { atName, parseStar } from './names.js';
import { parseOver } from './over.js';

/** Reads what stands within a call or bracket; handed down, because expressions hold calls and calls hold expressions. */
export interface ExpressionParser {
  /** Any expression. */
  expression(cursor: Cursor): Expression;
  /** One without comparison or logic on its outermost level. */
  operand(cursor: Cursor): Expression;
}

/** Aggregates that may take each value once. */
const distinctAggregates = new Set(['COUNT', 'SUM', 'AVG']);

const trimModes = new Set(['LEADING', 'TRAILING', 'BOTH']);

/**
 * A function call. The special syntaxes become ordinary arguments:
 * `TRIM(s)` is [s]; `TRIM(mode [rem] FROM s)` and `TRIM(rem FROM s)` are [s, 'MODE'] or [s, 'MODE', rem] with mode BOTH when it is
 * not written; `SUBSTRING(s FROM p FOR n)` is [s, p, n]; `POSITION(a IN s)` is [a, s].
 * A call with DISTINCT before its argument is one of a function of its own, `COUNT DISTINCT`. A call with OVER is one over rows.
 */
export function parseCall(cursor: Cursor, parser: ExpressionParser): Expression {
  const { start, word } = cursor;
  if (!atName(cursor)) cursor.fail();
  cursor.advance();
  cursor.expect('(');
  const isDistinct = distinctAggregates.has(word) && cursor.peek() !== ')' && cursor.accept('DISTINCT');
  const name = isDistinct ? `${word} DISTINCT` : word;
  if (isDistinct && cursor.at('*')) cursor.fail();
  const args = cursor.at(')') ? [] : parseArguments(cursor, name, parser);
  if (cursor.text.startsWith('[', cursor.start)) cursor.fail('a range of PromQL is a window here: … INTERVAL(5m)');
  cursor.expect(')');
  const call = histogramCall({ kind: 'call', name, args, bare: false, span: cursor.spanFrom(start) });
  const over = parseOver(cursor, (at) => parser.expression(at));
  return over === undefined ? call : { kind: 'over', call, ...over, span: cursor.spanFrom(start) };
}

function parseArguments(cursor: Cursor, name: string, parser: ExpressionParser): readonly Expression[] {
  switch (name) {
    case 'TRIM':
      return parseTrim(cursor, parser);
    case 'POSITION':
      return parsePosition(cursor, parser);
    case 'SUBSTRING':
    case 'SUBSTR':
      return parseSubstring(cursor, parser);
    default:
      return parseList(cursor, [parseArgument(cursor, parser)], parser);
  }
}

function parseArgument(cursor: Cursor, parser: ExpressionParser): Expression {
  return parseStar(cursor) ?? parser.expression(cursor);
}

function parseList(cursor: Cursor, args: Expression[], parser: ExpressionParser): readonly Expression[] {
  while (cursor.accept(',')) args.push(parseArgument(cursor, parser));
  return args;
}

function parseTrim(cursor: Cursor, parser: ExpressionParser): readonly Expression[] {
  const start = cursor.start;
  const explicit = trimModes.has(cursor.word) && cursor.peek() !== ')';
  const mode = explicit ? cursor.word : 'BOTH';
  if (explicit) cursor.advance();
  const modeNode: Expression = {
    kind: 'string',
    value: mode,
    span: explicit ? cursor.spanFrom(start) : { start, end: start },
  };
  if (explicit && cursor.accept('FROM')) return [parser.expression(cursor), modeNode];
  const first = parser.expression(cursor);
  if (!explicit && !cursor.at('FROM')) return [first];
  cursor.expect('FROM');
  return [parser.expression(cursor), modeNode, first];
}

function parsePosition(cursor: Cursor, parser: ExpressionParser): readonly Expression[] {
  const part = parser.operand(cursor);
  cursor.expect('IN');
  return [part, parser.expression(cursor)];
}

function parseSubstring(cursor: Cursor, parser: ExpressionParser): readonly Expression[] {
  const args = [parser.expression(cursor)];
  if (!cursor.accept('FROM')) return parseList(cursor, args, parser);
  args.push(parser.expression(cursor));
  if (cursor.accept('FOR')) args.push(parser.expression(cursor));
  return args;
}

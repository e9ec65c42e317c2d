import type { Expression } from '../ast.js';
import type { Cursor } from './cursor.js';
import { parseExpression, parseOperand } from './expression.js';
import { atName } from './names.js';
import { parseStar } from './primary.js';

const trimModes = new Set(['LEADING', 'TRAILING', 'BOTH']);

/**
 * A function call. The special syntaxes become ordinary arguments:
 * `TRIM(s)` is [s]; `TRIM(mode [rem] FROM s)` and `TRIM(rem FROM s)` are [s, 'MODE'] or [s, 'MODE', rem] with mode BOTH when it is
 * not written; `SUBSTRING(s FROM p FOR n)` is [s, p, n]; `POSITION(a IN s)` is [a, s].
 * Calls with OVER are refused as not available.
 */
export function parseCall(cursor: Cursor): Expression {
  const { start, word: name } = cursor;
  if (!atName(cursor)) cursor.fail();
  cursor.advance();
  cursor.expect('(');
  const args = cursor.at(')') ? [] : parseArguments(cursor, name);
  cursor.expect(')');
  if (cursor.at('OVER') && cursor.peek() === '(') cursor.refuse('OVER');
  return { kind: 'call', name, args, bare: false, span: cursor.spanFrom(start) };
}

function parseArguments(cursor: Cursor, name: string): readonly Expression[] {
  switch (name) {
    case 'TRIM':
      return parseTrim(cursor);
    case 'POSITION':
      return parsePosition(cursor);
    case 'SUBSTRING':
    case 'SUBSTR':
      return parseSubstring(cursor);
    default:
      return parseList(cursor, [parseArgument(cursor)]);
  }
}

function parseArgument(cursor: Cursor): Expression {
  return parseStar(cursor) ?? parseExpression(cursor);
}

function parseList(cursor: Cursor, args: Expression[]): readonly Expression[] {
  while (cursor.accept(',')) args.push(parseArgument(cursor));
  return args;
}

function parseTrim(cursor: Cursor): readonly Expression[] {
  const start = cursor.start;
  const explicit = trimModes.has(cursor.word) && cursor.peek() !== ')';
  const mode = explicit ? cursor.word : 'BOTH';
  if (explicit) cursor.advance();
  const modeNode: Expression = {
    kind: 'string',
    value: mode,
    span: explicit ? cursor.spanFrom(start) : { start, end: start },
  };
  if (explicit && cursor.accept('FROM')) return [parseExpression(cursor), modeNode];
  const first = parseExpression(cursor);
  if (!explicit && !cursor.at('FROM')) return [first];
  cursor.expect('FROM');
  return [parseExpression(cursor), modeNode, first];
}

function parsePosition(cursor: Cursor): readonly Expression[] {
  const part = parseOperand(cursor);
  cursor.expect('IN');
  return [part, parseExpression(cursor)];
}

function parseSubstring(cursor: Cursor): readonly Expression[] {
  const args = [parseExpression(cursor)];
  if (!cursor.accept('FROM')) return parseList(cursor, args);
  args.push(parseExpression(cursor));
  if (cursor.accept('FOR')) args.push(parseExpression(cursor));
  return args;
}

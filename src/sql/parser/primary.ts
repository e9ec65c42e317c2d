import type { Expression, Name, Query } from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import { type ExpressionParser, parseCall } from './call.js';
import type { Cursor } from './cursor.js';
import { parseLiteral, parseString } from './literals.js';
import { parseMemberName, parseName } from './names.js';
import { parseType } from './types.js';

/** Functions that may be written without brackets. */
const bareCalls = new Set(['NOW', 'TODAY', 'TIMEZONE']);

/** A literal, name, call, CASE, CAST or bracketed expression; `parser` reads the expressions within. */
export function parsePrimary(cursor: Cursor, parser: ExpressionParser): Expression {
  cursor.count('values', 1);
  if (cursor.kind === TokenKind.word) return parseWord(cursor, parser);
  if (cursor.kind === TokenKind.quoted) return parseColumn(cursor);
  if (cursor.at('(')) return parseBracket(cursor, parser);
  return parseLiteral(cursor) ?? cursor.fail();
}

function parseBracket(cursor: Cursor, parser: ExpressionParser): Expression {
  const start = cursor.start;
  cursor.advance();
  if (cursor.at('SELECT')) {
    const query = parseSubquery(cursor);
    return { kind: 'scalar-query', query, span: cursor.spanFrom(start) };
  }
  const value = parser.expression(cursor);
  cursor.expect(')');
  return value;
}

/** A query and the bracket behind it. Only queries may hold them. */
export function parseSubquery(cursor: Cursor): Query {
  const query = cursor.parseQuery?.(cursor) ?? cursor.refuse('a subquery here');
  cursor.expect(')');
  return query;
}

function parseExists(cursor: Cursor): Expression {
  const start = cursor.start;
  cursor.advance();
  cursor.advance();
  const query = parseSubquery(cursor);
  return { kind: 'exists', query, span: cursor.spanFrom(start) };
}

function parseWord(cursor: Cursor, parser: ExpressionParser): Expression {
  const start = cursor.start;
  const next = cursor.ahead();
  switch (cursor.word) {
    case 'NULL':
      cursor.advance();
      return { kind: 'null', span: cursor.spanFrom(start) };
    case 'TRUE':
    case 'FALSE': {
      const value = cursor.at('TRUE');
      cursor.advance();
      return { kind: 'bool', value, span: cursor.spanFrom(start) };
    }
    case 'CASE':
      return parseCase(cursor, parser);
    case 'CAST':
      if (next.word === '(') return parseCast(cursor, parser);
      break;
    case 'EXISTS':
      if (next.word === '(') return parseExists(cursor);
      break;
    case 'TIMESTAMP':
      if (next.kind === TokenKind.string) return parseTimestamp(cursor);
      break;
  }
  if (next.word === '(') return parseCall(cursor, parser);
  if (next.word !== '.' && bareCalls.has(cursor.word)) return parseBareCall(cursor);
  return parseColumn(cursor);
}

function parseBareCall(cursor: Cursor): Expression {
  const { start, word } = cursor;
  cursor.advance();
  return { kind: 'call', name: word, args: [], bare: true, span: cursor.spanFrom(start) };
}

function parseColumn(cursor: Cursor): Expression {
  const start = cursor.start;
  const first = parseName(cursor);
  let table: Name | undefined;
  let name = first;
  if (cursor.accept('.')) {
    table = first;
    name = parseMemberName(cursor);
  }
  return { kind: 'column', table, name, span: cursor.spanFrom(start) };
}

function parseTimestamp(cursor: Cursor): Expression {
  const start = cursor.start;
  cursor.advance();
  const text = parseString(cursor);
  return { kind: 'timestamp', text, span: cursor.spanFrom(start) };
}

function parseCast(cursor: Cursor, parser: ExpressionParser): Expression {
  const start = cursor.start;
  cursor.advance();
  cursor.advance();
  const value = parser.expression(cursor);
  cursor.expect('AS');
  const type = parseType(cursor, false);
  cursor.expect(')');
  return { kind: 'cast', value, type, span: cursor.spanFrom(start) };
}

function parseCase(cursor: Cursor, parser: ExpressionParser): Expression {
  const start = cursor.start;
  cursor.advance();
  const operand = cursor.at('WHEN') ? undefined : parser.expression(cursor);
  const branches: { when: Expression; then: Expression }[] = [];
  do {
    cursor.expect('WHEN');
    const when = parser.expression(cursor);
    cursor.expect('THEN');
    // biome-ignore lint/suspicious/noThenProperty: the syntax tree names the branches by their keywords and is never awaited
    branches.push({ when, then: parser.expression(cursor) });
  } while (cursor.at('WHEN'));
  cursor.count('CASE branches', branches.length);
  const otherwise = cursor.accept('ELSE') ? parser.expression(cursor) : undefined;
  cursor.expect('END');
  return { kind: 'case', operand, branches, otherwise, span: cursor.spanFrom(start) };
}

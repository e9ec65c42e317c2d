import type { Expression, OrderItem, OverWindow } from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseInteger } from './literals.js';

type ReadExpression = (cursor: Cursor) => Expression;

/** `OVER ([PARTITION BY e, …] [ORDER BY e [ASC | DESC] [NULLS FIRST | LAST], …] [frame])` behind a call; undefined without. */
export function parseOver(cursor: Cursor, read: ReadExpression): OverWindow | undefined {
  if (!cursor.at('OVER') || cursor.peek() !== '(') return undefined;
  cursor.advance();
  cursor.expect('(');
  const partitionBy = cursor.acceptPhrase('PARTITION BY') ? cursor.list(read) : [];
  const orderBy = cursor.acceptPhrase('ORDER BY') ? cursor.list(() => parseOrder(cursor, read)) : [];
  const frame = cursor.at('ROWS') || cursor.at('RANGE') ? parseFrame(cursor) : undefined;
  cursor.expect(')');
  return { partitionBy, orderBy, frame };
}

/** `e [ASC | DESC] [NULLS FIRST | LAST]`. */
export function parseOrder(cursor: Cursor, read: ReadExpression): OrderItem {
  const value = read(cursor);
  const descending = cursor.accept('DESC');
  if (!descending) cursor.accept('ASC');
  return { value, descending, nulls: cursor.accept('NULLS') ? parseNulls(cursor) : undefined };
}

function parseNulls(cursor: Cursor): 'first' | 'last' {
  if (cursor.accept('FIRST')) return 'first';
  cursor.expect('LAST');
  return 'last';
}

/** `ROWS | RANGE` with one end, which the current row then ends, or with two of them. */
function parseFrame(cursor: Cursor): string {
  const unit = cursor.word;
  cursor.advance();
  if (!cursor.accept('BETWEEN')) return `${unit} BETWEEN ${parseEnd(cursor, unit)} AND CURRENT ROW`;
  const from = parseEnd(cursor, unit);
  cursor.expect('AND');
  return `${unit} BETWEEN ${from} AND ${parseEnd(cursor, unit)}`;
}

function parseEnd(cursor: Cursor, unit: string): string {
  if (cursor.acceptPhrase('CURRENT ROW')) return 'CURRENT ROW';
  if (cursor.acceptPhrase('UNBOUNDED PRECEDING')) return 'UNBOUNDED PRECEDING';
  if (cursor.acceptPhrase('UNBOUNDED FOLLOWING')) return 'UNBOUNDED FOLLOWING';
  if (cursor.kind !== TokenKind.integer) cursor.fail();
  if (unit === 'RANGE') cursor.refuse('a distance in RANGE of OVER');
  const count = parseInteger(cursor);
  if (cursor.accept('PRECEDING')) return `${count} PRECEDING`;
  cursor.expect('FOLLOWING');
  return `${count} FOLLOWING`;
}

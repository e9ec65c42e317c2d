import type { Expression, Frame, FrameEnd, OrderItem, OverWindow } from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseWindowLength } from './literals.js';

type ReadExpression = (cursor: Cursor) => Expression;

/**
 * `OVER ([PARTITION BY e, …] [ORDER BY e [ASC | DESC] [NULLS FIRST | LAST], …] [frame])` behind a call; undefined
 * without.
 */
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
function parseFrame(cursor: Cursor): Frame {
  const unit = cursor.accept('ROWS') ? 'ROWS' : 'RANGE';
  if (unit === 'RANGE') cursor.expect('RANGE');
  if (!cursor.accept('BETWEEN')) return { unit, from: parseEnd(cursor, unit), to: 'CURRENT ROW' };
  const from = parseEnd(cursor, unit);
  cursor.expect('AND');
  return { unit, from, to: parseEnd(cursor, unit) };
}

function parseEnd(cursor: Cursor, unit: Frame['unit']): FrameEnd {
  for (const words of ['CURRENT ROW', 'UNBOUNDED PRECEDING', 'UNBOUNDED FOLLOWING'] as const) {
    if (cursor.acceptPhrase(words)) return words;
  }
  if (cursor.kind !== TokenKind.integer && unit === 'ROWS') cursor.fail();
  const distance = parseWindowLength(cursor);
  if (cursor.accept('PRECEDING')) return { distance, side: 'PRECEDING' };
  cursor.expect('FOLLOWING');
  return { distance, side: 'FOLLOWING' };
}

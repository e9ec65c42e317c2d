import type { Expression } from '../syntax/ast.js';
import { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';

/** A condition that stands alone, as a grant keeps it; it holds no query. */
export function parseCondition(text: string): Expression {
  const cursor = new Cursor(text);
  const condition = parseExpression(cursor);
  cursor.finish();
  return condition;
}

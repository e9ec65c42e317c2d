import { type Fault, FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { Expression, Query } from '../../../src/sql/syntax/ast.js';

/** The query of a SELECT statement. */
export function queryOf(text: string): Query {
  const statement = parseStatement(text);
  if (statement.kind !== 'query') throw new Error(`Not a query: ${statement.kind}`);
  return statement.query;
}

/** The expression of `SELECT <text>`. */
export function expressionOf(text: string): Expression {
  const query = queryOf(`SELECT ${text}`);
  const item = query.kind === 'select' ? query.items[0] : undefined;
  if (item === undefined) throw new Error('No select item');
  return item.value;
}

/** The fault that parsing ends in. */
export function faultOf(text: string): Fault {
  try {
    parseStatement(text);
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
  throw new Error(`Accepted: ${text}`);
}

/** A deep copy of a syntax tree without spans, and without the result names of select and partition items. */
export function shapeOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shapeOf);
  if (typeof node !== 'object' || node === null) return node;
  const item = 'alias' in node && 'text' in node;
  const kept = Object.entries(node).filter(([key]) => key !== 'span' && !(item && key === 'text'));
  return Object.fromEntries(kept.map(([key, value]) => [key, shapeOf(value)]));
}

/** A bare name without its span. */
export function bare(text: string) {
  return { text, quoted: false };
}

/** A back-quoted name without its span. */
export function quoted(text: string) {
  return { text, quoted: true };
}

import { FaultError } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { Limit, PartitionItem, Query, Select, SelectItem, Union } from '../syntax/ast.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseFrom } from './from.js';
import { parseInteger } from './literals.js';
import { parseAlias, parseStar } from './names.js';
import { parseOrder } from './over.js';
import { resultName } from './result-name.js';
import { parseRange, parseWindow } from './window.js';

/** Columns of one result, and keys of one GROUP BY, PARTITION BY or ORDER BY. */
const maxItems = 4096;
const maxKeys = 512;

/** Branches of one UNION. */
const maxUnionBranches = 100;

type Tail = Pick<Select, 'orderBy' | 'slimit' | 'limit'>;

/**
 * SELECT, or several joined by UNION, each with or without brackets, with ORDER BY and limits at the end. `first` is
 * the first branch when it has been read already.
 */
export function parseQuery(cursor: Cursor, first?: Query): Query {
  cursor.enter();
  cursor.parseQuery = parseQuery;
  const start = first?.span.start ?? cursor.start;
  const query = withTail(cursor, parseUnions(cursor, first ?? parseBranch(cursor), start), start);
  cursor.leave();
  cursor.checkCounts();
  return query;
}

function parseUnions(cursor: Cursor, first: Query, start: number): Query {
  let left = first;
  for (let branches = 2; cursor.accept('UNION'); branches += 1) {
    if (branches > maxUnionBranches) cursor.fail(`more than ${maxUnionBranches} branches`);
    const all = cursor.accept('ALL');
    const right = parseBranch(cursor);
    left = { kind: 'union', all, left, right, orderBy: [], limit: undefined, span: cursor.spanFrom(start) };
  }
  return left;
}

function parseBranch(cursor: Cursor): Query {
  if (!cursor.accept('(')) return parseSelect(cursor);
  const query = parseQuery(cursor);
  cursor.expect(')');
  return query;
}

/** Gives ORDER BY and limits to the query they follow; a bracketed query that has its own takes no second ones. */
function withTail(cursor: Cursor, query: Query, start: number): Query {
  const at = cursor.start;
  const tail = parseTail(cursor);
  if (cursor.start === at) return query;
  if (query.orderBy.length > 0 || query.limit !== undefined) cursor.failAt(at);
  const span = cursor.spanFrom(start);
  if (query.kind === 'select') {
    if (query.slimit !== undefined) cursor.failAt(at);
    return { ...query, ...tail, span };
  }
  if (tail.slimit !== undefined) cursor.failAt(tail.slimit.span.start);
  const union: Union = { ...query, orderBy: tail.orderBy, limit: tail.limit, span };
  return union;
}

function parseTail(cursor: Cursor): Tail {
  const orderBy = cursor.accept('ORDER') ? parseKeys(cursor, () => parseOrder(cursor, parseExpression)) : [];
  const slimit = parseLimit(cursor, 'SLIMIT', 'SOFFSET');
  const limit = parseLimit(cursor, 'LIMIT', 'OFFSET');
  return { orderBy, slimit, limit };
}

/** One SELECT block up to HAVING. */
function parseSelect(cursor: Cursor): Select {
  const start = cursor.start;
  cursor.expect('SELECT');
  const distinct = cursor.accept('DISTINCT');
  if (!distinct) cursor.accept('ALL');
  const tags = cursor.accept('TAGS');
  const scalar = parseRowMode(cursor) === 'SCALAR';
  const items = parseItem(cursor);
  while (items.length <= maxItems && cursor.accept(',')) items.push(...parseItem(cursor));
  if (items.length > maxItems) throw new FaultError(refusals.tooManyTableColumns);
  const from = cursor.accept('FROM') ? parseFrom(cursor, parseQuery) : undefined;
  const where = cursor.accept('WHERE') ? parseExpression(cursor) : undefined;
  const partitionBy = cursor.accept('PARTITION') ? parseKeys(cursor, parsePartitionItem) : [];
  const range = parseRange(cursor);
  const window = parseWindow(cursor);
  const groupBy = cursor.accept('GROUP') ? parseKeys(cursor, parseGroupItem) : [];
  const having = cursor.accept('HAVING') ? parseExpression(cursor) : undefined;
  const span = cursor.spanFrom(start);
  const blank = { orderBy: [], slimit: undefined, limit: undefined };
  const clauses = { from, where, partitionBy, range, window, groupBy, having };
  return { kind: 'select', distinct, tags, ...(scalar && { scalar }), items, ...clauses, ...blank, span };
}

/** SCALAR or AGG, unless it is the name of a column. */
function parseRowMode(cursor: Cursor): string | undefined {
  const mode = (['SCALAR', 'AGG'] as const).find((word) => cursor.at(word));
  if (mode === undefined || !/^[\w`]/.test(cursor.peek()) || cursor.peek() === 'FROM' || cursor.peek() === 'AS')
    return undefined;
  cursor.advance();
  return mode;
}

/** One item, or those of a COLS. */
function parseItem(cursor: Cursor): SelectItem[] {
  const start = cursor.start;
  const star = parseStar(cursor);
  if (star !== undefined) return [{ value: star, alias: undefined, text: '*' }];
  if (cursor.at('COLS') && cursor.peek() === '(') return parseColumnsOfRow(cursor);
  const value = parseExpression(cursor);
  const text = resultName(cursor, value, start);
  return [{ value, alias: parseAlias(cursor), text }];
}

/** `COLS (function, expression [AS alias], …)`: one item for each expression, a call with the function and it. */
function parseColumnsOfRow(cursor: Cursor): SelectItem[] {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  const picker = parseExpression(cursor);
  const items: SelectItem[] = [];
  cursor.expect(',');
  do {
    const from = cursor.start;
    const star = parseStar(cursor);
    const column = star ?? parseExpression(cursor);
    const text = resultName(cursor, column, from);
    const alias = star === undefined ? parseAlias(cursor) : undefined;
    const span = cursor.spanFrom(start);
    items.push({ value: { kind: 'call', name: 'COLS', args: [picker, column], bare: false, span }, alias, text });
  } while (cursor.accept(','));
  cursor.expect(')');
  const [only] = items;
  const isStar = only?.value.kind === 'call' && only.value.args[1]?.kind === 'star';
  return items.length === 1 && only?.alias === undefined && !isStar
    ? items.map((item) => ({ ...item, alias: parseAlias(cursor) }))
    : items;
}

/** `BY` and the keys behind it. */
function parseKeys<T>(cursor: Cursor, read: (cursor: Cursor) => T): readonly T[] {
  cursor.expect('BY');
  const keys = cursor.list(read);
  if (keys.length > maxKeys) cursor.refuse(`more than ${maxKeys} keys`);
  return keys;
}

function parsePartitionItem(cursor: Cursor): PartitionItem {
  const item = parseGroupItem(cursor);
  return { ...item, alias: parseAlias(cursor) };
}

function parseGroupItem(cursor: Cursor): PartitionItem {
  const start = cursor.start;
  const value = parseExpression(cursor);
  return { value, alias: undefined, text: resultName(cursor, value, start) };
}

/** `LIMIT n [OFFSET m]` or `LIMIT m, n`. */
function parseLimit(
  cursor: Cursor,
  keyword: 'LIMIT' | 'SLIMIT',
  offsetKeyword: 'OFFSET' | 'SOFFSET',
): Limit | undefined {
  const start = cursor.start;
  if (!cursor.accept(keyword)) return undefined;
  const first = parseInteger(cursor);
  if (cursor.accept(offsetKeyword)) {
    const offset = parseInteger(cursor);
    return { count: first, offset, span: cursor.spanFrom(start) };
  }
  if (!cursor.accept(',')) return { count: first, offset: 0n, span: cursor.spanFrom(start) };
  const count = parseInteger(cursor);
  return { count, offset: first, span: cursor.spanFrom(start) };
}

import type { Duration, Expression, FromItem, JoinKind, Query } from '../syntax/ast.js';
import { type Cursor, maxNesting } from './cursor.js';
import { parseExpression } from './expression.js';
import { foldSign, parseCount, parseDuration } from './literals.js';
import { parseName, parseObjectName, parseTableAlias } from './names.js';
import { parseType } from './types.js';

/** Tables of one FROM clause; a chain of joins is as deep as it is long. */
const maxJoinedTables = 256;

/** Rows that are written in a query. */
const maxInlineRows = 10_000;

/** Behind a bracketed query in brackets, these show that the outer brackets hold a query, too. */
const queryFollowers = new Set([')', 'UNION', 'ORDER', 'SLIMIT', 'LIMIT']);

const sidedJoins = new Map<string, { readonly left: JoinKind; readonly right: JoinKind }>([
  ['SEMI', { left: 'left-semi', right: 'right-semi' }],
  ['ANTI', { left: 'left-anti', right: 'right-anti' }],
  ['ASOF', { left: 'left-asof', right: 'right-asof' }],
  ['WINDOW', { left: 'left-window', right: 'right-window' }],
]);

/** Reads a query, or what follows its first branch; handed in by the query parser, which FROM needs for subqueries. */
type QueryParser = (cursor: Cursor, first?: Query) => Query;

/** Everything between FROM and the next clause: tables, subqueries and joins. A comma binds weaker than JOIN. */
export function parseFrom(cursor: Cursor, parseQuery: QueryParser): FromItem {
  const start = cursor.start;
  return parseList(cursor, parseQuery, parseTable(cursor, parseQuery), start);
}

function parseList(cursor: Cursor, parseQuery: QueryParser, first: FromItem, start: number): FromItem {
  let left = parseJoins(cursor, parseQuery, first, start);
  for (let tables = 2; cursor.accept(','); tables += 1) {
    if (tables > maxJoinedTables) cursor.fail(`more than ${maxJoinedTables} tables`);
    const from = cursor.start;
    const right = parseJoins(cursor, parseQuery, parseTable(cursor, parseQuery), from);
    left = { ...commaJoin(left, right), span: cursor.spanFrom(start) };
  }
  return left;
}

function parseJoins(cursor: Cursor, parseQuery: QueryParser, first: FromItem, start: number): FromItem {
  let left = first;
  for (let tables = 2; ; tables += 1) {
    const join = parseJoinKind(cursor);
    if (join === undefined) return left;
    if (tables > maxJoinedTables) cursor.fail(`more than ${maxJoinedTables} tables`);
    const right = parseTable(cursor, parseQuery);
    const on = cursor.accept('ON') ? parseExpression(cursor) : undefined;
    const windowOffset = cursor.accept('WINDOW_OFFSET') ? parseWindowOffset(cursor) : undefined;
    const jlimit = cursor.accept('JLIMIT') ? parseCount(cursor) : undefined;
    left = { kind: 'join', join, left, right, on, windowOffset, jlimit, span: cursor.spanFrom(start) };
  }
}

function commaJoin(left: FromItem, right: FromItem) {
  const clauses = { on: undefined, windowOffset: undefined, jlimit: undefined };
  return { kind: 'join', join: 'comma', left, right, ...clauses } as const;
}

function parseJoinKind(cursor: Cursor): JoinKind | undefined {
  if (cursor.accept('JOIN')) return 'inner';
  const word = cursor.word;
  if (word !== 'INNER' && word !== 'LEFT' && word !== 'RIGHT' && word !== 'FULL') return undefined;
  cursor.advance();
  const join = word === 'INNER' ? 'inner' : word === 'FULL' ? outer(cursor, 'full') : sided(cursor, word);
  cursor.expect('JOIN');
  return join;
}

function sided(cursor: Cursor, side: 'LEFT' | 'RIGHT'): JoinKind {
  const special = sidedJoins.get(cursor.word);
  if (special === undefined) return outer(cursor, side === 'LEFT' ? 'left' : 'right');
  cursor.advance();
  return side === 'LEFT' ? special.left : special.right;
}

function outer(cursor: Cursor, join: JoinKind): JoinKind {
  cursor.accept('OUTER');
  return join;
}

function parseWindowOffset(cursor: Cursor): readonly [Duration, Duration] {
  cursor.expect('(');
  const from = parseDuration(cursor);
  cursor.expect(',');
  const to = parseDuration(cursor);
  cursor.expect(')');
  return [from, to];
}

function parseTable(cursor: Cursor, parseQuery: QueryParser): FromItem {
  if (cursor.at('(')) return asTable(cursor, parseBracket(cursor, parseQuery));
  if (cursor.peek() === '(') {
    if (cursor.at('TEXT')) return parseInlineRows(cursor);
    if (cursor.at('FILE')) cursor.refuse('FILE in FROM, as files of the server are not read');
  }
  const table = parseObjectName(cursor);
  return { kind: 'table', table, alias: parseTableAlias(cursor) };
}

function parseInlineRows(cursor: Cursor): FromItem {
  const start = cursor.start;
  cursor.advance();
  cursor.expect('(');
  const columns = cursor.list((each) => ({ name: parseName(each), type: parseType(each, true) }));
  cursor.expect(')');
  cursor.expect('VALUES');
  const rows: (readonly Expression[])[] = [];
  do {
    if (rows.length === maxInlineRows) cursor.fail(`more than ${maxInlineRows} rows`);
    cursor.expect('(');
    rows.push(cursor.list((each) => foldSign(parseExpression(each))));
    cursor.expect(')');
  } while (cursor.at('('));
  const span = cursor.spanFrom(start);
  return { kind: 'rows', columns, rows, alias: parseTableAlias(cursor), span };
}

/**
 * Content of brackets: a query or joined tables. When it begins with a bracket itself, what follows that one decides:
 * `((SELECT ...) UNION ...)` is a query, `((SELECT ...) a JOIN b)` is not.
 */
function parseBracket(cursor: Cursor, parseQuery: QueryParser): Query | FromItem {
  cursor.enter();
  cursor.advance();
  const content = parseContent(cursor, parseQuery);
  cursor.expect(')');
  cursor.leave();
  return content;
}

function parseContent(cursor: Cursor, parseQuery: QueryParser): Query | FromItem {
  if (cursor.at('SELECT')) return parseQuery(cursor);
  if (!cursor.at('(')) return parseFrom(cursor, parseQuery);
  const start = cursor.start;
  const first = parseBracket(cursor, parseQuery);
  if (isQuery(first) && queryFollowers.has(cursor.word)) return parseQuery(cursor, first);
  return parseList(cursor, parseQuery, asTable(cursor, first), start);
}

function asTable(cursor: Cursor, item: Query | FromItem): FromItem {
  return isQuery(item) ? { kind: 'subquery', query: item, alias: parseTableAlias(cursor) } : item;
}

function isQuery(item: Query | FromItem): item is Query {
  return item.kind === 'select' || item.kind === 'union';
}

/** Whether the opening brackets at the current token lead to SELECT. */
export function beginsQuery(cursor: Cursor): boolean {
  const { start, lastEnd } = cursor;
  let brackets = 0;
  while (brackets <= maxNesting && cursor.accept('(')) brackets += 1;
  const isQuery = cursor.at('SELECT');
  cursor.seek(start);
  cursor.lastEnd = lastEnd;
  return isQuery;
}

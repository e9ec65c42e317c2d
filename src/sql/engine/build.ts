import {
  Binary,
  Call,
  Column,
  Digits,
  type Expr,
  type FromItem,
  type Query,
  type SelectQuery,
  type SortTerm,
  Subquery,
  Text,
  Unary,
  Word,
} from './nodes.js';

/** NULL. */
export const nullWord: Expr = new Word('NULL');
export const one: Expr = new Digits('1');
export const zero: Expr = new Digits('0');

/** A call of a function of the engine. */
export function call(name: string, ...args: readonly Expr[]): Call {
  return new Call(name, args);
}

/** A text as a literal: the only way, beside {@link quoted}, in which text of users enters a statement. */
export function text(value: string): Expr {
  return new Text(value);
}

/** A column by the program's own name for it, of the FROM item with an alias. */
export function column(table: string | undefined, name: string): Expr {
  return new Column(table, name);
}

/** A column by a name that may hold anything. */
export function quoted(table: string | undefined, name: string): Expr {
  return new Column(table, name, true);
}

/** `left = right` and the like as operators. */
export function equal(left: Expr, right: Expr): Expr {
  return new Binary('=', left, right);
}

/** All of the terms; `1` for none. */
export function allOf(terms: readonly Expr[]): Expr {
  const [first] = terms;
  if (first === undefined) return one;
  return terms.length === 1 ? first : new Call('and', terms);
}

/** One of the terms at least; `0` for none. */
export function anyOf(terms: readonly Expr[]): Expr {
  const [first] = terms;
  if (first === undefined) return zero;
  return terms.length === 1 ? first : new Call('or', terms);
}

/** A SELECT. */
export function select(query: SelectQuery): SelectQuery {
  return query;
}

/** A query as a value or as a set. */
export function subquery(query: Query): Expr {
  return new Subquery(query);
}

/** `left [NOT] IN (query)` */
export function inQuery(left: Expr, query: Query, negated = false): Expr {
  return new Binary(negated ? 'NOT IN' : 'IN', left, new Subquery(query));
}

/** The rows of a query as a FROM item. */
export function fromQuery(query: Query, alias?: string): FromItem {
  return { kind: 'query', query, alias };
}

/** A join of two FROM items. */
export function join(kind: string, left: FromItem, right: FromItem, on: readonly Expr[] = []): FromItem {
  return { kind: 'join', join: kind, left, right, on };
}

/** A sort term: NULL counts as the smallest value unless NULLS FIRST or LAST is written. */
export function sortTerm(
  by: Expr,
  nullable: boolean,
  order?: { readonly descending?: boolean | undefined; readonly nulls?: 'first' | 'last' | undefined },
): SortTerm {
  const descending = order?.descending === true;
  if (!nullable) return { by, descending };
  return { by, descending, nulls: order?.nulls ?? (descending ? 'last' : 'first') };
}

/** A 64-bit signed integer with exactly that type, whatever its size. */
export function int64(value: bigint): Expr {
  return call('toInt64', value < 0n ? text(String(value)) : number(value));
}

/** A binary64 number as a literal; what is not finite becomes NULL. */
export function float64(value: number): Expr {
  return Number.isFinite(value) ? call('toFloat64', text(String(value))) : nullWord;
}

/** Bytes as an expression that yields exactly them. */
export function bytes(value: Uint8Array): Expr {
  return call('unhex', text(Buffer.from(value).toString('hex')));
}

/** A number as it is, whose type the engine makes as narrow as it can. */
export function number(value: bigint | number): Expr {
  // The exponent of a number may have a sign, too.
  const digits = new Digits(String(value < 0 ? -value : value));
  return value < 0 ? new Unary('-', digits) : digits;
}

import type { Expression, FromItem, Select } from '../syntax/ast.js';
import { expressionsIn, walk } from '../syntax/tree.js';
import type { ColumnExpression } from './expression.js';

/** The columns in an expression, in order, outside of subqueries. */
export function columnsIn(expression: Expression): readonly ColumnExpression[] {
  return expressionsIn(expression).filter((part) => part.kind === 'column');
}

/** Which columns of a table a SELECT may read. */
export interface Mentioned {
  /** Every name that stands anywhere in it, without what it is qualified with; some may be no columns at all. */
  readonly names: ReadonlySet<string>;
  /** True when there is a `*`: all data columns; a qualified one shows tags as well. */
  readonly star: boolean;
  readonly qualifiedStar: boolean;
}

/**
 * Looks through all clauses of a SELECT, with the queries in them, and the conditions of its joins, but not into
 * subqueries of FROM.
 */
export function mentionedIn(select: Select): Mentioned {
  const names = new Set<string>();
  let star = false;
  let qualifiedStar = false;
  walk([{ ...select, from: undefined }, ...conditionsIn(select.from)], (node) => {
    if ('quoted' in node && 'text' in node && typeof node.text === 'string') names.add(node.text);
    else if ('kind' in node && node.kind === 'star' && 'table' in node) {
      star = true;
      qualifiedStar ||= node.table !== undefined;
    } else return true;
    return false;
  });
  return { names, star, qualifiedStar };
}

/**
 * True when a clause of a SELECT, but not a condition of its joins, names a column or star that `isOwn` takes: by its
 * name, or by that of a table before it.
 */
export function namesOwn(
  select: Select,
  isOwn: (table: string | undefined, name: string | undefined) => boolean,
): boolean {
  let isFound = false;
  walk({ ...select, from: undefined }, (node) => {
    if (!('kind' in node && 'table' in node && (node.kind === 'column' || node.kind === 'star'))) return !isFound;
    isFound ||= isOwn(textOf(node.table), 'name' in node ? textOf(node.name) : undefined);
    return false;
  });
  return isFound;
}

function textOf(name: unknown): string | undefined {
  return typeof name === 'object' && name !== null && 'text' in name && typeof name.text === 'string'
    ? name.text
    : undefined;
}

function conditionsIn(from: FromItem | undefined): Expression[] {
  if (from?.kind !== 'join') return [];
  const own = from.on === undefined ? [] : [from.on];
  return [...conditionsIn(from.left), ...conditionsIn(from.right), ...own];
}

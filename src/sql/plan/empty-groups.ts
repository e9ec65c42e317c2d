import { isCountLike } from '../functions/registry.js';
import { mentions } from '../resolve/expression.js';
import type { Expression, Query } from '../syntax/ast.js';

/**
 * The same query without groups that have no rows, which counts by sub-table or tag give with 0. A query whose HAVING
 * says which groups it wants stays as it is.
 */
export function withoutEmptyGroups(query: Query): Query {
  if (query.kind === 'union') {
    return { ...query, left: withoutEmptyGroups(query.left), right: withoutEmptyGroups(query.right) };
  }
  const { items, window, groupBy, partitionBy, having, span } = query;
  const isCounted = items.some(({ value }) => mentions(value, isCountLike));
  if (!isCounted || having !== undefined || window !== undefined || groupBy.length + partitionBy.length === 0)
    return query;
  const star: Expression = { kind: 'star', table: undefined, span };
  const left: Expression = { kind: 'call', name: 'COUNT', args: [star], bare: false, span };
  const right: Expression = { kind: 'integer', value: 0n, span };
  return { ...query, having: { kind: 'binary', operator: '>', left, right, span } };
}

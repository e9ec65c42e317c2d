import type { Expr, SelectQuery, SortTerm } from '../../engine/nodes.js';
import { printQuery } from '../../engine/print.js';
import { hasNode, Transformer } from '../../engine/transform.js';
import type { GroupedRows } from './group-rows.js';

/**
 * One SELECT that gives what `outer` gives over `grouped` AS `source`, or undefined where it takes both: every SELECT
 * more in a statement costs the engine time to analyse it, which is most of the time of a query of little data.
 * `mayMove` says which columns may stand elsewhere.
 */
export function mergedSelect(
  outer: SelectQuery,
  grouped: GroupedRows,
  source: string,
  mayMove = isSteady,
): SelectQuery | undefined {
  if (outer.distinct === true || outer.qualify !== undefined || outer.limitBy !== undefined) return undefined;
  if (!grouped.columns.every(([value]) => mayMove(value))) return undefined;
  const inner = new Map(grouped.columns.map(([value, alias]) => [alias, value]));
  const references = new Set<string>();
  const spelledOut = new Transformer((node) => {
    const value = node.kind === 'column' && node.table === source ? inner.get(node.name) : undefined;
    if (node.kind === 'column' && value !== undefined) references.add(node.name);
    return value;
  });
  const { where = [], having = [], groupBy = 0 } = grouped;
  const terms = spelledOut.list(outer.where ?? []);
  const keys = typeof groupBy === 'number' ? grouped.columns.slice(0, groupBy).map(([value]) => value) : groupBy;
  const merged: SelectQuery = {
    ...outer,
    columns: outer.columns.map(([value, alias]) => [spelledOut.expr(value), alias]),
    from: grouped.from,
    where: grouped.groups ? where : [...where, ...terms],
    groupBy: keys,
    having: grouped.groups ? [...having, ...terms] : having,
    qualify: grouped.qualify,
    isOneGroup: grouped.isOneGroup === true,
    hidesEmpty: grouped.hidesEmpty === true,
    orderBy: (outer.orderBy ?? []).map((term): SortTerm => spelledOut.sortTerm(term)),
  };
  // Without keys it is the aggregates that make it a group.
  const isGroup = !grouped.groups || keys.length > 0 || references.size > 0;
  return isGroup && printQuery(merged).length <= printQuery(outer).length * maxGrowth ? merged : undefined;
}

/** How much longer the text may get by expressions that stand in several places of it. */
const maxGrowth = 2;

/** Functions that give something else each time, or make rows. */
const unsteady = /^(?:arrayJoin$|rand|generate)/;

/**
 * True for expressions that give the same wherever and however often they stand, and name no column of the SELECT
 * itself.
 */
function isSteady(value: Expr): boolean {
  return !hasNode(value, (node) => {
    if (node.kind === 'call') return unsteady.test(node.name);
    return node.kind === 'column' && node.table === undefined && node.name === 'w';
  });
}

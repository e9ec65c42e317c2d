import { type EngineSelect, printSelect } from '../../engine/select.js';
import type { GroupedRows } from './group-rows.js';

/**
 * One SELECT that gives what `outer` gives over `grouped` AS `source`, or undefined where it takes both: every SELECT more
 * in a statement costs the engine time to analyse it, which is most of the time of a question about little data. `mayMove` says which columns may stand
 * elsewhere.
 */
export function mergedSelect(
  outer: EngineSelect,
  grouped: GroupedRows,
  source: string,
  mayMove = isSteady,
): EngineSelect | undefined {
  if (outer.distinct === true || outer.qualify !== undefined || outer.limitBy !== undefined) return undefined;
  if (!grouped.columns.every(([sql]) => mayMove(sql))) return undefined;
  const inner = new Map(grouped.columns.map(([sql, alias]) => [alias, sql]));
  const references = new Set<string>();
  // Texts and names that users have given are stepped over.
  const pattern = /'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?|\b(\w+)\.(\w+)/gs;
  const spelledOut = (sql: string): string =>
    sql.replace(pattern, (text: string, table: string | undefined, column: string | undefined) => {
      const value = column === undefined || table !== source ? undefined : inner.get(column);
      if (column === undefined || value === undefined) return text;
      references.add(column);
      return isName(value) ? value : `(${value})`;
    });
  const { where = [], having = [], groupBy = 0 } = grouped;
  const terms = (outer.where ?? []).map(spelledOut);
  const keys = typeof groupBy === 'number' ? grouped.columns.slice(0, groupBy).map(([sql]) => sql) : groupBy;
  const merged: EngineSelect = {
    ...outer,
    columns: outer.columns.map(([sql, alias]) => [spelledOut(sql), alias]),
    from: grouped.from,
    where: grouped.groups ? where : [...where, ...terms],
    groupBy: keys,
    having: grouped.groups ? [...having, ...terms] : having,
    qualify: grouped.qualify,
    isOneGroup: grouped.isOneGroup === true,
    hidesEmpty: grouped.hidesEmpty === true,
    orderBy: (outer.orderBy ?? []).map(spelledOut),
  };
  // Without keys it is the aggregates that make it a group.
  const isGroup = !grouped.groups || keys.length > 0 || references.size > 0;
  return isGroup && printSelect(merged).length <= printSelect(outer).length * maxGrowth ? merged : undefined;
}

/** How much longer the text may get by expressions that stand in several places of it. */
const maxGrowth = 2;

/** True for expressions that give the same wherever and however often they stand, and name no column of the SELECT itself. */
function isSteady(sql: string): boolean {
  return !/\b(?:arrayJoin|(?:rand|generate)\w*)\(/.test(sql) && !/(?:^|[^.\w])w\b/.test(sql);
}

function isName(sql: string): boolean {
  return /^\w+\.(?:\w+|`[^`\\]+`)$/.test(sql);
}

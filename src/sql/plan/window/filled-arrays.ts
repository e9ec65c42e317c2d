import type { EngineSelect } from '../../engine/select.js';
import { arrayOfEngine, timeColumn } from '../../engine/storage.js';
import type { Relation } from '../../resolve/relation.js';
import { cellNumber, cellStart, startOfCell } from '../../values/grid.js';
import type { GroupedRows } from '../group/group-rows.js';
import { countOf, type WindowRange } from '../rows/block.js';
import type { IntervalFill } from './fill.js';

/** Most windows that are arrays of one group. */
export const mostInArrays = 10_000;

/** Aggregates that leave out NULL: a window where all is NULL is like one without rows. `count()` has none. */
const ofValues = /^(avg|sum|min|max|argMinIf|argMaxIf)\((.+)\)$/s;
const allRows = 'count()';
const modes = new Set(['NULL', 'PREV', 'NEXT']);

/** The numbers of the first window and of the one behind the last, as they stand wherever windows are arrays. */
export function windowLimits([first, last]: WindowRange): string {
  return `${first}, ${last + 1n}`;
}

/**
 * As `fillWindows`, where windows of one series are filled from its own values: one group with an array for each aggregate, without a SELECT for the
 * windows that have rows. Undefined where it takes more. Windows come in their order; `rows` is the expression that gives them.
 */
export function filledArrays(
  task: IntervalFill,
  relation: Relation | undefined,
): { readonly select: GroupedRows; readonly rows: string } | undefined {
  const { fill, source, grouped, keys, values, windows, range } = task;
  const { grid } = windows;
  const isSeries = relation?.source.kind === 'stored' && relation.source.target.kind !== 'super';
  const hasWholeGroups = grouped.groups && keys.length === 0 && (grouped.having ?? []).length === 0;
  if (!isSeries || range === undefined || values.length === 0 || !hasWholeGroups) return undefined;
  if (!modes.has(fill.mode) || fill.within !== undefined || grid.unit !== 'ticks') return undefined;
  if (range[0] > range[1] || countOf(range) > mostInArrays) return undefined;
  const inner = new Map(grouped.columns.map(([sql, alias]) => [`${source}.${alias}`, sql]));
  const time = timeColumn(relation.rowAlias);
  // Windows that slide overlap.
  if (inner.get(`${source}.w`) !== cellStart(grid, time)) return undefined;
  const limits = windowLimits(range);
  const key = cellNumber(grid, time);
  const arrays: string[] = [];
  for (const { sql, type } of values) {
    const each = resampled(sql, inner, limits, key);
    if (each === undefined) return undefined;
    const array = arrayOfEngine(each, type);
    if (fill.mode === 'NULL') arrays.push(array);
    else arrays.push(`${fill.mode === 'PREV' ? 'arrayFill' : 'arrayReverseFill'}(x -> isNotNull(x), ${array})`);
  }
  const rows = `arrayJoin(arrayZip(CAST(range(${limits}), 'Array(Int64)'), ${arrays.join(', ')}))`;
  return {
    rows,
    select: {
      columns: [
        [startOfCell(grid, `tupleElement(${rows}, 1)`), 'w'],
        ...arrays.map((_, at): [string, string] => [`tupleElement(${rows}, ${at + 2})`, `f${at + 1}`]),
      ],
      from: grouped.from,
      where: grouped.where ?? [],
      isOneGroup: true,
      hidesEmpty: true,
      groups: true,
    },
  };
}

/** An aggregate of a value as an array with an entry for each window, NULL for those without rows; undefined for other aggregates. */
function resampled(sql: string, inner: ReadonlyMap<string, string>, limits: string, key: string): string | undefined {
  const [, whole, column = ''] = /^(toInt64\()?\(?(\w+\.a\d+)\)?\)?$/.exec(sql) ?? [];
  const aggregate = inner.get(column) ?? '';
  const [, name, args] = ofValues.exec(aggregate) ?? [];
  if (name !== undefined)
    return whole === undefined ? `${name}OrNullResample(${limits}, 1)(${args}, ${key})` : undefined;
  return aggregate === allRows ? `countOrNullResample(${limits}, 1)(${key})` : undefined;
}

/** A SELECT in which the rows of all windows, an expression, stand once, where they get a name. */
export function namedOnce(select: EngineSelect, rows: string, name: string): EngineSelect {
  let isNamed = false;
  const named = (sql: string): string => {
    const [first = '', ...others] = sql.split(rows);
    if (isNamed || others.length === 0) return [first, ...others].join(isNamed ? name : rows);
    isNamed = true;
    return `${first}(${rows} AS ${name})${others.join(name)}`;
  };
  const columns = select.columns.map(([sql, alias]): [string, string] => [named(sql), alias]);
  return isNamed ? { ...select, columns, orderBy: (select.orderBy ?? []).map(named) } : select;
}

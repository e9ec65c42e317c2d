import type { EngineSelect } from '../../engine/select.js';
import { arrayOfEngine, castToEngine, timeColumn } from '../../engine/storage.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { Relation } from '../../resolve/relation.js';
import { cellNumber, cellStart, startOfCell } from '../../values/grid.js';
import { isInteger, isNumeric, type Value } from '../../values/value.js';
import type { GroupedRows } from '../group/group-rows.js';
import { countOf, type WindowRange } from '../rows/block.js';
import { fillLiterals, type IntervalFill, wholePart, withDefault } from './fill.js';

/** Most windows that are arrays of one group. */
export const mostInArrays = 10_000;

/** Most values of a window that are taken from arrays: the engine reads all of them again for each, so 100 take seconds, and 250 a minute. */
const mostValues = 8;

/** Aggregates that leave out NULL: a window where all is NULL is like one without rows. `count()` has none. */
const ofValues = /^(avg|sum|min|max|argMinIf|argMaxIf)\((.+)\)$/s;
const allRows = 'count()';
const modes = new Set(['NULL', 'NULL_F', 'VALUE', 'VALUE_F', 'PREV', 'NEXT', 'LINEAR']);

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
  translator: ExpressionTranslator,
): { readonly select: GroupedRows; readonly rows: string } | undefined {
  const { fill, source, grouped, keys, values, windows, range } = task;
  const { grid } = windows;
  const isSeries = relation?.source.kind === 'stored' && relation.source.target.kind !== 'super';
  const hasWholeGroups = grouped.groups && keys.length === 0 && (grouped.having ?? []).length === 0;
  if (!isSeries || range === undefined || values.length === 0 || !hasWholeGroups) return undefined;
  if (values.length > mostValues) return undefined;
  if (!modes.has(fill.mode) || fill.within !== undefined || grid.unit !== 'ticks') return undefined;
  if (range[0] > range[1] || countOf(range) > mostInArrays) return undefined;
  const inner = new Map(grouped.columns.map(([sql, alias]) => [`${source}.${alias}`, sql]));
  const time = timeColumn(relation.rowAlias);
  // Windows that slide overlap.
  if (inner.get(`${source}.w`) !== cellStart(grid, time)) return undefined;
  const limits = windowLimits(range);
  const key = cellNumber(grid, time);
  const numbers = `CAST(range(${limits}), 'Array(Int64)')`;
  const arrays: string[] = [];
  for (const [at, value] of values.entries()) {
    const { sql, type } = value;
    const each = resampled(sql, inner, limits, key);
    if (each === undefined) return undefined;
    const array = arrayOfEngine(each, type);
    const isLine = fill.mode === 'LINEAR' && isNumeric(type);
    if (fill.mode === 'PREV') arrays.push(`arrayFill(x -> isNotNull(x), ${array})`);
    else if (fill.mode === 'NEXT') arrays.push(`arrayReverseFill(x -> isNotNull(x), ${array})`);
    else if (!isLine) arrays.push(array);
    else
      arrays.push(
        onLines(value, `arrayZip(${array}, ${numbers})`, `countResample(${limits}, 1)(${key})`, `${source}z${at}`),
      );
  }
  const rows = `arrayJoin(arrayZip(${numbers}, ${arrays.join(', ')}))`;
  const literals = fill.mode.startsWith('VALUE') ? fillLiterals(fill, translator) : undefined;
  const filled = values.map((value, at): [string, string] => {
    const own = `tupleElement(${rows}, ${at + 2})`;
    return [literals === undefined ? own : withDefault(own, literals(at), value, translator.env), `f${at + 1}`];
  });
  return {
    rows,
    select: {
      columns: [[startOfCell(grid, `tupleElement(${rows}, 1)`), 'w'], ...filled],
      from: grouped.from,
      where: grouped.where ?? [],
      isOneGroup: true,
      hidesEmpty: !fill.mode.endsWith('_F'),
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

/**
 * Values of windows with rows, and those on the lines between them, where they are numbers: `known` are pairs of value and number of the window, NULL where there are no
 * values, `present` counts of rows. They get a name.
 */
function onLines({ type }: Value, known: string, present: string, name: string): string {
  const [a, b] = ['toFloat64(a.1)', 'toFloat64(b.1)'];
  const point = `${a} + (${b} - ${a}) * (k.2 - a.2) / (b.2 - a.2)`;
  const value = castToEngine(isInteger(type) ? wholePart(point) : point, type);
  const ends = ['arrayFill', 'arrayReverseFill'].map((fill) => `${fill}(x -> isNotNull(x.1), ${name})`);
  return `arrayMap((p, k, a, b) -> if(p > 0, k.1, ${value}), ${present}, (${known} AS ${name}), ${ends.join(', ')})`;
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

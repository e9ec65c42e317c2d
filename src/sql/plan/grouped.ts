import { Codes } from '../../model/fault.js';
import { column, fromQuery, sortTerm } from '../engine/build.js';
import type { Expr, SelectQuery } from '../engine/nodes.js';
import { findFunction, isAggregate, isCountLike } from '../functions/registry.js';
import { unorderedRows } from '../functions/spec.js';
import { type CallExpression, ExpressionTranslator, hasOver } from '../resolve/expression.js';
import { nestedAggregate, RowNames } from '../resolve/names.js';
import type { Expression, Select } from '../syntax/ast.js';
import { partsOf } from '../syntax/tree.js';
import { refuse } from '../values/context.js';
import { Uses, type Value } from '../values/value.js';
import { type GroupKey, GroupNames, type GroupScope } from './group/group-names.js';
import { type GroupedRows, groupRows } from './group/group-rows.js';
import { mergedSelect } from './group/merged-select.js';
import { type BlockTask, type PlannedBlock, resultColumns, type WindowRange } from './rows/block.js';
import type { Item } from './rows/items.js';
import { keyExpressions } from './rows/keys.js';
import { isNamed, orderTerms, rowRange, sliceLimits } from './rows/ordering.js';
import { isSuper, seriesOrder } from './rows/scan.js';
import { mayRepeatTimes, SlicedRows } from './rows/sliced-rows.js';
import { canBeFilled, fillListedWindows, fillWindows } from './window/fill.js';
import { FilledColumns } from './window/filled-columns.js';
import { countedRows } from './window/row-windows.js';
import {
  checkWindowTime,
  fillClause,
  groupedSource,
  type Windowing,
  windowing,
  windowRange,
} from './window/windowing.js';

/**
 * A SELECT over groups, windows or both. Its engine statement has layers: rows are grouped, missing windows filled, and
 * the select list is computed over what that gives.
 */
export function planGrouped(block: BlockTask): PlannedBlock {
  checkWindowTime(block);
  checkOrder(block);
  const counted = countedRows(block);
  const rows = orderedRows(counted);
  const task =
    rows === undefined ? counted : { ...block, relation: rows.relation, filter: SlicedRows.afterScan(block.filter) };
  const { select, items } = task;
  const keys = groupKeys(task);
  const slices = keys.map(({ value }) => value);
  rows?.sliceBy(slices);
  const windows = windowing(task, rows, slices);
  const scope = groupScope(task, keys, windows, { ordered: rows, manyTables: isSuper(block.relation) });
  const names = new GroupNames(scope);
  const translator = new ExpressionTranslator(task.env, names);
  const values = items.map(({ value }) => translator.translate(value));
  checkManyRows(task);
  const having = select.having === undefined ? [] : [translator.condition(select.having).sql];
  const hidden = select.orderBy.map(({ value }) => orderValue(value, task, translator));
  const filled = new FilledColumns(scope.source, names, valuesOfGroups(task, [...values, ...hidden], translator));
  const checks = rows === undefined ? [] : timeChecks(block, rows, slices);
  const passed = { ...task.filter, row: [...task.filter.row, ...windows.rows, ...checks] };
  const grouped = groupedRows({ ...task, filter: passed }, scope, windows, names);
  // A key that is the same for all groups, or another one each time, stays where it is.
  const steady = keys.every(({ value }) => value.uses !== Uses.nothing && (value.uses & Uses.random) === 0);
  const fill = fillClause(task);
  const range = windowRange(task, windows.intervals);
  if (fill !== undefined) {
    const filling = {
      fill,
      source: scope.source,
      grouped,
      steady,
      keys: [...keys, ...names.dependents].map(({ column: key }) => key),
      values: filled.functions,
    };
    const shown = new ExpressionTranslator(task.env, filled);
    const after =
      (expressions: readonly { readonly value: Expression }[]) =>
      (value: Value, at: number): Value => {
        const expression = expressions[at]?.value;
        // An expression with OVER looks at windows as they are once they are filled.
        return hasOver(expression) ? shown.translate(expression) : filled.replaced(value);
      };
    const chosen = outerSelect(task, scope, windows, values.map(after(items)), hidden.map(after(select.orderBy)));
    const where = select.having === undefined ? [] : [shown.condition(select.having).sql];
    // Windows must exist before they are used.
    const looks = where.length > 0 || [...items, ...select.orderBy].some(({ value }) => hasOver(value));
    const isNarrow = range !== undefined && !looks && canBeFilled(range);
    const added = isNarrow ? shownWindows(range, select, items) : range;
    const filledRows = allWindows(task, windows, added, filling, translator);
    const over = { ...chosen.select, from: fromQuery(filledRows, scope.source), where };
    const merged = looks ? undefined : mergedSelect(over, filledRows, scope.source);
    return plannedSelect(merged ?? over, chosen.columns);
  }
  const { select: chosen, columns } = outerSelect(task, scope, windows, values, hidden);
  const over = { ...chosen, from: fromQuery(grouped, scope.source), where: having };
  return plannedSelect((steady ? mergedSelect(over, grouped, scope.source) : undefined) ?? over, columns);
}

/** The rows of all windows, with those that FILL adds. */
function allWindows(
  { external }: BlockTask,
  { intervals }: Windowing,
  range: WindowRange | undefined,
  filling: Parameters<typeof fillListedWindows>[0],
  translator: ExpressionTranslator,
): GroupedRows {
  if (intervals === undefined) {
    return external === undefined ? filling.grouped : fillListedWindows(filling, external, translator);
  }
  return fillWindows({ ...filling, windows: intervals, range }, translator);
}

/**
 * The windows among which those are that a LIMIT shows, which come in the order of time: others need not be added. All of
 * them without a LIMIT, or in another order. Those that have rows are there in any case.
 */
function shownWindows([first, last]: WindowRange, select: Select, items: readonly Item[]): WindowRange {
  const limit = rowRange(select.limit);
  const [order, ...others] = select.orderBy;
  const isAlias = items.some(({ aliased, name }) => aliased && name === '_wstart');
  const isStart = order?.value.kind === 'column' && order.value.name.text === '_wstart' && !isAlias;
  const isByTime = order === undefined || isStart;
  if (limit === undefined || select.distinct || others.length > 0 || !isByTime) return [first, last];
  const shown = limit.offset + limit.count;
  if (shown > last - first) return [first, last];
  return order?.descending === true ? [last - shown + 1n, last] : [first, first + shown - 1n];
}

/**
 * Values that are computed for each group: those of the select list and of ORDER BY, without OVER, and the aggregates
 * of OVER and HAVING.
 */
function valuesOfGroups(
  { select, items }: BlockTask,
  values: readonly Value[],
  translator: ExpressionTranslator,
): readonly Value[] {
  const expressions = [...items, ...select.orderBy].map(({ value }) => value);
  const compared = [...(select.having === undefined ? [] : [select.having]), ...expressions.filter(hasOver)];
  const calls = compared.flatMap(aggregateCalls);
  const plain = values.filter((_, at) => !hasOver(expressions[at]));
  return [...plain, ...calls.map((call) => translator.translate(call))];
}

function plannedSelect(select: SelectQuery, columns: PlannedBlock['columns']): PlannedBlock {
  return { query: select, columns, select };
}

/** The select list over the grouped rows, without where they come from. */
function outerSelect(
  { select, items }: BlockTask,
  scope: GroupScope,
  { order: windowOrder }: Windowing,
  values: readonly Value[],
  hidden: readonly Value[],
): { readonly select: Omit<SelectQuery, 'from'>; readonly columns: PlannedBlock['columns'] } {
  const { planned, columns, shown } = resultColumns(items, values);
  const orderBy = orderTerms(select.orderBy, items, planned, select.distinct, (order) => {
    return hidden[select.orderBy.indexOf(order)] ?? failedOrder();
  });
  const grouped = (keys: readonly GroupKey[]): Value[] =>
    keys
      .filter(({ value }) => value.uses !== Uses.nothing)
      .map(({ value, column: key }) => ({ ...value, sql: column(scope.source, key) }));
  // Rows that ORDER BY leaves in any order are ordered in the same way, so that the rows of a slice stay in the order of time.
  if (!select.distinct) {
    orderBy.push(...grouped(scope.keys).map(({ sql, nullable }) => sortTerm(sql, nullable)));
    if (windowOrder !== undefined) orderBy.push(sortTerm(windowOrder, false));
  }
  const isSliced = select.partitionBy.length > 0;
  const slices = grouped(isSliced ? scope.keys.slice(0, select.partitionBy.length) : scope.keys);
  return { select: { columns, distinct: select.distinct, ...sliceLimits(select, slices), orderBy }, columns: shown };
}

function failedOrder(): never {
  throw refuse(Codes.notSelectedExpression, 'Not SELECTed expression');
}

/** The rows in their order with their neighbours, when a function of the block has to see them so. */
function orderedRows(task: BlockTask): SlicedRows | undefined {
  const { window } = task.select;
  if (window !== undefined && window.kind !== 'interval' && window.kind !== 'external') {
    return new SlicedRows(task, window.kind === 'event' || window.kind === 'count' ? 'sequence' : 'timed');
  }
  const inWindows = window !== undefined;
  const besideColumns = !inWindows && task.items.some(({ value }) => aggregateCalls(value).length === 0);
  const needsOrder = aggregatesOf(task).some(({ name }) => {
    const spec = findFunction(name);
    if (spec.kind === 'scalar' || spec.kind === 'series') return false;
    if (spec.ordered === 'in-windows') return inWindows;
    if (spec.ordered === 'same-times') return task.relation !== undefined && seriesOrder(task.relation).length > 1;
    return spec.ordered === 'beside-columns' ? besideColumns : spec.ordered === true;
  });
  return needsOrder ? new SlicedRows(task) : undefined;
}

/** Error 0x264F where a subquery gives rows to a function along their times in an order of its own. */
function checkOrder(task: BlockTask): void {
  if (task.relation?.rowOrder?.length !== 0) return;
  for (const { name } of aggregatesOf(task)) {
    const spec = findFunction(name);
    if (spec.kind === 'aggregate' && spec.alongTime === true) throw unorderedRows(name);
  }
}

/** The terms for WHERE that refuse rows of one time, or leave one of them, for functions along the time. */
function timeChecks(task: BlockTask, rows: SlicedRows, slices: readonly Value[]): readonly Expr[] {
  const terms = aggregatesOf(task).flatMap(({ name }) => {
    const spec = findFunction(name);
    return spec.kind === 'aggregate' && spec.distinctTimes !== undefined ? [spec.distinctTimes] : [];
  });
  if (terms.length === 0) return [];
  const areOfSeries = terms.map((each) => each === 'of-series' && rows.series.length > 0);
  const ofSeries = areOfSeries.every((each) => each);
  if (!mayRepeatTimes(task.relation, slices, ofSeries)) return [];
  // Where some functions want one row of a time and others one of each series, there is no row to take.
  return [rows.distinctTimes(ofSeries || !areOfSeries.includes(true), ofSeries ? rows.series : [])];
}

/** The calls of aggregates and selections in all clauses. */
function aggregatesOf({ select, items }: BlockTask): CallExpression[] {
  const everything = [...items, ...select.orderBy].map(({ value }) => value);
  if (select.having !== undefined) everything.push(select.having);
  return everything.flatMap(aggregateCalls);
}

/** The keys of PARTITION BY and GROUP BY. */
function groupKeys({ select, relation, env, items }: BlockTask): GroupKey[] {
  const inKey = (): Error => refuse(Codes.functionMixed, functionMixedText);
  const rows = new ExpressionTranslator(env, new RowNames(relation, inKey));
  const expressions = keyExpressions([...select.partitionBy, ...select.groupBy], items, relation);
  return expressions.map(({ value, alias }, at) => ({ value: rows.translate(value), column: `k${at + 1}`, alias }));
}

function groupScope(
  task: BlockTask,
  keys: readonly GroupKey[],
  { limits }: Windowing,
  read: Pick<GroupScope, 'ordered' | 'manyTables'>,
): GroupScope {
  const { relation, env, items, filter } = task;
  return {
    env,
    relation,
    source: groupedSource(task),
    keys,
    window: limits,
    bounds: filter.bounds,
    rows: new ExpressionTranslator(env, new RowNames(relation, nestedAggregate)),
    picksRow: picksRow(items.map(({ value }) => value)),
    ...read,
  };
}

const functionMixedText =
  'Some functions are allowed only in the SELECT list of a query. And, cannot be mixed with other non scalar functions or columns.';

/** True when one selection is all there is, or several that all pick the newest row. */
function picksRow(items: readonly Expression[]): boolean {
  const calls = items.flatMap(aggregateCalls);
  const selections = calls.filter(({ name }) => findFunction(name).kind === 'selection');
  if (selections.length !== calls.length) return false;
  return calls.length === 1 || (calls.length > 1 && calls.every(({ name }) => name === 'LAST_ROW'));
}

function aggregateCalls(expression: Expression): CallExpression[] {
  if (expression.kind === 'call' && isAggregate(expression.name)) return [expression];
  return partsOf(expression).flatMap(aggregateCalls);
}

/** A function that gives several rows stands alone in its SELECT. */
function checkManyRows(task: BlockTask): void {
  const calls = aggregatesOf(task);
  const many = calls.find(({ name }) => {
    const spec = findFunction(name);
    return spec.kind === 'aggregate' && spec.manyRows === true;
  });
  if (many === undefined) return;
  if (calls.length > 1) throw refuse(Codes.invalidExpression, `Invalid usage of expr: ${many.name.toLowerCase()}`);
  if (fillClause(task) !== undefined)
    throw refuse(Codes.notInFill, `${many.name} function is not supported in fill query`);
}

/** The value an ORDER BY item sorts by; positions and aliases are matched later. */
function orderValue(expression: Expression, { items }: BlockTask, translator: ExpressionTranslator): Value {
  if (expression.kind === 'column' && expression.table === undefined) {
    const item = items.find((candidate) => isNamed(candidate, expression.name.text));
    if (item !== undefined) return translator.translate(item.value);
  }
  return translator.translate(expression);
}

function groupedRows(task: BlockTask, scope: GroupScope, { key }: Windowing, names: GroupNames): GroupedRows {
  const { relation, filter } = task;
  const calls = aggregatesOf(task);
  const { context } = task.env;
  const table = relation?.source.kind === 'stored' ? relation.source.target.table : undefined;
  const unique = table && isSuper(relation) ? context.uniqueRows?.(table) : undefined;
  return groupRows({
    relation,
    filter,
    keys: scope.keys,
    window: key,
    aggregates: names.aggregates.list,
    dependents: names.dependents,
    countLike: calls.some(({ name }) => isCountLike(name)),
    isLarge: table !== undefined && context.isLarge?.(table) === true,
    unique: unique?.isAll === true && context.mayAssume !== true ? { ...unique, isAll: false } : unique,
    newestOnly: calls.length > 0 && calls.every(({ name }) => name === 'LAST_ROW'),
  });
}

import { Codes } from '../../model/fault.js';
import { anyOf, fromQuery, select, sortTerm, zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { printExpr } from '../engine/print.js';
import { expr } from '../engine/template.js';
import { findFunction, isSeries } from '../functions/registry.js';
import { type AggregateFunction, checkArguments, type SeriesFunction, unorderedRows } from '../functions/spec.js';
import {
  type CallExpression,
  type ColumnExpression,
  ExpressionTranslator,
  mentions,
  type NameResolver,
} from '../resolve/expression.js';
import { nestedAggregate, RowNames, windowColumns } from '../resolve/names.js';
import { expressionsIn } from '../syntax/tree.js';
import { refuse } from '../values/context.js';
import { timestampType, Uses, type Value } from '../values/value.js';
import { type WindowEnds, windowColumn } from './group/window-columns.js';
import { type BlockTask, type PlannedBlock, resultColumns } from './rows/block.js';
import { keyExpressions } from './rows/keys.js';
import { orderTerms, sliceLimits } from './rows/ordering.js';
import { mayRepeatTimes, SlicedRows } from './rows/sliced-rows.js';
import { FilledRows } from './window/filled-rows.js';
import { countedRows } from './window/row-windows.js';
import type { IntervalWindows } from './window/window.js';
import { checkWindowTime, fillClause, windowing, windowRange } from './window/windowing.js';

/** True when a SELECT calls a function that gives rows of its own, such as DIFF or TOP. */
export function usesSeriesFunctions({ select, items }: BlockTask): boolean {
  return [...items, ...select.orderBy].some(({ value }) => mentions(value, isSeries));
}

/**
 * A SELECT with functions over the rows of a slice in order of time. With PARTITION BY or GROUP BY every combination of its
 * keys is a slice, else all rows are one. Rows come slice by slice in the order of time.
 */
export function planSeries(task: BlockTask): PlannedBlock {
  checkPlace(task);
  checkWindowTime(task);
  const { select: statement, relation, env, items } = task;
  const rows = new SlicedRows(countedRows(task), neededOrder(task));
  const plain = new ExpressionTranslator(env, new RowNames(rows.relation, nestedAggregate));
  const keys = keyExpressions([...statement.partitionBy, ...statement.groupBy], items, relation).map(({ value }) =>
    plain.translate(value),
  );
  rows.sliceBy(keys);
  const windows = slicingWindows(task, rows, keys);
  const ofWindow = (name: string, ends: WindowEnds | undefined = windows): Value =>
    windowColumn(name, ends, task.filter.bounds, env);
  const names = new SeriesNames(rows, plain, ofWindow);
  const translator = new ExpressionTranslator(env, names);
  const varying = keys.filter(({ uses }) => uses !== Uses.nothing);
  const filled = filledRows(task, rows, windows, { slices: varying, plain, ofWindow });
  const values = items.map(({ value }) => {
    const own = translator.translate(value);
    return filled?.value(value, own, true) ?? own;
  });
  const { planned, columns, shown } = resultColumns(items, values);
  const orderBy = orderTerms(statement.orderBy, items, planned, statement.distinct, ({ value }) => {
    const own = translator.translate(value);
    return filled?.value(value, own, false) ?? own;
  });
  const slices = filled?.slices ?? varying;
  if (orderBy.length === 0 && !statement.distinct) {
    orderBy.push(...slices.map(({ sql, nullable }) => sortTerm(sql, nullable)));
    const start = windows === undefined ? [] : [windows.start];
    orderBy.push(...(filled?.order ?? [...start, ...rows.order]).map((sql) => sortTerm(sql, false)));
  }
  const having = statement.having === undefined ? [] : [translator.condition(statement.having).sql];
  const where = [...names.rowFilter(), ...(windows?.rows ?? []), ...(filled === undefined ? having : [])];
  const { sameTimes } = names;
  if (sameTimes !== undefined && mayRepeatTimes(relation, keys))
    where.unshift(rows.distinctTimes(sameTimes === 'first'));
  const terms =
    filled === undefined || statement.having === undefined ? [] : [filled.condition(statement.having, having)];
  const { source, rowAlias } = rows.relation;
  const scanned = { from: source.kind === 'block' ? fromQuery(source.query, rowAlias) : undefined, where };
  const limits = sliceLimits(statement, slices);
  const query = select({
    columns,
    distinct: statement.distinct,
    ...limits,
    ...(filled?.rows(scanned, [...terms, ...(limits.qualify === undefined ? [] : [limits.qualify])]) ?? scanned),
    orderBy,
  });
  return { query, columns: shown, isRowsOfWindows: windows === undefined ? undefined : true };
}

/** The rows of a block together with those that its FILL adds; undefined without such a clause. */
function filledRows(
  task: BlockTask,
  rows: SlicedRows,
  windows: SlicingWindows | undefined,
  {
    slices,
    plain,
    ofWindow,
  }: {
    readonly slices: readonly Value[];
    readonly plain: ExpressionTranslator;
    readonly ofWindow: (name: string, ends: WindowEnds) => Value;
  },
): FilledRows | undefined {
  const fill = fillClause(task);
  if (fill === undefined || windows?.intervals === undefined) return undefined;
  const { intervals, start } = windows;
  return new FilledRows({
    task,
    fill,
    intervals,
    range: windowRange(task, intervals),
    start,
    number: rows.over(expr`row_number()`),
    slices,
    plain,
    windowColumn: (name, begin) => ofWindow(name, { start: begin, end: lastTick(intervals, begin) }),
  });
}

/** Windows of time end with the last tick of theirs where their rows are given. */
function lastTick(intervals: IntervalWindows, start: Expr): Expr {
  return expr`${intervals.endOf(start)} - 1`;
}

/** Which order of the rows the functions of a block go by; error 0x264F where a subquery gives them another one. */
function neededOrder(task: BlockTask): 'timed' | 'sequence' | 'any' {
  const called = seriesCalls(task);
  const sequential = called.map(findFunction).find((spec) => spec.kind === 'series' && spec.distinctTimes);
  if (sequential !== undefined && task.relation?.rowOrder?.length === 0) throw unorderedRows(sequential.name);
  if (sequential !== undefined) return 'sequence';
  return called.every(isPick) ? 'any' : 'timed';
}

/** Windows that are slices, by their limits in every row, and which rows belong to them. */
interface SlicingWindows extends WindowEnds {
  readonly intervals: IntervalWindows | undefined;
  readonly rows: readonly Expr[];
}

/** The windows of a block, each of which becomes a slice. */
function slicingWindows(task: BlockTask, rows: SlicedRows, keys: readonly Value[]): SlicingWindows | undefined {
  if (task.select.window === undefined) return undefined;
  const { key, having, intervals, rows: inWindow } = windowing({ ...task, relation: rows.relation }, rows, keys);
  if (key === undefined) throw notInWindow(seriesCalls(task)[0] ?? '');
  if (intervals !== undefined) {
    const start = rows.column(key.key[0]);
    const window = { sql: start, type: timestampType, precision: task.env.precision, nullable: false, uses: Uses.row };
    rows.sliceBy([...keys, window]);
    const end = seriesCalls(task).some(isPick) ? intervals.endOf(start) : lastTick(intervals, start);
    return { start, end, rows: inWindow, intervals };
  }
  const ofWindow = (aggregate: Expr): Expr =>
    rows.over(aggregate, { frame: 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING' });
  const [start = zero, end = zero] = key.limits.map(([limit]) => ofWindow(limit));
  return { start, end, intervals, rows: [...inWindow, ...(having?.(ofWindow) ?? [])] };
}

/** The functions over rows that a block calls. */
function seriesCalls({ select, items }: BlockTask): string[] {
  const parts = [...items, ...select.orderBy].flatMap(({ value }) => expressionsIn(value));
  return parts.flatMap((part) => (part.kind === 'call' && isSeries(part.name) ? [part.name] : []));
}

/** True for functions that pick rows by their values alone. */
function isPick(name: string): boolean {
  const spec = findFunction(name);
  return spec.kind === 'series' && spec.isTimeless === true;
}

function notInWindow(name: string): Error {
  return refuse(Codes.notInWindow, `${name} function is not supported in time window query`);
}

/** The modes of FILL that windows without rows can have where each row is given. */
const rowFills: ReadonlySet<string> = new Set(['NULL', 'NULL_F', 'VALUE', 'VALUE_F']);

/**
 * Only functions that pick rows by their values may stand in GROUP BY, some of the others in FILL and windows, and
 * HAVING is for windows.
 */
function checkPlace(task: BlockTask): void {
  const { select } = task;
  const names = seriesCalls(task);
  const name = names[0] ?? '';
  const picks = names.find(isPick);
  const fill = fillClause(task);
  if (fill !== undefined && (picks !== undefined || !rowFills.has(fill.mode))) {
    const what = name === '' ? `FILL(${fill.mode}) of plain columns` : `${picks ?? name} function`;
    throw refuse(Codes.notInFill, `${what} is not supported in fill query`);
  }
  const outside = names.find((called) => {
    const spec = findFunction(called);
    return spec.kind === 'series' && spec.outsideWindows === true;
  });
  if (select.window !== undefined && outside !== undefined) throw notInWindow(outside);
  const alongTime = names.find((called) => !isPick(called));
  if (select.groupBy.length > 0 && alongTime !== undefined) {
    throw refuse(Codes.notInGroup, `${alongTime} function is not supported in group query`);
  }
  if (select.having !== undefined && select.window === undefined) throw mixed(name);
}

function mixed(name: string): Error {
  return refuse(Codes.invalidExpression, `Invalid usage of expr: ${name.toLowerCase()}`);
}

/** Names as they stand for the rows of a slice: columns of the row, and functions that look at its neighbours. */
class SeriesNames implements NameResolver {
  /** What is done about rows of one time: they are refused, or the first of them is taken; undefined where they may be. */
  sameTimes: 'refused' | 'first' | undefined;
  readonly #rows: SlicedRows;
  readonly #plain: ExpressionTranslator;
  readonly #windowColumn: (name: string) => Value;
  readonly #conditions = new Map<string, Expr>();
  readonly #seen = new Map<string, SeriesFunction>();
  #allowsAll = false;

  constructor(rows: SlicedRows, plain: ExpressionTranslator, windowColumn: (name: string) => Value) {
    this.#rows = rows;
    this.#plain = plain;
    this.#windowColumn = windowColumn;
  }

  /** The filter of the result rows: those that one of the functions gives a value for. */
  rowFilter(): readonly Expr[] {
    return this.#allowsAll || this.#conditions.size === 0 ? [] : [anyOf([...this.#conditions.values()])];
  }

  intercept(): undefined {
    return undefined;
  }

  column(expression: ColumnExpression): Value {
    const { table, name } = expression;
    const isColumn = table !== undefined || this.#rows.relation.byName.has(name.text);
    if (!isColumn && windowColumns.has(name.text)) return { ...this.#windowColumn(name.text), uses: Uses.row };
    return this.#plain.translate(expression);
  }

  aggregate(call: CallExpression, spec: AggregateFunction | SeriesFunction): Value {
    const { env } = this.#plain;
    const operands = call.args.flatMap((arg) => (arg.kind === 'star' ? [] : [this.#plain.operand(arg)]));
    if (spec.kind !== 'series') throw mixed(spec.name);
    const args = checkArguments(spec, operands, env);
    const type = typeof spec.result === 'function' ? spec.result(args, env) : spec.result;
    const { sql, keep } = spec.translate(args, this.#rows, env);
    const condition = keep === undefined ? '' : printExpr(keep);
    this.#standsBeside(spec, `${printExpr(sql)} ${condition}`);
    if (spec.distinctTimes)
      this.sameTimes = spec.takesFirst === true && this.sameTimes !== 'refused' ? 'first' : 'refused';
    if (keep === undefined) this.#allowsAll = true;
    else this.#conditions.set(condition, keep);
    return { sql, type, precision: args[0]?.precision ?? env.precision, nullable: true, uses: Uses.row };
  }

  /** Functions stand side by side when they give the same rows; the same call may be repeated. */
  #standsBeside(spec: SeriesFunction, meaning: string): void {
    for (const [known, other] of this.#seen) {
      if (known !== meaning && (spec.rows === 'picked' || spec.rows !== other.rows)) throw mixed(spec.name);
    }
    this.#seen.set(meaning, spec);
  }
}

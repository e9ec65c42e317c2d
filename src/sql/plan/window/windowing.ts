import { Codes } from '../../../model/fault.js';
import { ticksPerSecond } from '../../../model/schema.js';
import { column } from '../../engine/build.js';
import type { Expr, SelectColumn } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import type { Fill } from '../../syntax/ast.js';
import { refuse } from '../../values/context.js';
import { cellNumberAt } from '../../values/grid.js';
import { bigintType, Uses, type Value } from '../../values/value.js';
import type { WindowLimits } from '../group/group-names.js';
import type { WindowKey } from '../group/group-rows.js';
import type { BlockTask, WindowRange } from '../rows/block.js';
import type { SlicedRows } from '../rows/sliced-rows.js';
import { numberWindows, type OfWindow } from './row-windows.js';
import { type IntervalWindows, intervalWindows } from './window.js';

/** The windows that a block is grouped by. */
export interface Windowing {
  readonly key?: WindowKey;
  readonly limits?: WindowLimits;
  /** Conditions on the rows of a window for it to show, as they stand in every row of it. */
  having?(of: OfWindow): readonly Expr[];
  /** Which rows belong to windows; expressions over rows. */
  readonly rows: readonly Expr[];
  /** Set for INTERVAL, whose windows can be filled. */
  readonly intervals?: IntervalWindows;
  /** An expression over the grouped rows that sorts the windows of a slice. */
  readonly order?: Expr;
}

/** The windows of INTERVAL that lie between the limits of time; undefined without two limits. */
export function windowRange({ filter }: BlockTask, intervals: IntervalWindows | undefined): WindowRange | undefined {
  const { low, high } = filter.bounds ?? {};
  if (intervals === undefined || low === undefined || high === undefined) return undefined;
  return [intervals.firstAt(low), cellNumberAt(intervals.grid, high)];
}

/** The FILL of a block, unless it is FILL(NONE). */
export function fillClause({ select }: BlockTask): Fill | undefined {
  const { window } = select;
  const fill = window?.kind === 'interval' || window?.kind === 'external' ? window.fill : undefined;
  return fill === undefined || fill.mode === 'NONE' ? undefined : fill;
}

/** Most devices send every ten seconds at the most: of each, there are few rows in so many seconds. */
const shortSeconds = 60n;

/** Name of the grouped rows of a block. */
export function groupedSource({ serial }: BlockTask): string {
  return `s${serial}`;
}

/** Error 0x2650 when a block wants windows and its rows have no time, or make the windows and come in no order of time. */
export function checkWindowTime({ select, relation }: BlockTask): void {
  if (select.window === undefined) return;
  if (select.window.kind !== 'interval' && relation?.rowOrder?.length === 0) {
    const text = 'Window query not supported, since not valid primary timestamp column as input';
    throw refuse(Codes.windowNeedsTimestamp, text);
  }
  if (relation?.time !== undefined) return;
  const text = 'Window query not supported, since the result of subquery not include valid timestamp column';
  throw refuse(Codes.windowNeedsTimestamp, text);
}

/**
 * The windows of a block's window clause, if it has one. Where the rows make the windows, `rows` are those that the block
 * reads, cut into slices already; from then on every window is a slice of its own to them.
 */
export function windowing(task: BlockTask, rows: SlicedRows | undefined, slices: readonly Value[]): Windowing {
  const { select, relation, env, filter } = task;
  const clause = select.window;
  if (clause === undefined || relation?.time === undefined) return { rows: [] };
  const source = groupedSource(task);
  const start = column(source, 'w');
  if (clause.kind === 'interval') {
    const intervals = intervalWindows(clause, env.precision, env.context.connectionZone, filter.bounds);
    const { sql, nullable } = relation.time;
    const first = intervals.startOf(nullable ? expr`assumeNotNull(${sql})` : sql);
    const { unit, step } = intervals.grid;
    const isMinuteAtMost =
      unit === 'ticks' && clause.sliding === undefined && step <= shortSeconds * BigInt(ticksPerSecond(env.precision));
    const key: WindowKey = { key: [first, 'w'], limits: [], having: [], isMinuteAtMost };
    const begin = column(undefined, 'w');
    const span = { start: begin, end: intervals.endOf(begin) };
    return { key, limits: { start, end: intervals.endOf(start), span }, rows: [], intervals, order: start };
  }
  if (clause.kind === 'external') return externalWindowing(task, rows, slices);
  if (rows === undefined) return { rows: [] };
  const { number, rows: inWindow, having, state = [], reach } = numberWindows(task, rows, clause);
  const distinct = clause.kind === 'session' ? [] : rows.distinctInWindows();
  // Rows in no window may carry the number of one, and are no neighbours of its rows.
  const windowValues = [number, ...inWindow].map((sql): Value => {
    return { sql, type: bigintType, precision: env.precision, nullable: true, uses: Uses.row };
  });
  rows.sliceBy(slices, windowValues);
  const limits: readonly SelectColumn[] = [
    [expr`min(${reach?.from ?? rows.time.sql})`, 'w'],
    [expr`max(${reach?.to ?? rows.time.sql})`, 'e'],
    ...state.map(({ column: held }, at): SelectColumn => [expr`any(${held})`, `q${at}`]),
  ];
  const shared = state.map(({ value }, at) => ({ value, column: `q${at}`, alias: undefined }));
  return {
    key: { key: [number, 'n'], limits, having: having((aggregate) => aggregate) },
    having,
    limits: { start, end: column(source, 'e'), shared },
    rows: [...distinct, ...inWindow],
    order: column(source, 'n'),
  };
}

/** The windows of EXTERNAL_WINDOW, whose rows carry them. */
function externalWindowing(task: BlockTask, rows: SlicedRows | undefined, slices: readonly Value[]): Windowing {
  const { relation, external, env } = task;
  const source = groupedSource(task);
  const ofWindow = (name: string): Expr => column(relation?.rowAlias, name);
  const number = ofWindow('xn');
  const base = { type: bigintType, precision: env.precision, nullable: false, uses: Uses.row };
  rows?.sliceBy([...slices, { ...base, sql: number }]);
  const shared = (external?.attributes ?? []).map(({ value }, at) => ({ value, column: `q${at}`, alias: undefined }));
  const limits: readonly SelectColumn[] = [
    [expr`any(${ofWindow('xs')})`, 'w'],
    [expr`any(${ofWindow('xe')})`, 'e'],
    ...shared.map(({ value, column: name }): SelectColumn => [expr`any(${value.sql})`, name]),
  ];
  return {
    key: { key: [number, 'n'], limits, having: [] },
    limits: { start: column(source, 'w'), end: column(source, 'e'), shared },
    rows: [],
    order: column(source, 'n'),
  };
}

import { Codes } from '../../../model/fault.js';
import { anyOf, call, nullWord, text } from '../../engine/build.js';
import type { Expr, SortTerm } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import { ExpressionTranslator } from '../../resolve/expression.js';
import { RowNames } from '../../resolve/names.js';
import type { Expression, TrueFor, WindowClause } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { compare } from '../../values/compare.js';
import { refuse } from '../../values/context.js';
import { isInteger, isText, Uses, type Value } from '../../values/value.js';
import type { BlockTask } from '../rows/block.js';
import type { SlicedRows } from '../rows/sliced-rows.js';

/** A window clause whose windows are made by the rows. */
type RowWindowClause = Exclude<WindowClause, { kind: 'interval' | 'external' }>;

type Clause<Kind extends RowWindowClause['kind']> = Extract<RowWindowClause, { kind: Kind }>;

/** Which window every row is in; expressions over the rows. */
interface RowNumbering {
  /** The number of the row's window, which counts up with time inside a slice. */
  readonly number: Expr;
  /** Which rows belong to a window at all. */
  readonly rows: readonly Expr[];
  /** Conditions on the rows of a window for it to show; `of` gives the value of an aggregate over them. */
  having(of: OfWindow): Expr[];
  /**
   * What makes up the state of a window: each value as it was written, and the column of its rows that holds it or
   * NULL.
   */
  readonly state?: readonly { readonly value: Value; readonly column: Expr }[];
  /** The first and the last instant that a window has by a row of it; the row's own time when left out. */
  readonly reach?: Reach;
}

/** What stands for an engine aggregate over the rows of a window. */
export type OfWindow = (aggregate: Expr) => Expr;

/** Expressions over rows. */
interface Reach {
  readonly from: Expr;
  readonly to: Expr;
}

/** Most rows of a COUNT_WINDOW. */
const maxCount = 2n ** 31n;
/** In how many windows of a COUNT_WINDOW a row may be. */
const maxOverlap = 10_000n;

/**
 * The rows that the windows of a block are made of: those with a time, for COUNT_WINDOW those where one of the columns
 * has a value. Without windows all of them.
 */
export function countedRows(task: BlockTask): BlockTask {
  const { select, relation, filter } = task;
  const { window } = select;
  if (window === undefined) return task;
  const terms: Expr[] = [];
  if (relation?.time?.nullable === true) terms.push(expr`isNotNull(${relation.time.sql})`);
  if (window.kind === 'count' && window.columns.length > 0) {
    const values = window.columns.map((name) => {
      const column = { kind: 'column', table: undefined, name, span: name.span } as const;
      return translatorOf(task).translate(column);
    });
    if (values.every(({ nullable }) => nullable)) {
      terms.push(anyOf(values.map(({ sql }) => expr`isNotNull(${sql})`)));
    }
    const usesTags = values.some(({ uses }) => (uses & Uses.tags) !== 0);
    if (usesTags) return { ...task, filter: { ...filter, mixed: [...filter.mixed, ...terms] } };
  }
  return { ...task, filter: { ...filter, row: [...filter.row, ...terms] } };
}

/** Names as they stand in a window clause. */
function translatorOf({ env, relation }: BlockTask): ExpressionTranslator {
  const inClause = (): Error => refuse(Codes.functionMixed, 'A window clause must not contain aggregation');
  return new ExpressionTranslator(env, new RowNames(relation, inClause));
}

/** Puts the rows of a block, which reads `rows`, into windows: each slice by itself, in the order of time. */
export function numberWindows(task: BlockTask, rows: SlicedRows, clause: RowWindowClause): RowNumbering {
  switch (clause.kind) {
    case 'session':
      return numberSessions(task, rows, clause);
    case 'state':
      return numberStates(task, rows, clause);
    case 'event':
      return numberEvents(task, rows, clause);
    case 'count':
      return numberCounts(rows, clause);
  }
}

/** A session ends where the next row is more than the gap away. */
function numberSessions(task: BlockTask, rows: SlicedRows, { column, gap }: Clause<'session'>): RowNumbering {
  if (translatorOf(task).translate(column).role !== 'time') {
    throw refuse(Codes.sessionColumn, 'Only support SESSION on primary timestamp column');
  }
  const ticks = 'ticks' in gap ? gap.ticks : durationTicks(gap, task.env.precision);
  if (ticks === undefined || ticks < 1n) {
    throw refuse(Codes.sessionGap, 'SESSION gap should be fixed time window, and greater than 0');
  }
  const order = rows.steadyOrder();
  const { sql: time } = rows.time;
  const before = rows.over(expr`lagInFrame(${time}, 1, ${time})`, { order });
  return { number: rows.over(expr`sum(${time} - ${before} > ${ticks})`, { order }), rows: [], having: () => [] };
}

/**
 * A state window is a run of rows of one state. A row whose state is NULL belongs to the state on both sides of it, at
 * the ends of a slice to the nearest one, and between two states to none, unless windows reach up to their neighbours:
 * then to the one that reaches for it. A state of several values is NULL when one of them is. The zeroth state has
 * windows that do not show.
 */
function numberStates(task: BlockTask, rows: SlicedRows, clause: Clause<'state'>): RowNumbering {
  const { extend, zeroth, trueFor } = clause;
  const extension = extensionOf(task, extend);
  const values = clause.values.map((value) => stateValue(task, value));
  const [single] = values.length === 1 ? values : [];
  const isSingle = single !== undefined;
  const combined = expr`toNullable(${single?.sql ?? expr`concat(${values.flatMap(delimited)})`})`;
  const present = isSingle ? combined : rows.column(combined);
  const order = rows.steadyOrder();
  const lastPresent = expr`last_value(${present})`;
  const before = rows.over(lastPresent, { order, nulls: 'IGNORE NULLS' });
  const after = rows.over(lastPresent, { order: reversed(order), nulls: 'IGNORE NULLS' });
  const between = { none: nullWord, forward: before, backward: after }[extension];
  const state = rows.column(
    expr`multiIf(isNull(${before}), ${after}, isNull(${after}), ${before}, ${before} = ${after}, ${before}, ${between})`,
  );
  const frame = 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING';
  const last = rows.over(expr`last_value(${state})`, { order, frame, nulls: 'IGNORE NULLS' });
  const number = rows.over(expr`sum(ifNull(${state} != ${last}, 0))`, { order });
  const parts = values.map((value) => ({
    value,
    column: isSingle ? state : rows.column(expr`if(isNull(${present}), NULL, ${value.sql})`),
  }));
  const reach = reachOf(rows, extension);
  const having = (of: OfWindow): Expr[] => {
    const shown = parts.flatMap(({ value, column }, at): readonly Expr[] => {
      const idle = zeroth[at];
      return idle === undefined ? [] : [differs(task, { ...value, sql: of(expr`any(${column})`) }, idle)];
    });
    return [...(shown.length === 0 ? [] : [anyOf(shown)]), ...lasting(task, reach, trueFor, of)];
  };
  return { number, rows: [expr`isNotNull(${state})`], having, state: parts, reach };
}

/** Sort terms that put rows in the opposite order. */
function reversed(order: readonly SortTerm[]): readonly SortTerm[] {
  return order.map((term) => ({ ...term, descending: true }));
}

/** Pieces of text that hold a value and delimit it from the next one. */
function delimited({ sql, type }: Value): readonly Expr[] {
  return isText(type) ? [expr`toString(length(${sql}))`, text(':'), sql] : [expr`toString(${sql})`, text(',')];
}

function differs(task: BlockTask, value: Value, zeroth: Expression): Expr {
  const idle = translatorOf(task).translate(zeroth);
  if (idle.uses !== Uses.nothing)
    throw refuse(Codes.invalidValueType, 'Invalid value type: a state that is no literal');
  return compare('<>', value, idle, task.env).sql;
}

function stateValue(task: BlockTask, expression: Expression): Value {
  const value = translatorOf(task).translate(expression);
  const isTag = expression.kind === 'column' && task.relation?.byName.get(expression.name.text)?.tag === true;
  if (isTag || value.role === 'tbname' || value.uses === Uses.tags) {
    throw refuse(Codes.stateOnTag, 'Not support STATE_WINDOW on tag column');
  }
  const { type } = value;
  const fits = isInteger(type) || isText(type) || type.name === 'BOOL';
  if (!fits || value.uses === Uses.nothing || value.duration !== undefined) {
    throw refuse(Codes.stateType, 'Only support STATE_WINDOW on integer/bool/varchar column');
  }
  return value;
}

/** Whether state windows reach up to the window behind them, back to the one before, or neither. */
type Extension = 'none' | 'forward' | 'backward';

function extensionOf(task: BlockTask, extend: Expression | undefined): Extension {
  if (extend === undefined) return 'none';
  const kinds: readonly Extension[] = ['none', 'forward', 'backward'];
  const { constant } = translatorOf(task).translate(extend);
  const kind = typeof constant === 'bigint' ? kinds[Number(constant)] : undefined;
  if (kind === undefined) throw refuse(Codes.functionParameterValue, 'Invalid parameter value : state_window');
  return kind;
}

/** A window that is extended ends a tick before the row behind it, or begins a tick after the row before it. */
function reachOf(rows: SlicedRows, extension: Extension): Reach {
  const { sql: time } = rows.time;
  if (extension === 'none') return { from: time, to: time };
  const order = extension === 'forward' ? reversed(rows.steadyOrder()) : rows.steadyOrder();
  const neighbour = rows.over(expr`lagInFrame(toNullable(${time}))`, { order });
  return extension === 'forward'
    ? { from: time, to: expr`greatest(ifNull(${neighbour} - 1, ${time}), ${time})` }
    : { from: expr`least(ifNull(${neighbour} + 1, ${time}), ${time})`, to: time };
}

/**
 * Behind a row that meets the end condition no window is open. So the rows are cut behind each such row, and in every
 * piece the window begins at the first row that meets the start condition.
 */
function numberEvents(task: BlockTask, rows: SlicedRows, { start, end, trueFor }: Clause<'event'>): RowNumbering {
  const flag = (condition: Expression): Expr =>
    expr`toUInt8(ifNull(${translatorOf(task).condition(condition).sql}, 0))`;
  const [opens, closes] = [flag(start), flag(end)];
  const order = rows.steadyOrder();
  const ended = rows.over(expr`sum(${closes})`, { order });
  const number = rows.column(expr`toInt64(${ended}) - ${closes}`);
  const open = rows.over(expr`max(${opens})`, { by: [number], order });
  return {
    number,
    rows: [expr`${open} = 1`],
    having: (of) => [expr`${of(expr`max(${closes})`)} = 1`, ...lasting(task, reachOf(rows, 'none'), trueFor, of)],
  };
}

/** A window of `size` rows begins with every `sliding`th row. */
function numberCounts(rows: SlicedRows, { size, sliding = size }: Clause<'count'>): RowNumbering {
  if (size < 1n || sliding < 1n || size > maxCount) {
    throw refuse(Codes.functionParameterValue, 'Invalid parameter value : count_window');
  }
  if (sliding > size) throw refuse(Codes.slidingTooLarge, 'sliding value no larger than the interval value');
  if (size > sliding * maxOverlap) throw refuse(Codes.tooManyWindows, 'Too many groups/time window in query');
  const row = expr`toInt64(${rows.over(expr`row_number()`, { order: rows.steadyOrder() })}) - 1`;
  const last = expr`intDiv(${row}, ${sliding})`;
  if (sliding === size) return { number: rows.column(last), rows: [], having: () => [] };
  const first = expr`intDiv(greatest(${row} - ${size} + ${sliding}, 0), ${sliding})`;
  return { number: rows.column(expr`arrayJoin(range(${first}, ${last} + 1))`), rows: [], having: () => [] };
}

/** TRUE_FOR: windows that last long enough or have rows enough. */
function lasting(task: BlockTask, reach: Reach, trueFor: TrueFor | undefined, of: OfWindow): Expr[] {
  return trueFor === undefined ? [] : [isEnough(task, reach, trueFor, of)];
}

function isEnough(task: BlockTask, reach: Reach, least: TrueFor, of: OfWindow): Expr {
  if ('operator' in least) {
    const sides = [least.left, least.right].map((side) => isEnough(task, reach, side, of));
    return call(least.operator === 'AND' ? 'and' : 'or', ...sides);
  }
  if ('rows' in least) return expr`${of(expr`count()`)} >= ${least.rows}`;
  const ticks = 'ticks' in least ? least.ticks : durationTicks(least, task.env.precision);
  if (ticks === undefined) throw refuse(Codes.invalidValueType, 'Invalid value type: TRUE_FOR wants a fixed duration');
  return expr`${of(expr`max(${reach.to})`)} - ${of(expr`min(${reach.from})`)} >= ${ticks}`;
}

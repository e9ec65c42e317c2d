import { Codes } from '../../../model/fault.js';
import { column, fromQuery, join, one, select, sortTerm } from '../../engine/build.js';
import { type Expr, Over, type Query, type SelectColumn, type SelectQuery, type SortTerm } from '../../engine/nodes.js';
import { raiseIf } from '../../engine/raise.js';
import { castToEngine } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { Fill } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { refuse } from '../../values/context.js';
import type { Environment } from '../../values/convert.js';
import { fillingValue } from '../../values/filling.js';
import { cellNumber, emptyCell, type Grid, startOfCell } from '../../values/grid.js';
import { isInteger, isNumeric, nullValue, Uses, type Value } from '../../values/value.js';
import type { GroupedRows } from '../group/group-rows.js';
import { mergedSelect } from '../group/merged-select.js';
import { countOf, type ExternalWindows, type WindowRange } from '../rows/block.js';
import type { IntervalWindows } from './window.js';

/** Most windows that a FILL may span. */
export const maxFilledWindows = 10_000_000n;

/** So few windows of a slice are no more than so many times the rows that are there. */
const fewWindows = 10;

/** Input of FILL: grouped rows known as `source`, with key columns, and the function values. */
interface FillTask {
  readonly fill: Fill;
  readonly source: string;
  readonly grouped: GroupedRows;
  /** True where its keys may stand elsewhere, too. */
  readonly steady: boolean;
  /** Columns of `grouped` that are the same for all windows of a slice. */
  readonly keys: readonly string[];
  /** Values over `source`; they become the columns f1, f2 ... */
  readonly values: readonly Value[];
}

/** {@link FillTask} of the windows of INTERVAL, which begin at `w`. */
interface IntervalFill extends FillTask {
  readonly windows: IntervalWindows;
  /** Undefined without two limits of time. */
  readonly range: WindowRange | undefined;
}

/**
 * Every window of every slice that is filled, with its number `n`, whether it has rows as `p`, and f1, f2 … where it
 * has them.
 */
interface CompleteWindows {
  readonly query: Query;
  /** The window itself, over `source`, by the names that its columns get. */
  readonly window: readonly SelectColumn[];
  /** A condition on the windows that there are; undefined where it is all of them. */
  readonly exists: Expr | undefined;
  /** Where a window stands on the line between two others; undefined where there is no such line. */
  readonly position: Expr | undefined;
  /** Where it begins, in ticks; undefined where its neighbours may be at any distance. */
  readonly start: Expr | undefined;
}

/**
 * Adds the missing windows of every slice that has a FILL clause and gives their values by the mode. The result has the
 * key columns, `w` and f1 ... fn. NULL_F and VALUE_F without slices fill even where there is no window at all.
 * HAVING chooses among the windows that are filled.
 */
export function fillWindows(task: IntervalFill, translator: ExpressionTranslator): GroupedRows {
  const { source, keys, windows } = task;
  const range = fillRange(task);
  const { grid } = windows;
  const present = presentWindows(task, cellNumber(grid, column(source, 'w')));
  const start = startOfCell(grid, column(source, 'n'));
  const complete = {
    query: withMissingSteps(present, { keys, number: 'n', range }),
    window: [[start, 'w']],
    exists: existingWindow(grid, source),
    position: grid.unit === 'ticks' ? column(source, 'n') : start,
    start,
  } as const;
  return filledRows(task, complete, translator);
}

/** As {@link fillWindows}, for the windows that EXTERNAL_WINDOW lists; they keep their own columns. */
export function fillListedWindows(
  task: FillTask,
  { windowQuery, keys: sliced, attributes }: ExternalWindows,
  translator: ExpressionTranslator,
): GroupedRows {
  const { source, keys, values } = task;
  const present = presentWindows(task, column(source, 'n'));
  const own = [['xs', 'w'], ['xe', 'e'], ...attributes.map((_, at) => [`xa${at + 1}`, `q${at}`] as const)] as const;
  const slices = select({
    columns: keys.map((key): SelectColumn => [column(undefined, key), '']),
    distinct: true,
    from: fromQuery(present),
  });
  const sameKey = (left: Expr, right: Expr): Expr => expr`toString(${left}) IS NOT DISTINCT FROM toString(${right})`;
  const all = fromQuery(windowQuery, 'x');
  const windows = select({
    columns: [
      ...keys.map((key): SelectColumn => [column('s', key), key]),
      ...own.map(([x, name]): SelectColumn => [column('x', x), name]),
      [expr`x.xn`, 'n'],
    ],
    from: keys.length === 0 ? all : join('CROSS', fromQuery(slices, 's'), all),
    where: sliced.map((_, at) => sameKey(column('x', `xk${at + 1}`), column('s', `k${at + 1}`))),
  });
  const columns = [...keys, ...own.map(([, name]) => name), 'n'].map((name): SelectColumn => [column('a', name), name]);
  const filled = ['p', ...values.map((_, at) => `f${at + 1}`)].map((name): SelectColumn => [column('g', name), name]);
  const on = [expr`g.n = a.n`, ...keys.map((key) => sameKey(column('g', key), column('a', key)))];
  const query = select({
    columns: [...columns, ...filled],
    from: join('LEFT', fromQuery(windows, 'a'), fromQuery(present, 'g'), on),
  });
  const window = own.map(([, name]): SelectColumn => [column(source, name), name]);
  const numbered: SelectColumn = [column(source, 'n'), 'n'];
  return filledRows(
    task,
    { query, window: [...window, numbered], exists: undefined, position: undefined, start: undefined },
    translator,
  );
}

/** The windows that have rows, numbered. */
function presentWindows({ source, keys, values, grouped, steady }: FillTask, number: Expr): SelectQuery {
  const columns = values.map((value, at): SelectColumn => [castToEngine(value.sql, value.type), `f${at + 1}`]);
  const numbered: SelectQuery = {
    columns: [...keys.map((key): SelectColumn => [column(source, key), key]), [number, 'n'], [one, 'p'], ...columns],
    from: fromQuery(grouped, source),
  };
  return (steady ? mergedSelect(numbered, grouped, source) : undefined) ?? numbered;
}

function filledRows(task: FillTask, complete: CompleteWindows, translator: ExpressionTranslator): GroupedRows {
  const { fill, source, keys, values } = task;
  const forced = fill.mode.endsWith('_F') && keys.length === 0;
  const filler = valueFiller(task, complete, translator);
  return {
    columns: [
      ...keys.map((key): SelectColumn => [column(source, key), key]),
      ...complete.window,
      ...values.map((value, at): SelectColumn => [filler(value, at), `f${at + 1}`]),
    ],
    from: fromQuery(complete.query, source),
    where: complete.exists === undefined ? [] : [complete.exists],
    qualify: forced ? undefined : hasWindow(column(source, 'p')),
    groups: false,
  };
}

/** A condition on all windows or points together: that one of them has rows. `present` is 1 for those, else 0. */
export function hasWindow(present: Expr): Expr {
  return expr`${new Over(expr`max(${present})`, {})} = 1`;
}

/** A condition on numbers `n` of cells: that there is time in the cell. Undefined where there is in all of them. */
export function existingWindow(grid: Grid, source: string): Expr | undefined {
  const none = emptyCell(grid);
  return none === undefined ? undefined : expr`${column(source, 'n')} != ${none}`;
}

/** Error 0x263B without two limits or when they are too far apart. */
export function fillRange({ range }: Pick<IntervalFill, 'range'>): WindowRange {
  if (range === undefined || !canBeFilled(range)) throw timeRangeRequired();
  return range;
}

/** False where a FILL would span more windows than it may. */
export function canBeFilled([first, last]: WindowRange): boolean {
  return last - first < maxFilledWindows;
}

/** Rows of a SELECT with the missing ones added whose numbers are in a range, slice by slice. */
interface StepTask {
  /** Columns that make slices. */
  readonly keys: readonly string[];
  /** The column of numbers. */
  readonly number: string;
  readonly range: WindowRange;
}

/**
 * All rows in the order of {@link StepTask}. Error 0x263B when all slices together have too many: how many
 * there are, only the engine knows, which adds the rows of all of them before anything behind sees the first.
 */
export function withMissingSteps(rows: SelectQuery, { keys, number, range }: StepTask): SelectQuery {
  const [first, last] = range;
  const columns = keys.map((key) => column(undefined, key));
  const orderBy: readonly SortTerm[] = [
    ...columns.map((key) => sortTerm(key, true)),
    { by: column(undefined, number), fill: first <= last ? { from: first, to: last + 1n } : undefined },
  ];
  if (keys.length === 0 || countOf(range) <= fewWindows) return { ...rows, orderBy };
  const mostSlices = Math.floor(Number(maxFilledWindows) / countOf(range));
  const slices = new Over(expr`uniqExact(tuple(${columns}))`, {});
  const isBeyond = raiseIf(expr`${slices} > ${mostSlices}`, Codes.fillTimeRange, tooManyWindows);
  const checked = select({ columns: [], star: '*', from: fromQuery(rows), qualify: expr`${isBeyond} = 0` });
  return { columns: [], star: '*', from: fromQuery(checked), orderBy };
}

const tooManyWindows = 'Start(end) time of query range required or time range too large';

/** Error 0x263B. */
export function timeRangeRequired(): Error {
  return refuse(Codes.fillTimeRange, tooManyWindows);
}

function valueFiller(
  { fill, source, keys }: FillTask,
  { position, start }: CompleteWindows,
  translator: ExpressionTranslator,
): (value: Value, at: number) => Expr {
  const filled = (at: number): Expr => column(source, `f${at + 1}`);
  const partitionBy = keys.map((key) => column(source, key));
  const frame = 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW';
  // Looking ahead is looking back in the opposite order: a frame whose beginning moves is computed anew for every row.
  const nearest = (sql: Expr, descending: boolean): Expr => {
    const orderBy = [{ by: column(source, 'n'), descending }];
    return new Over(expr`last_value(${sql})`, { partitionBy, orderBy, frame }, 'IGNORE NULLS');
  };
  const previous = (sql: Expr): Expr => nearest(sql, false);
  const next = (sql: Expr): Expr => nearest(sql, true);
  switch (fill.mode) {
    case 'NULL':
    case 'NULL_F':
      return (_, at) => filled(at);
    case 'PREV':
    case 'NEXT': {
      const neighbour = fill.mode === 'PREV' ? previous : next;
      if (fill.within === undefined) return (_, at) => neighbour(filled(at));
      const { value: within } = fill.within;
      const ticks = durationTicks(within, translator.env.precision);
      if (start === undefined || ticks === undefined || ticks < 1n) {
        throw refuse(Codes.interpClauses, 'SURROUND takes a fixed duration, and not the windows of EXTERNAL_WINDOW');
      }
      const literals = fillLiterals(fill, translator);
      return (value, at) => {
        const known = expr`if(isNull(${filled(at)}), NULL, ${start})`;
        const isNear = expr`ifNull(abs(${start} - ${neighbour(known)}) <= ${ticks}, 0)`;
        const near = expr`if(${isNear}, ${neighbour(filled(at))}, NULL)`;
        return expr`if(isNull(${filled(at)}), ${withDefault(near, literals(at), value, translator.env)}, ${filled(at)})`;
      };
    }
    case 'VALUE':
    case 'VALUE_F': {
      const literals = fillLiterals(fill, translator);
      return (value, at) => withDefault(filled(at), literals(at), value, translator.env);
    }
    case 'LINEAR': {
      if (position === undefined) throw refuse(Codes.interpClauses, 'FILL(LINEAR) is not for EXTERNAL_WINDOW');
      return (value, at) => {
        if (!isNumeric(value.type)) return filled(at);
        const known = expr`if(isNull(${filled(at)}), NULL, ${position})`;
        const ends = [previous(filled(at)), next(filled(at)), previous(known), next(known)] as const;
        return linear(position, filled(at), column(source, 'p'), ends, value);
      };
    }
    default:
      throw refuse(Codes.interpClauses, 'Invalid usage of RANGE clause, EVERY clause or FILL clause');
  }
}

/**
 * The literals of FILL(VALUE, ...) by the position of the value they stand for; the last one serves all that follow.
 * Error 0x2605 for what is not the same everywhere.
 */
export function fillLiterals(fill: Fill, translator: ExpressionTranslator): (at: number) => Value {
  const literals = fill.values.map((literal) => {
    const value = translator.translate(literal);
    if (value.uses !== Uses.nothing) throw refuse(Codes.invalidValueType, 'Invalid value type: FILL wants literals');
    return value;
  });
  return (at) => literals[Math.min(at, literals.length - 1)] ?? nullValue;
}

/** A value, and the literal of FILL that stands for NULL. */
function withDefault(column: Expr, literal: Value, value: Value, env: Environment): Expr {
  if (literal.role === 'null') return column;
  return expr`ifNull(${column}, ${fillingValue(literal, value.type, { ...env, precision: value.precision }).sql})`;
}

/**
 * A number without its fraction, to be made an integer. What is under a NULL may be no number, and the engine converts
 * that as well, so it is taken out first.
 */
export function wholePart(number: Expr): Expr {
  return finite(number, expr`truncate(${number})`);
}

/** A number, or a value that comes of it, where it is finite, and NULL otherwise. */
function finite(number: Expr, value = number): Expr {
  return expr`if(isFinite(${number}), ${value}, NULL)`;
}

/** A missing window between two with values lies on the line through them; integers are cut off. */
function linear(
  position: Expr,
  column: Expr,
  present: Expr,
  [low, high, from, to]: readonly [Expr, Expr, Expr, Expr],
  { type }: Value,
): Expr {
  const [a, b] = [expr`toFloat64(${low})`, expr`toFloat64(${high})`];
  const point = expr`${a} + (${b} - ${a}) * (${position} - ${from}) / nullIf(${to} - ${from}, 0)`;
  const value = isInteger(type) ? wholePart(point) : type.name === 'DECIMAL' ? finite(point) : point;
  return expr`if(${present} = 1, ${column}, ${castToEngine(value, type)})`;
}

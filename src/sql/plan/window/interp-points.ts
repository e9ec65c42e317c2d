import { Codes } from '../../../model/fault.js';
import { column, fromQuery, int64, nullWord, one, select, zero } from '../../engine/build.js';
import { type Expr, Over, type Query, type SelectColumn } from '../../engine/nodes.js';
import { raiseIf } from '../../engine/raise.js';
import { castToEngine } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import { nullable } from '../../functions/arguments.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { Relation } from '../../resolve/relation.js';
import type { Fill } from '../../syntax/ast.js';
import { floorDivide } from '../../values/convert.js';
import { fillingValue } from '../../values/filling.js';
import { isInteger, nullValue, Uses, type Value } from '../../values/value.js';
import type { Filter } from '../rows/filter.js';
import { scanRows, seriesOrder } from '../rows/scan.js';
import { fillLiterals, hasWindow, wholePart, withMissingSteps } from './fill.js';
import type { KeyColumn } from './interp-names.js';

/** The points of time that INTERP gives values for: `from`, `from + step` ... */
export interface Points {
  readonly from: bigint;
  readonly step: bigint;
  readonly count: bigint;
}

/** Task of INTERP at its points. */
interface PointTask {
  readonly relation: Relation;
  readonly filter: Filter;
  readonly time: Value;
  readonly points: Points;
  readonly fill: Fill | undefined;
  /** How many ticks away a row may be that PREV, NEXT and NEAR take; any when left out. */
  readonly within: bigint | undefined;
  readonly keys: readonly KeyColumn[];
  readonly inputs: readonly Value[];
  /** True when only rows with all inputs count. */
  readonly ignoresNull: boolean;
  /** True when two rows of a slice may have one time, which is error 0x2805. */
  readonly mayRepeatTimes: boolean;
  /** Translates the literals of FILL. */
  readonly translator: ExpressionTranslator;
}

/**
 * One row per slice and point: the keys, `t` its time, `f` whether it was filled, `o` the time of the row
 * that its values are from, and the values v1, v2 ...
 *
 * The rows between two points are put together first, because only the first and the last of them matter: what looks at
 * neighbours sees one row per point, however many there are. A row stands as a tuple of 1, its time and its inputs; the
 * tuple of 0 stands for none.
 */
export function valuesAtPoints(task: PointTask): Query {
  const keys = task.keys.map(({ column: name }): SelectColumn => [column('r', name), name]);
  const { where, origin, value } = filling(task);
  return select({
    columns: [
      ...keys,
      [expr`r.t`, 't'],
      [expr`not(r.x)`, 'f'],
      [expr`if(r.x, r.t, ${origin})`, 'o'],
      ...task.inputs.map((input, at): SelectColumn => {
        return [expr`if(r.x, ${member(expr`r.a`, at)}, ${castToEngine(value(input, at), input.type)})`, `v${at + 1}`];
      }),
    ],
    from: fromQuery(neighbours(task, keys), 'r'),
    where,
  });
}

/** The input at a position in a row's tuple. */
function member(row: Expr, at: number): Expr {
  return expr`tupleElement(${row}, ${at + 3})`;
}

/**
 * The rows in the cells between points, numbered by the point that a cell begins with: `a` the first row, `b` the last.
 */
function cells({ relation, filter, time, points, keys, inputs, ignoresNull, mayRepeatTimes }: PointTask): Query {
  const needsTags = [...keys.map(({ value }) => value), ...inputs].some(({ uses }) => (uses & Uses.tags) !== 0);
  const scan = scanRows(relation, filter, needsTags);
  const ticks = time.nullable ? expr`assumeNotNull(${time.sql})` : time.sql;
  const number = floorDivide(expr`${ticks} - ${int64(points.from)}`, points.step);
  const row = expr`tuple(toUInt8(1), ${[ticks, ...inputs.map(nullable)]})`;
  const [, key] = seriesOrder(relation);
  // Of the rows of one time that differ in the rest of their key the first is taken.
  const last =
    key === undefined ? expr`argMax(${row}, ${ticks})` : expr`argMin(${row}, tuple(negate(${ticks}), ${key}))`;
  const groups = keys.map(({ value, column: name }): SelectColumn => [value.sql, name]);
  groups.push([expr`least(greatest(${number}, toInt64(-1)), ${int64(points.count)})`, 'q']);
  const where = [...scan.where];
  if (time.nullable) where.push(expr`isNotNull(${time.sql})`);
  if (ignoresNull) where.push(...inputs.map(({ sql }) => expr`isNotNull(${sql})`));
  const repeated = raiseIf(
    expr`count() > uniqExact(${ticks})`,
    Codes.duplicateTimestamps,
    'Duplicate timestamps not allowed in function',
  );
  return select({
    columns: [
      ...groups,
      [expr`argMin(${row}, ${key === undefined ? ticks : expr`tuple(${ticks}, ${key})`})`, 'a'],
      [last, 'b'],
    ],
    from: scan.from,
    where,
    groupBy: groups.length,
    having: mayRepeatTimes && key === undefined ? [expr`${repeated} = 0`] : [],
  });
}

/** The points of every slice with `a` the row at the point if `x`, `b` the last row before it and `n` the next one. */
function neighbours(task: PointTask, keys: readonly SelectColumn[]): Query {
  const { points, fill } = task;
  const rows = select({ columns: [], star: '*', from: fromQuery(cells(task)) });
  const complete = withMissingSteps(rows, {
    keys: keys.map(([, column]) => column),
    number: 'q',
    range: [0n, points.count - 1n],
  });
  const slice = { partitionBy: keys.map(([sql]) => sql) };
  const before = {
    ...slice,
    orderBy: [{ by: expr`r.q` }],
    frame: 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING',
  };
  const behind = {
    ...slice,
    orderBy: [{ by: expr`r.q`, descending: true }],
    frame: 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
  };
  const forced = fill?.mode.endsWith('_F') === true && keys.length === 0;
  const around = select({
    columns: [
      ...keys,
      [expr`r.q`, 'q'],
      [expr`r.a`, 'a'],
      [new Over(expr`argMaxIf(r.b, r.q, r.b.1 = 1)`, before), 'b'],
      [new Over(expr`argMinIf(r.a, r.q, r.a.1 = 1)`, behind), 'n'],
    ],
    from: fromQuery(complete, 'r'),
    qualify: forced ? undefined : hasWindow(expr`r.a.1`),
  });
  const point = expr`${int64(points.from)} + r.q * ${points.step}`;
  return select({
    columns: [
      ...keys,
      [point, 't'],
      [expr`and(r.a.1 = 1, r.a.2 = ${point})`, 'x'],
      [expr`r.a`, 'a'],
      [expr`r.b`, 'b'],
      [expr`r.n`, 'n'],
    ],
    from: fromQuery(around, 'r'),
    where: [expr`r.q >= 0`, expr`r.q < ${points.count}`],
  });
}

/** How points without a row get their values, and which of them are left out. */
interface Filling {
  readonly where: readonly Expr[];
  readonly origin: Expr;
  /** Whether there is a row to take values from. */
  readonly exists: Expr;
  value(input: Value, at: number): Expr;
}

function filling(task: PointTask): Filling {
  const { fill, within } = task;
  const near = fillingByMode(task);
  const isByRow = fill?.mode === 'PREV' || fill?.mode === 'NEXT' || fill?.mode === 'NEAR';
  if (within === undefined || !isByRow) return near;
  // Every point is given: where no row is near enough, with the values of FILL.
  const isNear = expr`and(${near.exists}, abs(r.t - ${near.origin}) <= ${within})`;
  const otherwise = literalFiller(task);
  return {
    where: [],
    origin: expr`if(${isNear}, ${near.origin}, r.t)`,
    exists: one,
    value: (input, at) => expr`if(${isNear}, ${near.value(input, at)}, ${otherwise(input, at)})`,
  };
}

/** The literals of FILL, as values of the inputs. */
function literalFiller({ fill, translator }: PointTask): Filling['value'] {
  const literals = fill === undefined ? undefined : fillLiterals(fill, translator);
  return (input, at) => {
    const env = { ...translator.env, precision: input.precision };
    return fillingValue(literals?.(at) ?? nullValue, input.type, env).sql;
  };
}

function fillingByMode(task: PointTask): Filling {
  const { fill } = task;
  const nothing = { origin: expr`r.t`, exists: zero, value: (): Expr => nullWord };
  const of = (row: Expr): Omit<Filling, 'where'> => {
    return { origin: expr`${row}.2`, exists: expr`${row}.1 = 1`, value: (_, at) => member(row, at) };
  };
  switch (fill?.mode ?? 'NONE') {
    case 'NONE':
      return { ...nothing, where: [expr`r.x`] };
    case 'NULL':
    case 'NULL_F':
      return { ...nothing, where: [] };
    case 'PREV':
      return { ...of(expr`r.b`), where: [expr`or(r.x, r.b.1 = 1)`] };
    case 'NEXT':
      return { ...of(expr`r.n`), where: [expr`or(r.x, r.n.1 = 1)`] };
    case 'NEAR':
      return { ...of(expr`if(or(r.n.1 = 0, and(r.b.1 = 1, r.t - r.b.2 <= r.n.2 - r.t)), r.b, r.n)`), where: [] };
    case 'LINEAR':
      return { ...nothing, where: [expr`or(r.x, and(r.b.1 = 1, r.n.1 = 1))`], value: linear };
    case 'VALUE':
    case 'VALUE_F':
      return { ...nothing, where: [], value: literalFiller(task) };
  }
}

/** On the line between the rows before and behind; what is cut off of an integer is its fraction. */
function linear({ type }: Value, at: number): Expr {
  const [low, high] = [expr`toFloat64(${member(expr`r.b`, at)})`, expr`toFloat64(${member(expr`r.n`, at)})`];
  const value = expr`${low} + (${high} - ${low}) * (r.t - r.b.2) / (r.n.2 - r.b.2)`;
  return isInteger(type) ? wholePart(value) : value;
}

import { Codes } from '../../../model/fault.js';
import { int64 } from '../../engine/quote.js';
import { raiseIf } from '../../engine/raise.js';
import { printSelect } from '../../engine/select.js';
import { castToEngine } from '../../engine/storage.js';
import { nullable } from '../../functions/arguments.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { Relation } from '../../resolve/relation.js';
import type { Fill } from '../../syntax/ast.js';
import { floorDivide } from '../../values/convert.js';
import { fillingValue } from '../../values/filling.js';
import { isInteger, nullValue, Uses, type Value } from '../../values/value.js';
import type { Filter } from '../rows/filter.js';
import { scanRows, seriesOrder } from '../rows/scan.js';
import { fillLiterals, wholePart, withMissingSteps } from './fill.js';
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

type Column = readonly [sql: string, alias: string];

/**
 * Engine SQL of one row per slice and point: the keys, `t` its time, `f` whether it was filled, `o` the time of the row
 * that its values are from, and the values v1, v2 ...
 *
 * The rows between two points are put together first, because only the first and the last of them matter: what looks at
 * neighbours sees one row per point, however many there are. A row stands as a tuple of 1, its time and its inputs; the
 * tuple of 0 stands for none.
 */
export function valuesAtPoints(task: PointTask): string {
  const keys = task.keys.map(({ column }): Column => [`r.${column}`, column]);
  const { where, origin, value } = filling(task);
  return printSelect({
    columns: [
      ...keys,
      ['r.t', 't'],
      ['not(r.x)', 'f'],
      [`if(r.x, r.t, ${origin})`, 'o'],
      ...task.inputs.map((input, at): Column => {
        return [`if(r.x, ${member('r.a', at)}, ${castToEngine(value(input, at), input.type)})`, `v${at + 1}`];
      }),
    ],
    from: `(${neighbours(task, keys)}) AS r`,
    where,
  });
}

/** The input at a position in a row's tuple. */
function member(row: string, at: number): string {
  return `tupleElement(${row}, ${at + 3})`;
}

/** The rows in the cells between points, numbered by the point that a cell begins with: `a` the first row, `b` the last. */
function cells({ relation, filter, time, points, keys, inputs, ignoresNull, mayRepeatTimes }: PointTask): string {
  const needsTags = [...keys.map(({ value }) => value), ...inputs].some(({ uses }) => (uses & Uses.tags) !== 0);
  const scan = scanRows(relation, filter, needsTags);
  const ticks = time.nullable ? `assumeNotNull(${time.sql})` : time.sql;
  const number = floorDivide(`(${ticks} - ${int64(points.from)})`, points.step);
  const row = `tuple(toUInt8(1), ${[ticks, ...inputs.map(nullable)].join(', ')})`;
  const [, key] = seriesOrder(relation);
  // Of the rows of one time that differ in the rest of their key the first is taken.
  const last = key === undefined ? `argMax(${row}, ${ticks})` : `argMin(${row}, tuple(negate(${ticks}), ${key}))`;
  const groups = keys.map(({ value, column }): Column => [value.sql, column]);
  groups.push([`least(greatest(${number}, toInt64(-1)), ${int64(points.count)})`, 'q']);
  const where = [...scan.where];
  if (time.nullable) where.push(`isNotNull(${time.sql})`);
  if (ignoresNull) where.push(...inputs.map(({ sql }) => `isNotNull(${sql})`));
  const repeated = raiseIf(
    `count() > uniqExact(${ticks})`,
    Codes.duplicateTimestamps,
    'Duplicate timestamps not allowed in function',
  );
  return printSelect({
    columns: [
      ...groups,
      [`argMin(${row}, ${key === undefined ? ticks : `tuple(${ticks}, ${key})`})`, 'a'],
      [last, 'b'],
    ],
    from: scan.from,
    where,
    groupBy: groups.length,
    having: mayRepeatTimes && key === undefined ? [`${repeated} = 0`] : [],
  });
}

/** The points of every slice with `a` the row at the point if `x`, `b` the last row before it and `n` the next one. */
function neighbours(task: PointTask, keys: readonly Column[]): string {
  const { points, fill } = task;
  const complete = withMissingSteps(`SELECT * FROM (${cells(task)})`, {
    keys: keys.map(([, column]) => column),
    number: 'q',
    range: [0n, points.count - 1n],
  });
  const slice = keys.length === 0 ? '' : `PARTITION BY ${keys.map(([sql]) => sql).join(', ')} `;
  const running = 'ROWS BETWEEN UNBOUNDED PRECEDING AND';
  const forced = fill?.mode.endsWith('_F') === true && keys.length === 0;
  const around = printSelect({
    columns: [
      ...keys,
      ['r.q', 'q'],
      ['r.a', 'a'],
      [`argMaxIf(r.b, r.q, r.b.1 = 1) OVER (${slice}ORDER BY r.q ASC ${running} 1 PRECEDING)`, 'b'],
      [`argMinIf(r.a, r.q, r.a.1 = 1) OVER (${slice}ORDER BY r.q DESC ${running} CURRENT ROW)`, 'n'],
    ],
    from: `(${complete}) AS r`,
    qualify: forced ? undefined : 'max(r.a.1) OVER () = 1',
  });
  const point = `(${int64(points.from)} + r.q * ${points.step})`;
  return printSelect({
    columns: [
      ...keys,
      [point, 't'],
      [`and(r.a.1 = 1, r.a.2 = ${point})`, 'x'],
      ['r.a', 'a'],
      ['r.b', 'b'],
      ['r.n', 'n'],
    ],
    from: `(${around}) AS r`,
    where: ['r.q >= 0', `r.q < ${points.count}`],
  });
}

/** How points without a row get their values, and which of them are left out. */
interface Filling {
  readonly where: readonly string[];
  readonly origin: string;
  /** Whether there is a row to take values from. */
  readonly exists: string;
  value(input: Value, at: number): string;
}

function filling(task: PointTask): Filling {
  const { fill, within } = task;
  const near = fillingByMode(task);
  const isByRow = fill?.mode === 'PREV' || fill?.mode === 'NEXT' || fill?.mode === 'NEAR';
  if (within === undefined || !isByRow) return near;
  // Every point is given: where no row is near enough, with the values of FILL.
  const isNear = `and(${near.exists}, abs(r.t - ${near.origin}) <= ${within})`;
  const otherwise = literalFiller(task);
  return {
    where: [],
    origin: `if(${isNear}, ${near.origin}, r.t)`,
    exists: '1',
    value: (input, at) => `if(${isNear}, ${near.value(input, at)}, ${otherwise(input, at)})`,
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
  const nothing = { origin: 'r.t', exists: '0', value: (): string => 'NULL' } as const;
  const of = (row: string): Omit<Filling, 'where'> => {
    return { origin: `${row}.2`, exists: `${row}.1 = 1`, value: (_, at) => member(row, at) };
  };
  switch (fill?.mode ?? 'NONE') {
    case 'NONE':
      return { ...nothing, where: ['r.x'] };
    case 'NULL':
    case 'NULL_F':
      return { ...nothing, where: [] };
    case 'PREV':
      return { ...of('r.b'), where: ['or(r.x, r.b.1 = 1)'] };
    case 'NEXT':
      return { ...of('r.n'), where: ['or(r.x, r.n.1 = 1)'] };
    case 'NEAR':
      return { ...of('if(or(r.n.1 = 0, and(r.b.1 = 1, r.t - r.b.2 <= r.n.2 - r.t)), r.b, r.n)'), where: [] };
    case 'LINEAR':
      return { ...nothing, where: ['or(r.x, and(r.b.1 = 1, r.n.1 = 1))'], value: linear };
    case 'VALUE':
    case 'VALUE_F':
      return { ...nothing, where: [], value: literalFiller(task) };
  }
}

/** On the line between the rows before and behind; what is cut off of an integer is its fraction. */
function linear({ type }: Value, at: number): string {
  const [low, high] = [`toFloat64(${member('r.b', at)})`, `toFloat64(${member('r.n', at)})`];
  const value = `${low} + (${high} - ${low}) * (r.t - r.b.2) / (r.n.2 - r.b.2)`;
  return isInteger(type) ? wholePart(value) : value;
}

import { Codes } from '../../model/fault.js';
import type { DataType, Precision } from '../../model/schema.js';
import { call, nullWord, number, one, sortTerm } from '../engine/build.js';
import { Call, type Expr, Over, type SortTerm } from '../engine/nodes.js';
import { castToEngine } from '../engine/storage.js';
import { firstType, nullable } from '../functions/arguments.js';
import { findFunction } from '../functions/registry.js';
import {
  type AggregateBuilder,
  checkArguments,
  integerArgument,
  type Parameter,
  wrongCount,
} from '../functions/spec.js';
import type { Expression, Frame, FrameEnd, WindowLength } from '../syntax/ast.js';
import { durationTicks } from '../times/timestamp.js';
import { refuse, refuseUnsupported } from '../values/context.js';
import { commonType, convertTo, type Environment } from '../values/convert.js';
import { fillingValue } from '../values/filling.js';
import { bigintType, doubleType, isInteger, isNumeric, nullValue, Uses, type Value } from '../values/value.js';

type OverExpression = Extract<Expression, { kind: 'over' }>;

/** The window of an OVER. Some functions do not heed its frame. */
interface OverWindow {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly SortTerm[];
  /** `ROWS BETWEEN … AND …`; undefined for the frame that the engine takes by itself. */
  readonly frame: string | undefined;
}

/** A function that exists only with OVER. */
interface OverFunction {
  readonly parameters: readonly Parameter[];
  readonly required: number;
  readonly result: (args: readonly Value[]) => DataType;
  readonly sql: (args: readonly Value[], window: OverWindow, env: Environment) => Expr;
}

const wholePartition = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

function ranking(name: string, result: DataType): OverFunction {
  const sql = (_: readonly Value[], { partitionBy, orderBy }: OverWindow): Expr =>
    castToEngine(new Over(call(name), { partitionBy, orderBy }), result);
  return { parameters: [], required: 0, result: () => result, sql };
}

/**
 * The type of LAG or LEAD: that of the first argument, which a literal behind it takes too, or what both arguments can
 * take.
 */
function neighbourType([arg, , otherwise]: readonly Value[]): { type: DataType; precision: Precision } {
  const { type, precision } = arg ?? nullValue;
  if (arg === undefined || otherwise === undefined || otherwise.constant !== undefined) return { type, precision };
  return commonType([arg, otherwise]);
}

function isLiteralNumber({ constant }: Value): boolean {
  return typeof constant === 'bigint' || typeof constant === 'number';
}

function neighbour(name: string, engine: string): OverFunction {
  return {
    parameters: ['any', 'integer', 'any'],
    required: 1,
    result: (args) => neighbourType(args).type,
    sql: (args, window, env) => {
      const [arg, distance, otherwise] = args;
      if (arg === undefined) throw wrongCount(name);
      const count = distance === undefined ? 1n : integerArgument(name, distance, 0n, 2n ** 31n);
      const { type, precision } = neighbourType(args);
      const as = (one: Value): Value =>
        isLiteralNumber(one) ? fillingValue(one, type, { ...env, precision }) : convertTo(one, type, precision, env);
      const beyond = otherwise === undefined ? [] : [as(otherwise).sql];
      const own = type === arg.type ? arg : { ...as(arg), nullable: true };
      const value = call(engine, nullable(own), number(count), ...beyond);
      return new Over(value, { ...window, frame: wholePartition });
    },
  };
}

function atEnd(engine: string): OverFunction {
  return {
    parameters: ['any'],
    required: 1,
    result: firstType,
    sql: ([arg], window) => new Over(call(engine, arg?.sql ?? nullWord), window, 'RESPECT NULLS'),
  };
}

const functions: Readonly<Record<string, OverFunction>> = {
  ROW_NUMBER: ranking('row_number', bigintType),
  RANK: ranking('rank', bigintType),
  DENSE_RANK: ranking('dense_rank', bigintType),
  PERCENT_RANK: ranking('percent_rank', doubleType),
  CUME_DIST: ranking('cume_dist', doubleType),
  NTILE: {
    parameters: ['integer'],
    required: 1,
    result: () => bigintType,
    sql: ([count], { partitionBy, orderBy }) => {
      const buckets = integerArgument('NTILE', count, 1n, 2n ** 31n);
      // The engine wants an order; rows of one rank are cut as they come.
      const ordered = orderBy.length > 0 ? orderBy : [{ by: one }];
      const value = call('ntile', number(buckets));
      return castToEngine(new Over(value, { partitionBy, orderBy: ordered, frame: wholePartition }), bigintType);
    },
  },
  LAG: neighbour('LAG', 'lagInFrame'),
  LEAD: neighbour('LEAD', 'leadInFrame'),
  FIRST_VALUE: atEnd('first_value'),
  LAST_VALUE: atEnd('last_value'),
  NTH_VALUE: {
    parameters: ['any', 'integer'],
    required: 2,
    result: firstType,
    sql: ([arg, at], window) => {
      const position = integerArgument('NTH_VALUE', at, 1n, 2n ** 31n);
      const value = arg === undefined ? nullWord : nullable(arg);
      return new Over(call('nth_value', value, number(position)), window);
    },
  },
};

/**
 * A call with OVER: rankings, neighbours and aggregates over rows of the same partition. `translate` gives what stands
 * in it. Error 0x264D for a function that does not exist, 0x0100 for one that cannot stand there.
 */
export function overValue(over: OverExpression, translate: (part: Expression) => Value, env: Environment): Value {
  const { call: called } = over;
  const window = windowOf(over, translate);
  const args = called.args.flatMap((arg) => (arg.kind === 'star' ? [] : [translate(arg)]));
  const parts = [...args, ...over.partitionBy.map(translate), ...over.orderBy.map(({ value }) => translate(value))];
  const uses = parts.reduce<number>((all, part) => all | part.uses, Uses.row);
  const precision = args[0]?.precision ?? env.precision;
  const own = Object.hasOwn(functions, called.name) ? functions[called.name] : undefined;
  if (own !== undefined) {
    if (args.length < own.required || called.args.length > own.parameters.length) throw wrongCount(called.name);
    return { sql: own.sql(args, window, env), type: own.result(args), precision, nullable: true, uses };
  }
  const spec = findFunction(called.name);
  const fits = spec.kind === 'aggregate' || (spec.kind === 'selection' && spec.name !== 'LAST_ROW');
  if (!fits || spec.ordered !== undefined || spec.manyRows === true || spec.name === 'COLS') {
    throw refuseUnsupported(`${called.name.toLowerCase()} with OVER`);
  }
  const builder: AggregateBuilder = {
    aggregate: (name, ...values) => {
      const [engine, ...parameters] = typeof name === 'string' ? [name] : name;
      return new Over(new Call(engine, values, parameters), window);
    },
    time: undefined,
    sequence: undefined,
  };
  const isCount = spec.name === 'COUNT' && called.args.length === 1 && args.length === 0;
  const checked = isCount ? [] : checkArguments(spec, args, env);
  const type = typeof spec.result === 'function' ? spec.result(checked, env) : spec.result;
  return { sql: spec.translate(checked, builder, env), type, precision, nullable: spec.countLike !== true, uses };
}

function windowOf({ partitionBy, orderBy, frame }: OverExpression, translate: (part: Expression) => Value): OverWindow {
  const keys = partitionBy.map((key) => translate(key).sql);
  const values = orderBy.map((order) => translate(order.value));
  const terms = values.map((value, at) =>
    sortTerm(isMeasured(frame) ? measured(value) : value.sql, value.nullable, orderBy[at]),
  );
  return { partitionBy: keys, orderBy: terms, frame: frame && printedFrame(frame, values) };
}

/** Largest distance that the engine takes. */
const maxDistance = 2n ** 32n - 1n;

function isMeasured(frame: Frame | undefined): boolean {
  return frame?.unit === 'RANGE' && !(typeof frame.from === 'string' && typeof frame.to === 'string');
}

/** A value of ORDER BY of which distances are taken: the engine takes only those that its type can hold. */
function measured({ sql, type }: Value): Expr {
  return isInteger(type) && type.name !== 'BIGINT UNSIGNED' ? castToEngine(sql, bigintType) : sql;
}

/** A frame in the words of the engine, in an order by `keys`. */
function printedFrame({ unit, from, to }: Frame, keys: readonly Value[]): string {
  const printedEnd = (end: FrameEnd): string => {
    if (typeof end === 'string') return end;
    const distance = unit === 'ROWS' ? rowsOf(end.distance) : distanceOf(end.distance, keys);
    return `${distance} ${end.side}`;
  };
  return `${unit} BETWEEN ${printedEnd(from)} AND ${printedEnd(to)}`;
}

function rowsOf(distance: WindowLength): bigint {
  if ('ticks' in distance) return distance.ticks;
  throw refuseUnsupported('a duration in ROWS of OVER');
}

/**
 * Distance of a RANGE from the value of ORDER BY, which is one number, or one time and then also a duration of fixed
 * length.
 */
function distanceOf(distance: WindowLength, keys: readonly Value[]): bigint {
  const [key] = keys;
  const isTime = key?.type.name === 'TIMESTAMP';
  if (key === undefined || keys.length > 1 || !(isTime || isNumeric(key.type)) || key.type.name === 'DECIMAL') {
    throw refuseUnsupported('a distance in RANGE of OVER without one number or time in ORDER BY');
  }
  const ticks = 'ticks' in distance ? distance.ticks : durationTicks(distance, key.precision);
  if (ticks === undefined || !('ticks' in distance || isTime))
    throw refuseUnsupported('this duration in RANGE of OVER');
  if (ticks > maxDistance) throw refuseUnsupported(`a distance of more than ${maxDistance} in RANGE of OVER`);
  return ticks;
}

/** Error 0x264F for OVER where there are no rows of a result yet, as in WHERE. */
export function overNotAllowed(): Error {
  return refuse(Codes.functionMixed, 'Some functions are allowed only in the SELECT list of a query: OVER');
}

import { Codes } from '../../model/fault.js';
import type { DataType, Precision } from '../../model/schema.js';
import { isTimeZone } from '../../text/time-zones.js';
import type { Expr, NullTreatment, SortTerm } from '../engine/nodes.js';
import { durationTicks, parseTimestamp } from '../times/timestamp.js';
import { fixedZone } from '../times/zone.js';
import { ofFixedLength } from '../values/arithmetic.js';
import { refuse } from '../values/context.js';
import { type Environment, ticksOf } from '../values/convert.js';
import { isBinary, isInteger, isNumeric, isText, nullValue, type Value } from '../values/value.js';

/**
 * Kind of value that a parameter takes. `number` any numeric type; `text` VARCHAR or NCHAR; `time` a timestamp, ticks
 * or time text; `unit` a duration literal; `truth` anything that stands as a condition; `any` everything.
 */
export type Parameter = 'number' | 'integer' | 'text' | 'time' | 'unit' | 'truth' | 'any';

interface FunctionBase {
  /** Upper case. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** How many of the parameters must be given; all by default. */
  readonly required?: number;
  /** The last parameter may be repeated until there are this many. */
  readonly atMost?: number;
  /** Result type, from the arguments where it depends on them. */
  readonly result: DataType | ((args: readonly Value[], env: Environment) => DataType);
}

/** A function of one row; may stand wherever an expression may. */
export interface ScalarFunction extends FunctionBase {
  readonly kind: 'scalar';
  /** The result; NULL arguments give NULL unless it says otherwise. */
  translate(args: readonly Value[], env: Environment): Expr;
  /** Set when the result is known at plan time. */
  fold?(args: readonly Value[], env: Environment): Value | undefined;
  /** True when the result differs from row to row without depending on any. */
  readonly random?: boolean;
}

/** Which rows of a slice a window column looks at, when not at all up to the current one in order of time. */
export interface RowWindow {
  /** Values that divide the slice further. */
  readonly by?: readonly Expr[];
  /** By time when left out. */
  readonly order?: readonly SortTerm[];
  /** `ROWS BETWEEN ...` */
  readonly frame?: string;
  readonly nulls?: NullTreatment;
  /** True to look also at rows of the slice that are in other windows, where the rows make the windows. */
  readonly isBeyondWindow?: boolean;
}

/** Columns computed over the rows of a slice in order of time, beside those of the rows themselves. */
export interface RowWindows {
  /** The primary timestamp of the rows. */
  readonly time: Value;
  /** What they are sorted by: the time, and what else distinguishes rows of a series. */
  readonly order: readonly Expr[];
  /** What tells the sub-tables of the rows apart; nothing where they are of one. */
  readonly series: readonly Expr[];
  /** `call` over a window of rows; the column that holds its value in each row. May look at other such columns. */
  over(call: Expr, window?: RowWindow): Expr;
}

/**
 * Name of an aggregate function of the engine, with the parameters of a parametric one: `quantile`, `['quantile',
 * number(0.5)]`.
 */
export type AggregateName = string | readonly [name: string, ...parameters: Expr[]];

/** Collects the engine aggregates that a translation is made of. */
export interface AggregateBuilder {
  /** An engine aggregate over the rows of a group; the column that holds its result. */
  aggregate(name: AggregateName, ...args: readonly Expr[]): Expr;
  /** The primary timestamp of the rows. */
  readonly time: Value | undefined;
  /** What is smaller in earlier rows: the primary timestamp, or more where rows share one. */
  readonly sequence: Expr | undefined;
  /** Rows in their order; only for functions that are `ordered`. */
  readonly rows?: RowWindows | undefined;
  /** Start and end of the time window, to stand inside aggregates; undefined without windows of time. */
  readonly span?: { readonly start: Expr; readonly end: Expr } | undefined;
}

/**
 * A function of the rows of a group; in the select list, HAVING and ORDER BY. A `selection` picks a row: the columns
 * beside it take their values from there.
 */
export interface AggregateFunction extends FunctionBase {
  readonly kind: 'aggregate' | 'selection';
  /** Whether the result has just the engine type that stores its type; see {@link Value.exact}. */
  exact?(args: readonly Value[]): boolean;
  /** True for functions that give 0 over no rows; one of them makes the whole group appear. */
  readonly countLike?: boolean;
  /**
   * Whether rows have to be seen in their order, with their neighbours; some functions need it only in some cases,
   * `same-times` where the time is not the whole key.
   */
  readonly ordered?: boolean | 'in-windows' | 'beside-columns' | 'same-times';
  /**
   * True when two rows of a slice must not have the same time (0x2805), `of-series` when two of the same sub-table must
   * not; only for functions that are `ordered`.
   */
  readonly distinctTimes?: boolean | 'of-series';
  /** True when a subquery must not put the rows in an order without time (0x264F). */
  readonly alongTime?: boolean;
  /** Windows whose result depends on the rows before and behind them, too: those of time, or every one. */
  readonly beyondWindow?: 'of-time' | 'every';
  /** True when a super table is refused (0x265F). */
  readonly singleTable?: boolean;
  /** True when a group gives several rows; nothing else may stand beside it. */
  readonly manyRows?: boolean;
  translate(args: readonly Value[], builder: AggregateBuilder, env: Environment): Expr;
  /** For a selection: the aggregate that picks the row, without the tuple of columns to take from it. */
  pick?(
    args: readonly Value[],
    builder: Pick<AggregateBuilder, 'sequence' | 'rows'>,
  ): readonly [name: string, ...args: Expr[]];
}

/** Result of a series function for a row of its slice. */
export interface SeriesResult {
  readonly sql: Expr;
  /** Condition of the rows that are given; all of them when left out. */
  readonly keep?: Expr;
}

/**
 * A function of the rows of a slice in order of time, which gives a value for each row or for some of them. `rows` says
 * which ones can stand side by side: those that give `each` row, those that leave out the first (`after-first`), while
 * one that picks its rows stands alone.
 */
export interface SeriesFunction extends FunctionBase {
  readonly kind: 'series';
  readonly rows: 'each' | 'after-first' | 'picked';
  /** True when it may not stand in a query with windows, each of which is a slice to the others. */
  readonly outsideWindows?: boolean;
  /** True when it can do without the time of the rows. */
  readonly isTimeless?: boolean;
  /** True when two rows of a slice must not have the same time (0x2805). */
  readonly distinctTimes: boolean;
  /** True when it takes the first of the rows of one time where the table has a key beside the time. */
  readonly takesFirst?: boolean;
  translate(args: readonly Value[], rows: RowWindows, env: Environment): SeriesResult;
}

/** A function of the dialect: its name, arguments, result and translation. */
export type FunctionSpec = ScalarFunction | AggregateFunction | SeriesFunction;

/** Properties of a function beside those that each has. */
type More<F extends FunctionSpec> = Partial<Omit<F, 'kind' | 'name' | 'parameters' | 'result' | 'translate'>>;

/** A row of the table of functions: a function of one row. */
export function scalar(
  name: string,
  parameters: readonly Parameter[],
  result: ScalarFunction['result'],
  translate: ScalarFunction['translate'],
  more: More<ScalarFunction> = {},
): ScalarFunction {
  return { kind: 'scalar', name, parameters, result, translate, ...more };
}

/** A row of the table of functions: a function of the rows of a group. */
export function aggregate(
  name: string,
  parameters: readonly Parameter[],
  result: AggregateFunction['result'],
  translate: AggregateFunction['translate'],
  more: More<AggregateFunction> = {},
): AggregateFunction {
  return { kind: 'aggregate', name, parameters, result, translate, ...more };
}

/** A row of the table of functions: a function of the rows of a slice, which as a rule must not share their times. */
export function series(
  name: string,
  parameters: readonly Parameter[],
  result: SeriesFunction['result'],
  translate: SeriesFunction['translate'],
  more: Partial<More<SeriesFunction>> & Pick<SeriesFunction, 'rows'>,
): SeriesFunction {
  return { kind: 'series', name, parameters, result, translate, distinctTimes: true, ...more };
}

/** Error 0x2801. */
export function wrongCount(name: string): Error {
  return refuse(Codes.functionParameterCount, `Invalid number of parameters : ${name.toLowerCase()}`);
}

/** Error 0x2802. */
export function wrongParameterType(name: string): Error {
  return refuse(Codes.functionParameterType, `Invalid parameter data type : ${name.toLowerCase()}`);
}

/** Error 0x2803. */
export function wrongParameterValue(name: string): Error {
  return refuse(Codes.functionParameterValue, `Invalid parameter value : ${name.toLowerCase()}`);
}

/** Error 0x2647: rows that have no time. */
export function noTimeline(): Error {
  return refuse(Codes.invalidTimeline, 'Invalid timeline function');
}

/** Error 0x264F: rows that come in no order of time. */
export function unorderedRows(name: string): Error {
  return refuse(Codes.functionMixed, `Function '${name.toLowerCase()}' requires valid time series input`);
}

/**
 * A zone as the engine calls it, by its name or a distance from UTC such as `+08:00`, which counts to the west here, as
 * in POSIX. Error 0x26B2 where there is no such zone.
 */
export function zoneArgument(zone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(0\d|1[0-4])(?::?([0-5]\d))?$/.exec(zone) ?? [];
  if (sign !== undefined) return `${fixedZone}${sign === '+' ? '-' : '+'}${hours}:${minutes}:00`;
  if (isTimeZone(zone)) return zone;
  throw refuse(Codes.invalidTimeZone, `Invalid timezone: ${zone}`);
}

/** An integer literal between limits; error 0x2803 outside of them. */
export function integerArgument(name: string, arg: Value | undefined, low: bigint, high: bigint): bigint {
  if (typeof arg?.constant !== 'bigint' || arg.duration !== undefined) throw wrongParameterType(name);
  if (arg.constant < low || arg.constant > high) throw wrongParameterValue(name);
  return arg.constant;
}

/** A literal number between limits; error 0x2803 outside of them. */
export function numberArgument(name: string, arg: Value | undefined, low: number, high: number): number {
  const { constant } = arg ?? {};
  if ((typeof constant !== 'bigint' && typeof constant !== 'number') || arg?.duration !== undefined) {
    throw wrongParameterType(name);
  }
  const number = Number(constant);
  if (number < low || number > high) throw wrongParameterValue(name);
  return number;
}

/** Ticks of a duration literal of fixed length that is one of the units 1b to 1w; one tick at least. */
export function unitArgument(name: string, arg: Value | undefined, precision: Precision): bigint {
  if (arg?.duration === undefined) return 1n;
  const ticks = durationTicks(arg.duration, precision);
  if (ticks === undefined || arg.duration.count !== 1) throw wrongParameterValue(name);
  return ticks < 1n ? 1n : ticks;
}

/** Checks the arguments of a call against the parameters; `time` arguments come back as ticks. */
export function checkArguments(spec: FunctionSpec, args: readonly Value[], env: Environment): Value[] {
  const most = spec.atMost ?? spec.parameters.length;
  if (args.length < (spec.required ?? spec.parameters.length) || args.length > most) throw wrongCount(spec.name);
  return args.map((arg, at) => {
    const parameter = spec.parameters[Math.min(at, spec.parameters.length - 1)] ?? 'any';
    const value = parameter === 'unit' ? arg : ofFixedLength(arg);
    if (!accepts(parameter, value)) throw wrongParameterType(spec.name);
    return parameter === 'time' ? timeArgument(value, env) : value;
  });
}

/** A time in ticks; a text that is none gives NULL, a literal too. */
function timeArgument(arg: Value, env: Environment): Value {
  const text = isText(arg.type) ? arg.constant : undefined;
  if (typeof text === 'string' && parseTimestamp(text, env.precision, env.context.connectionZone) === undefined) {
    return ticksOf(nullValue, env.precision, env);
  }
  const ticks = ticksOf(arg, arg.type.name === 'TIMESTAMP' ? arg.precision : env.precision, env);
  return ticks.precision === env.precision ? ticks : ticksOf(ticks, env.precision, env);
}

function accepts(parameter: Parameter, value: Value): boolean {
  const { type, role, duration, member } = value;
  if (parameter === 'unit') return duration !== undefined;
  if (role === 'null' || parameter === 'any') return true;
  switch (parameter) {
    case 'number':
      return isNumeric(type);
    case 'integer':
      return isInteger(type);
    case 'text':
      return isText(type) || member !== undefined;
    case 'time':
      return type.name === 'TIMESTAMP' || isInteger(type) || isText(type);
    case 'truth':
      return !isBinary(type);
  }
}

import { Codes } from '../../model/fault.js';
import type { DataType } from '../../model/schema.js';
import { refuse } from '../resolve/context.js';
import { type Environment, ticksOf } from '../resolve/convert.js';
import { isBinary, isInteger, isNumeric, isText, type Value } from '../resolve/value.js';

/**
 * What a parameter takes. `number` any numeric type; `text` VARCHAR or NCHAR; `time` a timestamp, ticks or time text;
 * `unit` a duration literal; `truth` anything that stands as a condition; `any` everything.
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
  /** Engine SQL of the result; NULL arguments give NULL unless it says otherwise. */
  translate(args: readonly Value[], env: Environment): string;
  /** Set when the result is known at plan time. */
  fold?(args: readonly Value[], env: Environment): Value | undefined;
  /** True when the result differs from row to row without depending on any. */
  readonly random?: boolean;
}

/** Collects the engine aggregates that a translation is made of. */
export interface AggregateBuilder {
  /** An engine aggregate over the rows of a group, `name` with its parameters; the text that stands for its result. */
  aggregate(name: string, ...args: string[]): string;
  /** The primary timestamp of the rows. */
  readonly time: Value | undefined;
}

/**
 * A function of the rows of a group; in the select list, HAVING and ORDER BY. A `selection` picks a row: the columns
 * beside it take their values from there.
 */
export interface AggregateFunction extends FunctionBase {
  readonly kind: 'aggregate' | 'selection';
  /** True for functions that give 0 over no rows; one of them makes the whole group appear (4.7). */
  readonly countLike?: boolean;
  translate(args: readonly Value[], builder: AggregateBuilder): string;
  /** For a selection: the aggregate that picks the row, without the tuple of columns to take from it. */
  pick?(args: readonly Value[], time: Value | undefined): readonly [name: string, ...args: string[]];
}

export type FunctionSpec = ScalarFunction | AggregateFunction;

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

/** Checks the arguments of a call against the parameters; `time` arguments come back as ticks. */
export function checkArguments(spec: FunctionSpec, args: readonly Value[], env: Environment): Value[] {
  const most = spec.atMost ?? spec.parameters.length;
  if (args.length < (spec.required ?? spec.parameters.length) || args.length > most) throw wrongCount(spec.name);
  return args.map((arg, at) => {
    const parameter = spec.parameters[Math.min(at, spec.parameters.length - 1)] ?? 'any';
    if (!accepts(parameter, arg)) throw wrongParameterType(spec.name);
    return parameter === 'time' ? timeArgument(arg, env) : arg;
  });
}

function timeArgument(arg: Value, env: Environment): Value {
  const ticks = ticksOf(arg, arg.type.name === 'TIMESTAMP' ? arg.precision : env.precision, env);
  return ticks.precision === env.precision ? ticks : ticksOf(ticks, env.precision, env);
}

function accepts(parameter: Parameter, { type, role, duration, member }: Value): boolean {
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

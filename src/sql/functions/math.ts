import { Codes } from '../../model/fault.js';
import { call, number, zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { raiseIf } from '../engine/raise.js';
import { castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { hasNode } from '../engine/transform.js';
import { doubleArithmetic } from '../values/arithmetic.js';
import { commonType, convertTo, type Environment, numberOf } from '../values/convert.js';
import { doubleType, isInteger, isText, isUnsigned, nullValue, type Value } from '../values/value.js';
import { firstType, plainArgument } from './arguments.js';
import { type ScalarFunction, scalar } from './spec.js';

/** An argument as a number. */
function numeric(args: readonly Value[], at: number): Expr {
  const arg = args[at];
  return arg === undefined ? zero : numberOf(arg).sql;
}

/** A function of the engine over DOUBLEs whose domain errors become NULL. */
function double(name: string, engine: string, count = 1): ScalarFunction {
  return scalar(
    name,
    Array.from({ length: count }, () => 'number' as const),
    doubleType,
    (args) => finite(call(engine, ...args.map((_, at) => numeric(args, at)))),
  );
}

function finite(sql: Expr): Expr {
  return expr`if(isFinite(${sql}), ${sql}, NULL)`;
}

/** A function that gives back the type it was given. */
function keeping(name: string, engine: string): ScalarFunction {
  return scalar(name, ['number'], firstType, (args) =>
    castToEngine(call(engine, plainArgument(args, 0)), firstType(args)),
  );
}

/**
 * Of the smallest BIGINT there is no positive one: error 0x0224. The check has the argument a second time, so of calls
 * in each other the innermost has it alone: what they give is not the smallest one.
 */
function absolute(args: readonly Value[]): Expr {
  const type = firstType(args);
  const argument = plainArgument(args, 0);
  const sql = castToEngine(call('abs', argument), type);
  if (!isInteger(type) || isUnsigned(type) || hasNode(argument, isAbsolute)) return sql;
  const isBeyond = expr`ifNull(${sql} < 0, 0)`;
  const message = `Value out of range: ABS of the smallest ${type.name}`;
  return castToEngine(expr`${sql} + ${raiseIf(isBeyond, Codes.valueOutOfRange, message)}`, type);
}

function isAbsolute(node: Expr): boolean {
  return node.kind === 'call' && node.name === 'abs';
}

/** A DECIMAL has no more digits on either side of its point, an integer fewer. */
const mostDigits = 38;
/** A DOUBLE has digits behind its point up to here, and in front of it. */
const mostDoubleDigits = 308;

/**
 * How many digits to keep behind the point, fewer than 0 for zeros in front of it: a literal, or an expression; none is
 * 0.
 */
function digitsArgument(args: readonly Value[], most: number): number | Expr {
  const [, arg] = args;
  if (arg === undefined) return 0;
  const { constant } = arg;
  if (typeof constant === 'bigint' || typeof constant === 'number')
    return Math.max(-most, Math.min(most, Math.trunc(Number(constant))));
  return expr`accurateCastOrNull(trunc(least(greatest(${numeric(args, 1)}, -${most}), ${most})), 'Int32')`;
}

/** An exact number to some digits by a function of the engine, which knows no places that an integer does not have. */
function exactDigits(engine: 'round' | 'truncate', args: readonly Value[]): Expr {
  const sql = plainArgument(args, 0);
  const digits = digitsArgument(args, mostDigits);
  if (!isInteger(firstType(args))) return call(engine, sql, expr`${digits}`);
  const fewest = 1 - largestInteger.length;
  if (typeof digits === 'number')
    return digits < fewest ? expr`multiply(${sql}, 0)` : call(engine, sql, number(Math.min(digits, 0)));
  const kept = call(engine, sql, expr`least(greatest(${digits}, ${fewest}), 0)`);
  return expr`if(${digits} < ${fewest}, multiply(${sql}, 0), ${kept})`;
}

const largestInteger = '18446744073709551615';

/** Half away from zero, as the engine rounds exact numbers; floats it would round half to even. */
function roundHalfAway(args: readonly Value[]): Expr {
  const type = firstType(args);
  if (isInteger(type) || type.name === 'DECIMAL') return castToEngine(exactDigits('round', args), type);
  const scale = expr`pow(10, ${digitsArgument(args, mostDoubleDigits)})`;
  const value = numeric(args, 0);
  const scaled = expr`abs(${value}) * ${scale}`;
  const rounded = expr`sign(${value}) * floor(${scaled} + 0.5) / ${scale}`;
  return castToEngine(expr`if(isInfinite(${scaled}), ${value}, ${rounded})`, type);
}

function truncateTo(args: readonly Value[]): Expr {
  const type = firstType(args);
  if (isInteger(type) || type.name === 'DECIMAL') return castToEngine(exactDigits('truncate', args), type);
  const digits = digitsArgument(args, mostDoubleDigits);
  const value = numeric(args, 0);
  const cut = expr`truncate(${value}, ${typeof digits === 'number' ? digits : expr`greatest(${digits}, 0)`})`;
  // A large number has no places so far behind the point, but moved there it is infinite.
  const behind = expr`if(isInfinite(${cut}), ${value}, ${cut})`;
  const unit = expr`pow(10, negate(${digits}))`;
  const before = expr`trunc(${value} / ${unit}) * ${unit}`;
  if (typeof digits === 'number') return castToEngine(digits < 0 ? before : behind, type);
  return castToEngine(expr`if(${digits} < 0, ${before}, ${behind})`, type);
}

function logarithm(args: readonly Value[]): Expr {
  const top = expr`log(${numeric(args, 0)})`;
  if (args[1] === undefined) return finite(top);
  const base = numeric(args, 1);
  return finite(expr`${top} / if(${base} > 0, nullIf(log(${base}), 0), NULL)`);
}

/** GREATEST and LEAST; numbers that meet texts compare as texts, and so does a truth, as 1 or 0. */
function extremum(name: string, engine: string): ScalarFunction {
  return scalar(
    name,
    ['any'],
    (args) => commonType(args).type,
    (args, env: Environment) => {
      const { type, precision } = commonType(args);
      const compared = args.map((arg) => (arg.type.name === 'BOOL' && isText(type) ? numberOf(arg) : arg));
      return call(engine, ...compared.map((arg) => convertTo(arg, type, precision, env).sql));
    },
    { required: 2, atMost: 64 },
  );
}

/** Mathematical functions of one row. */
export const mathFunctions: readonly ScalarFunction[] = [
  scalar('ABS', ['number'], firstType, absolute),
  keeping('CEIL', 'ceil'),
  keeping('CEILING', 'ceil'),
  keeping('FLOOR', 'floor'),
  keeping('SIGN', 'sign'),
  scalar('ROUND', ['number', 'number'], firstType, roundHalfAway, { required: 1 }),
  scalar('TRUNCATE', ['number', 'number'], firstType, truncateTo),
  scalar('TRUNC', ['number', 'number'], firstType, truncateTo),
  double('SQRT', 'sqrt'),
  double('EXP', 'exp'),
  double('LN', 'log'),
  scalar('LOG', ['number', 'number'], doubleType, logarithm, { required: 1 }),
  double('POW', 'pow', 2),
  double('POWER', 'pow', 2),
  scalar(
    'MOD',
    ['number', 'number'],
    doubleType,
    ([dividend = nullValue, divisor = nullValue]) => doubleArithmetic('%', dividend, divisor).sql,
  ),
  double('SIN', 'sin'),
  double('COS', 'cos'),
  double('TAN', 'tan'),
  double('ASIN', 'asin'),
  double('ACOS', 'acos'),
  double('ATAN', 'atan'),
  double('DEGREES', 'degrees'),
  double('RADIANS', 'radians'),
  scalar('PI', [], doubleType, () => expr`pi()`),
  scalar(
    'RAND',
    ['integer'],
    doubleType,
    ([seed]) =>
      seed === undefined || seed.role === 'null' ? expr`randCanonical()` : expr`xxHash32(${seed.sql}) / 4294967296`,
    { required: 0, random: true },
  ),
  extremum('GREATEST', 'greatest'),
  extremum('LEAST', 'least'),
];

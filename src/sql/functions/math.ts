import { castToEngine } from '../engine/storage.js';
import { commonType, convertTo, type Environment, numberOf } from '../values/convert.js';
import { doubleType, isInteger, isText, type Value } from '../values/value.js';
import { firstType, plainArgument } from './arguments.js';
import { type ScalarFunction, scalar } from './spec.js';

function number(args: readonly Value[], at: number): string {
  const arg = args[at];
  return arg === undefined ? '0' : numberOf(arg).sql;
}

/** A function of the engine over DOUBLEs whose domain errors become NULL. */
function double(name: string, engine: string, count = 1): ScalarFunction {
  return scalar(
    name,
    Array.from({ length: count }, () => 'number' as const),
    doubleType,
    (args) => finite(`${engine}(${args.map((_, at) => number(args, at)).join(', ')})`),
  );
}

function finite(sql: string): string {
  return `if(isFinite(${sql}), ${sql}, NULL)`;
}

/** A function that gives back the type it was given. */
function keeping(name: string, engine: string): ScalarFunction {
  return scalar(name, ['number'], firstType, (args) =>
    castToEngine(`${engine}(${plainArgument(args, 0)})`, firstType(args)),
  );
}

/** A DECIMAL has no more digits on either side of its point, an integer fewer. */
const mostDigits = 38;
/** A DOUBLE has digits behind its point up to here, and in front of it. */
const mostDoubleDigits = 308;

/** How many digits to keep behind the point, fewer than 0 for zeros in front of it: a literal, or engine SQL; none is 0. */
function digitsArgument(args: readonly Value[], most: number): number | string {
  const [, arg] = args;
  if (arg === undefined) return 0;
  const { constant } = arg;
  if (typeof constant === 'bigint' || typeof constant === 'number')
    return Math.max(-most, Math.min(most, Math.trunc(Number(constant))));
  return `accurateCastOrNull(trunc(least(greatest(${number(args, 1)}, -${most}), ${most})), 'Int32')`;
}

/** An exact number to some digits by a function of the engine, which knows no places that an integer does not have. */
function exactDigits(engine: 'round' | 'truncate', args: readonly Value[]): string {
  const sql = plainArgument(args, 0);
  const digits = digitsArgument(args, mostDigits);
  if (!isInteger(firstType(args))) return `${engine}(${sql}, ${digits})`;
  const fewest = 1 - largestInteger.length;
  if (typeof digits === 'number')
    return digits < fewest ? `multiply(${sql}, 0)` : `${engine}(${sql}, ${Math.min(digits, 0)})`;
  return `if(${digits} < ${fewest}, multiply(${sql}, 0), ${engine}(${sql}, least(greatest(${digits}, ${fewest}), 0)))`;
}

const largestInteger = '18446744073709551615';

/** Half away from zero, as the engine rounds exact numbers; floats it would round half to even. */
function roundHalfAway(args: readonly Value[]): string {
  const type = firstType(args);
  if (isInteger(type) || type.name === 'DECIMAL') return castToEngine(exactDigits('round', args), type);
  const scale = `pow(10, ${digitsArgument(args, mostDoubleDigits)})`;
  const value = number(args, 0);
  const scaled = `abs(${value}) * ${scale}`;
  const rounded = `sign(${value}) * floor(${scaled} + 0.5) / ${scale}`;
  return castToEngine(`if(isInfinite(${scaled}), ${value}, ${rounded})`, type);
}

function truncateTo(args: readonly Value[]): string {
  const type = firstType(args);
  if (isInteger(type) || type.name === 'DECIMAL') return castToEngine(exactDigits('truncate', args), type);
  const digits = digitsArgument(args, mostDoubleDigits);
  const value = number(args, 0);
  const behind = `truncate(${value}, ${typeof digits === 'number' ? digits : `greatest(${digits}, 0)`})`;
  const unit = `pow(10, negate(${digits}))`;
  const before = `trunc(${value} / ${unit}) * ${unit}`;
  if (typeof digits === 'number') return castToEngine(digits < 0 ? before : behind, type);
  return castToEngine(`if(${digits} < 0, ${before}, ${behind})`, type);
}

function logarithm(args: readonly Value[]): string {
  const top = `log(${number(args, 0)})`;
  if (args[1] === undefined) return finite(top);
  const base = number(args, 1);
  return finite(`(${top} / if(${base} > 0, nullIf(log(${base}), 0), NULL))`);
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
      return `${engine}(${compared.map((arg) => convertTo(arg, type, precision, env).sql).join(', ')})`;
    },
    { required: 2, atMost: 64 },
  );
}

/** Mathematical functions of one row. */
export const mathFunctions: readonly ScalarFunction[] = [
  keeping('ABS', 'abs'),
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
    (args) => `modulo(${number(args, 0)}, nullIf(${number(args, 1)}, 0))`,
  ),
  double('SIN', 'sin'),
  double('COS', 'cos'),
  double('TAN', 'tan'),
  double('ASIN', 'asin'),
  double('ACOS', 'acos'),
  double('ATAN', 'atan'),
  double('DEGREES', 'degrees'),
  double('RADIANS', 'radians'),
  scalar('PI', [], doubleType, () => 'pi()'),
  scalar(
    'RAND',
    ['integer'],
    doubleType,
    ([seed]) =>
      seed === undefined || seed.role === 'null' ? 'randCanonical()' : `(xxHash32(${seed.sql}) / 4294967296)`,
    { required: 0, random: true },
  ),
  extremum('GREATEST', 'greatest'),
  extremum('LEAST', 'least'),
];

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

/** How many digits the engine rounds exact numbers to, in front of the point or behind it. */
const mostDigits = 18;

/** Half away from zero, as the engine rounds exact numbers; floats it would round half to even. */
function roundHalfAway(args: readonly Value[]): string {
  const type = firstType(args);
  const digits = args[1] === undefined ? '0' : `toInt64(${number(args, 1)})`;
  const exactDigits = args[1] === undefined ? 0 : Number(args[1].constant ?? Number.NaN);
  if ((isInteger(type) || type.name === 'DECIMAL') && Math.abs(exactDigits) <= mostDigits) {
    return castToEngine(`round(${plainArgument(args, 0)}, ${Math.trunc(exactDigits)})`, type);
  }
  const scale = `pow(10, ${digits})`;
  const magnitude = `abs(${number(args, 0)})`;
  const rounded = `sign(${number(args, 0)}) * floor(${magnitude} * ${scale} + 0.5) / ${scale}`;
  return castToEngine(`(${rounded})`, type);
}

function truncateTo(args: readonly Value[]): string {
  return castToEngine(`truncate(${plainArgument(args, 0)}, toInt64(${number(args, 1)}))`, firstType(args));
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

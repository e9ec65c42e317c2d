import { zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { compare, isNull } from '../values/compare.js';
import { commonType, convertTo, type Environment, truthOf } from '../values/convert.js';
import { boolType, nullValue, type Value } from '../values/value.js';
import { firstType } from './arguments.js';
import { type Parameter, type ScalarFunction, scalar } from './spec.js';

/** A function whose result is one of its arguments from the `first` on, all brought to their common type. */
function choosing(
  name: string,
  parameters: readonly Parameter[],
  first: number,
  pattern: (args: readonly Value[], choices: readonly Expr[]) => Expr,
  limits: { readonly required?: number; readonly atMost?: number } = {},
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    parameters,
    ...limits,
    result: (args) => commonType(args.slice(first)).type,
    translate: (args, env: Environment) => {
      const { type, precision } = commonType(args.slice(first));
      return pattern(
        args,
        args.slice(first).map((arg) => convertTo(arg, type, precision, env).sql),
      );
    },
  };
}

function truth(value: Value | undefined): Expr {
  return value === undefined ? zero : expr`ifNull(${truthOf(value).sql}, 0)`;
}

function test(name: string, negated: boolean): ScalarFunction {
  return scalar(name, ['any'], boolType, (args) => (args[0] === undefined ? zero : isNull(args[0], negated).sql));
}

/** The first value, of its own type, unless it equals the second as `=` compares them. */
function nullIf([value = nullValue, other = nullValue]: readonly Value[], env: Environment): Expr {
  const { type, precision } = commonType([value]);
  return expr`if(${truth(compare('=', value, other, env))}, NULL, ${convertTo(value, type, precision, env).sql})`;
}

/** Functions that choose between values. */
export const conditionalFunctions: readonly ScalarFunction[] = [
  choosing('IF', ['truth', 'any', 'any'], 1, (args, choices) => expr`if(${truth(args[0])}, ${choices})`),
  choosing('IFNULL', ['any', 'any'], 0, (_, choices) => expr`ifNull(${choices})`),
  choosing('NVL', ['any', 'any'], 0, (_, choices) => expr`ifNull(${choices})`),
  choosing('NVL2', ['any', 'any', 'any'], 1, (args, choices) => {
    const isThere = args[0] === undefined ? zero : isNull(args[0], true).sql;
    return expr`if(${isThere}, ${choices})`;
  }),
  scalar('NULLIF', ['any', 'any'], firstType, nullIf),
  choosing('COALESCE', ['any'], 0, (_, choices) => expr`coalesce(${choices})`, { required: 1, atMost: 64 }),
  test('ISNULL', false),
  test('ISNOTNULL', true),
];

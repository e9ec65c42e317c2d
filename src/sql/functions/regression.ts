import { dataType } from '../../model/schema.js';
import { float64 } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { doubleType, type Value } from '../values/value.js';
import { doubleArgument, hasValue } from './arguments.js';
import {
  type AggregateBuilder,
  type AggregateFunction,
  aggregate,
  numberArgument,
  wrongParameterType,
} from './spec.js';

/** A statistic of two columns over the rows in which both have values. */
function ofTwo(name: string, engine: string): AggregateFunction {
  return aggregate(name, ['number', 'number'], doubleType, ([a, b], builder) =>
    builder.aggregate(engine, doubleArgument(a), doubleArgument(b)),
  );
}

/**
 * The line through the values of a group, the i-th of which lies at start + i * step. Rows are numbered once for all
 * windows of a slice; where a window's numbers begin does not change the slope and shifts the intercept.
 */
function leastSquares(args: readonly Value[], builder: AggregateBuilder): Expr {
  const start = numberArgument('LEASTSQUARES', args[1], -Infinity, Infinity);
  const step = numberArgument('LEASTSQUARES', args[2], -Infinity, Infinity);
  const { rows } = builder;
  if (rows === undefined) throw wrongParameterType('LEASTSQUARES');
  const value = doubleArgument(args[0]);
  const rowNumber = expr`toFloat64(${rows.over(expr`row_number()`, { by: [hasValue(args[0])] })})`;
  const position = expr`if(${hasValue(args[0])}, ${rowNumber}, NULL)`;
  const line = builder.aggregate('simpleLinearRegression', position, value);
  const [first, count] = [builder.aggregate('min', position), builder.aggregate('count', value)];
  const slope = expr`tupleElement(${line}, 'k') / ${float64(step)}`;
  const intercept = expr`tupleElement(${line}, 'b') + tupleElement(${line}, 'k') * ${first} - ${slope} * ${float64(start)}`;
  const printed = (sql: Expr): Expr => expr`printf('%.6f', assumeNotNull(${sql}))`;
  const description = expr`concat('{slop:', ${printed(slope)}, ', intercept:', ${printed(intercept)}, '}')`;
  return expr`multiIf(${count} = 0, NULL, ${count} = 1, '{slop:-nan, intercept:-nan}', ${description})`;
}

/** Aggregates that relate values to each other or to their order. */
export const regressionFunctions: readonly AggregateFunction[] = [
  aggregate('LEASTSQUARES', ['number', 'number', 'number'], dataType('VARCHAR', 64), leastSquares, { ordered: true }),
  ofTwo('CORR', 'corrStable'),
  ofTwo('COVAR_POP', 'covarPopStable'),
  ofTwo('COVAR_SAMP', 'covarSampStable'),
];

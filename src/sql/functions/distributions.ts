import { dataType } from '../../model/schema.js';
import { float64, number, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { doubleType, type Value } from '../values/value.js';
import { doubleArgument } from './arguments.js';
import { type HistogramBins, histogramBins } from './histogram-bins.js';
import {
  type AggregateBuilder,
  type AggregateFunction,
  aggregate,
  integerArgument,
  numberArgument,
  wrongParameterType,
  wrongParameterValue,
} from './spec.js';

/** Room for the text of several percentiles or of one bin. */
const textType = dataType('VARCHAR', 512);

/** Percentiles as engine levels between 0 and 1. */
function levels(name: string, args: readonly Value[]): Expr[] {
  return args.map((arg) => number(numberArgument(name, arg, 0, 100) / 100));
}

/** One percentile is a number, several are a text with six decimals each. */
function percentile(args: readonly Value[], builder: AggregateBuilder): Expr {
  const values = doubleArgument(args[0]);
  const percents = levels('PERCENTILE', args.slice(1));
  if (args.length === 2) return builder.aggregate(['quantileExactInclusive', ...percents], values);
  const all = builder.aggregate(['quantilesExactInclusive', ...percents], values);
  const list = expr`arrayStringConcat(arrayMap(q -> printf('%.6f', assumeNotNull(q)), ${all}), ', ')`;
  return expr`if(${builder.aggregate('count', values)} = 0, NULL, concat('[', ${list}, ']'))`;
}

function approximatePercentile(args: readonly Value[], builder: AggregateBuilder): Expr {
  const algorithm = args[2]?.constant ?? 'default';
  if (typeof algorithm !== 'string') throw wrongParameterType('APERCENTILE');
  const engine = { default: 'quantile', 't-digest': 'quantileTDigest' }[algorithm.toLowerCase()];
  if (engine === undefined) throw wrongParameterValue('APERCENTILE');
  const percents = levels('APERCENTILE', args.slice(1, 2));
  return builder.aggregate([engine, ...percents], doubleArgument(args[0]));
}

/** One row for each bin; a value belongs to the bin above whose lower bound it lies, its upper bound included. */
function histogram(args: readonly Value[], builder: AggregateBuilder): Expr {
  const [type, description] = [args[1]?.constant, args[2]?.constant];
  if (typeof type !== 'string' || typeof description !== 'string') throw wrongParameterType('HISTOGRAM');
  const bins = histogramBins(type.toLowerCase(), description);
  if (bins === undefined) throw wrongParameterValue('HISTOGRAM');
  const normalized = integerArgument('HISTOGRAM', args[3], 0n, 1n) === 1n;
  const counts = countsOfBins(doubleArgument(args[0]), bins, builder);
  return expr`arrayJoin(${binTexts(bins, counts, normalized)})`;
}

/**
 * How many values lie in each bin. A bin is found by a search among the negated upper bounds, which costs little
 * however many bins there are: the greatest negated bound that is not above the negated value belongs to the smallest
 * bound that is not below the value.
 */
function countsOfBins(value: Expr, { edges }: HistogramBins, builder: AggregateBuilder): Expr {
  const [lowest, highest] = [edges[0] ?? 0, edges.at(-1) ?? 0];
  const negated = edges.slice(1).map((edge) => (edge === Infinity ? expr`toFloat64('-inf')` : float64(-edge)));
  const limits = [expr`isNotNull(${value})`];
  limits.push(lowest === -Infinity ? expr`NOT isNaN(${value})` : expr`${value} > ${float64(lowest)}`);
  if (highest !== Infinity) limits.push(expr`${value} <= ${float64(highest)}`);
  const bin = expr`roundDown(negate(assumeNotNull(${value})), [${negated}])`;
  const hits = builder.aggregate('sumMapIf', expr`[${bin}]`, expr`[toUInt64(1)]`, expr`ifNull(and(${limits}), 0)`);
  return expr`arrayMap(b -> tupleElement(${hits}, 2)[indexOf(tupleElement(${hits}, 1), b)], [${negated}])`;
}

function binTexts({ heads }: HistogramBins, counts: Expr, normalized: boolean): Expr {
  const listed = expr`[${heads.map(text)}]`;
  const shown = normalized
    ? expr`printf('%.6f', if(arraySum(${counts}) = 0, 0, n / arraySum(${counts})))`
    : expr`toString(toUInt64(n))`;
  return expr`arrayMap((h, n) -> concat(h, ${shown}, '}'), ${listed}, ${counts})`;
}

/** Aggregates that describe how values are distributed; all of them leave out NULL. */
export const distributionFunctions: readonly AggregateFunction[] = [
  aggregate('PERCENTILE', ['number', 'number'], (args) => (args.length === 2 ? doubleType : textType), percentile, {
    atMost: 11,
    singleTable: true,
  }),
  aggregate('APERCENTILE', ['number', 'number', 'text'], doubleType, approximatePercentile, { required: 2 }),
  aggregate('HISTOGRAM', ['number', 'text', 'text', 'integer'], textType, histogram, { manyRows: true }),
];

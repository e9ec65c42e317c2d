import { dataType } from '../../model/schema.js';
import { float64, quoteString } from '../engine/quote.js';
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
function levels(name: string, args: readonly Value[]): string {
  return args.map((arg) => numberArgument(name, arg, 0, 100) / 100).join(', ');
}

/** One percentile is a number, several are a text with six decimals each. */
function percentile(args: readonly Value[], builder: AggregateBuilder): string {
  const column = doubleArgument(args[0]);
  const percents = levels('PERCENTILE', args.slice(1));
  if (args.length === 2) return builder.aggregate(`quantileExactInclusive(${percents})`, column);
  const all = builder.aggregate(`quantilesExactInclusive(${percents})`, column);
  const text = `arrayStringConcat(arrayMap(q -> printf('%.6f', assumeNotNull(q)), ${all}), ', ')`;
  return `if(${builder.aggregate('count', column)} = 0, NULL, concat('[', ${text}, ']'))`;
}

function approximatePercentile(args: readonly Value[], builder: AggregateBuilder): string {
  const algorithm = args[2]?.constant ?? 'default';
  if (typeof algorithm !== 'string') throw wrongParameterType('APERCENTILE');
  const engine = { default: 'quantile', 't-digest': 'quantileTDigest' }[algorithm.toLowerCase()];
  if (engine === undefined) throw wrongParameterValue('APERCENTILE');
  const percents = levels('APERCENTILE', args.slice(1, 2));
  return builder.aggregate(`${engine}(${percents})`, doubleArgument(args[0]));
}

/** One row for each bin; a value belongs to the bin above whose lower bound it lies, its upper bound included. */
function histogram(args: readonly Value[], builder: AggregateBuilder): string {
  const [type, description] = [args[1]?.constant, args[2]?.constant];
  if (typeof type !== 'string' || typeof description !== 'string') throw wrongParameterType('HISTOGRAM');
  const bins = histogramBins(type.toLowerCase(), description);
  if (bins === undefined) throw wrongParameterValue('HISTOGRAM');
  const normalized = integerArgument('HISTOGRAM', args[3], 0n, 1n) === 1n;
  const column = doubleArgument(args[0]);
  const hits = bins.edges.slice(1).map((upper, at) => inBin(column, bins.edges[at] ?? -Infinity, upper));
  const counts = builder.aggregate('sumForEach', `[${hits.join(', ')}]`);
  return `arrayJoin(${binTexts(bins, counts, normalized)})`;
}

function inBin(column: string, lower: number, upper: number): string {
  const terms = [`isNotNull(${column})`];
  if (lower !== -Infinity) terms.push(`${column} > ${float64(lower)}`);
  if (upper !== Infinity) terms.push(`${column} <= ${float64(upper)}`);
  return terms.length === 1 ? `toUInt8(${terms[0]})` : `ifNull(and(${terms.join(', ')}), 0)`;
}

function binTexts({ heads }: HistogramBins, counts: string, normalized: boolean): string {
  const listed = `[${heads.map(quoteString).join(', ')}]`;
  const known = `arrayResize(${counts}, ${heads.length}, 0)`;
  const shown = normalized
    ? `printf('%.6f', if(arraySum(${known}) = 0, 0, n / arraySum(${known})))`
    : 'toString(toUInt64(n))';
  return `arrayMap((h, n) -> concat(h, ${shown}, '}'), ${listed}, ${known})`;
}

/** Aggregates that tell how values are distributed; all of them leave out NULL. */
export const distributionFunctions: readonly AggregateFunction[] = [
  aggregate('PERCENTILE', ['number', 'number'], (args) => (args.length === 2 ? doubleType : textType), percentile, {
    atMost: 11,
    singleTable: true,
  }),
  aggregate('APERCENTILE', ['number', 'number', 'text'], doubleType, approximatePercentile, { required: 2 }),
  aggregate('HISTOGRAM', ['number', 'text', 'text', 'integer'], textType, histogram, { manyRows: true }),
];

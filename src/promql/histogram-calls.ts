import { goNumber } from './aggregate.js';
import { estimate, mappedHistograms } from './buckets.js';
import { type Evaluator, textOf } from './evaluator.js';
import { histogramVariance } from './histogram-estimates.js';
import { type Expr, typeOf } from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';
import { hasSamples, merged, type Row } from './rows.js';
import type { Steps } from './source.js';

/** Numbers of native histograms by the names of their functions. */
const figures: ReadonlyMap<string, (histogram: NativeHistogram) => number> = new Map([
  ['histogram_count', ({ count }: NativeHistogram) => count],
  ['histogram_sum', ({ sum }: NativeHistogram) => sum],
  ['histogram_avg', ({ sum, count }: NativeHistogram) => sum / count],
  ['histogram_stddev', (histogram: NativeHistogram) => Math.sqrt(histogramVariance(histogram))],
  ['histogram_stdvar', histogramVariance],
]);

/** The functions whose names begin with `histogram_`. */
export async function ofHistograms(
  name: string,
  args: readonly Expr[],
  steps: Steps,
  evaluator: Evaluator,
): Promise<Row[]> {
  const { context, slice } = evaluator;
  const input = args.find((arg) => typeOf(arg) === 'vector')!;
  const numbers: Float64Array[] = [];
  for (const arg of args) if (typeOf(arg) === 'scalar') numbers.push(await evaluator.scalar(arg, steps));
  const rows = await evaluator.rows(input, steps);
  const figure = figures.get(name);
  if (figure !== undefined)
    return merged(rows.map((row) => mappedHistograms(row, figure)).filter(hasSamples), steps.count);
  if (name === 'histogram_fraction') {
    const request = { kind: 'fraction', lower: numbers[0]!, upper: numbers[1]! } as const;
    return estimate(request, rows, steps, input, context.annotations, slice);
  }
  if (name === 'histogram_quantile') {
    const request = { kind: 'quantile', quantiles: numbers[0]!, quantileExpr: args[0]! } as const;
    return estimate(request, rows, steps, input, context.annotations, slice);
  }
  const results: Row[] = [];
  for (const [i, quantiles] of numbers.entries()) {
    const request = { kind: 'quantile', quantiles, quantileExpr: args[i + 2]! } as const;
    const text = boundText(quantiles[0]!);
    const labelled = estimate(request, rows, steps, input, context.annotations, slice, (labels) =>
      labels.with(textOf(args[1]), text),
    );
    results.push(...(await labelled));
  }
  return merged(results, steps.count);
}

/** A number as a label: whole ones with a decimal. */
function boundText(value: number): string {
  const text = goNumber(value);
  return /^-?[0-9]+$/.test(text) ? `${text}.0` : text;
}

import type { Expression } from './ast.js';
import { expressionsIn } from './tree.js';

type Call = Extract<Expression, { kind: 'call' }>;

/** The function as people write it, and what its calls become by their arguments. */
export const histogramQuantile = {
  written: 'HISTOGRAM_QUANTILE',
  /** The quantile, then a bound as a text and its count, for each bucket. */
  buckets: 'HISTOGRAM_QUANTILE BUCKETS',
  /** The quantile, then the bound and the count of a row. */
  rows: 'HISTOGRAM_QUANTILE ROWS',
  /** The quantile, then the columns of a native histogram, see {@link nativeColumns}. */
  native: 'HISTOGRAM_QUANTILE NATIVE',
  /** The same for {@link exponentialColumns}. */
  exponential: 'HISTOGRAM_QUANTILE EXPONENTIAL',
} as const;

/** Columns of native histograms as remote write stores them; PromQL reads them in this order, too. */
export const nativeColumns = [
  'count',
  'sum',
  'schema',
  'zero_threshold',
  'zero_count',
  'positive_spans',
  'positive_counts',
  'negative_spans',
  'negative_counts',
  'custom_values',
] as const;

/** Columns of exponential histograms as OpenTelemetry stores them. */
export const exponentialColumns = [
  'count',
  'sum',
  'scale',
  'zero_threshold',
  'zero_count',
  'positive_offset',
  'positive_counts',
  'negative_offset',
  'negative_counts',
] as const;

/** The upper bound of a bucket whose column has this name; undefined for other columns. */
export function boundOf(name: string): number | undefined {
  if (/^\+?inf$/i.test(name)) return Number.POSITIVE_INFINITY;
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(name) ? Number(name) : undefined;
}

/**
 * A call of HISTOGRAM_QUANTILE by what its arguments are: buckets, each with one column whose name is its bound, or a
 * bound and a count of every row. As it is where it is neither, or has a `*`, for which the columns must be known.
 */
export function histogramCall(call: Call): Call {
  const [quantile, ...rest] = call.args;
  if (call.name !== histogramQuantile.written || quantile === undefined || rest.some(hasStar)) return call;
  const bounds = rest.map(boundIn);
  const buckets = rest.flatMap((count, at): readonly Expression[] => {
    const bound = bounds[at];
    return bound === undefined ? [] : [{ kind: 'string', value: String(bound), span: count.span }, count];
  });
  if (rest.length > 0 && buckets.length === 2 * rest.length)
    return { ...call, name: histogramQuantile.buckets, args: [quantile, ...buckets] };
  return rest.length === 2 ? { ...call, name: histogramQuantile.rows } : call;
}

/** True for `*`, and for a call of it. */
export function hasStar(expression: Expression): boolean {
  return expressionsIn(expression).some(({ kind }) => kind === 'star');
}

/** The bound of a bucket by the one column in an expression. */
function boundIn(expression: Expression): number | undefined {
  const names = expressionsIn(expression).flatMap((part) => (part.kind === 'column' ? [part.name.text] : []));
  const [name] = names;
  return name === undefined || new Set(names).size > 1 ? undefined : boundOf(name);
}

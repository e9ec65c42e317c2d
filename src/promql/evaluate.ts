import { sorted } from '../async/slice.js';
import { Annotations } from './annotations.js';
import { QueryBudget, type QueryLimits } from './budget.js';
import { Evaluation } from './evaluation.js';
import { compareLabels, type LabelSet } from './label-set.js';
import { bare, type Expr, typeOf } from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';
import { QueryError } from './query-error.js';
import { requireDistinct } from './rows.js';
import { dataOfRows, type SeriesData } from './samples.js';
import type { SeriesSource, Steps } from './source.js';

/** A query and when it is evaluated. */
export interface QueryRequest {
  readonly expr: Expr;
  /** The text of the query, for places in annotations. */
  readonly query: string;
  /** Unix milliseconds; the same for a query of one moment. */
  readonly startMs: number;
  readonly endMs: number;
  /** Milliseconds; undefined for a query of one moment. */
  readonly stepMs: number | undefined;
  /** How old the last sample of a series may be, in milliseconds. */
  readonly lookbackMs: number;
}

/** The value of one series at one moment. */
export interface VectorSample {
  readonly labels: LabelSet;
  readonly value: number;
  readonly histogram: NativeHistogram | undefined;
}

/** The value of a query. */
export type QueryValue =
  | { readonly type: 'scalar'; readonly ms: number; readonly value: number }
  | { readonly type: 'string'; readonly ms: number; readonly value: string }
  | { readonly type: 'vector'; readonly ms: number; readonly samples: readonly VectorSample[] }
  /** Series in the order of their labels, made one after the other. */
  | { readonly type: 'matrix'; readonly count: number; readonly series: Iterable<SeriesData> };

/** What a query gives. */
export interface QueryResult {
  readonly value: QueryValue;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
  /** Samples that were read in all, and the most that were in memory at a time. */
  readonly readSamples: number;
  readonly peakSamples: number;
}

/** Step of subqueries that name none, in milliseconds. */
const subqueryStepMs = 60_000;
/** Annotations of each kind in a result. */
const mostAnnotations = 10;

/**
 * Evaluates a query. Throws a QueryError for what the sender can mend, or the reason of the signal when that aborts; errors of the source pass through.
 */
export async function evaluate(
  request: QueryRequest,
  source: SeriesSource,
  limits: QueryLimits,
  signal: AbortSignal,
): Promise<QueryResult> {
  const { expr, query, startMs, endMs, stepMs, lookbackMs } = request;
  const steps = stepsOf(request, limits);
  const annotations = new Annotations();
  const budget = new QueryBudget(limits, signal);
  const evaluation = new Evaluation({
    source,
    budget,
    annotations,
    startMs,
    endMs,
    stepMs: stepMs ?? 0,
    lookbackMs,
    subqueryStepMs,
  });
  const value = await evaluated(expr, steps, stepMs !== undefined, evaluation);
  return {
    value,
    warnings: annotations.texts('warning', query, mostAnnotations),
    infos: annotations.texts('info', query, mostAnnotations),
    ...budget.figures,
  };
}

function stepsOf({ expr, startMs, endMs, stepMs }: QueryRequest, limits: QueryLimits): Steps {
  if (stepMs === undefined) return { startMs, stepMs: 1, count: 1 };
  const type = typeOf(expr);
  if (type !== 'scalar' && type !== 'vector') {
    const name = type === 'matrix' ? 'range vector' : type;
    const text = `invalid expression type "${name}" for range query, must be Scalar or instant Vector`;
    throw new QueryError('bad_data', text);
  }
  if (stepMs <= 0)
    throw new QueryError(
      'bad_data',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    );
  if (endMs < startMs) throw new QueryError('bad_data', 'end timestamp must not be before start time');
  const count = Math.floor((endMs - startMs) / stepMs) + 1;
  if (count > limits.steps) {
    const text = `exceeded maximum resolution of ${limits.steps.toLocaleString('en')} points per timeseries.`;
    throw new QueryError('bad_data', `${text} Try decreasing the query resolution (?step=XX)`);
  }
  return { startMs, stepMs, count };
}

async function evaluated(expr: Expr, steps: Steps, isRange: boolean, evaluation: Evaluation): Promise<QueryValue> {
  const ms = steps.startMs;
  const inner = bare(expr);
  if (inner.kind === 'string') return { type: 'string', ms, value: inner.value };
  if (inner.kind === 'matrix' || inner.kind === 'subquery') {
    const series = await sorted(await evaluation.series(inner, ms), (a, b) => compareLabels(a.labels, b.labels));
    return { type: 'matrix', count: series.length, series };
  }
  const rows = await evaluation.rows(expr, steps);
  if (isRange) {
    requireDistinct(rows);
    const ordered = await sorted(rows, (a, b) => compareLabels(a.labels, b.labels));
    return { type: 'matrix', count: ordered.length, series: dataOfRows(ordered, steps) };
  }
  if (typeOf(expr) === 'scalar') return { type: 'scalar', ms, value: rows[0]?.values[0] ?? Number.NaN };
  requireDistinct(rows);
  const samples = rows.map(
    ({ labels, values, histograms }): VectorSample => ({ labels, value: values[0]!, histogram: histograms?.[0] }),
  );
  return { type: 'vector', ms, samples };
}

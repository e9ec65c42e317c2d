import type { LabelMatcher } from '../model/series-query.js';
import { durationMs } from './durations.js';
import type { EvaluationContext, Evaluator } from './evaluator.js';
import type { MatrixSelector, PinnedTime, SubqueryExpr, VectorSelector } from './language/tree.js';
import { QueryError } from './query-error.js';
import { type Row, RowSlab } from './rows.js';
import { dataOfRows, type SeriesData, StaleMarkers, seriesData } from './samples.js';
import { instantRows, type SelectedNumber } from './selectors.js';
import type { SeriesSamples, Steps } from './source.js';
import { stepTime } from './steps.js';

/** Series of a range vector, made one after the other, in the pieces that are read, and where their windows lie. */
interface RangeSeries {
  readonly pieces: AsyncIterable<Iterable<SeriesData>>;
  /** Ends of the windows by step, in Unix milliseconds. */
  readonly ends: Float64Array;
  readonly rangeMs: number;
}

/** The moments at which a selector looks, by step, in Unix milliseconds. */
export function lookTimes(
  selector: Pick<VectorSelector, 'at' | 'offsetMs' | 'offsetExpr'>,
  steps: Steps,
  context: EvaluationContext,
): Float64Array {
  const offset = offsetOf(selector, context);
  const pinned = pinnedTime(selector.at, context);
  const times = new Float64Array(steps.count);
  for (let step = 0; step < steps.count; step++) times[step] = (pinned ?? stepTime(steps, step)) - offset;
  return times;
}

/** The moment that `@` names, in Unix milliseconds. */
function pinnedTime(at: PinnedTime | undefined, { startMs, endMs }: EvaluationContext): number | undefined {
  if (at === 'start') return startMs;
  return at === 'end' ? endMs : at;
}

/** The offset of a selector, in milliseconds. */
function offsetOf(
  { offsetMs, offsetExpr }: Pick<VectorSelector, 'offsetMs' | 'offsetExpr'>,
  { startMs, endMs, stepMs }: EvaluationContext,
): number {
  return durationMs(offsetMs, offsetExpr, endMs - startMs, stepMs, false);
}

/** The length of a range, in milliseconds. */
export function rangeOf(
  { rangeMs, rangeExpr }: Pick<MatrixSelector, 'rangeMs' | 'rangeExpr'>,
  { startMs, endMs, stepMs }: EvaluationContext,
): number {
  return durationMs(rangeMs, rangeExpr, endMs - startMs, stepMs, true);
}

/** The last samples of the series that pass matchers at moments, or the times of those samples. */
export async function selectInstant(
  matchers: readonly LabelMatcher[],
  times: Float64Array,
  number: SelectedNumber,
  { context, slice }: Evaluator,
): Promise<Row[]> {
  const { source, budget, lookbackMs } = context;
  const selection = { matchers, afterMs: times[0]! - lookbackMs, untilMs: times.at(-1)! };
  const rows: Row[] = [];
  const slab = new RowSlab(times.length);
  for await (const samples of source.read(selection, budget)) {
    budget.hold(samples.labels.length * times.length);
    for (const row of await instantRows(samples, times, lookbackMs, number, slab, slice)) rows.push(row);
  }
  return rows;
}

/** The series of a range vector and their windows. */
export function selectRange(expr: MatrixSelector | SubqueryExpr, steps: Steps, evaluator: Evaluator): RangeSeries {
  const { context } = evaluator;
  const rangeMs = rangeOf(expr, context);
  const ends = lookTimes(expr.kind === 'matrix' ? expr.selector : expr, steps, context);
  const afterMs = ends[0]! - rangeMs;
  if (expr.kind === 'subquery') return { pieces: subquery(expr, afterMs, ends.at(-1)!, evaluator), ends, rangeMs };
  const { source, budget } = context;
  const selection = { matchers: expr.selector.matchers, afterMs, untilMs: ends.at(-1)! };
  return { pieces: seriesOfPieces(source.read(selection, budget)), ends, rangeMs };
}

async function* seriesOfPieces(pieces: AsyncIterable<SeriesSamples>): AsyncGenerator<Iterable<SeriesData>> {
  for await (const samples of pieces) yield seriesOf(samples);
}

function* seriesOf(samples: SeriesSamples): Generator<SeriesData> {
  const markers = new StaleMarkers(samples.values);
  for (let i = 0; i < samples.labels.length; i++) yield seriesData(samples, i, markers);
}

/** The values of a subquery at multiples of its step, as samples in one piece. */
async function* subquery(
  expr: SubqueryExpr,
  afterMs: number,
  untilMs: number,
  evaluator: Evaluator,
): AsyncGenerator<Iterable<SeriesData>> {
  const { budget, subqueryStepMs, startMs: queryStart, endMs: queryEnd, stepMs: queryStep } = evaluator.context;
  const ownMs = durationMs(expr.stepMs, expr.stepExpr, queryEnd - queryStart, queryStep, expr.stepExpr !== undefined);
  const stepMs = ownMs === 0 ? subqueryStepMs : ownMs;
  let startMs = Math.trunc(afterMs / stepMs) * stepMs;
  if (startMs <= afterMs) startMs += stepMs;
  const count = Math.floor((untilMs - startMs) / stepMs) + 1;
  if (count <= 0) return;
  const most = budget.limits.subquerySteps;
  if (count > most) throw new QueryError('execution', `a subquery has at most ${most} steps; this one has ${count}`);
  const steps = { startMs, stepMs, count };
  const rows = await evaluator.rows(expr.expr, steps);
  yield dataOfRows(rows, steps);
}

import type { PromqlAnswer } from '../../model/exchange.js';
import { defaultLimits, type QueryLimits } from '../../promql/budget.js';
import { evaluate, type QueryRequest, type QueryResult } from '../../promql/evaluate.js';
import { pieces } from './json-pieces.js';
import { badParameter, queryOf, readLimit, readSpan, readTime, requireSpan, requireTime } from './parameters.js';
import { seriesIn, valueTexts } from './result-json.js';
import { type EndpointScope, type PromqlLimits, truncated } from './scope.js';

/** `query`: the value of an expression at one time. */
export function instantQuery(scope: EndpointScope): Promise<PromqlAnswer> {
  const { parameters } = scope.request;
  const timeMs = readTime(parameters, 'time', Date.now());
  return evaluated(scope, { startMs: timeMs, endMs: timeMs, stepMs: undefined });
}

/** `query_range`: the values of an expression at every step of a range. */
export function rangeQuery(scope: EndpointScope): Promise<PromqlAnswer> {
  const { parameters } = scope.request;
  const startMs = requireTime(parameters, 'start');
  const endMs = requireTime(parameters, 'end');
  if (endMs < startMs) throw badParameter('end', 'end timestamp must not be before start time');
  const stepMs = requireSpan(parameters, 'step');
  if (stepMs <= 0) {
    const problem = 'zero or negative query resolution step widths are not accepted. Try a positive integer';
    throw badParameter('step', problem);
  }
  return evaluated(scope, { startMs, endMs, stepMs });
}

async function evaluated(
  { request, source, signal, limits }: EndpointScope,
  times: Pick<QueryRequest, 'startMs' | 'endMs' | 'stepMs'>,
): Promise<PromqlAnswer> {
  const { parameters } = request;
  const limit = readLimit(parameters);
  const query: QueryRequest = {
    expr: queryOf(parameters),
    query: parameters.get('query') ?? '',
    ...times,
    lookbackMs: readSpan(parameters, 'lookback_delta') ?? limits.lookbackMs,
  };
  const startedMs = performance.now();
  const result = await evaluate(query, source, limitsOf(limits), signal);
  const isCut = limit > 0 && seriesIn(result.value) > limit;
  const statistics = (parameters.get('stats') ?? '') === '' ? undefined : statisticsOf(result, startedMs);
  return {
    kind: 'data',
    data: pieces(valueTexts(result.value, limit, statistics)),
    warnings: isCut ? [...result.warnings, truncated] : result.warnings,
    infos: result.infos,
  };
}

/** The limits of an evaluation. */
export function limitsOf({ series, samples, steps }: PromqlLimits): QueryLimits {
  return { ...defaultLimits, series, samples, steps };
}

/** Figures of an evaluation, in seconds and samples. */
function statisticsOf({ readSamples, peakSamples }: QueryResult, startedMs: number): object {
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    timings: {
      evalTotalTime: seconds,
      resultSortTime: 0,
      queryPreparationTime: 0,
      innerEvalTime: seconds,
      execQueueTime: 0,
      execTotalTime: seconds,
    },
    samples: { totalQueryableSamples: readSamples, peakSamples },
  };
}

import type { QueryValue, VectorSample } from '../../promql/evaluate.js';
import { allBuckets, type Bucket } from '../../promql/histogram-math.js';
import type { NativeHistogram } from '../../promql/native-histogram.js';
import type { SeriesData } from '../../promql/samples.js';
import { jsonArray, labelsText, numberText, timeText } from './json-pieces.js';

/**
 * The value of a query as the texts of `{"resultType": …, "result": …}`, made as they are asked for; at most `limit`
 * series, 0 is no limit.
 */
export function* valueTexts(value: QueryValue, limit: number, statistics: object | undefined): Generator<string> {
  yield `{"resultType":"${value.type}","result":`;
  switch (value.type) {
    case 'scalar':
      yield `[${timeText(value.ms)},"${numberText(value.value)}"]`;
      break;
    case 'string':
      yield `[${timeText(value.ms)},${JSON.stringify(value.value)}]`;
      break;
    case 'vector':
      yield* jsonArray(vectorTexts(firstOf(value.samples, limit), timeText(value.ms)));
      break;
    case 'matrix':
      yield* jsonArray(matrixTexts(firstOf(value.series, limit)));
  }
  yield statistics === undefined ? '}' : `,"stats":${JSON.stringify(statistics)}}`;
}

/** How many series a value has. */
export function seriesIn(value: QueryValue): number {
  if (value.type === 'matrix') return value.count;
  return value.type === 'vector' ? value.samples.length : 0;
}

function* firstOf<T>(all: Iterable<T>, limit: number): Generator<T> {
  let left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  for (const each of all) {
    if (left-- <= 0) return;
    yield each;
  }
}

function* vectorTexts(samples: Iterable<VectorSample>, time: string): Generator<string> {
  for (const { labels, value, histogram } of samples) {
    const metric = `{"metric":${labelsText(labels.labels)},`;
    yield histogram === undefined
      ? `${metric}"value":[${time},"${numberText(value)}"]}`
      : `${metric}"histogram":[${time},${histogramJson(histogram)}]}`;
  }
}

function* matrixTexts(series: Iterable<SeriesData>): Generator<string> {
  // Series of a range query share their times.
  const times = new Map<number, string>();
  const textOf = (ms: number): string => {
    let text = times.get(ms);
    if (text === undefined) {
      text = timeText(ms);
      if (times.size < mostKnownTimes) times.set(ms, text);
    }
    return text;
  };
  for (const { labels, times: floatTimes, values, histogramTimes, histograms } of series) {
    let text = `{"metric":${labelsText(labels.labels)}`;
    for (let i = 0; i < values.length; i++) {
      text += `${i === 0 ? ',"values":[' : ','}[${textOf(floatTimes[i]!)},"${numberText(values[i]!)}"]`;
    }
    if (values.length > 0) text += ']';
    histograms.forEach((histogram, i) => {
      text += `${i === 0 ? ',"histograms":[' : ','}[${textOf(histogramTimes[i]!)},${histogramJson(histogram)}]`;
    });
    yield histograms.length > 0 ? `${text}]}` : `${text}}`;
  }
}

/** Times of steps whose texts are held. */
const mostKnownTimes = 20_000;

/** A native histogram with its buckets as `[which bounds belong to it, lower, upper, count]`. */
function histogramJson(histogram: NativeHistogram): string {
  const buckets = allBuckets(histogram).filter(({ count }) => count !== 0);
  const list = buckets.length === 0 ? '' : `,"buckets":[${buckets.map(bucketJson).join(',')}]`;
  return `{"count":"${numberText(histogram.count)}","sum":"${numberText(histogram.sum)}"${list}}`;
}

/** 0: the upper bound belongs to the bucket, 1: the lower one, 3: both. */
function bucketJson({ lower, upper, count }: Bucket): string {
  const rule = lower < 0 && upper > 0 ? 3 : upper <= 0 ? 1 : 0;
  return `[${rule},"${numberText(lower)}","${numberText(upper)}","${numberText(count)}"]`;
}

import type { Label } from '../../model/label-set.js';
import type { NativeHistogram } from '../../promql/native-histogram.js';
import { type SeriesSamples, staleBits } from '../../promql/source.js';
import { parseJson } from '../../text/json.js';
import { labelKey, type SideRow } from './series-labels.js';

/** Histograms of one series in the order of time; undefined is a stale marker. */
interface HistogramSeries {
  readonly labels: readonly Label[];
  readonly times: number[];
  readonly histograms: (NativeHistogram | undefined)[];
}

/** Adds the native histograms of a selector to the samples of the same selector: a series may have both. */
export class HistogramSamples {
  readonly #byLabels = new Map<string, HistogramSeries>();

  constructor(rows: readonly SideRow[]) {
    for (const { labels, timeMs, values } of rows) {
      const key = labelKey(labels);
      let series = this.#byLabels.get(key);
      if (series === undefined) {
        series = { labels, times: [], histograms: [] };
        this.#byLabels.set(key, series);
      }
      // Rows within one millisecond are one sample, the last of them.
      if (series.times.at(-1) === timeMs) {
        series.times.pop();
        series.histograms.pop();
      }
      series.times.push(timeMs);
      series.histograms.push(histogramOf(values));
    }
  }

  /** The samples with the histograms of the same series. */
  joined(samples: SeriesSamples): SeriesSamples {
    if (this.#byLabels.size === 0) return samples;
    const own = samples.labels.map((labels) => {
      const key = labelKey(labels);
      const series = this.#byLabels.get(key);
      this.#byLabels.delete(key);
      return series;
    });
    const count = own.reduce((sum, series) => sum + (series?.times.length ?? 0), 0);
    if (count === 0) return samples;
    const joined = new JoinedSamples(samples.times.length + count);
    samples.labels.forEach((labels, i) => {
      joined.begin(labels);
      joined.merge(samples, samples.offsets[i]!, samples.offsets[i + 1]!, own[i]);
    });
    return joined.finish();
  }

  /** The series that have had no samples that are numbers; undefined when there are none. */
  others(): SeriesSamples | undefined {
    const all = [...this.#byLabels.values()];
    if (all.length === 0) return undefined;
    const joined = new JoinedSamples(all.reduce((sum, { times }) => sum + times.length, 0));
    const none = { labels: [], offsets: new Uint32Array(1), times: new Float64Array(0), values: new Float64Array(0) };
    for (const series of all) {
      joined.begin(series.labels);
      joined.merge(none, 0, 0, series);
    }
    return joined.finish();
  }
}

/** Columns of samples to which numbers and histograms are added by time. */
class JoinedSamples {
  readonly #labels: (readonly Label[])[] = [];
  readonly #offsets: number[] = [];
  readonly #times: Float64Array;
  readonly #words: Uint32Array;
  readonly #histograms = new Map<number, NativeHistogram>();
  #count = 0;

  constructor(capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#words = new Uint32Array(capacity * 2);
  }

  begin(labels: readonly Label[]): void {
    this.#labels.push(labels);
    this.#offsets.push(this.#count);
  }

  /**
   * Adds the samples from one index to another, and histograms, in the order of time; of one time the histogram counts.
   */
  merge(samples: SeriesSamples, from: number, to: number, series: HistogramSeries | undefined): void {
    const words = new Uint32Array(samples.values.buffer, samples.values.byteOffset, samples.values.length * 2);
    let at = from;
    for (const [i, time] of (series?.times ?? []).entries()) {
      for (; at < to && samples.times[at]! < time; at++)
        this.#add(samples.times[at]!, words[2 * at]!, words[2 * at + 1]!);
      if (at < to && samples.times[at] === time) at++;
      const histogram = series?.histograms[i];
      if (histogram !== undefined) this.#histograms.set(this.#count, histogram);
      this.#add(time, histogram === undefined ? staleBits.low : 0, histogram === undefined ? staleBits.high : 0);
    }
    for (; at < to; at++) this.#add(samples.times[at]!, words[2 * at]!, words[2 * at + 1]!);
  }

  finish(): SeriesSamples {
    const values = new Float64Array(this.#words.buffer);
    return {
      labels: this.#labels,
      offsets: Uint32Array.from([...this.#offsets, this.#count]),
      times: this.#times.subarray(0, this.#count),
      values: values.subarray(0, this.#count),
      histograms: this.#histograms,
    };
  }

  #add(time: number, low: number, high: number): void {
    this.#times[this.#count] = time;
    this.#words[2 * this.#count] = low;
    this.#words[2 * this.#count + 1] = high;
    this.#count++;
  }
}

/** The histogram of a row; undefined for the stale marker of one, whose sum is none and which has counted nothing. */
function histogramOf(values: SideRow['values']): NativeHistogram | undefined {
  const [count, sum, schema, threshold, zeroCount, spans, counts, negativeSpans, negativeCounts, custom] = values;
  const all = Number(count ?? 0);
  if (sum === null && all === 0) return undefined;
  return {
    schema: Number(schema ?? 0),
    count: all,
    sum: sum === null ? Number.NaN : Number(sum),
    zeroThreshold: Number(threshold ?? 0),
    zeroCount: Number(zeroCount ?? 0),
    positive: bucketsOf(numbersOf(spans), numbersOf(counts)),
    negative: bucketsOf(numbersOf(negativeSpans), numbersOf(negativeCounts)),
    customValues: numbersOf(custom),
    resetHint: 'unknown',
  };
}

/** Buckets by index: each span is the distance from the one before, and its length. */
function bucketsOf(spans: readonly number[], counts: readonly number[]): NativeHistogram['positive'] {
  const indexes: number[] = [];
  let index = 0;
  for (let i = 0; i < spans.length; i += 2) {
    index += spans[i] ?? 0;
    for (let length = spans[i + 1] ?? 0; length > 0; length--) indexes.push(index++);
  }
  return { indexes, counts: counts.slice(0, indexes.length) };
}

/** Numbers of a JSON array, also of arrays in it. */
function numbersOf(text: unknown): readonly number[] {
  const list = typeof text === 'string' ? parseJson(text) : undefined;
  return Array.isArray(list) ? list.flat().map(Number) : [];
}

import { LabelSet } from './label-set.js';
import type { NativeHistogram } from './native-histogram.js';
import { floatSample, histogramSample, type Row } from './rows.js';
import { type SeriesSamples, type Steps, staleBits } from './source.js';
import { stepTime } from './steps.js';

/** Samples of one series by time, numbers and native histograms apart, without stale markers. */
export interface SeriesData {
  readonly labels: LabelSet;
  /** Unix milliseconds. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly histogramTimes: readonly number[];
  readonly histograms: readonly NativeHistogram[];
}

/** True for each value that is a stale marker. */
export class StaleMarkers {
  readonly #halves: Uint32Array;

  constructor(values: Float64Array) {
    this.#halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  }

  /** True when the value at an index is a stale marker. */
  has(index: number): boolean {
    return this.#halves[2 * index + 1] === staleBits.high && this.#halves[2 * index] === staleBits.low;
  }
}

const noHistograms: readonly NativeHistogram[] = [];
const noTimes: readonly number[] = [];

/** The samples of one series of those that a source has read. */
export function seriesData(samples: SeriesSamples, series: number, markers: StaleMarkers): SeriesData {
  const from = samples.offsets[series]!;
  const to = samples.offsets[series + 1]!;
  const labels = new LabelSet(samples.labels[series]!);
  const isPlain = samples.histograms === undefined || samples.histograms.size === 0;
  if (isPlain && !hasMarker(markers, from, to)) {
    const times = samples.times.subarray(from, to);
    const values = samples.values.subarray(from, to);
    return { labels, times, values, histogramTimes: noTimes, histograms: noHistograms };
  }
  return separated(samples, labels, from, to, markers);
}

function hasMarker(markers: StaleMarkers, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (markers.has(i)) return true;
  return false;
}

function separated(
  { times, values, histograms }: SeriesSamples,
  labels: LabelSet,
  from: number,
  to: number,
  markers: StaleMarkers,
): SeriesData {
  const floatTimes = new Float64Array(to - from);
  const floats = new Float64Array(to - from);
  const histogramTimes: number[] = [];
  const histogramValues: NativeHistogram[] = [];
  let count = 0;
  for (let i = from; i < to; i++) {
    const histogram = histograms?.get(i);
    if (histogram !== undefined) {
      histogramTimes.push(times[i]!);
      histogramValues.push(histogram);
    } else if (!markers.has(i)) {
      floatTimes[count] = times[i]!;
      floats[count++] = values[i]!;
    }
  }
  return {
    labels,
    times: floatTimes.subarray(0, count),
    values: floats.subarray(0, count),
    histogramTimes,
    histograms: histogramValues,
  };
}

/** The samples of rows as those of series, made one after the other. */
export function* dataOfRows(rows: readonly Row[], steps: Steps): Generator<SeriesData> {
  for (const row of rows) yield dataOfRow(row, steps);
}

/** The samples of a row as those of a series: what a subquery gives. Hints of resets mean nothing between its steps. */
function dataOfRow({ labels, values, present, histograms }: Row, steps: Steps): SeriesData {
  const times = new Float64Array(steps.count);
  const floats = new Float64Array(steps.count);
  const histogramTimes: number[] = [];
  const histogramValues: NativeHistogram[] = [];
  let count = 0;
  for (let step = 0; step < steps.count; step++) {
    if (present[step] === floatSample) {
      times[count] = stepTime(steps, step);
      floats[count++] = values[step]!;
    } else if (present[step] === histogramSample) {
      const histogram = histograms![step]!;
      histogramTimes.push(stepTime(steps, step));
      histogramValues.push(histogram.resetHint === 'gauge' ? histogram : { ...histogram, resetHint: 'unknown' });
    }
  }
  return {
    labels,
    times: times.subarray(0, count),
    values: floats.subarray(0, count),
    histogramTimes,
    histograms: histogramValues,
  };
}

import type { Slice } from '../async/slice.js';
import { LabelSet } from './label-set.js';
import { type Row, type RowSlab, setFloat, setHistogram } from './rows.js';
import { StaleMarkers } from './samples.js';
import type { SeriesSamples } from './source.js';

/** The times at which a selector looks, one by step, in Unix milliseconds and ascending. */
type LookTimes = Float64Array;

/** What a row of a selector has as its number. */
export type SelectedNumber = 'value' | 'time';

/**
 * For each series the last sample at or before the time of each step, unless it is as old as `lookbackMs` or a stale
 * marker. As `time` a row has the Unix milliseconds of the samples instead.
 */
export async function instantRows(
  samples: SeriesSamples,
  times: LookTimes,
  lookbackMs: number,
  number: SelectedNumber,
  slab: RowSlab,
  slice: Slice,
): Promise<Row[]> {
  const markers = new StaleMarkers(samples.values);
  const rows: Row[] = [];
  for (const [series, labels] of samples.labels.entries()) {
    if (slice.isOver()) await slice.next();
    const row = slab.row(new LabelSet(labels));
    if (fillRow(row, samples, series, times, lookbackMs, number, markers)) rows.push(row);
  }
  return rows;
}

function fillRow(
  row: Row,
  { offsets, times, values, histograms }: SeriesSamples,
  series: number,
  lookTimes: LookTimes,
  lookbackMs: number,
  number: SelectedNumber,
  markers: StaleMarkers,
): boolean {
  const end = offsets[series + 1]!;
  let next = offsets[series]!;
  const first = next;
  let isFilled = false;
  for (let step = 0; step < lookTimes.length; step++) {
    const time = lookTimes[step]!;
    while (next < end && times[next]! <= time) next++;
    const last = next - 1;
    if (last < first || times[last]! <= time - lookbackMs || markers.has(last)) continue;
    const histogram = histograms?.get(last);
    if (number === 'time') setFloat(row, step, times[last]!);
    else if (histogram !== undefined) setHistogram(row, step, histogram);
    else setFloat(row, step, values[last]!);
    isFilled = true;
  }
  return isFilled;
}

import type { Label } from '../../model/label-set.js';
import type { LabelMatcher } from '../../model/series-query.js';
import { type ReadBudget, type SeriesSource, staleBits } from '../../promql/source.js';

/** The newest sample of a series. */
export interface NewestSample {
  readonly labels: readonly Label[];
  readonly timeMs: number;
  readonly value: number;
}

/** The newest sample of each series within the lookback before a time; series that have ended by then are left out. */
export async function newestSamples(
  source: SeriesSource,
  matchers: readonly LabelMatcher[],
  { timeMs, lookbackMs }: { readonly timeMs: number; readonly lookbackMs: number },
  budget: ReadBudget,
): Promise<readonly NewestSample[]> {
  const newest: NewestSample[] = [];
  const selection = { matchers, afterMs: timeMs - lookbackMs, untilMs: timeMs };
  for await (const { labels, offsets, times, values } of source.read(selection, budget)) {
    const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
    labels.forEach((each, i) => {
      const at = offsets[i + 1]! - 1;
      if (at < offsets[i]!) return;
      if (words[2 * at] === staleBits.low && words[2 * at + 1] === staleBits.high) return;
      newest.push({ labels: each, timeMs: times[at]!, value: values[at]! });
    });
  }
  return newest;
}

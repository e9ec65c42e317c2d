import type { LabelMatcher } from '../../../src/model/series-query.js';
import type { NativeHistogram } from '../../../src/promql/native-histogram.js';
import { compilePattern } from '../../../src/promql/pattern.js';
import type {
  GridRequest,
  Labels,
  ReadBudget,
  Selection,
  SeriesGrid,
  SeriesSamples,
  SeriesSource,
} from '../../../src/promql/source.js';
import { staleBits } from '../../../src/promql/source.js';

/** A series in memory: values by their times in Unix ms; an undefined value is a stale marker. */
interface MemorySeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [ms: number, value: number | NativeHistogram | undefined])[];
}

/** Series in memory, read as a source of queries. */
export class MemorySource implements SeriesSource {
  /** Grids that queries wanted to have computed here. */
  readonly gridRequests: GridRequest[] = [];
  readonly #series: readonly MemorySeries[];

  constructor(series: readonly MemorySeries[]) {
    this.#series = series;
  }

  async grid(request: GridRequest): Promise<SeriesGrid | undefined> {
    this.gridRequests.push(request);
    return undefined;
  }

  async *read({ matchers, afterMs, untilMs }: Selection, budget: ReadBudget): AsyncGenerator<SeriesSamples> {
    const labels: Labels[] = [];
    const offsets = [0];
    const times: number[] = [];
    const values: (number | undefined)[] = [];
    const histograms = new Map<number, NativeHistogram>();
    for (const series of this.#series) {
      if (!matchers.every((matcher) => passes(matcher, series.labels[matcher.name] ?? ''))) continue;
      const samples = series.samples.filter(([ms]) => ms > afterMs && ms <= untilMs);
      for (const [ms, value] of samples) {
        if (typeof value === 'object') histograms.set(values.length, value);
        times.push(ms);
        values.push(typeof value === 'object' ? 0 : value);
      }
      labels.push(sortedLabels(series.labels));
      offsets.push(times.length);
    }
    budget.takeSeries(labels.length);
    budget.takeSamples(times.length);
    yield {
      labels,
      offsets: Uint32Array.from(offsets),
      times: Float64Array.from(times),
      values: columnOf(values),
      histograms,
    };
  }
}

function passes({ kind, value }: LabelMatcher, label: string): boolean {
  if (kind === 'equal') return label === value;
  if (kind === 'not-equal') return label !== value;
  return compilePattern(value).testExact(label) === (kind === 'match');
}

function sortedLabels(labels: Readonly<Record<string, string>>): Labels {
  return Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function columnOf(values: readonly (number | undefined)[]): Float64Array {
  const column = Float64Array.from(values, (value) => value ?? 0);
  const bits = new Uint32Array(column.buffer);
  values.forEach((value, i) => {
    if (value === undefined) bits.set([staleBits.low, staleBits.high], 2 * i);
  });
  return column;
}

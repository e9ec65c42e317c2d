import { defaultLimits, type QueryLimits } from '../../../src/promql/budget.js';
import { evaluate, type QueryResult, type QueryValue } from '../../../src/promql/evaluate.js';
import type { LabelSet } from '../../../src/promql/label-set.js';
import { parseQuery } from '../../../src/promql/language/parse.js';
import type { SeriesSource } from '../../../src/promql/source.js';
import { MemorySource } from './memory-source.js';

/** How a query is evaluated; times and durations count seconds. */
interface When {
  readonly at?: number;
  /** Start, end and step of a range query. */
  readonly range?: readonly [start: number, end: number, step: number];
  readonly limits?: Partial<QueryLimits>;
  readonly signal?: AbortSignal;
}

/** The whole result of a query. */
export function resultOf(query: string, source: SeriesSource, when: When = {}): Promise<QueryResult> {
  const [start, end, step] = when.range ?? [when.at ?? 0, when.at ?? 0, undefined];
  const request = {
    expr: parseQuery(query),
    query,
    startMs: start * 1000,
    endMs: end * 1000,
    stepMs: step === undefined ? undefined : step * 1000,
    lookbackMs: 300_000,
  };
  const signal = when.signal ?? new AbortController().signal;
  return evaluate(request, source, { ...defaultLimits, ...when.limits }, signal);
}

/** The value of a query as lines: `{labels} value` of a vector, `{labels} value@seconds …` of series, or the value alone. */
export async function linesOf(query: string, source: SeriesSource, when: When = {}): Promise<readonly string[]> {
  const { value } = await resultOf(query, source, when);
  return textLines(value);
}

function textLines(value: QueryValue): readonly string[] {
  switch (value.type) {
    case 'scalar':
    case 'string':
      return [String(value.value)];
    case 'vector':
      return value.samples.map(({ labels, value, histogram }) => {
        const text = histogram === undefined ? String(value) : `count ${histogram.count} sum ${histogram.sum}`;
        return `${nameOf(labels)} ${text}`;
      });
    case 'matrix':
      return [...value.series].map(({ labels, times, values }) => {
        const samples = Array.from(times, (ms, i) => `${values[i]}@${ms / 1000}`);
        return [nameOf(labels), ...samples].join(' ');
      });
  }
}

/** `name{a="b"}` */
function nameOf(labels: LabelSet): string {
  return `${labels.get('__name__')}${labels.unnamed}`;
}

/**
 * Series in memory from lines such as `up{job="a"} 1 2 _ stale NaN 1e3`: values from 0 on, one at each multiple of `step` seconds; `_` is none.
 */
export function sourceOf(step: number, ...lines: readonly string[]): MemorySource {
  return new MemorySource(
    lines.map((line) => {
      const [series = '', ...values] = line.split(/ +(?![^{]*\})/);
      const [name = '', rest = ''] = series.split('{');
      const pairs = [...rest.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]);
      const labels = { __name__: name, ...Object.fromEntries(pairs) };
      const samples = values.flatMap((text, i): [number, number | undefined][] => {
        if (text === '_') return [];
        return [[i * step * 1000, text === 'stale' ? undefined : Number(text.replace('Inf', 'Infinity'))]];
      });
      return { labels, samples };
    }),
  );
}

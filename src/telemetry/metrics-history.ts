import { detached } from '../async/detached.js';
import type { Component } from '../model/component.js';
import type { MetricSamples } from '../model/metric.js';
import type { MetricFamily, MetricValue } from './merged-metrics.js';

/** Recorded metrics, with all their labels. */
const recordedNames: ReadonlySet<string> = new Set([
  'adapter_system_mem_percent',
  'adapter_system_cpu_percent',
  'adapter_memory_guard_query_percent',
  'adapter_memory_guard_all_percent',
  'adapter_memory_bytes',
  'adapter_engine_memory_bytes',
  'adapter_rows_total',
  'adapter_received_bytes_total',
  'adapter_waiting_rows',
  'adapter_wal_bytes',
]);

/** One hour. */
const defaults = { intervalMs: 10_000, samples: 360 };
/** Limit of recorded series; further ones are ignored. */
const maxSeries = 256;

/** Records some self metrics for an hour, in a ring buffer per series, for the charts of the page. */
export class MetricsHistory implements Component {
  readonly name = 'metrics-history';
  readonly #read: () => Promise<readonly MetricFamily[]>;
  readonly #intervalMs: number;
  readonly #times: number[] = [];
  readonly #samples: number;
  readonly #series = new Map<string, Float64Array>();
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => Promise<readonly MetricFamily[]>, { intervalMs, samples } = defaults) {
    this.#read = read;
    this.#intervalMs = intervalMs;
    this.#samples = samples;
  }

  async start(): Promise<void> {
    await this.sample(Date.now());
    this.#timer = setInterval(() => detached(this.sample(Date.now())), this.#intervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Records the present metrics, at a time in Unix ms. */
  async sample(now: number): Promise<void> {
    const families = await this.#read();
    const slot = this.#taken % this.#samples;
    for (const ring of this.#series.values()) ring[slot] = Number.NaN;
    for (const { name, values } of families) {
      if (!recordedNames.has(name)) continue;
      for (const { labels, value } of values) {
        const ring = this.#ringOf(seriesName(name, labels));
        if (ring !== undefined) ring[slot] = value;
      }
    }
    this.#times[slot] = now;
    this.#taken++;
  }

  /** The recorded metrics, oldest first. */
  history(): MetricSamples {
    const length = this.#times.length;
    const first = this.#taken > length ? this.#taken % length : 0;
    const inOrder = <T>(ring: ArrayLike<T>) => Array.from({ length }, (_, at) => ring[(first + at) % length] as T);
    const series = [...this.#series].map(([name, values]) => ({
      name,
      values: inOrder(values).map((value) => (Number.isFinite(value) ? value : null)),
    }));
    return { now: Date.now(), intervalMs: this.#intervalMs, times: inOrder(this.#times), series };
  }

  #ringOf(series: string): Float64Array | undefined {
    const known = this.#series.get(series);
    if (known !== undefined || this.#series.size >= maxSeries) return known;
    const ring = new Float64Array(this.#samples).fill(Number.NaN);
    this.#series.set(series, ring);
    return ring;
  }
}

/** Name and labels as in the OpenMetrics text. */
function seriesName(name: string, labels: MetricValue['labels']): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(String(value ?? ''))}`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

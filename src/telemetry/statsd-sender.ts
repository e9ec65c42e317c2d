import type { StatsD } from 'hot-shots';
import type { Component, ComponentLog } from '../model/component.js';
import type { MetricFamily } from './merged-metrics.js';

/** Receiver of the metrics, and the interval. */
interface StatsdOptions {
  /** Name or address of the receiver. */
  readonly host: string;
  /** UDP port of the receiver. */
  readonly port: number;
  readonly intervalMs: number;
  /** Prefix of every name, followed by a point; empty for none. */
  readonly prefix: string;
}

/** Longest datagram in bytes, which no network fragments. */
const maxDatagramBytes = 1400;

/** A metric as a message of StatsD: a counter has its increase since the last one. */
interface StatsdMetric {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Sends the self metrics as StatsD over UDP (`monitor.statsd`): at every interval the gauges as they are, and
 * the increase of counters, sums and counts. Lost datagrams are not sent again, as usual with StatsD.
 */
export class StatsdSender implements Component {
  readonly name = 'statsd-sender';
  readonly #options: StatsdOptions;
  readonly #read: () => Promise<readonly MetricFamily[]>;
  readonly #log: ComponentLog;
  readonly #deltas = new CounterDeltas();
  #client: StatsD | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** An outage of the receiver is logged once. */
  #isLost = false;

  constructor(options: StatsdOptions, read: () => Promise<readonly MetricFamily[]>, log: ComponentLog) {
    this.#options = options;
    this.#read = read;
    this.#log = log;
  }

  async start(): Promise<void> {
    // Loaded only if metrics are sent.
    const { StatsD } = await import('hot-shots');
    const { host, port, prefix, intervalMs } = this.#options;
    this.#client = new StatsD({
      host,
      port,
      prefix: prefix === '' ? '' : `${prefix}.`,
      maxBufferSize: maxDatagramBytes,
      // Only the metrics of one interval share a datagram.
      bufferFlushInterval: Math.min(100, intervalMs),
      includeDataDogTags: false,
      errorHandler: (error) => this.#lost(error),
    });
    this.#timer = setInterval(() => this.#tick(), intervalMs);
  }

  async drain(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await new Promise<void>((resolve) => client.close(() => resolve()));
  }

  #tick(): void {
    this.#sending ??= this.#send()
      .catch((error: unknown) => this.#lost(error))
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async #send(): Promise<void> {
    const metrics = this.#deltas.since(await this.#read());
    const client = this.#client;
    if (client === undefined) return;
    for (const { type, name, value, tags } of metrics) {
      if (type === 'gauge') client.gauge(name, value, { ...tags });
      else client.increment(name, value, { ...tags });
    }
  }

  #lost(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { host, port } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ host, port, reason }, 'Metrics could not be sent as StatsD; further failures are not logged.');
  }
}

/** Differences of counters between reads. */
export class CounterDeltas {
  #last = new Map<string, number>();

  /** The StatsD metrics: gauges, and increases since the last call, or since the start of the service. */
  since(families: readonly MetricFamily[]): readonly StatsdMetric[] {
    const metrics: StatsdMetric[] = [];
    for (const { name: family, type, values } of families) {
      for (const { value, labels, metricName } of values) {
        // Receivers of StatsD make buckets and quantiles themselves.
        if ('le' in labels || 'quantile' in labels || !Number.isFinite(value)) continue;
        const name = metricName ?? family;
        const tags = Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text ?? '')]));
        if (type === 'gauge') metrics.push({ type, name, value, tags });
        else this.#addDelta(name, value, tags, metrics);
      }
    }
    return metrics;
  }

  #addDelta(name: string, value: number, tags: StatsdMetric['tags'], metrics: StatsdMetric[]): void {
    const key = JSON.stringify([name, tags]);
    const last = this.#last.get(key) ?? 0;
    this.#last.set(key, value);
    // Less than before: a process of the service has restarted, and counts from 0.
    const grown = value < last ? value : value - last;
    if (grown > 0) metrics.push({ type: 'counter', name, value: grown, tags });
  }
}

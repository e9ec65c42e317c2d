import type { StatsD } from 'hot-shots';
import type { Component, ComponentLog } from '../model/component.js';
import type { MetricFamily } from './joined-figures.js';

/** Where the figures go, and how often. */
interface StatsdOptions {
  /** Name or address of the receiver. */
  readonly host: string;
  /** UDP port of the receiver. */
  readonly port: number;
  readonly intervalMs: number;
  /** Stands before every name, with a point behind it; empty for none. */
  readonly prefix: string;
}

/** Longest datagram in bytes: one that no network on the way takes apart. */
const maxDatagramBytes = 1400;

/** A figure as a message of StatsD: a counter has what was added since the last one. */
interface StatsdFigure {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Sends the service's own figures as StatsD over UDP (`monitor.statsd`): at every interval the gauges as they are, and
 * what counters, sums and counts have grown by. What gets lost on the way is not sent again, as with all of StatsD.
 */
export class StatsdSender implements Component {
  readonly name = 'statsd-sender';
  readonly #options: StatsdOptions;
  readonly #read: () => Promise<readonly MetricFamily[]>;
  readonly #log: ComponentLog;
  readonly #growth = new Growth();
  #client: StatsD | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** An outage of the receiver is told once. */
  #isLost = false;

  constructor(options: StatsdOptions, read: () => Promise<readonly MetricFamily[]>, log: ComponentLog) {
    this.#options = options;
    this.#read = read;
    this.#log = log;
  }

  async start(): Promise<void> {
    // A service that sends none need not load it.
    const { StatsD } = await import('hot-shots');
    const { host, port, prefix, intervalMs } = this.#options;
    this.#client = new StatsD({
      host,
      port,
      prefix: prefix === '' ? '' : `${prefix}.`,
      maxBufferSize: maxDatagramBytes,
      // Only the calls of one interval are put together.
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
    const figures = this.#growth.since(await this.#read());
    const client = this.#client;
    if (client === undefined) return;
    for (const { type, name, value, tags } of figures) {
      if (type === 'gauge') client.gauge(name, value, { ...tags });
      else client.increment(name, value, { ...tags });
    }
  }

  #lost(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { host, port } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ host, port, reason }, 'Figures could not be sent as StatsD; further failures are not logged.');
  }
}

/** Counters since they were read last. */
export class Growth {
  #last = new Map<string, number>();

  /** The figures of StatsD for what was read: gauges, and what has grown since the last call, or since the start of the service. */
  since(families: readonly MetricFamily[]): readonly StatsdFigure[] {
    const figures: StatsdFigure[] = [];
    for (const { name: family, type, values } of families) {
      for (const { value, labels, metricName } of values) {
        // Buckets and quantiles are made by the receivers of StatsD, from what senders do not send here.
        if ('le' in labels || 'quantile' in labels || !Number.isFinite(value)) continue;
        const name = metricName ?? family;
        const tags = Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text ?? '')]));
        if (type === 'gauge') figures.push({ type, name, value, tags });
        else this.#count(name, value, tags, figures);
      }
    }
    return figures;
  }

  #count(name: string, value: number, tags: StatsdFigure['tags'], figures: StatsdFigure[]): void {
    const key = JSON.stringify([name, tags]);
    const last = this.#last.get(key) ?? 0;
    this.#last.set(key, value);
    // Fewer than before: a process of the service was started anew, and counts from 0.
    const grown = value < last ? value : value - last;
    if (grown > 0) figures.push({ type: 'counter', name, value: grown, tags });
  }
}

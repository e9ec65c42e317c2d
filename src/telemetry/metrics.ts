import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricsFormat, WatchedMetrics } from '../model/metric.js';
import { type MetricFamily, mergedMetrics, metricsText } from './merged-metrics.js';
import { DurationHistogram, DurationSummary, RouteDurations, secondsBuckets } from './request-durations.js';

/** A finished HTTP request. */
interface EndedRequest {
  /** The route's template, never the requested address, which may hold secrets and has unbounded values. */
  readonly route: string;
  readonly method: string;
  /** 499 when the client disconnected before the response was complete. */
  readonly status: number;
  readonly seconds: number;
  readonly client: string;
  /** Status 400 and above, or an error code in the body. */
  readonly failed: boolean;
}

/** Outcome of rows of an input. */
type RowOutcome = 'stored' | 'rejected' | 'failed' | 'shed';

/** Requests of one route, method, status and client. */
interface RequestKind {
  readonly status: number;
  readonly labels: Readonly<Record<(typeof requestLabels)[number], string>>;
  readonly durations: RouteDurations;
  ended: number;
  failed: number;
}

/** Received bytes and rows of an input. */
interface InputCounts {
  bytes: number;
  readonly rows: Map<RowOutcome, number>;
}

/** Labels of requests, and the window of quantiles. */
interface MetricsOptions {
  /** Of the service, for `adapter_build_info`. */
  readonly version: string;
  /** Off with `monitor.disable`: then requests are not counted by route and client. */
  readonly http: boolean;
  /** `monitor.disableCollectClientIP`. */
  readonly hideClients: boolean;
  /** Window of the quantiles, ms. */
  readonly windowMs: number;
}

/** Limit of client addresses with a series of their own; further ones share one. */
const maxClients = 256;
const hiddenClient = 'invisible';
const otherClients = 'other';
const requestLabels = ['status_code', 'client_ip', 'request_method', 'request_uri'] as const;
const rowsBuckets = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/**
 * The self metrics of the service, on a registry of their own. Every label has a small fixed set of values, except the
 * client's address, whose number is bounded. One update a request or a batch, none a row.
 */
export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  readonly #clients = new Set<string>();
  #inFlight = 0;
  /**
   * Requests that ended since metrics were read last, by client: of each there are few kinds, and a key of all labels
   * costs more.
   */
  readonly #kinds = new Map<string, RequestKind[]>();
  /** By method and route. */
  readonly #routes = new Map<string, RouteDurations>();
  /** Bytes and rows since metrics were read last, by input. */
  readonly #inputs = new Map<string, InputCounts>();
  readonly #requests = this.#counter('adapter_restful_http_request_total', 'Requests over HTTP.', requestLabels);
  readonly #failures = this.#counter(
    'adapter_restful_http_request_fail',
    'Requests over HTTP that failed, by status or by the code in the body.',
    requestLabels,
  );
  readonly #refusals = this.#counter(
    'adapter_refusals_total',
    'Requests and data that were refused before any work, by reason.',
    ['reason'],
  );
  readonly #rows = this.#counter('adapter_rows_total', 'Rows or messages received, by input and outcome.', [
    'pipeline',
    'outcome',
  ]);
  readonly #bytes = this.#counter('adapter_received_bytes_total', 'Bytes of data received, by input.', ['pipeline']);
  readonly #leftOut = this.#counter(
    'adapter_left_out_total',
    'What came beside rows and has no place or could not be stored: start times, bad exemplars, by format.',
    ['format'],
  );
  readonly #groupSeconds = this.#histogram(
    'adapter_insert_duration_seconds',
    'Time of one write to the database, by how it ended.',
    secondsBuckets,
    ['outcome'],
  );
  readonly #waitSeconds = this.#histogram(
    'adapter_sql_wait_seconds',
    'Time that an SQL statement waited for its turn, behind others.',
    secondsBuckets,
  );
  readonly #groupRows = this.#histogram('adapter_insert_rows', 'Rows of one write to the database.', rowsBuckets);
  readonly #cpu = new Gauge({
    name: 'adapter_system_cpu_percent',
    help: 'Processor use of the service and its engine, of what the machine or container has.',
    aggregator: 'max',
    registers: [this.#registry],
  });
  readonly #memory = new Gauge({
    name: 'adapter_system_mem_percent',
    help: 'Resident memory of the service and its engine, of what the machine or container has.',
    aggregator: 'max',
    registers: [this.#registry],
  });

  #others: (() => Promise<readonly (readonly MetricFamily[])[]>) | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
    const build = { version: options.version, node: process.version };
    new Gauge({
      name: 'adapter_build_info',
      help: 'Always 1; the labels say what runs.',
      aggregator: 'max',
      labelNames: ['version', 'node'],
      registers: [this.#registry],
    }).set(build, 1);
    this.watch({
      adapter_restful_http_request_in_flight: {
        help: 'Requests over HTTP that are being answered.',
        read: () => this.#inFlight,
      },
    });
    const routes = () => this.#routes.values();
    new DurationSummary('adapter_restful_http_request_summary_milliseconds', this.#registry, routes);
    new DurationHistogram('adapter_http_request_duration_seconds', this.#registry, routes);
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[] = []) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  /** Adds metrics that are read at each scrape. */
  watch(metrics: WatchedMetrics): void {
    for (const [name, { help, read, isCounter, together }] of Object.entries(metrics)) {
      if (isCounter === true) {
        new Counter({
          name,
          help,
          registers: [this.#registry],
          collect() {
            this.reset();
            this.inc(read());
          },
        });
        continue;
      }
      new Gauge({
        name,
        help,
        aggregator: together ?? 'sum',
        registers: [this.#registry],
        collect() {
          this.set(read());
        },
      });
    }
  }

  /** Records the start of a request. */
  begun(): void {
    if (this.#options.http) this.#inFlight++;
  }

  /** Records the end of a request. The counters, whose label lookups are slow, are updated when metrics are read. */
  ended({ route, method, status, seconds, client, failed }: EndedRequest): void {
    if (!this.#options.http) return;
    this.#inFlight--;
    const address = this.#client(client);
    let kinds = this.#kinds.get(address);
    if (kinds === undefined) {
      kinds = [];
      this.#kinds.set(address, kinds);
    }
    let kind = kinds.find(
      ({ labels, status: known }) =>
        known === status && labels.request_uri === route && labels.request_method === method,
    );
    if (kind === undefined) {
      const labels = { request_method: method, request_uri: route, status_code: String(status), client_ip: address };
      kind = { status, labels, durations: this.#durationsOf(method, route), ended: 0, failed: 0 };
      kinds.push(kind);
    }
    kind.ended++;
    if (failed) kind.failed++;
    kind.durations.add(seconds);
  }

  #durationsOf(method: string, route: string): RouteDurations {
    const key = `${method} ${route}`;
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const labels = { request_method: method, request_uri: route };
    const durations = new RouteDurations(labels, this.#options.windowMs);
    this.#routes.set(key, durations);
    return durations;
  }

  #countAll(): void {
    for (const { labels, ended, failed } of [...this.#kinds.values()].flat()) {
      this.#requests.inc(labels, ended);
      if (failed > 0) this.#failures.inc(labels, failed);
    }
    this.#kinds.clear();
    for (const [pipeline, { bytes, rows }] of this.#inputs) {
      this.#bytes.inc({ pipeline }, bytes);
      for (const [outcome, count] of rows) this.#rows.inc({ pipeline, outcome }, count);
    }
    this.#inputs.clear();
  }

  /** Records rejected requests. */
  refused(reason: string, count = 1): void {
    this.#refusals.inc({ reason }, count);
  }

  /** Records received data of an input. */
  received(pipeline: string, bytes: number): void {
    this.#countsOf(pipeline).bytes += bytes;
  }

  /** Records the outcome of rows of an input. */
  settled(pipeline: string, outcome: RowOutcome, rows: number): void {
    if (rows === 0) return;
    const counts = this.#countsOf(pipeline).rows;
    counts.set(outcome, (counts.get(outcome) ?? 0) + rows);
  }

  #countsOf(pipeline: string): InputCounts {
    const known = this.#inputs.get(pipeline);
    if (known !== undefined) return known;
    const tally = { bytes: 0, rows: new Map<RowOutcome, number>() };
    this.#inputs.set(pipeline, tally);
    return tally;
  }

  /** Records parts of payloads for which tables have no column. */
  leftOut(format: string, count: number): void {
    this.#leftOut.inc({ format }, count);
  }

  /** Records the insert of a group of rows, or its failure. */
  wrote(outcome: string, rows: number, seconds: number): void {
    this.#groupSeconds.observe({ outcome }, seconds);
    this.#groupRows.observe(rows);
  }

  /** Records how long a statement waited for a slot. */
  waited(seconds: number): void {
    this.#waitSeconds.observe(seconds);
  }

  /** Records a sample of the system's usage, in percent. */
  sampled(cpuPercent: number, memoryPercent: number): void {
    this.#cpu.set(cpuPercent);
    this.#memory.set(memoryPercent);
  }

  /** Sets the source of the other processes' metrics, which is called whenever metrics are read. */
  mergeWith(others: () => Promise<readonly (readonly MetricFamily[])[]>): void {
    this.#others = others;
  }

  /** The metrics of the service in a text format. */
  async text(format: MetricsFormat): Promise<string> {
    return metricsText(await this.values(), format);
  }

  /** The metrics of the service. */
  async values(): Promise<readonly MetricFamily[]> {
    return (await this.#merged()) ?? this.ownValues();
  }

  /** Undefined if there are no other processes. */
  async #merged(): Promise<readonly MetricFamily[] | undefined> {
    const others = (await this.#others?.()) ?? [];
    return others.length === 0 ? undefined : mergedMetrics([await this.ownValues(), ...others]);
  }

  /** The metrics of this process. */
  async ownValues(): Promise<readonly MetricFamily[]> {
    this.#countAll();
    return this.#registry.getMetricsAsJSON();
  }

  #client(address: string): string {
    if (this.#options.hideClients) return hiddenClient;
    if (this.#clients.has(address)) return address;
    if (this.#clients.size >= maxClients) return otherClients;
    this.#clients.add(address);
    return address;
  }
}

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Histogram, type Registry, type RegistryContentType, Summary } from 'prom-client';

const routeLabels = ['request_method', 'request_uri'] as const;
type RouteLabel = (typeof routeLabels)[number];

/** Upper ends of the buckets of durations, in seconds. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const quantiles = [0.1, 0.2, 0.5, 0.9, 0.99];
/** Parts of the quantiles' window; each new part drops the oldest. */
const parts = 3;
/** Quantiles are exact to two digits, up to an hour. */
const quantileOptions = { lowest: 1, highest: 3_600_000_000, figures: 2 } as const;

/** Durations of the requests of one route and method, to the end of the response. */
export class RouteDurations {
  readonly labels: Record<RouteLabel, string>;
  count = 0;
  seconds = 0;
  /** Number in each bucket, and last those above all of them. */
  readonly buckets = new Float64Array(secondsBuckets.length + 1);
  readonly #partMs: number;
  readonly #recent: RecordableHistogram[] = [];
  #partEnds: number;

  constructor(labels: Record<RouteLabel, string>, windowMs: number) {
    this.labels = labels;
    this.#partMs = windowMs / parts;
    for (let part = 0; part < parts; part++) this.#recent.push(createHistogram(quantileOptions));
    this.#partEnds = Date.now() + this.#partMs;
  }

  /** Records a request of so many seconds. */
  add(seconds: number): void {
    this.count++;
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < secondsBuckets.length && seconds > (secondsBuckets[bucket] ?? 0)) bucket++;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    const micros = Math.round(seconds * 1e6);
    this.#forget();
    this.#recent[0]?.record(Math.min(Math.max(micros, quantileOptions.lowest), quantileOptions.highest));
  }

  /** Quantiles of the window, in milliseconds; 0 without requests in it. */
  quantiles(): readonly (readonly [quantile: number, milliseconds: number])[] {
    this.#forget();
    const all = createHistogram(quantileOptions);
    for (const part of this.#recent) if (part.count > 0) all.add(part);
    return quantiles.map((quantile) => [quantile, all.count === 0 ? 0 : all.percentile(quantile * 100) / 1000]);
  }

  #forget(): void {
    const late = Date.now() - this.#partEnds;
    if (late < 0) return;
    const ended = Math.floor(late / this.#partMs) + 1;
    this.#partEnds += ended * this.#partMs;
    for (let part = 0; part < Math.min(ended, parts); part++) {
      const oldest = this.#recent.pop();
      oldest?.reset();
      if (oldest !== undefined) this.#recent.unshift(oldest);
    }
  }
}

/** Values that the library reads from a metric. */
type LibraryValues<M extends { get(): unknown }> = Awaited<ReturnType<M['get']>>;

/** The routes with durations. */
type Routes = () => Iterable<RouteDurations>;

const help = 'Time to the end of the answer.';

/**
 * Durations in milliseconds with their quantiles. The library's own summary keeps three digests per route and adds each
 * request to all of them, which was a tenth of the cost of a small request.
 */
export class DurationSummary extends Summary<RouteLabel> {
  readonly #routes: Routes;
  readonly #name: string;

  constructor(name: string, registry: Registry<RegistryContentType>, routes: Routes) {
    super({ name, help, labelNames: routeLabels, registers: [registry] });
    this.#name = name;
    this.#routes = routes;
  }

  override async get(): Promise<LibraryValues<Summary<RouteLabel>>> {
    const values = [...this.#routes()].flatMap((route) => this.#valuesOf(route));
    return { ...(await super.get()), values };
  }

  #valuesOf(route: RouteDurations): LibraryValues<Summary<RouteLabel>>['values'] {
    const { labels, count, seconds } = route;
    const recent = route.quantiles().map(([quantile, value]) => ({ labels: { quantile, ...labels }, value }));
    return [
      ...recent,
      { metricName: `${this.#name}_sum`, labels, value: seconds * 1000 },
      { metricName: `${this.#name}_count`, labels, value: count },
    ];
  }
}

/** Durations in seconds by bucket. */
export class DurationHistogram extends Histogram<RouteLabel | 'le'> {
  readonly #name: string;
  readonly #routes: Routes;
  /** The metric without values. */
  readonly #empty: Histogram<RouteLabel | 'le'>;

  constructor(name: string, registry: Registry<RegistryContentType>, routes: Routes) {
    const settings = { name, help, labelNames: routeLabels, buckets: secondsBuckets };
    super({ ...settings, registers: [registry] });
    this.#name = name;
    this.#routes = routes;
    this.#empty = new Histogram({ ...settings, registers: [] });
  }

  override async get(): Promise<LibraryValues<Histogram<RouteLabel | 'le'>>> {
    const values = [...this.#routes()].flatMap((route) => this.#valuesOf(route));
    return { ...(await this.#empty.get()), values };
  }

  /** The library prints histograms with a method of their own. */
  getForPromString(): Promise<LibraryValues<Histogram<RouteLabel | 'le'>>> {
    return this.get();
  }

  #valuesOf({
    labels,
    buckets,
    count,
    seconds,
  }: RouteDurations): LibraryValues<Histogram<RouteLabel | 'le'>>['values'] {
    let sum = 0;
    const ends = secondsBuckets.map((le, bucket) => {
      sum += buckets[bucket] ?? 0;
      return { metricName: `${this.#name}_bucket`, labels: { le, ...labels }, value: sum };
    });
    return [
      ...ends,
      { metricName: `${this.#name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${this.#name}_sum`, labels, value: seconds },
      { metricName: `${this.#name}_count`, labels, value: count },
    ];
  }
}

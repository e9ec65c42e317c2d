import { interval, type MonoTypeOperatorFunction, type Observable, tap } from 'rxjs';
import { deferred } from '../../async/deferred.js';
import type { Batch, ByteBlock } from '../../model/batch.js';
import type { Source } from '../../model/component.js';
import { aggregateStatsd, type FlushOptions, type StatCounts } from '../../transforms/aggregate-statsd.js';
import { StatStore } from '../../transforms/stat-store.js';
import type { StatsgwSettings } from './options.js';

/** Bytes of the names of all series together. */
const maxKeyBytes = 256 * 1024 * 1024;
/** One batch of a flush: with new series in every line it is read in 30 ms. */
const blockBytes = 256 * 1024;

/**
 * A source of StatsD text turned into one of statistics: everything that comes is aggregated, and a flush emits what
 * was aggregated. A drain flushes once more, so that a stop loses nothing.
 */
export class StatisticsSource implements Source<ByteBlock> {
  readonly name: string;
  readonly batches$: Observable<Batch<ByteBlock>>;
  readonly counts: StatCounts = { messages: 0, rejectedLines: 0, ignoredLines: 0, flushes: 0, skippedTicks: 0 };
  readonly store: StatStore;
  readonly #source: Source<ByteBlock>;
  readonly #ended = deferred();

  constructor(
    source: Source<ByteBlock>,
    settings: StatsgwSettings,
    flush: Pick<FlushOptions, 'target' | 'nowMicros'>,
    reported: MonoTypeOperatorFunction<Batch<ByteBlock>>,
  ) {
    this.name = source.name;
    this.#source = source;
    const { maxKeys, maxSetValues, deleteCounters, deleteGauges, deleteSets, deleteTimings } = settings;
    const deletion = [deleteCounters, deleteGauges, deleteSets, deleteTimings, deleteTimings];
    const limits = { maxKeys, maxKeyBytes, maxSetValues };
    this.store = new StatStore(limits, deletion, settings.percentiles, settings.gaugeDeltas);
    const options: FlushOptions = {
      ...flush,
      origin: source.name,
      ticks$: interval(settings.gatherIntervalMs),
      workers: settings.worker,
      blockBytes,
    };
    this.batches$ = source.batches$.pipe(
      reported,
      aggregateStatsd(this.store, options, this.counts),
      tap({ complete: () => this.#ended.resolve() }),
    );
  }

  async start(): Promise<void> {
    await this.#source.start?.();
  }

  async drain(): Promise<void> {
    await this.#source.drain();
    await this.#ended.promise;
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}

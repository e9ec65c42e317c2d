import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import { detached } from '../async/detached.js';
import { Slice } from '../async/slice.js';
import { stage } from '../async/stage.js';
import type { Batch, ByteBlock, Target } from '../model/batch.js';
import { delivered } from '../model/delivery.js';
import { StatsdReader } from './parse/statsd.js';
import type { StatStore } from './stat-store.js';

/** How collected statistics are written; see {@link aggregateStatsd}. */
export interface FlushOptions {
  readonly origin: string;
  /** The lines carry times in microseconds. */
  readonly target: Omit<Target, 'precision'>;
  /** Emits when it is time to flush. */
  readonly ticks$: Observable<unknown>;
  /** Now, Unix microseconds. */
  readonly nowMicros: () => bigint;
  /** Batches that may be written at the same time. */
  readonly workers: number;
  /** Length of a batch, about. */
  readonly blockBytes: number;
}

/** Counts since the start. */
export interface StatCounts {
  messages: number;
  rejectedLines: number;
  ignoredLines: number;
  /** Flushes that began, and ticks that came while one was running. */
  flushes: number;
  skippedTicks: number;
}

/**
 * Collects StatsD text in a store and emits at every tick what has been collected, as line protocol. A batch of text is
 * settled as soon as it is collected. At most `workers` batches are out at once: while writing is slower than that, or
 * does not work at all, aggregation continues, the next flush waits, and what is out keeps being what it was. When the
 * text ends, the rest is flushed, and the output ends when all of it is settled.
 */
export function aggregateStatsd(
  store: StatStore,
  options: FlushOptions,
  counts: StatCounts,
): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return stage(({ next, fail, begin, end }) => {
    const reader = new StatsdReader();
    const flusher = new Flusher(store, options, next, fail);
    const ticks = options.ticks$.subscribe(() => {
      if (flusher.begin()) counts.flushes++;
      else counts.skippedTicks++;
    });
    return {
      take: (batch) => {
        reader.read(batch.payload.bytes, store);
        counts.messages += reader.messages;
        counts.rejectedLines += reader.rejectedLines;
        counts.ignoredLines += reader.ignoredLines;
        batch.settle(delivered(reader.messages, reader.rejectedLines, reader.rejects));
      },
      finish: () => {
        ticks.unsubscribe();
        begin();
        flusher.finish(end);
      },
      stop: () => ticks.unsubscribe(),
    };
  });
}

/** Writes one flush after the other, block by block as there is room; it yields to the event loop between blocks. */
class Flusher {
  readonly #store: StatStore;
  readonly #options: FlushOptions;
  readonly #emit: (batch: Batch<ByteBlock>) => void;
  readonly #failed: (error: unknown) => void;
  #current: Generator<{ readonly bytes: Uint8Array; readonly rows: number }> | undefined;
  #out = 0;
  #lastMicros = 0n;
  #pumping = false;
  #isLast = false;
  #finished: (() => void) | undefined;

  constructor(
    store: StatStore,
    options: FlushOptions,
    emit: (batch: Batch<ByteBlock>) => void,
    failed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#options = options;
    this.#emit = emit;
    this.#failed = failed;
  }

  /** Begins a flush unless one is running. */
  begin(): boolean {
    if (this.#current !== undefined || this.#out >= this.#options.workers) return false;
    this.#open();
    detached(this.#pump(), this.#failed);
    return true;
  }

  /** Writes all that is left, then calls back once. */
  finish(finished: () => void): void {
    this.#finished = finished;
    detached(this.#pump(), this.#failed);
  }

  /** Times of one series must differ, or the later row would replace the earlier one. */
  #open(): void {
    const now = this.#options.nowMicros();
    this.#lastMicros = now > this.#lastMicros ? now : this.#lastMicros + 1n;
    this.#current = this.#store.flush(this.#lastMicros, this.#options.blockBytes);
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    const slice = new Slice();
    while (this.#out < this.#options.workers) {
      if (this.#current === undefined) {
        if (this.#finished === undefined || this.#isLast) break;
        this.#isLast = true;
        this.#open();
      }
      const { value } = this.#current!.next();
      if (value === undefined) this.#current = undefined;
      else this.#send(value.bytes, value.rows);
      if (slice.isOver()) await slice.next();
    }
    this.#pumping = false;
    if (this.#isLast && this.#current === undefined && this.#out === 0) this.#end();
  }

  #end(): void {
    const finished = this.#finished;
    this.#finished = undefined;
    finished?.();
  }

  #send(bytes: Uint8Array, rows: number): void {
    const { origin, target } = this.#options;
    this.#out++;
    this.#emit({
      origin,
      target: { ...target, precision: 'us' },
      payload: { kind: 'bytes', format: 'lineproto', bytes },
      rows,
      bytes: bytes.length,
      settle: () => {
        this.#out--;
        detached(this.#pump(), this.#failed);
      },
    });
  }
}

import { joinedSample, type RateSample } from '../model/insert-report.js';

/** Counts from the beginning on; see {@link RateSample}. */
export type Counted = Pick<RateSample, 'rows' | 'failedRows' | 'answered' | 'delaysMs'>;

const nothing: Counted = { rows: 0, failedRows: 0, answered: 0, delaysMs: 0 };

/** Samples of a rate that are kept; when there are more, two become one. */
const maxSamples = 1200;

/** Rows per second, and delays, over time: samples at regular intervals, which grow longer in long runs. */
export class RateSampler {
  readonly #read: () => Counted;
  readonly #now: () => number;
  readonly #begun: number;
  readonly #timer: NodeJS.Timeout;
  #samples: RateSample[] = [];
  #every = 1;
  #ticks = 0;
  #last = nothing;
  #lastSeconds = 0;

  /** `now` is the clock, in ms. */
  constructor(read: () => Counted, intervalMs = 1000, now = () => performance.now()) {
    this.#read = read;
    this.#now = now;
    this.#begun = now();
    this.#timer = setInterval(() => this.#tick(), intervalMs);
    this.#timer.unref();
  }

  /** Ends the sampling; the samples in order of time, the rest of an interval included. */
  stop(): readonly RateSample[] {
    clearInterval(this.#timer);
    this.#sample();
    return this.#samples;
  }

  #tick(): void {
    this.#ticks++;
    if (this.#ticks % this.#every === 0) this.#sample();
  }

  #sample(): void {
    const now = this.#read();
    const atSeconds = (this.#now() - this.#begun) / 1000;
    const last = this.#last;
    this.#samples.push({
      atSeconds,
      seconds: atSeconds - this.#lastSeconds,
      rows: now.rows - last.rows,
      failedRows: now.failedRows - last.failedRows,
      answered: now.answered - last.answered,
      delaysMs: now.delaysMs - last.delaysMs,
    });
    this.#last = now;
    this.#lastSeconds = atSeconds;
    if (this.#samples.length >= maxSamples) this.#thin();
  }

  #thin(): void {
    this.#every *= 2;
    const samples = this.#samples;
    this.#samples = Array.from({ length: samples.length >> 1 }, (_, i) =>
      joinedSample(samples.slice(2 * i, 2 * i + 2)),
    );
  }
}

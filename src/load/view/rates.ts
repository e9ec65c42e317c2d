import type { RateSample } from '../model/insert-report.js';

/** Samples of a rate that are kept; when there are more, two become one. */
const maxSamples = 1200;

/** Rows a second over time: samples at regular intervals, which grow longer in long runs. */
export class RateSampler {
  readonly #read: () => { readonly rows: number; readonly failedRows: number };
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #samples: RateSample[] = [];
  #every = 1;
  #ticks = 0;
  #last = { rows: 0, failedRows: 0, atSeconds: 0 };

  constructor(read: () => { readonly rows: number; readonly failedRows: number }, intervalMs = 1000) {
    this.#read = read;
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
    const { rows, failedRows } = this.#read();
    const atSeconds = (performance.now() - this.#begun) / 1000;
    const last = this.#last;
    this.#samples.push({
      atSeconds,
      seconds: atSeconds - last.atSeconds,
      rows: rows - last.rows,
      failedRows: failedRows - last.failedRows,
    });
    this.#last = { rows, failedRows, atSeconds };
    if (this.#samples.length >= maxSamples) this.#thin();
  }

  #thin(): void {
    this.#every *= 2;
    this.#samples = Array.from({ length: this.#samples.length >> 1 }, (_, i) => {
      const [one, two] = [this.#samples[2 * i]!, this.#samples[2 * i + 1]!];
      return {
        atSeconds: two.atSeconds,
        seconds: one.seconds + two.seconds,
        rows: one.rows + two.rows,
        failedRows: one.failedRows + two.failedRows,
      };
    });
  }
}

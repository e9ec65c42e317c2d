import type { LoadFigures, RateSample } from '../../model/load-report.js';
import { Delays } from '../../telemetry/delays.js';

/** What one thread, one super table or a whole run has done so far. */
export class InsertFigures {
  rows = 0;
  failedRows = 0;
  requests = 0;
  failedRequests = 0;
  retries = 0;
  generateMs = 0;
  encodeMs = 0;
  waitMs = 0;
  readonly delays = new Delays();

  /** Adds what another one has counted. */
  add(other: InsertFigures): void {
    this.rows += other.rows;
    this.failedRows += other.failedRows;
    this.requests += other.requests;
    this.failedRequests += other.failedRequests;
    this.retries += other.retries;
    this.generateMs += other.generateMs;
    this.encodeMs += other.encodeMs;
    this.waitMs += other.waitMs;
    this.delays.add(other.delays);
  }

  /** The figures of work that took `seconds`. */
  report(seconds: number): LoadFigures {
    const { rows, failedRows, requests, failedRequests, retries } = this;
    return {
      seconds,
      rows,
      failedRows,
      requests,
      failedRequests,
      retries,
      generateSeconds: this.generateMs / 1000,
      encodeSeconds: this.encodeMs / 1000,
      waitSeconds: this.waitMs / 1000,
      delays: this.delays.figures(),
    };
  }
}

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

import type { LoadFigures } from '../model/report.js';
import { Delays } from '../view/delays.js';

/** Figures of one thread, one super table or a whole run so far. */
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

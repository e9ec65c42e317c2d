import { perSecond, type QueryFigures, type QueryPartReport } from '../model/report.js';
import { Delays } from '../view/delays.js';

/** Counts of one part of a query run, or of all of it, so far. */
export class QueryCounts {
  queries = 0;
  rows = 0;
  errors = 0;
  killed = 0;
  readonly #delays = new Delays();

  /** Counts a query that had a complete result. */
  completed(ms: number, rows: number): void {
    this.queries++;
    this.rows += rows;
    this.#delays.record(ms);
  }

  failed(wasKilled: boolean): void {
    this.queries++;
    this.errors++;
    if (wasKilled) this.killed++;
  }

  /** Adds what another one has counted. */
  add(other: QueryCounts): void {
    this.queries += other.queries;
    this.rows += other.rows;
    this.errors += other.errors;
    this.killed += other.killed;
    this.#delays.add(other.#delays);
  }

  /** The figures of work that took `seconds`. */
  report(seconds: number): QueryFigures {
    const { queries, rows, errors, killed } = this;
    return { seconds, queries, rows, errors, killed, delays: this.#delays.figures() };
  }
}

/** The line of one part; `number` is that of its statement, from 1 on. */
export function partLine({ section, statements, threads, figures }: QueryPartReport, number: number): string {
  const { queries, seconds } = figures;
  const what = section === 'specified' ? ` sql ${number}` : ` ${section} queries`;
  const sql = section === 'specified' ? ` SQL command: ${statements[0] ?? ''}` : '';
  const errors = figures.errors > 0 ? ` errors: ${figures.errors}` : '';
  const spent = `spend ${seconds.toFixed(6)}s QPS: ${perSecond(queries, seconds).toFixed(3)}`;
  return `complete query with ${threads} threads and ${queries}${what} ${spent} query delay ${delaysText(figures)}${errors}${sql}`;
}

/** The lines at the end of a run. */
export function totalLines(figures: QueryFigures): string[] {
  const { queries, seconds, errors, killed, rows } = figures;
  const rate = queries > 0 ? (errors * 100) / queries : 0;
  const lines = [
    `Spent ${seconds.toFixed(6)} seconds to query ${queries} times, QPS: ${perSecond(queries, seconds).toFixed(3)}, rows: ${rows}, errors: ${errors}`,
    `query delay, ${delaysText(figures)}`,
  ];
  if (errors > 0) lines.push(`error rate: ${rate.toFixed(2)}%, killed: ${killed}`);
  return lines;
}

/** Delays in seconds. */
function delaysText({ delays }: QueryFigures): string {
  const { mean: avg, min, max, p50, p90, p95, p99 } = delays;
  return Object.entries({ avg, min, max, p50, p90, p95, p99 })
    .map(([name, ms]) => `${name}: ${(ms / 1000).toFixed(6)}s`)
    .join(' ');
}

import type { DelayFigures, LoadFigures } from '../model/insert-report.js';
import { perSecond } from '../model/run-report.js';

/** The line of one thread; its rate is over the time of all threads, so that the rates add up to that of the summary. */
export function threadLine(thread: number, interlaced: boolean, { rows, seconds }: LoadFigures): string {
  const mode = interlaced ? 'interlace' : 'progressive';
  const rate = perSecond(rows, seconds).toFixed(2);
  return `thread[${thread}] ${mode} mode, completed total inserted rows: ${rows}, ${rate} records/second`;
}

/** The lines of a super table, or of several together. */
export function summaryLines(figures: LoadFigures, threads: number, database: string): string[] {
  const { seconds, rows, failedRows, failedRequests, retries } = figures;
  const rate = perSecond(rows, seconds).toFixed(2);
  const lines = [
    `Spent ${seconds.toFixed(6)} seconds to insert rows: ${rows} with ${threads} thread(s) into ${database} ${rate} records/second`,
    `insert delay, ${delayText(figures.delays)}`,
  ];
  if (failedRequests + retries > 0) {
    lines.push(`failed rows: ${failedRows} in ${failedRequests} request(s), further attempts: ${retries}`);
  }
  return lines;
}

/** Delays in milliseconds, in the order of the reports. */
export function delayText({ min, mean, p50, p90, p95, p99, max }: DelayFigures): string {
  return Object.entries({ min, avg: mean, p50, p90, p95, p99, max })
    .map(([name, ms]) => `${name}: ${ms.toFixed(4)}ms`)
    .join(', ');
}

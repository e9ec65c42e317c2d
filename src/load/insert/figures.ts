import { type DelayFigures, type LoadFigures, perSecond } from '../model/report.js';
import { Delays } from '../view/delays.js';

/** Counts of {@link InsertFigures} that add up. */
const counts = [
  'rows',
  'failedRows',
  'requests',
  'failedRequests',
  'retries',
  'generateMs',
  'encodeMs',
  'waitMs',
] as const;

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
    for (const name of counts) this[name] += other[name];
    this.delays.add(other.delays);
  }

  /** The figures of work that took `seconds`. */
  report(seconds: number): LoadFigures {
    const { rows, failedRows, requests, failedRequests, retries, generateMs, encodeMs, waitMs } = this;
    const times = { generateSeconds: generateMs / 1000, encodeSeconds: encodeMs / 1000, waitSeconds: waitMs / 1000 };
    const delays = this.delays.figures();
    return { seconds, rows, failedRows, requests, failedRequests, retries, ...times, delays };
  }
}

/** The line of one thread; its rate is over the time of all threads, so that rates add up to the summary's. */
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
  if (failedRequests + retries === 0) return lines;
  return [...lines, `failed rows: ${failedRows} in ${failedRequests} request(s), further attempts: ${retries}`];
}

/** Delays in milliseconds, in the order of the reports. */
export function delayText({ min, mean, p50, p90, p95, p99, max }: DelayFigures): string {
  return Object.entries({ min, avg: mean, p50, p90, p95, p99, max })
    .map(([name, ms]) => `${name}: ${ms.toFixed(4)}ms`)
    .join(', ');
}

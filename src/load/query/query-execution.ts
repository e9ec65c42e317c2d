import type { SqlAnswer } from '../../model/exchange.js';
import { FaultError } from '../../model/fault.js';
import { parseTimestamp } from '../../sql/times/timestamp.js';
import { ResultRowsEncoder } from '../encode/result-rows.js';
import { faultLine } from '../execution/statements.js';
import type { RunLog, RunSql } from '../model/ports.js';
import type { RowsFile } from '../sinks/rows-file.js';
import type { QueryCounts } from './query-counts.js';
import type { RunningQueries } from './running-queries.js';

/** Context in which queries run. */
export interface QueryContext {
  /** Database of names without one, as it is stored. */
  readonly database: string;
  readonly run: RunSql;
  readonly log: RunLog;
  readonly running: RunningQueries;
}

const utc = 'UTC';
const newline = 10;
/** Failed queries of one part that are told of; the others are only counted. */
export const maxShownErrors = 50;

/** A file of results cannot be written: the run is of no use without it. */
export class ResultFileFailure extends Error {}

/**
 * Runs a statement and reads its answer to the end, into the file where there is one. True when the answer was complete; what
 * went wrong is in the counts and in the log. Once `stop` has fired nothing is counted any more: what breaks off then is no error.
 */
export async function executeQuery(
  sql: string,
  file: RowsFile | undefined,
  counts: QueryCounts,
  { database, run, log, running }: QueryContext,
  stop: AbortSignal,
): Promise<boolean> {
  const query = running.begin(sql);
  const begun = performance.now();
  log.debug(sql);
  try {
    const answer = await run(sql, { database, timeZone: utc, signal: query.signal });
    const rows = answer.kind === 'affected' ? 0 : await (file === undefined ? rowsIn(answer) : keepRows(answer, file));
    counts.answered(performance.now() - begun, rows);
    return true;
  } catch (error) {
    if (error instanceof ResultFileFailure) throw error;
    const isBrokenOff = query.signal.aborted;
    if (!isBrokenOff && !(error instanceof FaultError)) throw error;
    if (stop.aborted) return false;
    counts.failed(query.wasKilled());
    const reason = error instanceof FaultError ? faultLine(error.fault) : 'it was broken off';
    if (!query.wasKilled())
      log[counts.errors <= maxShownErrors ? 'error' : 'debug'](`A query failed: ${reason}: ${sql}`);
    return false;
  } finally {
    query.end();
  }
}

type RowsAnswer = Extract<SqlAnswer, { kind: 'rows' }>;

/** Appends the rows of an answer to a file; gives their number. */
async function keepRows({ meta, lines }: RowsAnswer, file: RowsFile): Promise<number> {
  const encoder = new ResultRowsEncoder(meta, (text, precision) => parseTimestamp(text, precision, utc));
  for await (const chunk of lines) await orFileFailure(file.append(encoder.encode(chunk)));
  await orFileFailure(file.append(encoder.end()));
  return encoder.rows;
}

/** Counts the rows of an answer: a line break ends each and never occurs within one. */
async function rowsIn({ lines }: RowsAnswer): Promise<number> {
  let rows = 0;
  for await (const chunk of lines) {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) rows++;
  }
  return rows;
}

/** The result of work on a file; a fault is thrown as a {@link ResultFileFailure}. */
export async function orFileFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FaultError ? new ResultFileFailure(error.fault.message, { cause: error }) : error;
  }
}

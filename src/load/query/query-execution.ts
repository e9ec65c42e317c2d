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
  readonly stop: AbortSignal;
  readonly running: RunningQueries;
}

const timeZone = 'UTC';
const newline = 10;
/** Failed queries of one part that are logged; the others are only counted. */
export const maxShownErrors = 50;

/** A file of results cannot be written: the run is of no use without it. */
export class ResultFileFailure extends Error {}

/**
 * Runs a statement and reads its result to the end, into the file where there is one. True when the result was
 * complete; a failure is in the counts and in the log. Once the run is stopped nothing is counted: queries that end
 * early then are no errors.
 */
export async function executeQuery(
  sql: string,
  file: RowsFile | undefined,
  counts: QueryCounts,
  { database, run, log, stop, running }: QueryContext,
): Promise<boolean> {
  const query = running.begin(sql);
  const { signal } = query;
  log.debug(sql);
  try {
    const result = await run(sql, { database, timeZone, signal });
    const rows = result.kind === 'affected' ? 0 : await (file === undefined ? rowsIn(result) : saveRows(result, file));
    counts.completed(performance.now() - query.begun, rows);
    return true;
  } catch (error) {
    if (error instanceof ResultFileFailure || !(signal.aborted || error instanceof FaultError)) throw error;
    if (stop.aborted) return false;
    counts.failed(query.isKilled);
    const reason = error instanceof FaultError ? faultLine(error.fault) : 'it was broken off';
    const level = counts.errors <= maxShownErrors ? 'error' : 'debug';
    if (!query.isKilled) log[level](`A query failed: ${reason}: ${sql}`);
    return false;
  } finally {
    query.end();
  }
}

type RowsResult = Extract<SqlAnswer, { kind: 'rows' }>;

/** Appends the rows of a result to a file; returns their number. */
async function saveRows({ meta, lines }: RowsResult, file: RowsFile): Promise<number> {
  const encoder = new ResultRowsEncoder(meta, (text, precision) => parseTimestamp(text, precision, timeZone));
  for await (const chunk of lines) await orFileFailure(file.append(encoder.encode(chunk)));
  await orFileFailure(file.append(encoder.end()));
  return encoder.rows;
}

/** Counts the rows of a result: a line break ends each and never occurs within one. */
async function rowsIn({ lines }: RowsResult): Promise<number> {
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

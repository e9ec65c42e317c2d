import { expectedFault, type Fault, FaultError, isTransient } from '../../model/fault.js';
import { parsedRows } from '../../pipelines/row-lines.js';
import type { RunLog, RunSql, RunSqlOptions } from '../model/ports.js';
import type { Attempts } from '../model/scenario.js';
import { retried } from './attempts.js';

/** A fault as one line with its code. */
export function faultLine({ code, message }: Fault): string {
  return `[0x${code.toString(16).padStart(4, '0')}] ${message}`;
}

/** Context in which the definitions of a run are made. */
export interface StatementContext {
  /** Runs definitions and queries, embedded or over HTTP as the scenario has it. */
  readonly run: RunSql;
  readonly log: RunLog;
  /** Fires when a person stops the run: requests in flight are finished, queries are cancelled. */
  readonly stop: AbortSignal;
}

/** Runs a definition, retried as often as the attempts allow; throws the fault of the last one. */
export async function define(
  sql: string,
  attempts: Attempts,
  { run, log, stop }: StatementContext,
  options?: RunSqlOptions,
): Promise<void> {
  log.debug(shortened(sql, 1000));
  const refused = await retried<Fault | undefined>({
    attempts,
    log,
    stop,
    verb: 're-create',
    run: () => run(sql, options).then(() => undefined, expectedFault),
    reasonToRetry: (fault) => (fault !== undefined && isTransient(fault) ? faultLine(fault) : undefined),
  });
  if (refused === undefined) return;
  throw new FaultError({ ...refused, message: `${refused.message} (${shortened(sql, 120)})` });
}

/** A statement cut to so many characters. */
export function shortened(sql: string, length: number): string {
  return sql.length > length ? `${sql.slice(0, length)} …` : sql;
}

/** Rows of a query; see {@link parsedRows}. */
export async function* queried(run: RunSql, sql: string, options?: RunSqlOptions): AsyncGenerator<readonly unknown[]> {
  const result = await run(sql, options);
  if (result.kind === 'rows') yield* parsedRows<readonly unknown[]>(result);
}

/** Texts of the first column of a query. */
export async function firstColumn(run: RunSql, sql: string, options?: RunSqlOptions): Promise<string[]> {
  const texts: string[] = [];
  for await (const [text] of queried(run, sql, options)) texts.push(String(text));
  return texts;
}

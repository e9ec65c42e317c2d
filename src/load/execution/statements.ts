import { expectedFault, type Fault, FaultError, isTransient } from '../../model/fault.js';
import { parsedRows } from '../../pipelines/row-lines.js';
import type { RunLog, RunSql, RunSqlOptions } from '../model/ports.js';
import type { Attempts } from '../model/scenario.js';
import { tried } from './attempts.js';

/** A fault as one line with its code. */
export function faultLine({ code, message }: Fault): string {
  return `[0x${code.toString(16).padStart(4, '0')}] ${message}`;
}

/** Context in which definitions of a run are made. */
export interface StatementContext {
  /** Runs definitions and queries, in the process or over HTTP as the scenario has it. */
  readonly run: RunSql;
  readonly log: RunLog;
  /** Fires when a person asks for the end: what is under way is finished, or broken off where it is a query. */
  readonly stop: AbortSignal;
}

/** Runs a definition, again and again as often as it may be tried; throws the fault of the last attempt. */
export async function define(
  sql: string,
  attempts: Attempts,
  { run, log, stop }: StatementContext,
  options?: RunSqlOptions,
): Promise<void> {
  log.debug(sql.length > 1000 ? `${sql.slice(0, 1000)} …` : sql);
  const refused = await tried<Fault | undefined>({
    attempts,
    log,
    stop,
    verb: 're-create',
    run: async () => {
      try {
        await run(sql, options);
        return undefined;
      } catch (error) {
        return expectedFault(error);
      }
    },
    trouble: (fault) => (fault !== undefined && isTransient(fault) ? faultLine(fault) : undefined),
    again: () => {},
  });
  if (refused !== undefined) throw new FaultError({ ...refused, message: `${refused.message} (${shortened(sql)})` });
}

function shortened(sql: string): string {
  return sql.length > 120 ? `${sql.slice(0, 120)}…` : sql;
}

/** Rows of a query; see {@link parsedRows}. */
export async function* queried(run: RunSql, sql: string, options?: RunSqlOptions): AsyncGenerator<readonly unknown[]> {
  const answer = await run(sql, options);
  if (answer.kind === 'rows') yield* parsedRows<readonly unknown[]>(answer);
}

import type { SqlAnswer, SqlRequest } from '../model/exchange.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import type { ObjectName } from '../sql/syntax/ast.js';
import { encodeLines } from '../transforms/encode/listing-lines.js';
import type { ClientConnections } from './client-connections.js';
import { withCurrentSchema } from './current-schema.js';
import type { DefinitionContext } from './definitions/context.js';
import type { Listing } from './definitions/listing.js';
import { isOutOfDate } from './faults.js';
import { encodeColumns } from './listing-columns.js';
import type { SystemTables, Variable } from './lists/system-table.js';
import type { PlanCache } from './queries/plan-cache.js';
import { nowNanos } from './queries/query-names.js';
import type { StatementReader } from './read-statement.js';
import type { OtherStatements, Running, RunningStatements } from './running-statements.js';
import type { StreamContext } from './streams/context.js';

/** Context in which statements run. */
export interface StatementContext extends StreamContext {
  /** How long a query may take until its last row has left; 0 is no limit. */
  readonly queryTimeMs: number;
  /** Name and port under which lists show the node. */
  readonly endpoint: string;
  /** Rows of SHOW VARIABLES. */
  readonly variables: readonly Variable[];
  readonly reader: StatementReader;
  readonly systemTables: SystemTables;
  readonly plans: PlanCache;
  readonly running: RunningStatements;
  readonly connections: ClientConnections;
  /** Undefined when the service is one process. */
  readonly others?: OtherStatements | undefined;
  /** Start of this process, Unix ms. */
  readonly started: number;
}

/** A request for a statement, with its user and its client's state. */
export interface RequestScope {
  readonly request: SqlRequest;
  readonly user: string;
  /** Fires when the client disconnects. */
  readonly aborted: AbortSignal;
  /** Records a wait of the statement for a slot, in ms. */
  readonly waited: (ms: number) => void;
}

/** The answer to a statement that changes no rows. */
export const done: SqlAnswer = { kind: 'affected', rows: 0 };

/** A small result as an answer. */
export function listingAnswer({ meta, rows }: Listing, { request }: RequestScope): SqlAnswer {
  const { form } = request;
  return {
    kind: 'rows',
    meta,
    lines: [form === 'columns' ? encodeColumns(meta, rows) : encodeLines(meta, rows, form)],
  };
}

/** Context of definitions for a request. */
export function definitionsOf({ request, user }: RequestScope, context: StatementContext): DefinitionContext {
  const { catalogue, storage, subTables } = context;
  const statement = request.statement.toString('utf8');
  const { database } = request;
  const timeZone = request.connectionZone ?? context.connectionZone;
  return { catalogue, storage, subTables, user, database, timeZone, statement, nowNs: nowNanos() };
}

/** The database of a named table, whose rows may wait; all where it is not known. */
export function databaseOf({ database }: ObjectName, current: string | undefined): WaitingTables {
  const name = database?.text ?? current;
  return name === undefined ? 'all' : [{ database: name }];
}

/** Runs with current definitions, see {@link withCurrentSchema}. */
export function upToDate<T>(context: StatementContext, run: (mayAssume: boolean) => Promise<T>): Promise<T> {
  return withCurrentSchema(context, run, isOutOfDate);
}

/** Registers the statement as running until it ends, is killed or exceeds its time limit. */
export function beginStatement(
  { request, user, aborted }: RequestScope,
  { running, queryTimeMs }: StatementContext,
): Running {
  return running.begin(user, request.statement, { aborted, limitMs: queryTimeMs });
}

/**
 * Runs a statement that is registered as running. When it is cancelled it fails with the reason of the cancellation.
 */
export async function runRegistered<T>(
  scope: RequestScope,
  context: StatementContext,
  run: (running: Running) => Promise<T>,
): Promise<T> {
  const running = beginStatement(scope, context);
  try {
    return await run(running);
  } catch (error) {
    throw running.because() ?? error;
  } finally {
    running.end();
  }
}

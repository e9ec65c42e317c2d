import { Access, insufficientPrivilege } from '../database/catalogue/rights.js';
import type { Exchange, SqlAnswer, SqlRequest } from '../model/exchange.js';
import type { Fault } from '../model/fault.js';
import type { SlowStatementList } from '../model/slow-statement.js';
import { systemDatabases } from '../sql/values/context.js';
import { withParameters } from './bound/prepare.js';
import { ClientConnections } from './client-connections.js';
import type { StatementContext } from './context.js';
import { placed } from './faults.js';
import type { StatementPlace } from './lists/kill-id.js';
import { allSystemTables } from './lists/registry.js';
import { PlanCache } from './queries/plan-cache.js';
import { ended } from './queries/row-pieces.js';
import { StatementReader } from './read-statement.js';
import { type Hold, RequestReply, type RequestReplyContext } from './request-reply.js';
import type { SlowStatements } from './slow-statements.js';
import { runStatement } from './table.js';

/** Context of the SQL pipeline. */
interface SqlContext
  extends RequestReplyContext,
    Omit<StatementContext, 'reader' | 'systemTables' | 'plans' | 'started' | 'connections'> {
  /** Number of this process among those of the service. */
  readonly processNumber: number;
  /** Longest statement other than an INSERT of rows, in bytes. */
  readonly queryBytes: number;
  /** The slow statements of all pipelines of queries. */
  readonly slow: SlowStatements;
  /** Records how many seconds each statement waited for a slot. */
  readonly waited: (seconds: number) => void;
}

/** An INSERT whose rows are bound: its text has parameters, which the parser does not read. */
const boundInsert = { kind: 'insert', offset: 0 } as const;

/** A query holds its slot until its last row is sent or its client disconnects. */
const holdRows: Hold<SqlAnswer> = (answer, release) => {
  if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, release) };
  release();
  return answer;
};

/** The SQL pipeline: limits concurrent statements by slots, and lists the running and the slow ones. */
export class SqlPipeline extends RequestReply<SqlRequest, SqlAnswer> {
  /** The connections that clients keep open. */
  readonly connections: ClientConnections;
  readonly #statements: StatementContext;
  readonly #reader: StatementReader;
  readonly #slow: SlowStatements;
  readonly #waited: (seconds: number) => void;

  constructor(context: SqlContext) {
    super('sql', context, (...args) => this.#run(...args), holdRows);
    this.connections = new ClientConnections(context.processNumber);
    this.#reader = new StatementReader(context.queryBytes);
    this.#statements = {
      ...context,
      reader: this.#reader,
      systemTables: allSystemTables,
      plans: new PlanCache(),
      connections: this.connections,
      started: Date.now(),
    };
    this.#slow = context.slow;
    this.#waited = context.waited;
  }

  /** The statements that count as slow, for administrators. */
  async slowStatements(user: string): Promise<SlowStatementList | Fault> {
    const { catalogue, others } = this.#statements;
    if (!new Access(catalogue, user).isAdministrator) return insufficientPrivilege().fault;
    return this.#slow.list(await others?.slow());
  }

  /** The statements of this process that run, and those that count as slow. */
  get ownStatements() {
    return { running: this.#statements.running.all, slow: this.#slow.list().records };
  }

  /** Closes a connection of this process, if the user may see it. */
  killConnection(id: number, user: string): void {
    this.connections.kill(id, new Access(this.#statements.catalogue, user));
  }

  /** Cancels a statement of this process, if the user may see it. */
  kill({ pid, id }: StatementPlace, user: string): void {
    const { running, catalogue } = this.#statements;
    if (pid === process.pid) running.kill(id, new Access(catalogue, user));
  }

  async #run(
    { request, aborted }: Exchange<SqlRequest, SqlAnswer>,
    user: string,
    waitedMs: number,
  ): Promise<SqlAnswer> {
    const { waited, end } = this.#slow.begin(user, request, waitedMs);
    const finish = (failure?: unknown): void => this.#waited(end(failure) / 1000);
    try {
      const database = await this.#existing(request.database);
      const whole = withParameters({ ...request, database });
      const scope = { request: whole, user, aborted, waited };
      const statement = whole.bound === undefined ? this.#reader.read(whole.statement) : boundInsert;
      const answer = await runStatement(statement, scope, this.#statements);
      if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, finish) };
      finish();
      return answer;
    } catch (error) {
      finish(error);
      throw placed(error, request);
    }
  }

  /**
   * The database of the URL; undefined where there is none of this name, as after a USE that failed: CREATE DATABASE
   * may be sent to the URL of the database that it makes.
   */
  async #existing(name: string | undefined): Promise<string | undefined> {
    if (name === undefined || this.#isDatabase(name)) return name;
    await this.#statements.catalogue.sync();
    return this.#isDatabase(name) ? name : undefined;
  }

  #isDatabase(name: string): boolean {
    return systemDatabases.includes(name) || this.#statements.catalogue.database(name) !== undefined;
  }
}

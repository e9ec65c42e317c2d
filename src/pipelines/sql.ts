import type { Storage } from '../database/catalogue/storage.js';
import type { DefinitionContext } from '../database/definitions/context.js';
import { runDefinition } from '../database/definitions/run-definition.js';
import { describe, type Listing, runShow } from '../database/definitions/show.js';
import { showQuery } from '../database/definitions/show-query.js';
import { checkStatementRights } from '../database/definitions/statement-rights.js';
import { createToken } from '../database/definitions/tokens.js';
import { deleteRows } from '../database/delete-rows.js';
import type { Engine } from '../database/engine.js';
import { Access, insufficientPrivilege } from '../database/rights.js';
import { killedStatement } from '../database/system-tables/kill-id.js';
import { namesSystemTable, systemRelations } from '../database/system-tables/registry.js';
import type { SystemFacts, Variable } from '../database/system-tables/system-table.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Exchange, SqlAnswer, SqlRequest } from '../model/exchange.js';
import type { Fault } from '../model/fault.js';
import type { SlowStatementList } from '../model/slow-statement.js';
import type { ObjectName, Query } from '../sql/ast.js';
import type { Explain, Show, Statement } from '../sql/ast-statement.js';
import { parseStatement } from '../sql/parser/statement.js';
import { planDelete } from '../sql/plan/delete.js';
import { type InsertSelect, planInsertSelect } from '../sql/plan/insert-select.js';
import { planQuery, type QueryPlan } from '../sql/plan/query.js';
import { arrayRowFormat, objectRowFormat } from '../sql/plan/settings.js';
import { collectTables, type QueryContext, systemDatabases } from '../sql/resolve/context.js';
import { expandViews } from '../sql/resolve/views.js';
import { encodeLines } from '../transforms/encode/listing-lines.js';
import { type Hold, RequestReply, type RequestReplyContext } from './request-reply.js';
import { withCurrentSchema } from './statements/current-schema.js';
import { explain } from './statements/explain.js';
import { isOutOfDate, notSupported, placed } from './statements/faults.js';
import { type InsertRowsContext, insertRows } from './statements/insert-rows.js';
import { insertSelected } from './statements/insert-select.js';
import { KeptPlans, type KnownTables } from './statements/kept-plans.js';
import { nowNanos, queryContext, withoutViews } from './statements/query-names.js';
import { StatementReader } from './statements/read-statement.js';
import { ended } from './statements/row-pieces.js';
import { type Running, RunningStatements } from './statements/running-statements.js';
import { SlowStatements } from './statements/slow-statements.js';
import { runTopicStatement } from './statements/topics.js';
import type { StreamContext } from './streams/context.js';
import { createStream } from './streams/definition.js';
import { storableTimes } from './writes.js';

/** What the SQL pipeline is made of. */
export interface SqlContext extends RequestReplyContext, InsertRowsContext, Pick<StreamContext, 'changes' | 'states'> {
  readonly engine: Engine;
  readonly storage: Storage;
  /** What SERVER_VERSION() says. */
  readonly version: string;
  /** Longest statement other than an INSERT of rows, in bytes. */
  readonly queryBytes: number;
  /** How long a query may take until its last row has left; 0 is no limit. */
  readonly queryTimeMs: number;
  /** How long a statement takes at least that is kept in the list of slow ones; 0 keeps none. */
  readonly slowStatementMs: number;
  /** Told of each statement how many seconds it waited for its turn. */
  readonly waited: (seconds: number) => void;
  /** Name and port under which lists show the node. */
  readonly endpoint: string;
  /** What SHOW VARIABLES lists. */
  readonly variables: readonly Variable[];
}

/** One request, and whose it is. */
interface Asked {
  readonly request: SqlRequest;
  readonly user: string;
  /** The asker has gone. */
  readonly aborted: AbortSignal;
  /** Told when it has waited for its turn, in ms. */
  readonly waited: (ms: number) => void;
}

type CreateView = Extract<Statement, { kind: 'create-view' }>;
type Delete = Extract<Statement, { kind: 'delete' }>;

/** A query holds its slot until its last row has left or nobody wants it any more. */
const holdRows: Hold<SqlAnswer> = (answer, release) => {
  if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, release) };
  release();
  return answer;
};

/** Request-reply over SQL: parse, plan, execute, answer. */
export class SqlPipeline extends RequestReply<SqlRequest, SqlAnswer> {
  readonly #context: SqlContext;
  readonly #reader: StatementReader;
  readonly #plans = new KeptPlans();
  readonly #statements = new RunningStatements();
  readonly #slow: SlowStatements;
  readonly #started = Date.now();

  constructor(context: SqlContext) {
    super('sql', context, (...turn) => this.#runShallow(...turn), holdRows);
    this.#context = context;
    this.#reader = new StatementReader(context.queryBytes);
    this.#slow = new SlowStatements(context.slowStatementMs);
  }

  /** The statements that count as slow, for administrators. */
  slowStatements(user: string): SlowStatementList | Fault {
    const access = new Access(this.#context.catalogue, user);
    return access.isAdministrator ? this.#slow.list() : insufficientPrivilege().fault;
  }

  async #runShallow(
    { request, aborted }: Exchange<SqlRequest, SqlAnswer>,
    user: string,
    waitedMs: number,
  ): Promise<SqlAnswer> {
    const { waited, end } = this.#slow.begin(user, request, waitedMs);
    const isOver = (failure?: unknown): void => this.#context.waited(end(failure) / 1000);
    try {
      const database = await this.#existing(request.database);
      const answer = await this.#run({ request: { ...request, database }, user, aborted, waited });
      if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, isOver) };
      isOver();
      return answer;
    } catch (error) {
      isOver(error);
      throw placed(error, request.statement);
    }
  }

  /**
   * The database of the URL; undefined where there is none of this name, as after a USE that failed: CREATE DATABASE may be
   * sent to the URL of the database that it makes.
   */
  async #existing(name: string | undefined): Promise<string | undefined> {
    if (name === undefined || this.#isDatabase(name)) return name;
    await this.#context.catalogue.sync();
    return this.#isDatabase(name) ? name : undefined;
  }

  #isDatabase(name: string): boolean {
    return systemDatabases.includes(name) || this.#context.catalogue.database(name) !== undefined;
  }

  async #run(asked: Asked): Promise<SqlAnswer> {
    const { request, user } = asked;
    const statement = this.#reader.read(request.statement);
    switch (statement.kind) {
      case 'query':
        if (statement.explain !== undefined) return this.#explain(statement.query, statement.explain, asked);
        return this.#answerQuery(statement.query, asked);
      case 'insert': {
        // One NOW for all attempts, so that none stores rows beside those of the one before.
        const nowNs = nowNanos();
        return this.#change(asked, () => insertRows(request, user, nowNs, this.#context));
      }
      case 'create-token':
        return listed(await createToken(statement, this.#definitions(asked)), request);
      case 'show':
        await this.#context.catalogue.sync();
        checkStatementRights(statement, new Access(this.#context.catalogue, user), request.database);
        return this.#show(statement.show, asked);
      case 'kill-query': {
        const killed = killedStatement(statement.id);
        if (killed !== undefined) this.#statements.kill(killed, new Access(this.#context.catalogue, user));
        return { kind: 'affected', rows: 0 };
      }
      case 'describe':
        await this.#context.catalogue.sync();
        checkStatementRights(statement, new Access(this.#context.catalogue, user), request.database);
        await this.#context.writes.visible('all');
        return listed(await describe(statement.table, this.#definitions(asked)), request);
      case 'delete':
        return this.#change(asked, () => this.#delete(statement, asked));
      case 'insert-select':
        return this.#insertSelect(statement, asked);
      case 'create-view':
        return this.#createView(statement, asked);
      case 'create-topic':
      case 'drop-topic':
      case 'drop-consumer-group': {
        const definitions = this.#definitions(asked);
        await this.#context.writes.visible('all');
        await this.#withCurrentSchema(() => runTopicStatement(statement, request, definitions, this.#context));
        return { kind: 'affected', rows: 0 };
      }
      case 'create-stream':
        await this.#context.writes.visible('all');
        await createStream(statement, this.#definitions(asked), this.#context);
        return { kind: 'affected', rows: 0 };
      case 'unsupported':
        throw notSupported(statement.words);
      default:
        // Rows that were answered before a definition are written before it.
        await this.#context.writes.visible('all');
        await runDefinition(statement, this.#definitions(asked));
        return { kind: 'affected', rows: 0 };
    }
  }

  /** Lists show the statement until it ends, is ended by somebody or takes too long. */
  #begin({ request, user, aborted }: Asked): Running {
    return this.#statements.begin(user, request.statement, { aborted, limitMs: this.#context.queryTimeMs });
  }

  /** Runs a statement that changes rows, which goes on once it has begun. */
  async #change({ request, user }: Asked, run: () => Promise<number>): Promise<SqlAnswer> {
    const running = this.#statements.begin(user, request.statement);
    try {
      return { kind: 'affected', rows: await this.#withCurrentSchema(run) };
    } finally {
      running.end();
    }
  }

  #withCurrentSchema<T>(run: () => Promise<T>): Promise<T> {
    return withCurrentSchema(this.#context, run, isOutOfDate);
  }

  #definitions({ request, user }: Asked): DefinitionContext {
    const { catalogue, storage, subTables } = this.#context;
    const statement = request.statement.toString('utf8');
    const { database } = request;
    const timeZone = request.connectionZone ?? this.#context.connectionZone;
    return { catalogue, storage, subTables, user, database, timeZone, statement, nowNs: nowNanos() };
  }

  async #show(show: Show, asked: Asked): Promise<SqlAnswer> {
    const definitions = this.#definitions(asked);
    const text = await showQuery(show, definitions);
    if (text === undefined) return listed(await runShow(show, definitions, this.#context.engine), asked.request);
    const statement = parseStatement(text);
    if (statement.kind !== 'query') throw new Error(`SHOW ${show.what} is not a query.`);
    return this.#answerQuery(statement.query, asked);
  }

  /** Runs a query that lists show until its last row is read, or until something breaks it off. */
  async #answerQuery(query: Query, asked: Asked): Promise<SqlAnswer> {
    const running = this.#begin(asked);
    try {
      const answer = await this.#withCurrentSchema(() => this.#query(query, asked, running.signal));
      if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, running.end, running.because) };
      running.end();
      return answer;
    } catch (error) {
      running.end();
      throw running.because() ?? error;
    }
  }

  /** EXPLAIN is a query of its own to those who list and end what runs. */
  async #explain(written: Query, how: Explain, asked: Asked): Promise<SqlAnswer> {
    const { request } = asked;
    const running = this.#begin(asked);
    try {
      const listing = await this.#withCurrentSchema(async () => {
        await this.#seen(written, request.database);
        const readable = await this.#readable(written, asked);
        const explained = { written, text: request.statement.toString('utf8'), ...readable };
        return explain(explained, how, this.#context.engine, running.signal);
      });
      return listed(listing, request);
    } catch (error) {
      throw running.because() ?? error;
    } finally {
      running.end();
    }
  }

  #systemFacts(access: Access): SystemFacts {
    const { catalogue, subTables, engine, endpoint, variables } = this.#context;
    const [running, statements] = [this.#statements.list(access), this.#statements.count];
    const [started, nowMs] = [this.#started, Date.now()];
    return { catalogue, access, subTables, engine, endpoint, variables, running, statements, started, nowMs };
  }

  async #query(query: Query, asked: Asked, signal: AbortSignal): Promise<SqlAnswer> {
    const { engine } = this.#context;
    const plan = await this.#plan(query, asked);
    const format = asked.request.keyed ? objectRowFormat : arrayRowFormat;
    const text = `${plan.sql} SETTINGS ${plan.settings} FORMAT ${format}`;
    // Until the engine begins its answer the statement can be planned anew.
    const { hasFewRows, isLight } = plan;
    const lines = await engine.result(text, { signal, hasFewRows, isLight, owner: asked.user, waited: asked.waited });
    return { kind: 'rows', meta: plan.meta, lines };
  }

  async #plan(written: Query, asked: Asked): Promise<QueryPlan> {
    const { catalogue, storage } = this.#context;
    const { request, user } = asked;
    await this.#seen(written, request.database);
    const origin = { user, request, position: catalogue.position };
    const known: KnownTables = {
      isReadable: (table) => storage.isWhole(table),
      isLarge: (table) => storage.sizes.isLarge(table.storage),
      uniqueRows: (table) => storage.uniqueRows(table),
    };
    const kept = this.#plans.find(written, origin, known);
    if (kept !== undefined) return kept;
    const { query, context, tables } = await this.#readable(written, asked);
    const plan = planQuery(query, context);
    if (!plan.isTimeless || catalogue.position !== origin.position) return plan;
    const { database: current = '' } = request;
    const found = tables.map(({ database = current, name }) => context.resolveTable(database, name)?.table);
    if (found.every((table) => table !== undefined)) this.#plans.keep(written, origin, plan, found, known);
    return plan;
  }

  /** Rows that were answered before are to be found: those of the tables that a query names. */
  #seen(query: Query, current: string | undefined): Promise<void> | undefined {
    const { writes, catalogue } = this.#context;
    const tables = collectTables(query).map(({ database = current ?? '', name }) => ({ database, table: name }));
    // A name that is no table may be a sub-table, a view or a list of such.
    const areKnown = tables.every(({ database, table }) => catalogue.table(database, table) !== undefined);
    return writes.visible(areKnown ? tables : 'all');
  }

  /** A query without views, and what its names mean to a user who may read all of them. */
  async #readable(written: Query, { request, user }: Asked) {
    const access = new Access(this.#context.catalogue, user);
    const query = await withoutViews(written, request.database, access, this.#context);
    if (namesSystemTable(query, request.database)) await this.#context.catalogue.sync();
    const systemTable = await systemRelations(query, request.database, this.#systemFacts(access));
    const tables = collectTables(query);
    return { query, tables, context: await queryContext(tables, systemTable, request, access, 'READ', this.#context) };
  }

  /** What the name of a table to be changed means to a user who may write to it. */
  #writable({ database, name }: ObjectName, { request, user }: Asked): Promise<QueryContext> {
    const named = { database: database?.text, name: name.text };
    const access = new Access(this.#context.catalogue, user);
    return queryContext([named], () => undefined, request, access, 'WRITE', this.#context);
  }

  /** A view is made of a query that can be run, also once the view exists. */
  async #createView(statement: CreateView, asked: Asked): Promise<SqlAnswer> {
    const { request } = asked;
    const { catalogue } = this.#context;
    const { query, view } = statement;
    await this.#withCurrentSchema(() => this.#plan(query, asked));
    const own = { database: view.database?.text ?? request.database, name: view.name.text };
    expandViews(query, request.database, (database, name) => {
      if (database === own.database && name === own.name) throw notSupported(`view ${name} that stands on itself`);
      return catalogue.view(database, name);
    });
    await runDefinition(statement, this.#definitions(asked));
    return { kind: 'affected', rows: 0 };
  }

  async #delete({ table, where }: Delete, asked: Asked): Promise<number> {
    const { engine, storage, writes } = this.#context;
    await writes.visible('all');
    const plan = planDelete(table, where, await this.#writable(table, asked));
    return deleteRows(plan, engine, storage);
  }

  async #insertSelect(statement: InsertSelect, asked: Asked): Promise<SqlAnswer> {
    const { request, user } = asked;
    const { catalogue, writes } = this.#context;
    const { table } = statement;
    const running = this.#begin(asked);
    try {
      const plan = await this.#withCurrentSchema(async () => {
        await writes.visible('all');
        const target = await this.#writable(table, asked);
        const { query, context: source } = await this.#readable(statement.query, asked);
        const into = table.database?.text ?? request.database;
        const resolveTable: QueryContext['resolveTable'] = (database, name) =>
          (database === into && name === table.name.text ? target : source).resolveTable(database, name);
        const context = { ...source, resolveTable };
        return planInsertSelect({ ...statement, query }, context, (name) => storableTimes(catalogue.database(name)!));
      });
      const write = (blocks: readonly ColumnBlock[], bytes: number) => writes.insert({ blocks, user, bytes });
      const access = new Access(catalogue, user);
      const rows = await insertSelected(plan, { ...this.#context, access, write, signal: running.signal });
      return { kind: 'affected', rows };
    } catch (error) {
      throw running.because() ?? error;
    } finally {
      running.end();
    }
  }
}

function listed({ meta, rows }: Listing, request: SqlRequest): SqlAnswer {
  return { kind: 'rows', meta, lines: [encodeLines(meta, rows, request.keyed)] };
}

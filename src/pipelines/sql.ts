import { of } from 'ix/asynciterable';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { isOvertaken } from '../database/catalogue/overtaken.js';
import type { Storage } from '../database/catalogue/storage.js';
import type { SubTables } from '../database/catalogue/sub-tables.js';
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
import { systemRelations } from '../database/system-tables/registry.js';
import type { SystemFacts, Variable } from '../database/system-tables/system-table.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Exchange, SqlAnswer, SqlRequest } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import type { SlowStatementList } from '../model/slow-statement.js';
import type { ObjectName, Query } from '../sql/ast.js';
import type { Explain, Show, Statement } from '../sql/ast-statement.js';
import type { InsertContext } from '../sql/insert/context.js';
import { scanInsert } from '../sql/insert-scanner.js';
import { parseStatement } from '../sql/parser/statement.js';
import { planDelete } from '../sql/plan/delete.js';
import { type InsertSelect, planInsertSelect } from '../sql/plan/insert-select.js';
import { planQuery, type QueryPlan } from '../sql/plan/query.js';
import { arrayRowFormat, objectRowFormat } from '../sql/plan/settings.js';
import { collectTables, type QueryContext } from '../sql/resolve/context.js';
import { expandViews } from '../sql/resolve/views.js';
import { encodeLines } from '../transforms/encode/listing-lines.js';
import { withCurrentSchema } from './current-schema.js';
import { explain } from './explain.js';
import { insertSelected } from './insert-select.js';
import { StatementNames } from './names.js';
import { nowNanos, queryContext, withoutViews } from './query-names.js';
import { type Hold, RequestReply, type RequestReplyContext } from './request-reply.js';
import { ended, resumed } from './row-pieces.js';
import { RunningStatements } from './running-statements.js';
import { SlowStatements } from './slow-statements.js';
import type { StreamContext } from './streams/context.js';
import { createStream } from './streams/definition.js';
import { runTopicStatement } from './topics.js';
import { storableTimes, type WritePipeline } from './writes.js';

/** What the SQL pipeline is made of. */
export interface SqlContext extends RequestReplyContext, Pick<StreamContext, 'changes' | 'states'> {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
  readonly writes: WritePipeline;
  /** Zone of times without one, where the request names none. */
  readonly connectionZone: string;
  /** What SERVER_VERSION() says. */
  readonly version: string;
  /** Longest statement other than an INSERT of rows, in bytes. */
  readonly queryBytes: number;
  /** How long a query may take until its last row has left; 0 is no limit. */
  readonly queryTimeMs: number;
  /** How long a statement takes at least that is kept in the list of slow ones; 0 keeps none. */
  readonly slowStatementMs: number;
  /** Name and port under which lists show the node. */
  readonly endpoint: string;
  /** What SHOW VARIABLES lists. */
  readonly variables: readonly Variable[];
}

type CreateView = Extract<Statement, { kind: 'create-view' }>;
type Delete = Extract<Statement, { kind: 'delete' }>;

const tooDeep = fault('syntax', Codes.syntaxError, 'The statement is nested too deeply');

/** What a statement is refused with, before anything is written, when it and the table's columns do not fit. */
const schemaCodes: ReadonlySet<number> = new Set([
  Codes.invalidColumnName,
  Codes.illegalColumnCount,
  Codes.tagsNotMatched,
  Codes.invalidTagName,
  Codes.valueTooLong,
]);

/** The head of an INSERT of rows. Rows are read by a scanner of their own, so their text need not be decoded to be parsed. */
const insertHeadBytes = 4096;
const insertOfRows =
  /^\s*insert\s+into\s+(?:(?:\w+|`[^`]+`)\s*\.\s*)?(?:\w+|`[^`]+`)\s*(?:\([^()]*\)\s*)?(?:using|values)\b/i;

/** A query holds its slot until its last row has left or nobody wants it any more. */
const holdRows: Hold<SqlAnswer> = (answer, release) => {
  if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, release) };
  release();
  return answer;
};

/** Request-reply over SQL: parse, plan, execute, answer. */
export class SqlPipeline extends RequestReply<SqlRequest, SqlAnswer> {
  readonly #context: SqlContext;
  readonly #statements = new RunningStatements();
  readonly #slow: SlowStatements;
  readonly #started = Date.now();

  constructor(context: SqlContext) {
    super('sql', context, (exchange, user) => this.#runShallow(exchange, user), holdRows);
    this.#context = context;
    this.#slow = new SlowStatements(context.slowStatementMs);
  }

  /** The statements that count as slow, for administrators. */
  slowStatements(user: string): SlowStatementList | Fault {
    const access = new Access(this.#context.catalogue, user);
    return access.isAdministrator ? this.#slow.list() : insufficientPrivilege().fault;
  }

  async #runShallow({ request, aborted }: Exchange<SqlRequest, SqlAnswer>, user: string): Promise<SqlAnswer> {
    const isOver = this.#slow.begin(user, request);
    try {
      const answer = await this.#run(request, user, aborted);
      if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, isOver) };
      isOver();
      return answer;
    } catch (error) {
      isOver(error);
      throw isTooDeep(error) ? new FaultError(tooDeep) : error;
    }
  }

  async #run(request: SqlRequest, user: string, aborted: AbortSignal): Promise<SqlAnswer> {
    const statement = this.#parse(request.statement);
    switch (statement.kind) {
      case 'query':
        if (statement.explain !== undefined) {
          return this.#explain(statement.query, statement.explain, request, user, aborted);
        }
        return this.#answerQuery(statement.query, request, user, aborted);
      case 'insert': {
        // One NOW for all attempts, so that none stores rows beside those of the one before.
        const nowNs = nowNanos();
        const running = this.#statements.begin(user, request.statement);
        return this.#withCurrentSchema(() => this.#insert(request, user, nowNs)).finally(() => running.end());
      }
      case 'create-token':
        return listed(await createToken(statement, this.#definitions(request, user)), request);
      case 'show':
        checkStatementRights(statement, new Access(this.#context.catalogue, user), request.database);
        return this.#show(statement.show, request, user, aborted);
      case 'kill-query': {
        const killed = killedStatement(statement.id);
        if (killed !== undefined) this.#statements.kill(killed, new Access(this.#context.catalogue, user));
        return { kind: 'affected', rows: 0 };
      }
      case 'describe':
        checkStatementRights(statement, new Access(this.#context.catalogue, user), request.database);
        return listed(await describe(statement.table, this.#definitions(request, user)), request);
      case 'delete': {
        const running = this.#statements.begin(user, request.statement);
        return this.#withCurrentSchema(() => this.#delete(statement, request, user)).finally(() => running.end());
      }
      case 'insert-select':
        return this.#insertSelect(statement, request, user, aborted);
      case 'create-view':
        return this.#createView(statement, request, user);
      case 'create-topic':
      case 'drop-topic':
      case 'drop-consumer-group': {
        const definitions = this.#definitions(request, user);
        await this.#withCurrentSchema(() => runTopicStatement(statement, request, definitions, this.#context));
        return { kind: 'affected', rows: 0 };
      }
      case 'create-stream':
        await createStream(statement, this.#definitions(request, user), this.#context);
        return { kind: 'affected', rows: 0 };
      case 'unsupported':
        throw notSupported(statement.words);
      default:
        await runDefinition(statement, this.#definitions(request, user));
        return { kind: 'affected', rows: 0 };
    }
  }

  /** Rows of an INSERT may be many; everything else is read with care, and not when it is longer than its limit. */
  #parse(text: Buffer): Statement {
    if (text.length > insertHeadBytes && insertOfRows.test(text.toString('latin1', 0, insertHeadBytes))) {
      return { kind: 'insert', offset: 0 };
    }
    const isTooLong = text.length > this.#context.queryBytes;
    if (isTooLong && !/^\s*(?:insert|import)\s/i.test(text.toString('latin1', 0, 64))) throw tooLong();
    const statement = parseStatement(text.toString('utf8'));
    if (isTooLong && statement.kind !== 'insert') throw tooLong();
    return statement;
  }

  #withCurrentSchema<T>(run: () => Promise<T>): Promise<T> {
    return withCurrentSchema(this.#context, run, isOutOfDate);
  }

  #definitions(request: SqlRequest, user: string): DefinitionContext {
    const { catalogue, storage, subTables } = this.#context;
    const statement = request.statement.toString('utf8');
    const { database } = request;
    const timeZone = request.connectionZone ?? this.#context.connectionZone;
    return { catalogue, storage, subTables, user, database, timeZone, statement, nowNs: nowNanos() };
  }

  async #show(show: Show, request: SqlRequest, user: string, aborted: AbortSignal): Promise<SqlAnswer> {
    const definitions = this.#definitions(request, user);
    const text = await showQuery(show, definitions);
    if (text === undefined) return listed(await runShow(show, definitions, this.#context.engine), request);
    const statement = parseStatement(text);
    if (statement.kind !== 'query') throw new Error(`SHOW ${show.what} is not a query.`);
    return this.#answerQuery(statement.query, request, user, aborted);
  }

  /** Runs a query that lists show until its last row is read, or until something breaks it off. */
  async #answerQuery(query: Query, request: SqlRequest, user: string, aborted: AbortSignal): Promise<SqlAnswer> {
    const running = this.#statements.begin(user, request.statement, { aborted, limitMs: this.#context.queryTimeMs });
    try {
      const answer = await this.#withCurrentSchema(() => this.#query(query, request, user, running.signal));
      if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, running.end, running.because) };
      running.end();
      return answer;
    } catch (error) {
      running.end();
      throw running.because() ?? error;
    }
  }

  /** EXPLAIN is a query of its own to those who list and end what runs. */
  async #explain(
    written: Query,
    how: Explain,
    request: SqlRequest,
    user: string,
    aborted: AbortSignal,
  ): Promise<SqlAnswer> {
    const running = this.#statements.begin(user, request.statement, { aborted, limitMs: this.#context.queryTimeMs });
    try {
      const listing = await this.#withCurrentSchema(async () => {
        const readable = await this.#readable(written, request, user);
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

  async #query(query: Query, request: SqlRequest, user: string, signal: AbortSignal): Promise<SqlAnswer> {
    const { engine } = this.#context;
    const plan = await this.#plan(query, request, user);
    const format = request.keyed ? objectRowFormat : arrayRowFormat;
    const text = `${plan.sql} SETTINGS ${plan.settings} FORMAT ${format}`;
    const lines = engine.stream(text, { signal })[Symbol.asyncIterator]();
    // The first piece is awaited here, because only until then the statement can be planned anew.
    return { kind: 'rows', meta: plan.meta, lines: resumed(await lines.next(), lines) };
  }

  async #plan(written: Query, request: SqlRequest, user: string): Promise<QueryPlan> {
    const { query, context } = await this.#readable(written, request, user);
    return planQuery(query, context);
  }

  /** A query without views, and what its names mean to a user who may read all of them. */
  async #readable(written: Query, request: SqlRequest, user: string) {
    const access = new Access(this.#context.catalogue, user);
    const query = await withoutViews(written, request.database, access, this.#context);
    const systemTable = await systemRelations(query, request.database, this.#systemFacts(access));
    const tables = collectTables(query);
    return { query, context: await queryContext(tables, systemTable, request, access, 'READ', this.#context) };
  }

  /** What the name of a table to be changed means to a user who may write to it. */
  #writable({ database, name }: ObjectName, request: SqlRequest, user: string): Promise<QueryContext> {
    const named = { database: database?.text, name: name.text };
    const access = new Access(this.#context.catalogue, user);
    return queryContext([named], () => undefined, request, access, 'WRITE', this.#context);
  }

  /** A view is made of a query that can be run, also once the view exists. */
  async #createView(statement: CreateView, request: SqlRequest, user: string): Promise<SqlAnswer> {
    const { catalogue } = this.#context;
    const { query, view } = statement;
    await this.#withCurrentSchema(() => this.#plan(query, request, user));
    const own = { database: view.database?.text ?? request.database, name: view.name.text };
    expandViews(query, request.database, (database, name) => {
      if (database === own.database && name === own.name) throw notSupported(`view ${name} that stands on itself`);
      return catalogue.view(database, name);
    });
    await runDefinition(statement, this.#definitions(request, user));
    return { kind: 'affected', rows: 0 };
  }

  async #delete({ table, where }: Delete, request: SqlRequest, user: string): Promise<SqlAnswer> {
    const { engine, storage } = this.#context;
    const plan = planDelete(table, where, await this.#writable(table, request, user));
    return { kind: 'affected', rows: await deleteRows(plan, engine, storage) };
  }

  async #insertSelect(
    statement: InsertSelect,
    request: SqlRequest,
    user: string,
    aborted: AbortSignal,
  ): Promise<SqlAnswer> {
    const { catalogue, writes } = this.#context;
    const { table } = statement;
    const running = this.#statements.begin(user, request.statement, { aborted, limitMs: this.#context.queryTimeMs });
    try {
      const plan = await this.#withCurrentSchema(async () => {
        const target = await this.#writable(table, request, user);
        const { query, context: source } = await this.#readable(statement.query, request, user);
        const into = table.database?.text ?? request.database;
        const resolveTable: QueryContext['resolveTable'] = (database, name) =>
          (database === into && name === table.name.text ? target : source).resolveTable(database, name);
        const context = { ...source, resolveTable };
        return planInsertSelect({ ...statement, query }, context, (name) => storableTimes(catalogue.database(name)!));
      });
      const write = (blocks: readonly ColumnBlock[], bytes: number) => writes.insert(blocks, user, bytes);
      const access = new Access(catalogue, user);
      const rows = await insertSelected(plan, { ...this.#context, access, write, signal: running.signal });
      return { kind: 'affected', rows };
    } catch (error) {
      throw running.because() ?? error;
    } finally {
      running.end();
    }
  }

  async #insert(request: SqlRequest, user: string, nowNs: bigint): Promise<SqlAnswer> {
    const { catalogue, subTables, connectionZone, writes } = this.#context;
    const access = new Access(catalogue, user);
    const names = new StatementNames(catalogue, subTables, access, 'WRITE');
    const context: InsertContext = {
      currentDatabase: request.database,
      zone: request.connectionZone ?? connectionZone,
      nowNs,
      database: (name) => {
        access.requireSight(name);
        return catalogue.database(name);
      },
      resolve: (database, name) => names.resolve(database, name),
      timeRange: storableTimes,
      makeSubTable: (database, superTable, name, tags, ttl) =>
        subTables.make(database, superTable.name, name, tags, ttl),
    };
    let plan = scanInsert(request.statement, context);
    while (plan.kind === 'lookup') {
      // Every name is known or absent after its look-up, so this ends as soon as nothing is dropped meanwhile.
      await names.lookUp(plan.names);
      plan = scanInsert(request.statement, context);
    }
    const delivery = await writes.insert(plan.blocks, user, request.statement.length);
    if (delivery.outcome === 'delivered') return { kind: 'affected', rows: plan.rows };
    if (delivery.outcome !== 'shed') throw new FaultError(delivery.fault);
    throw new FaultError(fault('resource', Codes.free, 'The service is shutting down'));
  }
}

function tooLong(): FaultError {
  return new FaultError(fault('syntax', Codes.statementTooLong, 'SQL statement too long'));
}

/** A tree of a statement may be deeper than the stack although each of its parts is within its limits. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

function isOutOfDate(found: Fault): boolean {
  return schemaCodes.has(found.code) || isOvertaken(found);
}

function listed({ meta, rows }: Listing, request: SqlRequest): SqlAnswer {
  return { kind: 'rows', meta, lines: of(encodeLines(meta, rows, request.keyed)) };
}

function notSupported(what: string): FaultError {
  return new FaultError(fault('database', Codes.notSupported, `Operation not supported: ${what}`));
}

import { detached } from '../../async/detached.js';
import {
  type BoundRows,
  type ClientConnection,
  type Credentials,
  isWhole,
  type SqlAnswer,
  type SqlRequest,
} from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { notSupported, refusals } from '../../model/refusals.js';
import { version } from '../../model/version.js';
import { serverTimeZone } from '../../text/time-zones.js';
import { sendRequest } from '../answer/send-request.js';
import { isFault } from '../request/auth.js';
import type { HandlerContext } from '../request/call.js';
import { parameterFault, readTimeZone } from '../request/parameters.js';
import { isQuery, trimmed } from '../request/statement-text.js';
import { type Arguments, isObject } from './arguments.js';
import type { SocketAnswer, SocketLink, SocketRequest, SocketSession } from './protocol.js';
import { readCredentials } from './read-credentials.js';
import { describedColumns, type OpenedResult, OpenResults } from './results.js';
import { OpenStatements } from './statements.js';

/** The mode of a connection of programs for business intelligence. */
const biMode = 0;
/** Options of `options_connection`. */
const options = { charset: 0, timeZone: 1, address: 2, application: 3, connector: 4 } as const;

/** Longest name of an application or a connector that lists show, in characters. */
const maxNameLength = 256;

/** Times of columns are ticks, so the zone of printed times does not matter. */
const plainRequest = {
  database: undefined,
  timeZone: 'UTC',
  connectionZone: undefined,
  form: 'columns',
  rowLimit: -1,
} as const;
/** Members of the answer to a statement without rows. */
const noColumns = {
  fields_count: 0,
  fields_names: null,
  fields_types: null,
  fields_lengths: null,
  precision: 0,
  fields_precisions: null,
  fields_scales: null,
} as const;

const noSql = fault('parameter', Codes.noSql, 'no sql input');
const memoryShort = fault('resource', Codes.free, 'memory is short, please try again later');
const duplicate = parameterFault('duplicate connections');

/** A client of SQL, binding and schemaless writes: its user, and the state that its requests depend on. */
export class SqlSession implements SocketSession {
  credentials: Credentials | undefined;
  /** The current database. */
  database: string | undefined;
  /** IANA zone of times that statements write without one; undefined is the service's. */
  timeZone: string | undefined;
  application = '';
  connector = '';
  isBi = false;
  readonly link: SocketLink;
  readonly context: HandlerContext;
  readonly results: OpenResults;
  readonly statements = new OpenStatements(this);
  /** Statements that run, and those whose results are open. */
  readonly #running = new Set<AbortController>();
  #unlist: (() => void) | undefined;
  #lastUsed = Date.now();
  #isConnecting = false;

  constructor(link: SocketLink, context: HandlerContext) {
    this.link = link;
    this.context = context;
    this.results = new OpenResults(context.settings.resultIdleMs);
  }

  /** Logs in. Throws FaultErrors; the client may try again then. */
  async connect(args: Arguments, request: SocketRequest): Promise<SocketAnswer> {
    if (this.credentials !== undefined || this.#isConnecting) throw new FaultError(duplicate);
    this.#isConnecting = true;
    try {
      const credentials = readCredentials(args, this.link);
      const identity = await this.context.intake.authenticate(credentials);
      if (isFault(identity)) throw new FaultError(identity);
      this.#readMode(args);
      const database = args.text('db', '');
      if (database !== '') await this.#requireDatabase(credentials, database, request);
      this.#set(options.timeZone, args.text('tz', ''));
      this.#set(options.application, args.text('app', ''));
      this.#set(options.connector, args.text('connector', ''));
      this.database = database === '' ? undefined : database;
      this.credentials = credentials;
      this.#unlist = this.#list(identity.user);
    } finally {
      this.#isConnecting = false;
    }
    return { version };
  }

  /** Sets options of the connection: all of them, or none where one is refused. */
  setOptions(args: Arguments): SocketAnswer {
    const read = args.list('options').map((each) => {
      const { option, value } = isObject(each) ? each : {};
      if (typeof option !== 'number') throw new FaultError(parameterFault('args.options must be a list of options'));
      if (typeof value !== 'string' && value !== undefined && value !== null) {
        throw new FaultError(parameterFault(`the value of option ${option} must be a text or null`));
      }
      return { option, value: value ?? '' };
    });
    for (const { option, value } of read) this.#check(option, value);
    for (const { option, value } of read) this.#set(option, value);
    return {};
  }

  /** Runs a statement. Throws FaultErrors. */
  async query(text: string | Buffer, request: SocketRequest): Promise<SocketAnswer> {
    this.results.requireRoom();
    const { answer, abort } = await this.run(Buffer.from(text), request);
    if (answer.kind === 'affected') {
      if (answer.current !== undefined) this.database = answer.current;
      return { ...noColumns, id: 0, is_update: true, affected_rows: answer.rows };
    }
    return { is_update: false, affected_rows: 0, ...(await this.openResult(answer, abort)) };
  }

  /** Opens a result. Throws a FaultError when too many are open, or there is no room for it. */
  async openResult(rows: Extract<SqlAnswer, { kind: 'rows' }>, abort: () => void): Promise<OpenedResult> {
    this.results.requireRoom();
    const { id, meta, precision } = this.results.open({ rows, abort, release: await this.#hold(rows, abort) });
    return { id, result_id: id, ...describedColumns(meta, precision) };
  }

  /** Runs a statement and gives its answer; `abort` cancels what of its result was not read. */
  async run(
    text: Buffer,
    request: SocketRequest,
    bound?: BoundRows,
  ): Promise<{ readonly answer: SqlAnswer; readonly abort: () => void }> {
    const { context, credentials, database, timeZone } = this;
    const { settings, intake } = context;
    const statement = trimmed(text, settings.queryBytes);
    if (credentials === undefined || statement.length === 0) throw new FaultError(noSql);
    if (statement.length > settings.sqlBytes) throw new FaultError(refusals.statementTooLong);
    const state = intake.guard();
    if (state === 'all-paused' || (state === 'query-paused' && isQuery(statement))) {
      context.observer?.refused(state);
      throw new FaultError(memoryShort);
    }
    this.#record(statement, request);
    this.#lastUsed = Date.now();
    const controller = new AbortController();
    const abort = (): void => {
      this.#running.delete(controller);
      controller.abort();
    };
    this.#running.add(controller);
    const sql: SqlRequest = { ...plainRequest, statement, database, credentials, connectionZone: timeZone, bound };
    const outcome = await sendRequest<SqlRequest, SqlAnswer>(
      (exchange) => intake.sql(exchange),
      request.id,
      sql,
      controller.signal,
    );
    if (outcome.kind === 'refused' || outcome.answer.kind === 'affected') this.#running.delete(controller);
    if (outcome.kind === 'refused') throw new FaultError(outcome.fault);
    return { answer: outcome.answer, abort };
  }

  #list(user: string): () => void {
    const connection: ClientConnection = {
      user,
      address: this.link.from,
      began: Date.now(),
      application: () => this.application,
      connector: () => this.connector,
      lastUsed: () => this.#lastUsed,
      kill: () => {
        for (const controller of this.#running) controller.abort();
        this.link.end('the connection was killed');
      },
    };
    return this.context.intake.listConnection(connection);
  }

  #record(statement: Buffer, { id }: SocketRequest): void {
    const { uri, from } = this.link;
    this.context.recordSql?.({
      requestId: id,
      uri,
      method: 'WebSocket',
      client: from,
      statement: statement.toString(),
    });
  }

  /** Takes room for a result that is all there; gives what gives it back. */
  async #hold(answer: Extract<SqlAnswer, { kind: 'rows' }>, abort: () => void): Promise<() => void> {
    if (!isWhole(answer.lines)) return () => undefined;
    const bytes = answer.lines.reduce((sum, piece) => sum + piece.length, 0);
    try {
      const lease = await this.context.bodies.lease(this.user, bytes, this.link.closed);
      lease.ended();
      return () => lease.release();
    } catch (error) {
      abort();
      throw error;
    }
  }

  /** What `SERVER_VERSION()` gives. */
  serverInfo(): SocketAnswer {
    return { info: version };
  }

  currentDatabase(): SocketAnswer {
    return { db: this.database ?? '' };
  }

  connectionInfo(): SocketAnswer {
    return { user: this.user, db: this.database ?? '', tz: this.timeZone ?? serverTimeZone(), app: this.application };
  }

  tick(nowMs: number): void {
    detached(this.results.endIdle(nowMs));
  }

  close(): void {
    this.#unlist?.();
    for (const controller of this.#running) controller.abort();
    this.statements.closeAll();
    detached(this.results.freeAll());
  }

  /** Name of the user; empty for a token. */
  get user(): string {
    return this.credentials?.scheme === 'password' ? this.credentials.user : '';
  }

  #readMode(args: Arguments): void {
    const mode = args.value('mode');
    if (mode !== undefined && mode !== biMode) throw new FaultError(parameterFault(`unexpected mode: ${String(mode)}`));
    this.isBi = mode === biMode;
  }

  /** Names are as USE has them. */
  async #requireDatabase(credentials: Credentials, database: string, { id }: SocketRequest): Promise<void> {
    const statement = Buffer.from(`USE \`${database.replaceAll('`', '``')}\``);
    const sql: SqlRequest = { ...plainRequest, statement, credentials };
    const { intake } = this.context;
    const outcome = await sendRequest<SqlRequest, SqlAnswer>(
      (exchange) => intake.sql(exchange),
      id,
      sql,
      this.link.closed,
    );
    if (outcome.kind === 'refused') throw new FaultError(outcome.fault);
  }

  #check(option: number, value: string): void {
    const failure = optionFault(option, value);
    if (failure !== undefined) throw new FaultError(failure);
  }

  #set(option: number, value: string): void {
    this.#check(option, value);
    if (option === options.timeZone) this.timeZone = value === '' ? undefined : String(readTimeZone(value));
    else if (option === options.application) this.application = value;
    else if (option === options.connector) this.connector = value;
  }
}

/** Why an option cannot have a value. The address of a client is the one it calls from, whatever it says. */
function optionFault(option: number, value: string): Fault | undefined {
  switch (option) {
    case options.timeZone: {
      const zone = readTimeZone(value);
      return typeof zone === 'string' ? undefined : zone;
    }
    case options.charset:
      return ['', 'utf-8', 'utf8'].includes(value.toLowerCase()) ? undefined : notSupported(`charset ${value}`);
    case options.application:
    case options.connector:
      return value.length <= maxNameLength ? undefined : parameterFault(`option ${option} is too long`);
    case options.address:
      return undefined;
    default:
      return parameterFault(`unknown option ${option}`);
  }
}

import { detached } from '../../async/detached.js';
import { type BindField, type BoundTable, typeNumber } from '../../model/bound-rows.js';
import type { BoundRows, Credentials, PreparedStatement, PrepareRequest, SqlAnswer } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { writeBoundTables } from '../../transforms/bound/bound-form.js';
import { headerWidth } from '../../transforms/encode/raw-block.js';
import { sendRequest } from '../answer/send-request.js';
import type { HandlerContext } from '../request/call.js';
import { parameterFault } from '../request/parameters.js';
import type { SocketAnswer, SocketLink, SocketRequest } from './protocol.js';
import { type OpenedResult, type OpenResults, precisionNumber } from './results.js';

/** Statements of one connection that are open at once. */
const maxOpen = 1_000;

const tooMany = fault('resource', Codes.free, `a connection has at most ${maxOpen} open statements: close them`);
const noStatement = parameterFault('stmt is nil');
const notPrepared = parameterFault('the statement is not prepared');

type Rows = Extract<SqlAnswer, { kind: 'rows' }>;

/** What a statement needs of its session. */
interface StatementSession {
  readonly context: HandlerContext;
  readonly credentials: Credentials | undefined;
  readonly link: SocketLink;
  database: string | undefined;
  run(
    text: Buffer,
    request: SocketRequest,
    bound?: BoundRows,
  ): Promise<{ readonly answer: SqlAnswer; readonly abort: () => void }>;
  readonly results: Pick<OpenResults, 'free'>;
  openResult(rows: Rows, abort: () => void): Promise<OpenedResult>;
}

/** A prepared statement with what is bound to it. Its actions run one after the other, in the order in which they came. */
export class OpenStatement {
  readonly id: bigint;
  text: Buffer | undefined;
  prepared: PreparedStatement | undefined;
  /** Rows that are bound and not executed yet. */
  readonly pending: BoundTable[] = [];
  /** Of the older form: the table that is bound now. */
  current: { name: string | undefined; tags: BoundTable['tags']; columns: BoundTable['columns'] } = emptyTable();
  /** The result of a query that was executed. */
  result: OpenedResult | undefined;
  pendingBytes = 0;
  /** Give back the room of the messages whose bytes are held: of the text, and of what is bound. */
  #releaseText: (() => void) | undefined;
  readonly #releases: (() => void)[] = [];
  #isClosed = false;
  /** What is pending in the form of `transforms/bound`, where it came in one message of it. */
  #form: Uint8Array | undefined;
  readonly #session: StatementSession;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(id: bigint, session: StatementSession) {
    this.id = id;
    this.#session = session;
  }

  /** Runs work once what came before it is done. */
  inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }

  /** Prepares a statement; what was bound to the one before is dropped. */
  async prepare(text: Buffer, request: SocketRequest): Promise<PreparedStatement> {
    this.clear();
    this.prepared = undefined;
    this.#dropText();
    this.#releaseText = await this.#keep(request);
    this.text = text;
    this.prepared = await this.#describe(text, undefined, request);
    return this.prepared;
  }

  /** What the parameters of an INSERT stand for, with the name of the table that is bound now. */
  async fields(request: SocketRequest): Promise<readonly BindField[]> {
    const { text, prepared } = this;
    if (text === undefined || prepared === undefined) throw new FaultError(notPrepared);
    const known = prepared.fields ?? (await this.#describe(text, this.current.name, request)).fields;
    if (known === undefined) throw new FaultError(parameterFault('the table is not known before its name is bound'));
    return known;
  }

  /** Keeps the room of a message whose values are held until they are executed. Rejects when there is none. */
  async hold(request: SocketRequest): Promise<void> {
    if (this.prepared === undefined) throw new FaultError(notPrepared);
    this.#releases.push(await this.#keep(request));
  }

  /**
   * Adds bound tables, of which `bytes` are held until they are executed; `form` is their form as the client sent it.
   * Rejects with a FaultError when they are too many.
   */
  async bind(request: SocketRequest, tables: readonly BoundTable[], bytes: number, form?: Uint8Array): Promise<void> {
    if (this.prepared === undefined) throw new FaultError(notPrepared);
    const { sqlBytes } = this.#session.context.settings;
    if (this.pendingBytes + bytes > sqlBytes) {
      throw new FaultError(
        parameterFault(`more than ${sqlBytes} bytes are bound (limits.sqlBytes): execute them first`),
      );
    }
    await this.hold(request);
    this.#form = this.pending.length === 0 ? form : undefined;
    this.pendingBytes += bytes;
    for (const table of tables) this.pending.push(table);
  }

  /** Executes what is bound. Gives the number of rows that were written, 0 for a query. */
  async execute(request: SocketRequest): Promise<number> {
    const { text, prepared, pending } = this;
    const form = this.#form;
    if (text === undefined || prepared === undefined) throw new FaultError(notPrepared);
    const tables = pending.splice(0);
    const releases = this.#releases.splice(0);
    this.clear();
    try {
      if (prepared.parameters > 0 && tables.length === 0) throw new FaultError(parameterFault('no data is bound'));
      const bound: BoundRows | undefined =
        prepared.parameters === 0 ? undefined : { tables, bytes: form ?? writeBoundTables(tables) };
      return await this.#run(text, bound, request);
    } finally {
      for (const release of releases) release();
    }
  }

  async #run(text: Buffer, bound: BoundRows | undefined, request: SocketRequest): Promise<number> {
    const { answer, abort } = await this.#session.run(text, request, bound);
    if (answer.kind === 'affected') {
      if (answer.current !== undefined) this.#session.database = answer.current;
      return answer.rows;
    }
    this.result = await this.#session.openResult(answer, abort);
    return 0;
  }

  /** The result of the query that was executed last, which is not the statement's any more. */
  useResult(): SocketAnswer {
    const { result } = this;
    if (result === undefined) throw new FaultError(parameterFault('the statement has no result'));
    this.result = undefined;
    return result;
  }

  /** Drops what is bound, and a result that was not used. */
  clear(): void {
    for (const release of this.#releases.splice(0)) release();
    this.pending.length = 0;
    this.pendingBytes = 0;
    this.#form = undefined;
    this.current = emptyTable();
    if (this.result !== undefined) detached(this.#session.results.free(this.result.id));
    this.result = undefined;
  }

  /** Drops everything that it holds; what still runs holds nothing more. */
  close(): void {
    this.#isClosed = true;
    this.clear();
    this.#dropText();
  }

  async #keep(request: SocketRequest): Promise<() => void> {
    const release = await request.keep();
    if (!this.#isClosed) return release;
    release();
    throw new FaultError(noStatement);
  }

  #dropText(): void {
    this.text = undefined;
    this.#releaseText?.();
    this.#releaseText = undefined;
  }

  #describe(statement: Buffer, table: string | undefined, request: SocketRequest): Promise<PreparedStatement> {
    return describeStatement(this.#session, { statement, table }, request);
  }
}

/** What the parameters of a statement stand for, without opening it. Throws the FaultErrors of the statement. */
export async function describeStatement(
  { context, credentials, database, link }: StatementSession,
  { statement, table }: Pick<PrepareRequest, 'statement' | 'table'>,
  { id }: SocketRequest,
): Promise<PreparedStatement> {
  if (credentials === undefined) throw new FaultError(notPrepared);
  const prepare: PrepareRequest = { statement, database, credentials, table };
  const outcome = await sendRequest<PrepareRequest, PreparedStatement>(
    (exchange) => context.intake.prepare(exchange),
    id,
    prepare,
    link.closed,
  );
  if (outcome.kind === 'refused') throw new FaultError(outcome.fault);
  return outcome.answer;
}

function emptyTable(): OpenStatement['current'] {
  return { name: undefined, tags: [], columns: [] };
}

/** The open statements of a connection, by id. */
export class OpenStatements {
  readonly #statements = new Map<bigint, OpenStatement>();
  readonly #session: StatementSession;
  #count = 0n;

  constructor(session: StatementSession) {
    this.#session = session;
  }

  /** Throws a FaultError when too many are open. */
  open(): OpenStatement {
    if (this.#statements.size >= maxOpen) throw new FaultError(tooMany);
    this.#count++;
    const statement = new OpenStatement(this.#count, this.#session);
    this.#statements.set(statement.id, statement);
    return statement;
  }

  /** Throws a FaultError where there is none of this id. */
  get(id: bigint): OpenStatement {
    const statement = this.#statements.get(id);
    if (statement === undefined) throw new FaultError(noStatement);
    return statement;
  }

  /** Throws a FaultError where there is none of this id. */
  close(id: bigint): void {
    this.get(id).close();
    this.#statements.delete(id);
  }

  closeAll(): void {
    for (const statement of this.#statements.values()) statement.close();
    this.#statements.clear();
  }
}

const bindNumbers: Readonly<Record<BindField['bind'], number>> = { column: 1, tag: 2, table: 4 };

/** A field as clients of binding see it. */
export function shownField({ name, type, precision, bind }: BindField) {
  const isTime = type.name === 'TIMESTAMP';
  const isDecimal = type.name === 'DECIMAL';
  return {
    name,
    field_type: typeNumber(type),
    precision: isTime ? precisionNumber(precision) : isDecimal ? type.length : 0,
    scale: isDecimal ? (type.scale ?? 0) : 0,
    bytes: isDecimal ? (type.length <= 18 ? 8 : 16) : headerWidth(type),
    bind_type: bindNumbers[bind],
  };
}

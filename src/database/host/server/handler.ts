import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ChdbResult } from 'chdb';
import { hasRoomFor, makeRoomStatement } from '../../engine/definition-room.js';
import { oneFrameHeader, ownerHeader } from '../../engine/engine.js';
import { handoverHeader } from '../../engine/handover.js';
import { countEntries, logEntriesHeader } from '../../engine/log-table.js';
import { type Connection, noContext, type StatementContext } from '../connection/connection.js';
import type { ConnectionClass, Connections } from '../connection/connections.js';
import { EngineException, exceptionReply } from '../connection/exception.js';
import { openBody, readForm, readStart } from './body.js';
import type { DiskReserve } from './disk-reserve.js';
import type { FailedWrites } from './failed-writes.js';
import { contentTypeOf } from './format.js';
import { type LogCount, mayChangeLog } from './log-count.js';
import { Reply, type Summary, sendException } from './reply.js';
import { addParameter, checkCredentials, type QueryRequest, readRequest } from './request.js';
import type { ResultCache } from './result-cache.js';
import { readingFrom, readStatement, type Statement, takesData } from './statement.js';
import type { TemporaryFiles } from './temporary-files.js';
import { withConnection } from './with-connection.js';

/** Context of the handler. */
interface HandlerContext {
  readonly connections: Connections;
  /** Invalidated by statements that change something. */
  readonly results: ResultCache;
  /** Checked before the response to a change. */
  readonly failedWrites: FailedWrites;
  /** Released before statements that free space. */
  readonly diskReserve: DiskReserve;
  /** Records the tables of INSERT statements. */
  readonly idleTables: { inserted(statement: string): void };
  readonly temporaryFiles: TemporaryFiles;
  /** Number of entries of the catalogue's log. */
  readonly log: LogCount;
  readonly user: string;
  readonly password: string;
  /** Time zone of the engine, for the reply header. */
  readonly timeZone: string;
  readonly serverName: string;
  /** Free bytes on the disk of the definitions. */
  freeBytes(): Promise<number>;
  /** Called after a statement that may have made tables. */
  tablesMade(): void;
}

/** As much of a body as may come before the rows of an INSERT begin (the engine's own default of `max_query_size`). */
const maxInsertHeadBytes = 256 * 1024;
const maxStatementBytes = 64 * 1024 * 1024;
/** Format in which the rest of the program reads rows. */
const rowFormat = 'JSONCompactEachRow';
const okText = 'Ok.\n';
const makesTable = /^\s*(?:create|attach|restore)\b/i;

/** Answers one request of the HTTP interface; never rejects. */
export async function handle(context: HandlerContext, request: IncomingMessage, response: ServerResponse) {
  const headers: OutgoingHttpHeaders = { 'X-ClickHouse-Server-Display-Name': context.serverName };
  try {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (answerWithoutQuery(request, response, url)) return;
    checkCredentials(request, url, context.user, context.password);
    const query = readRequest(request, url);
    headers['X-ClickHouse-Query-Id'] = query.queryId;
    headers['X-ClickHouse-Timezone'] = context.timeZone;
    await new Execution(context, request, response, query, headers).run();
  } catch (error) {
    // A body that is not read must not be mistaken for the next request.
    if (!request.complete) headers.Connection = 'close';
    const { code, status, text } = exceptionReply(error);
    if (!response.headersSent && !response.destroyed) sendException(response, headers, code, status, text);
    else response.destroy();
  }
}

/** Health checks and unknown paths. */
function answerWithoutQuery(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
  const reading = request.method === 'GET' || request.method === 'HEAD';
  const { pathname } = url;
  const isRoot = pathname === '/' || pathname === '/query';
  if (
    reading &&
    (pathname === '/ping' || pathname === '/replicas_status' || (isRoot && !url.searchParams.has('query')))
  ) {
    sendText(response, 200, okText);
  } else if (!isRoot) {
    sendText(response, 404, `There is no handle ${pathname}\nUse / or /ping for health checks.\n`);
  } else if (!reading && request.method !== 'POST') {
    sendText(response, 405, `Method ${request.method} is not offered here.\n`);
  } else return false;
  request.resume();
  return true;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** The execution of one statement. */
class Execution {
  readonly #context: HandlerContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #query: QueryRequest;
  readonly #headers: OutgoingHttpHeaders;
  readonly #gone = new AbortController();

  constructor(
    context: HandlerContext,
    request: IncomingMessage,
    response: ServerResponse,
    query: QueryRequest,
    headers: OutgoingHttpHeaders,
  ) {
    this.#context = context;
    this.#request = request;
    this.#response = response;
    this.#query = query;
    this.#headers = headers;
    response.once('close', () => {
      if (!response.writableFinished) this.#gone.abort();
    });
  }

  async run(): Promise<void> {
    const body = openBody(this.#request);
    const parameter = Buffer.from(this.#query.query);
    if (parameter.length > 0 && takesData(parameter)) {
      const statement = this.#admit(readStatement(parameter));
      if (statement.kind === 'insert') return this.#insert(statement, joined(statement.data), body.pieces, body.length);
    }
    const start = await readStart(body.pieces, maxInsertHeadBytes);
    const contentType = this.#request.headers['content-type'] ?? '';
    if (contentType.startsWith('multipart/form-data')) {
      return this.#execute(this.#admit(readStatement(await this.#readForm(contentType, start.bytes, start.rest))));
    }
    const text = joined(parameter, start.bytes);
    if (takesData(text)) {
      const statement = this.#admit(readStatement(text));
      if (statement.kind === 'insert') return this.#insert(statement, statement.data, start.rest, undefined);
    }
    const whole = start.ended ? text : await collect(text, start.rest);
    return this.#execute(this.#admit(readStatement(whole)));
  }

  /** Refuses what a read-only request may not do. */
  #admit(statement: Statement): Statement {
    const harmless = statement.kind === 'rows' || (statement.kind === 'plain' && statement.readOnly);
    if (harmless || !this.#query.readOnly) return statement;
    throw new EngineException(
      164,
      'READONLY',
      'Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. ' +
        'You should use method POST for modifying queries.',
    );
  }

  async #readForm(contentType: string, start: Buffer, rest: AsyncIterable<Buffer>): Promise<Buffer> {
    const fields = readForm(contentType, await collect(start, rest));
    const { settings, parameters, query } = this.#query;
    for (const [name, value] of fields) addParameter(name, value, settings, parameters);
    return Buffer.from(query + (fields.get('query') ?? ''));
  }

  async #execute(statement: Statement): Promise<void> {
    if (statement.kind === 'rows') await this.#rows(statement);
    else if (statement.kind === 'plain') await this.#plain(statement);
    else await this.#insert(statement, statement.data, noRows(), undefined);
  }

  async #rows(statement: Extract<Statement, { kind: 'rows' }>): Promise<void> {
    const format = statement.format ?? this.#query.format ?? 'TabSeparated';
    if (format === rowFormat && statement.head.trim() === countEntries && !this.#query.session) {
      return this.#logEntries(format);
    }
    if (this.#request.headers[oneFrameHeader] !== undefined) return this.#shortResult(statement, format);
    const tail = statement.format === undefined ? `FORMAT ${plainName(format)}` : statement.tail;
    await this.#withConnection('rows', async (connection, tag, cancelled) => {
      const reply = this.#reply(format, () => connection.resume());
      try {
        const result = await connection.stream(statement.head, tail, this.#statementContext(), tag, (piece) =>
          reply.write(piece),
        );
        reply.end(summaryOf(result, false));
      } catch (error) {
        reply.fail(cancelled() ?? error);
      }
    });
  }

  /** Every process that uses the engine requests this a few times per second, so it comes from the cache. */
  async #logEntries(format: string): Promise<void> {
    const reply = this.#reply(format, () => {});
    try {
      const entries = await this.#context.log.entries();
      reply.end({ readRows: 1, readBytes: 8, writtenRows: 0, elapsedSeconds: 0 }, Buffer.from(`[${entries}]\n`));
    } catch (error) {
      reply.fail(error);
    }
  }

  #shortResult({ head, tail }: Extract<Statement, { kind: 'rows' }>, format: string): Promise<void> {
    return this.#buffered('rows', format, (connection, tag) =>
      connection.run(`${head}${tail}`, plainName(format), this.#statementContext(), tag),
    );
  }

  async #plain({ text, readOnly, changesSession, ...statement }: Extract<Statement, { kind: 'plain' }>): Promise<void> {
    const format = statement.format ?? plainName(this.#query.format ?? 'TabSeparated');
    if (text.trim() === makeRoomStatement) return this.#makeRoom(format);
    return this.#buffered('short', format, async (connection, tag) => {
      if (changesSession) connection.spoil();
      const run = () => connection.run(text, format, this.#statementContext(), tag);
      if (!readOnly) await this.#requireRoom(text);
      const result = await (readOnly ? run() : this.#recordingChange(connection, text, run));
      if (makesTable.test(text)) this.#context.tablesMade();
      return result;
    });
  }

  async #makeRoom(format: string): Promise<void> {
    const reply = this.#reply(format, () => {});
    await this.#context.diskReserve.release();
    reply.end({ readRows: 0, readBytes: 0, writtenRows: 0, elapsedSeconds: 0 });
  }

  async #requireRoom(statement: string): Promise<void> {
    const { connections, freeBytes } = this.#context;
    const exists = async (query: string) => (await connections.query(query)) === '1';
    if (await hasRoomFor(statement, { freeBytes, exists })) return;
    throw new EngineException(243, 'NOT_ENOUGH_SPACE', 'The disk is full: not enough space for a definition');
  }

  /** Responds with a result that the connection buffers whole, which needs no pipe. */
  async #buffered(
    connectionClass: ConnectionClass,
    format: string,
    run: (connection: Connection, tag: string) => Promise<ChdbResult>,
  ): Promise<void> {
    await this.#withConnection(connectionClass, async (connection, tag, cancelled) => {
      const reply = this.#reply(format, () => {});
      try {
        const result = await run(connection, tag);
        reply.end(summaryOf(result, false), Buffer.from(result.bytes()));
      } catch (error) {
        reply.fail(cancelled() ?? error);
      }
    });
  }

  /** Writes the whole body to a temporary file first, so that an aborted body inserts nothing; the engine reads that file. */
  async #insert(
    statement: Extract<Statement, { kind: 'insert' }>,
    first: Uint8Array,
    rest: AsyncIterable<Uint8Array>,
    length: number | undefined,
  ): Promise<void> {
    const { failedWrites, temporaryFiles } = this.#context;
    const handover = this.#request.headers[handoverHeader];
    const body =
      typeof handover === 'string'
        ? temporaryFiles.handedOver(handover)
        : await temporaryFiles.take(first, rest, length);
    try {
      await this.#withConnection('short', async (connection) => {
        const reply = this.#reply(this.#query.format ?? 'TabSeparated', () => {});
        try {
          const text = failedWrites.renamed(readingFrom(statement, body.path));
          const entries = this.#request.headers[logEntriesHeader];
          if (entries !== undefined) await this.#context.log.expect(Number(entries));
          const result = await this.#recordingChange(connection, statement.head, () =>
            connection.run(text, 'Null', this.#statementContext(), ''),
          );
          this.#context.idleTables.inserted(statement.head);
          reply.end(summaryOf(result, true));
        } catch (error) {
          reply.fail(withoutPath(error, body.path));
        }
      });
    } finally {
      body.discard();
    }
  }

  /** Runs work on a connection, see {@link withConnection}. */
  async #withConnection(
    connectionClass: ConnectionClass,
    work: Parameters<typeof withConnection<void>>[2],
  ): Promise<void> {
    const { connections } = this.#context;
    const { session } = this.#query;
    const taken = session && (await connections.takeSession(session.id, session.timeoutMs, session.check));
    const owner = this.#request.headers[ownerHeader];
    const request = {
      connectionClass,
      signal: this.#gone.signal,
      owner: typeof owner === 'string' ? owner : undefined,
      taken,
    };
    await withConnection(connections, request, work);
  }

  #reply(format: string, onReady: () => void): Reply {
    return new Reply(this.#response, {
      headers: { ...this.#headers, 'Content-Type': contentTypeOf(format), 'X-ClickHouse-Format': format },
      gzip: this.#query.gzip,
      waitForEnd: this.#query.waitForEnd,
      onReady,
    });
  }

  /** Runs a statement that changes something. */
  async #recordingChange<T>(connection: Connection, text: string, run: () => Promise<T>): Promise<T> {
    const { results, failedWrites, log } = this.#context;
    const mayBeOfLog = mayChangeLog(text, this.#query.parameters.size);
    const result = await results.invalidatedBy(text, mayBeOfLog ? () => log.changedBy(run) : run);
    await failedWrites.check(async (sql) => (await connection.run(sql, 'TSVRaw', noContext, '')).text());
    return result;
  }

  #statementContext(): StatementContext {
    return this.#query;
  }
}

function summaryOf(result: ChdbResult, written: boolean): Summary {
  const { rowsRead, bytesRead, elapsed } = result;
  return { readRows: rowsRead, readBytes: bytesRead, writtenRows: written ? rowsRead : 0, elapsedSeconds: elapsed };
}

/** A format name from outside goes into the statement's text, so it must be one word. */
function plainName(format: string): string {
  if (/^\w+$/.test(format)) return format;
  throw new EngineException(73, 'UNKNOWN_FORMAT', `Unknown format ${format}`);
}

/** Query parameter and body, or data in the text and data in the body: joined by a line break when there are both. */
function joined(first: Uint8Array, second?: Uint8Array): Buffer {
  if (second === undefined) return first.length === 0 ? Buffer.alloc(0) : Buffer.concat([first, Buffer.from('\n')]);
  if (second.length === 0) return Buffer.from(first);
  return first.length === 0 ? Buffer.from(second) : Buffer.concat([first, Buffer.from('\n'), second]);
}

async function collect(start: Buffer, rest: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces = [start];
  let length = start.length;
  for await (const piece of rest) {
    length += piece.length;
    if (length > maxStatementBytes) {
      throw new EngineException(179, 'QUERY_IS_TOO_LARGE', `A statement may have ${maxStatementBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* noRows(): AsyncGenerator<Buffer> {}

/** Removes the path of the host's own file from an error. */
function withoutPath(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const message = error.message.replaceAll(`(in file/uri ${path}): `, '').replaceAll(path, 'the request body');
  return new Error(message, { cause: error });
}

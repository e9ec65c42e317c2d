import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ChdbResult } from 'chdb';
import type { Connections } from '../connection/connections.js';
import { EngineException, exceptionReply } from '../connection/exception.js';
import { openBody, readForm, readStart } from './body.js';
import { contentTypeOf } from './format.js';
import { Reply, type Summary, sendException } from './reply.js';
import { addParameter, checkCredentials, type QueryRequest, readRequest } from './request.js';
import type { Caller, StatementRunner } from './runner.js';
import { readingFrom, readStatement, type Statement, takesData } from './statement.js';
import type { TemporaryFiles } from './temporary-files.js';

/** Context of the handler. */
interface HandlerContext {
  readonly connections: Connections;
  readonly runner: StatementRunner;
  readonly temporaryFiles: TemporaryFiles;
  readonly user: string;
  readonly password: string;
  /** Time zone of the engine, for the reply header. */
  readonly timeZone: string;
  readonly serverName: string;
}

/** As much of a body as may come before the rows of an INSERT begin (the engine's own default of `max_query_size`). */
const maxInsertHeadBytes = 256 * 1024;
const maxStatementBytes = 64 * 1024 * 1024;
const okText = 'Ok.\n';

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
      if (statement.kind === 'insert') return this.#insert(statement, statement.data, start.rest);
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
    else await this.#insert(statement, statement.data);
  }

  async #rows(statement: Extract<Statement, { kind: 'rows' }>): Promise<void> {
    const format = statement.format ?? this.#query.format ?? 'TabSeparated';
    const tail = statement.format === undefined ? `FORMAT ${plainName(format)}` : statement.tail;
    let resume = (): void => {};
    const reply = this.#reply(format, () => resume());
    await this.#answer(reply, async (caller) => {
      const result = await this.#context.runner.query(
        { head: statement.head, tail },
        caller,
        (piece) => reply.write(piece),
        (begun) => {
          resume = begun;
        },
      );
      if (result !== undefined) reply.end(summaryOf(result, false));
    });
  }

  async #plain({ text, readOnly, ...statement }: Extract<Statement, { kind: 'plain' }>): Promise<void> {
    const format = statement.format ?? plainName(this.#query.format ?? 'TabSeparated');
    const reply = this.#reply(format, () => {});
    const effect = {
      changes: readOnly ? [] : ('all' as const),
      continues: true,
      changesSession: statement.changesSession,
      ...(statement.defines && { needsRoom: {} }),
    };
    await this.#answer(reply, async (caller) => {
      const result = await this.#context.runner.change(text, effect, caller, format);
      if (result !== undefined) reply.end(summaryOf(result, false), Buffer.from(result.bytes()));
    });
  }

  /**
   * Writes the whole body to a temporary file first, so that an aborted body inserts nothing; the engine reads that
   * file.
   */
  async #insert(
    statement: Extract<Statement, { kind: 'insert' }>,
    first: Uint8Array,
    rest?: AsyncIterable<Uint8Array>,
    length?: number,
  ): Promise<void> {
    const { runner, temporaryFiles } = this.#context;
    const body = await temporaryFiles.take(first, rest, length);
    const reply = this.#reply(this.#query.format ?? 'TabSeparated', () => {});
    try {
      await this.#answer(reply, async (caller) => {
        const result = await runner
          .insertAs(readingFrom(statement, body.path), 'all', undefined, caller)
          .catch((error: unknown) => Promise.reject(withoutPath(error, body.path)));
        if (result !== undefined) reply.end(summaryOf(result, true));
      });
    } finally {
      body.discard();
    }
  }

  /** Runs work as the client of this request, and answers its error. */
  async #answer(reply: Reply, work: (caller: Caller) => Promise<void>): Promise<void> {
    const { session, ...context } = this.#query;
    const taken =
      session && (await this.#context.connections.takeSession(session.id, session.timeoutMs, session.check));
    try {
      await work({ signal: this.#gone.signal, context, taken });
    } catch (error) {
      reply.fail(error);
    }
  }

  #reply(format: string, onReady: () => void): Reply {
    return new Reply(this.#response, {
      headers: { ...this.#headers, 'Content-Type': contentTypeOf(format), 'X-ClickHouse-Format': format },
      gzip: this.#query.gzip,
      waitForEnd: this.#query.waitForEnd,
      onReady,
    });
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

/** Removes the path of the host's own file from an error. */
function withoutPath(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const message = error.message.replaceAll(`(in file/uri ${path}): `, '').replaceAll(path, 'the request body');
  return new Error(message, { cause: error });
}

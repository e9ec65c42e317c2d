import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip as gzipWithCallback } from 'node:zlib';
import type { ComponentLog } from '../../model/component.js';
import type { ColumnMeta } from '../../model/exchange.js';
import { Codes, type Fault } from '../../model/fault.js';
import { affectedBody, sqlBody, wholeSqlBody } from '../../transforms/encode/sql-body.js';
import type { Call, HandlerContext, Reply } from '../request/call.js';
import { acceptsGzip } from '../request/compression.js';
import { isBrowser } from '../request/cors.js';
import { httpStatus } from './status.js';

/** Content type of every JSON body. */
export const jsonType = 'application/json; charset=utf-8';

/** `Retry-After` while the memory guard refuses: memory does not come back within a second or two. */
const guardRetrySeconds = 120;
/** `Retry-After` of every other 503: a queue that is full, a database that restarts. */
const overloadRetrySeconds = 5;

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON text in which nothing can be taken for markup, should a browser show it. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

/** The error body of the `/rest` routes: code and description, nothing else. */
export function errorBody(code: number, description: string): string {
  return safeJson({ code, desc: description });
}

/** Says that the answer depends on `Accept-Encoding`, beside what it depends on already. */
function varyByEncoding(reply: Reply): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? 'Accept-Encoding' : `${String(before)}, Accept-Encoding`);
}

/** Sends a JSON text with its length. 401 names the scheme to use, 503 says when to come back. */
export function sendJson(reply: Reply, status: number, text: string): Reply {
  nameRemedy(reply, status);
  return reply.code(status).header('content-type', jsonType).send(Buffer.from(text));
}

/** Sends bytes with their length. 401 and 503 as in {@link sendJson}. */
export function sendBytes(reply: Reply, status: number, type: string, bytes: Uint8Array): Reply {
  nameRemedy(reply, status);
  return reply.code(status).header('content-type', type).send(bytes);
}

/** Sends a plain text, which monitoring programs log as it is. 401 and 503 as in {@link sendJson}. */
export function sendText(reply: Reply, status: number, text: string): Reply {
  nameRemedy(reply, status);
  const type = 'text/plain; charset=utf-8';
  return reply.code(status).header('content-type', type).header('x-content-type-options', 'nosniff').send(text);
}

/**
 * 401 names the scheme to use, 503 says when to come back. A browser gets no Basic challenge: it would remember the
 * password and add it to the requests of every page.
 */
function nameRemedy(reply: Reply, status: number): void {
  if (status === 401)
    reply.header('www-authenticate', `${isAskedForBasic(reply) ? 'Basic' : 'Bearer'} realm="adapter"`);
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', overloadRetrySeconds);
}

function isAskedForBasic({ request: { headers } }: Reply): boolean {
  return !isBrowser({ site: headerText(headers['sec-fetch-site']), userAgent: headers['user-agent'] });
}

/** Answers whose body holds an error, whatever their status. */
const failedReplies = new WeakSet<Reply>();

/** True when the response body reports a failure. */
export function hasFailed(reply: Reply): boolean {
  return failedReplies.has(reply);
}

/** Sends a fault as the SQL routes do: status by the two tables, code and description in the body. */
export function sendFault(reply: Reply, fault: Fault, mapped: boolean): Reply {
  failedReplies.add(reply);
  return sendJson(reply, httpStatus(fault, mapped), errorBody(fault.code, fault.message));
}

/** Sends a status without a body. */
export function sendEmpty(reply: Reply, status: number): Reply {
  if (status === 503) reply.header('retry-after', guardRetrySeconds);
  if (status !== 204) reply.header('content-length', 0);
  return reply.code(status).send();
}

const notFound = '404 page not found';

/** What a request to an interface that does not exist may have meant, as methods and path. */
interface Meant {
  /** Another path. */
  readonly elsewhere?: string | undefined;
  /** The same path with other methods. */
  readonly here?: string | undefined;
}

/**
 * The answer to an interface that does not exist, or not for this method. What was meant is in a header, too: clients
 * of InfluxDB for Java show only that of answers that are not JSON. Of a path that is `here` and takes another method,
 * it is in the header alone: the body says to clients that an interface does not exist.
 */
export function sendNotFound(reply: Reply, { elsewhere, here }: Meant = {}): Reply {
  reply.code(404).header('content-type', 'text/plain');
  const meant = elsewhere ?? here;
  if (meant === undefined) return reply.send(notFound);
  const text = `${notFound}; did you mean ${meant}?`;
  return reply.header('x-influxdb-error', text).send(elsewhere === undefined ? notFound : text);
}

/** Refuses on behalf of the memory guard: the body is the plain text that says which memory is short. */
export function sendGuardRefusal(call: Call, context: HandlerContext, state: 'all-paused' | 'query-paused'): Reply {
  context.observer?.refused(state);
  call.reply.header('retry-after', guardRetrySeconds);
  return sendText(
    call.reply,
    503,
    state === 'all-paused' ? 'memory exceeds threshold' : 'query memory exceeds threshold',
  );
}

/** Answers for a mistake in the program; the client learns nothing about it. */
export function sendInternalError(reply: Reply): Reply {
  return sendJson(reply, 500, errorBody(Codes.free, 'internal error'));
}

/** Sends the answer of a statement without a result set, with its length. */
export function sendAffected(reply: Reply, rows: number, keyed: boolean): Reply {
  return sendJson(reply, 200, affectedBody(rows, keyed));
}

const gzip = promisify(gzipWithCallback);

/** Begins the answer with a body of a type; true when the client takes it gzipped. */
function beginBody({ request, reply }: Call, type: string): boolean {
  reply.code(200).header('content-type', type);
  varyByEncoding(reply);
  return acceptsGzip(headerText(request.headers['accept-encoding']));
}

/** Sends a result set that is there as a whole with its length, gzipped when the client accepts that. */
export async function sendWholeRows(
  call: Call,
  { meta, rowLimit, lines }: Pick<RowStream, 'meta' | 'rowLimit'> & { readonly lines: readonly Uint8Array[] },
): Promise<Reply> {
  const body = wholeSqlBody(meta, rowLimit, lines);
  if (!beginBody(call, jsonType)) return call.reply.send(body);
  return call.reply.header('content-encoding', 'gzip').send(await gzip(body));
}

/** A result set whose first chunk, or end, was pulled already. */
interface RowStream {
  readonly meta: readonly ColumnMeta[];
  readonly rowLimit: number;
  readonly first: IteratorResult<Uint8Array, unknown>;
  readonly lines: AsyncIterator<Uint8Array>;
}

/**
 * Streams a result set, pulled as fast as the client reads, gzipped when it accepts that. Every chunk goes out at once,
 * also through the compressor. When the rows fail after bytes are out, the connection is cut, so that the client sees
 * an incomplete answer; when the client goes away, `lines` is returned.
 */
export function sendRows(call: Call, rows: RowStream, log: ComponentLog): Reply {
  return sendChunks(call, jsonType, sqlBody(rows.meta, rows.rowLimit, rows.first, rows.lines), log);
}

/** Streams a body with status 200, as {@link sendRows} a result set. */
export function sendChunks(
  call: Call,
  type: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  log: ComponentLog,
): Reply {
  const { request, reply } = call;
  const source = Readable.from(chunks);
  source.once('error', (error) => {
    if (call.aborted.aborted) return;
    log.warn({ requestId: request.id, err: error }, 'A result broke off after its answer had begun.');
    // Without chunks a plain close reads like a complete answer; a reset does not.
    if (request.raw.httpVersion === '1.0') request.raw.socket.resetAndDestroy();
  });
  if (!beginBody(call, type)) return reply.send(source);
  const gzipped = createGzip({ flush: constants.Z_SYNC_FLUSH });
  source.pipe(gzipped);
  gzipped.once('close', () => source.destroy());
  // The compressor may still hold the first bytes: they go out before the cut, or another answer would take their
  // place.
  source.once('error', (error) => {
    if (reply.raw.headersSent) gzipped.destroy(error);
    else gzipped.once('data', () => gzipped.destroy(error));
  });
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Sends bytes that are there as a whole, with their length; they go out as fast as the client reads. */
export function sendParts(reply: Reply, parts: readonly Uint8Array[], length: number): Reply {
  return reply
    .code(200)
    .header('content-length', length)
    .send(Readable.from(parts, { objectMode: false }));
}

/** Text of a header that may have come more than once. */
export function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

import { comma, lineFeed } from '../../bytes/ascii.js';
import type { SqlAnswer } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { dataType, type TypeName } from '../../model/schema.js';
import { parseJson } from '../../text/json.js';
import { ElementScan } from '../../transforms/wire/json-elements.js';
import type { RunSql } from '../model/ports.js';
import { type HttpResponse, type HttpService, wholeOf } from './http-service.js';

/** The parts of a response that are read; its rows stay as they stand in the text. */
interface Body {
  readonly code?: number;
  readonly desc?: string;
  readonly message?: string;
  readonly column_meta?: readonly (readonly [name: string, type: TypeName, length: number])[];
}

/** Text in a response before its first row. */
const rowsKey = '"data":[';
/** Longest response without rows. */
const maxHeadBytes = 16 * 1024 * 1024;
/** Statements that may be sent twice: queries, and rows, which are stored once however often they are written. */
const idempotent = /^\s*(?:select|show|desc|describe|explain|insert|import)\b/i;

/** Statements over `POST /rest/sql`. Refusals have the code and text of the body; rows are read as they come. */
export function httpStatements(service: HttpService): RunSql {
  return async (statement, { database, timeZone, signal } = {}) => {
    const path = `/rest/sql${database === undefined ? '' : `/${encodeURIComponent(database)}`}`;
    const query = timeZone === undefined ? '' : `?tz=${encodeURIComponent(timeZone)}`;
    const bytes = typeof statement === 'string' ? Buffer.from(statement) : statement;
    const mayRetry = idempotent.test(bytes.subarray(0, 256).toString('latin1'));
    return resultOf(await service.post(path + query, bytes, signal, mayRetry));
  };
}

/** Checks that the service responds, and to this user. */
export async function pingHttp(http: HttpService): Promise<void> {
  const result = await httpStatements(http)('SELECT SERVER_VERSION()');
  if (result.kind === 'rows') for await (const _ of result.lines);
}

async function resultOf({ status, chunks }: HttpResponse): Promise<SqlAnswer> {
  const { head, rows } = await readHead(chunks);
  const body = parsed(rows === undefined ? head.toString() : `${head.toString()}]}`);
  if (body?.code !== 0 || rows === undefined) {
    const text = Buffer.concat([head, await wholeOf(chunks)]).toString('utf8', 0, 500);
    throw new FaultError(refusalOf(status, text, body ?? {}));
  }
  const meta = (body.column_meta ?? []).map(([name, type, length]) => ({ name, type: dataType(type, length) }));
  const lines = linesOf(rows, chunks);
  if (meta.length !== 1 || meta[0]?.name !== 'affected_rows') return { kind: 'rows', meta, lines };
  const row = (await wholeOf(lines)).toString();
  return { kind: 'affected', rows: Number(row.trim().slice(1, -1)) };
}

/** A response up to the bracket that begins its rows, and what has come after it; without rows all of it. */
async function readHead(chunks: HttpResponse['chunks']): Promise<{ head: Buffer; rows: Buffer | undefined }> {
  let text = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    text = text.length === 0 ? Buffer.from(next.value) : Buffer.concat([text, next.value]);
    const key = text.indexOf(rowsKey);
    const end = key + rowsKey.length;
    if (key >= 0) return { head: text.subarray(0, end), rows: text.subarray(end) };
    if (text.length > maxHeadBytes) break;
  }
  return { head: text, rows: undefined };
}

/** The rows as lines; what follows them is read too, so that the connection can be used again. */
async function* linesOf(first: Buffer, chunks: HttpResponse['chunks']): AsyncGenerator<Uint8Array, void, void> {
  const cutter = new RowCutter();
  try {
    for (let chunk: Uint8Array = first; ; ) {
      const lines = cutter.ended ? chunk.subarray(0, 0) : cutter.lines(chunk);
      if (lines.length > 0) yield lines;
      const next = await chunks.next();
      if (next.done === true) break;
      chunk = next.value;
    }
  } finally {
    await chunks.return();
  }
  if (!cutter.ended) throw new FaultError(fault('network', Codes.networkUnavailable, 'The answer broke off.'));
}

/** The refusal: by the statement's own code, or, where there is none, by the status of HTTP. */
function refusalOf(status: number, start: string, { code, desc, message }: Body): Fault {
  const text = (desc ?? message ?? start) || `HTTP status ${status}`;
  if (status === 401) return fault('auth', code ?? Codes.authenticationFailure, text);
  if (status >= 502 && status <= 504) return fault('resource', code ?? Codes.free, text);
  if (code === undefined) {
    const hint = status === 404 ? '; this is not the HTTP service, whose port `port` or -P names' : '';
    return fault('database', Codes.free, `HTTP status ${status}: ${text}${hint}`);
  }
  // A failure without a code of its own is the service's, and may be transient.
  const kind = code === Codes.networkUnavailable ? 'network' : code === Codes.free ? 'resource' : 'database';
  return fault(kind, code, text);
}

function parsed(text: string): Body | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/**
 * Cuts the rows out of the array `data` of a response: its elements become lines. Bytes are read as they come, in
 * chunks that are cut anywhere, and stay as they are except for the commas between rows, so that integers of 64 bits
 * stay exact.
 */
export class RowCutter {
  /** True when the end of the array was seen. */
  ended = false;
  readonly #scan = new ElementScan();
  #isEmpty = true;

  /** The part of a chunk that belongs to rows, changed in place. */
  lines(chunk: Uint8Array): Uint8Array {
    const { length } = chunk;
    for (let at = this.#scan.next(chunk, 0, length); at >= 0; at = this.#scan.next(chunk, at + 1, length)) {
      const isEnd = chunk[at] !== comma;
      chunk[at] = lineFeed;
      if (!isEnd) continue;
      // The bracket that ends the array takes the place of the last line break.
      this.ended = true;
      return chunk.subarray(0, this.#isEmpty && at === 0 ? 0 : at + 1);
    }
    this.#isEmpty &&= length === 0;
    return chunk;
  }
}

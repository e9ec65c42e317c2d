import type { SqlAnswer } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import type { RunSql } from '../model/load-ports.js';
import { dataType, type TypeName } from '../model/schema.js';
import type { HttpAnswer, HttpService } from './http-service.js';

/** The parts of an answer that are looked at; its rows are taken as they stand in the text. */
interface Body {
  readonly code?: number;
  readonly desc?: string;
  readonly message?: string;
  readonly column_meta?: readonly (readonly [name: string, type: TypeName, length: number])[];
}

const never = new AbortController().signal;

/** Statements over `POST /rest/sql`: refusals have the code and the text of the answer's body. */
export function restStatements(service: HttpService): RunSql {
  return async (statement, { database, timeZone, signal = never } = {}) => {
    const path = `/rest/sql${database === undefined ? '' : `/${encodeURIComponent(database)}`}`;
    const query = timeZone === undefined ? '' : `?tz=${encodeURIComponent(timeZone)}`;
    const bytes = typeof statement === 'string' ? Buffer.from(statement) : statement;
    return answerOf(await service.post(path + query, bytes, signal));
  };
}

function answerOf(answer: HttpAnswer): SqlAnswer {
  const rows = rowLines(answer.body);
  const head = rows === undefined ? answer.body.toString() : `${answer.body.toString('utf8', 0, rows.from)}[]}`;
  const body = parsed(head);
  if (body?.code !== 0 || rows === undefined) throw new FaultError(refusalOf(answer, body));
  const meta = (body.column_meta ?? []).map(([name, type, length]) => ({ name, type: dataType(type, length) }));
  if (meta.length === 1 && meta[0]?.name === 'affected_rows') {
    return { kind: 'affected', rows: Number(rows.lines[0]?.slice(1, -1)) };
  }
  return { kind: 'rows', meta, lines: linesOf(rows.lines) };
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
}

/** What was refused: by the statement's own code, or, where there is none, by the status of HTTP. */
function refusalOf({ status, body }: HttpAnswer, parsedBody: Body | undefined): Fault {
  const { code, desc, message } = parsedBody ?? {};
  const text = desc ?? message ?? body.toString('utf8', 0, 500);
  const said = text === '' ? `HTTP status ${status}` : text;
  if (status === 401) return fault('auth', code ?? Codes.authenticationFailure, said);
  if (status >= 502 && status <= 504) return fault('resource', code ?? Codes.free, said);
  if (code === undefined) return fault('database', Codes.free, `HTTP status ${status}: ${said}`);
  // Trouble without a code of its own is the service's and may pass.
  const kind = code === Codes.networkUnavailable ? 'network' : code === Codes.free ? 'resource' : 'database';
  return fault(kind, code, said);
}

function parsed(text: string): Body | undefined {
  try {
    const value: Body | null = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const dataKey = '"data":';
const [quote, backslash, open, close] = [0x22, 0x5c, 0x5b, 0x5d];

/** The elements of the array `data` as texts, so that integers of 64 bits stay exact, and where the array begins. */
function rowLines(body: Buffer): { readonly from: number; readonly lines: string[] } | undefined {
  const key = body.indexOf(dataKey);
  if (key < 0) return undefined;
  const from = key + dataKey.length;
  const lines: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = from; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === open && depth++ === 1) start = at;
    else if (byte === close && --depth === 1) lines.push(body.toString('utf8', start, at + 1));
    if (depth === 0) return { from, lines };
  }
  return undefined;
}

/** Position of the quote that ends the text which begins at `at`. */
function endOfText(body: Buffer, at: number): number {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}

import type { SqlRequest } from '../../model/exchange.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { behindBlanks } from '../../text/sql-blanks.js';
import { isFault } from '../request/auth.js';
import type { AdmittedCall, HandlerContext } from '../request/call.js';
import { readAck, readBoolean, readTimeZone } from '../request/parameters.js';
import { collectBody } from '../request/request-body.js';

const emptyRequest = fault('parameter', Codes.emptyRequest, 'request is empty');
const noSql = fault('parameter', Codes.noSql, 'no sql input');

/** A statement, and the room of its body; see {@link CollectedBody}. */
interface ReadStatement {
  readonly sql: SqlRequest;
  release(): void;
}

/** Reads a SQL request: its parameters, then its body. A caller whose body came with its head is asked for credentials later. */
export async function readSqlRequest(call: AdmittedCall, context: HandlerContext): Promise<ReadStatement | Fault> {
  const { query, params, credentials } = call;
  const { settings } = context;
  const connection = query.get('conn_tz');
  const timeZone = readTimeZone(connection ?? query.get('tz'));
  if (typeof timeZone !== 'string') return timeZone;
  const connectionZone = connection === null ? undefined : timeZone;
  const keyed = readBoolean('row_with_meta', query.get('row_with_meta'), false);
  if (typeof keyed !== 'boolean') return keyed;
  const ack = readAck(query.get('ack'));
  if (typeof ack === 'object') return ack;
  const body = await collectBody(call, context, {
    maxBytes: settings.sqlBytes,
    // Longer ones are INSERTs of rows.
    long: { fromBytes: settings.queryBytes, isFor: (user) => context.intake.mayWrite(user) },
  });
  if (isFault(body)) return body;
  const { release } = body;
  const statement = trimmed(body.bytes, settings.queryBytes);
  if (statement.length === 0) {
    release();
    return body.bytes.length === 0 ? emptyRequest : noSql;
  }
  const rowLimit = settings.restfulRowLimit;
  return {
    sql: { statement, database: params.db, credentials, timeZone, connectionZone, keyed, rowLimit, ack },
    release,
  };
}

/** Blank, and tab to carriage return. */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

/** The bytes without leading and trailing white space, of which at most `most` bytes are looked at on each side; shares memory. */
function trimmed(bytes: Buffer, most: number): Buffer {
  let start = 0;
  let end = bytes.length;
  const lastStart = Math.min(end, most);
  while (start < lastStart && isBlank(bytes[start]!)) start++;
  const firstEnd = Math.max(start, end - most);
  while (end > firstEnd && isBlank(bytes[end - 1]!)) end--;
  return bytes.subarray(start, end);
}

const queryWord = /^(?:select|show|desc|describe|explain)\b/i;
const longestQueryWord = 'describe'.length;
/** How far into a statement its first keyword is looked for. */
const keywordBytes = 4096;

/** True when a statement asks for rows, judged by its first keyword, so that it can be refused before it runs. */
export function isQuery(statement: Buffer): boolean {
  const text = statement.toString('latin1', 0, Math.min(statement.length, keywordBytes));
  let start = behindBlanks(text, 0);
  while (text[start] === '(') start = behindBlanks(text, start + 1);
  return queryWord.test(text.slice(start, start + longestQueryWord + 1));
}

import type { SqlRequest } from '../../model/exchange.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { isFault } from '../request/auth.js';
import type { AdmittedCall, HandlerContext } from '../request/call.js';
import { readAck, readBoolean, readTimeZone } from '../request/parameters.js';
import { collectBody } from '../request/request-body.js';
import { trimmed } from '../request/statement-text.js';

const emptyRequest = fault('parameter', Codes.emptyRequest, 'request is empty');
const noSql = fault('parameter', Codes.noSql, 'no sql input');

/** A statement, and the room of its body; see {@link CollectedBody}. */
interface ReadStatement {
  readonly sql: SqlRequest;
  release(): void;
}

/**
 * Reads a SQL request: its parameters, then its body. The credentials of a caller whose body came with its head are
 * checked later.
 */
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
  const form = keyed ? 'objects' : 'arrays';
  const { release } = body;
  const statement = trimmed(body.bytes, settings.queryBytes);
  if (statement.length === 0) {
    release();
    return body.bytes.length === 0 ? emptyRequest : noSql;
  }
  const rowLimit = settings.restfulRowLimit;
  return {
    sql: { statement, database: params.db, credentials, timeZone, connectionZone, form, rowLimit, ack },
    release,
  };
}

import { Codes } from '../../model/fault.js';
import { nameFault } from '../answer/error-forms.js';
import { safeJson, sendJson } from '../answer/reply.js';
import type { ErrorForm, Handler, HandlerContext, Refusal, Reply, WriteCall } from '../request/call.js';
import { readPrecision, readTtl } from '../request/parameters.js';
import { refuseWrite } from './refused-write.js';
import { carryWrite } from './writing.js';

/**
 * The error body of the line-protocol route; `line` counts from 1, 0 is no line in particular. It says why once more in
 * `desc`, for programs that know the errors of `/rest`.
 */
interface LineError {
  readonly code: 'illegal param' | 'not found' | 'invalid' | 'internal error' | 'forbidden';
  readonly message: string;
  readonly op?: string;
  /** Why, where it is more than the message. */
  readonly err?: string;
  readonly line?: number;
}

/**
 * `POST /lineproto/v1/write`: 204 when every line is stored (an empty body has none and is 204 too); bad lines are
 * named. See `carryWrite` for the statuses.
 */
export function lineprotoWriteHandler(context: HandlerContext): Handler<WriteCall> {
  const { settings } = context;
  return (call) => {
    const { query, reply } = call;
    const refused = (refusal: Refusal) => lineprotoErrors(call, refusal, settings);
    const wrong = (error: LineError) => refuseWrite(call, context, refused, () => sendError(reply, 400, error));
    const database = query.get('db') ?? '';
    if (database === '') return wrong({ code: 'not found', message: 'db required', op: 'get db query', line: 0 });
    const ttl = readTtl(query.get('ttl'));
    if (typeof ttl === 'string') return wrong(illegal(ttl, 'parse ttl'));
    const precision = readPrecision(query.get('precision'));
    if (precision === undefined) {
      return wrong(illegal('precision must be one of n, ns, u, us, ms, s, m, h', 'parse precision'));
    }
    const target = { database, createDatabase: settings.lineproto.createDatabase, ttl, precision };
    return carryWrite(call, context, { format: 'lineproto', target, rowWord: 'line' }, { refused });
  };
}

/** Errors of the line-protocol route: what kind of failure, in which step, and which line. */
export const lineprotoErrors: ErrorForm = ({ reply }, refusal) =>
  sendError(nameFault(reply, refusal), refusal.status, inWords(refusal));

function illegal(message: string, op: string): LineError {
  return { code: 'illegal param', message, op, line: 0 };
}

function inWords({ status, message, cause, row, fault }: Refusal): LineError {
  if (cause === 'id') return illegal('req_id must be numeric', 'parse req_id');
  if (cause === 'encoding') return illegal(message, 'read line');
  if (cause === 'credentials') {
    return { code: 'forbidden', message: fault.code === Codes.noAuthInfo ? 'no auth info found' : message };
  }
  if (cause === 'body') {
    return { code: 'internal error', message: 'read line error', op: 'read line', err: message, line: 0 };
  }
  if (cause === 'rows') return { code: 'invalid', message, op: 'parse line', line: row };
  if (status === 401 || status === 403) return { code: 'forbidden', message };
  if (status === 404) return { code: 'not found', message };
  if (status >= 500) return { code: 'internal error', message };
  return { code: 'invalid', message, op: 'write lines', line: 0 };
}

function sendError(reply: Reply, status: number, { code, message, op, line, err = message }: LineError) {
  const place = op === undefined ? {} : { op, err, line };
  return sendJson(reply, status, safeJson({ code, message, ...place, desc: err }));
}

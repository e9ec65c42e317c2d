import { Codes, type Fault } from '../../model/fault.js';
import { isFault, readWriteCredentials } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { gzipLayers } from '../compression.js';
import { readPrecision, readTtl, readWriteRequestId } from '../parameters.js';
import { headerText, safeJson, sendGuardRefusal, sendJson } from '../reply.js';
import { type AdmittedWrite, carryWrite, type WriteRefusal } from '../writing.js';

/** The error body of the line-protocol route, with its status; `line` counts from 1, 0 is no line in particular. */
interface LineRefusal {
  readonly status: number;
  readonly code: 'illegal param' | 'not found' | 'invalid' | 'internal error' | 'forbidden';
  readonly message: string;
  readonly op?: string;
  /** Why, where it is more than the message. */
  readonly err?: string;
  readonly line?: number;
}

/**
 * `POST /lineproto/v1/write`: 204 when every line is stored (an empty body has none and is 204 too); bad lines are named.
 * See `carryWrite` for the statuses.
 */
export function lineprotoWriteHandler(context: HandlerContext): Handler {
  const { intake, settings } = context;
  return async (call) => {
    if (intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    const admitted = admitWrite(call, settings.lineproto.createDatabase);
    const refuse = (refusal: LineRefusal) => sendRefusal(call, refusal);
    if ('status' in admitted) return refuse(admitted);
    return carryWrite(call, context, admitted, 'line', (refusal) => refuse(inWords(refusal)));
  };
}

/** Parameters and credentials, in the order that clients see. */
function admitWrite(call: Call, createDatabase: boolean): AdmittedWrite | LineRefusal {
  const { request, query } = call;
  const id = readWriteRequestId(query.get('req_id'), request.id);
  if (id === undefined) return illegal('req_id must be numeric', 'parse req_id');
  const credentials = readWriteCredentials(request.headers.authorization, query);
  if (isFault(credentials)) return forbidden(credentials);
  const database = query.get('db') ?? '';
  if (database === '') return { status: 400, code: 'not found', message: 'db required', op: 'get db query', line: 0 };
  const ttl = readTtl(query.get('ttl'));
  if (ttl === undefined) return illegal('ttl must be numeric', 'parse ttl');
  const precision = readPrecision(query.get('precision'));
  if (precision === undefined) return illegal('precision must be one of n, ns, u, us, ms, s, m, h', 'parse precision');
  const layers = gzipLayers(headerText(request.headers['content-encoding']));
  if (typeof layers !== 'number') return { ...illegal(layers.message, 'read line'), status: 415 };
  return { id, format: 'lineproto', credentials, target: { database, createDatabase, ttl, precision }, layers };
}

function illegal(message: string, op: string): LineRefusal {
  return { status: 400, code: 'illegal param', message, op, line: 0 };
}

function forbidden(fault: Fault): LineRefusal {
  const message = fault.code === Codes.noAuthInfo ? 'no auth info found' : fault.message;
  return { status: 401, code: 'forbidden', message };
}

function inWords({ status, message, cause, row }: WriteRefusal): LineRefusal {
  if (cause === 'body') {
    return { status, code: 'internal error', message: 'read line error', op: 'read line', err: message, line: 0 };
  }
  if (cause === 'rows') return { status, code: 'invalid', message, op: 'parse line', line: row };
  if (status === 401 || status === 403) return { status, code: 'forbidden', message };
  if (status === 404) return { status, code: 'not found', message };
  if (status >= 500) return { status, code: 'internal error', message };
  return { status, code: 'invalid', message, op: 'write lines', line: 0 };
}

function sendRefusal(call: Call, refusal: LineRefusal) {
  const { code, message, op, line, err = message } = refusal;
  const body = op === undefined ? { code, message } : { code, message, op, err, line };
  return sendJson(call.reply, refusal.status, safeJson(body));
}

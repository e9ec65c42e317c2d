import type { WireFormat } from '../../model/batch.js';
import type { Credentials } from '../../model/exchange.js';
import { decodeBasic } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { safeJson, sendGuardRefusal, sendJson, sendNotFound } from '../reply.js';
import { type Refusal, readWriteParameters } from '../write-parameters.js';
import { type AdmittedWrite, carryWrite } from '../writing.js';

/** The formats of the route: each has a path of its own. */
export type TsdbwireFormat = Extract<WireFormat, `tsdbwire-${string}`>;

/**
 * `POST /tsdbwire/v1/put/<json|telnet>/<db>`: 204 when every point is stored (an empty body has none and is 204 too); bad
 * points are named and the others stored. See `carryWrite` for the statuses. The parameters `summary`, `details` and `sync`
 * of other implementations mean nothing here.
 */
export function tsdbwireWriteHandler(context: HandlerContext, format: TsdbwireFormat): Handler {
  const { intake, settings } = context;
  const rowWord = format === 'tsdbwire-telnet' ? 'line' : 'object';
  return async (call) => {
    if (call.params.db === undefined || call.params.db === '') return sendNotFound(call.reply);
    if (intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    const admitted = admitWrite(call, format, call.params.db, settings.tsdbwire.createDatabase);
    const refuse = ({ status, message }: Refusal) => sendJson(call.reply, status, safeJson({ code: status, message }));
    return 'status' in admitted ? refuse(admitted) : carryWrite(call, context, admitted, rowWord, refuse);
  };
}

/** Credentials and parameters, in the order that clients see. */
function admitWrite(
  call: Call,
  format: TsdbwireFormat,
  database: string,
  createDatabase: boolean,
): AdmittedWrite | Refusal {
  const credentials = readCredentials(call.request.headers.authorization);
  if ('status' in credentials) return credentials;
  const parameters = readWriteParameters(call);
  if ('status' in parameters) return parameters;
  const { id, ttl, layers } = parameters;
  // The format says the unit of each time itself.
  return { id, format, credentials, target: { database, createDatabase, ttl, precision: 'ms' }, layers };
}

/** The `Basic` header; no other scheme is taken here. */
function readCredentials(header: string | undefined): Credentials | Refusal {
  const text = header?.trim() ?? '';
  if (text === '') return { status: 401, message: 'auth needed' };
  if (!text.startsWith('Basic ')) return { status: 401, message: 'unsupported auth type' };
  const pair = decodeBasic(text.slice('Basic '.length));
  if (pair === undefined) return { status: 401, message: 'wrong basic auth' };
  if (pair.user === '' || pair.password === '') return { status: 400, message: 'no auth info found' };
  return { scheme: 'password', ...pair };
}

import type { WireFormat } from '../../model/batch.js';
import type { RowReject } from '../../model/delivery.js';
import { Codes, fault } from '../../model/fault.js';
import { parseJson } from '../../text/json.js';
import { nameFault, opentsdbErrors, tsdbwireErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendEmpty, sendJson } from '../answer/reply.js';
import type { CredentialReader } from '../request/auth.js';
import { basicToken, decodeBasic, isFault, readAuthorization } from '../request/auth.js';
import type { Handler, HandlerContext, Refusal, WriteCall } from '../request/call.js';
import { refuseWrite } from './refused-write.js';
import { namedDatabase, readWriteTtl } from './write-parameters.js';
import { carryWrite } from './writing.js';

/** The formats of the route: each has a path of its own. */
type TsdbwireFormat = Extract<WireFormat, `tsdbwire-${string}`>;

/**
 * `POST /tsdbwire/v1/put/<json|telnet>/<db>`: 204 when every point is stored (an empty body has none and is 204 too);
 * bad points are named and the others stored. See `carryWrite` for the statuses. The parameters `summary`, `details`
 * and `sync` of OpenTSDB mean nothing here.
 */
export function tsdbwireWriteHandler(context: HandlerContext, format: TsdbwireFormat): Handler<WriteCall> {
  const { settings } = context;
  const rowWord = format === 'tsdbwire-telnet' ? 'line' : 'object';
  return (call) => {
    const refused = (refusal: Refusal) => tsdbwireErrors(call, refusal, settings);
    const ttl = readWriteTtl(call);
    if (typeof ttl !== 'number') return refuseWrite(call, context, refused, () => refused(refusalOf(ttl, 'parameter')));
    // The format says the unit of each time itself.
    const { createDatabase } = settings.tsdbwire;
    const target = { database: call.params.db ?? '', createDatabase, ttl, precision: 'ms' } as const;
    return carryWrite(call, context, { format, target, rowWord }, { refused });
  };
}

/**
 * `POST /api/put`, the path that clients of OpenTSDB know: the same points as JSON, for the database that a parameter,
 * a header or the settings name. Values are numbers, quoted or not. A body without points is 400. With `summary` or
 * `details` the answer counts the points, and is 400 when not all of them are stored; `details` also has each bad point
 * that is described.
 */
export function opentsdbPutHandler(context: HandlerContext): Handler<WriteCall> {
  const { settings } = context;
  const { createDatabase, db } = settings.tsdbwire;
  return (call) => {
    const { query, reply } = call;
    const isCounted = query.has('summary') || query.has('details');
    const counts = (success: number, failed: number, rejects: readonly RowReject[] = []) => {
      const errors = query.has('details') ? { errors: rejects.map(describedPoint) } : {};
      return safeJson({ success, failed, ...errors });
    };
    const refused = (refusal: Refusal) => {
      const { cause, status, writtenRows, rejectedRows, rejects } = refusal;
      if (!isCounted || cause !== 'rows') return opentsdbErrors(call, refusal, settings);
      return sendJson(nameFault(reply, refusal), status, counts(writtenRows, rejectedRows, rejects));
    };
    const stored = (rows: number) => {
      if (rows === 0) return opentsdbErrors(call, refusalOf(noPoints, 'body'), settings);
      return isCounted ? sendJson(reply, 200, counts(rows, 0)) : sendEmpty(reply, 204);
    };
    const target = { database: namedDatabase(call, db), createDatabase, ttl: 0, precision: 'ms' } as const;
    return carryWrite(call, context, { format: 'opentsdb-json', target, rowWord: 'object' }, { stored, refused });
  };
}

/** A bad point as `details` has it: the point as it came, unless it is long or no JSON, and why it is not stored. */
function describedPoint({ row, fault: { message }, text }: RowReject): object {
  const error = `object ${row + 1}: ${message}`;
  const datapoint = text === undefined ? undefined : parseJson(text);
  return datapoint === undefined ? { error } : { datapoint, error };
}

const noPoints = fault('parameter', Codes.schemalessData, 'the body has no data points');
const noHeader = fault('auth', Codes.noAuthInfo, 'auth needed');
const noScheme = fault('auth', Codes.invalidAuthType, 'unsupported auth type');
const badBasic = fault('auth', Codes.invalidBasicAuth, 'wrong basic auth');
const emptyPair = fault('parameter', Codes.free, 'no auth info found');

/** All schemes of `/rest`; a bad header returns an error of this interface. */
export const putCredentials: CredentialReader = ({ request, query }, { loginCodes }) => {
  const text = request.headers.authorization?.trim() ?? '';
  if (text === '') return noHeader;
  const token = basicToken(text);
  if (token === undefined) {
    const read = readAuthorization(text, loginCodes, query);
    return isFault(read) && read.code === Codes.invalidAuthType ? noScheme : read;
  }
  const pair = decodeBasic(token);
  if (pair === undefined) return badBasic;
  if (pair.user === '' || pair.password === '') return emptyPair;
  return { scheme: 'password', ...pair };
};

import type { ErrorForm, Refusal, Reply } from '../request/call.js';
import { errorBody, safeJson, sendFault, sendJson, sendText } from './reply.js';
import { statusWithLength } from './status.js';

/** `/rest`: code and description, the status by the two tables of SQL. */
export const restErrors: ErrorForm = ({ reply }, { status, fault }, { httpCodeServerError }) => {
  if (status === 415) return sendJson(reply, 415, errorBody(fault.code, fault.message));
  return sendFault(reply, fault, httpCodeServerError);
};

/** `/api`: code and description, the status says what happened whatever `httpCodeServerError` is. */
export const apiErrors: ErrorForm = ({ reply }, { status, fault }) =>
  sendJson(reply, status, errorBody(fault.code, fault.message));

/** Plain text, which the senders of the metrics system log as it is. */
export const textErrors: ErrorForm = ({ reply }, { status, message }) => sendText(reply, status, message);

/** `/tsdbwire`: the status once more, and why; `desc` is for programs that know the errors of `/rest`. */
export const tsdbwireErrors: ErrorForm = ({ reply }, refusal) => {
  const { status, message } = refusal;
  return sendJson(nameFault(reply, refusal), status, safeJson({ code: status, message, desc: message }));
};

/**
 * `/api/put`: the status and why inside an object `error`, as clients of OpenTSDB read it, and the error as `/rest` has
 * it. A body that is too long is 413.
 */
export const opentsdbErrors: ErrorForm = ({ reply }, refusal) => {
  const code = statusWithLength(refusal);
  const { message, fault } = refusal;
  const body = { error: { code, message }, code: fault.code, desc: message };
  return sendJson(nameFault(reply, refusal), code, safeJson(body));
};

/**
 * Says in headers what programs would otherwise have to find in the text of a refused write: the code of the fault,
 * and, where some rows are bad, how many went either way and the first bad one, counted from 1.
 */
export function nameFault(reply: Reply, { fault, cause, row, writtenRows, rejectedRows }: Refusal): Reply {
  reply.header('error-code', fault.code);
  if (cause !== 'rows') return reply;
  return reply.header('rows-written', writtenRows).header('rows-rejected', rejectedRows).header('first-bad-row', row);
}

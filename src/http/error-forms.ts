import type { ErrorForm } from './call.js';
import { errorBody, safeJson, sendFault, sendJson, sendText } from './reply.js';

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

/** `/tsdbwire`: the status once more, and why. */
export const tsdbwireErrors: ErrorForm = ({ reply }, { status, message }) =>
  sendJson(reply, status, safeJson({ code: status, message }));

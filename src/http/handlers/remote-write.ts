import type { FastifyReply } from 'fastify';
import { isFault, readAuthorization } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { sendGuardRefusal, sendNotFound, sendText } from '../reply.js';
import { type Refusal, readWriteParameters } from '../write-parameters.js';
import { type AdmittedWrite, carryWrite } from '../writing.js';

/**
 * `POST /metricsdb/v1/remote_write/<db>`: 204 when every sample is stored; what is bad is 400 with the first bad series
 * named, and the rest is stored. Senders drop on 4xx and try again on 5xx, so what may pass is 503; see `carryWrite`. The headers
 * that version 2 of the protocol asks for say how many samples were stored.
 */
export function remoteWriteHandler(context: HandlerContext): Handler {
  return async (call) => {
    if (call.params.db === undefined || call.params.db === '') return sendNotFound(call.reply);
    const admitted = admitWrite(call, context, call.params.db);
    const refuse = ({ status, message }: Refusal): FastifyReply => sendText(call.reply, status, message);
    if ('status' in admitted) return refuse(admitted);
    if (context.intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    return carryWrite(call, context, admitted, 'series', refuse, (rows) => nameWritten(call, rows));
  };
}

/** Credentials and parameters, in the order that clients see. */
function admitWrite(call: Call, { settings, loginCodes }: HandlerContext, database: string): AdmittedWrite | Refusal {
  const { request, query } = call;
  const credentials = readAuthorization(request.headers.authorization, loginCodes, query);
  if (isFault(credentials)) return { status: 401, message: credentials.message };
  const parameters = readWriteParameters(call);
  if ('status' in parameters) return parameters;
  const { id, ttl, layers } = parameters;
  const { createDatabase, messageBytes: maxMessageBytes } = settings.metricsdb;
  const target = { database, createDatabase, ttl, precision: 'ms' } as const;
  return { id, format: 'remote-write', credentials, target, layers, maxMessageBytes };
}

function nameWritten({ reply }: Call, samples: number): void {
  reply.header('x-prometheus-remote-write-samples-written', samples);
  reply.header('x-prometheus-remote-write-histograms-written', 0);
  reply.header('x-prometheus-remote-write-exemplars-written', 0);
}

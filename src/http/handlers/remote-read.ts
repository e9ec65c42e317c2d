import type { FastifyReply } from 'fastify';
import type { SeriesAnswer, SeriesRequest } from '../../model/exchange.js';
import { isFault, readAuthorization } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { gzipLayers } from '../compression.js';
import { ask } from '../exchange.js';
import { readWriteRequestId } from '../parameters.js';
import { headerText, sendGuardRefusal, sendNotFound, sendParts, sendText } from '../reply.js';
import { collectBody } from '../request-body.js';
import type { Refusal } from '../write-parameters.js';
import { statusOf } from '../writing.js';

/** Longest request before it is inflated: far more than any client asks. */
const maxRequestBytes = 1024 * 1024;

interface Admission {
  readonly id: string;
  readonly credentials: SeriesRequest['credentials'];
  readonly layers: number;
}

/**
 * `POST /metricsdb/v1/remote_read/<db>`: 200 with one result a query, samples of the sampled type. Statuses are those of
 * writes: what the request is to blame for is 4xx, what may pass is 503. Refusals are plain text.
 */
export function remoteReadHandler(context: HandlerContext): Handler {
  const { intake, settings } = context;
  return async (call) => {
    const { reply, request, params } = call;
    if (params.db === undefined || params.db === '') return sendNotFound(reply);
    const admitted = admitRead(call, context);
    if ('status' in admitted) return sendText(reply, admitted.status, admitted.message);
    const state = intake.guard();
    if (state !== 'normal') return sendGuardRefusal(call, context, state);
    const { id, credentials, layers } = admitted;
    const maxBytes = Math.min(maxRequestBytes, settings.metricsdb.messageBytes);
    const message = await collectBody(request.raw, layers, maxBytes, 'read request');
    if (isFault(message)) return sendText(reply, 400, message.message);
    const asked: SeriesRequest = { message, database: params.db, credentials, rowLimit: settings.restfulRowLimit };
    const outcome = await ask<SeriesRequest, SeriesAnswer>(
      (exchange) => intake.series(exchange),
      id,
      asked,
      call.aborted,
    );
    if (outcome.kind === 'refused') return sendText(reply, statusOf(outcome.fault), outcome.fault.message);
    return sendAnswer(reply, outcome.answer);
  };
}

function admitRead({ request, query }: Call, { loginCodes }: HandlerContext): Admission | Refusal {
  const credentials = readAuthorization(request.headers.authorization, loginCodes, query);
  if (isFault(credentials)) return { status: 401, message: credentials.message };
  const id = readWriteRequestId(query.get('req_id'), request.id);
  if (id === undefined) return { status: 400, message: 'illegal param, req_id must be numeric' };
  const layers = gzipLayers(headerText(request.headers['content-encoding']));
  if (typeof layers !== 'number') return { status: 415, message: layers.message };
  return { id, credentials, layers };
}

function sendAnswer(reply: FastifyReply, { parts, length }: SeriesAnswer): FastifyReply {
  reply.header('content-type', 'application/x-protobuf').header('content-encoding', 'snappy');
  return sendParts(reply, parts, length);
}

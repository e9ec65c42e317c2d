import type { SeriesAnswer, SeriesRequest } from '../../model/exchange.js';
import { textErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { sendParts } from '../answer/reply.js';
import { sendRequest } from '../answer/send-request.js';
import { isFault } from '../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext, Reply } from '../request/call.js';
import { collectBody } from '../request/request-body.js';

/** Longest request before it is inflated: far more than any client sends. */
const maxRequestBytes = 1024 * 1024;

/**
 * `POST /metricsdb/v1/remote_read/<db>`: 200 with one result a query, samples of the sampled type. Statuses are those
 * of writes: what the request is to blame for is 4xx, what may pass is 503. Refusals are plain text.
 */
export function remoteReadHandler(context: HandlerContext): Handler<AdmittedCall> {
  const { intake, settings } = context;
  return async (call) => {
    const { reply, params, id, credentials } = call;
    const maxBytes = Math.min(maxRequestBytes, settings.metricsdb.messageBytes);
    const body = await collectBody(call, context, { maxBytes, what: 'read request' });
    if (isFault(body)) return textErrors(call, refusalOf(body, 'body'), settings);
    const database = params.db ?? '';
    const request: SeriesRequest = { message: body.bytes, database, credentials, rowLimit: settings.restfulRowLimit };
    const outcome = await sendRequest<SeriesRequest, SeriesAnswer>(
      (exchange) => intake.series(exchange),
      id,
      request,
      call.aborted,
    );
    body.release();
    if (outcome.kind === 'refused') return textErrors(call, refusalOf(outcome.fault), settings);
    return sendAnswer(reply, outcome.answer);
  };
}

function sendAnswer(reply: Reply, { parts, length }: SeriesAnswer): Reply {
  reply.header('content-type', 'application/x-protobuf').header('content-encoding', 'snappy');
  return sendParts(reply, parts, length);
}

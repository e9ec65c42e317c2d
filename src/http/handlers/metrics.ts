import type { Handler, HandlerContext } from '../call.js';
import { headerText, safeJson, sendJson } from '../reply.js';

const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const olderText = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * `GET /metrics`: the service's figures as OpenMetrics text, without authentication. A reader that names only plain text
 * in `Accept` gets the same lines under the type of the older format, in which they are valid as well.
 */
export function metricsHandler(context: HandlerContext): Handler {
  return async (call) => {
    const accept = headerText(call.request.headers.accept) ?? '';
    const older = accept.includes('text/plain') && !accept.includes('openmetrics');
    const text = await context.intake.metrics();
    return call.reply.header('content-type', older ? olderText : openMetrics).send(Buffer.from(text));
  };
}

/** `GET /metrics/history`: some of the figures over the last hour as JSON, without authentication, for pages that are opened later. */
export function historyHandler({ intake }: HandlerContext): Handler {
  return async ({ reply }) => sendJson(reply, 200, safeJson(intake.history()));
}

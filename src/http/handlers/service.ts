import type { ClusterState } from '../../model/exchange.js';
import { apiErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { headerText, safeJson, sendEmpty, sendJson } from '../answer/reply.js';
import { isFault } from '../request/auth.js';
import type { Handler, HandlerContext, KnownCall } from '../request/call.js';

const metricTypes = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
} as const;

/**
 * `GET /-/ping`: 200, or 503 while the memory guard pauses everything, the database hangs, or no write can be logged,
 * whose reason is in the answer; with `action=query`, 503 while the guard pauses anything, the database hangs, or no
 * node of a shard of it answers. While payloads are recovered from the write-ahead log, the answer says how many of
 * which database are left: readers of others do not wait. With `action=query` it says, too, when not all of a cluster
 * answers. Needs no credentials, so it names no addresses.
 */
export function pingHandler(context: HandlerContext): Handler {
  return async (call) => {
    const state = context.intake.guard();
    const aboutQueries = call.query.get('action') === 'query';
    const cluster = aboutQueries ? context.intake.cluster() : undefined;
    const paused = state === 'all-paused' || (aboutQueries && state === 'query-paused') || cluster?.isMissing === true;
    const refused = aboutQueries ? undefined : context.intake.refusedWrites();
    const status = paused || context.intake.isDatabaseHung() || refused !== undefined ? 503 : 200;
    const replay = context.intake.replay();
    const body = {
      ...(refused === undefined ? {} : { reason: refused.message }),
      ...(replay.size === 0 ? {} : { replay: Object.fromEntries(replay) }),
      ...(cluster === undefined || isWhole(cluster) ? {} : { nodes: cluster.nodes, keeper: cluster.keeper }),
    };
    if (Object.keys(body).length === 0) return sendEmpty(call.reply, status);
    return sendJson(call.reply, status, safeJson(body));
  };
}

function isWhole({ nodes, keeper }: ClusterState): boolean {
  return nodes.behind + nodes.away === 0 && keeper !== 'away';
}

/**
 * `GET /metrics`: the service's metrics as OpenMetrics text, without authentication. A reader that names only plain
 * text in `Accept` gets the text format 0.0.4, with the same names.
 */
export function metricsHandler(context: HandlerContext): Handler {
  return async (call) => {
    const accept = headerText(call.request.headers.accept) ?? '';
    const format = accept.includes('text/plain') && !accept.includes('openmetrics') ? 'prometheus' : 'openmetrics';
    const text = await context.intake.metrics(format);
    return call.reply.header('content-type', metricTypes[format]).send(Buffer.from(text));
  };
}

/**
 * `GET /metrics/history`: some of the metrics over the last hour as JSON, without authentication, for pages that are
 * opened later.
 */
export function historyHandler({ intake }: HandlerContext): Handler {
  return async ({ reply }) => sendJson(reply, 200, safeJson(intake.history()));
}

/** `GET /api/v1/statements`: the statements that count as slow, for administrators. */
export function slowStatementsHandler({ intake, settings }: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const list = await intake.slowStatements(call.user);
    return isFault(list) ? apiErrors(call, refusalOf(list), settings) : sendJson(call.reply, 200, safeJson(list));
  };
}

/** `GET /openapi.json`: the description of the interfaces that are switched on, for everybody. */
export function descriptionHandler({ description }: HandlerContext): Handler {
  return async ({ reply }) => sendJson(reply, 200, description);
}

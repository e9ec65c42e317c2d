import { safeJson, sendEmpty, sendJson } from '../../answer/reply.js';
import type { Handler, HandlerContext } from '../../request/call.js';
import { influxVersion, nameInflux } from './influx.js';

/** `GET /ping` and `HEAD /ping`: 204, with `verbose` the version, 503 while the memory guard pauses everything. */
export function influxPingHandler({ intake }: HandlerContext): Handler {
  return async ({ reply, query }) => {
    nameInflux(reply);
    if (intake.guard() === 'all-paused') return sendEmpty(reply, 503);
    const isVerbose = query.has('verbose') && query.get('verbose') !== 'false';
    return isVerbose ? sendJson(reply, 200, safeJson({ version: influxVersion })) : sendEmpty(reply, 204);
  };
}

/** `GET /health`: whether the service takes work. */
export function influxHealthHandler({ intake }: HandlerContext): Handler {
  return async ({ reply }) => {
    const state = intake.guard();
    const isFine = state !== 'all-paused';
    const message = isFine ? 'ready for queries and writes' : 'memory exceeds threshold';
    const body = { name: 'Sluice', message, status: isFine ? 'pass' : 'fail', checks: [], version: influxVersion };
    return sendJson(nameInflux(reply), isFine ? 200 : 503, safeJson(body));
  };
}

/** `GET /ready`: since when the service is there. */
export function influxReadyHandler({ intake }: HandlerContext): Handler {
  return async ({ reply }) => {
    const isReady = intake.guard() !== 'all-paused';
    const upSeconds = process.uptime();
    const started = new Date(Date.now() - upSeconds * 1000).toISOString();
    const body = { status: isReady ? 'ready' : 'paused', started, up: `${upSeconds.toFixed(3)}s` };
    return sendJson(nameInflux(reply), isReady ? 200 : 503, safeJson(body));
  };
}

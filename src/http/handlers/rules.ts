import type { Fault } from '../../model/fault.js';
import { apiErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendJson } from '../answer/reply.js';
import { isFault } from '../request/auth.js';
import type { Handler, HandlerContext, KnownCall, Reply } from '../request/call.js';
import { collectBody } from '../request/request-body.js';

const maxRuleBytes = 64 * 1024;

/** `GET /api/v1/rules`. */
export function rulesHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.rules(call.user));
}

/** `POST /api/v1/rules/reload`. */
export function reloadRulesHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.reload(call.user));
}

/** `POST /api/v1/rules/try`: the body is a rule in TOML. */
export function tryRuleHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const body = await collectBody(call, context, { maxBytes: maxRuleBytes, what: 'rule' });
    if (isFault(body)) return apiErrors(call, refusalOf(body, 'parameter'), context.settings);
    const text = body.bytes.toString('utf8');
    body.release();
    return answer(call, context, await context.intake.eventsAdmin.tryRule(call.user, text, call.aborted));
  };
}

/** `GET /api/v1/notifications`. */
export function notificationsHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.notifications(call.user));
}

/** `POST /api/v1/notifications/test`. */
export function testNotificationsHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.testNotifications(call.user));
}

function answer(call: KnownCall, { settings }: HandlerContext, result: object | Fault): Reply {
  return isFault(result) ? apiErrors(call, refusalOf(result), settings) : sendJson(call.reply, 200, safeJson(result));
}

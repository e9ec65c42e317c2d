import type { Fault } from '../../model/fault.js';
import type { RuleSilence } from '../../model/rule-list.js';
import { parseJson } from '../../text/json.js';
import { apiErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendEmpty, sendJson } from '../answer/reply.js';
import { checkJson } from '../api/check-json.js';
import { readText } from '../api/read-parameter.js';
import { silenceBody, silencedRule } from '../api/rules.js';
import { isFault } from '../request/auth.js';
import type { Handler, HandlerContext, KnownCall, Reply } from '../request/call.js';
import { parameterFault } from '../request/parameters.js';
import { collectBody } from '../request/request-body.js';
import { versionOf } from './documents.js';

const maxRuleBytes = 64 * 1024;
/** Longest silence: a year. */
const maxSilenceMs = 366 * 86_400_000;

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
  return withRule(context, (call, toml) => context.intake.eventsAdmin.tryRule(call.user, toml, call.aborted));
}

/** `POST /api/v1/rules`: stores the rule in the body, in TOML. */
export function createRuleHandler(context: HandlerContext): Handler<KnownCall> {
  return withRule(context, (call, toml) => context.intake.eventsAdmin.createRule(call.user, toml), 201);
}

/** `PUT /api/v1/rules/<id>?version=…`: replaces a version of a stored rule. */
export function replaceRuleHandler(context: HandlerContext): Handler<KnownCall> {
  return withRule(context, async (call, toml) => {
    const version = versionOf(call);
    const { eventsAdmin } = context.intake;
    return typeof version === 'object'
      ? version
      : eventsAdmin.replaceRule(call.user, call.params.id ?? '', version, toml);
  });
}

/** `DELETE /api/v1/rules/<id>?version=…`. */
export function removeRuleHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const version = versionOf(call);
    if (typeof version === 'object') return answer(call, context, version);
    return emptied(
      call,
      context,
      await context.intake.eventsAdmin.removeRule(call.user, call.params.id ?? '', version),
    );
  };
}

/** `POST /api/v1/silences`: silences a rule for a time. */
export function silenceHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const text = await bodyText(call, context, 'silence');
    if (typeof text === 'object') return apiErrors(call, refusalOf(text, 'parameter'), context.settings);
    const silence = readSilence(parseJson(text), Date.now());
    if (isFault(silence)) return apiErrors(call, refusalOf(silence, 'parameter'), context.settings);
    return answer(call, context, await context.intake.eventsAdmin.silence(call.user, silence), 201);
  };
}

/** `DELETE /api/v1/silences?rule=…`. */
export function endSilenceHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const rule = readText(call.query, silencedRule) ?? parameterFault('parameter rule is missing');
    if (typeof rule === 'object') return apiErrors(call, refusalOf(rule, 'parameter'), context.settings);
    return emptied(call, context, await context.intake.eventsAdmin.endSilence(call.user, rule));
  };
}

/** Answers what an action gives for the rule in the body, in TOML. */
function withRule(
  context: HandlerContext,
  act: (call: KnownCall, toml: string) => Promise<object | Fault>,
  status = 200,
): Handler<KnownCall> {
  return async (call) => {
    const toml = await bodyText(call, context, 'rule');
    if (typeof toml === 'object') return apiErrors(call, refusalOf(toml, 'parameter'), context.settings);
    return answer(call, context, await act(call, toml), status);
  };
}

async function bodyText(call: KnownCall, context: HandlerContext, what: string): Promise<string | Fault> {
  const body = await collectBody(call, context, { maxBytes: maxRuleBytes, what });
  if (isFault(body)) return body;
  const text = body.bytes.toString('utf8');
  body.release();
  return text;
}

function readSilence(value: unknown, now: number): Omit<RuleSilence, 'user'> | Fault {
  if (value === undefined) return parameterFault('the body is not JSON');
  if (!isSilence(value)) return parameterFault(checkJson(value, silenceBody, 'body') ?? '');
  const isAhead = value.untilTime > now && value.untilTime <= now + maxSilenceMs;
  return isAhead ? value : parameterFault('body.untilTime must be a time from now on, at most a year ahead');
}

function isSilence(value: unknown): value is Omit<RuleSilence, 'user'> {
  return checkJson(value, silenceBody, 'body') === undefined;
}

/** `GET /api/v1/notifications`. */
export function notificationsHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.notifications(call.user));
}

/** `POST /api/v1/notifications/test`. */
export function testNotificationsHandler(context: HandlerContext): Handler<KnownCall> {
  return async (call) => answer(call, context, await context.intake.eventsAdmin.testNotifications(call.user));
}

function answer(call: KnownCall, { settings }: HandlerContext, result: object | Fault, status = 200): Reply {
  return isFault(result)
    ? apiErrors(call, refusalOf(result), settings)
    : sendJson(call.reply, status, safeJson(result));
}

function emptied(call: KnownCall, context: HandlerContext, result: object | Fault): Reply {
  return isFault(result) ? answer(call, context, result) : sendEmpty(call.reply, 204);
}

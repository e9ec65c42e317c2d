import { isFault } from '../auth.js';
import type { Handler, HandlerContext, KnownCall } from '../call.js';
import { refusalOf } from '../door.js';
import { apiErrors } from '../error-forms.js';
import { safeJson, sendJson } from '../reply.js';

/** `GET /api/v1/statements`: the statements that count as slow, for administrators. */
export function slowStatementsHandler({ intake, settings }: HandlerContext): Handler<KnownCall> {
  return async (call) => {
    const list = await intake.slowStatements(call.user);
    return isFault(list) ? apiErrors(call, refusalOf(list), settings) : sendJson(call.reply, 200, safeJson(list));
  };
}

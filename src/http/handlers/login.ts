import { Codes } from '../../model/fault.js';
import { errorBody, safeJson, sendGuardRefusal, sendJson } from '../answer/reply.js';
import { isFault, maxUserBytes } from '../request/auth.js';
import type { Handler, HandlerContext } from '../request/call.js';
import { fromClient } from '../request/client-address.js';

/** `GET /rest/login/<user>/<password>`: the code of the `Custom` scheme, once the database knows the pair. */
export function loginHandler(context: HandlerContext): Handler {
  const { intake, loginCodes } = context;
  return async (call) => {
    const { reply } = call;
    const { user = '', password = '' } = call.params;
    if (intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    if (user === '' || password === '' || Buffer.byteLength(user) > maxUserBytes) {
      return sendJson(reply, 400, errorBody(Codes.generateToken, 'generate token error'));
    }
    const verdict = await intake.authenticate(fromClient(call.head, { scheme: 'password', user, password }));
    if (!isFault(verdict)) return sendJson(reply, 200, safeJson({ code: 0, desc: loginCodes.seal(user, password) }));
    if (verdict.kind === 'auth') return sendJson(reply, 401, errorBody(Codes.loginFailure, 'Authentication failure'));
    if (verdict.kind === 'forbidden') return sendJson(reply, 403, errorBody(verdict.code, verdict.message));
    // The database could not be reached: the client may be right, and may retry.
    return sendJson(reply, 503, errorBody(verdict.code, verdict.message));
  };
}

import type { FastifyReply } from 'fastify';
import type { Fault } from '../../model/fault.js';
import { isFault, readAuthorization } from '../auth.js';
import type { Handler, HandlerContext } from '../call.js';
import { errorBody, safeJson, sendGuardRefusal, sendJson } from '../reply.js';
import { statusOf } from '../writing.js';

/** `GET /api/v1/statements`: the statements that count as slow, for administrators. */
export function slowStatementsHandler(context: HandlerContext): Handler {
  const { intake, loginCodes } = context;
  return async (call) => {
    const { request, reply, query } = call;
    const refuse = (found: Fault): FastifyReply =>
      sendJson(reply, statusOf(found), errorBody(found.code, found.message));
    if (intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    const credentials = readAuthorization(request.headers.authorization, loginCodes, query);
    if (isFault(credentials)) return refuse(credentials);
    const identity = await intake.authenticate(credentials);
    if (isFault(identity)) return refuse(identity);
    const found = intake.slowStatements(identity.user);
    return isFault(found) ? refuse(found) : sendJson(reply, 200, safeJson(found));
  };
}

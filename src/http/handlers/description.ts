import type { Handler, HandlerContext } from '../call.js';
import { sendJson } from '../reply.js';

/** `GET /openapi.json`: the description of the interfaces that are switched on, for everybody. */
export function descriptionHandler({ description }: HandlerContext): Handler {
  return async ({ reply }) => sendJson(reply, 200, description);
}

import type { Handler, HandlerContext } from '../call.js';
import { sendEmpty } from '../reply.js';

/**
 * `GET /-/ping`: 200, or 503 while the memory guard pauses everything or the database hangs; with `action=query`, also while
 * the guard pauses queries or no node of a shard of the database answers. Never asks who calls.
 */
export function pingHandler(context: HandlerContext): Handler {
  return async (call) => {
    const state = context.intake.guard();
    const aboutQueries = call.query.get('action') === 'query';
    const paused =
      state === 'all-paused' || (aboutQueries && (state === 'query-paused' || context.intake.isDatabaseMissing()));
    return sendEmpty(call.reply, paused || context.intake.isDatabaseHung() ? 503 : 200);
  };
}

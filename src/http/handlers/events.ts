import type { EventFilter, EventMove } from '../../model/event.js';
import type { EventAnswer, EventQuestion, EventRequest } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import { parseJson } from '../../text/json.js';
import { apiErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { safeJson, sendJson } from '../answer/reply.js';
import { sendRequest } from '../answer/send-request.js';
import { eventParameters, maxCommentLength } from '../api/events.js';
import { readInteger, readText, readWord } from '../api/read-parameter.js';
import { isFault } from '../request/auth.js';
import type { AdmittedCall, Handler, HandlerContext } from '../request/call.js';
import { parameterFault } from '../request/parameters.js';
import { collectBody } from '../request/request-body.js';

/** Longest body of a move: the longest comment, however it is escaped, and some air. */
const maxBodyBytes = 64 * 1024;

/** `GET /api/v1/events`: one page of the events that the user may see. */
export function eventsHandler(context: HandlerContext): Handler<AdmittedCall> {
  return answering(context, async ({ query }) => readListing(query));
}

/** `GET /api/v1/events/<id>`. */
export function eventHandler(context: HandlerContext): Handler<AdmittedCall> {
  return answering(context, async ({ params }) => ({ kind: 'get', id: params.id ?? '' }));
}

/** `PUT /api/v1/events/<id>/acknowledge` and `…/resolve`. A move that was made before is 200 with `changed` false. */
export function moveHandler(context: HandlerContext, move: EventMove): Handler<AdmittedCall> {
  return answering(context, async (call) => {
    const body = await collectBody(call, context, { maxBytes: maxBodyBytes, what: 'request body' });
    if (isFault(body)) return body;
    const comment = readComment(body.bytes);
    body.release();
    return isFault(comment) ? comment : { kind: 'move', id: call.params.id ?? '', move, comment: comment.comment };
  });
}

/** The filters and the page of a query string; the first parameter that is wrong is the fault. */
function readListing(query: URLSearchParams): EventQuestion | Fault {
  let wrong: Fault | undefined;
  const sound = <T extends number | string>(value: T | undefined | Fault): T | undefined => {
    if (typeof value !== 'object') return value;
    wrong ??= value;
    return undefined;
  };
  const filter: EventFilter = {
    from: sound(readInteger(query, eventParameters.from)),
    to: sound(readInteger(query, eventParameters.to)),
    status: sound(readWord(query, eventParameters.status)),
    severity: sound(readWord(query, eventParameters.severity)),
    elementId: sound(readText(query, eventParameters.elementId)),
    asOf: sound(readInteger(query, eventParameters.asOf)),
  };
  const pageNum = sound(readInteger(query, eventParameters.pageNum)) ?? 1;
  const pageSize = sound(readInteger(query, eventParameters.pageSize)) ?? 1;
  const { from, to } = filter;
  if (wrong !== undefined) return wrong;
  if (from !== undefined && to !== undefined && from > to) {
    return parameterFault(`parameter from must be at most parameter to, which is ${to}, not ${from}`);
  }
  return { kind: 'list', listing: { filter, pageNum, pageSize } };
}

/** The comment of a move's body, which may be left out or null, as events have it, and so may the body be left out. */
function readComment(body: Buffer): { readonly comment: string | undefined } | Fault {
  const text = body.toString('utf8').trim();
  if (text === '') return { comment: undefined };
  const content = parseJson(text);
  if (content === undefined)
    return parameterFault('the body is not JSON; allowed is {"comment": "a text"}, or no body');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return parameterFault('the body must be an object with the key comment, or be left out');
  }
  const unknown = Object.keys(content).find((key) => key !== 'comment');
  if (unknown !== undefined) {
    return parameterFault(`the body has the key ${JSON.stringify(unknown.slice(0, 64))}; allowed is comment alone`);
  }
  if (!('comment' in content)) return { comment: undefined };
  const { comment } = content;
  if (comment === null) return { comment: undefined };
  if (typeof comment === 'string' && comment.length <= maxCommentLength) return { comment };
  return parameterFault(`comment in the body must be a text of at most ${maxCommentLength} characters`);
}

/**
 * Sends the pipeline the query that `read` makes of a call. Events report the memory guard, too, so they are served
 * while it pauses queries: a page is small.
 */
function answering(
  { intake, settings }: HandlerContext,
  read: (call: AdmittedCall) => Promise<EventQuestion | Fault>,
): Handler<AdmittedCall> {
  return async (call) => {
    const { id, credentials, reply, aborted } = call;
    const question = await read(call);
    if (isFault(question)) return apiErrors(call, refusalOf(question, 'parameter'), settings);
    const request: EventRequest = { credentials, question };
    const outcome = await sendRequest<EventRequest, EventAnswer>(
      (exchange) => intake.events(exchange),
      id,
      request,
      aborted,
    );
    if (outcome.kind === 'refused') return apiErrors(call, refusalOf(outcome.fault), settings);
    const { answer } = outcome;
    return sendJson(reply, 200, safeJson(answer.kind === 'list' ? answer.page : answer.event));
  };
}

import { Codes, type Fault, fault } from '../model/fault.js';
import { refusalOf } from './answer/refusal.js';
import { errorBody, headerText, sendGuardRefusal, sendJson, sendNotFound } from './answer/reply.js';
import type { RequestsInFlight } from './connection/requests-in-flight.js';
import { type CredentialReader, isFault, isLasting } from './request/auth.js';
import type {
  AdmittedCall,
  Call,
  ErrorForm,
  Handler,
  HandlerContext,
  HttpRequest,
  KnownCall,
  Refusal,
  Reply,
  RoutedCall,
  WriteCall,
} from './request/call.js';
import { fromClient } from './request/client-address.js';
import { bodyLayers } from './request/compression.js';
import type { CorsPolicy } from './request/cors.js';
import { refuseAfterLogIn } from './request/log-in-first.js';
import { readRequestId, readWriteRequestId } from './request/parameters.js';
import { cacheHead, type HeadAdmission, type HeadVerdict, type RequestHead } from './request/request-head.js';
import type { SocketProtocol } from './websocket/protocol.js';

/** Checks of a request that a route needs before its handler is called. */
export type RouteChecks = UncheckedRoute | AdmittingRoute | IdentifyingRoute | WritingRoute;

/** A route without credentials that answers whatever the memory guard says. */
interface UncheckedRoute {
  readonly guard?: undefined;
  readonly isWrite?: undefined;
  readonly handler: (context: HandlerContext) => Handler<RoutedCall>;
}

interface GuardedRoute {
  /** State of the memory guard from which on calls are refused: when it pauses everything, or queries already. */
  readonly guard: 'all-paused' | 'query-paused';
  readonly credentials: CredentialReader;
  /** Form of a `req_id`; left out, one that is no number is ignored. */
  readonly requestId?: 'signed' | 'unsigned';
  /** How the layers of compression of a body are read; {@link bodyLayers} when left out. */
  readonly layers?: typeof bodyLayers;
  /** How refusals of this route read. */
  readonly errors: ErrorForm;
}

interface AdmittingRoute extends GuardedRoute {
  readonly identify?: undefined;
  readonly isWrite?: undefined;
  readonly handler: (context: HandlerContext) => Handler<AdmittedCall>;
}

/** A route that speaks WebSocket: its clients log in by a message. */
export interface SocketRouteChecks {
  /** As of a {@link GuardedRoute}; it is checked when a connection opens. */
  readonly guard: 'all-paused';
  readonly isWrite?: undefined;
  readonly protocol: SocketProtocol;
}

/** A route whose credentials the database checks before the handler is called. */
interface IdentifyingRoute extends GuardedRoute {
  readonly identify: true;
  readonly isWrite?: undefined;
  readonly handler: (context: HandlerContext) => Handler<KnownCall>;
}

/** A route that writes, which is served in front of the router: see `write-routes.ts`. */
interface WritingRoute extends GuardedRoute {
  readonly identify?: undefined;
  readonly isWrite: true;
  readonly handler: (context: HandlerContext) => Handler<WriteCall>;
}

const badId = fault('parameter', Codes.free, 'illegal param, req_id must be numeric');

/**
 * The checks before a handler that needs credentials, in this order: a path parameter that is empty is no interface,
 * then memory guard, request id, credentials, coding of the body, and where the route needs it the identity.
 */
export function checkedHandler(
  rules: Exclude<RouteChecks, WritingRoute>,
  context: HandlerContext,
): Handler<RoutedCall> {
  if (rules.guard === undefined) return rules.handler(context);
  if (rules.identify === undefined) return admitting(rules, rules.handler(context), context);
  const handle = rules.handler(context);
  return async (call) => {
    const admitted = admit(call, rules, context);
    if (!('credentials' in admitted)) return admitted;
    const identity = await context.intake.authenticate(admitted.credentials);
    if (isFault(identity)) return rules.errors(call, refusalOf(identity, 'credentials'), context.settings);
    return handle(Object.assign(admitted, { user: identity.user }));
  };
}

/** The same checks in front of the handler of a write. */
export function checkedWrite(rules: WritingRoute, context: HandlerContext): Handler {
  return admitting(rules, rules.handler(context), context);
}

function admitting(rules: GuardedRoute, handle: Handler<WriteCall>, context: HandlerContext): Handler {
  return (call) => {
    const admitted = admit(call, rules, context);
    return 'credentials' in admitted ? handle(admitted) : admitted;
  };
}

/** The call with what its head says, or the answer that it gets instead. */
function admit(call: Call, rules: GuardedRoute, context: HandlerContext): WriteCall | Reply | Promise<Reply> {
  if (hasEmptyParameter(call)) return sendNotFound(call.reply);
  const state = context.intake.guard();
  if (state === 'all-paused' || state === rules.guard) return sendGuardRefusal(call, context, state);
  const { head, request } = call;
  if (head.admission !== undefined) return call.admitted(head.admission);
  const refuse = (failure: Fault, cause: Refusal['cause'], more?: { readonly status: number }): Reply =>
    rules.errors(call, { ...refusalOf(failure, cause), ...more }, context.settings);
  const id = requestIdOf(call, rules.requestId);
  const proof = rules.credentials(call, context);
  if (isFault(proof)) return typeof id === 'string' ? refuse(proof, 'credentials') : refuse(id, 'id');
  const credentials = fromClient(head, proof);
  const layers = (rules.layers ?? bodyLayers)(headerText(request.headers['content-encoding']));
  if (typeof id === 'string' && typeof layers === 'number') {
    const admission: HeadAdmission = { id: id || undefined, credentials, layers };
    if (isLasting(request.headers.authorization)) {
      head.admission = admission;
      cacheHead(request.raw.socket, head);
    }
    return call.admitted(admission);
  }
  return refuseAfterLogIn(context.intake, credentials, {
    unknown: (failure) => refuse(failure, 'credentials'),
    known: () => (typeof id === 'string' ? refuse(layers as Fault, 'encoding', { status: 415 }) : refuse(id, 'id')),
  });
}

/** The name that the client gives its request; empty where it gives none. */
function requestIdOf({ head }: Call, form: GuardedRoute['requestId']): string | Fault {
  if (form === undefined) return head.requestId;
  const text = head.query.get('req_id');
  return form === 'signed' ? readRequestId(text, '') : (readWriteRequestId(text, '') ?? badId);
}

function hasEmptyParameter({ params }: Call): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

/** What is in the way of a WebSocket connection, which is then answered; undefined when it may open. */
export function socketRefusal(call: Call, { guard }: SocketRouteChecks, context: HandlerContext): Reply | undefined {
  const { request, reply } = call;
  const state = context.intake.guard();
  if (state === guard) return sendGuardRefusal(call, context, state);
  if (request.ws === true) return undefined;
  reply.header('upgrade', 'websocket').header('connection', 'Upgrade');
  return sendJson(reply, 426, errorBody(Codes.free, 'this path speaks WebSocket: the request must be an upgrade'));
}

/**
 * Decides about a request before any route does: the service shuts down, or the head is not as it must be. Returns
 * false when that answers the request.
 */
export function checkRequest(
  request: HttpRequest,
  reply: Reply,
  head: RequestHead,
  open: RequestsInFlight,
  cors: CorsPolicy,
  context: HandlerContext,
): boolean {
  if (open.draining) {
    context.observer?.refused('draining');
    return refuse(reply, 503, 'service is shutting down');
  }
  head.verdict ??= judge(request, cors);
  const { verdict } = head;
  if (verdict.kind === 'refuse') return refuse(reply, verdict.status, verdict.reason);
  reply.headers(verdict.headers);
  if (verdict.kind === 'preflight') reply.code(204).send();
  return verdict.kind !== 'preflight';
}

/** Decides about a head: a missing Host (RFC 9112 section 3.2), transfer codings, and cross-origin requests. */
function judge(request: HttpRequest, cors: CorsPolicy): HeadVerdict {
  const { method, url, raw, headers, ws: isWebSocket } = request;
  const { origin, host, referer, 'user-agent': userAgent } = headers;
  if (host === undefined && raw.httpVersion === '1.1') return refused(400, 'the Host header is missing');
  if (url.startsWith('*') && method !== 'OPTIONS') return refused(400, 'malformed URL');
  if (hasTwoHosts(raw.rawHeaders)) return refused(400, 'there are two Host headers');
  const transfer = headers['transfer-encoding'];
  // The runtime undoes this coding alone, and passes the bytes of others on (RFC 9112 section 6.1 wants them refused).
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    const named = JSON.stringify(transfer.slice(0, 64));
    return refused(501, `unsupported Transfer-Encoding ${named}: compression belongs into Content-Encoding`);
  }
  const [site, mode] = [headerText(headers['sec-fetch-site']), headerText(headers['sec-fetch-mode'])];
  const verdict = cors({ method, origin, host, site, mode, referer, userAgent, isWebSocket });
  return verdict.kind === 'refuse' ? refused(403, verdict.reason) : verdict;
}

function refused(status: number, reason: string): HeadVerdict {
  return { kind: 'refuse', status, reason };
}

function refuse(reply: Reply, status: number, reason: string): false {
  sendJson(reply, status, errorBody(Codes.free, reason));
  return false;
}

/**
 * Names and values alternate; the runtime itself keeps the first of them only (RFC 9112 section 3.2 wants such a
 * request refused).
 */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials } from '../model/exchange.js';
import { Codes, type Fault, fault } from '../model/fault.js';
import { refusalOf } from './answer/refusal.js';
import { errorBody, headerText, sendGuardRefusal, sendJson, sendNotFound } from './answer/reply.js';
import type { OpenCall, OpenCalls } from './connection/open-calls.js';
import { type CredentialReader, isFault, isLasting } from './request/auth.js';
import type { AdmittedCall, Call, ErrorForm, Handler, HandlerContext, KnownCall, Refusal } from './request/call.js';
import { fromClient } from './request/client-address.js';
import { bodyLayers } from './request/compression.js';
import type { CorsPolicy } from './request/cors.js';
import { refuseAfterLogIn } from './request/log-in-first.js';
import { readRequestId, readWriteRequestId } from './request/parameters.js';
import type { SocketProtocol } from './websocket/protocol.js';

/** Checks of a request that a route needs before its handler is called. */
export type RouteChecks = UncheckedRoute | AdmittingRoute | IdentifyingRoute;

/** A route without credentials that answers whatever the memory guard says. */
interface UncheckedRoute {
  readonly guard?: undefined;
  readonly handler: (context: HandlerContext) => Handler;
}

interface GuardedRoute {
  /** State of the memory guard from which on calls are refused: when it pauses everything, or queries already. */
  readonly guard: 'all-paused' | 'query-paused';
  readonly credentials: CredentialReader;
  /** Form of a `req_id`; left out, one that is no number is not looked at. */
  readonly requestId?: 'signed' | 'unsigned';
  /** How the layers of compression of a body are read; {@link bodyLayers} when left out. */
  readonly layers?: typeof bodyLayers;
  /** How refusals of this route read. */
  readonly errors: ErrorForm;
}

interface AdmittingRoute extends GuardedRoute {
  readonly identify?: undefined;
  readonly handler: (context: HandlerContext) => Handler<AdmittedCall>;
}

/** A route that speaks WebSocket: its clients log in by a message. */
export interface SocketRouteChecks {
  /** As of a {@link GuardedRoute}; it is checked when a connection opens. */
  readonly guard: 'all-paused';
  readonly protocol: SocketProtocol;
}

/** A route whose credentials the database is asked about before the handler is called. */
interface IdentifyingRoute extends GuardedRoute {
  readonly identify: true;
  readonly handler: (context: HandlerContext) => Handler<KnownCall>;
}

const badId = fault('parameter', Codes.free, 'illegal param, req_id must be numeric');

/**
 * The checks before a handler that needs credentials, in this order: a path parameter that is empty is no interface,
 * then memory guard, request id, credentials, coding of the body, and where the route needs it the identity.
 */
export function checkedHandler(rules: RouteChecks, context: HandlerContext): Handler {
  if (rules.guard === undefined) return rules.handler(context);
  if (rules.identify === undefined) {
    const handle = rules.handler(context);
    return (call) => {
      const admitted = admit(call, rules, context);
      return 'credentials' in admitted ? handle(admitted) : admitted;
    };
  }
  const handle = rules.handler(context);
  return async (call) => {
    const admitted = admit(call, rules, context);
    if (!('credentials' in admitted)) return admitted;
    const identity = await context.intake.authenticate(admitted.credentials);
    if (isFault(identity)) return rules.errors(call, refusalOf(identity, 'credentials'), context.settings);
    return handle(Object.assign(admitted, { user: identity.user }));
  };
}

/** The call with its credentials, or the reply of a refusal. */
function admit(
  call: Call,
  rules: GuardedRoute,
  context: HandlerContext,
): AdmittedCall | FastifyReply | Promise<FastifyReply> {
  if (hasEmptyParameter(call)) return sendNotFound(call.reply);
  const state = context.intake.guard();
  if (state === 'all-paused' || state === rules.guard) return sendGuardRefusal(call, context, state);
  const refuse = (failure: Fault, cause: Refusal['cause'], more?: { readonly status: number }): FastifyReply =>
    rules.errors(call, { ...refusalOf(failure, cause), ...more }, context.settings);
  const { request } = call;
  const id = requestIdOf(call, rules.requestId);
  const credentials = credentialsOf(call, rules, context);
  if (isFault(credentials)) return typeof id === 'string' ? refuse(credentials, 'credentials') : refuse(id, 'id');
  const layers = (rules.layers ?? bodyLayers)(headerText(request.headers['content-encoding']));
  if (typeof id === 'string' && typeof layers === 'number') return call.admitted(id, credentials, layers);
  return refuseAfterLogIn(context.intake, credentials, {
    unknown: (failure) => refuse(failure, 'credentials'),
    known: () => (typeof id === 'string' ? refuse(layers as Fault, 'encoding', { status: 415 }) : refuse(id, 'id')),
  });
}

/** The last request of a connection, and the credentials that it brought. Most senders repeat them. */
interface LastRequest {
  readonly rules: GuardedRoute;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly foreignPage: string | undefined;
  readonly credentials: Credentials;
}

const lastRequests = new WeakMap<object, LastRequest>();

function credentialsOf(call: Call, rules: GuardedRoute, context: HandlerContext): Credentials | Fault {
  const { request, foreignPage } = call;
  const { url } = request;
  const { authorization } = request.headers;
  const { socket } = request.raw;
  const last = lastRequests.get(socket);
  const isSame = last?.url === url && last.authorization === authorization && last.rules === rules;
  if (isSame && last.foreignPage === foreignPage) return last.credentials;
  const proof = rules.credentials(call, context);
  if (isFault(proof)) return proof;
  const credentials = fromClient(call, proof);
  if (isLasting(authorization)) lastRequests.set(socket, { rules, url, authorization, foreignPage, credentials });
  return credentials;
}

function requestIdOf({ request, query }: Call, form: GuardedRoute['requestId']): string | Fault {
  const text = query.get('req_id');
  if (form === undefined) return request.id;
  if (form === 'signed') return readRequestId(text, request.id);
  return readWriteRequestId(text, request.id) ?? badId;
}

function hasEmptyParameter({ params }: Call): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

/** What is in the way of a WebSocket connection, which is then answered; undefined when it may open. */
export function socketRefusal(
  call: Call,
  { guard }: SocketRouteChecks,
  context: HandlerContext,
): FastifyReply | undefined {
  const { request, reply } = call;
  const state = context.intake.guard();
  if (state === guard) return sendGuardRefusal(call, context, state);
  if (request.ws) return undefined;
  reply.header('upgrade', 'websocket').header('connection', 'Upgrade');
  return sendJson(reply, 426, errorBody(Codes.free, 'this path speaks WebSocket: the request must ask for an upgrade'));
}

/**
 * Decides about a call before any route does: shutting down, a missing Host (RFC 9112 section 3.2), transfer codings, and cross-origin requests. False
 * when the request is answered by that. `opened` is the call, which takes the foreign page that it comes from.
 */
export function checkRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  open: OpenCalls,
  opened: OpenCall,
  cors: CorsPolicy,
  context: HandlerContext,
): boolean {
  if (open.draining) {
    context.observer?.refused('draining');
    return refuse(reply, 503, 'service is shutting down');
  }
  const { origin, host, referer, 'user-agent': userAgent } = request.headers;
  if (host === undefined && request.raw.httpVersion === '1.1') return refuse(reply, 400, 'the Host header is missing');
  if (request.url.startsWith('*') && request.method !== 'OPTIONS') return refuse(reply, 400, 'malformed URL');
  if (hasTwoHosts(request.raw.rawHeaders)) return refuse(reply, 400, 'there are two Host headers');
  const transfer = request.headers['transfer-encoding'];
  // The runtime undoes this coding alone, and passes the bytes of others on (RFC 9112 section 6.1 wants them refused).
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    const named = JSON.stringify(transfer.slice(0, 64));
    return refuse(reply, 501, `unsupported Transfer-Encoding ${named}: compression belongs into Content-Encoding`);
  }
  const [site, mode] = [headerText(request.headers['sec-fetch-site']), headerText(request.headers['sec-fetch-mode'])];
  const verdict = cors({
    method: request.method,
    origin,
    host,
    site,
    mode,
    referer,
    userAgent,
    isWebSocket: request.ws,
  });
  if (verdict.kind === 'refuse') {
    return refuse(reply, 403, verdict.reason);
  }
  opened.foreignPage = verdict.foreignPage;
  reply.headers(verdict.headers);
  if (verdict.kind === 'preflight') reply.code(204).send();
  return verdict.kind !== 'preflight';
}

function refuse(reply: FastifyReply, status: number, reason: string): false {
  sendJson(reply, status, errorBody(Codes.free, reason));
  return false;
}

/** Names and values alternate; the runtime itself keeps the first of them only (RFC 9112 section 3.2 wants such a request refused). */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

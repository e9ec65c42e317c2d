import type { IncomingMessage } from 'node:http';
import fastifyWebSocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { sendNotFound } from './answer/reply.js';
import type { RequestInFlight, RequestsInFlight } from './connection/requests-in-flight.js';
import type { HandlerContext } from './request/call.js';
import { HttpCall } from './request/http-call.js';
import { redactUri } from './request/redact.js';
import { headOf, type RequestHead } from './request/request-head.js';
import type { RequestEntry } from './request-entry.js';
import { type SocketRouteChecks, socketRefusal } from './route-checks.js';
import type { Route } from './routes.js';
import type { SocketConnections } from './websocket/connections.js';

type SocketRoute = Route & SocketRouteChecks;

/** True for a route that speaks WebSocket. */
export function isSocketRoute(route: Route): route is SocketRoute {
  return 'protocol' in route;
}

/** True for a request of an upgrade to WebSocket on a path that has it. */
export function asksForWebSocket({ method, url = '', headers }: IncomingMessage, paths: ReadonlySet<string>): boolean {
  const [path = ''] = url.split('?', 1);
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && paths.has(path);
}

interface SocketContext {
  readonly sockets: SocketConnections;
  readonly open: RequestsInFlight;
  readonly context: HandlerContext;
  readonly entry: RequestEntry;
}

/** The request that opened a connection. */
interface OpenSocketCall {
  readonly call: RequestInFlight;
  readonly head: RequestHead;
}

/** Compression of each message by itself: a connection that is idle holds no memory for it. */
const compression = {
  threshold: 1024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  concurrencyLimit: 4,
  zlibDeflateOptions: { level: 1 },
} as const;

/** Serves the routes of WebSocket: the request is checked as every other one, then its connection is taken over. */
export function mountSockets(
  app: FastifyInstance,
  socketRoutes: readonly SocketRoute[],
  socketContext: SocketContext,
): void {
  const { sockets, open, context, entry } = socketContext;
  const calls = new WeakMap<FastifyRequest, OpenSocketCall>();
  const maxPayload = longestMessage(context.settings.sqlBytes);
  app.register(async (scope) => {
    await scope.register(fastifyWebSocket, {
      options: { maxPayload, perMessageDeflate: compression },
      // Connections are closed before: see `drain` and `stop`.
      preClose: (done) => done(),
    });
    for (const route of socketRoutes) {
      const onRequest: onRequestHookHandler = (request, reply, next) => {
        const head = headOf(request.raw);
        const call = entry.enter(reply, head, route.path);
        if (call === undefined) return;
        calls.set(request, { call, head });
        if (socketRefusal(new HttpCall(reply, head, {}, call), route, context) === undefined) next();
      };
      scope.route({
        method: 'GET',
        url: route.path,
        exposeHeadRoute: false,
        onRequest,
        handler: (_request, reply) => sendNotFound(reply),
        wsHandler: (socket, request) => {
          const { call, head } = calls.get(request) ?? {};
          if (call !== undefined) open.upgraded(call);
          const link = { from: head?.client ?? '', foreignPage: head?.foreignPage, uri: redactUri(request.url) };
          sockets.add(route.protocol, { socket, stream: request.raw.socket, link, route: route.path, context });
        },
      });
    }
  });
}

/** Longest message in bytes: a statement of the longest kind, written as JSON, or bound rows of as many bytes. */
function longestMessage(sqlBytes: number): number {
  return 2 * sqlBytes + 65_536;
}

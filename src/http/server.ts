import { createServer, type RequestListener, type Server } from 'node:http';
import { type Socket, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { BodyBudget } from '../async/body-budget.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { CorsSettings } from '../model/cors-settings.js';
import type { Intake } from '../model/exchange.js';
import { Codes } from '../model/fault.js';
import type { TlsSettings } from '../model/tls-settings.js';
import { otherMethods, suggestedPath } from './answer/path-suggestion.js';
import { errorBody, safeJson, sendJson, sendNotFound } from './answer/reply.js';
import { clientStatusOf } from './answer/status.js';
import { createApiDocument } from './api/document.js';
import { CoalescedMessage } from './connection/coalesced-message.js';
import { answerMalformed, refuseExpectation } from './connection/malformed-request.js';
import { RequestsInFlight } from './connection/requests-in-flight.js';
import { createTlsPort, type TlsPort } from './connection/tls-port.js';
import { pageFolder } from './handlers/page-files.js';
import type { HandlerContext, HandlerSettings, HttpObserver, RecordSql } from './request/call.js';
import { createCorsPolicy } from './request/cors.js';
import { createLoginCodes } from './request/login-code.js';
import { requestIdOf } from './request/parameters.js';
import { headOf } from './request/request-head.js';
import { RequestEntry } from './request-entry.js';
import { checkedHandler } from './route-checks.js';
import { routes } from './routes.js';
import { asksForWebSocket, isSocketRoute, mountSockets } from './socket-routes.js';
import { SocketConnections } from './websocket/connections.js';
import { maxHeaderBytes, routerOptions, WriteRoutes } from './write-routes.js';

/** Time limits of connections; what is left out has the default named beside it. */
export interface HttpTimeouts {
  /** From the start of a request to the end of its headers: 10 s. */
  readonly headersMs?: number;
  /** From the start of a request to the end of its body: 10 min. */
  readonly requestMs?: number;
  /** Silence of a client that owes body bytes, or does not read its answer: 60 s. */
  readonly idleMs?: number;
  /** In which 64 KB at least come of a body whose request is answered already: 10 s. */
  readonly answeredMs?: number;
  /** Silence between two requests on one connection: 75 s. */
  readonly keepAliveMs?: number;
}

/** Options of the HTTP server. */
interface HttpServerOptions {
  readonly intake: Intake;
  readonly bodies: BodyBudget;
  /** Absent: all interfaces, IPv6 and IPv4. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly settings: HandlerSettings;
  readonly cors: CorsSettings;
  /** Secret that login codes are sealed under, at least 16 random bytes, one per installation. */
  readonly loginSecret: Uint8Array;
  /** Of the package; the description of the interfaces names it. */
  readonly version: string;
  readonly log: ComponentLog;
  readonly observer?: HttpObserver;
  readonly recordSql?: RecordSql;
  readonly timeouts?: HttpTimeouts;
  /** Left out: plain HTTP. */
  readonly tls?: TlsSettings;
}

/** The HTTP listener as a component. */
export interface HttpServer extends Omit<Required<Component>, 'start' | 'drain'> {
  /** Open connections. */
  readonly connections: number;
  /** Resolves with the bound port; rejects when the port is taken or a setting is bad. */
  start(): Promise<number>;
  /** Resolves when every request that was open is answered, which is up to its client. */
  drain(): Promise<void>;
}

const connectionCheckMs = 1_000;
const second = 1_000;

/**
 * The HTTP server. Throws on a bad cross-origin setting, a login secret that is too short, or files of TLS that are
 * none. `drain` stops accepting, closes connections as they fall idle, and resolves when all requests are answered;
 * `stop` cuts what is left.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const cors = createCorsPolicy(options.cors);
  const mounted = routes.filter(({ isOn }) => isOn?.(options.settings) ?? true);
  const open = new RequestsInFlight(options.timeouts?.answeredMs ?? 10 * second);
  const context: HandlerContext = {
    description: safeJson(createApiDocument(mounted, options.version)),
    intake: options.intake,
    bodies: options.bodies,
    settings: options.settings,
    loginCodes: createLoginCodes({ secret: options.loginSecret }),
    log: options.log,
    observer: options.observer,
    recordSql: options.recordSql,
  };
  const entry = new RequestEntry(open, cors, context);
  const writes = new WriteRoutes(mounted, entry, context);
  const sockets = new SocketConnections();
  const socketRoutes = mounted.filter(isSocketRoute);
  const server = buildServer(options, open, new Set(socketRoutes.map(({ path }) => path)));
  const app = buildApp(server, open, entry, (request, response) => writes.serve(request, response));
  // Before Fastify looks at a body here, too.
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) next();
    else if (entry.enter(reply, headOf(request.raw), 'unknown')) {
      const { method, url } = request;
      sendNotFound(reply, { elsewhere: suggestedPath(url, mounted), here: otherMethods(method, url, mounted) });
    }
  });
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  for (const route of mounted) {
    if (isSocketRoute(route) || route.isWrite === true) continue;
    const { method, path } = route;
    const handle = checkedHandler(route, context);
    app.route({
      method,
      url: path,
      // Before anything would read a body: handlers read bodies themselves, whatever type their header names.
      onRequest: (request, reply) => entry.serve(reply, headOf(request.raw), path, paramsOf(request.params), handle),
      handler: unserved,
    });
  }
  mountSockets(app, socketRoutes, { sockets, open, context, entry });

  app.server.on('checkExpectation', refuseExpectation);
  // The server would end the connection of a client that has closed its half before it has its answer.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  let connections = 0;
  app.server.on('connection', (socket: Socket) => {
    connections++;
    socket.once('close', () => connections--);
    socket.once('end', () => open.halfClosed(socket));
  });
  const { tls, log } = options;
  const secure = tls && createTlsPort(tls, log, (socket) => app.server.emit('connection', socket));
  const listener = secure?.server ?? app.server;
  let stopped: Promise<void> | undefined;
  return {
    name: 'http',
    get connections() {
      return connections;
    },
    start: async () => {
      await app.ready();
      const port = await listen(listener, options);
      // A server that does not listen itself begins to watch over its connections by this event.
      if (secure !== undefined) app.server.emit('listening');
      return port;
    },
    drain: () => {
      // The server's own way to close also cuts connections that it takes for idle, which may have requests that it has
      // not seen.
      SocketServer.prototype.close.call(listener);
      const calls = open.drain(() => app.server.closeIdleConnections());
      return Promise.all([calls, sockets.drain()]).then(() => undefined);
    },
    stop: () => {
      sockets.stop();
      stopped ??= release(app, listener, secure);
      return stopped;
    },
  };
}

async function release(app: FastifyInstance, listener: SocketServer, secure: TlsPort | undefined): Promise<void> {
  if (listener.listening) listener.close();
  // Ends the watch over its connections, also when it does not listen any more.
  app.server.close();
  secure?.release();
  app.server.closeAllConnections();
  await app.close();
}

/** Parameters are read by their descriptions: Fastify's compilers of schemas, half of its code, need not be there. */
function noSchemas(): never {
  throw new Error('A route has a schema, which nothing here compiles.');
}

function unserved(): never {
  throw new Error('A route was not served at its beginning.');
}

function paramsOf(params: unknown): Readonly<Record<string, string>> {
  return typeof params === 'object' && params !== null ? { ...params } : {};
}

/** Serves a request in front of Fastify; false when that has to do it. */
type FirstListener = (...request: Parameters<RequestListener>) => boolean;

function buildApp(
  { server, malformed }: BuiltServer,
  open: RequestsInFlight,
  entry: RequestEntry,
  servesFirst: FirstListener,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: ({ url = '' }) => requestIdOf(url),
    routerOptions,
    serverFactory: (toFastify) =>
      server.on('request', (request, response) => {
        if (!servesFirst(request, response)) toFastify(request, response);
      }),
    clientErrorHandler: malformed,
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      sendJson(reply, 400, errorBody(Codes.free, 'malformed URL')),
  });
  app.register(fastifyStatic, { root: pageFolder, serve: false });
  app.server.on('timeout', (socket: Socket) => judgeSilence(socket, open));
  app.setErrorHandler((error, request, reply: FastifyReply) => {
    const status = clientStatusOf(error);
    if (status === undefined) entry.failed({ request, reply }, error);
    else sendJson(reply, status, errorBody(Codes.free, 'the request cannot be answered'));
  });
  return app;
}

/** The runtime's server, and what answers bytes that are no request. */
interface BuiltServer {
  readonly server: Server;
  readonly malformed: (error: Error, socket: Duplex) => void;
}

function buildServer(
  { timeouts = {} }: HttpServerOptions,
  open: RequestsInFlight,
  socketPaths: ReadonlySet<string>,
): BuiltServer {
  const malformed: BuiltServer['malformed'] = (error, socket) =>
    open.behindOthers(socket, () => answerMalformed(error, socket, open.answering(socket)));
  const headersMs = timeouts.headersMs ?? 10 * second;
  const server = createServer({
    IncomingMessage: class extends CoalescedMessage {
      #mayUpgrade = false;
      /**
       * What the runtime takes out of HTTP; a request for another protocol, or to another path, is answered as if it
       * requested none.
       */
      get upgrade(): boolean {
        return this.#mayUpgrade && asksForWebSocket(this, socketPaths);
      }
      set upgrade(value: boolean | null) {
        // The constructor of the runtime's class sets it before there are private fields.
        if (#mayUpgrade in this) this.#mayUpgrade = value === true;
      }
      protected override tooTiny(error: Error, socket: Socket): void {
        malformed(error, socket);
      }
    },
    maxHeaderSize: maxHeaderBytes,
    // Checked with the other headers, where the answer has a body.
    requireHostHeader: false,
    headersTimeout: headersMs,
    requestTimeout: timeouts.requestMs ?? 600 * second,
    keepAliveTimeout: timeouts.keepAliveMs ?? 75 * second,
    connectionsCheckingInterval: Math.min(connectionCheckMs, headersMs),
  });
  // The size of a head is limited; a header beyond a number of them would be left out without a word.
  server.maxHeadersCount = 0;
  server.setTimeout(timeouts.idleMs ?? 60 * second);
  return { server, malformed };
}

/**
 * Cuts a connection that was silent for the idle span, when the next move is the client's. Bytes may have come while
 * the event loop was late, so the sockets are polled once more before the verdict.
 */
function judgeSilence(socket: Socket, open: RequestsInFlight): void {
  const before = socket.bytesRead;
  setImmediate(() => {
    if (socket.bytesRead === before && open.clientIsStuck(socket)) socket.destroy();
    // The service is the slow one: look again after another span.
    else socket.setTimeout(socket.timeout ?? 0);
  });
}

function listen(server: SocketServer, options: HttpServerOptions): Promise<number> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => {
      const inUse = 'code' in cause && cause.code === 'EADDRINUSE';
      const why = inUse ? 'the port is in use' : cause.message;
      reject(new Error(`Cannot listen for HTTP on ${host ?? '*'}:${port}: ${why}.`, { cause }));
    };
    server.once('error', failed);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

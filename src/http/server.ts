import { Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import fastifyStatic from '@fastify/static';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify';
import type { BodyBudget } from '../async/body-budget.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { CorsSettings } from '../model/cors-settings.js';
import type { Intake } from '../model/exchange.js';
import { Codes } from '../model/fault.js';
import type { TlsSettings } from '../model/tls-settings.js';
import { otherMethods, probablePath } from './answer/path-suggestion.js';
import { errorBody, hasFailed, safeJson, sendInternalError, sendJson, sendNotFound } from './answer/reply.js';
import { clientStatusOf } from './answer/status.js';
import { createApiDocument } from './api/document.js';
import { answerBrokenRequest, refuseExpectation } from './connection/broken-request.js';
import { CoalescedMessage } from './connection/coalesced-message.js';
import { type OpenCall, OpenCalls } from './connection/open-calls.js';
import { RepeatedHeads } from './connection/repeated-heads.js';
import { createTlsPort, type TlsPort } from './connection/tls-port.js';
import { pageFolder } from './handlers/page-files.js';
import type { Call, Handler, HandlerContext, HandlerSettings, HttpObserver, RecordSql } from './request/call.js';
import { plainAddress } from './request/client-address.js';
import { createCorsPolicy } from './request/cors.js';
import { HttpCall } from './request/http-call.js';
import { createLoginCodes } from './request/login-code.js';
import { requestIdOf } from './request/parameters.js';
import { redactUri } from './request/redact.js';
import { checkedHandler, checkRequest } from './route-checks.js';
import { type Route, routes } from './routes.js';
import { asksForWebSocket, type Enter, isSocketRoute, mountSockets } from './socket-routes.js';
import { SocketConnections } from './websocket/connections.js';

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

const maxHeaderBytes = 65_536;
const connectionCheckMs = 1_000;
const second = 1_000;

/**
 * The HTTP server. Throws on a bad cross-origin setting, a login secret that is too short, or files of TLS that are none. `drain` stops accepting,
 * closes connections as they fall idle, and resolves when all requests are answered; `stop` cuts what is left.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const cors = createCorsPolicy(options.cors);
  const mounted = routes.filter(({ isOn }) => isOn?.(options.settings) ?? true);
  const open = new OpenCalls(options.timeouts?.answeredMs ?? 10 * second);
  const heads = new RepeatedHeads({
    open,
    mayServe: () => !open.draining && options.log.dropsDebug === true && options.intake.guard() !== 'all-paused',
    keepAliveMs: keepAliveMsOf(options),
  });
  const context: HandlerContext = {
    description: safeJson(createApiDocument(mounted, options.version)),
    intake: options.intake,
    bodies: options.bodies,
    settings: options.settings,
    loginCodes: createLoginCodes({ secret: options.loginSecret }),
    log: options.log,
    observer: options.observer,
    recordSql: options.recordSql,
    heads,
  };
  const sockets = new SocketConnections();
  const socketRoutes = mounted.filter(isSocketRoute);
  const app = buildApp(options, open, new Set(socketRoutes.map(({ path }) => path)));
  const enter: Enter = (request, reply, route) => {
    // Requests that were read together with the last one of a connection that was cut.
    if (request.raw.socket.destroyed) return undefined;
    const call = open.add(request.raw, reply.raw);
    call.resumed = heads.begun(request.raw);
    watch(call, request, reply, route, options);
    return checkRequest(request, reply, open, call, cors, context) ? call : undefined;
  };
  // Before Fastify looks at a body here, too.
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) next();
    else if (enter(request, reply, 'unknown')) {
      const { method, url } = request;
      sendNotFound(reply, { elsewhere: probablePath(url, mounted), here: otherMethods(method, url, mounted) });
    }
  });
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  for (const route of mounted) {
    if (!isSocketRoute(route)) mount(app, route, checkedHandler(route, context), enter);
  }
  mountSockets(app, socketRoutes, { sockets, open, context, enter });

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
      // The server's own way to close also cuts connections that it takes for idle, which may have requests that it has not seen.
      Server.prototype.close.call(listener);
      const calls = open.drain(() => {
        if (heads.open === 0) app.server.closeIdleConnections();
      });
      return Promise.all([calls, sockets.drain()]).then(() => undefined);
    },
    stop: () => {
      sockets.stop();
      stopped ??= release(app, listener, secure);
      return stopped;
    },
  };
}

async function release(app: FastifyInstance, listener: Server, secure: TlsPort | undefined): Promise<void> {
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

function noQuery(): Record<string, never> {
  return {};
}

function keepAliveMsOf({ timeouts }: HttpServerOptions): number {
  return timeouts?.keepAliveMs ?? 75 * second;
}

function buildApp(options: HttpServerOptions, open: OpenCalls, socketPaths: ReadonlySet<string>): FastifyInstance {
  const timeouts = options.timeouts ?? {};
  const headersMs = timeouts.headersMs ?? 10 * second;
  const requestMs = timeouts.requestMs ?? 600 * second;
  const answerBroken = (error: Error, socket: Duplex): void =>
    open.behindOthers(socket, () => answerBrokenRequest(error, socket, open.answering(socket)));
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: ({ url }) => requestIdOf(url),
    // Handlers read the query themselves.
    routerOptions: { maxParamLength: maxHeaderBytes, caseSensitive: true, querystringParser: noQuery },
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMsOf(options),
    connectionTimeout: timeouts.idleMs ?? 60 * second,
    http: {
      IncomingMessage: class extends CoalescedMessage {
        #mayUpgrade = false;
        /** What the runtime takes out of HTTP; a request for another protocol, or to another path, is answered as if it asked for none. */
        get upgrade(): boolean {
          return this.#mayUpgrade && asksForWebSocket(this, socketPaths);
        }
        set upgrade(value: boolean | null) {
          // The constructor of the runtime's class sets it before there are private fields.
          if (#mayUpgrade in this) this.#mayUpgrade = value === true;
        }
        protected override tooTiny(error: Error, socket: Socket): void {
          answerBroken(error, socket);
        }
      },
      maxHeaderSize: maxHeaderBytes,
      // Decided by the server, where the answer has a body.
      requireHostHeader: false,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(connectionCheckMs, headersMs),
    },
    clientErrorHandler: answerBroken,
    frameworkErrors: (_error, _request, reply) => sendJson(reply, 400, errorBody(Codes.free, 'malformed URL')),
  });
  // The size of a head is limited; a header beyond a number of them would be left out without a word.
  app.server.maxHeadersCount = 0;
  app.register(fastifyStatic, { root: pageFolder, serve: false });
  app.server.on('timeout', (socket: Socket) => judgeSilence(socket, open));
  app.setErrorHandler((error, request, reply) => {
    const status = clientStatusOf(error);
    if (status !== undefined) {
      sendJson(reply, status, errorBody(Codes.free, 'the request cannot be answered'));
      return;
    }
    options.log.error({ requestId: request.id, uri: redactUri(request.url), err: error }, 'A request failed.');
    sendInternalError(reply);
  });
  return app;
}

/**
 * Cuts a connection that was silent for the idle span, when the next move is the client's. Bytes may have come while the
 * event loop was late, so the sockets are polled once more before the verdict.
 */
function judgeSilence(socket: Socket, open: OpenCalls): void {
  const before = socket.bytesRead;
  setImmediate(() => {
    if (socket.bytesRead === before && open.clientIsStuck(socket)) socket.destroy();
    // The service is the slow one: look again after another span.
    else socket.setTimeout(socket.timeout ?? 0);
  });
}

/** Takes note of a request and of its end, whatever way it ends. */
function watch(
  call: OpenCall,
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
  options: HttpServerOptions,
): void {
  const { log, observer } = options;
  const { resumed } = call;
  const started = resumed?.startedMs ?? performance.now();
  // Read now: a closed socket has no address.
  const client = plainAddress(request.ip);
  if (resumed === undefined) observer?.begun();
  call.ended = () => {
    const status = call.isUpgraded ? 101 : reply.raw.writableFinished ? reply.statusCode : 499;
    const seconds = (performance.now() - started) / second;
    const { method } = request;
    const failed = status >= 400 || hasFailed(reply);
    observer?.ended({ route, method, status, seconds, client, failed });
    const isError = status === 500 || status === 502;
    if (!isError && log.dropsDebug) return;
    const fields = {
      requestId: resumed?.id ?? request.id,
      method,
      uri: redactUri(request.url),
      status,
      seconds,
      client,
    };
    if (isError) log.warn(fields, 'Request answered with an error.');
    else log.debug(fields, 'Request answered.');
  };
}

/**
 * A route is served before anything would read a body: handlers read bodies themselves, whatever type they are said to have.
 */
function mount(app: FastifyInstance, route: Pick<Route, 'method' | 'path'>, handle: Handler, enter: Enter): void {
  const onRequest: onRequestHookHandler = (request, reply, next) => {
    const open = enter(request, reply, route.path);
    if (open === undefined) return;
    const { params } = request;
    // An encoded slash splits a segment, and only a job and what follows it may have more.
    if (!isParameters(params) || hasSplitSegment(params)) {
      sendNotFound(reply);
      return;
    }
    const call = new HttpCall(request, reply, params, open);
    // By the next tick all of a short body has been read.
    const begin = (): void => process.nextTick(serve, handle, call, next);
    // What came behind another request of its connection waits until that is answered: a connection has one turn, however much it sends.
    if (reply.raw.socket === null) reply.raw.once('socket', begin);
    else begin();
  };
  const handler = (): never => {
    throw new Error('A route was not served at its beginning.');
  };
  app.route({ method: route.method, url: route.path, onRequest, handler });
}

function serve(handle: Handler, call: Call, failed: (error: Error) => void): void {
  try {
    const answer = handle(call);
    if (answer instanceof Promise) answer.catch(failed);
  } catch (error) {
    failed(error instanceof Error ? error : new Error(String(error)));
  }
}

function isParameters(params: unknown): params is Call['params'] {
  return typeof params === 'object' && params !== null;
}

function hasSplitSegment(params: Call['params']): boolean {
  for (const name in params) if (name !== '*' && name !== 'job' && params[name]?.includes('/')) return true;
  return false;
}

function listen(server: Server, options: HttpServerOptions): Promise<number> {
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

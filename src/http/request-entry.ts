import { hasFailed, sendInternalError, sendNotFound } from './answer/reply.js';
import type { RequestInFlight, RequestsInFlight } from './connection/requests-in-flight.js';
import type { Call, Handler, HandlerContext, Reply } from './request/call.js';
import type { CorsPolicy } from './request/cors.js';
import { HttpCall } from './request/http-call.js';
import { redactUri } from './request/redact.js';
import type { RequestHead } from './request/request-head.js';
import { checkRequest } from './route-checks.js';

const second = 1_000;

/** The steps from a parsed request to its handler: the same for writes and for what the router of Fastify serves. */
export class RequestEntry {
  readonly #open: RequestsInFlight;
  readonly #cors: CorsPolicy;
  readonly #context: HandlerContext;

  constructor(open: RequestsInFlight, cors: CorsPolicy, context: HandlerContext) {
    this.#open = open;
    this.#cors = cors;
    this.#context = context;
  }

  /**
   * Takes a request in flight and makes the general checks. Returns undefined when they answer the request, or its
   * connection is gone. `route` is the template of its path, for the metrics.
   */
  enter(reply: Reply, head: RequestHead, route: string): RequestInFlight | undefined {
    const { request } = reply;
    // Requests that were read together with the last one of a connection that was cut.
    if (request.raw.socket.destroyed) return undefined;
    const inFlight = this.#open.add(request.raw, reply.raw);
    this.#watch(inFlight, reply, head, route);
    return checkRequest(request, reply, head, this.#open, this.#cors, this.#context) ? inFlight : undefined;
  }

  /** Enters a request and calls its handler when it is its turn on the connection. Its body is not read before. */
  serve<R extends Reply>(
    reply: R,
    head: RequestHead,
    route: string,
    params: Call['params'],
    handle: Handler<HttpCall<R>>,
  ): void {
    const inFlight = this.enter(reply, head, route);
    if (inFlight === undefined) return;
    // An encoded slash splits a segment, and only a job and what follows it may have more.
    if (hasSplitSegment(params)) {
      sendNotFound(reply);
      return;
    }
    const call = new HttpCall(reply, head, params, inFlight);
    // By the next tick all of a short body has been read.
    const begin = (): void => process.nextTick(run, handle, call, this);
    // A request behind another one of its connection waits until that is answered: a connection has one turn.
    if (reply.raw.socket === null) reply.raw.once('socket', begin);
    else begin();
  }

  /** Logs and answers a request whose handler has failed because of a mistake in the program. */
  failed({ request, reply }: Pick<Call, 'request' | 'reply'>, error: unknown): void {
    const fields = { requestId: request.id, uri: redactUri(request.url), err: error };
    this.#context.log.error(fields, 'A request failed.');
    sendInternalError(reply);
  }

  /** Records a request and its end, whatever way it ends. */
  #watch(inFlight: RequestInFlight, reply: Reply, { client }: RequestHead, route: string): void {
    const { log, observer } = this.#context;
    const { request } = reply;
    const started = performance.now();
    observer?.begun();
    inFlight.ended = () => {
      const status = inFlight.isUpgraded ? 101 : reply.raw.writableFinished ? reply.statusCode : 499;
      const seconds = (performance.now() - started) / second;
      const { method } = request;
      observer?.ended({ route, method, status, seconds, client, failed: status >= 400 || hasFailed(reply) });
      const isError = status === 500 || status === 502;
      if (!isError && log.dropsDebug) return;
      const fields = { requestId: request.id, method, uri: redactUri(request.url), status, seconds, client };
      if (isError) log.warn(fields, 'Request answered with an error.');
      else log.debug(fields, 'Request answered.');
    };
  }
}

function run<C extends Call>(handle: Handler<C>, call: C, entry: RequestEntry): void {
  try {
    const answer = handle(call);
    if (answer instanceof Promise) answer.catch((error: unknown) => entry.failed(call, error));
  } catch (error) {
    entry.failed(call, error);
  }
}

function hasSplitSegment(params: Call['params']): boolean {
  for (const name in params) if (name !== '*' && name !== 'job' && params[name]?.includes('/')) return true;
  return false;
}

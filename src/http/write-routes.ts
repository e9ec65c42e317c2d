import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import { DirectReply } from './answer/direct-reply.js';
import type { HandlerContext } from './request/call.js';
import { cachedHead, headOf } from './request/request-head.js';
import type { RequestEntry } from './request-entry.js';
import { checkedWrite } from './route-checks.js';
import type { Route } from './routes.js';

/** Longest head of a request, and so longest parameter of a path, in bytes. */
export const maxHeaderBytes = 65_536;

/**
 * Options of Fastify's router and of the one here, so that both read paths alike. Handlers read the query themselves.
 */
export const routerOptions = {
  maxParamLength: maxHeaderBytes,
  caseSensitive: true,
  querystringParser: (): Record<string, never> => ({}),
};

/**
 * Serves the routes that write, in front of Fastify, on the requests of the runtime's parser. A small write costs
 * little more than its HTTP; Fastify's objects and hooks would double that, see docs/decisions/043.
 */
export class WriteRoutes {
  readonly #router = findMyWay(routerOptions);

  constructor(routes: readonly Route[], entry: RequestEntry, context: HandlerContext) {
    for (const route of routes) {
      if (route.isWrite !== true) continue;
      const { method, path } = route;
      const handle = checkedWrite(route, context);
      // As Fastify does, so that both answer HEAD alike.
      this.#router.on(method === 'GET' ? ['GET', 'HEAD'] : method, path, (first, firstResponse, params) => {
        const head = headOf(first);
        head.serve = (request, response) =>
          entry.serve(new DirectReply(request, response, head), head, path, params, handle);
        head.serve(first, firstResponse);
      });
    }
  }

  /** Serves a request; false when its route does not write. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const cached = cachedHead(request)?.serve;
    if (cached !== undefined) {
      cached(request, response);
      return true;
    }
    const method = request.method as findMyWay.HTTPMethod;
    const route = this.#router.find(method, request.url ?? '');
    route?.handler(request, response, route.params, undefined, route.searchParams);
    return route !== null;
  }
}

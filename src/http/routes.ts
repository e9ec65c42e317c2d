import type { Handler, HandlerContext } from './call.js';
import { eventHandler, eventsHandler, moveHandler } from './handlers/events.js';
import { lineprotoWriteHandler } from './handlers/lineproto-write.js';
import { loginHandler } from './handlers/login.js';
import { metricsHandler } from './handlers/metrics.js';
import { pingHandler } from './handlers/ping.js';
import { remoteReadHandler } from './handlers/remote-read.js';
import { remoteWriteHandler } from './handlers/remote-write.js';
import { sqlHandler } from './handlers/sql.js';
import { tsdbwireWriteHandler } from './handlers/tsdbwire-write.js';
import { vgroupHandler, vgroupsHandler } from './handlers/vgid.js';

/** One interface. A path segment that begins with a colon is a parameter. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly handle: Handler;
}

/** Every interface of the service (specification 1, "Endpoints"). Whatever is not here is 404. */
export function routes(context: HandlerContext): readonly Route[] {
  const sql = sqlHandler(context);
  const { lineproto, metricsdb, tsdbwire } = context.settings;
  const putJson = tsdbwireWriteHandler(context, 'tsdbwire-json');
  const putTelnet = tsdbwireWriteHandler(context, 'tsdbwire-telnet');
  return [
    { method: 'POST', path: '/rest/sql', handle: sql },
    { method: 'POST', path: '/rest/sql/:db', handle: sql },
    { method: 'GET', path: '/rest/vgid', handle: vgroupHandler(context) },
    { method: 'POST', path: '/rest/sql/:db/vgid', handle: vgroupsHandler(context) },
    { method: 'GET', path: '/rest/login/:user/:password', handle: loginHandler(context) },
    { method: 'GET', path: '/-/ping', handle: pingHandler(context) },
    { method: 'GET', path: '/metrics', handle: metricsHandler(context) },
    { method: 'GET', path: '/api/v1/events', handle: eventsHandler(context) },
    { method: 'GET', path: '/api/v1/events/:id', handle: eventHandler(context) },
    { method: 'PUT', path: '/api/v1/events/:id/acknowledge', handle: moveHandler(context, 'acknowledge') },
    { method: 'PUT', path: '/api/v1/events/:id/resolve', handle: moveHandler(context, 'resolve') },
    ...when(lineproto.enable, { method: 'POST', path: '/lineproto/v1/write', handle: lineprotoWriteHandler(context) }),
    ...when(tsdbwire.enable, { method: 'POST', path: '/tsdbwire/v1/put/json/:db', handle: putJson }),
    ...when(tsdbwire.enable, { method: 'POST', path: '/tsdbwire/v1/put/telnet/:db', handle: putTelnet }),
    ...when(metricsdb.enable, {
      method: 'POST',
      path: '/metricsdb/v1/remote_write/:db',
      handle: remoteWriteHandler(context),
    }),
    ...when(metricsdb.enable, {
      method: 'POST',
      path: '/metricsdb/v1/remote_read/:db',
      handle: remoteReadHandler(context),
    }),
  ];
}

function when(enabled: boolean, route: Route): readonly Route[] {
  return enabled ? [route] : [];
}

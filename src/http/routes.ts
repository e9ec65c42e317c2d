import type { Operation } from './api/description.js';
import { eventOperations } from './api/events.js';
import { metricsSystemOperations } from './api/metrics-system.js';
import { serviceOperations } from './api/service.js';
import { sqlOperations } from './api/sql.js';
import { statementOperations } from './api/statements.js';
import { writeOperations } from './api/writes.js';
import type { Handler, HandlerContext, HandlerSettings } from './call.js';
import { descriptionHandler } from './handlers/description.js';
import { eventHandler, eventsHandler, moveHandler } from './handlers/events.js';
import { lineprotoWriteHandler } from './handlers/lineproto-write.js';
import { loginHandler } from './handlers/login.js';
import { metricsHandler } from './handlers/metrics.js';
import { fileHandler, namedFileHandler } from './handlers/page-files.js';
import { pingHandler } from './handlers/ping.js';
import { remoteReadHandler } from './handlers/remote-read.js';
import { remoteWriteHandler } from './handlers/remote-write.js';
import { slowStatementsHandler } from './handlers/slow-statements.js';
import { sqlHandler } from './handlers/sql.js';
import { tsdbwireWriteHandler } from './handlers/tsdbwire-write.js';
import { vgroupHandler, vgroupsHandler } from './handlers/vgid.js';

/** One interface, with its description. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** A segment that begins with a colon is a parameter. */
  readonly path: string;
  readonly operation: Operation;
  readonly handler: (context: HandlerContext) => Handler;
  /** Left out: always. */
  readonly isOn?: (settings: HandlerSettings) => boolean;
}

const [sql, writes, events] = [sqlOperations, writeOperations, eventOperations];
const { remoteRead, remoteWrite } = metricsSystemOperations;
const service = serviceOperations;

const lineproto = (settings: HandlerSettings): boolean => settings.lineproto.enable;
const tsdbwire = (settings: HandlerSettings): boolean => settings.tsdbwire.enable;
const metricsdb = (settings: HandlerSettings): boolean => settings.metricsdb.enable;
const putJson = (context: HandlerContext): Handler => tsdbwireWriteHandler(context, 'tsdbwire-json');
const putTelnet = (context: HandlerContext): Handler => tsdbwireWriteHandler(context, 'tsdbwire-telnet');
const acknowledge = (context: HandlerContext): Handler => moveHandler(context, 'acknowledge');
const resolve = (context: HandlerContext): Handler => moveHandler(context, 'resolve');

/** Every interface of the service (specification 1 and 3, "Endpoints"). Whatever is not here is 404. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/rest/sql', operation: sql.run, handler: sqlHandler },
  { method: 'POST', path: '/rest/sql/:db', operation: sql.runIn, handler: sqlHandler },
  { method: 'GET', path: '/rest/vgid', operation: sql.vgroup, handler: vgroupHandler },
  { method: 'POST', path: '/rest/sql/:db/vgid', operation: sql.vgroups, handler: vgroupsHandler },
  { method: 'GET', path: '/rest/login/:user/:password', operation: service.login, handler: loginHandler },
  { method: 'GET', path: '/-/ping', operation: service.ping, handler: pingHandler },
  { method: 'GET', path: '/metrics', operation: service.metrics, handler: metricsHandler },
  {
    method: 'POST',
    path: '/lineproto/v1/write',
    operation: writes.lineproto,
    handler: lineprotoWriteHandler,
    isOn: lineproto,
  },
  {
    method: 'POST',
    path: '/tsdbwire/v1/put/json/:db',
    operation: writes.putJson,
    handler: putJson,
    isOn: tsdbwire,
  },
  {
    method: 'POST',
    path: '/tsdbwire/v1/put/telnet/:db',
    operation: writes.putTelnet,
    handler: putTelnet,
    isOn: tsdbwire,
  },
  {
    method: 'POST',
    path: '/metricsdb/v1/remote_write/:db',
    operation: remoteWrite,
    handler: remoteWriteHandler,
    isOn: metricsdb,
  },
  {
    method: 'POST',
    path: '/metricsdb/v1/remote_read/:db',
    operation: remoteRead,
    handler: remoteReadHandler,
    isOn: metricsdb,
  },
  { method: 'GET', path: '/api/v1/events', operation: events.list, handler: eventsHandler },
  { method: 'GET', path: '/api/v1/events/:id', operation: events.get, handler: eventHandler },
  { method: 'PUT', path: '/api/v1/events/:id/acknowledge', operation: events.acknowledge, handler: acknowledge },
  { method: 'PUT', path: '/api/v1/events/:id/resolve', operation: events.resolve, handler: resolve },
  { method: 'GET', path: '/api/v1/statements', operation: statementOperations.slow, handler: slowStatementsHandler },
  { method: 'GET', path: '/openapi.json', operation: service.description, handler: descriptionHandler },
  {
    method: 'GET',
    path: '/swagger-ui.html',
    operation: service.swaggerUi,
    handler: () => namedFileHandler('swagger-ui.html'),
  },
  { method: 'GET', path: '/', operation: service.page, handler: () => namedFileHandler('index.html') },
  { method: 'GET', path: '/page/:file', operation: service.pageFile, handler: fileHandler },
];

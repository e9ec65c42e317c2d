import { apiErrors, opentsdbErrors, restErrors, textErrors, tsdbwireErrors } from './answer/error-forms.js';
import type { Operation } from './api/description.js';
import { documentOperations } from './api/documents.js';
import { eventOperations } from './api/events.js';
import { influxOperations } from './api/influx.js';
import { metricsSystemOperations } from './api/metrics-system.js';
import { prometheusOperations } from './api/prometheus.js';
import { ruleOperations } from './api/rules.js';
import { serviceOperations } from './api/service.js';
import { sqlOperations } from './api/sql.js';
import { statementOperations } from './api/statements.js';
import { socketOperations } from './api/websocket.js';
import { writeOperations } from './api/writes.js';
import {
  createDocumentHandler,
  deleteDocumentHandler,
  documentHandler,
  listDocumentsHandler,
  replaceDocumentHandler,
} from './handlers/documents.js';
import { eventHandler, eventsHandler, moveHandler } from './handlers/events.js';
import { influx1Errors, influx2Errors, influxCredentials } from './handlers/influx/influx.js';
import {
  influxBucketHandler,
  influxBucketsHandler,
  influxChangeBucketHandler,
  influxDropBucketHandler,
  influxNewBucketHandler,
  influxOrganizationHandler,
  influxOrganizationsHandler,
} from './handlers/influx/influx-buckets.js';
import { influxQuery3Handler, influxQueryHandler } from './handlers/influx/influx-query.js';
import { influxHealthHandler, influxPingHandler, influxReadyHandler } from './handlers/influx/influx-status.js';
import { influx1WriteHandler, influx2WriteHandler, influx3WriteHandler } from './handlers/influx/influx-write.js';
import { lineprotoErrors, lineprotoWriteHandler } from './handlers/lineproto-write.js';
import { loginHandler } from './handlers/login.js';
import { otlpErrors } from './handlers/otlp.js';
import { otlpWriteHandler } from './handlers/otlp-write.js';
import { fileHandler, namedFileHandler } from './handlers/page-files.js';
import {
  buildInfoHandler,
  configHandler,
  prometheusErrors,
  prometheusHandler,
} from './handlers/prometheus/prometheus.js';
import { forgetHandler, importHandler, pushHandler } from './handlers/push.js';
import { remoteReadHandler } from './handlers/remote-read.js';
import { remoteWriteHandler } from './handlers/remote-write.js';
import {
  createRuleHandler,
  endSilenceHandler,
  notificationsHandler,
  reloadRulesHandler,
  removeRuleHandler,
  replaceRuleHandler,
  rulesHandler,
  silenceHandler,
  testNotificationsHandler,
  tryRuleHandler,
} from './handlers/rules.js';
import {
  descriptionHandler,
  historyHandler,
  metricsHandler,
  pingHandler,
  slowStatementsHandler,
} from './handlers/service.js';
import { bareSqlHandler, sqlHandler } from './handlers/sql.js';
import { opentsdbPutHandler, putCredentials, tsdbwireWriteHandler } from './handlers/tsdbwire-write.js';
import { vgroupHandler, vgroupsHandler } from './handlers/vgid.js';
import type { CredentialReader } from './request/auth.js';
import { readAuthorization, readWriteCredentials } from './request/auth.js';
import type { AdmittedCall, Handler, HandlerContext, HandlerSettings, WriteCall } from './request/call.js';
import { gzipLayers, snappyLayers } from './request/compression.js';
import type { RouteChecks, SocketRouteChecks } from './route-checks.js';
import { sqlProtocol } from './websocket/sql-protocol.js';
import { topicProtocol } from './websocket/topic-protocol.js';

/** One interface: its path, its checks, its handler and its description. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A segment that begins with a colon is a parameter; a star at the end is any number of segments. */
  readonly path: string;
  /** Left out of the description. */
  readonly operation?: Operation;
  /** Left out: always. */
  readonly isOn?: (settings: HandlerSettings) => boolean;
} & (RouteChecks | SocketRouteChecks);

const [sql, writes, events] = [sqlOperations, writeOperations, eventOperations];
const { importText, otlpWrite, pushAdd, pushAll, pushDelete, remoteRead, remoteWrite } = metricsSystemOperations;
const service = serviceOperations;
const sockets = socketOperations;
const rules = ruleOperations;
const influx = influxOperations;

const lineproto = (settings: HandlerSettings): boolean => settings.lineproto.enable;
const tsdbwire = (settings: HandlerSettings): boolean => settings.tsdbwire.enable;
const otlp = (settings: HandlerSettings): boolean => settings.otlp.enable;
const metricsdb = (settings: HandlerSettings): boolean => settings.metricsdb.enable;
const putJson = (context: HandlerContext): Handler<WriteCall> => tsdbwireWriteHandler(context, 'tsdbwire-json');
const putTelnet = (context: HandlerContext): Handler<WriteCall> => tsdbwireWriteHandler(context, 'tsdbwire-telnet');
const acknowledge = (context: HandlerContext): Handler<AdmittedCall> => moveHandler(context, 'acknowledge');
const resolve = (context: HandlerContext): Handler<AdmittedCall> => moveHandler(context, 'resolve');

const anyScheme: CredentialReader = ({ request, query }, { loginCodes }) =>
  readAuthorization(request.headers.authorization, loginCodes, query);
const lineprotoUser: CredentialReader = ({ request, query }) =>
  readWriteCredentials(request.headers.authorization, query);

/** The checks of the families of routes. */
const rest = { guard: 'all-paused', credentials: anyScheme, layers: gzipLayers, errors: restErrors } as const;
const api = { guard: 'all-paused', credentials: anyScheme, errors: apiErrors } as const;
const knownRest = { ...rest, identify: true } as const;
const knownApi = { ...api, identify: true } as const;
const remote = { credentials: anyScheme, requestId: 'unsigned', layers: snappyLayers, errors: textErrors } as const;
const put = {
  guard: 'all-paused',
  isWrite: true,
  credentials: putCredentials,
  requestId: 'unsigned',
  errors: tsdbwireErrors,
  isOn: tsdbwire,
} as const;
const influx1 = {
  guard: 'all-paused',
  credentials: influxCredentials,
  errors: influx1Errors,
  isOn: lineproto,
} as const;
const influx1Write = { ...influx1, isWrite: true } as const;
const knownInflux1 = { ...influx1, identify: true } as const;
const influxQuery = { ...knownInflux1, path: '/query', handler: influxQueryHandler } as const;
const influxQuery3 = { ...knownInflux1, handler: influxQuery3Handler } as const;
const influx2 = { ...influx1, errors: influx2Errors } as const;
const influx2Write = { ...influx2, isWrite: true } as const;
const influxBuckets = { ...influx2, path: '/api/v2/buckets', identify: true } as const;
const influxBucket = { ...influxBuckets, path: '/api/v2/buckets/:id' } as const;
const influxOrganizations = { ...influx2, path: '/api/v2/orgs', identify: true } as const;
const influxPing = { path: '/ping', isOn: lineproto, handler: influxPingHandler } as const;
const push = { guard: 'all-paused', credentials: anyScheme, errors: textErrors, isOn: metricsdb } as const;
const writePush = { ...push, isWrite: true } as const;
const knownPush = { ...push, identify: true } as const;
const webSocket = { method: 'GET', guard: 'all-paused', protocol: sqlProtocol } as const;
const runSql = { ...rest, requestId: 'signed', handler: sqlHandler } as const;

/** Paths of a Pushgateway: job, then labels, which are not described one by one. */
const pushRoutes: readonly Route[] = ['/metrics/job/:job', '/metrics/job@base64/:job'].flatMap((path, at) => {
  const described = (operation: Operation) => (at === 0 ? { operation } : {});
  return [
    { method: 'POST', path, ...described(pushAdd), ...writePush, handler: pushHandler },
    { method: 'PUT', path, ...described(pushAll), ...writePush, handler: pushHandler },
    { method: 'DELETE', path, ...described(pushDelete), ...knownPush, handler: forgetHandler },
    { method: 'POST', path: `${path}/*`, ...writePush, handler: pushHandler },
    { method: 'PUT', path: `${path}/*`, ...writePush, handler: pushHandler },
    { method: 'DELETE', path: `${path}/*`, ...knownPush, handler: forgetHandler },
  ];
});

const prometheus = {
  guard: 'query-paused',
  credentials: anyScheme,
  errors: prometheusErrors,
  isOn: (settings: HandlerSettings): boolean => settings.promql.enable,
} as const;
const knownPrometheus = { ...prometheus, identify: true } as const;

/** Endpoints of Prometheus by their paths below the database. */
const prometheusEndpoints = [
  ['query', 'api/v1/query'],
  ['query_range', 'api/v1/query_range'],
  ['series', 'api/v1/series'],
  ['labels', 'api/v1/labels'],
  ['label_values', 'api/v1/label/:name/values'],
  ['metadata', 'api/v1/metadata'],
  ['query_exemplars', 'api/v1/query_exemplars'],
  ['format_query', 'api/v1/format_query'],
  ['parse_query', 'api/v1/parse_query'],
  ['tsdb', 'api/v1/status/tsdb'],
  ['rules', 'api/v1/rules'],
  ['alerts', 'api/v1/alerts'],
  ['federate', 'federate'],
] as const;

/** The HTTP API of Prometheus, by GET and as a form: of the database in the path, and of the one that a setting names. */
const prometheusRoutes: readonly Route[] = ['/prometheus/:db', '/prometheus'].flatMap((base, at): Route[] => [
  ...prometheusEndpoints.flatMap(([endpoint, path]): Route[] => {
    const { get, post } = prometheusOperations[endpoint](at === 0);
    const route = { path: `${base}/${path}`, ...prometheus, handler: prometheusHandler(endpoint) } as const;
    return [
      { method: 'GET', operation: get, ...route },
      { method: 'POST', operation: post, ...route },
    ];
  }),
  {
    method: 'GET',
    path: `${base}/api/v1/status/buildinfo`,
    operation: prometheusOperations.buildinfo(at === 0).get,
    ...knownPrometheus,
    handler: buildInfoHandler,
  },
  {
    method: 'GET',
    path: `${base}/api/v1/status/config`,
    operation: prometheusOperations.config(at === 0).get,
    ...knownPrometheus,
    handler: configHandler,
  },
]);

/** Dashboards and saved queries: documents that people keep. */
const documentRoutes: readonly Route[] = (
  [
    ['dashboard', '/api/v1/dashboards'],
    ['saved-query', '/api/v1/saved-queries'],
  ] as const
).flatMap(([kind, path]): Route[] => {
  const { list, get, create, replace, remove } = documentOperations[kind];
  const one = `${path}/:id`;
  return [
    { method: 'GET', path, operation: list, ...knownApi, handler: (on) => listDocumentsHandler(on, kind) },
    { method: 'POST', path, operation: create, ...knownApi, handler: (on) => createDocumentHandler(on, kind) },
    { method: 'GET', path: one, operation: get, ...knownApi, handler: (on) => documentHandler(on, kind) },
    { method: 'PUT', path: one, operation: replace, ...knownApi, handler: (on) => replaceDocumentHandler(on, kind) },
    { method: 'DELETE', path: one, operation: remove, ...knownApi, handler: (on) => deleteDocumentHandler(on, kind) },
  ];
});

/** Every interface of the service. Whatever is not here is 404. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/rest/sql', operation: sql.run, ...runSql },
  { method: 'POST', path: '/rest/sql/', handler: () => bareSqlHandler },
  { method: 'POST', path: '/rest/sql/:db', operation: sql.runIn, ...runSql },
  { method: 'GET', path: '/rest/vgid', operation: sql.vgroup, ...knownRest, handler: vgroupHandler },
  { method: 'POST', path: '/rest/sql/:db/vgid', operation: sql.vgroups, ...knownRest, handler: vgroupsHandler },
  { ...webSocket, path: '/ws', operation: sockets.open },
  { ...webSocket, path: '/rest/ws', operation: sockets.openQueries },
  { ...webSocket, path: '/rest/stmt', operation: sockets.openBinding },
  { ...webSocket, path: '/rest/schemaless', operation: sockets.openSchemaless },
  { ...webSocket, path: '/rest/tmq', operation: sockets.openTopics, protocol: topicProtocol },
  { method: 'GET', path: '/rest/login/:user/:password', operation: service.login, handler: loginHandler },
  { method: 'GET', path: '/-/ping', operation: service.ping, handler: pingHandler },
  { method: 'GET', path: '/metrics', operation: service.metrics, handler: metricsHandler },
  { method: 'GET', path: '/metrics/history', operation: service.history, handler: historyHandler },
  {
    method: 'POST',
    path: '/lineproto/v1/write',
    operation: writes.lineproto,
    isWrite: true,
    guard: 'all-paused',
    credentials: lineprotoUser,
    requestId: 'unsigned',
    errors: lineprotoErrors,
    isOn: lineproto,
    handler: lineprotoWriteHandler,
  },
  { method: 'POST', path: '/write', operation: influx.write1, ...influx1Write, handler: influx1WriteHandler },
  { method: 'POST', path: '/api/v3/write_lp', operation: influx.write3, ...influx1Write, handler: influx3WriteHandler },
  { method: 'POST', path: '/api/v2/write', operation: influx.write2, ...influx2Write, handler: influx2WriteHandler },
  { method: 'GET', operation: influx.buckets, ...influxBuckets, handler: influxBucketsHandler },
  { method: 'POST', operation: influx.newBucket, ...influxBuckets, handler: influxNewBucketHandler },
  { method: 'GET', operation: influx.organizations, ...influxOrganizations, handler: influxOrganizationsHandler },
  { method: 'GET', operation: influx.bucket, ...influxBucket, handler: influxBucketHandler },
  { method: 'PATCH', operation: influx.changeBucket, ...influxBucket, handler: influxChangeBucketHandler },
  { method: 'DELETE', operation: influx.dropBucket, ...influxBucket, handler: influxDropBucketHandler },
  {
    method: 'GET',
    operation: influx.organization,
    ...influxOrganizations,
    path: '/api/v2/orgs/:id',
    handler: influxOrganizationHandler,
  },
  ...['/api/v3/query_sql', '/api/v3/query_influxql'].flatMap((path): Route[] => [
    { method: 'GET', path, ...influxQuery3 },
    { method: 'POST', path, ...influxQuery3 },
  ]),
  { method: 'GET', operation: influx.query, ...influxQuery },
  { method: 'POST', operation: influx.queryForm, ...influxQuery },
  { method: 'GET', operation: influx.ping, ...influxPing },
  { method: 'GET', path: '/health', operation: influx.health, isOn: lineproto, handler: influxHealthHandler },
  { method: 'GET', path: '/ready', operation: influx.ready, isOn: lineproto, handler: influxReadyHandler },
  { method: 'POST', path: '/tsdbwire/v1/put/json/:db', operation: writes.putJson, ...put, handler: putJson },
  { method: 'POST', path: '/tsdbwire/v1/put/telnet/:db', operation: writes.putTelnet, ...put, handler: putTelnet },
  {
    method: 'POST',
    path: '/api/put',
    operation: writes.putPoints,
    ...put,
    errors: opentsdbErrors,
    handler: opentsdbPutHandler,
  },
  {
    method: 'POST',
    path: '/metricsdb/v1/remote_write/:db',
    operation: remoteWrite,
    isWrite: true,
    ...remote,
    guard: 'all-paused',
    isOn: metricsdb,
    handler: remoteWriteHandler,
  },
  {
    method: 'POST',
    path: '/metricsdb/v1/remote_read/:db',
    operation: remoteRead,
    ...remote,
    guard: 'query-paused',
    isOn: metricsdb,
    handler: remoteReadHandler,
  },
  {
    method: 'POST',
    path: '/v1/metrics',
    operation: otlpWrite,
    isWrite: true,
    guard: 'all-paused',
    credentials: anyScheme,
    errors: otlpErrors,
    isOn: otlp,
    handler: otlpWriteHandler,
  },
  {
    method: 'POST',
    path: '/api/v1/import/prometheus',
    operation: importText,
    ...writePush,
    handler: importHandler,
  },
  ...prometheusRoutes,
  // The client of VictoriaMetrics for Go sends samples with GET unless it is configured otherwise.
  { method: 'GET', path: '/api/v1/import/prometheus', ...writePush, handler: importHandler },
  ...pushRoutes,
  { method: 'GET', path: '/api/v1/events', operation: events.list, ...api, handler: eventsHandler },
  { method: 'GET', path: '/api/v1/events/:id', operation: events.get, ...api, handler: eventHandler },
  {
    method: 'PUT',
    path: '/api/v1/events/:id/acknowledge',
    operation: events.acknowledge,
    ...api,
    handler: acknowledge,
  },
  { method: 'PUT', path: '/api/v1/events/:id/resolve', operation: events.resolve, ...api, handler: resolve },
  { method: 'GET', path: '/api/v1/rules', operation: rules.list, ...knownApi, handler: rulesHandler },
  { method: 'POST', path: '/api/v1/rules/reload', operation: rules.reload, ...knownApi, handler: reloadRulesHandler },
  { method: 'POST', path: '/api/v1/rules/try', operation: rules.try, ...knownApi, handler: tryRuleHandler },
  { method: 'POST', path: '/api/v1/rules', operation: rules.create, ...knownApi, handler: createRuleHandler },
  { method: 'PUT', path: '/api/v1/rules/:id', operation: rules.replace, ...knownApi, handler: replaceRuleHandler },
  { method: 'DELETE', path: '/api/v1/rules/:id', operation: rules.remove, ...knownApi, handler: removeRuleHandler },
  { method: 'POST', path: '/api/v1/silences', operation: rules.silence, ...knownApi, handler: silenceHandler },
  { method: 'DELETE', path: '/api/v1/silences', operation: rules.endSilence, ...knownApi, handler: endSilenceHandler },
  {
    method: 'GET',
    path: '/api/v1/notifications',
    operation: rules.notifications,
    ...knownApi,
    handler: notificationsHandler,
  },
  {
    method: 'POST',
    path: '/api/v1/notifications/test',
    operation: rules.testNotifications,
    ...knownApi,
    handler: testNotificationsHandler,
  },
  ...documentRoutes,
  {
    method: 'GET',
    path: '/api/v1/statements',
    operation: statementOperations.slow,
    ...knownApi,
    handler: slowStatementsHandler,
  },
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

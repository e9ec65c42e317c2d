import { detached } from '../async/detached.js';
import { Access } from '../database/catalogue/rights.js';
import { vgroupsOf } from '../database/catalogue/vgroup.js';
import { DocumentsStore } from '../database/store/documents-store.js';
import type { HttpObserver, RecordSql } from '../http/request/call.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import type { Component } from '../model/component.js';
import type { Credentials, Exchange, Intake } from '../model/exchange.js';
import { faultOf } from '../model/fault.js';
import { httpInput } from '../pipelines/events/system-watch.js';
import type { CredentialCheck } from '../statements/users/credentials.js';
import { clusterState } from './cluster-state.js';
import type { ServiceParts } from './parts.js';
import type { ServicePipelines } from './pipelines.js';
import { subscriber } from './topic-blocks.js';
import { userDocuments } from './user-documents.js';

/** The HTTP endpoint as a component that knows its port once it is started. */
interface HttpEndpoint extends Component {
  readonly port: number;
}

/** Builds the endpoint over the pipelines; nothing listens yet. */
export async function createHttpEndpoint(
  parts: ServiceParts,
  pipelines: ServicePipelines,
  recordSql: RecordSql | undefined,
): Promise<HttpEndpoint> {
  const { settings, catalogue } = parts;
  const { limits } = settings;
  const http = createHttpServer({
    intake: intakeOf(parts, pipelines),
    bodies: pipelines.bodies,
    port: settings.general.port,
    settings: {
      httpCodeServerError: settings.general.httpCodeServerError,
      restfulRowLimit: settings.general.restfulRowLimit,
      sqlBytes: limits.sqlBytes,
      queryBytes: limits.queryBytes,
      resultIdleMs: limits.resultIdleMs,
      inflatedBytes: limits.inflatedBytes,
      lineproto: { enable: settings.lineproto.enable, createDatabase: settings.general.smlAutoCreateDB },
      tsdbwire: {
        enable: settings.tsdbwire.enable,
        createDatabase: settings.general.smlAutoCreateDB,
        db: settings.tsdbwire.db,
      },
      otlp: {
        enable: settings.otlp.enable,
        createDatabase: settings.general.smlAutoCreateDB,
        messageBytes: limits.messageBytes,
        db: settings.otlp.db,
      },
      metricsdb: {
        enable: settings.metricsdb.enable,
        createDatabase: settings.general.smlAutoCreateDB,
        messageBytes: limits.messageBytes,
        db: settings.metricsdb.db,
      },
      promql: { enable: settings.promql.enable, db: settings.promql.db },
    },
    cors: settings.cors,
    version: parts.version,
    loginSecret: await catalogue.sharedSecret(),
    log: parts.logOf('http'),
    observer: observerOf(parts),
    ...(recordSql === undefined ? {} : { recordSql }),
    ...(settings.tls === undefined ? {} : { tls: settings.tls }),
  });
  parts.monitoring.metrics.watch({
    adapter_http_connections: { help: 'Open connections of HTTP.', read: () => http.connections },
  });
  return endpointOf(http, settings.general.port);
}

/** Counts requests, and signals writes that are rejected for lack of memory. */
function observerOf({ monitoring: { metrics }, signals }: ServiceParts): HttpObserver {
  return {
    begun: () => metrics.begun(),
    ended: (request) => metrics.ended(request),
    refused: (reason) => {
      metrics.refused(reason);
      if (reason === 'all-paused') signals.signals$.next({ kind: 'refused', input: httpInput });
    },
  };
}

function endpointOf(http: HttpServer, port: number): HttpEndpoint {
  let bound = port;
  return {
    name: 'http',
    get port() {
      return bound;
    },
    start: async () => {
      bound = await http.start();
    },
    drain: () => http.drain(),
    stop: () => http.stop(),
  };
}

/**
 * Ports of the HTTP and gRPC endpoints. A write is authenticated before its body is read, a statement in its own
 * pipeline.
 */
export function intakeOf(
  parts: ServiceParts,
  { sql, prepares, reads, promql, writes, events, eventsAdmin }: ServicePipelines,
): Intake {
  const { credentials, catalogue, monitoring, engine } = parts;
  const { guard, metrics, history: memory } = monitoring;
  return {
    sql: (exchange) => sql.request(exchange),
    listConnection: (connection) => sql.connections.add(connection),
    prepare: (exchange) => prepares.request(exchange),
    series: (exchange) => reads.request(exchange),
    promql: (exchange) => promql.request(exchange),
    events: (exchange) => events.requests.request(exchange),
    eventsAdmin,
    documents: userDocuments(catalogue, new DocumentsStore(engine.client, catalogue)),
    write: (exchange) => {
      const known = credentials.known(exchange.request.credentials);
      if (known !== undefined && 'user' in known) writes.write(exchange, known.user);
      else detached(letIn(exchange, credentials, (user) => writes.write(exchange, user)));
    },
    subscribe: subscriber(parts, writes),
    mayWrite: (user) => new Access(catalogue, user).writes,
    authenticate: (proof) => credentials.authenticate(proof),
    mayStay: (proof) => credentials.mayStay(proof),
    vgroups: (user, database, tables) => vgroupsOf(new Access(catalogue, user), catalogue, database, tables),
    slowStatements: (user) => sql.slowStatements(user),
    guard: () => guard.state,
    cluster: () => clusterState(engine.client),
    replay: () => writes.replay,
    isDatabaseHung: () => engine.isHung() || writes.failure !== undefined,
    refusedWrites: () => writes.refusal,
    metrics: (format) => metrics.text(format),
    history: () => memory.history(),
  };
}

/** Never rejects: an error affects only this exchange. */
async function letIn<Q extends { readonly credentials: Credentials }, A>(
  exchange: Exchange<Q, A>,
  credentials: CredentialCheck,
  go: (user: string) => void,
): Promise<void> {
  try {
    const identity = await credentials.authenticate(exchange.request.credentials);
    if ('kind' in identity) exchange.refuse(identity);
    else go(identity.user);
  } catch (error) {
    exchange.refuse(faultOf(error));
  }
}

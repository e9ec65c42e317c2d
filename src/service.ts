import { hostname } from 'node:os';
import type { Settings } from './config/adapter-settings.js';
import { Catalogue } from './database/catalogue/catalogue.js';
import { removeLeftovers } from './database/catalogue/leftovers.js';
import { Storage } from './database/catalogue/storage.js';
import { SubTables } from './database/catalogue/sub-tables.js';
import { vgroupsOf } from './database/catalogue/vgroup.js';
import { EngineClient } from './database/client.js';
import { CredentialCheck, firstUser } from './database/credentials.js';
import { TableExpiry } from './database/definitions/table-expiry.js';
import { Access } from './database/rights.js';
import { EngineSupervisor } from './database/supervisor.js';
import type { Variable } from './database/system-tables/system-table.js';
import type { RecordSql } from './http/call.js';
import { createHttpServer, type HttpServer } from './http/server.js';
import type { WireFormat } from './model/batch.js';
import type { Component, ComponentLog } from './model/component.js';
import type { Credentials, Exchange, GuardState, Intake } from './model/exchange.js';
import { Codes, fault } from './model/fault.js';
import { createMonitoring, type Monitoring, ownFigures } from './monitoring.js';
import { agentInputs, readTypesDatabases } from './pipelines/agent-inputs.js';
import { ByteCreditGate } from './pipelines/credit-gate.js';
import { newBodyCutter, weigh } from './pipelines/formats.js';
import { Lifecycle } from './pipelines/lifecycle.js';
import { guardedGate } from './pipelines/memory-guard.js';
import { RemoteReadPipeline } from './pipelines/remote-read.js';
import { SqlPipeline } from './pipelines/sql.js';
import { StandingUser } from './pipelines/standing-user.js';
import { type WriteInput, WritePipeline } from './pipelines/writes.js';
import { DatabaseSink } from './sinks/database.js';
import { observed } from './sinks/layers/observed.js';
import { HttpBodySource } from './sources/http-body/source.js';
import { TsdbwireTelnetSource } from './sources/tsdbwire-telnet/source.js';
import { componentLog, type Logger } from './telemetry/logger.js';

/** Bodies up to this length are parsed whole; longer ones are cut into blocks of about the other length. */
const smallBodyBytes = 1024 * 1024;
const blockBytes = 256 * 1024;
/** Bounds of one group of blocks: enough for the engine to be at full speed, little enough to hold in memory. */
const groupLimits = { maxRows: 200_000, maxBytes: 32 * 1024 * 1024 };
/** Groups in flight at once. With more of them, blocks of busy tables leave in smaller groups, which costs more than it saves. */
const groupWorkers = 8;
const writeTimeoutMs = 120_000;
/** States of the memory guard by the number that the figures show. */
const guardStates: readonly GuardState[] = ['normal', 'query-paused', 'all-paused'];
/** Each may hold `limits.remoteReadBytes`. */
const maxRemoteReads = 4;
/** Further ones wait as long as statements do; each holds its request. */
const maxWaitingReads = 64;

/** A running service. */
export interface Service {
  /** The port that HTTP listens on. */
  readonly port: number;
  /** Where the engine answers. */
  readonly engineUrl: string;
  /** Drains what was taken, then releases everything. */
  stop(deadlineMs: number): Promise<void>;
}

/** What a service may be given beside its settings. */
export interface ServiceExtras {
  /** Memory in use in percent, instead of what is measured. */
  readonly readMemoryPercent?: () => number;
  /** Takes note of every SQL statement (`log.enableRecordHttpSql`). */
  readonly recordSql?: RecordSql;
}

/** Builds the service from its settings and starts it; rejects with one clear line when something does not work. */
export async function startService(
  settings: Settings,
  version: string,
  logger: Logger,
  more: ServiceExtras = {},
): Promise<Service> {
  const engine = await startEngine(settings, logger);
  try {
    return await startOn(engine, settings, version, logger, more);
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** What SHOW VARIABLES tells: settings that clients look at, none of them secret. */
function variablesOf({ general, limits, database }: Settings, version: string): readonly Variable[] {
  const values = {
    version,
    timezone: database.timeZone,
    charset: 'UTF-8',
    locale: 'en_US.UTF-8',
    maxSQLLength: limits.sqlBytes,
    restfulRowLimit: general.restfulRowLimit,
    smlAutoCreateDB: Number(general.smlAutoCreateDB),
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

interface RunningEngine {
  readonly client: EngineClient;
  readonly url: string;
  /** Process of the embedded engine, while it runs. */
  pid(): number | undefined;
  /** False while the embedded engine is down; of a cluster nobody knows until it is asked. */
  isUp(): boolean;
  stop(): Promise<void>;
}

async function startEngine({ database, pool }: Settings, logger: Logger): Promise<RunningEngine> {
  const limits = {
    maxConnect: pool.maxConnect ?? 0,
    maxIdle: pool.maxIdle ?? 0,
    idleTimeoutMs: pool.idleTimeoutMs ?? 0,
  };
  const [node] = database.urls;
  if (database.mode === 'cluster' && node !== undefined) {
    const { user, password } = database;
    const client = new EngineClient({ ...limits, url: node, user, password, isServer: true });
    return { client, url: node, pid: () => undefined, isUp: () => true, stop: () => client.close() };
  }
  const { path, host, port, user, password } = database;
  const secret = password === '' ? {} : { password };
  const log = componentLog(logger, 'engine');
  const supervisor = new EngineSupervisor({ path, host, port, user, ...secret, log });
  const endpoint = await supervisor.start();
  const client = new EngineClient({ ...limits, ...endpoint });
  const stop = async (): Promise<void> => {
    await client.close();
    await supervisor.stop();
  };
  return { client, url: endpoint.url, pid: () => supervisor.pid, isUp: () => supervisor.state === 'up', stop };
}

async function startOn(
  engine: RunningEngine,
  settings: Settings,
  version: string,
  logger: Logger,
  { readMemoryPercent, recordSql }: ServiceExtras,
): Promise<Service> {
  const monitoring = createMonitoring(settings, engine.pid, componentLog(logger, 'monitor'), readMemoryPercent);
  const { guard, metrics } = monitoring;
  const catalogue = new Catalogue(engine.client, componentLog(logger, 'catalogue'));
  const storage = new Storage(engine.client, catalogue);
  const subTables = new SubTables(engine.client, catalogue);
  const credentials = new CredentialCheck(catalogue);
  await credentials.prepare();
  const { limits } = settings;
  const gate = new ByteCreditGate(limits.creditBytes);
  const inputs = [
    ...tsdbwireTelnet(settings, version, credentials, monitoring, logger),
    ...agentInputs(settings, {
      createDatabase: settings.general.smlAutoCreateDB,
      newGate: () => guardedGate(guard, limits.creditBytes),
      logOf: (component) => componentLog(logger, component),
      authenticate: (given) => credentials.authenticate(given),
      watch: (figures) => metrics.watch(figures),
    }),
    ...figuresInput(settings, monitoring, credentials, logger),
  ];
  metrics.watch({
    adapter_credit_bytes: { help: 'Bytes taken in over HTTP and not yet stored.', read: () => gate.bytes },
    adapter_engine_up: { help: '1 while the embedded engine runs.', read: () => Number(engine.isUp()) },
    adapter_memory_guard_state: {
      help: '0 normal, 1 queries paused, 2 everything paused.',
      read: () => guardStates.indexOf(guard.state),
    },
  });
  const newCutter = (format: WireFormat) => newBodyCutter(format, limits.lineBytes);
  const bodies = { origin: 'lineproto', smallBodyBytes, blockBytes, maxLineBytes: limits.lineBytes, newCutter, weigh };
  const writes = new WritePipeline({
    bodies: new HttpBodySource(bodies, gate),
    dataSourceNames: readTypesDatabases(settings.agentd.typesDb),
    inputs,
    sink: observed(new DatabaseSink({ engine: engine.client, catalogue, storage, subTables }), metrics),
    meter: metrics,
    gate,
    catalogue,
    subTables,
    log: componentLog(logger, 'writes'),
    limits: {
      ...groupLimits,
      workers: groupWorkers,
      maxLineBytes: limits.lineBytes,
      maxMessageBytes: limits.messageBytes,
      writeTimeoutMs,
    },
  });
  const sql = new SqlPipeline({
    engine: engine.client,
    catalogue,
    storage,
    subTables,
    credentials,
    writes,
    log: componentLog(logger, 'sql'),
    connectionZone: settings.database.timeZone,
    version,
    slots: limits.statements,
    queryBytes: limits.queryBytes,
    queryTimeMs: limits.queryTimeMs,
    endpoint: `${hostname()}:${settings.general.port}`,
    variables: variablesOf(settings, version),
  });
  const reads = new RemoteReadPipeline({
    engine: engine.client,
    catalogue,
    storage,
    credentials,
    log: componentLog(logger, 'remote-read'),
    slots: { ...limits.statements, running: maxRemoteReads, runningOfUser: 0, waiting: maxWaitingReads },
    maxMessageBytes: limits.messageBytes,
    maxAnswerBytes: limits.remoteReadBytes,
  });
  const http = createHttpServer({
    intake: intakeOf({ sql, reads, writes }, credentials, catalogue, monitoring),
    port: settings.general.port,
    settings: {
      httpCodeServerError: settings.general.httpCodeServerError,
      restfulRowLimit: settings.general.restfulRowLimit,
      sqlBytes: limits.sqlBytes,
      lineproto: { enable: settings.lineproto.enable, createDatabase: settings.general.smlAutoCreateDB },
      tsdbwire: { enable: settings.tsdbwire.enable, createDatabase: settings.general.smlAutoCreateDB },
      metricsdb: {
        enable: settings.metricsdb.enable,
        createDatabase: settings.general.smlAutoCreateDB,
        messageBytes: limits.messageBytes,
      },
    },
    cors: settings.cors,
    loginSecret: await catalogue.sharedSecret(),
    log: componentLog(logger, 'http'),
    observer: metrics,
    ...(recordSql === undefined ? {} : { recordSql }),
  });
  const bound = { port: settings.general.port };
  const door: Component = {
    ...doorOf(http),
    start: async () => {
      bound.port = await http.start();
    },
  };
  const parts = { engine: engine.client, catalogue, storage, subTables };
  const expiry = new TableExpiry(parts, componentLog(logger, 'table-expiry'));
  const lifecycle = new Lifecycle(
    [polled(catalogue), guard, expiry, writes, sql, reads, door],
    componentLog(logger, 'lifecycle'),
  );
  await warnOfBuiltInPassword(credentials, componentLog(logger, 'service'));
  await lifecycle.start();
  removeLeftovers(engine.client, catalogue, storage, subTables).catch((error: unknown) => {
    const text = 'What earlier drops have left could not be removed; the next start tries again.';
    componentLog(logger, 'catalogue').warn({ error: String(error) }, text);
  });
  return {
    port: bound.port,
    engineUrl: engine.url,
    stop: async (deadlineMs) => {
      await lifecycle.stop(deadlineMs);
      await engine.stop();
    },
  };
}

/** The telnet-format listeners, when they are switched on. */
function tsdbwireTelnet(
  { tsdbwireTelnet: listeners, limits, general }: Settings,
  version: string,
  credentials: CredentialCheck,
  { guard, metrics }: Monitoring,
  logger: Logger,
): WriteInput[] {
  if (!listeners.enable) return [];
  const log = componentLog(logger, 'tsdbwire_telnet');
  const options = {
    ...listeners,
    maxLineBytes: limits.lineBytes,
    createDatabase: general.smlAutoCreateDB,
    version: `sluice ${version}`,
  };
  // What is never answered keeps its credit through an outage; it must not keep HTTP from being answered.
  const gate = guardedGate(guard, limits.creditBytes);
  const { user, password } = listeners;
  const check = () => credentials.authenticate({ scheme: 'password', user, password });
  const source = new TsdbwireTelnetSource(options, gate, log);
  metrics.watch({
    adapter_telnet_connections: { help: 'Open connections of telnet writers.', read: () => source.connections },
    adapter_telnet_lines: { help: 'Lines that telnet writers sent.', read: () => source.counts.lines },
    adapter_telnet_lost_lines: { help: 'Lines that could not be stored.', read: () => source.counts.lostLines },
    adapter_telnet_refused_connections: {
      help: 'Connections refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
  });
  return [{ source, retry: 'here', user: new StandingUser(user, check, log) }];
}

/** The service's own figures as one more door. */
function figuresInput(
  settings: Settings,
  { guard, metrics }: Monitoring,
  credentials: CredentialCheck,
  logger: Logger,
): WriteInput[] {
  const log = componentLog(logger, 'own-figures');
  const source = ownFigures(settings, metrics, guardedGate(guard, settings.limits.creditBytes), log);
  if (source === undefined) return [];
  const { user, password } = settings.monitor;
  const check = () => credentials.authenticate({ scheme: 'password', user, password });
  return [{ source, retry: 'sender', user: new StandingUser(user, check, log) }];
}

async function warnOfBuiltInPassword(credentials: CredentialCheck, log: ComponentLog): Promise<void> {
  const identity = await credentials.authenticate({
    scheme: 'password',
    user: firstUser.name,
    password: firstUser.password,
  });
  if ('kind' in identity) return;
  log.warn({}, `User ${firstUser.name} still has the built-in password, and the service listens beyond loopback.`);
}

function doorOf(http: HttpServer): Omit<Component, 'start'> {
  return { name: 'http', drain: (deadline) => http.drain(deadline), stop: () => http.stop() };
}

function polled(catalogue: Catalogue): Component {
  return {
    name: 'catalogue',
    start: async () => catalogue.start(),
    drain: async () => {},
    stop: async () => catalogue.stop(),
  };
}

interface Pipelines {
  readonly sql: SqlPipeline;
  readonly reads: RemoteReadPipeline;
  readonly writes: WritePipeline;
}

/** The ports of the HTTP door. A write is let in before its body is read, a statement in its own pipeline. */
function intakeOf(
  { sql, reads, writes }: Pipelines,
  credentials: CredentialCheck,
  catalogue: Catalogue,
  { guard, metrics }: Monitoring,
): Intake {
  return {
    sql: (exchange) => sql.exchanges$.next(exchange),
    series: (exchange) => reads.exchanges$.next(exchange),
    write: (exchange) => {
      void letIn(exchange, credentials, (user) => writes.write(exchange, user));
    },
    authenticate: (given) => credentials.authenticate(given),
    vgroups: (user, database, tables) => vgroupsOf(new Access(catalogue, user), catalogue, database, tables),
    guard: () => guard.state,
    metrics: () => metrics.text(),
  };
}

/** Never rejects: what breaks costs this exchange alone. */
async function letIn<Q extends { readonly credentials: Credentials }, A>(
  exchange: Exchange<Q, A>,
  credentials: CredentialCheck,
  go: (user: string) => Promise<void>,
): Promise<void> {
  try {
    const identity = await credentials.authenticate(exchange.request.credentials);
    if ('kind' in identity) exchange.refuse(identity);
    else await go(identity.user);
  } catch (error) {
    exchange.refuse(fault('database', Codes.free, 'Internal error', error));
  }
}

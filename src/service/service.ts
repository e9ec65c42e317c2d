import type { Settings } from '../config/adapter-settings.js';
import { renewCodecs } from '../database/store/compression.js';
import { removeOrphanedTables } from '../database/store/orphaned-tables.js';
import type { RecordSql } from '../http/request/call.js';
import type { ComponentLog } from '../model/component.js';
import type { GuardState } from '../model/exchange.js';
import { Lifecycle } from '../pipelines/lifecycle.js';
import { expiry } from '../statements/definitions/table-expiry.js';
import { type CredentialCheck, firstUser } from '../statements/users/credentials.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import type { EngineStatus } from '../workers/messages.js';
import { type PrimaryHandlers, WorkerPool } from '../workers/pool.js';
import { clusterMetrics } from './cluster-state.js';
import { type BegunEngine, beginEngine } from './engine-start.js';
import type { ReadRulesAgain } from './events-admin.js';
import { Failure } from './failure.js';
import { createHttpEndpoint } from './http-endpoint.js';
import { statsdSenders } from './monitoring.js';
import { otlpGrpcEndpoints } from './otlp-grpc-endpoints.js';
import { createParts, type ServiceParts } from './parts.js';
import { peerHandlers } from './peer-handlers.js';
import { syncedCatalogue } from './peers.js';
import { createPipelines, type ServicePipelines } from './pipelines.js';
import type { RunningEngine } from './running-engine.js';
import { hasWorkers, shareOf } from './worker-share.js';
import { openWriteLog, orphanedWriteLogs } from './write-log.js';

/** Shortest deadline of the engine's stop, ms, however long the rest of the stop took. */
const minEngineStopMs = 500;

/** States of the memory guard by their number in the metrics. */
const guardStates: readonly GuardState[] = ['normal', 'query-paused', 'all-paused'];

/** A running service. */
export interface Service {
  /** The port that HTTP listens on. */
  readonly port: number;
  /** Where the engine answers. */
  readonly engineUrl: string;
  /** Resolves when the service can no longer write and must be stopped. */
  readonly failed: Promise<unknown>;
  /** Drains accepted work, then releases everything; at the deadline the rest is aborted. */
  stop(deadlineMs: number): Promise<void>;
}

/** Options of a service, besides its settings. */
export interface ServiceExtras {
  /** Memory in use in percent, instead of what is measured. */
  readonly readMemoryPercent?: () => number;
  /** Called with every SQL statement (`log.enableRecordHttpSql`). */
  readonly recordSql?: RecordSql;
  /** Reads the rules of the settings again. */
  readonly readRules?: ReadRulesAgain;
  /** Called with the log lines of workers. */
  readonly workerLine?: (line: string) => void;
  /** The engine of these settings, if its start has begun; otherwise the service starts it. */
  readonly engine?: BegunEngine;
}

/** Builds the service from its settings and starts it; rejects with one clear line when something does not work. */
export async function startService(
  settings: Settings,
  version: string,
  logger: Logger,
  more: ServiceExtras = {},
): Promise<Service> {
  const begun = more.engine ?? (await beginEngine(settings, logger));
  const engine = await begun.running;
  try {
    const count = hasWorkers(settings) ? settings.general.workers : 0;
    const { readMemoryPercent, workerLine: line = () => undefined } = more;
    const pool = new WorkerPool({ count, line, log: componentLog(logger, 'workers') });
    const running = withWorkers(engine, pool);
    const parts = await createParts(running, settings, version, logger, {
      readMemoryPercent,
      peers: pool,
      lockShared: (tables) => pool.lockTables(tables),
    });
    return await startOn(running, parts, pool, more);
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function startOn(
  engine: RunningEngine,
  parts: ServiceParts,
  pool: WorkerPool,
  { recordSql, readRules }: ServiceExtras,
): Promise<Service> {
  const { settings, monitoring, catalogue, credentials, signals, logOf } = parts;
  registerStateMetrics(parts);
  engine.watch((isUp) => isUp || parts.storage.forgetRows());
  const secret = await catalogue.sharedSecret();
  const writeLog = openWriteLog(settings, secret, logOf('wal'), signals);
  const failure = new Failure();
  const pipelines = createPipelines(parts, undefined, { writeLog, broke: failure.fail, readRules });
  const { writes, streams, sql, prepares, reads, promql, events, notifier } = pipelines;
  pool.duties = {
    begin: workerStartOf(parts, pipelines, recordSql !== undefined),
    handlers: peerHandlers(parts, pipelines),
    onNotification: (notification) => {
      if (notification.about === 'signal') signals.signals$.next(notification.signal);
      else if (notification.about === 'event') events.notify(notification.change);
      else recordSql?.(notification.entry);
    },
    orphanedLogs: () => orphanedWriteLogs(settings, secret),
  };
  const endpoint = hasWorkers(settings) ? undefined : await createHttpEndpoint(parts, pipelines, recordSql);
  const sweeps = expiry({ ...parts, engine: engine.client }, logOf('expiry'));
  const senders = statsdSenders(settings, monitoring.metrics, logOf('statsd-sender'));
  const watching = [monitoring.guard, monitoring.history, ...senders, sweeps, notifier, ...events.components];
  const endpoints = [...(endpoint === undefined ? [] : [endpoint]), ...(await otlpGrpcEndpoints(parts, pipelines))];
  const components = [
    syncedCatalogue(parts),
    ...watching,
    writes,
    streams,
    sql,
    prepares,
    reads,
    promql,
    ...endpoints,
    pool,
  ];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  await warnOfBuiltInPassword(credentials, logOf('service'));
  await lifecycle.start();
  removeOrphans(parts);
  renewOldCodecs(parts);
  return {
    port: (endpoint ?? pool).port,
    engineUrl: engine.url,
    failed: failure.happened,
    stop: async (deadlineMs) => {
      const begun = performance.now();
      await lifecycle.stop(deadlineMs);
      await engine.stop(Math.max(minEngineStopMs, deadlineMs - (performance.now() - begun)));
    },
  };
}

/** Initial state of workers: the settings with the present rules, and the status of the engine. */
function workerStartOf(
  { settings, version, engine }: ServiceParts,
  { events }: ServicePipelines,
  recordsSql: boolean,
): PrimaryHandlers['begin'] {
  return (role, number) => ({
    role,
    number,
    settings: shareOf({ ...settings, events: { ...settings.events, rules: events.rules.rules } }),
    version,
    recordsSql,
    engine: engine.forWorkers?.endpoint,
    status: engineStatusOf(engine),
  });
}

/** The engine with the processes of the pool; sends its status to the pool. */
function withWorkers(engine: RunningEngine, pool: WorkerPool): RunningEngine {
  const running = { ...engine, companions: () => [...engine.companions(), ...pool.pids] };
  const sendStatus = (): void => pool.send({ kind: 'engine', status: engineStatusOf(running) });
  engine.forWorkers?.onStatus(sendStatus);
  engine.watchLog?.((entries) => pool.send({ kind: 'log', entries }));
  pool.onChange(sendStatus);
  return running;
}

function engineStatusOf(engine: RunningEngine): EngineStatus {
  const { state, directory } = engine.forWorkers?.status() ?? { state: 'up', directory: undefined };
  return { state, directory, pids: [process.pid, ...engine.companions()] };
}

function registerStateMetrics({ monitoring: { guard, metrics }, engine }: ServiceParts): void {
  metrics.watch({
    adapter_engine_up: { help: '1 while the embedded engine runs.', read: () => Number(engine.isUp()) },
    adapter_memory_guard_state: {
      help: '0 normal, 1 queries paused, 2 everything paused.',
      read: () => guardStates.indexOf(guard.state),
    },
    ...clusterMetrics(engine.client),
  });
}

/** Runs in the background. */
function removeOrphans({ engine, catalogue, storage, subTables, logOf }: ServiceParts): void {
  removeOrphanedTables({ engine: engine.client, catalogue, storage, subTables }).catch((error: unknown) => {
    const text = 'Orphaned tables of earlier drops could not be removed; the next start retries.';
    logOf('catalogue').warn({ error: String(error) }, text);
  });
}

/** Runs in the background. */
function renewOldCodecs({ engine, compression, logOf }: ServiceParts): void {
  const log = logOf('storage');
  renewCodecs(engine.client, compression).then(
    (tables) => {
      if (tables > 0) log.info({ tables, compression }, 'Tables are compressed anew as they are merged.');
    },
    (error: unknown) => {
      const text = 'The compression of tables could not be changed to the settings; the next start retries.';
      log.warn({ error: String(error) }, text);
    },
  );
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

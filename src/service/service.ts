import type { Settings } from '../config/adapter-settings.js';
import { expiry } from '../database/definitions/table-expiry.js';
import { renewCodecs } from '../database/storage/compression.js';
import { removeLeftovers } from '../database/storage/leftovers.js';
import { type CredentialCheck, firstUser } from '../database/users/credentials.js';
import type { RecordSql } from '../http/request/call.js';
import type { ComponentLog } from '../model/component.js';
import type { GuardState } from '../model/exchange.js';
import { Lifecycle } from '../pipelines/lifecycle.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import type { EngineNews } from '../workers/messages.js';
import { type FirstDuties, WorkerPool } from '../workers/pool.js';
import { answering } from './answering.js';
import { clusterFigures } from './cluster-state.js';
import { type BegunEngine, beginEngine } from './engine-start.js';
import type { ReadRulesAgain } from './events-desk.js';
import { Failure } from './failure.js';
import { createHttpDoor } from './http-door.js';
import { statsdSenders } from './monitoring.js';
import { otlpGrpcDoors } from './otlp-grpc-door.js';
import { createParts, type ServiceParts } from './parts.js';
import { keptCatalogue } from './peers.js';
import { createPipelines, type ServicePipelines } from './pipelines.js';
import type { RunningEngine } from './running-engine.js';
import { hasWorkers, shareOf } from './worker-share.js';
import { leftWriteLogs, openWriteLog } from './write-log.js';

/** Least time for the engine to end, however long the rest of a stop took. */
const leastEngineStopMs = 500;

/** States of the memory guard by the number that the figures show. */
const guardStates: readonly GuardState[] = ['normal', 'query-paused', 'all-paused'];

/** A running service. */
export interface Service {
  /** The port that HTTP listens on. */
  readonly port: number;
  /** Where the engine answers. */
  readonly engineUrl: string;
  /** Resolves when the service can write no more, and is to be stopped. */
  readonly failed: Promise<unknown>;
  /** Drains what was taken, then releases everything; what has not ended at the deadline is cut off. */
  stop(deadlineMs: number): Promise<void>;
}

/** Options of a service beside its settings. */
export interface ServiceExtras {
  /** Memory in use in percent, instead of what is measured. */
  readonly readMemoryPercent?: () => number;
  /** Takes note of every SQL statement (`log.enableRecordHttpSql`). */
  readonly recordSql?: RecordSql;
  /** Reads the rules of the settings again. */
  readonly readRules?: ReadRulesAgain;
  /** Hears the lines that workers log. */
  readonly workerLine?: (line: string) => void;
  /** The engine of these settings, which was begun before; without it the service begins it. */
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
      sharedTurns: (tables) => pool.takeTurn(tables),
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
  showState(parts);
  engine.watch((isUp) => isUp || parts.storage.forgetRows());
  const secret = await catalogue.sharedSecret();
  const writeLog = openWriteLog(settings, secret, logOf('wal'), signals);
  const failure = new Failure();
  const pipelines = createPipelines(parts, undefined, { writeLog, broke: failure.fail, readRules });
  const { writes, streams, sql, reads, events, notifier } = pipelines;
  pool.duties = {
    begin: beginningOf(parts, pipelines, recordSql !== undefined),
    answering: answering(parts, pipelines),
    told: (news) => {
      if (news.about === 'signal') signals.signals$.next(news.signal);
      else if (news.about === 'event') notifier.add(news.change);
      else recordSql?.(news.entry);
    },
    leftLogs: () => leftWriteLogs(settings, secret),
  };
  const door = hasWorkers(settings) ? undefined : await createHttpDoor(parts, pipelines, recordSql);
  const sweeps = expiry({ ...parts, engine: engine.client }, logOf('expiry'));
  const senders = statsdSenders(settings, monitoring.metrics, logOf('statsd-sender'));
  const watching = [monitoring.guard, monitoring.memory, ...senders, sweeps, notifier, ...events.components];
  const doors = [...(door === undefined ? [] : [door]), ...(await otlpGrpcDoors(parts, pipelines))];
  const components = [keptCatalogue(parts), ...watching, writes, streams, sql, reads, ...doors, pool];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  await warnOfBuiltInPassword(credentials, logOf('service'));
  await lifecycle.start();
  removeOldDrops(parts);
  renewOldCodecs(parts);
  return {
    port: (door ?? pool).port,
    engineUrl: engine.url,
    failed: failure.happened,
    stop: async (deadlineMs) => {
      const begun = performance.now();
      await lifecycle.stop(deadlineMs);
      await engine.stop(Math.max(leastEngineStopMs, deadlineMs - (performance.now() - begun)));
    },
  };
}

/** State that workers begin with: the settings with the rules that are watched now, and the engine as it is. */
function beginningOf(
  { settings, version, engine }: ServiceParts,
  { events }: ServicePipelines,
  recordsSql: boolean,
): FirstDuties['begin'] {
  return (role, number) => ({
    role,
    number,
    settings: shareOf({ ...settings, events: { ...settings.events, rules: events.rules.rules } }),
    version,
    recordsSql,
    engine: engine.forWorkers?.endpoint,
    news: newsOf(engine),
  });
}

/** The engine with the processes of the pool, which is told of it. */
function withWorkers(engine: RunningEngine, pool: WorkerPool): RunningEngine {
  const running = { ...engine, companions: () => [...engine.companions(), ...pool.pids] };
  const tell = (): void => pool.send({ kind: 'engine', news: newsOf(running) });
  engine.forWorkers?.onNews(tell);
  engine.watchLog?.((entries) => pool.send({ kind: 'log', entries }));
  pool.onChange(tell);
  return running;
}

function newsOf(engine: RunningEngine): EngineNews {
  const { state, handover } = engine.forWorkers?.news() ?? { state: 'up', handover: undefined };
  return { state, handover, pids: [process.pid, ...engine.companions()] };
}

function showState({ monitoring: { guard, metrics }, engine }: ServiceParts): void {
  metrics.watch({
    adapter_engine_up: { help: '1 while the embedded engine runs.', read: () => Number(engine.isUp()) },
    adapter_memory_guard_state: {
      help: '0 normal, 1 queries paused, 2 everything paused.',
      read: () => guardStates.indexOf(guard.state),
    },
    ...clusterFigures(engine.client),
  });
}

/** Goes on beside the service. */
function removeOldDrops({ engine, catalogue, storage, subTables, logOf }: ServiceParts): void {
  removeLeftovers({ engine: engine.client, catalogue, storage, subTables }).catch((error: unknown) => {
    const text = 'What earlier drops have left could not be removed; the next start tries again.';
    logOf('catalogue').warn({ error: String(error) }, text);
  });
}

/** Goes on beside the service. */
function renewOldCodecs({ engine, compression, logOf }: ServiceParts): void {
  const log = logOf('storage');
  renewCodecs(engine.client, compression).then(
    (tables) => {
      if (tables > 0) log.info({ tables, compression }, 'Tables are compressed anew as they are merged.');
    },
    (error: unknown) => {
      const text = 'Tables could not be given the compression of the settings; the next start tries again.';
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

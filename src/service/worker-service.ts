import { detached } from '../async/detached.js';
import type { Settings } from '../config/adapter-settings.js';
import { fileMask } from '../database/host/make-missing.js';
import type { RecordSql } from '../http/request/call.js';
import { reasonOf } from '../model/fault.js';
import { Lifecycle } from '../pipelines/lifecycle.js';
import type { WritePipeline } from '../pipelines/writes.js';
import { pageRelease } from '../process/page-release.js';
import { setRuntimeFlags } from '../process/runtime-flags.js';
import { componentLog, createLogger, type Logger, rawOutput } from '../telemetry/logger.js';
import type { WorkerStart } from '../workers/messages.js';
import { PrimaryProcess } from '../workers/primary-process.js';
import { Failure } from './failure.js';
import { createHttpEndpoint } from './http-endpoint.js';
import { createParts } from './parts.js';
import { peerHandlers } from './peer-handlers.js';
import { syncedCatalogue } from './peers.js';
import { createPipelines } from './pipelines.js';
import { engineOfPrimary, type RunningEngine, startEngine } from './running-engine.js';
import { openWriteLog } from './write-log.js';

/** Deadline of a stop after a failure, or of one without a deadline of its own. */
const stopMs = 5_000;
/** How often an orphaned log is checked for being stored, ms. */
const checkIntervalMs = 250;

/**
 * A worker of a service: serves HTTP with others, or stores an orphaned log. Ends on a message of the primary process.
 */
export async function runWorker(): Promise<void> {
  const primary = new PrimaryProcess();
  const workerStart = await primary.begin();
  const { settings, number, role } = workerStart;
  process.umask(fileMask);
  setRuntimeFlags();
  const logger = createLogger(settings.general.logLevel, rawOutput()).child({ worker: number });
  try {
    const worker = await startWorker(primary, workerStart, logger);
    primary.send({ kind: 'ready', port: worker.port });
    detached(pageRelease().start());
    if (role === 'log') detached(worker.stored.then(() => primary.send({ kind: 'done' })));
    const withinMs = await Promise.race([primary.stopped, worker.failed.then(() => undefined)]);
    if (withinMs === undefined) process.exitCode = 1;
    await worker.stop(withinMs ?? stopMs);
  } catch (error) {
    primary.send({ kind: 'cannot-start', reason: reasonOf(error) });
    componentLog(logger, 'service').error({ reason: reasonOf(error) }, 'A worker cannot start.');
    process.exitCode = 1;
  }
  primary.leave();
}

interface RunningWorker {
  /** 0 if it serves no HTTP. */
  readonly port: number;
  /** Resolves once all rows of its log are stored. */
  readonly stored: Promise<void>;
  /** Resolves when it can no longer write. */
  readonly failed: Promise<unknown>;
  stop(withinMs: number): Promise<void>;
}

async function startWorker(primary: PrimaryProcess, workerStart: WorkerStart, logger: Logger): Promise<RunningWorker> {
  const { settings, version, recordsSql, role } = workerStart;
  const engine = await engineOf(primary, workerStart, settings, logger);
  const parts = await createParts(engine, settings, version, logger, {
    primary,
    lockShared: (tables) => primary.lockTables(tables),
  });
  const { monitoring, catalogue, signals, logOf } = parts;
  engine.watch((isUp) => isUp || parts.storage.forgetRows());
  signals.signals$.subscribe((signal) => primary.notify({ about: 'signal', signal }));
  const writeLog = openWriteLog(settings, await catalogue.sharedSecret(), logOf('wal'), signals);
  const failure = new Failure();
  const pipelines = createPipelines(parts, [], { writeLog, broke: failure.fail });
  const { writes, sql, prepares, reads, promql, events } = pipelines;
  const record: RecordSql | undefined = recordsSql
    ? (entry) => primary.notify({ about: 'statement', entry })
    : undefined;
  const endpoint = role === 'http' ? await createHttpEndpoint(parts, pipelines, record) : undefined;
  const endpoints = endpoint === undefined ? [] : [endpoint];
  const watching = [monitoring.guard, monitoring.history, ...events.components];
  const components = [syncedCatalogue(parts), ...watching, writes, sql, prepares, reads, promql, ...endpoints];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  primary.handleWith(peerHandlers(parts, pipelines));
  await lifecycle.start();
  return {
    port: endpoint?.port ?? 0,
    stored: allStored(writes),
    failed: failure.happened,
    stop: async (withinMs) => {
      await lifecycle.stop(withinMs);
      await engine.stop();
    },
  };
}

function engineOf(
  primary: PrimaryProcess,
  { engine }: WorkerStart,
  settings: Settings,
  logger: Logger,
): Promise<RunningEngine> | RunningEngine {
  return engine === undefined ? startEngine(settings, logger) : engineOfPrimary(settings, engine, primary);
}

/** Resolves when no row waits. */
function allStored(writes: WritePipeline): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const { isBehind, rows } = writes.waiting;
      if (isBehind || rows > 0) return;
      clearInterval(timer);
      resolve();
    }, checkIntervalMs);
    timer.unref();
  });
}

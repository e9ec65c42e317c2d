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
import { FirstProcess } from '../workers/link.js';
import type { Beginning } from '../workers/messages.js';
import { answering } from './answering.js';
import { Failure } from './failure.js';
import { createHttpDoor } from './http-door.js';
import { createParts } from './parts.js';
import { keptCatalogue } from './peers.js';
import { createPipelines } from './pipelines.js';
import { engineOfFirst, type RunningEngine, startEngine } from './running-engine.js';
import { openWriteLog } from './write-log.js';

/** Deadline of a stop after a failure, or of one without a deadline of its own. */
const stopMs = 5_000;
/** How often it is looked whether a log that was left behind is stored. */
const lookMs = 250;

/** A worker of a service: serves HTTP beside others, or stores a log that was left behind. Ends when the first process says so. */
export async function runWorker(): Promise<void> {
  const first = new FirstProcess();
  const beginning = await first.begin();
  const { settings, number, role } = beginning;
  process.umask(fileMask);
  setRuntimeFlags();
  const logger = createLogger(settings.general.logLevel, rawOutput()).child({ worker: number });
  try {
    const worker = await startWorker(first, beginning, logger);
    first.say({ kind: 'ready', port: worker.port });
    detached(pageRelease().start());
    if (role === 'log') detached(worker.stored.then(() => first.say({ kind: 'done' })));
    const withinMs = await Promise.race([first.stopped, worker.failed.then(() => undefined)]);
    if (withinMs === undefined) process.exitCode = 1;
    await worker.stop(withinMs ?? stopMs);
  } catch (error) {
    first.say({ kind: 'cannot-start', reason: reasonOf(error) });
    componentLog(logger, 'service').error({ reason: reasonOf(error) }, 'A worker cannot start.');
    process.exitCode = 1;
  }
  first.leave();
}

interface RunningWorker {
  /** 0 where it serves no HTTP. */
  readonly port: number;
  /** Resolves once all rows of its log are stored. */
  readonly stored: Promise<void>;
  /** Resolves when it can write no more. */
  readonly failed: Promise<unknown>;
  stop(withinMs: number): Promise<void>;
}

async function startWorker(first: FirstProcess, beginning: Beginning, logger: Logger): Promise<RunningWorker> {
  const { settings, version, recordsSql, role } = beginning;
  const engine = await engineOf(first, beginning, settings, logger);
  const parts = await createParts(engine, settings, version, logger, {
    first,
    sharedTurns: (tables) => first.takeTurn(tables),
  });
  const { monitoring, catalogue, signals, logOf } = parts;
  engine.watch((isUp) => isUp || parts.storage.forgetRows());
  signals.signals$.subscribe((signal) => first.tell({ about: 'signal', signal }));
  const writeLog = openWriteLog(settings, await catalogue.sharedSecret(), logOf('wal'), signals);
  const failure = new Failure();
  const pipelines = createPipelines(parts, [], { writeLog, broke: failure.fail });
  const { writes, sql, reads, events } = pipelines;
  const record: RecordSql | undefined = recordsSql ? (entry) => first.tell({ about: 'statement', entry }) : undefined;
  const door = role === 'http' ? await createHttpDoor(parts, pipelines, record) : undefined;
  const doors = door === undefined ? [] : [door];
  const watching = [monitoring.guard, monitoring.memory, ...events.components];
  const components = [keptCatalogue(parts), ...watching, writes, sql, reads, ...doors];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  first.answerWith(answering(parts, pipelines));
  await lifecycle.start();
  return {
    port: door?.port ?? 0,
    stored: allStored(writes),
    failed: failure.happened,
    stop: async (withinMs) => {
      await lifecycle.stop(withinMs);
      await engine.stop();
    },
  };
}

function engineOf(
  first: FirstProcess,
  { engine }: Beginning,
  settings: Settings,
  logger: Logger,
): Promise<RunningEngine> | RunningEngine {
  return engine === undefined ? startEngine(settings, logger) : engineOfFirst(settings, engine, first);
}

/** Resolves when no row waits. */
function allStored(writes: WritePipeline): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const { isBehind, rows } = writes.waiting;
      if (isBehind || rows > 0) return;
      clearInterval(timer);
      resolve();
    }, lookMs);
    timer.unref();
  });
}

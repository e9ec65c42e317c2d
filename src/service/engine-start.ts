import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '../config/adapter-settings.js';
import type { ComponentLog } from '../model/component.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import { requireFreePorts } from './port-check.js';
import { type RunningEngine, startEngine } from './running-engine.js';

/** An engine whose process has been started, or of a database elsewhere. */
export interface BegunEngine {
  /** The engine once it answers; rejects with one clear line when it cannot start. */
  readonly running: Promise<RunningEngine>;
}

/**
 * Begins to start the engine, in a process of its own, which takes as long as reading the code of the service: a caller may do that
 * meanwhile. Rejects with one clear line when a port of the settings is taken; then nothing is started.
 */
export async function beginEngine(settings: Settings, logger: Logger): Promise<BegunEngine> {
  await requireFreePorts(settings);
  sayWhereDataIs(settings, componentLog(logger, 'service'));
  const running = startEngine(settings, logger);
  // Whoever waits for it hears of a failure, however late that is.
  running.catch(() => {});
  return { running };
}

/** A relative path is another directory for every working directory, so the whole path is told. */
function sayWhereDataIs({ database }: Settings, log: ComponentLog): void {
  if (database.mode === 'cluster') {
    log.info({ urls: database.urls }, 'The data is in the database of database.urls.');
    return;
  }
  const path = resolve(database.path);
  const isThere = existsSync(path);
  log.info({ path }, isThere ? `The data is in ${path}.` : `A new data directory is made: ${path}.`);
}

#!/usr/bin/env node
import { detached } from './async/detached.js';
import { resolveAdapterSettings, type Settings } from './config/adapter-settings.js';
import { idleSettings } from './config/idle-settings.js';
import { mistakesIn, type Resolution } from './config/resolve.js';
import { fileMask } from './database/host/make-missing.js';
import type { Rule } from './events/rule.js';
import { reasonOf } from './model/fault.js';
import { version } from './model/version.js';
import { pageRelease } from './process/page-release.js';
import { setRuntimeFlags } from './process/runtime-flags.js';
import { type LogFiles, openLogFiles } from './service/log-files.js';
import { componentLog, createLogger, linesTo, standardOutput } from './telemetry/logger.js';

/** How long a stop may take before what is left is cut off. */
const stopDeadlineMs = 10_000;

const [command, ...others] = process.argv.slice(2);
if (command === 'backup' || command === 'restore') {
  const { runBackupCommand } = await import('./commands/backup.js');
  process.exitCode = await runBackupCommand(command, others);
} else if (command === 'move') {
  const { runMoveCommand } = await import('./commands/move.js');
  process.exitCode = await runMoveCommand(others);
} else if (command === 'rebalance') {
  const { runRebalanceCommand } = await import('./commands/rebalance.js');
  process.exitCode = await runRebalanceCommand(others);
} else if (command === 'import-rules') {
  const { runImportRulesCommand } = await import('./commands/import-rules.js');
  process.exitCode = runImportRulesCommand(others);
} else {
  await start();
}

/** The settings as they are now. */
function readSettings(): Resolution<Settings> {
  return resolveAdapterSettings('sluice', process.argv.slice(2), process.env);
}

/** The rules of the settings as they are now, or what is wrong with the settings. */
function readRules(): readonly Rule[] | { readonly errors: readonly string[] } {
  const resolution = readSettings();
  return resolution.outcome === 'settings' ? resolution.settings.events.rules : { errors: mistakesIn(resolution) };
}

/** Starts the service, or says why not. */
async function start(): Promise<void> {
  const resolution = readSettings();

  if (resolution.outcome === 'print') {
    process.stdout.write(resolution.text);
  } else if (resolution.outcome === 'refused') {
    for (const line of resolution.errors) process.stderr.write(`sluice: ${line}\n`);
    process.exitCode = resolution.exitCode;
  } else {
    await run(resolution);
  }
}

async function run({
  settings,
  listing,
  file,
  notes,
  warnings,
}: Extract<Resolution<Settings>, { outcome: 'settings' }>): Promise<void> {
  const pathIsGiven = listing.some(({ flag, source }) => flag === 'log.path' && source !== 'default');
  let files: LogFiles;
  try {
    files = openLogFiles(settings, pathIsGiven);
  } catch (error) {
    process.stderr.write(`sluice: ${reasonOf(error)}\n`);
    process.exitCode = 1;
    return;
  }
  process.umask(fileMask);
  setRuntimeFlags();
  const output = standardOutput();
  const logger = createLogger(settings.general.logLevel, output, files.main);
  const lines = linesTo(output, files.main);
  const log = componentLog(logger, 'service');
  for (const note of [...notes, ...files.notes]) log.info({}, note);
  for (const warning of warnings) log.warn({}, warning);
  for (const { flag, value, source } of listing)
    if (source !== 'default') log.info({ flag, value, source }, 'A setting is given.');
  for (const { flag, why } of idleSettings(settings, listing)) log.warn({ flag }, `Setting ${flag}: ${why}.`);
  log.debug({ file, listing }, 'All settings.');
  try {
    // Read only now: settings that are refused, or asked for, take no service. The engine starts while the service is
    // read.
    const { beginEngine } = await import('./service/engine-start.js');
    const engine = await beginEngine(settings, logger);
    const { startService } = await import('./service/service.js');
    const { recordSql } = files;
    const workerLine = (line: string): void => {
      lines.write(`${line}\n`);
    };
    const extras = { engine, readRules, workerLine, ...(recordSql === undefined ? {} : { recordSql }) };
    const service = await startService(settings, version, logger, extras);
    const stopped = stopSignal();
    detached(pageRelease().start());
    const scheme = settings.tls === undefined ? 'http' : 'https';
    log.info(
      { port: service.port, engine: service.engineUrl, version },
      `Sluice listens on ${scheme}://localhost:${service.port}.`,
    );
    const why = await Promise.race([stopped, service.failed.then(() => 'failure' as const)]);
    if (why === 'failure') process.exitCode = 1;
    log.info({}, 'Sluice is stopping.');
    await service.stop(stopDeadlineMs);
    log.info({}, 'Sluice has stopped.');
    files.close();
  } catch (error) {
    const reason = reasonOf(error);
    // Once for a person or the journal, and once for the log file.
    if (files.main !== undefined) {
      const file = createLogger(settings.general.logLevel, { stream: files.main, readable: false });
      componentLog(file, 'service').error({ reason }, 'Sluice cannot start.');
    }
    log.debug({ error }, 'Where the start failed.');
    process.stderr.write(`sluice: ${reason}\n`);
    process.exitCode = 1;
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once, as by default. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

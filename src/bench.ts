#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { readLoadRequest } from './config/load.js';
import { planLines, scenarioText } from './config/load-echo.js';
import { runQueryScenario } from './load-query-run.js';
import { type LoadRunContext, runInsertScenario } from './load-run.js';
import { runSubscribeScenario } from './load-subscribe-run.js';
import { FaultError } from './model/fault.js';
import type { RunLog } from './model/load-ports.js';
import type { LoadRun, LoadScenario } from './model/load-scenario.js';
import { reasonOf } from './model/reason.js';
import { serverTimeZone } from './model/time-zones.js';
import { faultLine } from './pipelines/load/statements.js';
import { StoppedBeforehand } from './pipelines/load/stopping.js';
import { parseTimestamp } from './sql/timestamp.js';
import { createLiveView } from './telemetry/live-view.js';
import { createRunLog } from './telemetry/run-log.js';
import { encodeHtmlReport, encodeJsonReport } from './transforms/encode/load-report.js';
import { encodeQueryPage } from './transforms/encode/query-report.js';
import { encodeSubscribePage } from './transforms/encode/subscribe-report.js';
import { version } from './version.js';

/** What a run that failed ends with. */
const failedExitCode = 255;
/** What is asked for and cannot be. */
const refusedExitCode = 1;
/** Longest file of keys or statements. */
const maxFileBytes = 64 * 1024 * 1024;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

const program = basename(process.argv[1] ?? 'sluice-bench')
  .replace(/\.js$/, '')
  .replace(/^bench$/, 'sluice-bench');
const timeZone = serverTimeZone();
const readTime = (text: string, precision: Parameters<typeof parseTimestamp>[1]) =>
  parseTimestamp(text, precision, timeZone);

const request = readLoadRequest({
  program,
  version,
  argv: process.argv.slice(2),
  env: process.env,
  nowMs: Date.now(),
  readFile: readText,
  parseTime: readTime,
  randomName: () => Array.from({ length: 15 }, () => letters[randomInt(letters.length)]).join(''),
});

if (request.outcome === 'run') {
  await run(request.scenario);
} else {
  for (const { level, text } of request.notes) process.stderr.write(`${program}: ${level}: ${text}\n`);
  if (request.outcome === 'print') process.stdout.write(request.text);
  else for (const line of request.lines) process.stderr.write(`${line}\n`);
  process.exitCode = request.outcome === 'print' ? 0 : request.exitCode;
}

/** Text of a file that a person names; devices, and files that cannot be meant, are refused. */
function readText(path: string): string {
  const found = statSync(path);
  if (found.isCharacterDevice()) throw new Error('it is a device');
  if (found.size > maxFileBytes) throw new Error(`it is longer than ${maxFileBytes / 1048576} MB`);
  return readFileSync(path, 'utf8');
}

async function run(scenario: LoadScenario): Promise<void> {
  const view = createLiveView({
    stream: process.stdout,
    errors: process.stderr,
    line: (text) => log.info(text),
  });
  const log: RunLog = createRunLog({
    write: (text, stream) => view.write(text, stream),
    colour: process.stdout.isTTY,
    debug: scenario.debug,
    resultFile: scenario.resultFile,
  });
  for (const { level, text } of request.notes) log[level](text);
  log.debug(scenarioText(scenario));
  for (const line of planLines(scenario)) log.info(line);
  if (!canReport(scenario, log)) {
    process.exitCode = refusedExitCode;
    return;
  }
  if (!(await isConfirmed(scenario, log))) return;
  const stop = stopSignal(log);
  try {
    process.exitCode = await runScenario(scenario, { version, log, watch: view.watch, stop, readTime });
  } catch (error) {
    if (error instanceof StoppedBeforehand) {
      log.info('Stopped before anything was done.');
      return;
    }
    if (!(error instanceof FaultError)) throw error;
    log.error(faultLine(error.fault));
    process.exitCode = failedExitCode;
  }
}

async function runScenario(scenario: LoadScenario, context: LoadRunContext): Promise<number> {
  switch (scenario.kind) {
    case 'insert': {
      const report = await runInsertScenario(scenario, context);
      return finish(scenario, report, () => encodeHtmlReport(report), context.log);
    }
    case 'query': {
      const report = await runQueryScenario(scenario, context);
      return finish(scenario, report, () => encodeQueryPage(report), context.log);
    }
    case 'subscribe': {
      const report = await runSubscribeScenario(scenario, context);
      return finish(scenario, report, () => encodeSubscribePage(report), context.log);
    }
  }
}

/** Writes the reports that were asked for; gives the exit code. */
function finish(
  { jsonReport, htmlReport }: LoadRun,
  report: { outcome: string },
  page: () => string,
  log: RunLog,
): number {
  const isWritten = [
    jsonReport === undefined || writeReport(jsonReport, encodeJsonReport(report), log),
    htmlReport === undefined || writeReport(htmlReport, page(), log),
  ];
  return report.outcome === 'failed' || isWritten.includes(false) ? failedExitCode : 0;
}

/** True when the reports can be written: a run is not begun for reports that would be lost at its end. */
function canReport({ jsonReport, htmlReport }: LoadRun, log: RunLog): boolean {
  return [jsonReport, htmlReport].every(
    (path) => path === undefined || written(path, () => closeSync(openSync(path, 'a')), log),
  );
}

function writeReport(path: string, text: string, log: RunLog): boolean {
  return written(path, () => writeFileSync(path, text), log);
}

function written(path: string, write: () => void, log: RunLog): boolean {
  try {
    write();
    return true;
  } catch (error) {
    log.error(`The report ${path} cannot be written: ${reasonOf(error)}`);
    return false;
  }
}

/** Asks once, and only somebody who can answer. */
async function isConfirmed({ confirm }: LoadScenario, log: RunLog): Promise<boolean> {
  if (!confirm) return true;
  if (!process.stdin.isTTY) {
    log.info('Nobody can be asked without a terminal: the run begins.');
    return true;
  }
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  const answered = questions.question('Press Enter to go on, Ctrl-C to stop. ').then(() => true);
  const left = new Promise<boolean>((resolve) => {
    questions.once('SIGINT', () => resolve(false));
    // The end of the input is an answer too.
    questions.once('close', () => resolve(true));
  });
  const goesOn = await Promise.race([answered, left]);
  questions.close();
  return goesOn;
}

/**
 * Fires at the first SIGINT or SIGTERM; a second one ends the process at once, as by default. Every thread, consumer and
 * pause of a run may wait for it.
 */
function stopSignal(log: RunLog): AbortSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const stop = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    log.info('Stopping: requests under way may take some seconds more. A second signal ends at once.');
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}

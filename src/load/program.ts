import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { expectedFault, reasonOf } from '../model/fault.js';
import { version } from '../model/version.js';
import { parseTimestamp } from '../sql/times/timestamp.js';
import { serverTimeZone } from '../text/time-zones.js';
import { faultLine } from './execution/statements.js';
import { StoppedBeforehand } from './execution/stopping.js';
import type { RunLog } from './model/ports.js';
import type { LoadRun, LoadScenario } from './model/scenario.js';
import { encodeHtmlReport } from './report/report-page.js';
import type { LoadRunContext } from './runs.js';
import { planLines, scenarioText } from './settings/echo.js';
import type { LoadNote } from './settings/input.js';
import { readLoadRequest } from './settings/read.js';
import { statementMistake } from './statement-mistake.js';
import { createLiveView, type ViewStream } from './view/live-view.js';
import { createRunLog } from './view/run-log.js';

/** Exit code of a run that failed. */
const failedExitCode = 255;
/** Exit code of a request that is invalid. */
const refusedExitCode = 1;
/** Longest file of keys or statements. */
const maxFileBytes = 64 * 1024 * 1024;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Surroundings that a process gives the load tool. */
interface LoadProcess {
  /** Name that the tool was called by. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Only a terminal asks for confirmation. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: ViewStream;
  readonly errors: ViewStream;
}

const timeZone = serverTimeZone();
const readTime = (text: string, precision: Parameters<typeof parseTimestamp>[1]) =>
  parseTimestamp(text, precision, timeZone);

/** The load tool from its arguments to its exit code. SIGINT and SIGTERM end the run, not the process. */
export async function runLoadProgram(surroundings: LoadProcess): Promise<number> {
  const { program, argv, env, output, errors } = surroundings;
  const request = readLoadRequest({
    program,
    version,
    argv,
    env,
    nowMs: Date.now(),
    readFile: readText,
    hasFile: existsSync,
    parseTime: readTime,
    sqlMistake: statementMistake,
    randomName: () => Array.from({ length: 15 }, () => letters[randomInt(letters.length)]).join(''),
  });
  if (request.outcome === 'run') return run(request.scenario, request.notes, surroundings);
  for (const { level, text } of request.notes) errors.write(`${program}: ${level}: ${text}\n`);
  if (request.outcome === 'print') output.write(request.text);
  else for (const line of request.lines) errors.write(`${line}\n`);
  return request.outcome === 'print' ? 0 : request.exitCode;
}

/** Text of a file that a person names; devices, and files that cannot be meant, are refused. */
function readText(path: string): string {
  const file = statSync(path);
  if (file.isCharacterDevice()) throw new Error('it is a device');
  if (file.size > maxFileBytes) throw new Error(`it is longer than ${maxFileBytes / 1048576} MB`);
  return readFileSync(path, 'utf8');
}

async function run(scenario: LoadScenario, notes: readonly LoadNote[], surroundings: LoadProcess): Promise<number> {
  const { output, errors } = surroundings;
  const view = createLiveView({ stream: output, errors, line: (text) => log.info(text) });
  const log: RunLog = createRunLog({
    write: (text, stream) => view.write(text, stream),
    colour: output.isTTY === true,
    debug: scenario.debug,
    resultFile: scenario.resultFile,
  });
  for (const { level, text } of notes) log[level](text);
  log.debug(scenarioText(scenario));
  for (const line of planLines(scenario)) log.info(line);
  if (!canReport(scenario, log)) return refusedExitCode;
  if (!(await isConfirmed(scenario, surroundings, log))) return 0;
  const stopping = stopSignal(log);
  try {
    const report = await runScenario(scenario, { version, log, watch: view.watch, stop: stopping.signal, readTime });
    const json = `${JSON.stringify(report, undefined, 2)}\n`;
    const isWritten = [
      written(scenario.jsonReport, (path) => writeFileSync(path, json), log),
      written(scenario.htmlReport, (path) => writeFileSync(path, encodeHtmlReport(report)), log),
    ];
    return report.outcome === 'failed' || isWritten.includes(false) ? failedExitCode : 0;
  } catch (error) {
    if (error instanceof StoppedBeforehand) {
      log.info('Stopped before anything was done.');
      return 0;
    }
    log.error(faultLine(expectedFault(error)));
    return failedExitCode;
  } finally {
    stopping.release();
  }
}

/** Loads the parts of the service only when a run needs them: that takes longer than a help text. */
async function runScenario(scenario: LoadScenario, context: LoadRunContext) {
  const { runInsertScenario, runQueryScenario, runSubscribeScenario } = await import('./runs.js');
  if (scenario.kind === 'insert') return runInsertScenario(scenario, context);
  return scenario.kind === 'query' ? runQueryScenario(scenario, context) : runSubscribeScenario(scenario, context);
}

/** True when the reports can be written: a run is not begun for reports that would be lost at its end. */
function canReport({ jsonReport, htmlReport }: LoadRun, log: RunLog): boolean {
  return [jsonReport, htmlReport].every((path) => written(path, tryToWrite, log));
}

/** Throws when a file cannot be written. The file, or that there is none, stays as it was: the run may still fail. */
function tryToWrite(path: string): void {
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a'));
  if (isNew) rmSync(path);
}

function written(path: string | undefined, write: (path: string) => void, log: RunLog): boolean {
  if (path === undefined) return true;
  try {
    write(path);
    return true;
  } catch (error) {
    log.error(`The report ${path} cannot be written: ${reasonOf(error)}`);
    return false;
  }
}

/** Asks once, and only at a terminal. */
async function isConfirmed({ confirm }: LoadScenario, { input, output }: LoadProcess, log: RunLog): Promise<boolean> {
  if (!confirm) return true;
  if (!input.isTTY) {
    log.info('There is no confirmation without a terminal: the run begins.');
    return true;
  }
  const questions = createInterface({ input, output });
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
 * Fires at the first SIGINT or SIGTERM; a second one ends the process at once, as by default. Every thread, consumer
 * and pause of a run may wait for it. `release` leaves the signals alone again.
 */
function stopSignal(log: RunLog): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const release = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  const stop = (): void => {
    release();
    log.info('Stopping: requests in flight may take some seconds more. A second signal ends at once.');
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, release };
}

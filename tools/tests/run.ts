import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { makePlace } from './place-of-data.js';
import {
  allVariable,
  deadlineVariable,
  type Ended,
  generated,
  leftOutTitle,
  recordVariable,
  root,
  type Step,
} from './places.js';
import { findTests, named, type Share, shares, type TestFile } from './plan.js';
import { type Entry, plainTitles, Report, summary } from './report.js';
import { slowFiles } from './slow-files.js';

/**
 * `npm test [-- <part of a file's name> …]`: builds what has changed, runs tests, and says how it went.
 *
 * Everything runs that does not take long; with `--long` what does, which are files named `*.long.test.ts`, and with `--all` these take all of
 * their cases.
 */
const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    /** Files that take long take all of their cases, for as long as it takes. */
    all: { type: 'boolean', default: false },
    /** What failed runs once more, alone: beside all the others, real services and clients can miss a deadline. */
    again: { type: 'boolean', default: false },
    /** After so many minutes no file begins any more; those that are left out are listed as skipped. */
    minutes: { type: 'string' },
    /** Only tests whose title matches, with `*` for any text. */
    match: { type: 'string', multiple: true, default: [] },
    /** How many processes run at once. */
    concurrency: { type: 'string' },
  },
});

/** What a file took when it last ran; only the order depends on it. */
const memory = join(root, 'node_modules/.cache/test-seconds.json');
const shownFiles = 12;
/** Most processes of tests wait for something half of their time. */
const usualConcurrency = availableParallelism() * 2;
const pollMs = 100;
const usualIdleMs = 240_000;
/** Tests that are run by name alone, or with all cases, may be one long loop; they have time limits of their own. */
const rareIdleMs = 3_600_000;
/** What a run that is stopped has for ending by itself. */
const graceMs = 10_000;
/** Where more files fail, it is not because the machine is busy. */
const maxAgain = 10;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Outcome {
  readonly report: Report;
  readonly ended: readonly Ended[];
  /** Also false when a process broke down. */
  readonly isGood: boolean;
}

/** True once a run was stopped before its end. */
let stopped = false;

process.exitCode = await main();

async function main(): Promise<number> {
  if (isStale() && spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' }).status !== 0)
    return 1;
  const began = performance.now();
  const all = findTests(join(root, 'test'));
  const { files, unknown } =
    words.length > 0
      ? named(all, words, flags.long)
      : { files: all.filter(({ isLong, isRare }) => !isRare && isLong === flags.long), unknown: [] };
  for (const word of unknown) say(unknownLine(word));
  if (files.length === 0) return 1;
  const deadline = Date.now() + Number(flags.minutes ?? Infinity) * 60_000;
  let outcome = await run(files, Number(flags.concurrency ?? usualConcurrency), deadline);
  const { failures } = outcome.report.totals;
  const failed = files.filter(({ name }) => failures.some((title) => isIn(name, title)));
  if (stopped) say('\nStopped before the end.');
  else if (flags.again && failed.length > 0 && Date.now() > deadline)
    say('\nThere was no time to run once more what failed.');
  else if (flags.again && failed.length > maxAgain)
    say(`\n${failed.length} files failed, too many to run them once more.`);
  else if (!outcome.isGood && flags.again && failed.length > 0) {
    say(`\nOnce more, alone: ${failed.map(({ name }) => name).join(', ')}`);
    const second = await run(failed, 1, deadline);
    const leftOut = second.report.totals.skipped.filter(({ title }) => title.endsWith(leftOutTitle));
    const again = failed.filter(({ name }) => !leftOut.some(({ title }) => isIn(name, title)));
    outcome = afterwards(outcome, again, second);
  }
  conclude(outcome, files.length, (performance.now() - began) / 1000);
  for (const word of unknown) say(unknownLine(word));
  return outcome.isGood && unknown.length === 0 ? 0 : 1;
}

/** Says that a word of the command line names no test file. */
function unknownLine(word: string): string {
  return `No test file has "${word}" in its path.`;
}

/** True when a source is newer than the programs, which are built last. */
function isStale(): boolean {
  const built = modified('build/src/adapter.js');
  const sources = ['src', 'test', 'tools', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return ['tsconfig.json', 'package.json', ...sources.filter((name) => name.endsWith('.ts'))].some(
    (name) => modified(name) > built,
  );
}

function modified(name: string): number {
  return statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs files with AVA and reads along; from `deadline` on, in ms since 1970, none begins. */
async function run(files: readonly TestFile[], concurrency: number, deadline = Infinity): Promise<Outcome> {
  const processes = shares(
    flags.match.length > 0 ? files.map((file) => ({ ...file, share: undefined })) : files,
    lastSeconds(),
  );
  writePackage();
  const entries = writeEntries(processes);
  const config = writeSettings(entries, concurrency);
  const directory = makePlace(!flags.long);
  const record = join(directory, 'record');
  const report = new Report(say, plainTitles(entries));
  const ended: Ended[] = [];
  const running = new Set<string>();
  let steps = 0;
  const readSteps = (): void => {
    for (const line of textOf(record).split('\n').slice(steps, -1)) {
      steps++;
      const file: Step = JSON.parse(line);
      if (!('seconds' in file)) {
        running.add(file.file);
        continue;
      }
      running.delete(file.file);
      ended.push(file);
      const place = `${String(ended.length).padStart(String(files.length).length)} of ${files.length}`;
      say(
        `${place}  ${file.file}  ${file.seconds.toFixed(1)} s, ${file.processorSeconds.toFixed(1)} s of processor time`,
      );
    }
  };
  const timer = setInterval(readSteps, pollMs);
  const match = flags.match.map((title) => `--match=${title}`);
  const child = spawn(
    process.execPath,
    ['node_modules/ava/entrypoints/cli.mjs', '--config', config, '--tap', ...match],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, so that everything ends with it.
      detached: true,
      // AVA does less for a person when it takes a machine for one that only tests.
      env: {
        ...process.env,
        TMPDIR: directory,
        ...(flags.all ? { [allVariable]: 'true' } : {}),
        [recordVariable]: record,
        [deadlineVariable]: String(deadline),
        AVA_FORCE_CI: 'not-ci',
      },
    },
  );
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const takesLong = flags.all || files.some(({ isRare }) => isRare);
  const isAlive = stopWhenIdle(child, takesLong ? rareIdleMs : usualIdleMs, () => [...running]);
  for await (const line of createInterface({ input: child.stdout })) {
    isAlive();
    report.line(line);
  }
  const isGood = (await code) === 0 && report.totals.failed === 0;
  clearInterval(timer);
  readSteps();
  rmSync(directory, { recursive: true, force: true });
  // What was left out took no time.
  if (Date.now() < deadline) remember(ended);
  return { report, ended, isGood };
}

/** Writes an entry file for each shared process. */
function writeEntries(processes: readonly Share[]): readonly Entry[] {
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  return processes.map(({ name, files: members }) => {
    const [first] = members;
    if (first !== undefined && first.share === undefined) {
      return { path: `build/test/${name}.test.js`, name: name.replaceAll('/', ' › ') };
    }
    const file = name.replaceAll('/', '-');
    writeFileSync(join(generated, `${file}.test.js`), sharedEntry(members));
    return { path: `build/shared-tests/${file}.test.js`, name: '' };
  });
}

/** What a shared process runs. AVA does not tell why a file cannot be read, or has a title twice. */
function sharedEntry(members: readonly TestFile[]): string {
  return `import 'ava';
import { declareAll, enter } from '../tools/tests/shared.js';
try {
  for (const file of ${JSON.stringify(members.map(({ name }) => name))}) {
    enter(file);
    await import(\`../test/\${file}.test.js\`);
  }
  declareAll();
} catch (error) {
  console.error(error);
  throw error;
}
`;
}

/** Gives test files the `ava` of `shared.ts`: a package is looked for in the folders above a file, and this one is nearer. */
function writePackage(): void {
  const folder = join(root, 'build/test/node_modules/ava');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(folder, 'index.js'), "export { default } from '../../../tools/tests/shared.js';\n");
}

/** Writes the settings of AVA, with what runs in which order. Gives their path. */
function writeSettings(entries: readonly Entry[], concurrency: number): string {
  const settings = {
    files: entries.map(({ path }) => path),
    require: ['./build/tools/tests/worker.js'],
    concurrency,
    // AVA's own limit would say less; see `stopWhenIdle`.
    timeout: '24h',
    workerThreads: false,
  };
  const config = join(generated, 'ava.config.js');
  const sorted = `const order = (path) => settings.files.findIndex((file) => path.endsWith(file));
export default { ...settings, sortTestFiles: (one, other) => order(one) - order(other) };\n`;
  writeFileSync(config, `const settings = ${JSON.stringify(settings, null, 2)};\n${sorted}`);
  return config;
}

/**
 * Stops a run in which no test ends for so long: something hangs. A signal stops it too. Gives what is to be called at every sign of
 * life.
 */
function stopWhenIdle(child: ChildProcess, idleMs: number, running: () => readonly string[]): () => void {
  const stop = (): void => {
    stopped = true;
    signal(child, 'SIGINT');
    setTimeout(() => signal(child, 'SIGKILL'), graceMs).unref();
  };
  const timer = setTimeout(() => {
    say(`FAILED  No test has ended for ${idleMs / 60_000} minutes. These files run: ${running().join(', ')}`);
    stop();
  }, idleMs);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.once(name, stop);
  child.once('exit', () => {
    clearTimeout(timer);
    for (const name of signals) process.off(name, stop);
    // What the tests have left running.
    signal(child, 'SIGKILL');
  });
  return () => void timer.refresh();
}

/** Sends a signal to a process and to all of its group. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended.
  }
}

/** What is true after the files that failed have run once more. */
function afterwards(first: Outcome, again: readonly TestFile[], second: Outcome): Outcome {
  const { totals } = first.report;
  const left = totals.failures.filter((title) => namesFile(title) && !again.some(({ name }) => isIn(name, title)));
  const recovered = totals.failures.length - left.length - second.report.totals.failed;
  if (recovered > 0) say(`${recovered} passed when they ran alone.`);
  totals.passed += Math.max(0, recovered);
  totals.failed = left.length + second.report.totals.failed;
  totals.failures.splice(0, Infinity, ...left, ...second.report.totals.failures);
  return { ...first, isGood: second.isGood && left.length === 0 };
}

/** False for an uncaught error. AVA says besides that its file exited, and so that one runs again. */
function namesFile(title: string): boolean {
  return title.includes(' › ') || title.includes('.test.js');
}

/** True for a title of a test in a file, or for a line about the file itself. */
function isIn(name: string, title: string): boolean {
  return title.startsWith(`${name.replaceAll('/', ' › ')} › `) || title.includes(`${name}.test.js`);
}

function conclude({ report, ended }: Outcome, files: number, seconds: number): void {
  const { skipped, failures } = report.totals;
  const slowest = ended.toSorted((one, other) => other.seconds - one.seconds).slice(0, shownFiles);
  if (files > 1) {
    say('\nSlowest files (seconds, and processor time of what they started and waited for):');
    for (const file of slowest) {
      say(`${file.seconds.toFixed(1).padStart(8)} ${file.processorSeconds.toFixed(1).padStart(8)}  ${file.file}`);
    }
  }
  if (skipped.length > 0) say('\nSkipped:');
  for (const { title, reason } of skipped) say(`  ${title}: ${reason}`);
  if (failures.length > 0) say('\nFailed:');
  for (const title of failures) say(`  ${title}`);
  const missing = files - ended.length;
  if (missing > 0) say(`\n${missing} of ${files} files did not come to their end.`);
  const processor = ended.reduce((sum, file) => sum + file.processorSeconds, 0);
  say(
    `\n${summary(report.totals)} (${files} files, ${seconds.toFixed(0)} s, ${processor.toFixed(0)} s of processor time)`,
  );
}

/** What each file took when it last ran here, or what slow ones usually take. */
function lastSeconds(): ReadonlyMap<string, number> {
  const text = textOf(memory);
  const known: Readonly<Record<string, number>> = text === '' ? {} : JSON.parse(text);
  return new Map(Object.entries({ ...slowFiles, ...known }));
}

function remember(ended: readonly Ended[]): void {
  const seconds = Object.fromEntries([
    ...lastSeconds(),
    ...ended.map(({ file, seconds: took }) => [file, took] as const),
  ]);
  mkdirSync(join(memory, '..'), { recursive: true });
  writeFileSync(memory, JSON.stringify(seconds));
}

/** A file's text, or none where there is no file yet. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

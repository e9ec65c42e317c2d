import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LoadConnection } from '../../../src/load/model/scenario.js';
import { runLoadProgram } from '../../../src/load/program.js';
import { temporaryDirectory } from '../engine/engine.js';
import type { TestService } from '../service/service.js';

const program = fileURLToPath(new URL('../../../src/bench.js', import.meta.url));

/** How a run of the load tool ended, and what it said. */
export interface ToolEnding {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly errors: string;
  readonly seconds: number;
}

/** A run that may still be going on, as a process. */
export interface ToolRun {
  readonly process: ChildProcess;
  /** What was said on standard output so far. */
  said(): string;
  /** The same of standard error. */
  complained(): string;
  readonly ended: Promise<ToolEnding>;
}

/** Runs that are under way at once. */
const maxRuns = 3;
let running = 0;
const waiting: (() => void)[] = [];

async function takePlace(): Promise<void> {
  if (running >= maxRuns) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
}

function givePlaceBack(): void {
  const next = waiting.shift();
  if (next === undefined) running--;
  else next();
}

const children = new Set<ChildProcess>();
// Tests that end in the middle leave no run behind.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/**
 * The load tool against a service, in a directory of its own for what it writes. Runs are processes, or all in the process of
 * the tests, which starts none and works in that directory then.
 */
export class LoadTool {
  readonly directory: string;
  readonly remove: () => void;
  readonly #service: TestService;
  readonly #runs: 'processes' | 'here';
  #files = 0;

  constructor(service: TestService, runs: 'processes' | 'here' = 'processes') {
    [this.directory, this.remove] = temporaryDirectory();
    this.#service = service;
    this.#runs = runs;
    if (runs === 'here') process.chdir(this.directory);
  }

  get enginePort(): number {
    return Number(new URL(this.#service.engineUrl).port);
  }

  /** Path of a file in the tool's directory. */
  path(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a file that the tool is to read, and gives its path. */
  file(content: string, name = `file${++this.#files}`): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** What the tool has written to a file. */
  written(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Runs with arguments, `-P` of the engine in front. */
  arguments(...argv: readonly string[]): Promise<ToolEnding> {
    return this.run(['-P', String(this.enginePort), '-y', ...argv]);
  }

  /** Runs a scenario file; host and ports are those of the service. */
  scenario(content: object, ...argv: readonly string[]): Promise<ToolEnding> {
    return this.run(['-f', this.file(JSON.stringify({ ...this.#connection, ...content })), ...argv]);
  }

  /** Begins with a scenario file and goes on beside the test. */
  begin(content: object): Promise<ToolRun> {
    return this.start(['-f', this.file(JSON.stringify({ ...this.#connection, ...content }))]);
  }

  async run(argv: readonly string[], input?: string): Promise<ToolEnding> {
    return this.#runs === 'here' ? runHere(argv, input) : (await this.start(argv, input)).ended;
  }

  /** Starts the tool when not too many runs are under way; without `input` its standard input is closed. */
  async start(argv: readonly string[], input?: string): Promise<ToolRun> {
    await takePlace();
    const begun = performance.now();
    const child = spawn(process.execPath, [program, ...argv], { cwd: this.directory, stdio: ['pipe', 'pipe', 'pipe'] });
    children.add(child);
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
    let complained = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      complained += piece;
    });
    const ended = new Promise<ToolEnding>((resolve) => {
      child.once('close', (code, signal) => {
        children.delete(child);
        givePlaceBack();
        resolve({ code, signal, out: said, errors: complained, seconds: (performance.now() - begun) / 1000 });
      });
    });
    return { process: child, said: () => said, complained: () => complained, ended };
  }

  get #connection() {
    return { host: '127.0.0.1', port: this.enginePort, user: 'root', password: 'taosdata' };
  }
}

/** Runs the tool in this process, to its end. */
async function runHere(argv: readonly string[], input = ''): Promise<ToolEnding> {
  await takePlace();
  const begun = performance.now();
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(output), text(errors)]);
  try {
    const { env } = process;
    const code = await runLoadProgram({
      program: 'sluice-bench',
      argv,
      env,
      input: Readable.from([input]),
      output,
      errors,
    });
    output.end();
    errors.end();
    const [out, complaints] = await said;
    return { code, signal: null, out, errors: complaints, seconds: (performance.now() - begun) / 1000 };
  } finally {
    givePlaceBack();
  }
}

/** Where a service is reached with the settings that the load tool has by itself. */
export function connectionTo(service: TestService): LoadConnection {
  return {
    host: 'localhost',
    port: Number(new URL(service.engineUrl).port),
    httpPort: service.port,
    user: 'root',
    password: 'taosdata',
    configDirectory: undefined,
  };
}

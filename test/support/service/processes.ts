import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { comesTrue, until } from '../until.js';
import { freePorts } from './free-ports.js';
import { basic, basicOf, logPath } from './service.js';

/** The built entry files. */
export const adapterProgram = fileURLToPath(new URL('../../../src/adapter.js', import.meta.url));
export const engineProgram = fileURLToPath(new URL('../../../src/engine.js', import.meta.url));

/**
 * Only what a program needs, so that a setting in the environment of the tests cannot change what is tested. Tests end no machine, so
 * nothing is forced to its disk.
 */
const environment = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  ADAPTER_LOG_PATH: logPath,
  ADAPTER_WAL_SYNC: 'never',
};

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started program and everything it wrote. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ending>;
  stdout(): string;
  stderr(): string;
}

/** A program that listens. */
export interface Listening extends Program {
  readonly port: number;
  /** Address of the engine behind an adapter; of an engine host, its own. */
  readonly engineUrl: string;
}

/** Where it is kept what is to be undone at the end: a test, or what {@link fileScope} gives. */
export type Scope = Pick<ExecutionContext, 'teardown'>;

/** What tests of a file share is undone by `end`, last made first. */
export function fileScope(): { readonly scope: Scope; readonly end: () => Promise<void> } {
  const steps: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const step of steps.toReversed()) await step();
  };
  return { scope: { teardown: (step) => void steps.push(step) }, end };
}

/** An empty directory that is removed when the test ends. */
export function directoryFor(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-e2e-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return path;
}

/**
 * Starts a program; it is killed when the test ends, unless it has ended by then. `ownGroup` makes it the head of a
 * process group, as a program started in a terminal is.
 */
export function run(t: Scope, command: string, args: readonly string[], ownGroup = false): Program {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
    cwd: tmpdir(),
    detached: ownGroup,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then((): Ending => ({ code: child.exitCode, signal: child.signalCode }));
  t.teardown(async () => {
    const { pid } = child;
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const children = childrenOf(pid);
    child.kill('SIGKILL');
    for (const each of children) signalIfAlive(each, 'SIGCONT');
    // An engine ends by itself, once it is alone; other programs go on.
    await comesTrue(() => !children.some(isAlive), 5_000);
    for (const each of children) signalIfAlive(each, 'SIGKILL');
    // A process that was started meanwhile may hold the pipes.
    child.stdout.destroy();
    child.stderr.destroy();
    await ended;
  });
  return { child, pid: child.pid ?? 0, ended, stdout: () => out, stderr: () => err };
}

/** Starts the adapter with free ports and waits until it listens. */
export async function startAdapter(t: Scope, args: readonly string[], ownGroup = false): Promise<Listening> {
  // The log of an embedded database lies in its directory.
  const wal = args.includes('--database.mode=cluster') ? [`--wal.path=${directoryFor(t)}`] : [];
  const own = [adapterProgram, ...freePorts, '--smlAutoCreateDB=true', ...wal, ...args];
  const program = run(t, process.execPath, own, ownGroup);
  return { ...program, ...(await listeningAdapter(program)) };
}

/** Where an adapter listens, once it says so; throws with its output when it ends instead. */
async function listeningAdapter(program: Program): Promise<{ readonly port: number; readonly engineUrl: string }> {
  const pattern = /"port":(\d+),"engine":"([^"]+)"/;
  await until(() => pattern.test(program.stdout()) || hasEnded(program), 60_000);
  const [, port, engineUrl] = pattern.exec(program.stdout()) ?? [];
  if (port === undefined || engineUrl === undefined) {
    throw new Error(`The adapter does not listen: ${program.stdout()}${program.stderr()}`);
  }
  return { port: Number(port), engineUrl };
}

/** Starts an engine host by hand on a free port and waits until it listens. */
export async function startEngineHost(t: Scope, args: readonly string[]): Promise<Listening> {
  const program = run(t, process.execPath, [engineProgram, '--port=0', ...args]);
  const pattern = /listens on (http:\/\/\S+:(\d+))/;
  await until(() => pattern.test(program.stdout()) || hasEnded(program), 30_000);
  const [, engineUrl, port] = pattern.exec(program.stdout()) ?? [];
  if (port === undefined || engineUrl === undefined) {
    throw new Error(`The engine host does not listen: ${program.stdout()}${program.stderr()}`);
  }
  return { ...program, port: Number(port), engineUrl };
}

function hasEnded({ child }: Program): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Process ids of all children of a process, their children included. */
export function childrenOf(pid: number): number[] {
  const direct = threadsOf(pid).flatMap((thread) =>
    procFile(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return direct.flatMap((child) => [child, ...childrenOf(child)]);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The engine host of an adapter; 0 while there is none. */
export function enginePid(adapter: Program): number {
  const isEngine = (pid: number): boolean => procFile(pid, 'cmdline').includes('engine.js') && isAlive(pid);
  return childrenOf(adapter.pid).findLast(isEngine) ?? 0;
}

/** True for a process that runs; one that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  const stat = procFile(pid, 'stat');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

/** Memory of a process in bytes: resident now, or the most it ever was. */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`${which}:\\s+(\\d+) kB`).exec(procFile(pid, 'status'));
  return Number(line?.[1] ?? 0) * 1024;
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** An HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const shared = new Agent({ keepAlive: true, maxSockets: 64 });

/** Where a service listens, and over which connections it is asked. */
export interface Input {
  readonly port: number;
  /** Left out, many that all tests of the process share. */
  readonly agent?: Agent;
}

/** Posts a body as the first user and reads the answer; rejects when the connection breaks or stays silent for 60 s. */
export function post(
  port: number,
  path: string,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
  agent = shared,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port,
      path,
      method: 'POST',
      agent,
      timeout: 60_000,
      headers: { authorization: basic, 'content-length': Buffer.byteLength(body), ...headers },
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('No answer within 60 s.')));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (piece: string) => {
        text += piece;
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
    });
    outgoing.end(body);
  });
}

/** Answer of a statement. */
export interface SqlReply {
  readonly status: number;
  readonly code: number;
  readonly desc?: string;
  readonly data?: readonly (readonly unknown[])[];
}

/** Runs a statement as a user, by default the first one. */
export async function sql(
  { port, agent }: Input,
  statement: string,
  user = 'root',
  password = 'taosdata',
): Promise<SqlReply> {
  const { status, text } = await post(port, '/rest/sql', statement, { authorization: basicOf(user, password) }, agent);
  const body: Omit<SqlReply, 'status'> = JSON.parse(text);
  return { ...body, status };
}

/** The rows of a query; throws when it fails. */
export async function rowsOf(adapter: Input, statement: string): Promise<readonly (readonly unknown[])[]> {
  const reply = await sql(adapter, statement);
  if (reply.code !== 0 || reply.data === undefined) throw new Error(`${statement}: ${JSON.stringify(reply)}`);
  return reply.data;
}

/** Runs statements, each after the other; throws when one fails. */
export async function execute(adapter: Input, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const reply = await sql(adapter, statement);
    if (reply.code !== 0) throw new Error(`${statement}: ${JSON.stringify(reply)}`);
  }
}

/** Writes line protocol with times in milliseconds; throws when it is not stored. */
export async function store(adapter: Input, database: string, lines: string): Promise<void> {
  const { status, text } = await writeLines(adapter, database, lines);
  if (status !== 204) throw new Error(`${status} ${text}`);
}

/** Writes line protocol with times in milliseconds. */
export function writeLines(
  { port, agent }: Input,
  database: string,
  lines: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<Answer> {
  return post(port, `/lineproto/v1/write?db=${database}&precision=ms`, lines, headers, agent);
}

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deferred } from '../../async/deferred.js';
import { detached } from '../../async/detached.js';
import { reasonOf } from '../../model/fault.js';
import { version } from '../../model/version.js';
import { pageRelease } from '../../process/page-release.js';
import { type CommandOption, gnuMistake, readCommandLine } from '../../text/command-line.js';
import type { HostDirectory } from '../engine/handover.js';
import {
  type HostMessage,
  type HostOptions,
  hostDefaults,
  hostEnvironment,
  threadPoolSize,
} from './connection/options.js';
import { publishEndpoint } from './endpoint-file.js';
import { type HeartbeatMessage, readHeartbeat } from './heartbeat.js';
import { startHost } from './host.js';
import { Liveness, selfProcessorMs } from './liveness.js';
import { fileMask } from './make-missing.js';

/**
 * Stop deadline, in ms, without a parent, which sends no more statements, or without the memory-backed directory, where
 * none can run.
 */
const orphanStopMs = 500;

/**
 * The program `sluice-engine`: reads arguments, makes sure that the thread pool is large enough, serves until a signal
 * or until the parent is gone. `entry` is the URL of the file that was started.
 */
export async function runProgram(entry: string, argv: readonly string[]): Promise<void> {
  const options = readArguments(argv);
  if (options === undefined) return;
  if (Number(process.env.UV_THREADPOOL_SIZE ?? 4) < threadPoolSize(options.sessions)) {
    startWithThreads(entry, argv, options);
    return;
  }
  await serveUntilStopped(options);
}

/** An option of the program, with its default. */
interface HostOption extends CommandOption {
  readonly help: string;
  readonly default?: string | number;
  /** Least value of a whole number. */
  readonly least?: number;
}

const hostOptions = {
  path: { long: 'path', value: 'directory', default: hostDefaults.path, help: 'data directory' },
  host: { long: 'host', value: 'address', default: hostDefaults.host, help: 'address to listen on' },
  port: { long: 'port', value: 'number', default: hostDefaults.port, least: 0, help: 'TCP port; 0 picks a free one' },
  sessions: {
    long: 'sessions',
    value: 'number',
    default: hostDefaults.sessions,
    least: 2,
    help: 'most statements at the same time',
  },
  user: { long: 'user', value: 'name', default: hostDefaults.user, help: 'user name' },
  password: { long: 'password', value: 'text', help: 'password; better given as SLUICE_ENGINE_SECRET' },
  spool: {
    long: 'spool',
    value: 'bytes',
    default: hostDefaults.maxBodyBytes,
    least: 1,
    help: 'limit of INSERT bodies held in memory',
  },
  memory: {
    long: 'memory',
    value: 'bytes',
    default: hostDefaults.maxMemoryBytes,
    least: 0,
    help: 'limit of the engine; 0 is 0.9 of the machine',
  },
  statement: {
    long: 'statement',
    value: 'bytes',
    default: hostDefaults.maxStatementBytes,
    least: 0,
    help: 'memory that one statement may use; 0 is a third of the machine',
  },
  ofUser: {
    long: 'of-user',
    value: 'bytes',
    default: hostDefaults.maxUserBytes,
    least: 0,
    help: 'memory that the statements of one user may use together; 0 is half of the machine',
  },
  sync: {
    long: 'sync',
    value: '0|1',
    default: Number(hostDefaults.sync),
    least: 0,
    help: 'force what is stored to the disk: 1, or 0 to leave it to the system',
  },
  version: { long: 'version', short: 'V', help: 'print the version' },
  help: { long: 'help', short: 'h', help: 'print this text' },
} as const satisfies Readonly<Record<string, HostOption>>;

const options: readonly HostOption[] = Object.values(hostOptions);

/**
 * The options of a command line; undefined when the program ends with it: it requests the help or the version, or has a
 * mistake.
 */
function readArguments(argv: readonly string[]): HostOptions | undefined {
  const values = new Map<HostOption, string>();
  for (const met of readCommandLine(options, argv, 'gnu')) {
    if (met.kind !== 'option') return refuse(gnuMistake(met));
    const { option, text = '' } = met;
    if (option === hostOptions.version) return print(`${version}\n`);
    if (option === hostOptions.help) return print(helpText());
    const isBad = option.least !== undefined && !(Number.isSafeInteger(Number(text)) && Number(text) >= option.least);
    if (isBad || (option.least !== undefined && text.trim() === '')) {
      return refuse(`option '--${option.long}' takes a whole number of at least ${option.least}`);
    }
    values.set(option, text);
  }
  const textOf = (option: HostOption): string => values.get(option) ?? String(option.default ?? '');
  return {
    ...hostDefaults,
    path: textOf(hostOptions.path),
    host: textOf(hostOptions.host),
    port: Number(textOf(hostOptions.port)),
    sessions: Number(textOf(hostOptions.sessions)),
    user: textOf(hostOptions.user),
    password: process.env.SLUICE_ENGINE_SECRET || (values.get(hostOptions.password) ?? hostDefaults.password),
    maxBodyBytes: Number(textOf(hostOptions.spool)),
    maxMemoryBytes: Number(textOf(hostOptions.memory)),
    maxStatementBytes: Number(textOf(hostOptions.statement)),
    maxUserBytes: Number(textOf(hostOptions.ofUser)),
    sync: textOf(hostOptions.sync) !== '0',
  };
}

function print(text: string): undefined {
  process.stdout.write(text);
}

function refuse(text: string): undefined {
  process.stderr.write(`sluice-engine: ${text}\n`);
  process.exitCode = 2;
}

function helpText(): string {
  const lines = options.map((option) => {
    const names = `${option.short === undefined ? '' : `-${option.short}, `}--${option.long}`;
    const left = option.value === undefined ? names : `${names} <${option.value}>`;
    return `  ${left.padEnd(24)} ${option.help}${option.default === undefined ? '' : ` (default: ${option.default})`}`;
  });
  return `Usage: sluice-engine [options]\n\nThe embedded database of Sluice behind the ClickHouse HTTP interface.\n\nOptions:\n${lines.join('\n')}\n`;
}

/**
 * The size of the thread pool is read once, when the runtime loads its first module, so it has to be in the environment
 * of the process. This process only waits and passes signals on; the host ends when the channel to it breaks.
 */
function startWithThreads(entry: string, argv: readonly string[], options: HostOptions): void {
  const env = hostEnvironment(options.sessions);
  const child = fork(fileURLToPath(entry), [...argv], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'));
  child.on('message', (message) => process.send?.(message));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
    if (process.connected) process.disconnect();
  });
  process.on('disconnect', () => child.kill('SIGTERM'));
  if (process.send !== undefined && !process.connected) child.kill('SIGTERM');
}

async function serveUntilStopped(options: HostOptions): Promise<void> {
  process.umask(fileMask);
  // A parent that is gone leaves broken pipes behind; a lost line of output is no reason to die.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  const { promise: stopping, resolve: stop } = deferred<number>();
  process.on('SIGTERM', () => stop(options.stopTimeoutMs));
  const isChild = process.send !== undefined;
  // A terminal sends these to parent and child alike, and the parent still needs the engine for what it has in hand.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!isChild) stop(options.stopTimeoutMs);
    });
  }
  if (isChild) process.on('disconnect', () => stop(orphanStopMs));
  // The parent may have gone while this program was read.
  if (isChild && !process.connected) stop(orphanStopMs);
  try {
    // The engine reads files of its configuration where it is started: that is no place where anybody else may leave
    // some.
    const host = await startHost(options, (path) => process.chdir(path));
    process.stdout.write(`sluice-engine listens on http://${options.host}:${host.port}, data in ${options.path}\n`);
    const unpublish = publish(options, host);
    send({ ready: { port: host.port, directory: host.directory } });
    detached(pageRelease().start());
    host.watchLog((logEntries) => send({ logEntries }));
    const liveness = new Liveness({ ping: () => host.works(), processorMs: selfProcessorMs });
    process.on('message', (message) => detached(answerHeartbeat(message, liveness)));
    const stopTimeoutMs = await Promise.race([stopping, host.lost]);
    if (stopTimeoutMs === undefined) {
      process.stderr.write('sluice-engine: The files of the engine in memory were removed; the engine restarts.\n');
    }
    const closed = await host.stop(stopTimeoutMs ?? orphanStopMs);
    unpublish();
    // The engine still works on something that cannot be cancelled: only the kernel can end that.
    if (!closed) process.kill(process.pid, 'SIGKILL');
    process.exitCode = stopTimeoutMs === undefined ? 1 : 0;
  } catch (error) {
    const message = reasonOf(error);
    process.stderr.write(`sluice-engine: ${message}\n`);
    send({ failed: message });
    process.exitCode = 1;
  }
  if (process.connected) process.disconnect();
}

/**
 * Publishes the endpoint, so that programs of the same user find the engine by its port. They hand over no files, which
 * a killed one would leave.
 */
function publish(
  { host, user, password }: HostOptions,
  { port, directory }: { readonly port: number; readonly directory: HostDirectory },
): () => void {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    return publishEndpoint(port, { url, user, password, directory: { ...directory, maxBytes: 0 }, pid: process.pid });
  } catch (error) {
    const reason = reasonOf(error);
    process.stderr.write(`sluice-engine: Local programs will not find the engine by themselves: ${reason}\n`);
    return () => {};
  }
}

/** Replies once the engine has answered, or while it is busy. */
async function answerHeartbeat(message: unknown, liveness: Liveness): Promise<void> {
  const beat = readHeartbeat(message);
  if (beat === undefined) return;
  await liveness.alive();
  send({ beat });
}

function send(message: HostMessage | HeartbeatMessage): void {
  if (process.connected) process.send?.(message);
}

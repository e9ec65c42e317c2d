import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { channelSocket } from '../engine/frames.js';
import { type HostDirectory, readHostDirectory } from '../engine/handover.js';

/** Where an engine answers and as whom. */
interface EngineAddress {
  readonly url: string;
  readonly user: string;
  /** New with every start of an embedded engine, unless it is set. */
  readonly password: string;
}

/** An engine, and the directory of an embedded one as long as this process may use it. */
export interface EngineEndpoint extends EngineAddress {
  readonly directory?: () => HostDirectory | undefined;
}

/** What the file of a running engine holds; only its owner may read it. */
interface PublishedEngine extends EngineAddress {
  readonly directory: HostDirectory;
  /** Process that serves it. */
  readonly pid: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Directories in which endpoint files are looked for, the first one being where they are written. A service and the
 * shell of the same user may differ in having a runtime directory, so both places count.
 */
export function endpointDirectories(env: Environment = process.env): readonly string[] {
  const shared = join(tmpdir(), `sluice-${process.getuid?.() ?? userInfo().username}`);
  const runtime = env.XDG_RUNTIME_DIR;
  return runtime === undefined || !isOwn(stats(runtime)) ? [shared] : [join(runtime, 'sluice'), shared];
}

/**
 * Publishes the endpoint of the engine to other programs of the same operating-system user: a file
 * `engine-<port>.json`, readable by its owner alone, in a directory that only the owner may enter. It replaces what an
 * engine that was killed has left there.
 * @returns a function that removes the file, unless another engine has replaced it.
 * @throws Error with one line when there is no such directory to be had.
 */
export function publishEndpoint(port: number, engine: PublishedEngine, env: Environment = process.env): () => void {
  const directory = endpointDirectories(env)[0] ?? tmpdir();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isPrivateDirectory(directory)) {
    throw new Error(`${directory} is not a directory that its owner alone may enter.`);
  }
  removeDead(directory);
  const file = fileOf(directory, port);
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(engine)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
  return () => {
    if (readEndpoint(file)?.pid === engine.pid) rmSync(file, { force: true });
  };
}

/**
 * The engine that listens on a port of this machine and runs as this operating-system user, or undefined. A file that
 * others could have written or read, and one whose process is gone, is passed over.
 */
export function findEndpoint(port: number, env: Environment = process.env): EngineEndpoint | undefined {
  const published = findPublished(port, env);
  if (published === undefined) return undefined;
  let latest = published.directory;
  let readAt = performance.now();
  // A restarted engine has another directory.
  const directory = (): HostDirectory => {
    const isFresh = performance.now() - readAt < rereadMs;
    if (isFresh && existsSync(join(latest.path, channelSocket))) return latest;
    readAt = performance.now();
    latest = findPublished(port, env)?.directory ?? latest;
    return latest;
  };
  const { url, user, password } = published;
  return { url, user, password, directory };
}

/** Time for which the content of a file is used without reading it again, while the engine's socket is there. */
const rereadMs = 500;

function findPublished(port: number, env: Environment): PublishedEngine | undefined {
  for (const directory of endpointDirectories(env)) {
    if (!isPrivateDirectory(directory)) continue;
    const endpoint = readEndpoint(fileOf(directory, port));
    if (endpoint !== undefined && isRunning(endpoint.pid)) return endpoint;
  }
  return undefined;
}

/** Removes what engines that were killed have left. */
function removeDead(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    const endpoint = /^engine-\d+\.json$/.test(name) ? readEndpoint(file) : undefined;
    if (endpoint !== undefined && !isRunning(endpoint.pid)) rmSync(file, { force: true });
  }
}

function fileOf(directory: string, port: number): string {
  return join(directory, `engine-${port}.json`);
}

function stats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isOwn(entry: Stats | undefined): boolean {
  const user = process.getuid?.();
  return entry !== undefined && (user === undefined || entry.uid === user);
}

/** Where there are no users and modes as Unix knows them, the directory itself is the user's own. */
function isForOwnerOnly(entry: Stats | undefined): boolean {
  return isOwn(entry) && (process.getuid === undefined || ((entry?.mode ?? 0) & 0o077) === 0);
}

function isPrivateDirectory(path: string): boolean {
  const directory = stats(path);
  return directory?.isDirectory() === true && isForOwnerOnly(directory);
}

function readEndpoint(file: string): PublishedEngine | undefined {
  const entry = stats(file);
  if (entry?.isFile() !== true || !isForOwnerOnly(entry)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isPublishedEngine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPublishedEngine(value: unknown): value is PublishedEngine {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'url' in value &&
    typeof value.url === 'string' &&
    'user' in value &&
    typeof value.user === 'string' &&
    'password' in value &&
    typeof value.password === 'string' &&
    readHostDirectory(value) !== undefined &&
    'pid' in value &&
    typeof value.pid === 'number'
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not permitted to signal it means that it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

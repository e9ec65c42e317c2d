import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DirectoryHeldError, type DirectoryLock, isHeld, lockDirectory } from '../database/host/lock.js';
import { listSegments } from './segment.js';

/** The directory of one log, held by this process. */
export interface LogDirectory {
  readonly path: string;
  /** True while it is there and its lock names this process. */
  readonly isHeld: () => boolean;
  /** Gives the directory back, and deletes it when nothing is left in it. */
  release(): void;
}

const folder = /^log-(\d+)$/;
const databaseFile = 'database';
const what = 'write-ahead log directory';

/**
 * Takes a log directory under `root` for the rows of a database: one that an adapter of the same database has left
 * behind, with rows before without, or else a new one. So each adapter has its own log, and finds it again after a
 * crash. `database` distinguishes databases; `port` names the owner to others. Throws an Error with one clear line.
 */
export function takeLogDirectory(root: string, database: string, port: number): LogDirectory {
  const numbers = existing(root);
  const own = numbers.map((number) => directoryOf(root, number)).filter((path) => readDatabase(path) === database);
  const { path, lock } =
    firstFree(own.filter(hasRows), port) ?? firstFree(own, port) ?? makeDirectory(root, database, port, numbers);
  return { path, isHeld: () => lock.isHeld(), release: () => release(root, path, lock) };
}

/** How many logs of a database under `root` hold rows and have no owner. Those without rows are deleted. */
export function countFreeLogs(root: string, database: string): number {
  let count = 0;
  for (const number of existing(root)) {
    const path = directoryOf(root, number);
    if (readDatabase(path) !== database) continue;
    const lock = lockIfFree(path, 0);
    if (lock === undefined) continue;
    if (hasRows(path)) count++;
    release(root, path, lock);
  }
  return count;
}

/**
 * Logs under `root` with rows of other databases, or of none that they name, that no live process holds: they stay as
 * they are.
 */
export function logsOfOthers(root: string, database: string): readonly string[] {
  const others = existing(root)
    .map((number) => directoryOf(root, number))
    .filter((path) => readDatabase(path) !== database);
  return others.filter((path) => {
    try {
      return hasRows(path) && !isHeld(path);
    } catch {
      // A file, or a log whose owner has just ended.
      return false;
    }
  });
}

/** Several processes look for a log at once, so that a directory is locked only to be kept. */
function firstFree(paths: readonly string[], port: number): HeldDirectory | undefined {
  for (const path of paths) {
    const lock = lockIfFree(path, port);
    if (lock !== undefined) return { path, lock };
  }
  return undefined;
}

interface HeldDirectory {
  readonly path: string;
  readonly lock: DirectoryLock;
}

function directoryOf(root: string, number: number): string {
  return join(root, `log-${number}`);
}

function hasRows(path: string): boolean {
  return existsSync(path) && listSegments(path).length > 0;
}

function release(root: string, path: string, lock: DirectoryLock): void {
  if (hasRows(path)) {
    lock.release();
    return;
  }
  rmSync(join(path, databaseFile), { force: true });
  lock.release();
  removeEmpty(path);
  removeEmpty(root);
}

function makeDirectory(root: string, database: string, port: number, numbers: readonly number[]): HeldDirectory {
  for (let number = 1; ; number++) {
    if (numbers.includes(number)) continue;
    const path = directoryOf(root, number);
    const lock = lockIfFree(path, port);
    // Another process has just made it for itself.
    if (lock === undefined) continue;
    // A log that does not say its database is left alone by the start after a loss of power.
    writeFileSync(join(path, databaseFile), database, { mode: 0o600, flush: true });
    for (const directory of [path, root, dirname(root)]) syncDirectory(directory);
    return { path, lock };
  }
}

/**
 * Forces the names of the files in a directory to the disk: the bytes of a file without one are lost with the power.
 */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function existing(root: string): readonly number[] {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return readdirSync(root)
      .flatMap((name) => folder.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch {
    // Its faults are thrown when a directory in it is made.
    return [];
  }
}

function readDatabase(path: string): string | undefined {
  try {
    return readFileSync(join(path, databaseFile), 'utf8');
  } catch {
    return undefined;
  }
}

function lockIfFree(path: string, port: number): DirectoryLock | undefined {
  try {
    return lockDirectory(path, 'localhost', port, what);
  } catch (error) {
    if (error instanceof DirectoryHeldError) return undefined;
    throw error;
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Something else is in it.
  }
}

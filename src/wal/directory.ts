import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryHeldError, type DirectoryLock, lockDirectory } from '../database/host/lock.js';
import { listSegments } from './segment.js';

/** The directory of one log, held by this process. */
export interface LogDirectory {
  readonly path: string;
  /** Free logs of the same database that hold rows, and that nobody reads until another adapter is started. */
  readonly others: readonly string[];
  /** Gives the directory back, and deletes it when nothing is left in it. */
  release(): void;
}

const folder = /^log-(\d+)$/;
const databaseFile = 'database';
const what = 'write-ahead log directory';

/**
 * Takes a log directory under `root` for the rows of a database: one that an adapter of the same database has left behind,
 * with rows before without, or else a new one. So each adapter has its own log, and finds it again after a crash.
 * `database` tells databases apart; `port` names the owner to others. Throws an Error with one clear line.
 */
export function takeLogDirectory(root: string, database: string, port: number): LogDirectory {
  const numbers = existing(root);
  const free: { readonly path: string; readonly lock: DirectoryLock; readonly hasRows: boolean }[] = [];
  for (const number of numbers) {
    const path = join(root, `log-${number}`);
    if (readDatabase(path) !== database) continue;
    const lock = lockIfFree(path, port);
    if (lock !== undefined) free.push({ path, lock, hasRows: listSegments(path).length > 0 });
  }
  const taken = free.find(({ hasRows }) => hasRows) ?? free[0] ?? makeDirectory(root, database, port, numbers);
  for (const other of free) if (other !== taken) other.lock.release();
  return {
    path: taken.path,
    others: free.filter((other) => other !== taken && other.hasRows).map(({ path }) => path),
    release: () => {
      if (listSegments(taken.path).length === 0) {
        rmSync(join(taken.path, databaseFile), { force: true });
        taken.lock.release();
        removeEmpty(taken.path);
        removeEmpty(root);
      } else taken.lock.release();
    },
  };
}

function makeDirectory(root: string, database: string, port: number, numbers: readonly number[]) {
  for (let number = 1; ; number++) {
    if (numbers.includes(number)) continue;
    const path = join(root, `log-${number}`);
    const lock = lockIfFree(path, port);
    // Another process has just made it for itself.
    if (lock === undefined) continue;
    writeFileSync(join(path, databaseFile), database, { mode: 0o600 });
    return { path, lock };
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
    // What is wrong with it is told when a directory in it is made.
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

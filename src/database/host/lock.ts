import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../model/fault.js';
import { parseJson } from '../../text/json.js';
import { makePrivate } from './make-missing.js';

/** Who holds a data directory. */
interface DirectoryOwner {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** ISO time of the start. */
  readonly since: string;
  /** Start time of the process as the kernel counts it; tells a reused pid from the owner. Empty where unknown. */
  readonly processStart: string;
}

/** A second owner was refused; the message names the first. */
export class DirectoryHeldError extends Error {
  readonly owner: DirectoryOwner;
  constructor(path: string, owner: DirectoryOwner, what: string) {
    super(
      `The ${what} ${path} is in use by process ${owner.pid} (port ${owner.port}, since ${owner.since}). ` +
        'Stop that process or choose another directory.',
    );
    this.name = 'DirectoryHeldError';
    this.owner = owner;
  }
}

/** A held data directory. */
export interface DirectoryLock {
  /** Writes the port that was bound into the lock, where there is space: it only serves to name the owner. */
  announce(port: number): void;
  /** Sets the time of the lock, which shows whether the disk answers. */
  touch(): Promise<void>;
  /** True while the lock is there and names this process, or cannot be read now. */
  isHeld(): boolean;
  /** Gives the directory back; safe twice. */
  release(): void;
}

const lockName = 'sluice.lock';
const attempts = 20;

/**
 * Takes a data directory, creating it when missing. The lock file appears whole or not at all (written aside, then
 * linked). The lock of a process that is gone is taken over. `what` names the directory in errors.
 * @throws DirectoryHeldError when a live process holds it; an Error with one clear line when it cannot be made or
 * written.
 */
export function lockDirectory(path: string, host: string, port: number, what = 'data directory'): DirectoryLock {
  makeDirectory(path, what);
  const file = join(path, lockName);
  const draft = `${file}.${process.pid}`;
  const owner = (boundPort: number): string =>
    JSON.stringify({ pid: process.pid, host, port: boundPort, since, processStart: processStart(process.pid) });
  const since = new Date().toISOString();
  for (let attempt = 0; attempt < attempts; attempt++) {
    // First, for the room that its lock takes: the disk may be full.
    removeIfDead(path, file, what);
    writeDraft(path, draft, owner(port), what);
    if (tryLink(draft, file)) {
      rmSync(draft, { force: true });
      return heldLock(file, draft, owner);
    }
  }
  rmSync(draft, { force: true });
  throw new Error(`The lock ${file} changes hands too fast to be taken.`);
}

/** Reasons that a person can act on, by the system's error code; others keep the system's own text. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the file system has no such place',
  ENOTDIR: 'a part of it is a file',
  EEXIST: 'it is a file',
  ENOSPC: 'the disk is full',
};

function causeOf(error: unknown): string {
  return reasons[errorCode(error)] ?? reasonOf(error);
}

function makeDirectory(path: string, what: string): void {
  try {
    makePrivate(path);
  } catch (error) {
    throw new Error(`The ${what} ${path} cannot be made: ${causeOf(error)}.`, { cause: error });
  }
}

function writeDraft(path: string, draft: string, text: string, what: string): void {
  try {
    writeFileSync(draft, text, { mode: 0o600 });
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(`The ${what} ${path} cannot be written: ${causeOf(error)}.`, { cause: error });
  }
}

function heldLock(file: string, draft: string, owner: (port: number) => string): DirectoryLock {
  let held = true;
  return {
    announce(port) {
      try {
        writeFileSync(draft, owner(port), { mode: 0o600 });
        renameSync(draft, file);
      } catch {
        rmSync(draft, { force: true });
      }
    },
    touch() {
      const now = new Date();
      return utimes(file, now, now);
    },
    isHeld() {
      if (!held) return false;
      try {
        return parseOwner(readFileSync(file, 'utf8'))?.pid === process.pid;
      } catch (error) {
        return !['ENOENT', 'ENOTDIR'].includes(errorCode(error));
      }
    },
    release() {
      if (!held) return;
      held = false;
      if (readOwner(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** True when a live process holds a directory. */
export function isHeld(path: string): boolean {
  const owner = readOwner(join(path, lockName));
  return owner !== undefined && isAlive(owner);
}

function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead owner's lock. Moving it aside first makes sure that what is deleted is what was judged. */
function removeIfDead(path: string, file: string, what: string): void {
  const judged = readText(file);
  if (judged === undefined) return;
  const owner = parseOwner(judged);
  if (owner !== undefined && isAlive(owner)) {
    rmSync(`${file}.${process.pid}`, { force: true });
    throw new DirectoryHeldError(path, owner, what);
  }
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readText(aside) !== judged) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function isAlive(owner: DirectoryOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    if (errorCode(error) !== 'EPERM') return false;
  }
  if (owner.pid === process.pid) return owner.processStart === processStart(process.pid);
  const start = processStart(owner.pid);
  return start === '' || owner.processStart === '' || start === owner.processStart;
}

/** Field 22 of /proc/<pid>/stat: clock ticks between boot and the start of the process (proc(5)). */
function processStart(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return '';
  // The second field, the program's name, may hold blanks and brackets; the rest begins after its last bracket.
  const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended although its pid is not free yet.
  return rest[0] === 'Z' ? 'ended' : (rest[19] ?? '');
}

function readOwner(file: string): DirectoryOwner | undefined {
  const text = readText(file);
  return text === undefined ? undefined : parseOwner(text);
}

function parseOwner(text: string): DirectoryOwner | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('pid' in value) || typeof value.pid !== 'number' || !Number.isInteger(value.pid) || value.pid <= 0) {
    return undefined;
  }
  return {
    pid: value.pid,
    host: 'host' in value ? String(value.host) : '',
    port: 'port' in value ? Number(value.port) : 0,
    since: 'since' in value ? String(value.since) : '',
    processStart: 'processStart' in value ? String(value.processStart) : '',
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeBytesOf } from '../../bytes/free-bytes.js';

const memoryDirectory = '/dev/shm';
const diskName = 'sluice.spool';

/** A private directory for pipes and INSERT bodies, memory-backed where the system offers that. */
export interface Scratch {
  readonly path: string;
  /** A directory in the data directory for files that do not fit in memory; made when it is needed. */
  readonly diskPath: string;
  /** Bytes that were free when it was made. */
  readonly freeBytes: number;
  readonly isMemory: boolean;
  remove(): void;
}

/**
 * Makes the scratch directory of a data directory and removes the files of an earlier owner. Call it only while
 * holding the lock of the data directory: the name is all that tells whose files they are.
 */
export function makeScratch(dataPath: string): Scratch {
  const base = existsSync(memoryDirectory) ? memoryDirectory : tmpdir();
  const prefix = `sluice-${createHash('sha256').update(realpathSync(dataPath)).digest('hex').slice(0, 16)}-`;
  for (const name of readdirSync(base)) {
    if (name.startsWith(prefix)) rmSync(join(base, name), { recursive: true, force: true });
  }
  const path = mkdtempSync(join(base, prefix));
  const diskPath = join(dataPath, diskName);
  rmSync(diskPath, { recursive: true, force: true });
  const isMemory = base === memoryDirectory;
  const remove = (): void => {
    for (const directory of [path, diskPath]) rmSync(directory, { recursive: true, force: true });
  };
  return { path, diskPath, freeBytes: freeBytesOf(statfsSync(path)), isMemory, remove };
}

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { directoryFor } from './service/processes.js';
import { skipped } from './skipped.js';

/** A file system of its own with so many KiB; undefined, and a skipped test, where this user may not mount one. */
export function smallDisk(t: ExecutionContext, kilobytes: number): string | undefined {
  const path = join(directoryFor(t), 'disk');
  mkdirSync(path);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]).status !== 0) {
    skipped(t, 'this user cannot mount a small file system');
    return undefined;
  }
  // Runs before the directory is removed and after the programs have ended: teardowns go backwards.
  t.teardown(() => spawnSync('umount', ['--lazy', path]));
  return path;
}

/** Takes all space that is left on the disk of a file. */
export function fillDisk(file: string): void {
  for (const size of [1024 * 1024, 4096, 1]) {
    const piece = Buffer.alloc(size);
    for (;;) {
      try {
        appendFileSync(file, piece);
      } catch {
        break;
      }
    }
  }
}

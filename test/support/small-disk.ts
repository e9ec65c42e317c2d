import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { directoryFor } from './processes.js';

/** A file system of its own with so many KiB; undefined, with a line in the test's log, where this user may not mount one. */
export function smallDisk(t: ExecutionContext, kilobytes: number): string | undefined {
  const path = join(directoryFor(t), 'disk');
  mkdirSync(path);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]).status !== 0) {
    t.log('Not tested: this user cannot mount a small file system.');
    t.pass();
    return undefined;
  }
  // Runs before the directory is removed and after the programs have ended: teardowns go backwards.
  t.teardown(() => spawnSync('umount', ['--lazy', path]));
  return path;
}

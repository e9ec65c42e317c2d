import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in memory, on Linux. The engine makes a table there in half of the time that it takes on a disk. */
const memoryPlace = '/dev/shm';
/** Several times what tests that do not take long hold at once, which is 100 MB. */
const neededBytes = 2 ** 30;

/**
 * Makes the directory for all files that the tests of a run make: where `TMPDIR` says, else in memory if that is asked for and
 * there is plenty of it. Removes the directories of runs that were killed.
 */
export function makePlace(prefersMemory: boolean): string {
  const isInMemory = prefersMemory && process.env.TMPDIR === undefined && hasRoomInMemory();
  const place = isInMemory ? memoryPlace : tmpdir();
  for (const name of readdirSync(place)) {
    const pid = /^sluice-test-run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(place, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(place, `sluice-test-run-${process.pid}-`));
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryPlace);
    return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

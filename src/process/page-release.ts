import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '../async/clock.js';
import { RepeatedWork } from '../async/repeated-work.js';

/** How often a process checks its own metrics, in ms. */
const checkIntervalMs = 5_000;
/**
 * Share of one processor below which a process is idle, and the shortest time between two releases, in ms.
 * Code that runs again after a release is read again.
 */
const idleProcessorShare = 0.05;
const minIntervalMs = 60_000;
/** Growth since the last release, in bytes, from which another one is worth its cost. */
const minGrowthBytes = 16 * 1024 * 1024;
/**
 * Shortest mapping that is released, in bytes. Shorter ones hold little, and a thread that loads a small library may
 * be changing them.
 */
const minMappingBytes = 1024n * 1024n;
/** `MADV_DONTNEED` of Linux. */
const madvDontNeed = 4;

/** Addresses of a process from `begin` up to `end`. */
interface Mapping {
  readonly begin: bigint;
  readonly end: bigint;
}

/**
 * The large read-only mappings of a process whose pages equal a file on the disk: program code and its constants.
 * `smaps` is the text of `/proc/PID/smaps` (https://man7.org/linux/man-pages/man5/proc_pid_smaps.5.html).
 */
export function unchangedMappings(smaps: string): readonly Mapping[] {
  const mappings: Mapping[] = [];
  // Each mapping has a line with its addresses, access and file, and then lines of attributes, whose names begin with a
  // capital.
  const heads = [...smaps.matchAll(/^[0-9a-f]+-.*$/gm)];
  for (const [at, { 0: head, index }] of heads.entries()) {
    const [, begin, end] = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p [0-9a-f]+ \S+ [1-9]\d* /.exec(head) ?? [];
    if (begin === undefined || end === undefined) continue;
    const attributes = smaps.slice(index + head.length, heads[at + 1]?.index);
    const mapping = { begin: BigInt(`0x${begin}`), end: BigInt(`0x${end}`) };
    // Changed pages are in memory, or the system has swapped them out.
    const isUnchanged = /^Anonymous: +0 kB$/m.test(attributes) && /^Swap: +0 kB$/m.test(attributes);
    if (isUnchanged && mapping.end - mapping.begin >= minMappingBytes) mappings.push(mapping);
  }
  return mappings;
}

/**
 * Removes the pages of program code from the memory of this process. Linux fetches a page from its page cache when the
 * code runs again. Does nothing on other systems. Rejects where `koffi` is missing.
 */
export async function releasePages(): Promise<void> {
  if (process.platform !== 'linux') return;
  const { default: koffi } = await import('koffi');
  const advise = koffi.load(null).func('int madvise(uintptr_t begin, size_t length, int advice)');
  for (const { begin, end } of unchangedMappings(readFileSync('/proc/self/smaps', 'latin1'))) {
    advise(begin, end - begin, madvDontNeed);
  }
}

/** Metrics of this process: resident bytes, and microseconds of processor time since its start. */
interface ProcessMetrics {
  residentBytes(): number;
  processorMicros(): number;
}

const selfMetrics: ProcessMetrics = {
  residentBytes: () => process.memoryUsage.rss(),
  processorMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/**
 * Releases the pages of this process's code once it has started, and whenever it is idle and has grown since. Most of
 * the resident memory of a service is code that ran once, at the start; see docs/decisions/044-page-release.md. A
 * process that cannot release its pages keeps them.
 */
export function pageRelease(
  release: () => Promise<void> = releasePages,
  metrics: ProcessMetrics = selfMetrics,
  clock: Clock = systemClock,
): RepeatedWork {
  let [spentMicros, baselineBytes, releasedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  let [isStarted, isReleased] = [false, false];
  const tryRelease = async (): Promise<boolean> => {
    try {
      await release();
      return true;
    } catch {
      releasedAt = Number.POSITIVE_INFINITY;
      return false;
    }
  };
  const check = async (): Promise<number> => {
    const [micros, bytes] = [metrics.processorMicros(), metrics.residentBytes()];
    const isIdle = micros - spentMicros < checkIntervalMs * 1000 * idleProcessorShare;
    spentMicros = micros;
    if (!isStarted) {
      isStarted = true;
      await tryRelease();
      return checkIntervalMs;
    }
    // Code that runs also in an idle process is resident again by now.
    if (isReleased) baselineBytes = bytes;
    isReleased = false;
    if (!isIdle || clock.now() - releasedAt < minIntervalMs || bytes - baselineBytes < minGrowthBytes)
      return checkIntervalMs;
    releasedAt = clock.now();
    isReleased = await tryRelease();
    return checkIntervalMs;
  };
  return new RepeatedWork('page-release', 0, check, clock);
}

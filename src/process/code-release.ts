import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '../async/clock.js';
import { RepeatedWork } from '../async/repeated-work.js';

/** How often a process looks at itself, in ms. */
const lookMs = 5_000;
/** Share of one processor below which a process rests, and the least time between two releases, in ms: code that is run again is read again. */
const restingShare = 0.05;
const betweenMs = 60_000;
/** A release that gives back less is not worth it. */
const worthBytes = 16 * 1024 * 1024;
/** Shortest part that is released. Shorter ones hold little, and another thread that loads a small library may change them at this moment. */
const leastMapping = 1024n * 1024n;
/** `MADV_DONTNEED` of Linux. */
const dontNeed = 4;

/** Addresses of a process from `begin` up to `end`. */
interface Mapping {
  readonly begin: bigint;
  readonly end: bigint;
}

/**
 * The large parts of a process's memory that are an unchanged copy of a file on the disk and cannot be written to, which is program code and its constants;
 * `smaps` is the text of `/proc/PID/smaps` (https://man7.org/linux/man-pages/man5/proc_pid_smaps.5.html).
 */
export function unchangedMappings(smaps: string): readonly Mapping[] {
  const mappings: Mapping[] = [];
  // Each mapping has a line with its place, access and file, and behind it lines of facts, whose names begin with a capital.
  const heads = [...smaps.matchAll(/^[0-9a-f]+-.*$/gm)];
  for (const [at, { 0: head, index }] of heads.entries()) {
    const [, begin, end] = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p [0-9a-f]+ \S+ [1-9]\d* /.exec(head) ?? [];
    if (begin === undefined || end === undefined) continue;
    const facts = smaps.slice(index + head.length, heads[at + 1]?.index);
    const mapping = { begin: BigInt(`0x${begin}`), end: BigInt(`0x${end}`) };
    // Changed pages are in memory, or the system has swapped them out.
    const isUnchanged = /^Anonymous: +0 kB$/m.test(facts) && /^Swap: +0 kB$/m.test(facts);
    if (isUnchanged && mapping.end - mapping.begin >= leastMapping) mappings.push(mapping);
  }
  return mappings;
}

/**
 * Takes program code out of the memory of this process; what of it runs again is fetched from the system's copy of the file. Does nothing where the
 * system cannot.
 */
export async function releaseCode(): Promise<void> {
  if (process.platform !== 'linux') return;
  const { default: koffi } = await import('koffi');
  const advise = koffi.load(null).func('int madvise(uintptr_t begin, size_t length, int advice)');
  for (const { begin, end } of unchangedMappings(readFileSync('/proc/self/smaps', 'latin1'))) {
    advise(begin, end - begin, dontNeed);
  }
}

/** Figures of this process that tell whether it rests: bytes in memory, and microseconds of processor time since its start. */
interface Figures {
  residentBytes(): number;
  processorMicros(): number;
}

const ownFigures: Figures = {
  residentBytes: () => process.memoryUsage.rss(),
  processorMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/**
 * Releases the code of this process once it has started, and whenever it rests and has grown since. Most of what a service would hold is code that ran
 * once, while it started; see docs/decisions/044. A process that cannot release it goes on without.
 */
export function codeRelease(
  release: () => Promise<void> = releaseCode,
  figures: Figures = ownFigures,
  clock: Clock = systemClock,
): RepeatedWork {
  let [spentMicros, leastBytes, releasedAt] = [0, 0, Number.NEGATIVE_INFINITY];
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
  const look = async (): Promise<number> => {
    const [micros, bytes] = [figures.processorMicros(), figures.residentBytes()];
    const isResting = micros - spentMicros < lookMs * 1000 * restingShare;
    spentMicros = micros;
    if (!isStarted) {
      isStarted = true;
      releasedAt = clock.now();
      isReleased = await tryRelease();
      return lookMs;
    }
    // What runs also at rest is back by now.
    if (isReleased) leastBytes = bytes;
    isReleased = false;
    if (!isResting || clock.now() - releasedAt < betweenMs || bytes - leastBytes < worthBytes) return lookMs;
    releasedAt = clock.now();
    isReleased = await tryRelease();
    return lookMs;
  };
  return new RepeatedWork('code-release', 0, look, clock);
}

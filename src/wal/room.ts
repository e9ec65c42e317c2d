import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ComponentLog } from '../model/component.js';
import { Codes, type Fault, fault, reasonOf } from '../model/fault.js';
import type { WalSettings } from './options.js';
import type { Segment } from './segment.js';

/** Most that `wal.maxBytes = 0` takes, and its share of the free space. */
const defaultMaxBytes = 16 * 1024 ** 3;
const freeShare = 4;
/**
 * A segment takes so much of the room of a log at most, so that room comes back in pieces; but it is not shorter than
 * this.
 */
const segmentShare = 4;
const leastSegmentBytes = 64 * 1024;
/** A disk with less free space counts as full. */
const leastFreeBytes = 64 * 1024;

/** Bounds of a log, and the checks of its directory. */
interface RoomLimits extends Pick<WalSettings, 'segmentBytes' | 'maxBytes'> {
  readonly isHeld: () => boolean;
  readonly log: ComponentLog;
}

/**
 * The room that a log has: its bounds, the free space of its disk, and whether its directory and its files are still
 * there.
 */
export class LogRoom {
  readonly #directory: string;
  readonly #limits: RoomLimits;
  #maxBytes: number;
  #freeBytes = Number.POSITIVE_INFINITY;
  #loss: Fault | undefined;
  /** False while the directory cannot be read although it is there. */
  #isSeen = true;

  constructor(directory: string, limits: RoomLimits) {
    this.#directory = directory;
    this.#limits = limits;
    this.#maxBytes = limits.maxBytes > 0 ? limits.maxBytes : defaultMaxBytes;
  }

  /** Says that the directory is gone, or belongs to another process; undefined while all is well. */
  get loss(): Fault | undefined {
    return this.#loss;
  }

  /** Says that the disk is full; undefined while it is not. */
  get fullness(): Fault | undefined {
    return this.#freeBytes < leastFreeBytes ? diskFull : undefined;
  }

  /** From this size on a segment is left for a new one. */
  get segmentBytes(): number {
    return Math.min(this.#limits.segmentBytes, Math.max(leastSegmentBytes, Math.floor(this.#maxBytes / segmentShare)));
  }

  /** Why a payload of some bytes has no room beside those that are not stored yet; undefined when it has. */
  refusal(openBytes: number, length: number): Fault | undefined {
    if (openBytes + length <= this.#maxBytes) return undefined;
    if (this.fullness !== undefined) return this.fullness;
    if (this.#limits.maxBytes > 0) return full;
    const mebibytes = (this.#maxBytes / 1024 ** 2).toFixed(1);
    const text = `The write-ahead log is full: it takes a quarter of the free space of its disk, now ${mebibytes} MiB`;
    return fault('resource', Codes.free, `${text}, and its rows are not stored yet`);
  }

  /**
   * Looks at the disk, and for the directory and the segments of a log with so many bytes. Marks segments whose file is
   * gone.
   */
  look(bytes: number, segments: readonly Segment[]): void {
    const isHeld = this.#limits.isHeld();
    if (isHeld !== (this.#loss === undefined)) this.#changed(isHeld);
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      this.#freeBytes = bavail * bsize;
      const share = Math.floor((this.#freeBytes + bytes) / freeShare);
      if (this.#limits.maxBytes === 0) this.#maxBytes = Math.max(1, Math.min(defaultMaxBytes, share));
      const names = new Set(readdirSync(this.#directory));
      for (const segment of segments) if (!names.has(basename(segment.path))) this.lost(segment);
      this.#isSeen = true;
    } catch (error) {
      if (!isHeld) for (const segment of segments) this.lost(segment);
      else if (this.#isSeen) {
        this.#isSeen = false;
        this.#limits.log.warn({ error: reasonOf(error) }, 'The directory of the write-ahead log cannot be read now.');
      }
    }
  }

  /** True when some bytes can be written to the directory. */
  takesBytes(): boolean {
    const probe = join(this.#directory, 'probe');
    try {
      writeFileSync(probe, Buffer.alloc(leastFreeBytes), { mode: 0o600 });
      return true;
    } catch {
      return false;
    } finally {
      rmSync(probe, { force: true });
    }
  }

  #changed(isHeld: boolean): void {
    const path = this.#directory;
    this.#loss = isHeld ? undefined : gone;
    if (isHeld) this.#limits.log.info({ path }, 'The directory of the write-ahead log is there again.');
    else {
      const text =
        'The directory of the write-ahead log was removed below the service; writes are refused until a restart.';
      this.#limits.log.error({ path }, text);
    }
  }

  /** Marks a segment whose file was deleted or moved away, and says so once. */
  lost(segment: Segment): void {
    if (segment.isLost === true) return;
    segment.isLost = true;
    const { path, open } = segment;
    const text = 'A file of the write-ahead log was deleted below the service; a crash now would lose its rows.';
    this.#limits.log.error({ path, texts: open }, text);
  }
}

const full = fault(
  'resource',
  Codes.free,
  'The write-ahead log is full (wal.maxBytes), and its rows are not stored yet',
);
const diskFull = fault('resource', Codes.free, 'The write-ahead log cannot be written: the disk is full');
const gone = fault(
  'resource',
  Codes.free,
  'The directory of the write-ahead log was removed below the service, which needs a restart',
);

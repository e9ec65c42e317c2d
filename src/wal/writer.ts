import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
  writev,
  writevSync,
} from 'node:fs';
import type { ComponentLog } from '../model/component.js';
import { Codes, type Fault, fault, reasonOf } from '../model/fault.js';
import { syncDirectory } from './directory.js';
import type { WalSettings } from './options.js';
import { headBytes, moveAside, type Place, type Segment, segmentHead, segmentPath } from './segment.js';

/** Told where a record lies once it is written, or why it is not. Must not throw. */
type Written = (result: Place | Fault) => void;

/** One record on its way to the file. */
interface Entry {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  readonly written: Written;
}

/** How often the log is forced to the disk with `wal.sync = interval`. */
const syncIntervalMs = 1000;
/** Bytes that are written at once: a turn of the event loop may bring more. */
const maxWriteBytes = 16 * 1024 * 1024;
/** Up to this length a write to the system's memory takes less than the trip through the thread pool. */
const syncBytes = 128 * 1024;
const noSpace = 'ENOSPC: no space left on device';
/** A file of this size is left when nothing in it is needed any more. */
const idleSegmentBytes = 1024 * 1024;

/** Bounds of a log's files. */
interface WriterLimits extends Pick<WalSettings, 'sync' | 'segmentBytes' | 'maxBytes'> {
  readonly log: ComponentLog;
}

/**
 * Appends records to the newest file of a log. The records of one turn of the event loop are written by one call, and while
 * it runs the next ones gather. A write that fails is none: the next one begins at the same place.
 */
export class SegmentWriter {
  readonly #directory: string;
  readonly #id: Buffer;
  readonly #limits: WriterLimits;
  readonly #segments: Segment[];
  #queue: Entry[] = [];
  #fd: number | undefined;
  #busy = false;
  #scheduled = false;
  #isDirty = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #bytes: number;
  #idle: (() => void)[] = [];

  /** `segments` are those that are there, which are read and not written to any more; `id` is the log's. */
  constructor(directory: string, id: Buffer, segments: readonly Segment[], limits: WriterLimits) {
    this.#directory = directory;
    this.#id = id;
    this.#segments = [...segments];
    this.#limits = limits;
    this.#bytes = segments.reduce((sum, { size }) => sum + size, 0);
    if (limits.sync === 'interval') {
      this.#timer = setInterval(() => this.#sync(), syncIntervalMs);
      this.#timer.unref();
    }
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The files, oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /**
   * Appends a record of pieces, which must not change until `written` is called. `isOwn` records, which the log keeps for
   * itself, are written however full it is.
   */
  append(pieces: readonly Uint8Array[], written: Written, isOwn = false): void {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (this.#isClosed) {
      written(closed);
      return;
    }
    if (!isOwn && this.#bytes + length > this.#limits.maxBytes) {
      written(full);
      return;
    }
    this.#queue.push({ pieces, length, written });
    this.schedule();
  }

  /** Deletes the oldest files in which nothing is open. */
  release(): void {
    const { segmentBytes } = this.#limits;
    for (;;) {
      const [oldest] = this.#segments;
      if (oldest === undefined || oldest.open > 0) return;
      if (this.#segments.length === 1 && this.#fd !== undefined) {
        // The one that is written to: left alone until leaving it is worth it.
        if (oldest.size < Math.min(idleSegmentBytes, segmentBytes) || this.#busy || this.#queue.length > 0) return;
        this.#leave();
      }
      this.#segments.shift();
      this.#bytes -= oldest.size;
      this.#remove(oldest);
    }
  }

  /** Resolves once all that was appended is written, or has failed. */
  async flushed(): Promise<void> {
    if (!this.#busy && this.#queue.length === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Writes what waits and lets go of the files; those in which nothing is open are deleted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flushed();
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#fd !== undefined) this.#leave();
    this.release();
  }

  /** Writes at the end of this turn of the event loop what is appended until then. */
  schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#busy || this.#queue.length === 0) return;
    const entries = this.#take();
    let length = 0;
    const pieces: Uint8Array[] = [];
    for (const entry of entries) {
      length += entry.length;
      for (const piece of entry.pieces) pieces.push(piece);
    }
    let segment: Segment;
    try {
      segment = this.#segmentFor(length);
    } catch (error) {
      this.#end(entries, failure(error));
      return;
    }
    this.#busy = true;
    if (length <= syncBytes && this.#limits.sync !== 'always') {
      this.#writeNow(pieces, entries, segment, length);
      return;
    }
    writev(this.#fd!, pieces, segment.size, (error, bytes) => {
      const short = error === null && bytes < length ? new Error(noSpace) : error;
      if (short !== null) this.#undo(entries, segment, short);
      else if (this.#limits.sync === 'always') this.#synced(entries, segment);
      else this.#placed(entries, segment);
    });
  }

  #writeNow(pieces: readonly Uint8Array[], entries: readonly Entry[], segment: Segment, length: number): void {
    try {
      if (writevSync(this.#fd!, pieces, segment.size) < length) throw new Error(noSpace);
    } catch (error) {
      this.#undo(entries, segment, error);
      return;
    }
    this.#placed(entries, segment);
  }

  #take(): Entry[] {
    const most = Math.min(maxWriteBytes, this.#limits.segmentBytes);
    let bytes = 0;
    let count = 0;
    for (const { length } of this.#queue) {
      bytes += length;
      if (count > 0 && bytes > most) break;
      count++;
    }
    if (count === this.#queue.length) {
      const all = this.#queue;
      this.#queue = [];
      return all;
    }
    return this.#queue.splice(0, count);
  }

  #synced(entries: readonly Entry[], segment: Segment): void {
    fdatasync(this.#fd!, (error) => {
      if (error === null) this.#placed(entries, segment);
      else this.#undo(entries, segment, error);
    });
  }

  #placed(entries: readonly Entry[], segment: Segment): void {
    this.#isDirty = true;
    let offset = segment.size;
    const begin = offset;
    for (const { length } of entries) offset += length;
    segment.size = offset;
    this.#bytes += offset - begin;
    offset = begin;
    for (const { length, written } of entries) {
      written({ segment, offset, length });
      offset += length;
    }
    this.#next();
  }

  /** Cuts off what was written of records that are refused: behind a shorter one a restart would take them for answered ones. */
  #undo(entries: readonly Entry[], segment: Segment, error: unknown): void {
    try {
      ftruncateSync(this.#fd!, segment.size);
    } catch (cutError) {
      const { path } = segment;
      this.#limits.log.error({ path, error: reasonOf(cutError) }, 'A file of the write-ahead log could not be cut.');
    }
    this.#end(entries, failure(error));
  }

  #end(entries: readonly Entry[], result: Fault): void {
    for (const { written } of entries) written(result);
    this.#next();
  }

  #next(): void {
    this.#busy = false;
    if (this.#queue.length > 0) {
      this.#flush();
      return;
    }
    // Texts may have ended while this was written.
    this.release();
    const waiting = this.#idle;
    this.#idle = [];
    for (const wake of waiting) wake();
  }

  /** The newest file, or a new one when it is full. */
  #segmentFor(length: number): Segment {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && this.#fd !== undefined) {
      if (newest.size === headBytes || newest.size + length <= this.#limits.segmentBytes) return newest;
    }
    const number = (newest?.number ?? 0) + 1;
    const path = segmentPath(this.#directory, number);
    const fd = openSync(path, 'w', 0o600);
    try {
      writeSync(fd, segmentHead(this.#id, number), 0, headBytes, 0);
      if (this.#limits.sync !== 'never') syncDirectory(this.#directory);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    if (this.#fd !== undefined) this.#leave();
    this.#fd = fd;
    const segment = { number, path, size: headBytes, open: 0 };
    this.#segments.push(segment);
    this.#bytes += headBytes;
    this.release();
    return segment;
  }

  /** Lets go of the file that is written to, which is forced to the disk where that is wanted. */
  #leave(): void {
    const fd = this.#fd!;
    this.#fd = undefined;
    const done = (): void => close(fd, () => undefined);
    if (this.#isDirty && this.#limits.sync === 'interval') fdatasync(fd, done);
    else done();
    this.#isDirty = false;
  }

  #sync(): void {
    if (!this.#isDirty || this.#fd === undefined) return;
    this.#isDirty = false;
    fdatasync(this.#fd, (error) => {
      if (error === null) return;
      this.#limits.log.error({ error: reasonOf(error) }, 'The write-ahead log could not be forced to the disk.');
    });
  }

  /**
   * The room of a file that is open is freed when it is closed, which does not hold up this thread. A damaged file is
   * kept.
   */
  #remove({ path, isDamaged = false }: Segment): void {
    const { log } = this.#limits;
    try {
      if (isDamaged) {
        log.error({ path, aside: moveAside(path) }, 'A damaged file of the write-ahead log was moved aside.');
        return;
      }
      const fd = openSync(path, 'r');
      try {
        rmSync(path, { force: true });
      } finally {
        close(fd, () => undefined);
      }
    } catch (error) {
      if (!existsSync(path)) return;
      log.error({ path, error: reasonOf(error) }, 'A file of the write-ahead log could not be deleted.');
    }
  }
}

const full = fault(
  'resource',
  Codes.free,
  'The write-ahead log is full (wal.maxBytes): the database has been away or slow',
);

const closed = fault('resource', Codes.free, 'The write-ahead log is closed');

function failure(error: unknown): Fault {
  const text = reasonOf(error);
  const reason = text.includes('ENOSPC') ? 'the disk is full' : text;
  return fault('resource', Codes.free, `The write-ahead log cannot be written: ${reason}`, error);
}

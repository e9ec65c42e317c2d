import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
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
import { OpenFiles } from './open-files.js';
import type { WalSettings } from './options.js';
import { LogRoom } from './room.js';
import { headBytes, moveAside, type RecordPosition, type Segment, segmentHead, segmentPath } from './segment.js';

/** Told where a record lies once it is written, or why it is not. Must not throw. */
type Written = (result: RecordPosition | Fault) => void;

/** One record on its way to the file. */
interface Entry {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  readonly written: Written;
}

/**
 * How often the log is forced to the disk with `wal.sync = interval`, and how often its disk and its files are looked
 * at.
 */
const lookIntervalMs = 1000;
/** Bytes that are written at once: an iteration of the event loop may bring more. */
const maxWriteBytes = 16 * 1024 * 1024;
/** Up to this length a write to the system's memory takes less than the trip through the thread pool. */
const syncBytes = 128 * 1024;
const noSpace = 'ENOSPC: no space left on device';
/** A file of this size is left when nothing in it is needed any more. */
const idleSegmentBytes = 1024 * 1024;
/** A payload of this length is a small one. */
const smallBytes = 4096;

/** Bounds of a log's files. */
interface WriterLimits extends Pick<WalSettings, 'sync' | 'segmentBytes' | 'maxBytes'> {
  /** True while this process holds the directory. */
  readonly isHeld: () => boolean;
  readonly log: ComponentLog;
}

/**
 * Appends records to the newest file of a log. The records of one turn of the event loop are written by one call, and
 * while it runs the next ones wait for the next call. A write that fails is none: the next one begins at the same
 * place.
 */
export class SegmentWriter {
  readonly #directory: string;
  readonly #id: Buffer;
  readonly #limits: WriterLimits;
  readonly #segments: Segment[];
  #queue: Entry[] = [];
  readonly #files: OpenFiles;
  readonly #room: LogRoom;
  #busy = false;
  #scheduled = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #bytes: number;
  /** Why the last write failed; undefined once one has succeeded. */
  #failure: Fault | undefined;
  #idle: (() => void)[] = [];

  /** `segments` are those that are there, which are read and not written to any more; `id` is the log's. */
  constructor(directory: string, id: Buffer, segments: readonly Segment[], limits: WriterLimits) {
    this.#directory = directory;
    this.#id = id;
    this.#segments = [...segments];
    this.#limits = limits;
    this.#bytes = segments.reduce((sum, { size }) => sum + size, 0);
    this.#files = new OpenFiles(limits.sync === 'interval', limits.log);
    this.#room = new LogRoom(directory, limits);
    this.#room.look(this.#bytes, this.#segments);
    this.#timer = setInterval(() => this.#look(), lookIntervalMs);
    this.#timer.unref();
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why no payload can be written now; undefined while one can. */
  get refusal(): Fault | undefined {
    const { loss, fullness } = this.#room;
    return loss ?? this.#files.failure ?? this.#failure ?? fullness ?? this.#room.refusal(this.#openBytes, smallBytes);
  }

  /** The files, oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /**
   * Appends a record of pieces, which must not change until `written` is called. `isOwn` records, which the log keeps
   * for itself, are written however full it is.
   */
  append(pieces: readonly Uint8Array[], written: Written, isOwn = false): void {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (this.#isClosed) {
      written(closed);
      return;
    }
    const refusal = this.#refusalOf(length, isOwn);
    if (refusal !== undefined) {
      written(refusal);
      return;
    }
    this.#queue.push({ pieces, length, written });
    this.schedule();
  }

  /** The log's own records are written however full it is. */
  #refusalOf(length: number, isOwn: boolean): Fault | undefined {
    const { loss } = this.#room;
    if (isOwn || loss !== undefined) return loss;
    return this.#files.failure ?? this.#room.refusal(this.#openBytes, length);
  }

  /** Bytes of files with rows that are not stored. */
  get #openBytes(): number {
    const newest = this.#segments.at(-1);
    return newest?.open === 0 ? this.#bytes - newest.size : this.#bytes;
  }

  /** Deletes the oldest files in which nothing is open, the newest one only from some size on, or when `isFull`. */
  release(isFull = false): void {
    const leastBytes = isFull ? headBytes + 1 : Math.min(idleSegmentBytes, this.#room.segmentBytes);
    for (;;) {
      const [oldest] = this.#segments;
      if (oldest === undefined || oldest.open > 0) return;
      if (this.#segments.length === 1 && this.#files.newest !== undefined) {
        // The one that is written to: left alone until leaving it is worth it.
        if (oldest.size < leastBytes || this.#busy || this.#queue.length > 0) return;
        this.#files.leave();
      }
      this.#segments.shift();
      this.#bytes -= oldest.size;
      this.#files.drop(oldest);
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
    this.#files.leave();
    this.release();
    this.#files.close();
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
      this.#fail(entries, error);
      return;
    }
    this.#busy = true;
    if (length <= syncBytes && this.#limits.sync !== 'always') {
      this.#writeNow(pieces, entries, segment, length);
      return;
    }
    writev(this.#files.newest!, pieces, segment.size, (error, bytes) => {
      const short = error === null && bytes < length ? new Error(noSpace) : error;
      if (short !== null) this.#undo(entries, segment, short);
      else if (this.#limits.sync === 'always') this.#synced(entries, segment);
      else this.#placed(entries, segment);
    });
  }

  #writeNow(pieces: readonly Uint8Array[], entries: readonly Entry[], segment: Segment, length: number): void {
    try {
      if (writevSync(this.#files.newest!, pieces, segment.size) < length) throw new Error(noSpace);
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
    const fd = this.#files.newest!;
    fdatasync(fd, (error) => {
      const isLost = error === null && fstatSync(fd).nlink === 0;
      if (isLost) this.#room.lost(segment);
      if (error === null && !isLost) this.#placed(entries, segment);
      else this.#undo(entries, segment, error ?? new Error('its file was deleted'));
    });
  }

  #placed(entries: readonly Entry[], segment: Segment): void {
    this.#files.wrote();
    this.#failure = undefined;
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

  /**
   * Cuts off what was written of records that are refused: behind a shorter one a restart would take them for answered
   * ones.
   */
  #undo(entries: readonly Entry[], segment: Segment, error: unknown): void {
    try {
      ftruncateSync(this.#files.newest!, segment.size);
    } catch (cutError) {
      const { path } = segment;
      this.#limits.log.error({ path, error: reasonOf(cutError) }, 'A file of the write-ahead log could not be cut.');
    }
    this.#fail(entries, error);
  }

  #fail(entries: readonly Entry[], error: unknown): void {
    const failure = failureOf(error);
    this.#failure = failure;
    for (const { written } of entries) written(failure);
    this.#next();
  }

  #next(): void {
    this.#busy = false;
    if (this.#queue.length > 0) {
      this.#flush();
      return;
    }
    // Payloads may have ended while this was written, and a full disk needs the room of stored ones.
    this.release(this.#failure !== undefined);
    const waiting = this.#idle;
    this.#idle = [];
    for (const wake of waiting) wake();
  }

  /** The newest file, or a new one when it is full. */
  #segmentFor(length: number): Segment {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && newest.isLost !== true && this.#files.newest !== undefined) {
      if (newest.size === headBytes || newest.size + length <= this.#room.segmentBytes) return newest;
    }
    let number = (newest?.number ?? 0) + 1;
    // One that could not be deleted is left alone.
    while (existsSync(segmentPath(this.#directory, number))) number++;
    const path = segmentPath(this.#directory, number);
    const fd = openSync(path, 'wx', 0o600);
    try {
      writeSync(fd, segmentHead(this.#id, number), 0, headBytes, 0);
      if (this.#limits.sync !== 'never') syncDirectory(this.#directory);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    const segment = { number, path, size: headBytes, open: 0 };
    this.#files.begin(fd, segment);
    this.#segments.push(segment);
    this.#bytes += headBytes;
    this.release();
    return segment;
  }

  #look(): void {
    this.#files.force();
    this.#room.look(this.#bytes, this.#segments);
    if (this.refusal === undefined) return;
    this.release(true);
    if (this.#failure !== undefined && this.#room.takesBytes()) this.#failure = undefined;
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

const closed = fault('resource', Codes.free, 'The write-ahead log is closed');

/** Paths stay out of it: senders read it. */
function failureOf(error: unknown): Fault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  const isFull = reasonOf(error).includes('ENOSPC');
  const reason = isFull ? 'the disk is full' : (code ?? reasonOf(error));
  return fault('resource', Codes.free, `The write-ahead log cannot be written: ${reason}`, error);
}

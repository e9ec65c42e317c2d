import { close, fdatasync } from 'node:fs';
import type { ComponentLog } from '../model/component.js';
import { Codes, type Fault, fault, reasonOf } from '../model/fault.js';
import type { Segment } from './segment.js';

/** A segment that is open for writing. */
interface OpenFile {
  readonly fd: number;
  readonly segment: Segment;
  /** True while it has bytes that are perhaps not on the disk. */
  isDirty: boolean;
  isForcing: boolean;
  hasFailed: boolean;
}

/**
 * The segments that are open for writing: the newest one, and those before it whose bytes are not on the disk yet. A
 * sync that fails is repeated until it succeeds or the segment is deleted. Until then {@link OpenFiles.failure} says
 * why: the system may have dropped the bytes, so that a loss of power would cost rows that were answered.
 */
export class OpenFiles {
  readonly #isForced: boolean;
  readonly #log: ComponentLog;
  #newest: OpenFile | undefined;
  readonly #left = new Set<OpenFile>();
  #failure: Fault | undefined;
  #isClosed = false;

  /** With `isForced` the bytes are forced to the disk by {@link OpenFiles.force} and when a segment is left. */
  constructor(isForced: boolean, log: ComponentLog) {
    this.#isForced = isForced;
    this.#log = log;
  }

  /** Descriptor of the newest segment, if one is open. */
  get newest(): number | undefined {
    return this.#newest?.fd;
  }

  /** Why bytes cannot be forced to the disk; undefined while they can. */
  get failure(): Fault | undefined {
    return this.#failure;
  }

  /** Writes go to another segment from now on. */
  begin(fd: number, segment: Segment): void {
    this.leave();
    this.#newest = { fd, segment, isDirty: false, isForcing: false, hasFailed: false };
  }

  /** Says that bytes were written to the newest segment. */
  wrote(): void {
    if (this.#newest !== undefined) this.#newest.isDirty = true;
  }

  /** Lets go of the newest segment, which is closed once its bytes are on the disk. */
  leave(): void {
    const file = this.#newest;
    if (file === undefined) return;
    this.#newest = undefined;
    this.#left.add(file);
    if (this.#isForced && file.isDirty) this.#force(file);
    else this.#closeLeft(file);
  }

  /** Forces to the disk what is not there yet. */
  force(): void {
    if (!this.#isForced) return;
    for (const file of this.#left) this.#force(file);
    if (this.#newest !== undefined) this.#force(this.#newest);
  }

  /** Closes a segment that was left and is deleted: its bytes are of no use any more. */
  drop(segment: Segment): void {
    for (const file of this.#left) {
      if (file.segment !== segment) continue;
      file.isDirty = false;
      file.hasFailed = false;
      this.#closeLeft(file);
    }
  }

  /** Leaves the newest segment; from now on a segment is closed after its next sync, also when that fails. */
  close(): void {
    this.#isClosed = true;
    this.leave();
    this.force();
  }

  #force(file: OpenFile): void {
    if (!file.isDirty || file.isForcing) return;
    file.isDirty = false;
    file.isForcing = true;
    fdatasync(file.fd, (error) => {
      file.isForcing = false;
      if (error === null) this.#forced(file);
      else this.#failed(file, error);
      if (this.#left.has(file)) this.#closeLeft(file);
    });
  }

  #forced(file: OpenFile): void {
    if (!file.hasFailed) return;
    file.hasFailed = false;
    this.#look();
    this.#log.info({ path: file.segment.path }, 'The write-ahead log can be forced to the disk again.');
  }

  #failed(file: OpenFile, error: NodeJS.ErrnoException): void {
    // One that is deleted meanwhile needs no disk.
    if (this.#left.has(file) && file.segment.open === 0) return;
    file.isDirty = true;
    if (!file.hasFailed) {
      const text = 'The write-ahead log cannot be forced to the disk; writes are refused until it can.';
      this.#log.error({ path: file.segment.path, error: reasonOf(error) }, text);
    }
    file.hasFailed = true;
    const reason = error.code ?? reasonOf(error);
    this.#failure = fault('resource', Codes.free, `The write-ahead log cannot be forced to the disk: ${reason}`, error);
  }

  #closeLeft(file: OpenFile): void {
    if (file.isForcing || (file.isDirty && this.#isForced && !this.#isClosed)) return;
    this.#left.delete(file);
    this.#look();
    close(file.fd, () => undefined);
  }

  #look(): void {
    const files = this.#newest === undefined ? [...this.#left] : [...this.#left, this.#newest];
    if (!files.some(({ hasFailed }) => hasFailed)) this.#failure = undefined;
  }
}

import type { Readable } from 'node:stream';
import { type Fault, FaultError } from '../model/fault.js';
import type { BodyLease } from './body-budget.js';
import { detached } from './detached.js';

/** Room that a body of unknown length begins with, in bytes. */
export const firstBytes = 64 * 1024;

/** State of a body that is collected. */
interface Collecting {
  /** Its length, where that is known; `lease` holds room for it then, and otherwise for {@link firstBytes}. */
  readonly length: number | undefined;
  readonly maxBytes: number;
  readonly lease: BodyLease;
  readonly aborted: AbortSignal;
  /** Memory for it, where that is there already; at least its length. */
  readonly into?: Buffer | undefined;
  /**
   * Where a body is too long, or has not ended after so long, what was taken of it is put back into the stream, to be
   * read on. Left out, it has all the time, and is dropped where it is too long.
   */
  readonly patienceMs?: number | undefined;
}

/**
 * The bytes; or it is longer than it may be or takes too long, broke off, or is refused. What is left of the stream is
 * not read then.
 */
export type Collected = Buffer | 'too-long' | 'broken' | Fault;

/**
 * Collects a stream in one buffer. A known length is allocated once; an unknown one grows by doubling, each time with
 * room of the budget, while the stream waits. Never rejects, and never destroys the stream.
 */
export function collectBytes(stream: Readable, collecting: Collecting): Promise<Collected> {
  return new Promise((resolve) => new Collector(stream, collecting, resolve).begin());
}

class Collector {
  readonly #stream: Readable;
  readonly #collecting: Collecting;
  readonly #resolve: (result: Collected) => void;
  #buffer: Buffer;
  /** Bytes that have come. */
  #length = 0;
  #isOver = false;
  #isGrowing = false;
  #isOverdue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Readable, collecting: Collecting, resolve: (result: Collected) => void) {
    const { length, maxBytes, into } = collecting;
    this.#stream = stream;
    this.#collecting = collecting;
    this.#resolve = resolve;
    this.#buffer = into ?? Buffer.allocUnsafeSlow(Math.min(length ?? firstBytes, maxBytes));
  }

  begin(): void {
    const { lease, patienceMs } = this.#collecting;
    const stream = this.#stream;
    if (patienceMs !== undefined) this.#timer = setTimeout(() => this.#overdue(), patienceMs);
    lease.giveUp = (reason) => this.#finish(reason);
    lease.unread = () => stream.readableLength;
    if (stream.destroyed) {
      this.#finish('broken');
      return;
    }
    stream.on('data', this.#take).once('end', this.#end).once('error', this.#cut).once('close', this.#cut);
    stream.resume();
  }

  readonly #take = (chunk: Buffer): void => {
    const { length, maxBytes, lease } = this.#collecting;
    const now = this.#length + chunk.length;
    if (now > (length ?? maxBytes)) {
      if (this.#timer === undefined) this.#finish(length === undefined ? 'too-long' : 'broken');
      else this.#putBack(chunk);
    } else if (now > this.#buffer.length) detached(this.#grow(chunk), () => this.#finish('broken'));
    else {
      chunk.copy(this.#buffer, this.#length);
      this.#length = now;
      lease.received = now;
    }
  };

  readonly #end = (): void => {
    const { length } = this.#collecting;
    const isWhole = length === undefined || this.#length === length;
    this.#finish(isWhole ? this.#buffer.subarray(0, this.#length) : 'broken');
  };

  readonly #cut = (): void => this.#finish('broken');

  #finish(result: Collected): void {
    const { lease } = this.#collecting;
    clearTimeout(this.#timer);
    this.#stream.off('data', this.#take).off('end', this.#end).off('error', this.#cut).off('close', this.#cut);
    this.#isOver = true;
    lease.giveUp = undefined;
    lease.ended();
    this.#resolve(result);
  }

  #overdue(): void {
    this.#isOverdue = true;
    if (!this.#isGrowing) this.#putBack();
  }

  #putBack(...chunks: readonly Buffer[]): void {
    this.#stream.pause();
    this.#finish('too-long');
    this.#stream.unshift(Buffer.concat([this.#buffer.subarray(0, this.#length), ...chunks]));
  }

  async #grow(chunk: Buffer): Promise<void> {
    const { maxBytes, lease, aborted } = this.#collecting;
    this.#stream.pause();
    this.#isGrowing = true;
    const size = Math.min(Math.max(2 * this.#buffer.length, this.#length + chunk.length), maxBytes);
    try {
      await lease.more(size - lease.bytes, aborted);
    } catch (error) {
      this.#finish(error instanceof FaultError ? error.fault : 'broken');
      return;
    }
    this.#isGrowing = false;
    // The reader is gone, and has given back what it knew of.
    if (this.#isOver) return lease.release();
    if (this.#isOverdue) return this.#putBack(chunk);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    this.#take(chunk);
    this.#stream.resume();
  }
}

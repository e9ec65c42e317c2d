import { Codes, FaultError, fault } from '../../model/fault.js';
import type { StallingReader } from './connection-pool.js';

/** Bytes of all results that are buffered for their readers, and their limit. */
export class BufferBudget {
  used = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }
}

/** What sends the pieces of a result. */
interface ResultSource {
  /** Sends no more pieces for now; some may be on their way. */
  pause(): void;
  resume(): void;
  /** Ends the result in the engine; safe after its end. */
  cancel(): void;
}

/** Bytes of one result that are read ahead of its reader while the budget lasts, and beyond it. */
const maxBufferBytes = 4 * 1024 * 1024;
const minBufferBytes = 64 * 1024;

const stalledFault = fault(
  'resource',
  Codes.free,
  'The result was not read for too long while others waited for its connection',
);

/** All bytes of a result. */
export async function wholeResult(result: Buffer | BufferedResult): Promise<Buffer> {
  if (Buffer.isBuffer(result)) return result;
  const pieces: Buffer[] = [];
  for await (const piece of result) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * The pieces of a result, read ahead of their reader by some MB, so that a slow reader of a shorter result does not
 * hold up the engine. Its source calls `add` and `end`. Returning early cancels the result.
 */
export class BufferedResult implements AsyncIterableIterator<Buffer>, StallingReader {
  readonly #source: ResultSource;
  readonly #budget: BufferBudget;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isPaused = false;
  #isOver = false;
  #failure: unknown;
  #readAt = performance.now();
  #wake: (() => void) | undefined;
  #whenOver: (() => void) | undefined;

  constructor(source: ResultSource, budget: BufferBudget) {
    this.#source = source;
    this.#budget = budget;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#count(-piece.length);
        this.#readAt = performance.now();
        if (this.#isPaused && this.#bytes <= this.#allowedBytes / 2) {
          this.#isPaused = false;
          this.#source.resume();
        }
        return { value: piece, done: false };
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return { value: undefined, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#discard();
    this.end(undefined);
    return { value: undefined, done: true };
  }

  stalledMs(): number {
    return !this.#isOver && this.#isPaused ? performance.now() - this.#readAt : 0;
  }

  cancel(): void {
    this.#discard();
    this.end(new FaultError(stalledFault));
  }

  /** Takes the next piece. */
  add(piece: Buffer): void {
    if (this.#isOver) return;
    this.#pieces.push(piece);
    this.#count(piece.length);
    if (!this.#isPaused && this.#bytes >= this.#allowedBytes) {
      this.#isPaused = true;
      this.#source.pause();
    }
    this.#wake?.();
  }

  /** Ends the result, with the error of one that failed. Only the first call counts. */
  end(failure: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#source.cancel();
    this.#whenOver?.();
    this.#wake?.();
  }

  /** Calls the function once the source has sent everything or was cancelled, however slow the reader is. */
  whenOver(call: () => void): void {
    if (this.#isOver) call();
    else this.#whenOver = call;
  }

  get #allowedBytes(): number {
    return this.#budget.used < this.#budget.limit ? maxBufferBytes : minBufferBytes;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.used += bytes;
  }

  #discard(): void {
    this.#pieces = [];
    this.#count(-this.#bytes);
  }
}

import type { IncomingMessage } from 'node:http';
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

/** Bytes of one result that are read ahead of its reader while the budget lasts, and beyond it. */
const maxBufferBytes = 4 * 1024 * 1024;
const minBufferBytes = 64 * 1024;

const stalledFault = fault(
  'resource',
  Codes.free,
  'The result was not read for too long while others waited for its connection',
);

/**
 * The pieces of a response, read ahead of their reader by some MB, so that a slow reader of a shorter result does not
 * hold up the engine. `release` is called once, when the connection is free again. Returning early closes it.
 */
export class BufferedResult implements AsyncIterableIterator<Buffer>, StallingReader {
  readonly #response: IncomingMessage;
  readonly #budget: BufferBudget;
  readonly #release: () => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  #failure: unknown;
  #readAt = performance.now();
  #wake: (() => void) | undefined;

  constructor(response: IncomingMessage, budget: BufferBudget, release: () => void) {
    this.#response = response;
    this.#budget = budget;
    this.#release = release;
    response.on('data', (piece: Buffer) => this.#add(piece));
    response.once('end', () => this.#end(undefined));
    response.once('error', (error) => this.#end(error));
    response.once('close', () => this.#end(new Error('the connection was closed')));
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
        if (this.#response.isPaused() && this.#bytes <= this.#allowedBytes / 2) this.#response.resume();
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
    this.#end(undefined);
    return { value: undefined, done: true };
  }

  stalledMs(): number {
    return !this.#isOver && this.#response.isPaused() ? performance.now() - this.#readAt : 0;
  }

  cancel(): void {
    this.#discard();
    this.#end(new FaultError(stalledFault));
  }

  get #allowedBytes(): number {
    return this.#budget.used < this.#budget.limit ? maxBufferBytes : minBufferBytes;
  }

  #add(piece: Buffer): void {
    if (this.#isOver) return;
    this.#pieces.push(piece);
    this.#count(piece.length);
    if (this.#bytes >= this.#allowedBytes) this.#response.pause();
    this.#wake?.();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.used += bytes;
  }

  #discard(): void {
    this.#pieces = [];
    this.#count(-this.#bytes);
  }

  #end(failure: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#response.destroy();
    this.#release();
    this.#wake?.();
  }
}

import type { IncomingMessage } from 'node:http';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { StallingReader } from './result-places.js';

/** Bytes of results that are held for their readers, all together. */
export class HeldBytes {
  used = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }
}

/** How far one result may be ahead of its reader while there is room, and when there is none. */
const aheadBytes = 4 * 1024 * 1024;
const leastBytes = 64 * 1024;

const tooSlow = fault('resource', Codes.free, 'The result was not read for too long while others waited for its place');

/**
 * The pieces of an answer, read ahead of their reader by some MB, so that the engine is done with a result that is not longer however
 * slowly it is read. `released` is called once, when the connection is free again. Returning early closes it.
 */
export class HeldResult implements AsyncIterableIterator<Buffer>, StallingReader {
  readonly #answer: IncomingMessage;
  readonly #held: HeldBytes;
  readonly #released: () => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  #failure: unknown;
  #takenAt = performance.now();
  #wake: (() => void) | undefined;

  constructor(answer: IncomingMessage, held: HeldBytes, released: () => void) {
    this.#answer = answer;
    this.#held = held;
    this.#released = released;
    answer.on('data', (piece: Buffer) => this.#add(piece));
    answer.once('end', () => this.#end(undefined));
    answer.once('error', (error) => this.#end(error));
    answer.once('close', () => this.#end(new Error('the connection was closed')));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#count(-piece.length);
        this.#takenAt = performance.now();
        if (this.#answer.isPaused() && this.#bytes <= this.#allowedBytes / 2) this.#answer.resume();
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
    this.#drop();
    this.#end(undefined);
    return { value: undefined, done: true };
  }

  stalledMs(): number {
    return !this.#isOver && this.#answer.isPaused() ? performance.now() - this.#takenAt : 0;
  }

  cut(): void {
    this.#drop();
    this.#end(new FaultError(tooSlow));
  }

  get #allowedBytes(): number {
    return this.#held.used < this.#held.limit ? aheadBytes : leastBytes;
  }

  #add(piece: Buffer): void {
    if (this.#isOver) return;
    this.#pieces.push(piece);
    this.#count(piece.length);
    if (this.#bytes >= this.#allowedBytes) this.#answer.pause();
    this.#wake?.();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#held.used += bytes;
  }

  #drop(): void {
    this.#pieces = [];
    this.#count(-this.#bytes);
  }

  #end(failure: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#answer.destroy();
    this.#released();
    this.#wake?.();
  }
}

import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { detached } from '../../async/detached.js';
import { TurnQueue } from '../../async/event-loop.js';

/**
 * Pieces from this length on are passed on as they are; shorter ones are copied together into blocks of so many bytes.
 */
const blockBytes = 2_048;
/** After so many short pieces of a body its connection waits for its turn before it is read again. */
const piecesPerTurn = 256;
/** So many pieces that come within the span, with fewer bytes in each on average, are too small. */
const mostTinyPieces = 16_384;
const leastMeanBytes = 16;
const spanMs = 10_000;
/** The same number for the body of a request that is answered already, as one with a wrong password is. */
const mostTinyPiecesOfAnswered = 1_024;

/** Connections that sent very many pieces at once. */
const turns = new TurnQueue();

/** The error of a body whose pieces are too small. */
class TinyPiecesError extends Error {
  readonly code = 'TINY_PIECES';
}

/**
 * A request whose body costs what it holds, however small the pieces are in which it comes: chunks of HTTP, records of
 * TLS, segments of TCP. The runtime makes a buffer of each, which takes some hundred times the memory of one byte. Here
 * short ones are copied together before anything else sees them, and wait together while what came before them is not
 * read.
 *
 * The work of the runtime for each piece remains. So a connection with very many of them takes turns with the others,
 * and `tooTiny` is called once when the pieces of a body are too small. The rest of that body is dropped.
 */
export abstract class CoalescedMessage extends IncomingMessage {
  #block: Buffer | undefined;
  /** Bytes of the block that are filled. */
  #filled = 0;
  #isFirst = true;
  #isFlushing = false;
  /** The stream has asked for more bytes, and none were pushed since. */
  #isWanted = false;
  #piecesOfTurn = 0;
  #isHeldBack = false;
  #isDropped = false;
  #isAnswered = false;
  #isTooTiny = false;
  /** Short pieces since the last look at their size, their bytes, and when the first of them came. */
  #pieces = 0;
  #bytes = 0;
  #since = 0;

  /** Answers the request, which has no answer yet, and closes its connection. */
  protected abstract tooTiny(error: TinyPiecesError, socket: Socket): void;

  /** The request has its answer: nothing needs the rest of the body. */
  answered(): void {
    this.#isAnswered = true;
  }

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#flush();
      return super.push(null);
    }
    if (this.#isFirst) {
      // Most bodies are one piece.
      this.#isFirst = false;
      return this.#isDropped || this.#pass(chunk);
    }
    if (chunk.length < blockBytes) this.#count(chunk.length);
    const hasRoom = this.#isDropped || this.#add(chunk);
    return hasRoom && !this.#isHeldBack;
  }

  override read(size?: number): Buffer | null {
    if (size !== 0) this.#flush();
    return super.read(size);
  }

  override _read(size: number): void {
    this.#isWanted = true;
    if (!this.#isHeldBack) super._read(size);
  }

  /**
   * Called by the runtime for a body that nothing has begun to read. Its own method would drop the pieces before they
   * are counted.
   */
  _dump(): void {
    this.#isDropped = true;
    this.resume();
  }

  /** The pieces that came in one turn of the event loop are there; they wait only while others wait before them. */
  turnEnded(): void {
    this.#isFlushing = false;
    if (this.readableLength === 0) this.#flush();
  }

  /** Passes on what was copied together; false when the stream holds as much as it may. */
  #flush(): boolean {
    const block = this.#block;
    if (block === undefined) return true;
    this.#block = undefined;
    const bytes = block.subarray(0, this.#filled);
    this.#filled = 0;
    return this.#pass(bytes);
  }

  #pass(bytes: Buffer): boolean {
    this.#isWanted = false;
    return super.push(bytes);
  }

  #add(chunk: Buffer): boolean {
    const hasRoom = this.#filled + chunk.length <= blockBytes || this.#flush();
    if (chunk.length >= blockBytes) return this.#pass(chunk) && hasRoom;
    this.#block ??= Buffer.allocUnsafe(blockBytes);
    chunk.copy(this.#block, this.#filled);
    this.#filled += chunk.length;
    if (!this.#isFlushing) setImmediate(endTurn, this);
    this.#isFlushing = true;
    return hasRoom;
  }

  #count(length: number): void {
    if (this.#pieces === 0) this.#since = performance.now();
    this.#pieces++;
    this.#bytes += length;
    this.#piecesOfTurn++;
    if (this.#piecesOfTurn >= piecesPerTurn && !this.#isHeldBack) detached(this.#holdBack());
    if (this.#pieces < (this.#isAnswered ? mostTinyPiecesOfAnswered : mostTinyPieces)) return;
    const isTiny = this.#bytes < this.#pieces * leastMeanBytes && performance.now() - this.#since < spanMs;
    this.#pieces = 0;
    this.#bytes = 0;
    if (!isTiny || this.#isTooTiny) return;
    this.#isTooTiny = true;
    this.#isDropped = true;
    detached(this.#refuse());
  }

  /** Ends the connection in its turn, so that a client that connects again at once takes turns, too. */
  async #refuse(): Promise<void> {
    this.#isHeldBack = true;
    await turns.next();
    if (this.#isAnswered) this.socket.destroy();
    else this.tooTiny(new TinyPiecesError('The pieces of a body are too small.'), this.socket);
  }

  async #holdBack(): Promise<void> {
    this.#isHeldBack = true;
    await turns.next();
    if (this.#isTooTiny) return;
    this.#isHeldBack = false;
    this.#piecesOfTurn = 0;
    if ((this.#isWanted || this.#isDropped) && !this.complete) super._read(0);
  }
}

function endTurn(message: CoalescedMessage): void {
  message.turnEnded();
}

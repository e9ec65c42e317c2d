import type { Socket } from 'node:net';
import type { ReadGate } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import { fromBytes } from '../support/bridges.js';
import { type Frame, framing, lineFeedCutter, textOf } from '../support/framing.js';
import { readSocket } from '../support/socket-reader.js';
import { badLineAnswers, deliveryAnswer, overlongAnswer } from './answers.js';
import { type Command, splitCommands } from './commands.js';

/** Answers that wait for a client that does not read; what exceeds it is not sent. */
const maxAnswerBytes = 65_536;
/** Lines that wait for a fuller batch are emitted when there are so many bytes of them. */
const maxHeldBytes = 65_536;

/** State that a connection shares with the others of its port. */
export interface ConnectionContext {
  readonly gate: ReadGate;
  readonly maxLineBytes: number;
  /** Lines of a batch; 1 does not wait. */
  readonly batchSize: number;
  /** Age at which an unfilled batch is emitted; 0 is never. */
  readonly flushIntervalMs: number;
  /** Hands lines on; `settled` is called once. */
  emit(bytes: Uint8Array, lines: number, settled: (delivery: Delivery) => void): void;
  /** Counts lines that were too long to be read. */
  overlong(): void;
  /** The answer to a command other than `exit`. */
  answer(command: Exclude<Command, 'exit'>): string;
}

/**
 * One client: its bytes become batches of whole lines, its commands and bad lines are answered. It is over when the
 * client has closed its half, or it was stopped, and everything it sent is settled.
 */
export class TelnetConnection {
  /** Resolves when the connection is over. */
  readonly over: Promise<void>;
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #stopping = new AbortController();
  readonly #destroyed = new AbortController();
  #broken = false;
  #exited = false;
  #open = 0;
  #idle: (() => void) | undefined;
  /** Lines held back. */
  #held: Uint8Array[] = [];
  #heldLines = 0;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    socket.once('error', () => {
      this.#broken = true;
    });
    socket.once('close', () => {
      if (!socket.readableEnded) this.#broken = true;
    });
    this.over = this.#run();
  }

  /** Reads no more; what was read is still stored. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends the connection at once, whatever is under way. */
  destroy(): void {
    this.stop();
    this.#destroyed.abort();
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#idle?.();
  }

  async #run(): Promise<void> {
    const { gate, maxLineBytes } = this.#context;
    const chain = framing(() => lineFeedCutter, { blockBytes: maxLineBytes, maxLineBytes, eager: true });
    const input = readSocket(this.#socket, this.#stopping.signal);
    await new Promise<void>((resolve) => {
      fromBytes<Frame>(input, chain, gate, this.#destroyed.signal).subscribe({
        next: (frame) => this.#take(frame),
        complete: resolve,
        // Broken connections end the input; the chain itself fails only when it is destroyed.
        error: () => resolve(),
      });
    });
    this.#flush();
    if (this.#open > 0 && !this.#destroyed.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    // Somebody must read what still arrives, or the connection never closes.
    this.#socket.resume();
    this.#socket.end(() => this.#socket.destroy());
  }

  #take(frame: Frame): void {
    if (this.#exited) return;
    if (frame.tooLong) {
      this.#context.overlong();
      this.#say(overlongAnswer(this.#context.maxLineBytes));
      return;
    }
    for (const piece of splitCommands(this.#wholeLines(textOf(frame)))) {
      if ('bytes' in piece) {
        this.#hold(piece.bytes, piece.lines);
      } else if (piece.command === 'exit') {
        this.#exited = true;
        this.stop();
        return;
      } else {
        this.#say(this.#context.answer(piece.command));
      }
    }
  }

  /** The bytes, without a last line that has no end because the connection was cut: its rest is unknown. */
  #wholeLines(bytes: Uint8Array): Buffer {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const isCut = this.#broken || this.#stopping.signal.aborted;
    return isCut ? buffer.subarray(0, lineFeedCutter.lastLineBreak(buffer)) : buffer;
  }

  #hold(bytes: Uint8Array, lines: number): void {
    const { batchSize, flushIntervalMs } = this.#context;
    this.#held.push(bytes);
    this.#heldLines += lines;
    this.#heldBytes += bytes.length;
    if (this.#heldLines >= batchSize || this.#heldBytes >= maxHeldBytes) this.#flush();
    else if (flushIntervalMs > 0) this.#timer ??= setTimeout(() => this.#flush(), flushIntervalMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#heldLines === 0) return;
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held, this.#heldBytes);
    const lines = this.#heldLines;
    this.#held = [];
    this.#heldLines = 0;
    this.#heldBytes = 0;
    this.#open++;
    this.#context.emit(bytes, lines, (delivery) => this.#settled(delivery, bytes, lines));
  }

  #settled(delivery: Delivery, bytes: Uint8Array, lines: number): void {
    if (delivery.outcome !== 'delivered') this.#say(deliveryAnswer(delivery, lines));
    else if (delivery.rejectedRows > 0) this.#say(badLineAnswers(delivery, bytes));
    this.#open--;
    if (this.#open === 0) this.#idle?.();
  }

  #say(text: string): void {
    const { writable, writableLength } = this.#socket;
    if (writable && writableLength + text.length <= maxAnswerBytes) this.#socket.write(text);
  }
}

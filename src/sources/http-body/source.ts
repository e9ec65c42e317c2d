import type { Readable } from 'node:stream';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock, Target, WireFormat } from '../../model/batch.js';
import { BufferPool } from '../../model/buffer-pool.js';
import type { CreditGate, Source } from '../../model/component.js';
import { type Delivery, delivered, type RowReject, worstOf } from '../../model/delivery.js';
import type { Exchange, WriteRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { reasonOf } from '../../model/reason.js';
import { fromBytes } from '../support/bridges.js';
import { type Frame, type FramingLimits, framing, type LineCutter } from '../support/framing.js';

/** Buffers of short bodies kept for the next ones. */
const pooledBuffers = 16;

/** What the source needs besides the gate. */
export interface HttpBodyOptions extends FramingLimits {
  readonly origin: string;
  /** Bodies up to this length are taken whole, longer and unmeasured ones are framed. */
  readonly smallBodyBytes: number;
  readonly newCutter: (format: WireFormat) => LineCutter;
  /** Bytes that a message, which is not text, counts for in the credit; at least its length. */
  readonly weigh: (format: WireFormat, message: Uint8Array) => number;
}

/**
 * The write requests of HTTP as batches of text. A request is answered once every batch made of it is settled: with the
 * worst ending, the sum of the rows and the rejected lines numbered over the whole body.
 */
export class HttpBodySource implements Source<ByteBlock> {
  readonly name: string;
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly #options: HttpBodyOptions;
  readonly #gate: CreditGate;
  readonly #open = new Set<Promise<void>>();
  readonly #buffers: BufferPool;
  #draining = false;

  constructor(options: HttpBodyOptions, gate: CreditGate) {
    this.name = options.origin;
    this.#options = options;
    this.#gate = gate;
    this.#buffers = new BufferPool(pooledBuffers, options.smallBodyBytes);
  }

  async start(): Promise<void> {}

  async drain(deadline: AbortSignal): Promise<void> {
    this.#draining = true;
    const expired = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.all(this.#open), expired]);
  }

  async stop(): Promise<void> {
    this.#draining = true;
    this.batches$.complete();
  }

  /** Takes a request on behalf of a user who has been let in. */
  accept(exchange: Exchange<WriteRequest, Delivery>, user: string): void {
    if (this.#draining) {
      exchange.answer({ outcome: 'shed', reason: 'draining' });
      return;
    }
    const work: Promise<void> = this.#read(exchange, { ...exchange.request.target, user }).finally(() =>
      this.#open.delete(work),
    );
    this.#open.add(work);
  }

  async #read(exchange: Exchange<WriteRequest, Delivery>, target: Target): Promise<void> {
    const { format, length, maxMessageBytes } = exchange.request;
    const { smallBodyBytes } = this.#options;
    const ending = new Ending();
    const emit = (frame: Frame): void => this.#emit(frame, target, exchange.request, ending);
    try {
      if (length !== undefined && length <= Math.min(smallBodyBytes, maxMessageBytes ?? smallBodyBytes)) {
        if (!this.#gate.isOpen()) await this.#gate.opened();
        const whole = exchange.request.whole?.(length);
        if (whole === undefined) await this.#readWhole(exchange.request.body, length, exchange.aborted, emit, ending);
        else emit({ bytes: whole, lines: 0, tooLong: false, first: true, last: true });
      } else if (maxMessageBytes !== undefined) {
        await this.#gate.opened();
        const bytes = await this.#collect(exchange.request.body, maxMessageBytes, exchange.aborted);
        emit({ bytes, lines: 0, tooLong: false, first: true, last: true });
      } else {
        const chain = framing(() => this.#options.newCutter(format), this.#options);
        await new Promise<void>((resolve, reject) => {
          fromBytes<Frame>(exchange.request.body, chain, this.#gate, exchange.aborted).subscribe({
            next: emit,
            complete: resolve,
            error: reject,
          });
        });
      }
    } catch (error) {
      if (exchange.aborted.aborted) return;
      if (error instanceof FaultError) return exchange.refuse(error.fault);
      const text = reasonOf(error);
      exchange.refuse(fault('parameter', Codes.invalidContentLength, `The body could not be read: ${text}`, error));
      return;
    }
    exchange.answer(await ending.settled());
  }

  /** Collects a short body in a pooled buffer, which is free again when everything made of it is settled. */
  async #readWhole(
    body: Readable,
    length: number,
    aborted: AbortSignal,
    emit: (frame: Frame) => void,
    ending: Ending,
  ): Promise<void> {
    const buffer = this.#buffers.take(length);
    let at = 0;
    for await (const chunk of body) {
      aborted.throwIfAborted();
      if (at + chunk.length > length) throw new Error('it is longer than its Content-Length');
      if (Buffer.isBuffer(chunk)) at += chunk.copy(buffer, at);
    }
    if (at < length) throw new Error('it is shorter than its Content-Length');
    emit({ bytes: buffer.subarray(0, at), lines: 0, tooLong: false, first: true, last: true });
    await ending.settled();
    this.#buffers.give(buffer);
  }

  /** Collects a longer message, counted in the credit as it comes. */
  async #collect(body: Readable, maxBytes: number, aborted: AbortSignal): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of body) {
        aborted.throwIfAborted();
        if (!Buffer.isBuffer(chunk)) continue;
        if (length + chunk.length > maxBytes) {
          const text = `the body is longer than ${maxBytes} bytes (limits.messageBytes)`;
          throw new FaultError(fault('parameter', Codes.statementTooLong, text));
        }
        this.#gate.take(chunk.length);
        length += chunk.length;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      this.#gate.give(length);
    }
  }

  #emit(frame: Frame, target: Target, { format, maxMessageBytes }: WriteRequest, ending: Ending): void {
    const isMessage = maxMessageBytes !== undefined;
    const firstLine = ending.lines;
    ending.lines += frame.lines;
    if (frame.tooLong) {
      const text = `it is longer than ${this.#options.maxLineBytes} bytes`;
      ending.reject({ row: firstLine, fault: fault('syntax', Codes.lineSyntax, text) });
      return;
    }
    const content = isMessage || !frame.first ? frame.bytes : withoutByteOrderMark(frame.bytes);
    if (content.length === 0 && !isMessage) return;
    const bytes = isMessage ? this.#options.weigh(format, content) : content.length;
    this.#gate.take(bytes);
    const settle = ending.begin(firstLine, () => this.#gate.give(bytes));
    const part = { first: frame.first, last: frame.last };
    const payload = { kind: 'bytes', format, bytes: content, part } as const;
    this.batches$.next({ origin: format, target, payload, rows: frame.lines, bytes, settle });
  }
}

/** Text without the mark that some editors and shells put before it, which would become a part of its first word. */
function withoutByteOrderMark(text: Uint8Array): Uint8Array {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text;
}

/** The ending of a request that became several batches. */
class Ending {
  /** Lines handed out so far. */
  lines = 0;
  #open = 0;
  #worst: Delivery = delivered(0);
  #wake: (() => void) | undefined;

  reject(row: RowReject): void {
    this.#worst = worstOf(this.#worst, delivered(0, 1, [row]));
  }

  begin(firstLine: number, settled: () => void): (delivery: Delivery) => void {
    this.#open++;
    return (delivery) => {
      this.#worst = worstOf(this.#worst, firstLine === 0 ? delivery : numberedFrom(firstLine, delivery));
      this.#open--;
      settled();
      if (this.#open === 0) this.#wake?.();
    };
  }

  async settled(): Promise<Delivery> {
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#worst;
  }
}

function numberedFrom(firstLine: number, delivery: Delivery): Delivery {
  if (delivery.outcome !== 'delivered' || delivery.rejects.length === 0) return delivery;
  return { ...delivery, rejects: delivery.rejects.map(({ row, fault }) => ({ row: row + firstLine, fault })) };
}

import { Subject } from 'rxjs';
import type { BodyBudget, BodyLease } from '../../async/body-budget.js';
import { nowMicros } from '../../async/clock.js';
import { type Collected, collectBytes, firstBytes } from '../../async/collect-bytes.js';
import { detached } from '../../async/detached.js';
import { yieldToEventLoop } from '../../async/event-loop.js';
import { OpenWork } from '../../async/open-work.js';
import { BufferPool } from '../../bytes/buffer-pool.js';
import { withoutByteOrderMark } from '../../bytes/byte-order-mark.js';
import {
  type Batch,
  type ByteBlock,
  type Target,
  type TextPart,
  targetAt,
  targetOf,
  type WireFormat,
} from '../../model/batch.js';
import type { CreditGate, Source } from '../../model/component.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import type { Exchange, WriteRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';
import { fromBytes } from '../support/bridges.js';
import { type Frame, type FramingLimits, framesOf, framing, type LineCutter } from '../support/framing.js';
import { Ending } from './ending.js';

/** A body of unknown length whose end does not come so soon is read on as a stream. */
const patienceMs = 250;
/** Bytes of the buffers of short bodies that are kept for the next ones. */
const pooledBytes = 16 * 1024 * 1024;

/** Options of the source besides the gate. */
interface HttpBodyOptions extends FramingLimits {
  readonly origin: string;
  /** Bodies up to this length are taken whole, longer and unmeasured ones are framed. */
  readonly smallBodyBytes: number;
  readonly newCutter: (format: WireFormat) => LineCutter;
  /** Bytes that a message, which is not text, counts for in the credit; at least its length. */
  readonly weigh: (format: WireFormat, message: Uint8Array) => number;
  /** Messages that together say what one with very many rows says; undefined where others can wait for all of it. */
  readonly piecesOf?: (
    format: WireFormat,
    message: Uint8Array,
    limits: MessageLimits,
  ) => Iterable<BodyPiece> | AsyncIterable<BodyPiece> | undefined;
}

/** Longest message of a request, inflated, and longest row in one. */
export interface MessageLimits {
  readonly maxMessageBytes: number;
  readonly maxLineBytes: number;
}

/** A message that says a part of what another one says. */
export interface BodyPiece {
  readonly bytes: Uint8Array;
  /** Rows of the other message that it has. */
  readonly rows: number;
  /** Rows before them that it needs and that an earlier piece has, too. */
  readonly repeatedRows?: number;
  /** Where it is not that of the other message. */
  readonly format?: WireFormat;
  /** It stands for a row that is longer than a row may be. */
  readonly tooLong?: boolean;
}

/** A part of a body that is handed out by itself. */
type Piece = Frame & Pick<BodyPiece, 'repeatedRows' | 'format'>;

/**
 * The write requests of HTTP as batches of text. A request is answered once every batch made of it is settled: with the
 * worst ending, the sum of the rows and the rejected lines numbered over the whole body.
 */
export class HttpBodySource implements Source<ByteBlock> {
  readonly name: string;
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly #options: HttpBodyOptions;
  readonly #gate: CreditGate;
  readonly #open = new OpenWork();
  readonly #buffers = new BufferPool(pooledBytes);
  readonly #bodies: BodyBudget;
  #draining = false;

  /** `bodies` has room for what does not come together with its head. */
  constructor(options: HttpBodyOptions, gate: CreditGate, bodies: BodyBudget) {
    this.name = options.origin;
    this.#options = options;
    this.#gate = gate;
    this.#bodies = bodies;
  }

  async drain(): Promise<void> {
    this.#draining = true;
    await this.#open.none();
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
    this.#open.begin();
    const { request } = exchange;
    const target = targetOf(request.target, user);
    const bytes = this.#isShort(request) && this.#gate.isOpen() ? request.whole?.(request.length) : undefined;
    if (bytes === undefined) {
      const reading = this.#readingOf(exchange, target);
      this.#answerAfter(this.#read(reading), exchange, reading.ending);
      return;
    }
    const pieces = this.#piecesOf(bytes, request);
    if (pieces === undefined) {
      this.#send(bytes, wholeText, target, request, (delivery) => this.#answer(exchange, delivery));
      return;
    }
    const ending = new Ending();
    const weight = this.#options.weigh(request.format, bytes);
    this.#answerAfter(this.#emitPieces(pieces, weight, target, request, ending), exchange, ending);
  }

  #isShort(request: WriteRequest): request is WriteRequest & { readonly length: number } {
    const { length, maxMessageBytes } = request;
    const { smallBodyBytes } = this.#options;
    return length !== undefined && length <= Math.min(smallBodyBytes, maxMessageBytes ?? smallBodyBytes);
  }

  #answer(exchange: Exchange<WriteRequest, Delivery>, delivery: Delivery): void {
    this.#open.end();
    exchange.answer(delivery);
  }

  /** Refuses a request whose body could not be read. */
  #fail(exchange: Exchange<WriteRequest, Delivery>, error: unknown): void {
    this.#open.end();
    if (exchange.aborted.aborted) return;
    const text = `The body could not be read: ${reasonOf(error)}`;
    const failure = error instanceof FaultError ? error.fault : undefined;
    exchange.refuse(failure ?? fault('parameter', Codes.invalidContentLength, text, error));
  }

  /** Answers a request once its body has been read and all batches made of it are settled. */
  #answerAfter(reading: Promise<void>, exchange: Exchange<WriteRequest, Delivery>, ending: Ending): void {
    const answer = (): void => ending.whenSettled((delivery) => this.#answer(exchange, delivery));
    detached(reading.then(answer, (error: unknown) => this.#fail(exchange, error)));
  }

  #readingOf(exchange: Exchange<WriteRequest, Delivery>, target: Target): Reading {
    const { request } = exchange;
    const ending = new Ending();
    return {
      exchange,
      user: target.user,
      emit: this.#emitting(target, request, ending),
      emitAll: (bytes) => this.#emitAll(bytes, target, request, ending),
      ending,
    };
  }

  /**
   * Reads a body in one of three forms: lines that are short and soon there are taken whole, longer ones are cut into
   * pieces as they come, and a message is taken whole up to its own limit.
   */
  async #read(reading: Reading): Promise<void> {
    const { exchange, user } = reading;
    const { request, aborted } = exchange;
    const { length, maxMessageBytes } = request;
    const maxBytes = maxMessageBytes ?? this.#options.smallBodyBytes;
    const isLong = length !== undefined && length > maxBytes;
    if (isLong && maxMessageBytes !== undefined) throw longMessage(maxBytes);
    // Of bodies that wake together, the first may use the credit up.
    while (!isLong && !this.#gate.isOpen()) await this.#gate.opened();
    const whole = isLong || length === undefined ? undefined : request.whole?.(length);
    if (whole !== undefined) return reading.emitAll(whole);
    const lease = await this.#bodies.lease(
      user,
      Math.min(length ?? firstBytes, isLong ? firstBytes : maxBytes),
      aborted,
    );
    try {
      if (isLong || !(await this.#readWhole(reading, maxBytes, lease))) await this.#readPieces(reading, lease);
    } finally {
      lease.release();
    }
  }

  /**
   * Collects lines or a message. Lines of known length are in a pooled buffer, which is free again when all that was
   * made of it is settled. Returns false for lines of unknown length that turn out to be long, or slow to come.
   */
  async #readWhole(reading: Reading, maxBytes: number, lease: BodyLease): Promise<boolean> {
    const { request, aborted } = reading.exchange;
    const { length, maxMessageBytes } = request;
    const isMessage = maxMessageBytes !== undefined;
    const mayGoOn = !isMessage && length === undefined;
    const into = isMessage || length === undefined ? undefined : this.#buffers.take(length);
    // What goes on in pieces needs a stream of its own.
    const stream = mayGoOn ? request.body : (request.plain ?? request.body);
    const patience = mayGoOn ? patienceMs : undefined;
    const bytes = await collectBytes(stream, { length, maxBytes, lease, aborted, into, patienceMs: patience });
    if (bytes === 'too-long' && mayGoOn) return false;
    if (bytes === 'too-long') throw longMessage(maxBytes);
    await this.#emitWhole(collected(bytes), reading);
    if (into !== undefined) this.#buffers.give(into);
    return true;
  }

  async #emitWhole(bytes: Buffer, { emitAll, ending }: Reading): Promise<void> {
    while (!this.#gate.isOpen()) await this.#gate.opened();
    await emitAll(bytes);
    await ending.settled();
  }

  /** Runs lines through framing as they come, in room for what that holds at once. */
  async #readPieces({ exchange, emit, ending }: Reading, lease: BodyLease): Promise<void> {
    const { request, aborted } = exchange;
    const { blockBytes, maxLineBytes } = this.#options;
    const { body, format } = request;
    await lease.more(2 * blockBytes + maxLineBytes, aborted);
    lease.giveUp = (reason) => body.destroy(new FaultError(reason));
    lease.unread = () => body.readableLength;
    const chain = framing(() => this.#options.newCutter(format), this.#options);
    await new Promise<void>((resolve, reject) => {
      const reading = fromBytes<Frame>(body, chain, this.#gate, aborted).subscribe({
        next: (frame) => {
          lease.received += frame.bytes.length;
          emit(frame);
          if (!ending.isHopeless) return;
          ending.isCut = true;
          reading.unsubscribe();
          resolve();
        },
        complete: resolve,
        error: reject,
      });
    });
  }

  /** Hands out a body: at once, or one with very many rows piece by piece, with a turn of others between them. */
  #emitAll(bytes: Buffer, target: Target, request: WriteRequest, ending: Ending): Promise<void> | undefined {
    const pieces = this.#piecesOf(bytes, request);
    if (pieces) return this.#emitPieces(pieces, this.#options.weigh(request.format, bytes), target, request, ending);
    this.#emit(wholeFrame(bytes), target, request, ending);
    return undefined;
  }

  /** The pieces of a body; undefined when it is handed out at once. */
  #piecesOf(bytes: Buffer, { format, maxMessageBytes }: WriteRequest): AsyncIterable<Piece> | undefined {
    const { newCutter, maxLineBytes, piecesOf } = this.#options;
    if (maxMessageBytes === undefined) return framesOf(bytes, () => newCutter(format), maxLineBytes);
    const pieces = piecesOf?.(format, bytes, { maxMessageBytes, maxLineBytes });
    return pieces && asFrames(pieces);
  }

  async #emitPieces(
    pieces: AsyncIterable<Piece>,
    weight: number,
    target: Target,
    request: WriteRequest,
    ending: Ending,
  ): Promise<void> {
    // The part that is still to be cut takes memory, too.
    const settle = ending.begin(0);
    this.#gate.take(weight);
    const emit = this.#emitting(target, request, ending);
    try {
      for await (const piece of pieces) {
        ending.isCut = ending.isHopeless;
        if (ending.isCut) return;
        emit(piece);
      }
    } finally {
      this.#gate.give(weight);
      settle(delivered(0));
    }
  }

  /** Hands out the pieces of a body that comes now. Rows without a time have this one, whichever piece they are in. */
  #emitting(target: Target, request: WriteRequest, ending: Ending): (piece: Piece) => void {
    const dated = targetAt(target, { epoch: 0, nowMicros: nowMicros() });
    return (piece) => this.#emit(piece, dated, request, ending);
  }

  #emit(frame: Piece, target: Target, request: WriteRequest, ending: Ending): void {
    const { bytes, first, last, lines } = frame;
    const firstLine = ending.lines - (frame.repeatedRows ?? 0);
    ending.lines += lines;
    if (frame.tooLong) {
      const text = `it is longer than ${this.#options.maxLineBytes} bytes`;
      ending.reject({ row: firstLine, fault: fault('syntax', Codes.schemalessData, text) });
      return;
    }
    this.#send(bytes, { first, last }, target, request, ending.begin(firstLine), lines, frame.format);
  }

  /** Hands out one text of a body, or a message, which holds its room in the credit until it is settled. */
  #send(
    text: Uint8Array,
    part: TextPart,
    target: Target,
    { format: origin, maxMessageBytes }: WriteRequest,
    ended: (delivery: Delivery) => void,
    rows = 0,
    format = origin,
  ): void {
    const isMessage = maxMessageBytes !== undefined;
    const content = isMessage || !part.first ? text : withoutByteOrderMark(text);
    if (content.length === 0 && !isMessage) {
      ended(delivered(0));
      return;
    }
    const bytes = isMessage ? this.#options.weigh(format, content) : content.length;
    const payload = { kind: 'bytes', format, bytes: content, part, merged: undefined } as const;
    this.batches$.next({ origin, target, payload, rows, bytes, settle: ended });
  }
}

/** The bytes of a body that was collected, or what happened instead. */
function collected(body: Collected): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'object') throw new FaultError(body);
  throw new Error('it does not have the length that its Content-Length says, or broke off');
}

function longMessage(maxBytes: number): FaultError {
  const text = `the body is longer than ${maxBytes} bytes (limits.messageBytes)`;
  return new FaultError(fault('parameter', Codes.statementTooLong, text));
}

const wholeText: TextPart = { first: true, last: true };

function wholeFrame(bytes: Uint8Array): Frame {
  return { bytes, lines: 0, tooLong: false, ...wholeText };
}

/** The pieces of a message, with a turn of others before each; {@link framesOf} does the same for lines. */
async function* asFrames(pieces: Iterable<BodyPiece> | AsyncIterable<BodyPiece>): AsyncGenerator<Piece> {
  for await (const { bytes, rows, ...more } of pieces) {
    await yieldToEventLoop();
    yield { ...wholeFrame(bytes), lines: rows, ...more };
  }
}

/** One body on its way. */
interface Reading {
  readonly exchange: Exchange<WriteRequest, Delivery>;
  readonly user: string;
  readonly emit: (frame: Frame) => void;
  readonly emitAll: (bytes: Buffer) => Promise<void> | undefined;
  readonly ending: Ending;
}

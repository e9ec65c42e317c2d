import type { Duplex } from 'node:stream';
import pumpify from 'pumpify';
import { objectTransform } from 'through2';
import { yieldToEventLoop } from '../../async/event-loop.js';
import { comma, lineFeed, openBrace } from '../../bytes/ascii.js';
import { withoutByteOrderMark } from '../../bytes/byte-order-mark.js';
import { countByte } from '../../bytes/count-byte.js';

/** Finds where a stream of text may be cut. One per stream: it remembers what it has scanned. */
export interface LineCutter {
  /**
   * Position after the last line break that ends a line, 0 when there is none. The next call is given the bytes from
   * that position on, with more behind them.
   */
  lastLineBreak(bytes: Uint8Array): number;
  /** Rows in the block that was cut off last, or in the rest; left out, rows are lines. */
  rows?(): number;
  /**
   * Goes on after a row that was too long, and whose bytes were dropped up to here: position after its end, 0 when that
   * is not among `bytes`, which are dropped then. Left out, rows end with lines.
   */
  afterOverlong?(bytes: Uint8Array): number;
}

/** Whole lines; or a line that was too long, whose bytes are dropped. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** How many line breaks they hold. Lines are counted each time it is read. */
  readonly lines: number;
  readonly tooLong: boolean;
  /** Which ends of the stream it holds. A stream that ends with a line break has no last frame. */
  readonly first: boolean;
  readonly last: boolean;
}

/** Bounds of framing: how many bytes are coalesced into a block, and the longest line. */
export interface FramingLimits {
  readonly blockBytes: number;
  readonly maxLineBytes: number;
  /** Emits frames as soon as a line is whole, for connections that stay open; otherwise only full blocks. */
  readonly eager?: boolean;
}

/**
 * Rows that are read in one turn of the event loop: each may make a table. Those of a text with more of them begin in
 * smaller pieces, which grow to the same while they take less than so many ms, and shrink when they take longer.
 */
const mostRowsAtOnce = 8_192;
const rowsOfPiece = 1_024;
const quickMs = 5;
const slowMs = 10;
/** Text without so many bytes has not so many rows. */
const shortTextBytes = 64 * 1024;
/**
 * Marks by which rows are estimated, and how many of these a row has: line breaks, or the objects and commas of an
 * element with some tags.
 */
const lineMarks = [[lineFeed, 1]] as const;
const elementMarks = [
  [openBrace, 2],
  [comma, 8],
] as const;
/** How a text is sampled to estimate its rows: so many samples, so many bytes, at random positions. */
const looks = 32;
const lookBytes = 256;

/**
 * Bytes of a text that are read in one turn of the event loop: all, unless it has very many rows. They are estimated,
 * as counting them takes a tenth of the time that reading takes.
 */
function bytesAtOnce(text: Uint8Array, cutter: LineCutter): number {
  const { length } = text;
  if (length <= shortTextBytes) return length;
  const marks = cutter.rows === undefined ? lineMarks : elementMarks;
  const starts = Array.from({ length: looks }, (_, look) => Math.floor((length / looks) * (look + Math.random())));
  const rowsBy = ([byte, perRow]: (typeof marks)[number]): number => {
    const count = starts.reduce((sum, start) => sum + countByte(text.subarray(start, start + lookBytes), byte), 0);
    return (count / perRow / (looks * lookBytes)) * length;
  };
  const rows = Math.max(...marks.map(rowsBy));
  return rows <= mostRowsAtOnce ? length : Math.ceil((length / rows) * rowsOfPiece);
}

/**
 * The frames of a text with very many rows, with a yield to the event loop between them; undefined where it can be read
 * at once.
 */
export function framesOf(
  text: Buffer,
  newCutter: () => LineCutter,
  maxLineBytes: number,
): AsyncIterable<Frame> | undefined {
  return bytesAtOnce(text, newCutter()) < text.length ? wholeLines([[text]], newCutter, maxLineBytes) : undefined;
}

/** Cuts text in which every line feed ends a line. */
export const lineFeedCutter: LineCutter = { lastLineBreak: (bytes) => bytes.lastIndexOf(lineFeed) + 1 };

/**
 * Bytes to frames of whole lines: a chain that is built per connection or per large body and destroyed with it. The
 * last line needs no line break. A line above the limit becomes one `tooLong` frame, and reading continues behind it.
 */
export function framing(newCutter: () => LineCutter, limits: FramingLimits): Duplex {
  return new Chain([coalescing(limits), cutting(new Framer(newCutter, limits.maxLineBytes))]);
}

/** Buffer between two stages: it is outside of the credit, on every connection, so it must be little. */
const oneAtATime = { highWaterMark: 1 } as const;
const Chain = pumpify.ctor({ autoDestroy: false, destroy: false, objectMode: true, ...oneAtATime });

/** Chunks of one block at most: more of them, if they are tiny, take more memory than their bytes. */
const maxChunks = 1024;

/**
 * Coalesces small chunks, so that the next stages work on blocks and not on packets. Both stages are
 * callbacks: an asynchronous generator costs several times as much for each chunk.
 */
function coalescing({ blockBytes, eager = false }: FramingLimits): Duplex {
  let held: Buffer[] = [];
  let bytes = 0;
  return objectTransform(
    oneAtATime,
    (next: Buffer | readonly Buffer[], _encoding, done) => {
      let isWhole = false;
      for (const chunk of next instanceof Uint8Array ? [next] : next) {
        held.push(chunk);
        bytes += chunk.length;
        isWhole ||= eager && chunk.includes(lineFeed);
      }
      if (bytes < blockBytes && held.length < maxChunks && !isWhole) {
        done();
        return;
      }
      const block = held;
      held = [];
      bytes = 0;
      done(null, block);
    },
    async () => (bytes > 0 ? held : undefined),
  );
}

/** Cuts blocks into frames, with a yield to the event loop between those of one block. */
function cutting(framer: Framer): Duplex {
  const stage = objectTransform(
    oneAtATime,
    (block: readonly Buffer[], _encoding, done) => {
      const frames = framer.frames(block);
      const first = frames.next();
      const next = first.done === true ? undefined : handOn(stage, first.value, frames);
      if (next === undefined) done();
      else handOnAll(stage, next, frames).then(() => done(), done);
    },
    async () => framer.rest(),
  );
  return stage;
}

async function handOnAll(stage: Duplex, first: Frame, frames: Frames): Promise<void> {
  for (let frame: Frame | undefined = first; frame !== undefined; ) {
    await yieldToEventLoop();
    frame = handOn(stage, frame, frames);
  }
}

/** Hands a frame on; gives the next one, which is larger or smaller by the time that this one took. */
function handOn(stage: Duplex, frame: Frame, frames: Frames): Frame | undefined {
  const begun = performance.now();
  stage.push(frame);
  const step = frames.next(performance.now() - begun);
  return step.done === true ? undefined : step.value;
}

async function* wholeLines(
  blocks: Iterable<readonly Buffer[]>,
  newCutter: () => LineCutter,
  maxLineBytes: number,
): AsyncGenerator<Frame> {
  const framer = new Framer(newCutter, maxLineBytes);
  for (const block of blocks) {
    const frames = framer.frames(block);
    for (let step = frames.next(); step.done !== true; ) {
      const begun = performance.now();
      yield step.value;
      step = frames.next(performance.now() - begun);
      if (step.done !== true) await yieldToEventLoop();
    }
  }
  const rest = framer.rest();
  if (rest !== undefined) yield rest;
}

/** Frames of a block; `next` gets the time, in ms, that the frame before took. */
type Frames = Generator<Frame, void, number>;

/** Cuts what comes block by block into frames of whole lines. */
class Framer {
  readonly #newCutter: () => LineCutter;
  readonly #maxLineBytes: number;
  #cutter: LineCutter;
  #rest: Buffer = Buffer.alloc(0);
  #isDropping = false;
  #isFirst = true;

  constructor(newCutter: () => LineCutter, maxLineBytes: number) {
    this.#newCutter = newCutter;
    this.#maxLineBytes = maxLineBytes;
    this.#cutter = newCutter();
  }

  /** The whole lines up to the end of a block. */
  *frames(chunks: readonly Buffer[]): Frames {
    let rest = this.#rest.length === 0 && chunks.length === 1 ? chunks[0]! : Buffer.concat([this.#rest, ...chunks]);
    this.#rest = Buffer.alloc(0);
    if (this.#isDropping) {
      const next = this.#cutter.afterOverlong?.(rest) ?? rest.indexOf(lineFeed) + 1;
      if (next === 0) return;
      rest = rest.subarray(next);
      yield tooLong;
      this.#isDropping = false;
    }
    let step = bytesAtOnce(rest, this.#cutter);
    const longest = step * (mostRowsAtOnce / rowsOfPiece);
    const shortest = Math.ceil(step / 8);
    let start = 0;
    for (let end = step; ; end = Math.min(end + step, rest.length)) {
      const length = this.#cutter.lastLineBreak(rest.subarray(start, end));
      if (length > 0) {
        const tookMs = yield wholeFrame(rest.subarray(start, start + length), this.#cutter, this.#isFirst, false);
        if (tookMs < quickMs) step = Math.min(2 * step, longest);
        else if (tookMs > slowMs) step = Math.max(Math.ceil(step / 2), shortest);
        this.#isFirst = false;
        start += length;
      }
      if (end >= rest.length) break;
    }
    this.#rest = rest.subarray(start);
    if (this.#rest.length <= this.#maxLineBytes) return;
    this.#isDropping = true;
    this.#isFirst = false;
    this.#rest = Buffer.alloc(0);
    if (this.#cutter.afterOverlong === undefined) this.#cutter = this.#newCutter();
  }

  /** The frame behind the last line break, once the last block was read. */
  rest(): Frame | undefined {
    if (this.#isDropping) return tooLong;
    return this.#rest.length > 0 ? wholeFrame(this.#rest, this.#cutter, this.#isFirst, true) : undefined;
  }
}

function wholeFrame(bytes: Buffer, cutter: LineCutter, first: boolean, last: boolean): Frame {
  const rows = cutter.rows?.();
  return {
    bytes,
    get lines() {
      return rows ?? countByte(bytes, lineFeed) + (bytes.at(-1) === lineFeed ? 0 : 1);
    },
    tooLong: false,
    first,
    last,
  };
}

/** The bytes of a frame without the mark that some editors and shells put before a text. */
export function textOf({ bytes, first }: Frame): Uint8Array {
  return first ? withoutByteOrderMark(bytes) : bytes;
}

const tooLong: Frame = { bytes: Buffer.alloc(0), lines: 1, tooLong: true, first: false, last: false };

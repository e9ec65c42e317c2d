import type { Duplex } from 'node:stream';
import pumpify from 'pumpify';
import { objectTransform } from 'through2';
import { comma, lineFeed, openBrace } from '../../bytes/ascii.js';
import { countByte } from '../../bytes/count-byte.js';
import { othersTurn } from '../../model/others-turn.js';

/** Finds where a stream of text may be cut. One per stream: it remembers what it has looked at. */
export interface LineCutter {
  /**
   * Position after the last line break that ends a line, 0 when there is none. The next call is given the bytes from that
   * position on, with more behind them.
   */
  lastLineBreak(bytes: Uint8Array): number;
  /** Rows in the block that was cut off last, or in the rest; left out, rows are lines. */
  rows?(): number;
  /**
   * Goes on after a row that was too long, and whose bytes were dropped up to here: position after its end, 0 when that is
   * not among `bytes`, which are dropped then. Left out, rows end with lines.
   */
  afterOverlong?(bytes: Uint8Array): number;
}

/** Whole lines, with how many line breaks they hold; or a line that was too long, whose bytes are dropped. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly lines: number;
  readonly tooLong: boolean;
  /** Which ends of the stream it holds. A stream that ends with a line break has no last frame. */
  readonly first: boolean;
  readonly last: boolean;
}

/** Bounds of framing: how much is gathered before a frame goes on, and the longest line that is kept. */
export interface FramingLimits {
  readonly blockBytes: number;
  readonly maxLineBytes: number;
  /** Frames go on as soon as a line is whole, for connections that stay open; otherwise only full blocks do. */
  readonly eager?: boolean;
}

/**
 * Rows that are read in one turn of the event loop: each may make a table. Those of a text with more of them begin in smaller pieces, which
 * grow to the same while they take less than so many ms, and shrink when they take longer.
 */
const mostRowsAtOnce = 8_192;
const rowsOfPiece = 1_024;
const quickMs = 5;
const slowMs = 10;
/** Text without so many bytes has not so many rows. */
const shortTextBytes = 64 * 1024;
/** Marks by which rows are estimated, and how many of these a row has: line breaks, or the objects and commas of an element with some tags. */
const lineMarks = [[lineFeed, 1]] as const;
const elementMarks = [
  [openBrace, 2],
  [comma, 8],
] as const;
/** Where a text is looked at to estimate its rows: so many times, so many bytes, at places that nobody knows before. */
const looks = 32;
const lookBytes = 256;

/**
 * Bytes of a text that are read in one turn of the event loop: all, unless it has very many rows. They are estimated, as counting them
 * takes a tenth of the time that reading takes.
 */
function bytesAtOnce(text: Uint8Array, cutter: LineCutter): number {
  const { length } = text;
  if (length <= shortTextBytes) return length;
  const marks = cutter.rows === undefined ? lineMarks : elementMarks;
  const starts = Array.from({ length: looks }, (_, look) => Math.floor((length / looks) * (look + Math.random())));
  const rowsBy = ([byte, perRow]: (typeof marks)[number]): number => {
    const found = starts.reduce((sum, start) => sum + countByte(text.subarray(start, start + lookBytes), byte), 0);
    return (found / perRow / (looks * lookBytes)) * length;
  };
  const rows = Math.max(...marks.map(rowsBy));
  return rows <= mostRowsAtOnce ? length : Math.ceil((length / rows) * rowsOfPiece);
}

/** The frames of a text with very many rows, with a turn of others between them; undefined where it can be read at once. */
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
 * Bytes to frames of whole lines: a chain that is built per connection or per large body and destroyed with it. The last
 * line needs no line break. A line above the limit becomes one `tooLong` frame, and reading goes on behind it.
 */
export function framing(newCutter: () => LineCutter, limits: FramingLimits): Duplex {
  return new Chain([
    // The library tells generators from callbacks by the function's own kind, so an arrow function will not do.
    objectTransform(oneAtATime, async function* (chunks: AsyncIterable<Buffer>) {
      yield* gather(chunks, limits);
    }),
    objectTransform(oneAtATime, async function* (blocks: AsyncIterable<readonly Buffer[]>) {
      yield* wholeLines(blocks, newCutter, limits.maxLineBytes);
    }),
  ]);
}

/** Buffer between two stages: it is outside of the credit, on every connection, so it must be little. */
const oneAtATime = { highWaterMark: 1 } as const;
const Chain = pumpify.ctor({ autoDestroy: false, destroy: false, objectMode: true, ...oneAtATime });

/** Chunks that are gathered at most: more of them, if they are tiny, weigh more than what they hold. */
const maxChunks = 1024;

/** Gathers small chunks, so that what follows works on blocks and not on packets. */
async function* gather(
  chunks: AsyncIterable<Buffer>,
  { blockBytes, eager = false }: FramingLimits,
): AsyncGenerator<readonly Buffer[]> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    const isWhole = bytes >= blockBytes || held.length >= maxChunks || (eager && chunk.includes(lineFeed));
    if (!isWhole) continue;
    yield held;
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield held;
}

async function* wholeLines(
  blocks: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  newCutter: () => LineCutter,
  maxLineBytes: number,
): AsyncGenerator<Frame> {
  let cutter = newCutter();
  let rest: Buffer = Buffer.alloc(0);
  let dropping = false;
  let first = true;
  for await (const chunks of blocks) {
    rest = rest.length === 0 && chunks.length === 1 ? chunks[0]! : Buffer.concat([rest, ...chunks]);
    if (dropping) {
      const next = cutter.afterOverlong?.(rest) ?? rest.indexOf(lineFeed) + 1;
      rest = next === 0 ? Buffer.alloc(0) : rest.subarray(next);
      if (next === 0) continue;
      yield tooLong;
      dropping = false;
    }
    let step = bytesAtOnce(rest, cutter);
    const longest = step * (mostRowsAtOnce / rowsOfPiece);
    const shortest = Math.ceil(step / 8);
    let start = 0;
    for (let end = step; ; end = Math.min(end + step, rest.length)) {
      const length = cutter.lastLineBreak(rest.subarray(start, end));
      if (length > 0) {
        if (start > 0) await othersTurn();
        const begun = performance.now();
        yield wholeFrame(rest.subarray(start, start + length), cutter, first, false);
        const tookMs = performance.now() - begun;
        if (tookMs < quickMs) step = Math.min(2 * step, longest);
        else if (tookMs > slowMs) step = Math.max(Math.ceil(step / 2), shortest);
        first = false;
        start += length;
      }
      if (end >= rest.length) break;
    }
    rest = rest.subarray(start);
    if (rest.length > maxLineBytes) {
      dropping = true;
      first = false;
      rest = Buffer.alloc(0);
      if (cutter.afterOverlong === undefined) cutter = newCutter();
    }
  }
  if (dropping) yield tooLong;
  else if (rest.length > 0) yield wholeFrame(rest, cutter, first, true);
}

function wholeFrame(bytes: Buffer, cutter: LineCutter, first: boolean, last: boolean): Frame {
  const lines = cutter.rows?.() ?? countByte(bytes, lineFeed) + (bytes.at(-1) === lineFeed ? 0 : 1);
  return { bytes, lines, tooLong: false, first, last };
}

const tooLong: Frame = { bytes: Buffer.alloc(0), lines: 1, tooLong: true, first: false, last: false };

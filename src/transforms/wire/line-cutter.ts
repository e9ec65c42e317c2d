import {
  backslash,
  carriageReturn,
  comma,
  equals,
  hash,
  isDigit,
  lineFeed,
  minus,
  quote,
  space,
  tab,
} from '../../bytes/ascii.js';

/** Where in a line the scan stands. */
const Phase = { start: 0, comment: 1, key: 2, fields: 3, string: 4, closed: 5 } as const;

/** True for a byte that may stand between `=` and `"`: the letter of a string kind, either case. */
function isStringKind(byte: number): boolean {
  const letter = byte | 0x20;
  return letter === 0x6c || letter === 0x67 || letter === 0x62;
}

/**
 * Finds the end of one line of line protocol, in pieces if need be. A line break inside a quoted string belongs to the
 * string. A quote opens a string only as the first byte of a field value (after an unescaped `=`, with or without a
 * kind letter), so quotes in names, tags and comments mean nothing.
 *
 * So that one lost quote cannot swallow its neighbours, a string that does not end properly is taken to end with its
 * first line: when its closing quote is followed by something other than a comma, a space or a line end, or when it is
 * not closed within `maxLineBytes` of the line's start.
 */
class LineScan {
  readonly #maxLineBytes: number;
  #phase: number = Phase.start;
  /** Next byte to look at. */
  #at = 0;
  #lineStart = 0;
  /** Position after the first line break inside the current string, 0 when it has none. */
  #breakInString = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  begin(lineStart: number): void {
    this.#phase = Phase.start;
    this.#at = lineStart;
    this.#lineStart = lineStart;
    this.#breakInString = 0;
  }

  /** Says that the caller dropped `bytes` bytes from the front of the text. */
  shift(bytes: number): void {
    this.#at -= bytes;
    this.#lineStart -= bytes;
    if (this.#breakInString > 0) this.#breakInString -= bytes;
  }

  /**
   * Position after the end of the line, or -1 when `end` comes first; the scan then goes on from there with more bytes.
   */
  scan(bytes: Uint8Array, end: number): number {
    while (this.#at < end) {
      const stop = this.#step(bytes, end);
      if (stop >= 0) return stop;
      if (stop === -2) return -1;
    }
    return -1;
  }

  /** Where the line ends when no more bytes come. */
  finish(end: number): number {
    return this.#phase === Phase.string && this.#breakInString > 0 ? this.#breakInString : end;
  }

  /** Runs one phase: a line end, or -1 to go on with the next phase, or -2 when more bytes are needed. */
  #step(bytes: Uint8Array, end: number): number {
    switch (this.#phase) {
      case Phase.start:
        return this.#start(bytes);
      case Phase.comment:
        return this.#comment(bytes, end);
      case Phase.key:
        return this.#key(bytes, end);
      case Phase.fields:
        return this.#fields(bytes, end);
      case Phase.string:
        return this.#string(bytes, end);
      default:
        return this.#closed(bytes);
    }
  }

  #start(bytes: Uint8Array): number {
    const byte = bytes[this.#at]!;
    if (byte === space || byte === tab) this.#at++;
    else this.#phase = byte === hash ? Phase.comment : Phase.key;
    return -1;
  }

  #comment(bytes: Uint8Array, end: number): number {
    while (this.#at < end) if (bytes[this.#at++] === lineFeed) return this.#at;
    return -1;
  }

  #key(bytes: Uint8Array, end: number): number {
    for (; this.#at < end; this.#at++) {
      const byte = bytes[this.#at]!;
      if (byte === lineFeed) return this.#at + 1;
      if (byte === space && bytes[this.#at - 1] !== backslash) {
        this.#phase = Phase.fields;
        return -1;
      }
    }
    return -1;
  }

  #fields(bytes: Uint8Array, end: number): number {
    while (this.#at < end) {
      const at = this.#at++;
      const byte = bytes[at]!;
      if (byte === lineFeed) return this.#at;
      if (byte === quote && this.#opens(bytes, at)) {
        this.#phase = Phase.string;
        this.#breakInString = 0;
        return -1;
      }
    }
    return -1;
  }

  #opens(bytes: Uint8Array, at: number): boolean {
    let before = at - 1;
    if (isStringKind(bytes[before]!)) before--;
    return before > this.#lineStart && bytes[before] === equals && bytes[before - 1] !== backslash;
  }

  #string(bytes: Uint8Array, end: number): number {
    const limit = this.#lineStart + this.#maxLineBytes;
    while (this.#at < end) {
      if (this.#at >= limit && this.#breakInString > 0) return this.#breakInString;
      const byte = bytes[this.#at]!;
      if (byte === backslash) {
        if (this.#at + 1 >= end) return -2;
        const next = bytes[this.#at + 1]!;
        this.#at += next === quote || next === backslash ? 2 : 1;
        continue;
      }
      this.#at++;
      if (byte === lineFeed && this.#breakInString === 0) this.#breakInString = this.#at;
      if (byte === quote) {
        this.#phase = Phase.closed;
        return -1;
      }
    }
    return -1;
  }

  #closed(bytes: Uint8Array): number {
    const byte = bytes[this.#at]!;
    this.#phase = Phase.fields;
    const proper = byte === comma || byte === space || byte === lineFeed || byte === carriageReturn;
    return !proper && this.#breakInString > 0 ? this.#breakInString : -1;
  }
}

/**
 * Position after the end of the line of line protocol that begins at `lineStart`: after its line break, or `end` when
 * it has none. `maxLineBytes` bounds how far an unclosed string is followed.
 */
export function endOfLine(bytes: Uint8Array, lineStart: number, end: number, maxLineBytes: number): number {
  const scan = new LineScan(maxLineBytes);
  scan.begin(lineStart);
  const stop = scan.scan(bytes, end);
  return stop >= 0 ? stop : scan.finish(end);
}

/** True for a text whose last line ends with it, and has no string that could go on in a text behind it. */
export function endsItsLines(text: Uint8Array): boolean {
  if (!text.includes(quote)) return true;
  const whole = text.at(-1) === lineFeed ? text : Buffer.concat([text, Buffer.of(lineFeed)]);
  return new LineCutter(whole.length).lastLineBreak(whole) === whole.length;
}

/** True for a text whose last line ends with a whole number behind a blank, and for one without any lines. */
export function endsWithTime(text: Uint8Array): boolean {
  let end = text.length;
  while (end > 0 && isBlank(text[end - 1]!)) end--;
  let start = end;
  while (start > 0 && isDigit(text[start - 1]!)) start--;
  if (start === end) return end === 0;
  if (text[start - 1] === minus) start--;
  return text[start - 1] === space;
}

function isBlank(byte: number): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn;
}

/**
 * Cuts a stream of line protocol into blocks of whole lines. Text without quotes is searched at the speed of `memchr`;
 * only lines that hold a quote are read byte by byte, and a scan continues where it stopped, however small the pieces
 * are.
 */
export class LineCutter {
  readonly #scan: LineScan;
  /** True while the rest holds a quote and is being scanned byte by byte. */
  #scanning = false;
  /** Bytes at the front of the rest that are known to hold neither a quote nor a line break. */
  #plainBytes = 0;

  constructor(maxLineBytes: number) {
    this.#scan = new LineScan(maxLineBytes);
  }

  /**
   * Position after the last line break in `bytes` that ends a line, 0 when there is none. The next call must be given
   * the rest, `bytes` from that position, with more bytes behind it. A rest longer than the line limit is the caller's
   * to refuse.
   */
  lastLineBreak(bytes: Uint8Array): number {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let cut = 0;
    for (;;) {
      if (!this.#scanning) {
        const searchFrom = Math.max(cut, this.#plainBytes);
        const firstQuote = text.indexOf(quote, searchFrom);
        const plainEnd = firstQuote < 0 ? text.length : firstQuote;
        const lineBreak = plainEnd === 0 ? -1 : text.lastIndexOf(lineFeed, plainEnd - 1);
        if (lineBreak >= searchFrom) cut = lineBreak + 1;
        if (firstQuote < 0) {
          this.#plainBytes = text.length - cut;
          return cut;
        }
        this.#plainBytes = 0;
        this.#scanning = true;
        this.#scan.begin(cut);
      }
      const stop = this.#scan.scan(bytes, bytes.length);
      if (stop < 0) {
        this.#scan.shift(cut);
        return cut;
      }
      this.#scanning = false;
      cut = stop;
    }
  }
}

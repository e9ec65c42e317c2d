import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from '../../bytes/ascii.js';

/** 1 for the bytes outside of strings that an element's end depends on. */
const counts = new Uint8Array(256);
for (const byte of [quote, comma, openBracket, closeBracket, openBrace, closeBrace]) counts[byte] = 1;

/** True for the bytes that may stand between the parts of JSON text. */
export function isJsonBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Finds where the elements of a JSON array end, in pieces if need be, without looking into them: strings and brackets
 * are all that counts. However deep they nest, it takes the same few words of memory.
 */
export class ElementScan {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /**
   * Position of the comma or closing bracket that ends the element which the scan is in; -1 when `end` comes first, and
   * then the scan goes on with the bytes that follow.
   */
  next(bytes: Uint8Array, start: number, end: number): number {
    let depth = this.#depth;
    let at = this.#inString ? this.#endOfString(bytes, start, end) : start;
    while (at < end) {
      const byte = bytes[at]!;
      if (counts[byte] === 0) {
        at++;
      } else if (byte === quote) {
        at = this.#endOfString(bytes, at + 1, end);
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        at++;
      } else if (byte === comma) {
        if (depth === 0) return this.#closed(at);
        at++;
      } else {
        if (depth === 0) return this.#closed(at);
        depth--;
        at++;
      }
    }
    this.#depth = depth;
    return -1;
  }

  #closed(at: number): number {
    this.#depth = 0;
    return at;
  }

  /** Goes on in a string; returns the position after it, or `end` when it goes on behind that. */
  #endOfString(bytes: Uint8Array, start: number, end: number): number {
    let at = this.#escaped ? start + 1 : start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.#inString = false;
        this.#escaped = false;
        return at + 1;
      }
      if (byte === backslash) at++;
    }
    this.#inString = true;
    // The byte behind a backslash is still to come.
    this.#escaped = at > end;
    return end;
  }
}

/** Position of the comma or bracket that ends the array element in which `start` stands; `end` when there is none. */
export function endOfElement(bytes: Uint8Array, start: number, end: number): number {
  const stop = new ElementScan().next(bytes, start, end);
  return stop < 0 ? end : stop;
}

/**
 * Cuts a long JSON array after commas between its elements, so that it can be parsed in blocks. The first block begins
 * with the array's bracket, the last one ends with it; text that is no array is never cut. Each byte is looked at once.
 */
export class ElementCutter {
  readonly #scan = new ElementScan();
  #state: 'start' | 'array' | 'over' = 'start';
  /** Where the scan goes on, from the beginning of the text that was not cut off. */
  #at = 0;
  #rows = 0;

  /** Position after the last comma that separates elements, 0 when there is none; never the end of `bytes`. */
  lastLineBreak(bytes: Uint8Array): number {
    const end = bytes.length;
    let cut = 0;
    let commas = 0;
    for (let comma = this.#nextComma(bytes, end); comma >= 0; comma = this.#nextComma(bytes, end)) {
      // The last block must hold what ends the array, so a comma counts once something follows it.
      if (comma + 1 === end) {
        this.#at = comma;
        break;
      }
      cut = comma + 1;
      commas++;
      this.#at = cut;
    }
    this.#at -= cut;
    this.#rows = commas;
    return cut;
  }

  /** Elements in the block that was cut off last, to be called once for each; one for what is left at the end. */
  rows(): number {
    const rows = this.#rows;
    this.#rows = 0;
    return Math.max(1, rows);
  }

  /**
   * Continues inside an element that is too long and whose bytes, except `bytes`, are gone: position after the comma
   * that ends it, 0 when that is not among them.
   */
  afterOverlong(bytes: Uint8Array): number {
    this.#at = 0;
    const comma = this.#nextComma(bytes, bytes.length);
    this.#at = 0;
    return comma + 1;
  }

  #nextComma(bytes: Uint8Array, end: number): number {
    if (this.#state === 'start') this.#begin(bytes, end);
    if (this.#state !== 'array') return -1;
    const stop = this.#scan.next(bytes, this.#at, end);
    if (stop < 0) {
      this.#at = end;
      return -1;
    }
    if (bytes[stop] === comma) return stop;
    this.#state = 'over';
    return -1;
  }

  /** Looks for what the text begins with, behind a byte order mark. */
  #begin(bytes: Uint8Array, end: number): void {
    if (this.#at === 0 && bytes[0] === 0xef) {
      if (end < 3) return;
      this.#at = 3;
    }
    while (this.#at < end && isJsonBlank(bytes[this.#at])) this.#at++;
    if (this.#at === end) return;
    this.#state = bytes[this.#at] === openBracket ? 'array' : 'over';
    this.#at++;
  }
}

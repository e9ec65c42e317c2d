import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  lineFeed,
  openBrace,
  openBracket,
  quote,
} from '../../bytes/ascii.js';

/**
 * Cuts the rows out of the array `data` of an answer: its elements become lines. Bytes are looked at as they come, in chunks
 * that are cut anywhere, and stay as they are but for the commas between rows, so that integers of 64 bits stay exact.
 */
export class RowCutter {
  /** True when the end of the array was seen. */
  ended = false;
  /** Brackets that are open; the one of the array was read before. */
  #depth = 1;
  #inText = false;
  #isEscaped = false;
  #isEmpty = true;

  /** The part of a chunk that belongs to rows, changed in place. */
  lines(chunk: Uint8Array): Uint8Array {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inText) {
        this.#readText(byte);
      } else if (byte === quote) {
        this.#inText = true;
      } else if (byte === openBracket || byte === openBrace) {
        this.#depth++;
      } else if (byte === closeBracket || byte === closeBrace) {
        if (--this.#depth === 0) return this.#end(chunk, at);
      } else if (byte === comma && this.#depth === 1) {
        chunk[at] = lineFeed;
      }
    }
    this.#isEmpty &&= chunk.length === 0;
    return chunk;
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#inText = false;
  }

  /** The bracket that ends the array takes the place of the last line break. */
  #end(chunk: Uint8Array, at: number): Uint8Array {
    this.ended = true;
    if (this.#isEmpty && at === 0) return chunk.subarray(0, 0);
    chunk[at] = lineFeed;
    return chunk.subarray(0, at + 1);
  }
}

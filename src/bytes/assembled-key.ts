import { finishHash, mixWord } from './key-table.js';

/** Bytes that a key may take before its buffer grows. */
const initialBytes = 1024;

/**
 * A series key whose parts do not stand side by side in the text: copied together, and hashed meanwhile. A key is the
 * same as another one if it is assembled from the same parts, each of them known to end where it does.
 */
export class AssembledKey {
  bytes = new Uint8Array(initialBytes);
  view = new DataView(this.bytes.buffer);
  length = 0;
  #hash = 0;

  /** Begins a key, hashed from `seed`. */
  begin(seed: number): void {
    this.length = 0;
    this.#hash = seed;
  }

  /** Appends `bytes[start, end)`, four bytes at a time; `view` is over the same bytes. */
  append(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    if (this.length + end - start > this.bytes.length) this.#grow(end - start);
    const target = this.view;
    let hash = this.#hash;
    let length = this.length;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true);
      target.setInt32(length, word, true);
      hash = mixWord(hash, word);
      length += 4;
    }
    let word = 0;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      this.bytes[length++] = byte;
      word = (word << 8) | byte;
    }
    // The length of a part counts, so that parts cut elsewhere have another hash.
    this.#hash = mixWord(hash, word ^ (end - start));
    this.length = length;
  }

  /** Appends one byte that no part holds, to keep parts apart. */
  separate(byte: number): void {
    if (this.length >= this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = byte;
  }

  /** Hash of the whole key. */
  hash(): number {
    return finishHash(this.#hash, this.length);
  }

  #grow(more: number): void {
    const grown = new Uint8Array(Math.max(this.length + more, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}

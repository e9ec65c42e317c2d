import { randomInt } from 'node:crypto';
import { finishHash, mixWord } from './parse/series-dictionary.js';

/** Longest search for a key: bounds what keys that were chosen to collide can cost. */
const maxProbes = 64;
const initialKeys = 256;
const recordWords = 5;
const startAt = 0;
const headLengthAt = 1;
const tailLengthAt = 2;
const markAt = 3;
const numberAt = 4;

/**
 * Numbers by key, found without an allocation. A key is two pieces of bytes, `head` and `tail`, and a small number, `mark`.
 * An open-addressing table over typed arrays.
 */
export class KeyTable {
  readonly #seed = randomInt(0x7fffffff);
  #count = 0;
  /** Pairs of hash and record plus one; 0 is an empty place. */
  #places = new Int32Array(initialKeys * 4);
  #records = new Int32Array(initialKeys * recordWords);
  #bytes = new Uint8Array(initialKeys * 32);
  #byteCount = 0;

  /** Keys held. */
  get size(): number {
    return this.#count;
  }

  /** Bytes of the keys held. */
  get bytes(): number {
    return this.#byteCount;
  }

  /** Number of the key `bytes[headStart, headEnd)`, `bytes[tailStart, tailEnd)`, `mark`; -1 when it is not held. */
  find(
    bytes: Uint8Array,
    headStart: number,
    headEnd: number,
    tailStart: number,
    tailEnd: number,
    mark: number,
  ): number {
    const hash = this.#hash(bytes, headStart, headEnd, tailStart, tailEnd, mark);
    const mask = this.#places.length / 2 - 1;
    const records = this.#records;
    let place = hash & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const entry = this.#places[2 * place + 1]!;
      if (entry === 0) return -1;
      const at = (entry - 1) * recordWords;
      if (
        this.#places[2 * place] === hash &&
        records[at + markAt] === mark &&
        records[at + headLengthAt] === headEnd - headStart &&
        records[at + tailLengthAt] === tailEnd - tailStart &&
        this.#holds(records[at + startAt]!, bytes, headStart, headEnd) &&
        this.#holds(records[at + startAt]! + headEnd - headStart, bytes, tailStart, tailEnd)
      ) {
        return records[at + numberAt]!;
      }
      place = (place + 1) & mask;
    }
    return -1;
  }

  /** Adds a key that is not held. False when too many keys collide with it. */
  add(
    bytes: Uint8Array,
    headStart: number,
    headEnd: number,
    tailStart: number,
    tailEnd: number,
    mark: number,
    number: number,
  ): boolean {
    if ((this.#count + 1) * 4 > this.#places.length) this.#grow();
    const hash = this.#hash(bytes, headStart, headEnd, tailStart, tailEnd, mark);
    if (!this.#place(hash, this.#count)) return false;
    const length = headEnd - headStart + tailEnd - tailStart;
    this.#reserve(length);
    this.#bytes.set(bytes.subarray(headStart, headEnd), this.#byteCount);
    this.#bytes.set(bytes.subarray(tailStart, tailEnd), this.#byteCount + headEnd - headStart);
    this.#records.set(
      [this.#byteCount, headEnd - headStart, tailEnd - tailStart, mark, number],
      this.#count * recordWords,
    );
    this.#byteCount += length;
    this.#count++;
    return true;
  }

  /** The same keys without those whose number `renumber` turns into -1; the others get the numbers it returns. */
  kept(renumber: (number: number) => number): KeyTable {
    const table = new KeyTable();
    for (let i = 0; i < this.#count; i++) {
      const at = i * recordWords;
      const number = renumber(this.#records[at + numberAt]!);
      if (number < 0) continue;
      const start = this.#records[at + startAt]!;
      const headEnd = start + this.#records[at + headLengthAt]!;
      const tailEnd = headEnd + this.#records[at + tailLengthAt]!;
      table.add(this.#bytes, start, headEnd, headEnd, tailEnd, this.#records[at + markAt]!, number);
    }
    return table;
  }

  #hash(
    bytes: Uint8Array,
    headStart: number,
    headEnd: number,
    tailStart: number,
    tailEnd: number,
    mark: number,
  ): number {
    const head = hashOn(bytes, headStart, headEnd, this.#seed ^ mark);
    const length = headEnd - headStart + tailEnd - tailStart;
    return finishHash(tailStart === tailEnd ? head : hashOn(bytes, tailStart, tailEnd, ~head), length);
  }

  #holds(start: number, bytes: Uint8Array, from: number, to: number): boolean {
    const held = this.#bytes;
    for (let i = from, at = start; i < to; i++, at++) if (held[at] !== bytes[i]) return false;
    return true;
  }

  #place(hash: number, record: number): boolean {
    const mask = this.#places.length / 2 - 1;
    let place = hash & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      if (this.#places[2 * place + 1] === 0) {
        this.#places[2 * place] = hash;
        this.#places[2 * place + 1] = record + 1;
        return true;
      }
      place = (place + 1) & mask;
    }
    return false;
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Int32Array(old.length * 2);
    // A key that finds no place near enough is not found again; it is met as new then.
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) this.#place(old[i]!, old[i + 1]! - 1);
    const records = new Int32Array((this.#places.length / 4) * recordWords);
    records.set(this.#records.subarray(0, this.#count * recordWords));
    this.#records = records;
  }

  #reserve(length: number): void {
    const need = this.#byteCount + length;
    if (need <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#byteCount));
    this.#bytes = grown;
  }
}

/** Mixes `bytes[start, end)` into a hash, four bytes at a time. */
function hashOn(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let value = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    value = mixWord(value, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  }
  if (at === end) return value;
  let word = 0;
  for (let shift = 0; at < end; at++, shift += 8) word |= bytes[at]! << shift;
  return mixWord(value, word);
}

import { randomInt } from 'node:crypto';

/**
 * Longest search for a key: bounds what keys that were chosen to collide can cost. Keys beyond it are not remembered.
 */
const maxProbes = 64;
const initialKeys = 64;
/** Words of a record before those of its owner: where the key begins, and its length. */
const startAt = 0;
const lengthAt = 1;
const ownAt = 2;

/** One step of the hash of a key: mixes in the next four bytes, first byte lowest. */
export function mixWord(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Last step of the hash of a key of `length` bytes. */
export function finishHash(hash: number, length: number): number {
  const mixed = Math.imul(hash ^ length, 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

/**
 * Hash of the key `bytes[start, end)`, over which `view` is, too: the steps above over its four-byte words, the last
 * one filled up with zeros.
 */
export function hashKey(bytes: Uint8Array, view: DataView, start: number, end: number, seed: number): number {
  let value = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) value = mixWord(value, view.getInt32(at, true));
  if (at < end) {
    let word = 0;
    for (let shift = 0; at < end; at++, shift += 8) word |= bytes[at]! << shift;
    value = mixWord(value, word);
  }
  return finishHash(value, end - start);
}

/**
 * Keys of bytes, each with an entry number, counted up from 0, and some words of 32 bits that its owner keeps with it.
 * An open-addressing table over typed arrays, so that a lookup allocates nothing. The caller hashes a key, beginning
 * with {@link KeyTable.seed}; the seed is another one in each table, so that no text can be made to collide.
 */
export class KeyTable {
  /** Start value of the hash. */
  readonly seed = randomInt(0x7fffffff);
  readonly #recordWords: number;
  #count = 0;
  /** Pairs of hash and entry plus one; 0 is an empty place. */
  #places!: Int32Array;
  #mask = 0;
  #records!: Int32Array;
  #bytes!: Uint8Array;
  #view!: DataView;
  #byteCount = 0;

  /** `words` is how many words are kept with each key. */
  constructor(words: number) {
    this.#recordWords = ownAt + words;
    this.clear();
  }

  /** Keys held. */
  get size(): number {
    return this.#count;
  }

  /** Bytes of the keys held. */
  get keyBytes(): number {
    return this.#byteCount;
  }

  clear(): void {
    this.#count = 0;
    this.#byteCount = 0;
    this.#places = new Int32Array(initialKeys * 4);
    this.#mask = initialKeys * 2 - 1;
    this.#records = new Int32Array(initialKeys * this.#recordWords);
    this.#bytes = new Uint8Array(initialKeys * 64);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Entry of the key `bytes[start, end)` with hash `hash`, or -1. `view` is over the same bytes. */
  find(bytes: Uint8Array, view: DataView, start: number, end: number, hash: number): number {
    const places = this.#places;
    const mask = this.#mask;
    let place = hash & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const entry = places[2 * place + 1]!;
      if (entry === 0) return -1;
      if (places[2 * place] === hash && this.keyLength(entry - 1) === end - start) {
        if (this.hasPart(entry - 1, 0, bytes, view, start, end - start)) return entry - 1;
      }
      place = (place + 1) & mask;
    }
    return -1;
  }

  /** Adds a key that is not held, its words all 0. Gives its entry, or -1 when too many keys collide with it. */
  add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    if ((this.#count + 1) * 2 > this.#mask) this.#grow();
    if (!this.#place(hash, this.#count)) return -1;
    const entry = this.#count++;
    this.#reserve(end - start);
    this.#bytes.set(bytes.subarray(start, end), this.#byteCount);
    const at = entry * this.#recordWords;
    this.#records[at + startAt] = this.#byteCount;
    this.#records[at + lengthAt] = end - start;
    this.#byteCount += end - start;
    return entry;
  }

  /** A word kept with a key, as a signed number. */
  word(entry: number, index: number): number {
    return this.#records[entry * this.#recordWords + ownAt + index]!;
  }

  setWord(entry: number, index: number, value: number): void {
    this.#records[entry * this.#recordWords + ownAt + index] = value;
  }

  /** Bytes of a key. */
  keyLength(entry: number): number {
    return this.#records[entry * this.#recordWords + lengthAt]!;
  }

  /**
   * True when a key has, from its byte `from` on, the same `length` bytes as `bytes` has from `start` on. Both must
   * have that many; `view` is over the same bytes.
   */
  hasPart(entry: number, from: number, bytes: Uint8Array, view: DataView, start: number, length: number): boolean {
    const keyStart = this.#records[entry * this.#recordWords + startAt]! + from;
    const keyView = this.#view;
    let i = 0;
    for (; i + 16 <= length; i += 16) {
      const a = keyStart + i;
      const b = start + i;
      const first = keyView.getInt32(a, true) ^ view.getInt32(b, true);
      const second = keyView.getInt32(a + 4, true) ^ view.getInt32(b + 4, true);
      const third = keyView.getInt32(a + 8, true) ^ view.getInt32(b + 8, true);
      if ((first | second | third | (keyView.getInt32(a + 12, true) ^ view.getInt32(b + 12, true))) !== 0) return false;
    }
    for (; i + 4 <= length; i += 4) {
      if (keyView.getInt32(keyStart + i, true) !== view.getInt32(start + i, true)) return false;
    }
    const keys = this.#bytes;
    for (; i < length; i++) if (keys[keyStart + i] !== bytes[start + i]) return false;
    return true;
  }

  /** Forgets the keys whose word `index` `renumber` turns into -1; for the others the word becomes what it returns. */
  keep(index: number, renumber: (word: number) => number): void {
    const places = this.#places;
    const records = this.#records;
    const bytes = this.#bytes;
    this.clear();
    for (let place = 0; place < places.length; place += 2) {
      if (places[place + 1] === 0) continue;
      const at = (places[place + 1]! - 1) * this.#recordWords;
      const word = renumber(records[at + ownAt + index]!);
      if (word < 0) continue;
      const start = records[at + startAt]!;
      const entry = this.add(bytes, start, start + records[at + lengthAt]!, places[place]!);
      if (entry < 0) continue;
      this.#records.set(records.subarray(at + ownAt, at + this.#recordWords), entry * this.#recordWords + ownAt);
      this.setWord(entry, index, word);
    }
  }

  /** Puts an entry into the first free place for its hash; false when there is none near enough. */
  #place(hash: number, entry: number): boolean {
    const places = this.#places;
    let place = hash & this.#mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      if (places[2 * place + 1] === 0) {
        places[2 * place] = hash;
        places[2 * place + 1] = entry + 1;
        return true;
      }
      place = (place + 1) & this.#mask;
    }
    return false;
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Int32Array(old.length * 2);
    this.#mask = old.length - 1;
    // A key that finds no place near enough is never found again; it will be met as new and added once more.
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) this.#place(old[i]!, old[i + 1]! - 1);
    const records = new Int32Array((this.#places.length / 4) * this.#recordWords);
    records.set(this.#records.subarray(0, this.#count * this.#recordWords));
    this.#records = records;
  }

  #reserve(length: number): void {
    const need = this.#byteCount + length;
    if (need <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(need, this.#bytes.length * 2));
    bytes.set(this.#bytes.subarray(0, this.#byteCount));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

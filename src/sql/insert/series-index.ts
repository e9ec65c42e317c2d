const seed = Math.floor(Math.random() * 0x7fffffff);

/**
 * Finds series ids by the bytes of a sub-table name without making a string: open addressing over entries that are only
 * ever added. Ids are kept as low and high words. The hash is seeded, so that no statement can be built to collide.
 */
export class SeriesIndex {
  #slots = new Int32Array(64).fill(-1);
  #hashes = new Int32Array(32);
  #ends = new Int32Array(33);
  #idWords = new Uint32Array(64);
  #pool: Uint8Array = new Uint8Array(1024);
  #size = 0;

  /** The entry of the name in `bytes[start, end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]!;
      if (entry < 0) return -1;
      if (this.#hashes[entry] === hash && this.#equals(entry, bytes, start, end)) return entry;
    }
  }

  /** Adds a name that is not there yet; gives its entry. */
  add(bytes: Uint8Array, start: number, end: number, id: bigint): number {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const entry = this.#size++;
    const hash = hashOf(bytes, start, end);
    const from = this.#ends[entry]!;
    this.#reservePool(from + end - start);
    this.#pool.set(bytes.subarray(start, end), from);
    this.#ends[entry + 1] = from + end - start;
    this.#hashes[entry] = hash;
    this.#idWords[2 * entry] = Number(BigInt.asUintN(32, id));
    this.#idWords[2 * entry + 1] = Number(BigInt.asUintN(32, id >> 32n));
    this.#place(entry, hash);
    return entry;
  }

  idLow(entry: number): number {
    return this.#idWords[2 * entry]!;
  }

  idHigh(entry: number): number {
    return this.#idWords[2 * entry + 1]!;
  }

  #equals(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#ends[entry]!;
    if (this.#ends[entry + 1]! - from !== end - start) return false;
    for (let at = start, own = from; at < end; at++, own++) if (bytes[at] !== this.#pool[own]) return false;
    return true;
  }

  #place(entry: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = entry;
  }

  #grow(): void {
    const length = this.#slots.length * 2;
    this.#slots = new Int32Array(length).fill(-1);
    const hashes = new Int32Array(length / 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const ends = new Int32Array(length / 2 + 1);
    ends.set(this.#ends);
    this.#ends = ends;
    const idWords = new Uint32Array(length);
    idWords.set(this.#idWords);
    this.#idWords = idWords;
    for (let entry = 0; entry < this.#size; entry++) this.#place(entry, hashes[entry]!);
  }

  #reservePool(need: number): void {
    if (need <= this.#pool.length) return;
    const pool = new Uint8Array(Math.max(need, this.#pool.length * 2));
    pool.set(this.#pool);
    this.#pool = pool;
  }
}

/** FNV-1a with a seed, stirred so that the low bits depend on every byte. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 13);
}

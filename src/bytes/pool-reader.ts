/** Reads the entries of a byte pool one after the other: each is a base-128 length and then the bytes. */
export class PoolReader {
  readonly bytes: Uint8Array;
  /** The bytes of the entry read last are `bytes[start, end)`; the next entry begins at `end`. */
  start = 0;
  end: number;

  constructor(bytes: Uint8Array, from = 0) {
    this.bytes = bytes;
    this.end = from;
  }

  /** Reads the next entry; there must be one. */
  next(): void {
    const { bytes } = this;
    let at = this.end;
    let length = 0;
    let scale = 1;
    for (; bytes[at]! >= 0x80; scale *= 128) length += (bytes[at++]! & 0x7f) * scale;
    length += bytes[at++]! * scale;
    this.start = at;
    this.end = at + length;
  }

  /** Reads over so many entries. */
  skip(entries: number): void {
    for (let left = entries; left > 0; left--) this.next();
  }
}

/** Where each of the first `rows` entries of a pool begins, and where the last one ends: rows + 1 offsets. */
export function entryOffsets(pool: Uint8Array, rows: number): Uint32Array {
  const reader = new PoolReader(pool);
  const offsets = new Uint32Array(rows + 1);
  for (let row = 1; row <= rows; row++) {
    reader.next();
    offsets[row] = reader.end;
  }
  return offsets;
}

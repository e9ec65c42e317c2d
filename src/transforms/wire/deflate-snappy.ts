import { putVarint, varintLength } from '../../bytes/varint.js';

/** Input is compressed in pieces of this size, within which every offset fits into two bytes. */
const pieceBytes = 65536;
const tableBits = 14;
/** The last bytes of a piece are never searched for repeats, so that words can be read without a check. */
const margin = 15;
/** A copy element of two bytes of offset reaches this far and gives this much. */
const maxCopy = 64;

/** Positions by the hash of the four bytes there; shared, as a piece is compressed from begin to end at once. */
const table = new Uint16Array(1 << tableBits);

/** Most bytes that `length` bytes of input become. */
function worstCase(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

/**
 * Compresses `length` bytes, which come in parts of any size, as one snappy block (the raw format, not the framed one),
 * in chunks: the length first, then one chunk for each 64 KiB of input. Greedy, with one position remembered for each
 * hash, and larger steps where nothing repeats.
 */
export function* deflateSnappy(parts: Iterable<Uint8Array>, length: number): Generator<Uint8Array> {
  const head = new Uint8Array(varintLength(length));
  putVarint(head, 0, length);
  yield head;
  const piece = new Uint8Array(Math.min(length, pieceBytes));
  const scratch = new Uint8Array(worstCase(piece.length));
  const deflated = (end: number) => scratch.slice(0, new PieceWriter(piece.subarray(0, end), scratch).write());
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(part.length - at, piece.length - filled);
      piece.set(part.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < piece.length) continue;
      yield deflated(filled);
      filled = 0;
    }
  }
  if (filled > 0) yield deflated(filled);
}

/** Compresses one piece. */
class PieceWriter {
  readonly #from: Uint8Array;
  readonly #to: Uint8Array;
  #at = 0;

  constructor(from: Uint8Array, to: Uint8Array) {
    this.#from = from;
    this.#to = to;
  }

  /** Returns the number of bytes written. */
  write(): number {
    const from = this.#from;
    const end = from.length;
    let literal = 0;
    if (end > margin) {
      table.fill(0);
      const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
      const limit = end - margin;
      let misses = 32;
      let at = 1;
      while (at < limit) {
        const word = view.getInt32(at, true);
        const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - tableBits);
        const candidate = table[slot]!;
        table[slot] = at;
        if (view.getInt32(candidate, true) !== word) {
          at += misses++ >>> 5;
          continue;
        }
        this.#literal(literal, at);
        let length = 4;
        while (at + length < end && from[candidate + length] === from[at + length]) length++;
        this.#copy(at - candidate, length);
        at += length;
        literal = at;
        misses = 32;
      }
    }
    this.#literal(literal, end);
    return this.#at;
  }

  #literal(start: number, end: number): void {
    if (start === end) return;
    const to = this.#to;
    const length = end - start - 1;
    if (length < 60) {
      to[this.#at++] = length << 2;
    } else if (length < 256) {
      to[this.#at++] = 60 << 2;
      to[this.#at++] = length;
    } else {
      to[this.#at++] = 61 << 2;
      to[this.#at++] = length & 0xff;
      to[this.#at++] = length >>> 8;
    }
    to.set(this.#from.subarray(start, end), this.#at);
    this.#at += end - start;
  }

  #copy(offset: number, length: number): void {
    const to = this.#to;
    for (let rest = length; rest > 0; ) {
      const size = Math.min(rest, maxCopy);
      if (size >= 4 && size < 12 && offset < 2048) {
        to[this.#at++] = ((offset >>> 8) << 5) | ((size - 4) << 2) | 1;
        to[this.#at++] = offset & 0xff;
      } else {
        to[this.#at++] = ((size - 1) << 2) | 2;
        to[this.#at++] = offset & 0xff;
        to[this.#at++] = offset >>> 8;
      }
      rest -= size;
    }
  }
}

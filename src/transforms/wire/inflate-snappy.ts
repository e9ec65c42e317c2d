import { Codes, FaultError, fault } from '../../model/fault.js';

/** A copy element of three bytes gives at most 64: no body can claim a greater growth. */
const maxGrowth = 22;
/** From this length on a native copy is faster than a loop; no copy element is so long. */
const longLiteral = 96;

function malformed(reason: string): FaultError {
  return new FaultError(fault('parameter', Codes.schemalessData, `the body is not valid snappy data: ${reason}`));
}

/** Position after the length that a body begins with, which {@link inflatedLength} has read. */
function endOfLength(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at]! >= 0x80) at++;
  return at + 1;
}

/**
 * Length that a snappy block (the raw format, not the framed one) says it has when inflated. Throws a FaultError of
 * kind `parameter` when it says none, or one that it cannot reach.
 */
export function inflatedLength(bytes: Uint8Array): number {
  let length = 0;
  let scale = 1;
  for (let at = 0; at < 5; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw malformed('it ends within its length');
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (length > 0xffffffff) throw malformed('its length is out of range');
      if (length > bytes.length * maxGrowth) throw malformed(`${bytes.length} bytes cannot hold ${length}`);
      return length;
    }
    scale *= 128;
  }
  throw malformed('its length is out of range');
}

/**
 * Inflates a snappy block. `allocate` gives the buffer for the result, which may be longer than requested. Throws a
 * FaultError of kind `parameter` when the block is malformed or when it would be longer than `maxBytes`; nothing is
 * allocated before its length is known to be within that limit.
 */
export function inflateSnappy(
  bytes: Uint8Array,
  maxBytes: number,
  allocate?: (length: number) => Uint8Array,
): Uint8Array {
  const inflation = new SnappyInflation(bytes, maxBytes, allocate);
  inflation.advance(inflation.out.length);
  return inflation.out;
}

/**
 * A snappy block that is inflated step by step. Both the constructor and the steps throw as {@link inflateSnappy} does.
 */
export class SnappyInflation {
  /** The result, as far as it is there. */
  readonly out: Uint8Array;
  readonly #bytes: Uint8Array;
  #at: number;
  #to = 0;

  constructor(
    bytes: Uint8Array,
    maxBytes: number,
    allocate: (length: number) => Uint8Array = (length) => new Uint8Array(length),
  ) {
    const length = inflatedLength(bytes);
    if (length > maxBytes) {
      const text = `the body inflates to ${length} bytes, the limit is ${maxBytes} (limits.messageBytes)`;
      throw new FaultError(fault('parameter', Codes.statementTooLong, text));
    }
    this.out = allocate(length).subarray(0, length);
    this.#bytes = bytes;
    this.#at = endOfLength(bytes);
  }

  /** Inflates about so many bytes more; true when all are there. */
  advance(size: number): boolean {
    const [end, length] = [this.#bytes.length, this.out.length];
    this.#inflate(Math.min(length, this.#to + size));
    // What follows the last byte of the result is malformed, and an error.
    if (this.#to === length) this.#inflate(Number.POSITIVE_INFINITY);
    if (this.#at < end) return false;
    if (this.#to !== length) throw malformed(`it inflates to ${this.#to} bytes and says ${length}`);
    return true;
  }

  /** Inflates elements until the result has `until` bytes, or they end. */
  #inflate(until: number): void {
    const bytes = this.#bytes;
    const { out } = this;
    const end = bytes.length;
    const length = out.length;
    const from = new DataView(bytes.buffer, bytes.byteOffset, end);
    const view = new DataView(out.buffer, out.byteOffset, length);
    let at = this.#at;
    let to = this.#to;
    while (at < end && to < until) {
      const tag = bytes[at++]!;
      const kind = tag & 3;
      let size = (tag >>> 2) + 1;
      if (kind === 0) {
        if (size > 60) {
          const width = size - 60;
          if (at + width > end) throw malformed('it ends within an element');
          size = littleEndian(bytes, at, width) + 1;
          at += width;
        }
        if (size > end - at || size > length - to) throw malformed('a literal is too long');
        if (size >= longLiteral) out.set(bytes.subarray(at, at + size), to);
        else if (size >= 4) copyWords(from, at, view, to, size);
        else for (let i = 0; i < size; i++) out[to + i] = bytes[at + i]!;
        at += size;
      } else {
        const width = kind === 3 ? 4 : kind;
        if (at + width > end) throw malformed('it ends within an element');
        let offset = littleEndian(bytes, at, width);
        at += width;
        if (kind === 1) {
          size = ((tag >>> 2) & 7) + 4;
          offset |= (tag >>> 5) << 8;
        }
        if (offset === 0 || offset > to) throw malformed('a copy begins before the text');
        if (size > length - to) throw malformed('a copy is too long');
        // Bytes of the copy may be bytes that it makes itself; those of a word are made before it.
        if (offset >= 4 && size >= 4) copyWords(view, to - offset, view, to, size);
        else for (let i = to, stop = to + size; i < stop; i++) out[i] = out[i - offset]!;
      }
      to += size;
    }
    this.#at = at;
    this.#to = to;
  }
}

function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = bytes[at]!;
  if (width > 1) value |= bytes[at + 1]! << 8;
  if (width > 2) value |= bytes[at + 2]! << 16;
  if (width > 3) value += bytes[at + 3]! * 0x1000000;
  return value;
}

/** Copies four bytes and more, word by word from the front; the last word may repeat bytes of the one before it. */
function copyWords(from: DataView, at: number, out: DataView, to: number, size: number): void {
  const last = size - 4;
  for (let i = 0; i < last; i += 4) out.setInt32(to + i, from.getInt32(at + i, true), true);
  out.setInt32(to + last, from.getInt32(at + last, true), true);
}

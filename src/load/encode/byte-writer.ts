import { dot, minus, zero } from '../../bytes/ascii.js';
import { realText } from '../../bytes/real-text.js';
import { two32, two53 } from '../../bytes/words.js';

const billion = 1e9;
const nearLargestFloat = 3.402823e38;
/** From this length on a copy by the platform is faster than a loop. */
const longCopy = 64;
/** Most bytes that a number takes. */
const numberBytes = 32;

/** The digits of 0000 to 9999, one after the other. */
const quads = Buffer.from(Array.from({ length: 10_000 }, (_, i) => String(i).padStart(4, '0')).join(''));

/** Writes text into one growing buffer, without a string or an object for each value. */
export class ByteWriter {
  bytes: Buffer;
  at = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const need = this.at + more;
    if (need <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(need, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  text(text: string): void {
    this.reserve(text.length * 3);
    this.at += this.bytes.write(text, this.at);
  }

  /** Copies `source[from, to)`. */
  copy(source: Uint8Array, from = 0, to = source.length): void {
    this.reserve(to - from);
    if (to - from >= longCopy) {
      this.bytes.set(source.subarray(from, to), this.at);
      this.at += to - from;
      return;
    }
    const { bytes } = this;
    let { at } = this;
    for (let i = from; i < to; i++) bytes[at++] = source[i]!;
    this.at = at;
  }

  /** A whole number of at most 2^53 in size. */
  integer(value: number): void {
    this.reserve(numberBytes);
    if (value < 0) this.bytes[this.at++] = minus;
    this.#digits(Math.abs(value));
  }

  /** A 64-bit whole number, given as its low and high word. */
  wide(low: number, high: number, signed: boolean): void {
    this.reserve(numberBytes);
    if (signed && high >= 0x80000000) {
      this.bytes[this.at++] = minus;
      this.#magnitude(-low >>> 0, (low === 0 ? -high : ~high) >>> 0);
    } else {
      this.#magnitude(low, high);
    }
  }

  /** A number in a form that reads back as exactly this one of its type; it must be finite. */
  real(value: number, type: 'FLOAT' | 'DOUBLE'): void {
    if (type === 'FLOAT' && this.#isShort(value, 1e3, type)) this.#decimal(Math.round(value * 1e3), 1e3);
    else if (this.#isShort(value, 1e6, type)) this.#decimal(Math.round(value * 1e6), 1e6);
    // The shortest form of the largest FLOAT lies above it, where strict readers refuse it.
    else this.text(Math.abs(value) > nearLargestFloat ? String(value) : realText(value, type));
  }

  /** True when the number is one with so few decimal places. */
  #isShort(value: number, places: number, type: 'FLOAT' | 'DOUBLE'): boolean {
    const scaled = Math.round(value * places);
    const back = scaled / places;
    return Math.abs(scaled) < two53 && (type === 'FLOAT' ? Math.fround(back) : back) === value;
  }

  #decimal(scaled: number, places: number): void {
    this.reserve(numberBytes);
    if (scaled < 0) this.bytes[this.at++] = minus;
    const size = Math.abs(scaled);
    const whole = Math.floor(size / places);
    this.#digits(whole);
    let rest = size - whole * places;
    if (rest === 0) return;
    this.bytes[this.at++] = dot;
    for (let place = places / 10; rest > 0; place /= 10) {
      const digit = Math.floor(rest / place);
      this.bytes[this.at++] = zero + digit;
      rest -= digit * place;
    }
  }

  #magnitude(low: number, high: number): void {
    if (high < two53 / two32) {
      this.#digits(high * two32 + low);
      return;
    }
    // Long division by a billion, 16 bits at a time, so that every product is exact.
    const top = Math.floor(high / billion);
    const upper = (high % billion) * 65536 + (low >>> 16);
    const middle = Math.floor(upper / billion);
    const lower = (upper % billion) * 65536 + (low & 0xffff);
    const bottom = Math.floor(lower / billion);
    this.#digits(top * two32 + middle * 65536 + bottom);
    const rest = lower % billion;
    const first = Math.floor(rest / 1e8);
    this.bytes[this.at++] = zero + first;
    this.#eight(rest - first * 1e8);
  }

  /** The digits of a whole number from 0 to 2^53; there must be room. */
  #digits(value: number): void {
    if (value < 1e4) {
      this.#short(value);
    } else if (value < 1e8) {
      const upper = Math.floor(value / 1e4);
      this.#short(upper);
      this.#four(value - upper * 1e4);
    } else {
      const upper = Math.floor(value / 1e8);
      this.#digits(upper);
      this.#eight(value - upper * 1e8);
    }
  }

  #eight(value: number): void {
    const upper = Math.floor(value / 1e4);
    this.#four(upper);
    this.#four(value - upper * 1e4);
  }

  /** Four digits, zeros in front included. */
  #four(value: number): void {
    const { bytes, at } = this;
    const from = value * 4;
    bytes[at] = quads[from]!;
    bytes[at + 1] = quads[from + 1]!;
    bytes[at + 2] = quads[from + 2]!;
    bytes[at + 3] = quads[from + 3]!;
    this.at = at + 4;
  }

  /** The digits of a number below 10,000. */
  #short(value: number): void {
    const length = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4;
    const end = value * 4 + 4;
    for (let from = end - length; from < end; from++) this.bytes[this.at++] = quads[from]!;
  }
}

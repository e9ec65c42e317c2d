import { minus, plus, zero } from './ascii.js';
import { DigitRun, maxExactExponent, scaleByTen } from './decimal.js';
import { applySign } from './words.js';

/** Bytes that may stand behind digits, less the zero. */
const point = 0x2e - zero;
const upperE = 0x45 - zero;
const lowerE = 0x65 - zero;

/** Most digits that a double holds whatever they are. */
export const exactDigits = 15;
/** Exponents beyond this are all the same: zero or out of range. */
const maxExponent = 1_000_000_000;

/**
 * Reads decimal numbers: an optional sign, digits with an optional point among them, an optional exponent; nothing
 * else. {@link NumberReader.scan} finds the end of a number. The other methods then give it in the form that its format
 * needs: a double, a whole number of some width, or a whole number of decimal places. No usual number makes an object.
 */
export class NumberReader {
  /** True when the number scanned last has neither point nor exponent. */
  whole = true;
  negative = false;
  /** Power of ten by which the digits, read without their point, are multiplied. */
  exponent = 0;
  /** The digits as a whole number, as long as they are few enough to be exact, and how many they are. */
  #magnitude = 0;
  #digits = 0;
  readonly #run = new DigitRun();
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  #stop = 0;

  /**
   * Scans the number that begins at `start` and returns the position after it, or -1 when there is none before `end`.
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    if (start >= end) return -1;
    const sign = bytes[start]!;
    const digitsStart = sign === minus || sign === plus ? start + 1 : start;
    let at = digitsStart;
    let magnitude = 0;
    let digit = at < end ? bytes[at]! - zero : -1;
    while (digit >= 0 && digit <= 9) {
      magnitude = magnitude * 10 + digit;
      digit = ++at < end ? bytes[at]! - zero : -1;
    }
    let digits = at - digitsStart;
    let exponent = 0;
    this.whole = digit !== point;
    if (digit === point) {
      const fraction = ++at;
      digit = at < end ? bytes[at]! - zero : -1;
      while (digit >= 0 && digit <= 9) {
        magnitude = magnitude * 10 + digit;
        digit = ++at < end ? bytes[at]! - zero : -1;
      }
      exponent = fraction - at;
      digits -= exponent;
    }
    if (digits === 0) return -1;
    this.negative = sign === minus;
    this.exponent = exponent;
    this.#magnitude = magnitude;
    this.#digits = digits;
    if (bytes !== this.#bytes) this.#bytes = bytes;
    if (digit === upperE || digit === lowerE) at = this.#scanExponent(bytes, at + 1, end);
    this.#start = digitsStart;
    this.#stop = at;
    return at;
  }

  /** Scans `bytes[start, end)`; true when all of it is one number. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    return this.scan(bytes, start, end) === end;
  }

  /** The text of the number without its sign. */
  get text(): string {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1', this.#start, this.#stop);
  }

  /** The number as a double, correctly rounded; an infinity when it is too large for one. */
  double(): number {
    const exponent = this.exponent;
    const exact = this.#digits <= exactDigits && exponent >= -maxExactExponent && exponent <= maxExactExponent;
    const magnitude = exact ? scaleByTen(this.#magnitude, exponent) : Number(this.text);
    return this.negative ? -magnitude : magnitude;
  }

  /**
   * Stores the number, which must be whole, as an integer of `bits` bits: low word first, at `words[2 * index]`. False
   * when it does not fit.
   */
  store(words: Uint32Array, index: number, bits: number, unsigned: boolean): boolean {
    this.#run.scan(this.#bytes, this.#start, this.#stop);
    if (!this.#run.toWords(words, index)) return false;
    const low = words[2 * index]!;
    const high = words[2 * index + 1]!;
    const negative = this.negative;
    if (bits < 64) {
      const most = unsigned ? 2 ** bits - 1 : 2 ** (bits - 1);
      if (high !== 0 || low > most || (!unsigned && low === most && !negative)) return false;
    }
    return applySign(words, high, negative, !unsigned, index);
  }

  /** Reads sign and digits of an exponent and returns the position after them, -1 when there are no digits. */
  #scanExponent(bytes: Uint8Array, start: number, end: number): number {
    const sign = start < end ? bytes[start]! : 0;
    const digitsStart = sign === minus || sign === plus ? start + 1 : start;
    let exponent = 0;
    let at = digitsStart;
    for (; at < end && bytes[at]! >= zero && bytes[at]! <= zero + 9; at++) {
      exponent = Math.min(maxExponent, exponent * 10 + bytes[at]! - zero);
    }
    this.exponent += sign === minus ? -exponent : exponent;
    this.whole = false;
    return at === digitsStart ? -1 : at;
  }
}

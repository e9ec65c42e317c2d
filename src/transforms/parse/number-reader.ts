import { DigitRun, maxDigits, maxExactExponent, negateWords, scaleByTen } from './decimal.js';
import type { PointFields } from './point-fields.js';

const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;

/** Most significant digits that a double holds whatever they are. */
const exactDigits = 15;
/** Exponents beyond this are all the same: zero or out of range. */
const maxExponent = 100_000;

/**
 * Reads decimal numbers: a sign, digits, a point and digits, an exponent. A number is scanned first, and stored as a double or
 * as an integer of some width once its reader knows which it is to be. No number makes an object.
 */
export class NumberReader {
  /** True when the number scanned last has neither point nor exponent. */
  whole = true;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #text: Buffer;
  readonly #fields: PointFields;
  readonly #run = new DigitRun();
  #start = 0;
  #stop = 0;
  #exponent = 0;
  #negative = false;

  /** `bytes` must end with a byte that no number has. */
  constructor(bytes: Uint8Array, fields: PointFields) {
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fields = fields;
  }

  /** Scans the number that begins at `start` and returns the position after it, or -1 when there is none. */
  scan(start: number): number {
    const bytes = this.#bytes;
    const run = this.#run;
    const sign = bytes[start]!;
    const digitsStart = sign === minus || sign === plus ? start + 1 : start;
    let at = run.scan(bytes, digitsStart, this.#end);
    let digits = at - digitsStart;
    let exponent = 0;
    let whole = true;
    if (bytes[at] === point) {
      const fraction = at + 1;
      at = run.scanMore(bytes, fraction, this.#end);
      exponent = fraction - at;
      digits -= exponent;
      whole = false;
    }
    if (digits === 0) return -1;
    if ((bytes[at]! | 0x20) === 0x65) {
      const exponentStart = at + 1;
      at = this.#exponentEnd(exponentStart);
      if (at < 0) return -1;
      exponent += this.#exponentOf(exponentStart, at);
      whole = false;
    }
    this.#start = start;
    this.#stop = at;
    this.#exponent = exponent;
    this.#negative = sign === minus;
    this.whole = whole;
    return at;
  }

  /** Stores the number as a double, correctly rounded; false when it is too large for one. */
  storeDouble(index: number): boolean {
    const run = this.#run;
    const exponent = this.#exponent;
    const fast = run.digits <= exactDigits && exponent >= -maxExactExponent && exponent <= maxExactExponent;
    let value: number;
    if (fast) {
      const magnitude = scaleByTen(run.toNumber(), exponent);
      value = this.#negative ? -magnitude : magnitude;
    } else {
      value = Number(this.#text.toString('latin1', this.#start, this.#stop));
      if (value === Infinity || value === -Infinity) return false;
    }
    this.#fields.doubles[index] = value;
    return true;
  }

  /** Stores the number, which must be whole, as an integer of `bits` bits; false when it does not fit. */
  storeInteger(index: number, bits: number, unsigned: boolean): boolean {
    const words = this.#fields.words;
    const negative = this.#negative;
    if (this.#run.digits > maxDigits || !this.#run.toWords(words, index)) return false;
    const low = words[2 * index]!;
    const high = words[2 * index + 1]!;
    if (unsigned) {
      if (negative && (low !== 0 || high !== 0)) return false;
      return bits === 64 || (high === 0 && (bits === 32 || low < 1 << bits));
    }
    if (bits === 64) {
      if (high > 0x80000000 || (high === 0x80000000 && (low !== 0 || !negative))) return false;
    } else {
      const most = 2 ** (bits - 1);
      if (high !== 0 || low > most || (low === most && !negative)) return false;
    }
    if (negative) negateWords(words, index);
    return true;
  }

  /** Position after the sign and digits of an exponent, -1 when it has no digits. */
  #exponentEnd(start: number): number {
    const first = this.#bytes[start]!;
    const digitsStart = first === minus || first === plus ? start + 1 : start;
    let at = digitsStart;
    while (this.#bytes[at]! >= 0x30 && this.#bytes[at]! <= 0x39) at++;
    return at === digitsStart ? -1 : at;
  }

  #exponentOf(start: number, end: number): number {
    const first = this.#bytes[start]!;
    let value = 0;
    for (let at = first === minus || first === plus ? start + 1 : start; at < end; at++) {
      value = Math.min(maxExponent, value * 10 + this.#bytes[at]! - 48);
    }
    return first === minus ? -value : value;
  }
}

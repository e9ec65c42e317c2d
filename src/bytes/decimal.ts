import { setProduct } from './words.js';

/** Most significant decimal digits that {@link DigitRun} keeps: enough for any 64-bit integer. */
const maxDigits = 20;

/** Exact powers of ten: 10^22 is the largest that a double holds exactly. */
export const powersOfTen = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/**
 * A run of decimal digits as whole numbers: `digits` significant digits without leading zeros, the first nine in `a`,
 * the next nine in `b`, the last two in `c`. Read by {@link DigitRun.scan} and turned into a number or into 64-bit
 * words without a BigInt.
 */
export class DigitRun {
  a = 0;
  b = 0;
  c = 0;
  digits = 0;

  /** Reads digits from `at` on and returns the position after the last one. */
  scan(bytes: Uint8Array, at: number, end: number): number {
    this.a = 0;
    this.b = 0;
    this.c = 0;
    this.digits = 0;
    return this.scanMore(bytes, at, end);
  }

  /** Reads more digits of the same run: those after a decimal point. */
  scanMore(bytes: Uint8Array, at: number, end: number): number {
    let a = this.a;
    let b = this.b;
    let c = this.c;
    let digits = this.digits;
    let position = at;
    let digit = position < end ? bytes[position]! - 48 : -1;
    // A loop for each part, so that most digits cost one comparison.
    while (digits === 0 && digit === 0) digit = ++position < end ? bytes[position]! - 48 : -1;
    for (; digits < 9 && digit >= 0 && digit <= 9; digits++) {
      a = (a * 10 + digit) | 0;
      digit = ++position < end ? bytes[position]! - 48 : -1;
    }
    for (; digit >= 0 && digit <= 9; digits++) {
      if (digits < 18) b = (b * 10 + digit) | 0;
      else if (digits < maxDigits) c = (c * 10 + digit) | 0;
      digit = ++position < end ? bytes[position]! - 48 : -1;
    }
    this.a = a;
    this.b = b;
    this.c = c;
    this.digits = digits;
    return position;
  }

  /**
   * Writes the value as an unsigned 64-bit number, low word first, at `words[2 * index]`. Returns false when it does
   * not fit.
   */
  toWords(words: Uint32Array, index: number): boolean {
    const digits = this.digits;
    if (digits > maxDigits) return false;
    if (digits <= 9) {
      words[2 * index] = this.a;
      words[2 * index + 1] = 0;
      return true;
    }
    if (digits <= 18) {
      setProduct(words, this.a, powersOfTen[digits - 9]!, this.b, index);
      return true;
    }
    const extra = digits - 18;
    const cut = powersOfTen[9 - extra]!;
    const carried = Math.floor(this.b / cut);
    const upper = this.a * powersOfTen[extra]! + carried;
    const lower = (this.b - carried * cut) * powersOfTen[extra]! + this.c;
    // 2^64 - 1 is 18446744073 709551615.
    if (upper > 18446744073 || (upper === 18446744073 && lower > 709551615)) return false;
    setProduct(words, upper, 1e9, lower, index);
    return true;
  }
}

/** `mantissa * 10^exponent`, correctly rounded, for a whole mantissa below 2^53 and an exponent between -22 and 22. */
export function scaleByTen(mantissa: number, exponent: number): number {
  return exponent < 0 ? mantissa / powersOfTen[-exponent]! : mantissa * powersOfTen[exponent]!;
}

/** Largest exponent that {@link scaleByTen} takes, either sign. */
export const maxExactExponent = 22;

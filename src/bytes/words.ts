/**
 * 64-bit integers as two 32-bit words, low word first, so that values beyond 2^53 need no BigInt. All arithmetic stays
 * below 2^53 and is therefore exact.
 */
const two16 = 65536;
export const two32 = 0x100000000;
export const two53 = 0x20000000000000;
const two31 = 2147483648;

/** Sets a whole number of at most 2^53 in size, as two's complement. */
export function setInteger(out: Uint32Array, value: number): void {
  out[0] = value >>> 0;
  out[1] = Math.floor(value / two32) >>> 0;
}

/** Sets a 64-bit value; bits above are dropped. */
export function setBigInt(out: Uint32Array, value: bigint): void {
  out[0] = Number(BigInt.asUintN(32, value));
  out[1] = Number(BigInt.asUintN(32, value >> 32n));
}

/** The signed value of two words. */
export function toBigInt(words: Uint32Array): bigint {
  return (BigInt((words[1] ?? 0) | 0) << 32n) | BigInt(words[0] ?? 0);
}

/**
 * Sets the number at `index` to `a * factor + b`, for whole numbers `0 <= a < 5 * 10^11`, `factor <= 10^9` and `0 <= b
 * < 10^9`. Returns the high word before it was cut to 32 bits: from 2^31 on the value has left the signed range, from
 * 2^32 on the unsigned one.
 */
export function setProduct(out: Uint32Array, a: number, factor: number, b: number, index = 0): number {
  // 16 bits at a time. Remainders by subtraction: `%` on doubles is a library call and several times slower.
  const upper = Math.floor(a / two16);
  const product = upper * factor;
  const productHigh = Math.floor(product / two16);
  const sum = (product - productHigh * two16) * two16 + (a - upper * two16) * factor + b;
  const carry = Math.floor(sum / two32);
  const high = productHigh + carry;
  out[2 * index] = sum - carry * two32;
  out[2 * index + 1] = high;
  return high;
}

/**
 * Multiplies a number without a sign by a whole factor of at most 10^9; returns the high word before it was cut to 32
 * bits.
 */
export function multiply(words: Uint32Array, factor: number): number {
  const low = words[0]!;
  const lowest = (low & 0xffff) * factor;
  const middle = (low >>> 16) * factor + Math.floor(lowest / two16);
  const high = words[1]! * factor + Math.floor(middle / two16);
  words[0] = ((middle & 0xffff) << 16) | (lowest & 0xffff);
  words[1] = high;
  return high;
}

/** Changes the sign of the number at `index` in place. */
export function negate(out: Uint32Array, index = 0): void {
  const low = -out[2 * index]! >>> 0;
  out[2 * index] = low;
  out[2 * index + 1] = ~out[2 * index + 1]! + (low === 0 ? 1 : 0);
}

/**
 * Applies a sign to the magnitude at `index`, whose uncut high word is `high`; false when the result does not fit 64
 * bits. Unsigned values take no minus sign, except before zero.
 */
export function applySign(out: Uint32Array, high: number, negative: boolean, signed: boolean, index = 0): boolean {
  if (!negative) return high < (signed ? two31 : two32);
  const low = out[2 * index]!;
  if (!signed) return high === 0 && low === 0;
  if (high > two31 || (high === two31 && low !== 0)) return false;
  negate(out, index);
  return true;
}

/** Compares two signed 64-bit values: below, at or above zero. */
export function compareSigned(a: Uint32Array, b: Uint32Array): number {
  const high = (a[1]! | 0) - (b[1]! | 0);
  return high !== 0 ? high : a[0]! - b[0]!;
}

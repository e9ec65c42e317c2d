/**
 * 64-bit integers as two 32-bit words, `out[0]` low and `out[1]` high, so that values beyond 2^53 need no BigInt.
 * All arithmetic stays below 2^53 and is therefore exact.
 */
const word = 4294967296;
const half = 2147483648;

/** Sets a whole number of at most 2^53 in size, as two's complement. */
export function setInteger(out: Uint32Array, value: number): void {
  out[0] = value >>> 0;
  out[1] = Math.floor(value / word) >>> 0;
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
 * Sets `a * factor + b` for `0 <= a < 5 * 10^11`, `factor <= 10^9`, `0 <= b < 10^9` and returns the high word before it
 * was cut to 32 bits: from 2^31 on the value has left the signed range, from 2^32 on the unsigned one.
 */
export function setProduct(out: Uint32Array, a: number, factor: number, b: number): number {
  const low = a % 65536;
  const upper = ((a - low) / 65536) * factor;
  const upperLow = upper % 65536;
  const sum = upperLow * 65536 + low * factor + b;
  const high = (upper - upperLow) / 65536 + Math.floor(sum / word);
  out[0] = sum >>> 0;
  out[1] = high >>> 0;
  return high;
}

/** Changes the sign in place. */
export function negate(out: Uint32Array): void {
  const low = -out[0]! >>> 0;
  out[0] = low;
  out[1] = low === 0 ? -out[1]! >>> 0 : ~out[1]! >>> 0;
}

/**
 * Applies a sign to a magnitude whose uncut high word is `high`; false when the result does not fit 64 bits.
 * Unsigned values take no minus sign, except before zero.
 */
export function applySign(out: Uint32Array, high: number, negative: boolean, signed: boolean): boolean {
  if (!negative) return high < (signed ? half : word);
  if (!signed) return high === 0 && out[0] === 0;
  if (high > half || (high === half && out[0] !== 0)) return false;
  negate(out);
  return true;
}

/** Compares two signed 64-bit values: below, at or above zero. */
export function compareSigned(a: Uint32Array, b: Uint32Array): number {
  const high = (a[1]! | 0) - (b[1]! | 0);
  return high !== 0 ? high : a[0]! - b[0]!;
}

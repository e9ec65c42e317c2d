import { two32 } from '../../bytes/words.js';
/**
 * Random numbers that are a function of where they are used: the same seed, pool and entry always give the same number,
 * in any order of calls. So a row can be made when it is written, and needs no memory.
 */

/** A 32-bit mixing function of good avalanche (the finalizer of `lowbias32`). */
export function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** A seed made of another and a number. */
export function mixed(seed: number, value: number): number {
  return mix(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) ^ mix(value + 0x6d2b79f5));
}

/** A seed made of another and a text. */
export function mixedText(seed: number, text: string): number {
  let result = seed;
  for (let i = 0; i < text.length; i++) result = mixed(result, text.charCodeAt(i));
  return mixed(result, text.length);
}

/** 32 random bits for an entry of a pool. */
export function bits32(seed: number, entry: number): number {
  return mix(seed + Math.imul(entry, 0x9e3779b9));
}

/** 53 random bits for an entry of a pool. */
function bits53(seed: number, entry: number): number {
  return (bits32(seed, entry) >>> 5) * 0x4000000 + (bits32(~seed, entry) >>> 6);
}

/** A whole number from 0 up to but without `bound`, which is at most 2^53. */
export function below(seed: number, entry: number, bound: number): number {
  if (bound <= 0x200000) return Math.floor((bits32(seed, entry) / two32) * bound);
  // Rounding may reach the bound itself.
  return Math.min(bound - 1, Math.floor((bits53(seed, entry) / 0x20000000000000) * bound));
}

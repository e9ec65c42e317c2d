import { two32 } from './words.js';

/**
 * Whole parts of signed 64-bit ticks, rounded down. `low` and `high` are their words, unsigned; `perPart` is a power of
 * ten up to 10^9, and there must be fewer than 2^53 parts.
 */
export function wholeParts(low: number, high: number, perPart: number): number {
  const about = Math.floor(((high | 0) * two32 + low) / perPart);
  // Ticks go beyond 53 bits, so that may be one off; what is left over is exact in 32 bits.
  const rest = (low - Math.imul(about | 0, perPart)) | 0;
  if (rest < 0) return about - 1;
  return rest >= perPart ? about + 1 : about;
}

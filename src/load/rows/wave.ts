import type { Wave } from '../model/scenario.js';
import { below } from './random.js';

const degrees = 360;

/**
 * Values along a wave: `amplitude × shape(x) + offset + offset × (0 … fluctuation-1)/100`, where the angle x is the row's time
 * modulo 360, in degrees. It is the key `fun` of a column.
 */
export class WaveValues {
  /** The wave at each whole degree, without its fluctuation. */
  readonly #heights: Float64Array;
  readonly #offset: number;
  readonly #fluctuation: number;
  readonly #seed: number;

  constructor({ shape, amplitude, offset, fluctuation }: Wave, seed: number) {
    const at = shape === 'sin' ? Math.sin : Math.cos;
    this.#heights = Float64Array.from(
      { length: degrees },
      (_, degree) => amplitude * at((degree / (degrees / 2)) * Math.PI) + offset,
    );
    this.#offset = offset;
    this.#fluctuation = Math.max(0, Math.floor(fluctuation));
    this.#seed = seed;
  }

  /** The value at a time, given as the low and the high word of its ticks; `entry` decides on the fluctuation. */
  at(low: number, high: number, entry: number): number {
    const height = this.#heights[degreeOf(low, high)]!;
    if (this.#fluctuation === 0) return height;
    return height + (this.#offset * below(this.#seed, entry, this.#fluctuation)) / 100;
  }
}

/** A signed 64-bit number modulo 360, never negative. */
function degreeOf(low: number, high: number): number {
  // 2^32 is 256 modulo 360.
  const rest = ((high | 0) * 256 + (low % degrees)) % degrees;
  return rest < 0 ? rest + degrees : rest;
}

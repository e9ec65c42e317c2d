import { two32 } from '../../bytes/words.js';
import { below, bits32, mix, mixed } from './random.js';

/** How often a late time that is taken already is drawn again. */
const maxDraws = 16;
const minFilterBits = 1 << 16;
const maxFilterBits = 1 << 27;
/** Bits for one late row, so that few are drawn again without need. */
const bitsPerRow = 16;

/**
 * Which rows are late, and by how much: with a probability of `ratio` percent a row's time is its ordered one less 1 to
 * `range` ticks (`disorder_ratio`, `disorder_range`). A time that another row of the table has already is drawn again a
 * few times, so that late rows overwrite others only where the range has no free times left.
 */
export class Disorder {
  readonly #seed: number;
  readonly #threshold: number;
  readonly #range: number;
  readonly #step: number;
  /**
   * Late times given out, as a filter of bits by their hash: it may take a free time for a used one, which costs one
   * more draw, never the reverse. It is emptied before it is full, so that endless runs stay bounded.
   */
  readonly #filter: Uint32Array;
  readonly #mask: number;
  #used = 0;

  /** `rows` is how many rows one filter is to serve: those of a table, or of all tables that are written in turns. */
  constructor(options: {
    readonly ratio: number;
    readonly range: number;
    readonly step: bigint;
    readonly seed: number;
    readonly rows: number;
  }) {
    this.#seed = mixed(options.seed, 0x1a7e);
    this.#threshold = (options.ratio / 100) * two32;
    this.#range = Math.max(1, options.range);
    this.#step = Number(options.step);
    const leastBits = Math.min(maxFilterBits, ((options.rows * options.ratio) / 100) * bitsPerRow);
    let bits = minFilterBits;
    while (bits < leastBits) bits *= 2;
    this.#filter = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  /** Ticks that a row is late; 0 for one in order. */
  lateness(table: number, row: number): number {
    const seed = mixed(this.#seed, table);
    if (bits32(seed, row) >= this.#threshold) return 0;
    const ordered = row * this.#step;
    let late = 0;
    for (let draw = 1; draw <= maxDraws; draw++) {
      late = 1 + below(seed + draw, row, this.#range);
      // On the grid of the ordered rows of the table.
      if (late <= ordered && late % this.#step === 0) continue;
      if (this.#take(seed, ordered - late)) break;
    }
    return late;
  }

  /** False when the time may have been given out before. */
  #take(seed: number, offset: number): boolean {
    const hash = mix(seed ^ mix(offset | 0) ^ Math.imul(Math.floor(offset / two32), 0x9e3779b1)) & this.#mask;
    const bit = 1 << (hash & 31);
    const word = this.#filter[hash >>> 5]!;
    if ((word & bit) !== 0) return false;
    if (++this.#used * (bitsPerRow / 2) > this.#mask) {
      this.#filter.fill(0);
      this.#used = 1;
    }
    this.#filter[hash >>> 5] = this.#filter[hash >>> 5]! | bit;
    return true;
  }
}

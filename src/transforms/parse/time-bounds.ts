/** Upper word of the largest time, 2^63 - 1. */
const largestHigh = 0x7fffffff;

/** The times that rows of a database may have. Times are ticks of the database, as two words of 32 bits. */
export class TimeBounds {
  readonly #minLow: number;
  readonly #minHigh: number;
  readonly #maxLow: number;
  readonly #maxHigh: number;

  /** The first and the last time that is taken; without them every time after the epoch is. */
  constructor(minTicks: bigint | undefined, maxTicks: bigint | undefined) {
    const min = minTicks === undefined || minTicks < 0n ? 0n : minTicks;
    const max = maxTicks ?? (1n << 63n) - 1n;
    this.#minLow = Number(min & 0xffffffffn);
    this.#minHigh = Number(min >> 32n);
    this.#maxLow = Number(max & 0xffffffffn);
    this.#maxHigh = Number(max >> 32n);
  }

  /** Why a time cannot be stored, if so, to be read behind the words for it. `high` may have more than 32 bits. */
  problem(low: number, high: number): string | undefined {
    if (high > largestHigh || high > this.#maxHigh || (high === this.#maxHigh && low > this.#maxLow))
      return 'is too large';
    if (low === 0 && high === 0) return 'is before the first tick';
    const isOld = high < this.#minHigh || (high === this.#minHigh && low < this.#minLow);
    return isOld ? 'is older than the database keeps' : undefined;
  }
}

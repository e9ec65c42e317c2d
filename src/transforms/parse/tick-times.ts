import { ticksPerSecond } from '../../model/schema.js';
import type { ParseOptions } from './parse-options.js';
import { TimeBounds } from './time-bounds.js';

const two16 = 65_536;
const two32 = 4_294_967_296;

/** Times of points that are given in seconds and nanoseconds, as ticks of the database in two words. */
export class TickTimes {
  /** Low and high word of the time set last. */
  low = 0;
  high = 0;
  readonly #ticksPerSecond: number;
  readonly #nanosPerTick: number;
  readonly #now: bigint;
  readonly #bounds: TimeBounds;
  /** The time that was set last and can be stored, and its ticks. */
  #seconds = -1;
  #nanos = -1;
  #setLow = 0;
  #setHigh = 0;

  constructor({ database, nowTicks, minTicks, maxTicks }: ParseOptions) {
    this.#ticksPerSecond = ticksPerSecond(database.precision);
    this.#nanosPerTick = 1e9 / this.#ticksPerSecond;
    this.#now = BigInt.asUintN(64, nowTicks);
    this.#bounds = new TimeBounds(minTicks, maxTicks);
    this.now();
  }

  /** Takes the current time. */
  now(): void {
    this.low = Number(this.#now & 0xffffffffn);
    this.high = Number(this.#now >> 32n);
  }

  /**
   * Takes a time after 1970, cut to whole ticks. Returns why it cannot be stored, if so. Seconds must be whole and below
   * 2^48, nanoseconds whole and below 10^9.
   */
  set(seconds: number, nanos: number): string | undefined {
    if (seconds === this.#seconds && nanos === this.#nanos) {
      this.low = this.#setLow;
      this.high = this.#setHigh;
      return undefined;
    }
    // 16 bits at a time, so that every product is exact.
    const upper = Math.floor(seconds / two16);
    const lower = seconds - upper * two16;
    const middle = upper * this.#ticksPerSecond;
    const middleHigh = Math.floor(middle / two16);
    const sum =
      (middle - middleHigh * two16) * two16 + lower * this.#ticksPerSecond + Math.floor(nanos / this.#nanosPerTick);
    const carry = Math.floor(sum / two32);
    this.low = sum - carry * two32;
    this.high = middleHigh + carry;
    const problem = this.#bounds.problem(this.low, this.high);
    if (problem !== undefined) return `the time ${problem}`;
    this.#seconds = seconds;
    this.#nanos = nanos;
    this.#setLow = this.low;
    this.#setHigh = this.high;
    return undefined;
  }
}

import { ticksPerSecond } from '../../model/schema.js';
import type { ParseOptions } from './parse-options.js';

const two16 = 65_536;
const two32 = 4_294_967_296;
/** Upper word of the largest time, 2^63 - 1. */
const maxHigh = 0x7fffffff;

/** Times of points that are given in seconds and nanoseconds, as ticks of the database in two words. */
export class TickTimes {
  /** Low and high word of the time set last. */
  low = 0;
  high = 0;
  readonly #ticksPerSecond: number;
  readonly #nanosPerTick: number;
  readonly #now: bigint;
  readonly #minLow: number;
  readonly #minHigh: number;

  constructor({ database, nowTicks, minTicks }: ParseOptions) {
    this.#ticksPerSecond = ticksPerSecond(database.precision);
    this.#nanosPerTick = 1e9 / this.#ticksPerSecond;
    this.#now = BigInt.asUintN(64, nowTicks);
    const min = minTicks === undefined || minTicks < 0n ? 0n : minTicks;
    this.#minLow = Number(min & 0xffffffffn);
    this.#minHigh = Number(min >> 32n);
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
    if (this.high > maxHigh) return 'the time is too large';
    if (this.low === 0 && this.high === 0) return 'the time is before the first tick';
    const isOld = this.high < this.#minHigh || (this.high === this.#minHigh && this.low < this.#minLow);
    return isOld ? 'the time is older than the database keeps' : undefined;
  }
}

import { multiply, setBigInt, setProduct, two32 } from '../../bytes/words.js';
import { ticksPerSecond } from '../../model/schema.js';
import type { ParseOptions, TextTimes } from './parse-options.js';

/** Upper word of the largest time, 2^63 - 1. */
const largestHigh = 0x7fffffff;
/** Upper word of milliseconds above which a double does not hold them: 2^53 ms. */
const maxFastHigh = 0x200000;
const tooOld = 'is older than the database keeps';
const tooFar = 'is too far in the future';

/**
 * A time of a database, as ticks in two words, and which times its rows may have. The setters take a time in the unit
 * of some protocol, exactly. They return why rows of that time are not kept, if so.
 */
export class Ticks {
  /** The time set last: low word, high word. */
  readonly words = new Uint32Array(2);
  /** True once the current time was taken. */
  usesNow = false;
  readonly #now = new Uint32Array(2);
  readonly #perSecond: number;
  #min = 0n;
  #max = 0n;
  #minLow = 0;
  #minHigh = 0;
  #maxLow = 0;
  #maxHigh = 0;
  /** Milliseconds that are within the bounds for sure are between these; near the bounds the words decide. */
  #surelyAbove = 0;
  #surelyBelow = 0;
  /** The time that {@link Ticks.set} took last and found storable, and its ticks. */
  #seconds = -1;
  #nanos = -1;
  #setLow = 0;
  #setHigh = 0;
  #times: TextTimes | undefined;

  /** Without `minTicks` and `maxTicks` every time after the epoch is kept. */
  constructor(options: ParseOptions) {
    this.#perSecond = ticksPerSecond(options.database.precision);
    this.begin(options);
  }

  get low(): number {
    return this.words[0]!;
  }

  get high(): number {
    return this.words[1]!;
  }

  /** Begins a text that came at some time. */
  begin(times: TextTimes): void {
    if (this.#times === times) return;
    this.#times = times;
    const { nowTicks, minTicks = 0n, maxTicks = (1n << 63n) - 1n } = times;
    setBigInt(this.#now, nowTicks);
    this.#min = minTicks;
    this.#max = maxTicks;
    const first = this.#min < 0n ? 0n : this.#min;
    this.#minLow = Number(first & 0xffffffffn);
    this.#minHigh = Number(first >> 32n);
    this.#maxLow = Number(this.#max & 0xffffffffn);
    this.#maxHigh = Number(this.#max >> 32n);
    const perMilli = this.#perSecond / 1000;
    this.#surelyAbove = Number(this.#min) / perMilli + 1;
    this.#surelyBelow = Number(this.#max) / perMilli - 1;
    this.#seconds = -1;
    this.restore(this.#now[0]!, this.#now[1]!);
  }

  /** Takes the current time. */
  now(): void {
    this.usesNow = true;
    this.restore(this.#now[0]!, this.#now[1]!);
  }

  /**
   * Takes a time after 1970, cut to whole ticks. Seconds must be whole and below 2^48, nanoseconds whole and below
   * 10^9.
   */
  set(seconds: number, nanos: number): string | undefined {
    if (seconds === this.#seconds && nanos === this.#nanos) {
      this.restore(this.#setLow, this.#setHigh);
      return undefined;
    }
    const perSecond = this.#perSecond;
    const high = setProduct(this.words, seconds, perSecond, Math.floor(nanos / (1e9 / perSecond)));
    const reason = this.outside(high);
    if (reason !== undefined) return `the time ${reason}`;
    this.#seconds = seconds;
    this.#nanos = nanos;
    this.#setLow = this.words[0]!;
    this.#setHigh = high;
    return undefined;
  }

  /**
   * Takes milliseconds as two words, low first, each with or without a sign: a signed 64-bit number. Times before 1970
   * are taken as far as the bounds allow.
   */
  setMillis(low: number, high: number): string | undefined {
    const millis = high * two32 + (low >>> 0);
    const isNear = !(millis > this.#surelyAbove && millis < this.#surelyBelow);
    const perMilli = this.#perSecond / 1000;
    if (isNear || high >= maxFastHigh) {
      const exact = (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
      const ticks = exact * BigInt(perMilli);
      if (ticks < this.#min) return `timestamp ${exact} ${tooOld}`;
      if (ticks > this.#max) return `timestamp ${exact} ${tooFar}`;
      setBigInt(this.words, ticks);
      return undefined;
    }
    this.restore(low, high);
    multiply(this.words, perMilli);
    return undefined;
  }

  /**
   * Why the time in `words` is not kept, if so, to be read behind the words for it; `high` is its upper word, of which
   * `words` may lack bits.
   */
  protected outside(high: number): string | undefined {
    const low = this.words[0]!;
    if (high > largestHigh) return 'is too large';
    if (high > this.#maxHigh || (high === this.#maxHigh && low > this.#maxLow)) return tooFar;
    if (low === 0 && high === 0) return 'is before the first tick';
    return high < this.#minHigh || (high === this.#minHigh && low < this.#minLow) ? tooOld : undefined;
  }

  /** Sets the time to ticks that it had before. */
  restore(low: number, high: number): void {
    this.words[0] = low;
    this.words[1] = high;
  }
}

import { Codes, type Fault, fault } from '../../model/fault.js';
import type { Precision } from '../../model/schema.js';

const ticksPerMilli: Readonly<Record<Precision, number>> = { ms: 1, us: 1000, ns: 1_000_000 };
/** Upper word above which the fast way does not go: 2^53 ms. */
const maxFastHigh = 0x200000;

/** Turns signed 64-bit milliseconds into ticks of a database, exactly, and sees that it keeps rows of such times. */
export class MillisTime {
  /** Ticks of the last time taken: low word, high word. */
  readonly words = new Uint32Array(2);
  readonly #factor: number;
  readonly #min: bigint;
  readonly #max: bigint;
  /** Bounds as numbers, widened so that what is outside of them is outside for sure; near them the words decide. */
  readonly #surelyAbove: number;
  readonly #surelyBelow: number;

  /** `minTicks` and `maxTicks` are the first and the last time that is taken. */
  constructor(precision: Precision, minTicks: bigint, maxTicks: bigint) {
    this.#factor = ticksPerMilli[precision];
    this.#min = minTicks;
    this.#max = maxTicks;
    this.#surelyAbove = Number(minTicks / BigInt(this.#factor)) + 1;
    this.#surelyBelow = Number(maxTicks / BigInt(this.#factor)) - 1;
  }

  /** Takes milliseconds as two words without a sign, low first; returns why such a row is not kept, if so. */
  take(low: number, high: number): Fault | undefined {
    if (high >= maxFastHigh) return this.#takeSlowly(low, high);
    const millis = high * 0x100000000 + low;
    if (millis <= this.#surelyAbove || millis >= this.#surelyBelow) return this.#takeSlowly(low, high);
    const factor = this.#factor;
    // 16 bits at a time, so that every product is exact.
    const lowest = (low & 0xffff) * factor;
    const middle = (low >>> 16) * factor + Math.floor(lowest / 65536);
    this.words[0] = ((middle & 0xffff) << 16) | (lowest & 0xffff);
    this.words[1] = high * factor + Math.floor(middle / 65536);
    return undefined;
  }

  #takeSlowly(low: number, high: number): Fault | undefined {
    const millis = (BigInt(high | 0) << 32n) | BigInt(low);
    const ticks = millis * BigInt(this.#factor);
    if (ticks < this.#min) return outside(millis, 'is older than the database keeps');
    if (ticks > this.#max) return outside(millis, 'is too far in the future');
    this.words[0] = Number(ticks & 0xffffffffn);
    this.words[1] = Number((ticks >> 32n) & 0xffffffffn);
    return undefined;
  }
}

function outside(millis: bigint, reason: string): Fault {
  return fault('parameter', Codes.timestampOutOfRange, `timestamp ${millis} ${reason}`);
}

import { two32 } from '../../../bytes/words.js';

const nanosPerSecond = 1_000_000_000;

/** A time of OpenTelemetry, nanoseconds in 64 bits without a sign, as seconds and the nanoseconds beyond them. */
export class OtlpTime {
  seconds = 0;
  nanos = 0;
  /** The words read last, and what they are: the points of one message mostly have the same time. */
  #low = 0;
  #high = 0;
  #lastSeconds = 0;
  #lastNanos = 0;

  /** True when there is none: the zero of a field that is left out. */
  get isZero(): boolean {
    return this.seconds === 0 && this.nanos === 0;
  }

  clear(): void {
    this.seconds = 0;
    this.nanos = 0;
  }

  /** Reads the eight bytes at `at`. */
  read(view: DataView, at: number): void {
    const low = view.getUint32(at, true);
    const high = view.getUint32(at + 4, true);
    if (low !== this.#low || high !== this.#high) this.#split(low, high);
    this.seconds = this.#lastSeconds;
    this.nanos = this.#lastNanos;
  }

  #split(low: number, high: number): void {
    // As a double it may be off by some microseconds, so the seconds may be off by one. The nanoseconds, computed from
    // the lower words alone, are exact and show it.
    let seconds = Math.floor((high * two32 + low) / nanosPerSecond);
    let nanos = (low - Math.imul(seconds, nanosPerSecond)) >>> 0;
    if (nanos >= 2 * nanosPerSecond) {
      seconds--;
      nanos = (nanos + nanosPerSecond) >>> 0;
    } else if (nanos >= nanosPerSecond) {
      seconds++;
      nanos -= nanosPerSecond;
    }
    this.#low = low;
    this.#high = high;
    this.#lastSeconds = seconds;
    this.#lastNanos = nanos;
  }
}

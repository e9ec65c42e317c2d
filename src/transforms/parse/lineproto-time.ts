import { minus } from '../../bytes/ascii.js';
import { DigitRun } from '../../bytes/decimal.js';
import { multiply } from '../../bytes/words.js';
import type { Target } from '../../model/batch.js';
import { Codes } from '../../model/fault.js';
import { badLine, excerpt, type LineProblem } from './line-problem.js';
import type { ParseOptions } from './parse-options.js';
import { Ticks } from './ticks.js';

/** Decimal digits that a second has in ticks of each unit; minutes and hours are counted in seconds. */
const places: Readonly<Record<Target['precision'], number>> = { ns: 9, us: 6, ms: 3, s: 0, m: 0, h: 0 };
const secondsPerUnit: Readonly<Partial<Record<Target['precision'], number>>> = { m: 60, h: 3600 };
/** Upper word of the largest time, 2^63 - 1. */
const maxHigh = 0x7fffffff;

/** Reads timestamps of one unit into ticks of a database, exactly, by work on decimal digits. */
export class TimeReader extends Ticks {
  problem: LineProblem | undefined;
  /** Decimal digits to drop at the end of a timestamp: the whole division by a power of ten. */
  readonly #drop: number;
  /** Ticks per unit of the text where the unit is the coarser one, as factors of at most 10^9. */
  readonly #factors: readonly number[];
  readonly #run = new DigitRun();

  constructor(unit: Target['precision'], options: ParseOptions) {
    super(options);
    const shift = places[options.database.precision] - places[unit];
    this.#drop = Math.max(0, -shift);
    this.#factors = [secondsPerUnit[unit] ?? 1, 10 ** Math.max(0, shift)].filter((factor) => factor > 1);
  }

  /** Reads the timestamp that begins at `start` and returns the position after it, or -1 with `problem` set. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const stop = this.#run.scan(bytes, start, end);
    if (stop === start) return this.#notATime(bytes, start, end);
    if (this.#run.digits === 0) {
      this.now();
      return stop;
    }
    const fits = this.#drop > 0 ? this.#readCoarser(bytes, stop) : this.#run.toWords(this.words, 0) && this.#multiply();
    const reason = fits ? this.outside(this.high) : 'is too large';
    return reason === undefined ? stop : this.#outOfRange(bytes, start, stop, reason);
  }

  /** Reads the digits before `stop` once more, without the last ones. */
  #readCoarser(bytes: Uint8Array, stop: number): boolean {
    const digits = this.#run.digits;
    if (digits > 19) return false;
    const kept = stop - this.#drop;
    this.#run.scan(bytes, digits > this.#drop ? stop - digits : kept, kept);
    return this.#run.toWords(this.words, 0);
  }

  /** Multiplies the words by the factors; false when the product is above 2^63 - 1. */
  #multiply(): boolean {
    for (const factor of this.#factors) if (multiply(this.words, factor) > maxHigh) return false;
    return true;
  }

  #notATime(bytes: Uint8Array, start: number, end: number): number {
    let stop = start;
    while (stop < end && bytes[stop] !== 0x0a && bytes[stop] !== 0x0d && bytes[stop] !== 0x20) stop++;
    if (bytes[start] === minus) return this.#outOfRange(bytes, start, stop, 'is before 1970');
    this.problem = badLine(start, `timestamp ${excerpt(bytes, start, stop)} is not a whole number`);
    return -1;
  }

  #outOfRange(bytes: Uint8Array, start: number, stop: number, reason: string): number {
    const message = `timestamp ${excerpt(bytes, start, stop)} ${reason}`;
    this.problem = { at: start, code: Codes.timestampOutOfRange, message };
    return -1;
  }
}

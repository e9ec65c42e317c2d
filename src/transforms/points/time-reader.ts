import { minus, zero } from '../../bytes/ascii.js';
import { DigitRun } from '../../bytes/decimal.js';
import { multiply } from '../../bytes/words.js';
import type { Target, TimeUnit } from '../../model/batch.js';
import { Codes } from '../../model/fault.js';
import type { DatabaseDef } from '../../model/schema.js';
import { badLine, excerpt, type LineProblem } from '../wire/line-problem.js';
import type { ParseOptions } from './parse-options.js';
import { Ticks } from './ticks.js';

/** Decimal digits that a second has in ticks of each unit; minutes and hours are counted in seconds. */
const places: Readonly<Record<TimeUnit, number>> = { ns: 9, us: 6, ms: 3, s: 0, m: 0, h: 0 };
const secondsPerUnit: Readonly<Partial<Record<TimeUnit, number>>> = { m: 60, h: 3600 };
/**
 * Units that are guessed: below 5 and so many zeros a timestamp is in that one, others are nanoseconds. See
 * https://docs.influxdata.com/influxdb3/core/write-data/http-api/v3-write-lp/
 */
const guesses = [
  { unit: 's', digits: 10 },
  { unit: 'ms', digits: 13 },
  { unit: 'us', digits: 16 },
  { unit: 'ns', digits: Number.POSITIVE_INFINITY },
] as const;
/** Upper word of the largest time, 2^63 - 1. */
const maxHigh = 0x7fffffff;

/** How the digits of a unit become ticks of a database. */
interface Scale {
  /** Decimal digits to drop at the end of a timestamp: the whole division by a power of ten. */
  readonly drop: number;
  /** Ticks per unit of the text where the unit is the coarser one, as factors of at most 10^9. */
  readonly factors: readonly number[];
}

function scaleOf(unit: TimeUnit, ticks: DatabaseDef['precision']): Scale {
  const shift = places[ticks] - places[unit];
  const factors = [secondsPerUnit[unit] ?? 1, 10 ** Math.max(0, shift)].filter((factor) => factor > 1);
  return { drop: Math.max(0, -shift), factors };
}

/**
 * Reads timestamps of one unit, or of one that is guessed for each, into ticks of a database, exactly, by work on
 * decimal digits.
 */
export class TimeReader extends Ticks {
  problem: LineProblem | undefined;
  #scale: Scale;
  /** Of each guessed unit; undefined where the unit is known. */
  readonly #guesses: readonly Scale[] | undefined;
  readonly #run = new DigitRun();

  constructor(unit: Target['precision'], options: ParseOptions) {
    super(options);
    const { precision } = options.database;
    this.#guesses = unit === 'auto' ? guesses.map((guess) => scaleOf(guess.unit, precision)) : undefined;
    this.#scale = scaleOf(unit === 'auto' ? 'ns' : unit, precision);
  }

  /** Reads the timestamp that begins at `start` and returns the position after it, or -1 with `problem` set. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const stop = this.#run.scan(bytes, start, end);
    if (stop === start) return this.#notATime(bytes, start, end);
    if (this.#run.digits === 0) {
      this.now();
      return stop;
    }
    if (this.#guesses !== undefined) this.#guess(this.#guesses, bytes[stop - this.#run.digits]!);
    const fits =
      this.#scale.drop > 0 ? this.#readCoarser(bytes, stop) : this.#run.toWords(this.words, 0) && this.#multiply();
    const reason = fits ? this.outside(this.high) : 'is too large';
    return reason === undefined ? stop : this.#outOfRange(bytes, start, stop, reason);
  }

  /** Guesses the unit of the digits that were scanned, by how many they are and the first one. */
  #guess(scales: readonly Scale[], first: number): void {
    const size = this.#run.digits + (first - zero < 5 ? 0 : 1);
    this.#scale = scales[guesses.findIndex(({ digits }) => size <= digits)]!;
  }

  /** Reads the digits before `stop` once more, without the last ones. */
  #readCoarser(bytes: Uint8Array, stop: number): boolean {
    const digits = this.#run.digits;
    if (digits > 19) return false;
    const { drop } = this.#scale;
    const kept = stop - drop;
    this.#run.scan(bytes, digits > drop ? stop - digits : kept, kept);
    return this.#run.toWords(this.words, 0);
  }

  /** Multiplies the words by the factors; false when the product is above 2^63 - 1. */
  #multiply(): boolean {
    for (const factor of this.#scale.factors) if (multiply(this.words, factor) > maxHigh) return false;
    return true;
  }

  #notATime(bytes: Uint8Array, start: number, end: number): number {
    let stop = start;
    while (stop < end && bytes[stop] !== 0x0a && bytes[stop] !== 0x0d && bytes[stop] !== 0x20) stop++;
    const isNegative = bytes[start] === minus && this.#run.scan(bytes, start + 1, stop) === stop && stop > start + 1;
    if (isNegative) return this.#outOfRange(bytes, start, stop, 'is before 1970');
    this.problem = badLine(start, `timestamp ${excerpt(bytes, start, stop)} is not a whole number`);
    return -1;
  }

  #outOfRange(bytes: Uint8Array, start: number, stop: number, reason: string): number {
    const message = `timestamp ${excerpt(bytes, start, stop)} ${reason}`;
    this.problem = { at: start, code: Codes.timestampOutOfRange, message };
    return -1;
  }
}

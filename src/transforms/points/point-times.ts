import { dot, zero } from '../../bytes/ascii.js';
import type { Target } from '../../model/batch.js';
import { badLine, excerpt, type LineProblem } from '../wire/line-problem.js';
import type { ParseOptions, TextTimes } from './parse-options.js';
import { TimeReader } from './time-reader.js';

/** Digits of a timestamp in seconds and in milliseconds. */
const secondDigits = 10;
const milliDigits = 13;
/** Bytes of a timestamp in seconds with three decimal places, which OpenTSDB takes on lines. */
const dottedBytes = 14;

/** Reads timestamps whose unit differs from point to point: told by their length, or given with each of them. */
export class PointTimes {
  /** Ticks of the last timestamp read: low word, high word. */
  words = new Uint32Array(2);
  problem: LineProblem | undefined;
  readonly #options: ParseOptions;
  readonly #seconds: TimeReader;
  readonly #millis: TimeReader;
  /** The last timestamp of usual length, `#text[#start, #end)`, if `words` still hold what it means. */
  #text: Uint8Array | undefined;
  #start = 0;
  #end = 0;
  /** Digits of a timestamp without its point. */
  readonly #digits = new Uint8Array(milliDigits);
  readonly #others = new Map<Target['precision'], TimeReader>();

  constructor(options: ParseOptions) {
    this.#options = options;
    this.#seconds = this.#reader('s');
    this.#millis = this.#reader('ms');
  }

  /** Begins a text that came at some time. */
  begin(times: TextTimes): void {
    this.#text = undefined;
    for (const reader of [this.#seconds, this.#millis, ...this.#others.values()]) reader.begin(times);
  }

  /** True once the current time was taken for a timestamp. */
  get usesNow(): boolean {
    return this.#seconds.usesNow || this.#millis.usesNow;
  }

  /** Reads the timestamp `bytes[start, end)`: 10 digits are seconds, with a point and 3 places too, 13 milliseconds, `0` is now. False sets `problem`. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#isRepeated(bytes, start, end)) return true;
    const length = end - start;
    if (length === secondDigits || length === milliDigits) {
      const reader = length === secondDigits ? this.#seconds : this.#millis;
      if (!this.#readWith(reader, bytes, start, end)) return false;
      this.#text = bytes;
      this.#start = start;
      this.#end = end;
      return true;
    }
    if (length === 1 && bytes[start] === zero) return this.#readWith(this.#seconds, bytes, start, end);
    if (length === dottedBytes && bytes[start + secondDigits] === dot) return this.#readDotted(bytes, start, end);
    const shown = excerpt(bytes, start, end);
    this.problem = badLine(start, `timestamp ${shown} does not have ${secondDigits} or ${milliDigits} digits`);
    return false;
  }

  /** Reads the timestamp `bytes[start, end)` in a unit; 0 is now. False sets `problem`. */
  readIn(unit: Target['precision'], bytes: Uint8Array, start: number, end: number): boolean {
    let reader = this.#others.get(unit);
    if (reader === undefined) {
      reader = this.#reader(unit);
      this.#others.set(unit, reader);
    }
    return this.#readWith(reader, bytes, start, end);
  }

  #readDotted(bytes: Uint8Array, start: number, end: number): boolean {
    const digits = this.#digits;
    digits.set(bytes.subarray(start, start + secondDigits));
    digits.set(bytes.subarray(start + secondDigits + 1, end), secondDigits);
    if (this.#readWith(this.#millis, digits, 0, milliDigits)) return true;
    if (this.problem !== undefined) this.problem = { ...this.problem, at: start };
    return false;
  }

  #reader(unit: Target['precision']): TimeReader {
    return new TimeReader(unit, this.#options);
  }

  /** True when the timestamp is written as the last one, as those of one round of measurements are. */
  #isRepeated(bytes: Uint8Array, start: number, end: number): boolean {
    const last = this.#start;
    if (bytes !== this.#text || end - start !== this.#end - last) return false;
    // From the end, where timestamps differ.
    for (let i = end - start - 1; i >= 0; i--) if (bytes[start + i] !== bytes[last + i]) return false;
    return true;
  }

  #readWith(reader: TimeReader, bytes: Uint8Array, start: number, end: number): boolean {
    this.#text = undefined;
    const stop = reader.read(bytes, start, end);
    this.words = reader.words;
    if (stop === end) return true;
    const notWhole = `timestamp ${excerpt(bytes, start, end)} is not a whole number`;
    this.problem = stop < 0 ? reader.problem : badLine(start, notWhole);
    return false;
  }
}

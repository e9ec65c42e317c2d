import { dot, minus, plus, zero } from '../../bytes/ascii.js';
import type { Target } from '../../model/batch.js';
import { Codes } from '../../model/fault.js';
import { badLine, excerpt, type LineProblem } from '../wire/line-problem.js';
import type { ParseOptions, TextTimes } from './parse-options.js';
import { TimeReader } from './time-reader.js';

/** Digits of a timestamp in seconds and in milliseconds, and of one in nanoseconds, which has the most. */
const secondDigits = 10;
const milliDigits = 13;
const nanoDigits = 19;
/** The units of seconds with so many decimal places. */
const unitsByPlaces = [
  [3, 'ms'],
  [6, 'us'],
  [9, 'ns'],
] as const;
/** Bytes of a timestamp in seconds with three decimal places, which OpenTSDB takes on lines. */
const dottedBytes = 14;

const nine = 0x39;
const lowerE = 0x65;
const letterCase = 0x20;

function isDigits(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at++;
  return at === end && at > start;
}

/**
 * The exponent `bytes[start, end)`, which begins with its letter; undefined when it is none, or far from that of a
 * time.
 */
function exponentOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  if ((bytes[start]! | letterCase) !== lowerE) return undefined;
  const sign = bytes[start + 1];
  const first = sign === plus || sign === minus ? start + 2 : start + 1;
  if (first === end || end - first > 3) return undefined;
  let exponent = 0;
  for (let at = first; at < end; at++) {
    const digit = bytes[at]! - zero;
    if (digit < 0 || digit > 9) return undefined;
    exponent = exponent * 10 + digit;
  }
  return sign === minus ? -exponent : exponent;
}

/** Reads timestamps whose unit differs from point to point: by their length, or given with each of them. */
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
  readonly #digits = new Uint8Array(nanoDigits);
  readonly #takesDecimals: boolean;
  /** Digits before the point of the decimal number that was scanned. */
  #whole = 0;
  readonly #others = new Map<Target['precision'], TimeReader>();

  /** With `takesDecimals` seconds and milliseconds may have any number of decimal places, and an exponent. */
  constructor(options: ParseOptions, takesDecimals = false) {
    this.#options = options;
    this.#takesDecimals = takesDecimals;
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

  /**
   * Reads the timestamp `bytes[start, end)`: 10 digits are seconds, with a point and 3 places too, 13 milliseconds, `0`
   * is now. False sets `problem`.
   */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#isRepeated(bytes, start, end)) return true;
    if (this.#takesDecimals && !isDigits(bytes, start, end) && this.#scanDecimal(bytes, start, end)) {
      return this.#readDecimal(start);
    }
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
    if (bytes[start] === minus && isDigits(bytes, start + 1, end)) {
      this.problem = { at: start, code: Codes.timestampOutOfRange, message: `timestamp ${shown} is before 1970` };
      return false;
    }
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

  /**
   * Takes the digits of a decimal number, as many as a time can have; records how many of them are before its point,
   * which an exponent moves. False when it is no number with so many digits before its point as a time has.
   */
  #scanDecimal(bytes: Uint8Array, start: number, end: number): boolean {
    const digits = this.#digits.fill(zero);
    let [length, whole, pointAt] = [0, 0, -1];
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === dot && pointAt < 0 && at > start) pointAt = at;
      else if (byte < zero || byte > nine) break;
      else {
        if (length > 0 || byte !== zero) {
          if (length < nanoDigits) digits[length] = byte;
          length++;
          if (pointAt < 0) whole++;
        } else if (pointAt >= 0) whole--;
      }
    }
    if (at - 1 === pointAt) return false;
    if (at < end) {
      const exponent = exponentOf(bytes, at, end);
      if (exponent === undefined) return false;
      whole += exponent;
    }
    this.#whole = whole;
    return whole === secondDigits || whole === milliDigits;
  }

  /** Reads the decimal number that was scanned, which begins at `start`. False sets `problem`. */
  #readDecimal(start: number): boolean {
    const digits = this.#digits;
    let end = nanoDigits;
    while (end > secondDigits && digits[end - 1] === zero) end--;
    const places = Math.max(end, this.#whole) - secondDigits;
    const [most, unit] = unitsByPlaces.find(([limit]) => places <= limit) ?? unitsByPlaces[2];
    if (this.readIn(unit, digits, 0, secondDigits + most)) return true;
    if (this.problem !== undefined) this.problem = { ...this.problem, at: start };
    return false;
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

import { DigitRun, maxExactExponent, scaleByTen } from './decimal.js';

const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const lowerE = 0x65;

/** Most significant digits that a double holds whatever they are. */
const exactDigits = 15;

/** Reads decimal numbers: an optional sign, digits with an optional point among them, an optional exponent; nothing else. */
export class DecimalReader {
  /** The number read last: the nearest double, an infinity when it is out of range. */
  value = 0;
  readonly #run = new DigitRun();

  /** Reads all of `bytes[start, end)` as one number; false when it is none. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const run = this.#run;
    const negative = bytes[start] === minus;
    const first = negative || bytes[start] === plus ? start + 1 : start;
    let at = run.scan(bytes, first, end);
    let digits = at - first;
    let exponent = 0;
    if (at < end && bytes[at] === point) {
      const fraction = at + 1;
      at = run.scanMore(bytes, fraction, end);
      exponent = fraction - at;
      digits -= exponent;
    }
    if (digits === 0) return false;
    if (at < end) return this.#readScientific(bytes, start, at, end);
    if (run.digits > exactDigits || exponent < -maxExactExponent) return this.#readSlowly(bytes, start, end);
    const magnitude = scaleByTen(run.toNumber(), exponent);
    this.value = negative ? -magnitude : magnitude;
    return true;
  }

  /** Reads a number whose exponent must begin at `at`. */
  #readScientific(bytes: Uint8Array, start: number, at: number, end: number): boolean {
    if ((bytes[at]! | 0x20) !== lowerE) return false;
    const sign = bytes[at + 1];
    let position = sign === minus || sign === plus ? at + 2 : at + 1;
    if (position >= end) return false;
    for (; position < end; position++) if (bytes[position]! < 0x30 || bytes[position]! > 0x39) return false;
    return this.#readSlowly(bytes, start, end);
  }

  #readSlowly(bytes: Uint8Array, start: number, end: number): boolean {
    this.value = Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'));
    return true;
  }
}

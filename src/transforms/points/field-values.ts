import { backslash, carriageReturn, comma, lineFeed, minus, plus, quote, space } from '../../bytes/ascii.js';
import { parseWellKnownText } from '../../bytes/geometry.js';
import { NumberReader } from '../../bytes/number-reader.js';
import { Codes } from '../../model/fault.js';
import { badLine, excerpt, type LineProblem } from '../wire/line-problem.js';
import { integerKind, isFloat, Kind, kindTypes, type PointFields } from './point-fields.js';
import { maxValueBytes } from './point-limits.js';

/** True for a byte that ends a field value. */
export function endsValue(byte: number): boolean {
  return byte === comma || byte === space || byte === lineFeed || byte === carriageReturn;
}

/**
 * Reads field values. Every method takes the position where a value begins, writes the value into the {@link
 * PointFields} at `index` and returns the position after it, or -1 with {@link FieldValues.problem} set. The text must
 * end with a line break.
 */
export class FieldValues {
  problem: LineProblem | undefined;
  /** Line breaks inside the strings read since the caller set it to 0. */
  lineBreaks = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #text: Buffer;
  readonly #fields: PointFields;
  readonly #numbers = new NumberReader();

  constructor(bytes: Uint8Array, fields: PointFields) {
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fields = fields;
  }

  /** Reads one value; `limit` is the position that a string must not reach. */
  read(start: number, index: number, limit: number): number {
    const byte = this.#bytes[start]!;
    if (byte <= 0x39 && byte !== quote) return this.#number(start, index);
    if (byte === quote) return this.#string(start, start + 1, index, Kind.varchar, limit);
    if (this.#bytes[start + 1] === quote) {
      const kind = this.#kindOfLetter(byte | 0x20);
      if (kind !== Kind.none) return this.#string(start, start + 2, index, kind, limit);
    }
    const letter = byte | 0x20;
    if (letter === 0x74 || letter === 0x66) return this.#bool(start, index);
    if (letter === 0x6e || letter === 0x69) return this.#special(start, start, index, false);
    return this.#notAValue(start);
  }

  /** Position of the first byte from `start` on that ends a value. */
  endOfValue(start: number): number {
    let at = start;
    while (!endsValue(this.#bytes[at]!)) at++;
    return at;
  }

  /** Says that what begins at `start` is not a value. */
  notAValue(start: number): LineProblem {
    const end = this.endOfValue(start);
    return badLine(start, end === start ? 'the value is missing' : `${this.#shown(start)} is not a value`);
  }

  #kindOfLetter(letter: number): number {
    if (letter === 0x6c) return Kind.nchar;
    if (letter === 0x67) return Kind.geometry;
    return letter === 0x62 ? Kind.varbinary : Kind.none;
  }

  #bool(start: number, index: number): number {
    const bytes = this.#bytes;
    const value = (bytes[start]! | 0x20) === 0x74;
    this.#fields.kinds[index] = Kind.bool;
    this.#fields.words[2 * index] = value ? 1 : 0;
    if (endsValue(bytes[start + 1]!)) return start + 1;
    const end = start + (value ? 4 : 5);
    return this.#matches(start, value ? 'true' : 'false') ? end : this.#notAValue(start);
  }

  /** True when the text at `at` is `word`, in any letter case; `word` is in lower case. */
  #matches(at: number, word: string): boolean {
    if (at + word.length > this.#end) return false;
    for (let i = 0; i < word.length; i++) if ((this.#bytes[at + i]! | 0x20) !== word.charCodeAt(i)) return false;
    return true;
  }

  /**
   * Reads `nan`, `inf` or `infinity`, with or without the suffix of a width, at `at`; `start` is where a sign may
   * stand.
   */
  #special(start: number, at: number, index: number, negative: boolean): number {
    let value = Number.NaN;
    let end = at + 3;
    if (this.#matches(at, 'inf')) {
      value = negative ? -Infinity : Infinity;
      if (this.#matches(end, 'inity')) end += 5;
    } else if (!this.#matches(at, 'nan')) {
      return this.#notAValue(start);
    }
    this.#fields.doubles[index] = value;
    this.#fields.kinds[index] = Kind.double;
    if ((this.#bytes[end]! | 0x20) !== 0x66) return end;
    const width = this.#width(end + 1);
    if (width !== 32 && width !== 64) return this.#notAValue(start);
    if (width === 32) this.#fields.kinds[index] = Kind.float;
    return end + 3;
  }

  #number(start: number, index: number): number {
    const at = this.#numbers.scan(this.#bytes, start, this.#end);
    const bytes = this.#bytes;
    if (at < 0) {
      const sign = bytes[start]!;
      if (sign === minus || sign === plus) return this.#special(start, start + 1, index, sign === minus);
      return this.#notAValue(start);
    }
    const after = bytes[at]! | 0x20;
    if (after === 0x69 || after === 0x75) return this.#integer(start, at, index, after === 0x75);
    return this.#double(start, at, index);
  }

  #double(start: number, end: number, index: number): number {
    const fields = this.#fields;
    const value = this.#numbers.double();
    if (value === Infinity || value === -Infinity) return this.#outOfRange(start, Kind.double);
    fields.doubles[index] = value;
    fields.kinds[index] = Kind.double;
    if ((this.#bytes[end]! | 0x20) !== 0x66) return end;
    const width = this.#width(end + 1);
    if (width === 64) return end + 3;
    if (width !== 32) return this.#notAValue(start);
    if (!isFloat(value)) return this.#outOfRange(start, Kind.float);
    fields.kinds[index] = Kind.float;
    return end + 3;
  }

  /** Reads the suffix at `at` of the integer that was scanned last. */
  #integer(start: number, at: number, index: number, unsigned: boolean): number {
    const width = this.#width(at + 1);
    const end = at + (width === 0 ? 1 : width === 8 ? 2 : 3);
    if (!endsValue(this.#bytes[end]!)) return this.#notAValue(start);
    if (!this.#numbers.whole) {
      this.problem = badLine(start, `${this.#shown(start)} is not an integer`);
      return -1;
    }
    const bits = width === 0 ? 64 : width;
    const kind = integerKind(bits, unsigned);
    if (!this.#numbers.store(this.#fields.words, index, bits, unsigned)) return this.#outOfRange(start, kind);
    this.#fields.kinds[index] = kind;
    return end;
  }

  /** The digits 8, 16, 32 or 64 at `at` as a number; 0 for anything else. */
  #width(at: number): number {
    const first = this.#bytes[at]!;
    if (first === 0x38) return 8;
    if (first !== 0x31 && first !== 0x33 && first !== 0x36) return 0;
    const second = this.#bytes[at + 1]!;
    if (first === 0x31) return second === 0x36 ? 16 : 0;
    if (first === 0x33) return second === 0x32 ? 32 : 0;
    return second === 0x34 ? 64 : 0;
  }

  /** Reads the string whose first byte is at `at`; `start` is where its kind letter or quote stands. */
  #string(start: number, at: number, index: number, kind: number, limit: number): number {
    const bytes = this.#bytes;
    const stop = Math.min(limit, this.#end);
    let seen = 0;
    let escapes = 0;
    let breaks = 0;
    let close = at;
    for (; close < stop; close++) {
      const byte = bytes[close]!;
      if (byte === quote) break;
      seen |= byte;
      if (byte === lineFeed) breaks++;
      if (byte !== backslash) continue;
      const next = bytes[close + 1]!;
      if (next !== quote && next !== backslash) continue;
      escapes++;
      close++;
    }
    if (close >= stop) {
      this.problem = badLine(start, 'a string is not closed');
      return -1;
    }
    const fields = this.#fields;
    fields.kinds[index] = kind;
    fields.starts[index] = at;
    fields.ends[index] = close;
    fields.inScratch[index] = 0;
    if (escapes > 0) this.#unescape(at, close, index);
    if (!this.#check(start, at, close, index, kind, seen >= 0x80)) return -1;
    this.lineBreaks += breaks;
    return close + 1;
  }

  /** Puts the bytes `[from, to)` into the scratch without the backslashes before quotes and backslashes. */
  #unescape(from: number, to: number, index: number): void {
    const fields = this.#fields;
    fields.reserveScratch(to - from);
    const scratch = fields.scratch;
    let length = fields.scratchLength;
    fields.starts[index] = length;
    for (let at = from; at < to; at++) {
      const byte = this.#bytes[at]!;
      const next = byte === backslash ? this.#bytes[at + 1]! : 0;
      if (next === quote || next === backslash) at++;
      scratch[length++] = this.#bytes[at]!;
    }
    fields.ends[index] = length;
    fields.scratchLength = length;
    fields.inScratch[index] = 1;
  }

  /** Checks length and content of the string stored at `index` and turns it into what its kind stores. */
  #check(start: number, at: number, close: number, index: number, kind: number, wide: boolean): boolean {
    const fields = this.#fields;
    if (kind === Kind.varbinary) {
      const escapedHex = this.#bytes[at] === backslash && (this.#bytes[at + 1]! | 0x20) === 0x78;
      if (escapedHex && at + 1 < close && !this.#fromHex(start, at + 2, close, index)) return false;
    } else {
      if (!fields.measureText(index, this.#bytes, !wide)) {
        this.problem = badLine(start, 'the string is not well-formed UTF-8');
        return false;
      }
      if (kind === Kind.geometry && !this.#geometry(start, index)) return false;
    }
    if (!fields.isTooLong(index)) return true;
    this.problem = { at: start, code: Codes.valueTooLong, message: `the ${kindTypes[kind]} value is too long` };
    return false;
  }

  #fromHex(start: number, from: number, to: number, index: number): boolean {
    const decoded = Buffer.from(this.#text.toString('latin1', from, to), 'hex');
    if (decoded.length * 2 !== to - from) {
      this.problem = badLine(
        start,
        `${excerpt(this.#bytes, start, to + 1)} is not a whole number of hexadecimal bytes`,
      );
      return false;
    }
    this.#fields.putScratch(index, decoded);
    return true;
  }

  #geometry(start: number, index: number): boolean {
    const fields = this.#fields;
    const source = fields.inScratch[index] === 1 ? fields.scratch : this.#bytes;
    const from = fields.starts[index]!;
    const to = fields.ends[index]!;
    const text = Buffer.from(source.buffer, source.byteOffset + from, to - from).toString();
    const binary = to - from > maxValueBytes ? undefined : parseWellKnownText(text);
    if (binary === undefined) {
      this.problem = badLine(start, `${excerpt(source, from, to)} is not the text of a geometry`);
      return false;
    }
    fields.putScratch(index, binary);
    return true;
  }

  #shown(start: number): string {
    return excerpt(this.#bytes, start, this.endOfValue(start));
  }

  #notAValue(start: number): number {
    this.problem = this.notAValue(start);
    return -1;
  }

  #outOfRange(start: number, kind: number): number {
    this.problem = badLine(start, `${this.#shown(start)} is out of range for ${kindTypes[kind]}`);
    return -1;
  }
}

import {
  backslash,
  closeBrace,
  comma,
  equals,
  hash,
  lineFeed,
  lowerN,
  openBrace,
  quote,
  space,
  tab,
} from '../../../bytes/ascii.js';
import { NumberReader } from '../../../bytes/number-reader.js';
import { countCharacters } from '../../wire/utf8.js';

/** Labels of one sample that are read; more are a problem of the line. */
const maxLabels = 128;
/** Words of one label: name and value, start and end each, and 1 for a value with escapes. */
const labelWords = 5;
const maxSeconds = 2 ** 48;
const notANumber = 'has a value that is not a number';

function isNameStart(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f;
}

function isNameByte(byte: number): boolean {
  return isNameStart(byte) || (byte >= 0x30 && byte <= 0x39);
}

/**
 * Resolves escapes in place and returns what is left. A backslash before anything but a backslash, a quote or `n`
 * stands for itself.
 */
function unescapeQuoted(raw: Buffer): Buffer {
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    let byte = raw[at]!;
    const next = raw[at + 1];
    if (byte === backslash && (next === backslash || next === quote || next === lowerN)) {
      byte = next === lowerN ? lineFeed : next;
      at++;
    }
    raw[length++] = byte;
  }
  return raw.subarray(0, length);
}

/** The name that stands in `bytes[start, end)`, which may be what was between quotes. */
export function nameText(bytes: Uint8Array, start: number, end: number): string {
  return unescapeQuoted(Buffer.from(bytes.subarray(start, end))).toString();
}

/**
 * Reads one sample line of the exposition format into its fields, without an object. Positions are into `bytes`, which
 * ends with a line feed. Names may stand in quotes, that of the sample then among its labels, and their positions are
 * without the quotes (Prometheus, UTF-8 names). What follows the timestamp after a `#` is an exemplar, to be read by
 * itself.
 */
export class SampleReader {
  nameStart = 0;
  nameEnd = 0;
  labels = 0;
  value = 0;
  /** True when the line has a timestamp of its own, in `seconds` and `nanos`. */
  hasTime = false;
  seconds = 0;
  nanos = 0;
  /** Where the exemplar behind the value begins, with a `#`; -1 when there is none. */
  exemplarAt = -1;
  problem = '';
  /** What is wrong with the timestamp that was read last, if it is. */
  #timeProblem = '';
  readonly #bytes: Uint8Array;
  /** Timestamps are seconds with a fraction, not milliseconds. */
  readonly #inSeconds: boolean;
  readonly #places = new Int32Array(maxLabels * labelWords);
  readonly #numbers = new NumberReader();

  constructor(bytes: Uint8Array, inSeconds: boolean) {
    this.#bytes = bytes;
    this.#inSeconds = inSeconds;
  }

  labelStart(label: number): number {
    return this.#places[label * labelWords]!;
  }

  labelEnd(label: number): number {
    return this.#places[label * labelWords + 1]!;
  }

  valueStart(label: number): number {
    return this.#places[label * labelWords + 2]!;
  }

  valueEnd(label: number): number {
    return this.#places[label * labelWords + 3]!;
  }

  /** The value of a label, its escapes resolved. */
  labelValue(label: number): Buffer {
    const raw = Buffer.from(this.#bytes.subarray(this.valueStart(label), this.valueEnd(label)));
    if (this.#places[label * labelWords + 4] === 0) return raw;
    return unescapeQuoted(raw);
  }

  /** Reads `bytes[start, end)`, which begins with the name or the brace of the labels. False sets `problem`. */
  read(start: number, end: number): boolean {
    const bytes = this.#bytes;
    this.labels = 0;
    this.nameStart = start;
    let at = start;
    while (isNameByte(bytes[at]!) || bytes[at] === 0x3a) at++;
    this.nameEnd = at;
    const isNamed = at > start && (bytes[start]! < 0x30 || bytes[start]! > 0x39);
    if (!isNamed && bytes[start] !== openBrace) return this.#fail('does not begin with a name');
    at = this.#skipBlanks(at);
    if (bytes[at] === openBrace) {
      at = this.#readLabels(at + 1, end);
      if (at < 0) return false;
      if (this.nameEnd === this.nameStart) return this.#fail('has no name');
      at = this.#skipBlanks(at);
    } else if (at === this.nameEnd) {
      return this.#fail('has a name with a letter that names cannot have, or no value');
    }
    return this.#readNumbers(at, end);
  }

  /**
   * Reads the exemplar of the line that was read last, which ends at `end`, into the labels, the value and the time.
   * False when it is none.
   */
  readExemplar(end: number): boolean {
    const at = this.#skipBlanks(this.exemplarAt + 1);
    this.labels = 0;
    this.nameStart = at;
    this.nameEnd = at;
    if (this.#bytes[at] !== openBrace) return this.#fail('has an exemplar without labels');
    const labelsEnd = this.#readLabels(at + 1, end);
    return labelsEnd >= 0 && this.nameEnd === this.nameStart && this.#readNumbers(this.#skipBlanks(labelsEnd), end);
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (this.#bytes[at] === space || this.#bytes[at] === tab) at++;
    return at;
  }

  /** Reads labels up to the closing brace and returns the position after it; -1 sets `problem`. */
  #readLabels(from: number, end: number): number {
    const bytes = this.#bytes;
    let at = this.#skipBlanks(from);
    while (bytes[at] !== closeBrace) {
      const isQuoted = bytes[at] === quote;
      const nameStart = isQuoted ? at + 1 : at;
      const nameEnd = isQuoted ? this.#endOfQuoted(nameStart, end) : this.#endOfLabelName(at);
      if (nameEnd < 0) return -1;
      at = this.#skipBlanks(isQuoted ? nameEnd + 1 : nameEnd);
      if (isQuoted && (bytes[at] === comma || bytes[at] === closeBrace)) {
        if (this.nameEnd > this.nameStart) return this.#failLabels('has a second name among its labels');
        this.nameStart = nameStart;
        this.nameEnd = nameEnd;
        if (bytes[at] === comma) at = this.#skipBlanks(at + 1);
        continue;
      }
      if (bytes[at] !== equals) return this.#failLabels('has a label without an equals sign after its name');
      at = this.#skipBlanks(at + 1);
      if (bytes[at] !== quote) return this.#failLabels('has a label whose value is not in quotes');
      const valueStart = at + 1;
      at = this.#endOfValue(valueStart, end);
      if (at >= end) return this.#failLabels('has a label whose value does not end');
      if (this.labels === maxLabels) return this.#failLabels(`has more than ${maxLabels} labels`);
      this.#places.set([nameStart, nameEnd, valueStart, at], this.labels * labelWords);
      this.labels++;
      at = this.#skipBlanks(at + 1);
      if (bytes[at] === comma) at = this.#skipBlanks(at + 1);
      else if (bytes[at] !== closeBrace) return this.#failLabels('has labels without a comma between them');
    }
    return at + 1;
  }

  /** Position after the name of a label without quotes; -1 sets `problem`. */
  #endOfLabelName(from: number): number {
    let at = from;
    if (!isNameStart(this.#bytes[at]!)) return this.#failLabels('has a label without a proper name');
    while (isNameByte(this.#bytes[at]!)) at++;
    return at;
  }

  /** Position of the quote that ends a name; -1 sets `problem`. */
  #endOfQuoted(start: number, end: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (at < end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    if (at >= end) return this.#failLabels('has a name whose quotes do not end');
    if (at === start) return this.#failLabels('has an empty name in quotes');
    if (countCharacters(bytes, start, at) < 0) return this.#failLabels('has a name that is not well-formed UTF-8');
    return at;
  }

  /** Position of the quote that ends the value; records whether it has escapes. */
  #endOfValue(start: number, end: number): number {
    const bytes = this.#bytes;
    let hasEscapes = 0;
    let at = start;
    while (at < end && bytes[at] !== quote) {
      if (bytes[at] === backslash) {
        hasEscapes = 1;
        at++;
      }
      at++;
    }
    if (this.labels < maxLabels) this.#places[this.labels * labelWords + 4] = hasEscapes;
    return at;
  }

  #readNumbers(from: number, end: number): boolean {
    const valueEnd = this.#endOfWord(from, end);
    if (valueEnd === from) return this.#fail('has no value');
    const bad = this.#readValue(from, valueEnd);
    if (bad !== undefined) return this.#fail(bad);
    let at = this.#skipBlanks(valueEnd);
    this.hasTime = at < end && this.#bytes[at] !== hash;
    if (this.hasTime) {
      const timeEnd = this.#endOfWord(at, end);
      if (!this.#readTime(at, timeEnd)) return this.#fail(this.#timeProblem);
      at = this.#skipBlanks(timeEnd);
    }
    this.exemplarAt = at < end && this.#bytes[at] === hash ? at : -1;
    return at >= end || this.exemplarAt >= 0 || this.#fail('has text after its timestamp');
  }

  #endOfWord(from: number, end: number): number {
    let at = from;
    while (at < end && this.#bytes[at]! > space) at++;
    return at;
  }

  /**
   * Numbers, and in any letter case `nan` and `inf` or `infinity` with a sign. Returns what is wrong with the value, if
   * so.
   */
  #readValue(start: number, end: number): string | undefined {
    if (this.#numbers.read(this.#bytes, start, end)) {
      this.value = this.#numbers.double();
      return Number.isFinite(this.value) ? undefined : 'has a value that is out of range';
    }
    if (end - start > 9) return notANumber;
    const word = Buffer.from(this.#bytes.subarray(start, end)).toString('latin1').toLowerCase();
    if (word === 'nan') this.value = Number.NaN;
    else if (/^\+?inf(inity)?$/.test(word)) this.value = Infinity;
    else if (/^-inf(inity)?$/.test(word)) this.value = -Infinity;
    else return notANumber;
    return undefined;
  }

  /** Whole milliseconds, or seconds with a fraction of up to nine digits, exactly. False sets `#timeProblem`. */
  #readTime(start: number, end: number): boolean {
    const bytes = this.#bytes;
    let point = start;
    while (point < end && bytes[point] !== 0x2e) point++;
    this.#timeProblem = 'has a timestamp that is not one';
    if (!this.#numbers.read(bytes, start, end) || (point < end && !this.#inSeconds)) return false;
    const value = this.#numbers.double();
    const perSecond = this.#inSeconds ? 1 : 1000;
    const nanos = this.#inSeconds ? this.#fraction(point + 1, end) : -1;
    // A double may have rounded the seconds up, so they are read without their fraction.
    const isExact = nanos >= 0 && this.#numbers.read(bytes, start, point);
    this.seconds = Math.floor(isExact ? this.#numbers.double() : value / perSecond);
    this.nanos = isExact ? nanos : Math.round((value - this.seconds * perSecond) * (1e9 / perSecond));
    if (this.nanos === 1e9) {
      this.seconds++;
      this.nanos = 0;
    }
    this.#timeProblem = this.seconds < 0 ? 'has a timestamp before 1970' : 'has a timestamp that is too large';
    return this.seconds >= 0 && this.seconds < maxSeconds;
  }

  /** Nanoseconds of the digits after the point; -1 where there are none, or not only digits. */
  #fraction(start: number, end: number): number {
    let nanos = start < end ? 0 : -1;
    let weight = 1e8;
    for (let at = start; at < end; at++) {
      const digit = this.#bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) return -1;
      if (weight >= 1) nanos += digit * weight;
      weight /= 10;
    }
    return nanos;
  }

  #fail(problem: string): boolean {
    this.problem = problem;
    return false;
  }

  #failLabels(problem: string): number {
    this.problem = problem;
    return -1;
  }
}

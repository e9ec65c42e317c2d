import { closeBrace, openBrace, quote } from '../../../bytes/ascii.js';
import { NumberReader } from '../../../bytes/number-reader.js';
import { Codes } from '../../../model/fault.js';
import { integerKind, isFloat, Kind, kindTypes, type PointFields } from '../../points/point-fields.js';
import type { JsonText } from '../../wire/json-text.js';
import { excerpt } from '../../wire/line-problem.js';

/** Types that a value may be given, by name; integers by their bits. */
const integerBits: Readonly<Record<string, number>> = {
  i8: 8,
  tinyint: 8,
  i16: 16,
  smallint: 16,
  i32: 32,
  int: 32,
  i64: 64,
  bigint: 64,
};
const otherKinds: Readonly<Record<string, number>> = {
  bool: Kind.bool,
  f32: Kind.float,
  float: Kind.float,
  f64: Kind.double,
  double: Kind.double,
  binary: Kind.varchar,
  varchar: Kind.varchar,
  nchar: Kind.nchar,
};

/** True for the name, in lower case, of a type that a value may be given. */
export function isValueType(name: string): boolean {
  return Object.hasOwn(integerBits, name) || Object.hasOwn(otherKinds, name);
}

/** A value with its type beside it: where the value stands, and the name of the type in lower case. */
interface TypedValue {
  readonly start: number;
  readonly end: number;
  readonly type: string;
}

/**
 * Reads `{"value": ..., "type": "..."}` at a position; undefined, with the text's problem, when it is something else.
 */
export function readTyped(text: JsonText, start: number): TypedValue | undefined {
  let value: readonly [start: number, end: number] | undefined;
  let type: string | undefined;
  let at = text.skip(start + 1);
  while (at >= 0 && text.bytes[at] !== closeBrace) {
    const nameEnd = text.endOfString(at);
    if (nameEnd < 0) return undefined;
    const valueAt = text.valueAfter(nameEnd);
    const valueEnd = valueAt < 0 ? -1 : text.endOfValue(valueAt);
    if (valueEnd < 0) return undefined;
    if (text.isWord(at + 1, nameEnd - 1, 'value') && value === undefined) value = [valueAt, valueEnd];
    else if (text.isWord(at + 1, nameEnd - 1, 'type') && type === undefined) {
      if (text.bytes[valueAt] !== quote) {
        text.fail(valueAt, `type ${excerpt(text.bytes, valueAt, valueEnd)} is not a string`);
        return undefined;
      }
      const content = text.contentOf(valueAt, valueEnd);
      if (content === undefined) return undefined;
      type = content.toString().toLowerCase();
    } else {
      text.fail(at, `member ${excerpt(text.bytes, at + 1, nameEnd - 1)} has no place beside a value and its type`);
      return undefined;
    }
    at = text.nextMember(valueEnd);
  }
  if (at < 0) return undefined;
  if (value === undefined || type === undefined) {
    text.fail(start, `the ${value === undefined ? 'value' : 'type'} is missing`);
    return undefined;
  }
  return { start: value[0], end: value[1], type };
}

/**
 * Reads values of points into the {@link PointFields} at index 0. Every method returns false, with the text's problem,
 * for a bad value.
 */
export class JsonValues {
  readonly #text: JsonText;
  readonly #fields: PointFields;
  readonly #numbers = new NumberReader();

  constructor(text: JsonText, fields: PointFields) {
    this.#text = text;
    this.#fields = fields;
  }

  /** Reads the value `bytes[start, end)`: a number, a string, true or false, or one of them with its type. */
  read(start: number, end: number): boolean {
    const byte = this.#text.bytes[start]!;
    if (byte === quote) return this.#string(start, end, Kind.varchar);
    if (byte === openBrace) return this.#typed(start);
    if (byte === 0x74 || byte === 0x66) return this.#bool(start, end);
    return this.#double(start, end, Kind.double);
  }

  /** Reads the number `bytes[start, end)`, in quotes or without. */
  readNumber(start: number, end: number): boolean {
    const { bytes } = this.#text;
    const isNumber =
      bytes[start] === quote
        ? this.#numbers.read(bytes, start + 1, end - 1)
        : this.#text.isNumber(start, end) && this.#numbers.read(bytes, start, end);
    if (!isNumber) return this.#fail(start, `${excerpt(bytes, start, end)} is not a number`);
    return this.#storeDouble(start, end, Kind.double);
  }

  #typed(start: number): boolean {
    const typed = readTyped(this.#text, start);
    if (typed === undefined) return false;
    const { type } = typed;
    if (!isValueType(type)) return this.#fail(start, `type ${JSON.stringify(type)} is not known`);
    const bits = integerBits[type];
    if (bits !== undefined) return this.#integer(typed.start, typed.end, bits);
    const kind = otherKinds[type]!;
    if (kind === Kind.bool) return this.#bool(typed.start, typed.end);
    if (kind === Kind.double || kind === Kind.float) return this.#double(typed.start, typed.end, kind);
    return this.#string(typed.start, typed.end, kind);
  }

  #bool(start: number, end: number): boolean {
    const bytes = this.#text.bytes;
    const isTrue = end - start === 4 && bytes[start] === 0x74;
    const word = isTrue ? 'true' : 'false';
    // Words of JSON are in lower case.
    for (let i = 0; i < word.length; i++)
      if (bytes[start + i] !== word.charCodeAt(i)) return this.#notAValue(start, end);
    if (end - start !== word.length) return this.#notAValue(start, end);
    this.#fields.kinds[0] = Kind.bool;
    this.#fields.words[0] = isTrue ? 1 : 0;
    return true;
  }

  #double(start: number, end: number, kind: number): boolean {
    if (!this.#text.isNumber(start, end) || !this.#numbers.read(this.#text.bytes, start, end))
      return this.#notAValue(start, end);
    return this.#storeDouble(start, end, kind);
  }

  /** Stores the number that was read last. */
  #storeDouble(start: number, end: number, kind: number): boolean {
    const value = this.#numbers.double();
    const fits = kind === Kind.float ? isFloat(value) : Number.isFinite(value);
    if (!fits) return this.#outOfRange(start, end, kind);
    this.#fields.doubles[0] = value;
    this.#fields.kinds[0] = kind;
    return true;
  }

  #integer(start: number, end: number, bits: number): boolean {
    if (!this.#text.isNumber(start, end) || !this.#numbers.read(this.#text.bytes, start, end))
      return this.#notAValue(start, end);
    const kind = integerKind(bits, false);
    if (!this.#numbers.whole) return this.#fail(start, `${excerpt(this.#text.bytes, start, end)} is not an integer`);
    if (!this.#numbers.store(this.#fields.words, 0, bits, false)) return this.#outOfRange(start, end, kind);
    this.#fields.kinds[0] = kind;
    return true;
  }

  #string(start: number, end: number, kind: number): boolean {
    const text = this.#text;
    const fields = this.#fields;
    if (text.endOfString(start) !== end) return this.#notAValue(start, end);
    fields.kinds[0] = kind;
    fields.inScratch[0] = 0;
    fields.starts[0] = start + 1;
    fields.ends[0] = end - 1;
    if (text.escaped) {
      const content = text.contentOf(start, end);
      if (content === undefined) return false;
      fields.putScratch(0, content);
    }
    if (!fields.measureText(0, text.bytes, false)) return this.#fail(start, 'the string is not well-formed UTF-8');
    if (!fields.isTooLong(0)) return true;
    text.problem = { at: start, code: Codes.valueTooLong, message: `the ${kindTypes[kind]} value is too long` };
    return false;
  }

  #fail(at: number, message: string): boolean {
    return this.#text.fail(at, message) >= 0;
  }

  #notAValue(start: number, end: number): boolean {
    return this.#fail(start, `${excerpt(this.#text.bytes, start, end)} is not a value of its type`);
  }

  #outOfRange(start: number, end: number, kind: number): boolean {
    return this.#fail(start, `${excerpt(this.#text.bytes, start, end)} is out of range for ${kindTypes[kind]}`);
  }
}

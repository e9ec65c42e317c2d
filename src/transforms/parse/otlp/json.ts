import { closeBrace, closeBracket, comma, lowerN, openBrace, openBracket, quote } from '../../../bytes/ascii.js';
import { Codes, FaultError, fault } from '../../../model/fault.js';
import { parseJson } from '../../../text/json.js';
import type { ParsedPoints, ParseOptions } from '../../points/parse-options.js';
import { JsonText } from '../../wire/json-text.js';
import { MessageWriter } from '../../wire/message-writer.js';
import { terminated } from '../../wire/terminated.js';
import { type Field, fieldOf, integers, type Message, request } from './json-fields.js';
import { parseOtlp } from './otlp.js';

/** Deepest nesting of values. */
const maxDepth = 100;
/** Most values in one point, or in what stands beside points: they are read without a pause. */
const maxValues = 250_000;
/** Ids of traces and spans are hexadecimal in OTLP's JSON, unlike other bytes. */
const hexText = /^(?:[0-9a-f]{2})*$/i;
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const wholeText = /^-?[0-9]{1,20}$/;
/** Digits that a whole number of 64 bits has at most. */
const mostDigits = 20;

/** An object or array between the request and its data points, which is being read. */
interface Level {
  /** Fields of an object. */
  readonly message: Message | undefined;
  /** The field of an array, whose items are messages, and how many came. */
  readonly list: Field | undefined;
  items: number;
  /** Where the message of an object begins, see {@link MessageWriter.begin}; undefined for the request itself. */
  readonly start: number | undefined;
}

/** Reads a request in JSON and writes it as protobuf, from its bytes: numbers keep all of their digits. */
class JsonMessage {
  readonly #text: JsonText;
  /** The bytes of the text. */
  readonly #bytes: Buffer;
  readonly #writer: MessageWriter;
  /** Keys and indices down to the value being written. */
  readonly #path: (string | number)[] = [];
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#text = new JsonText(terminated(bytes));
    const { buffer, byteOffset, length } = this.#text.bytes;
    this.#bytes = Buffer.from(buffer, byteOffset, length);
    this.#writer = new MessageWriter(length);
  }

  *write(): Generator<undefined, Uint8Array> {
    const text = this.#text;
    this.#at = text.skip(0);
    yield* this.#levels();
    this.#at = text.skip(this.#at);
    if (this.#at < text.end) throw this.#malformed(text.fail(this.#at, `${text.shown(this.#at)} follows the end`));
    return this.#writer.finish();
  }

  /** Writes the request down to the fields of its points, with a pause before each of them. */
  *#levels(): Generator<undefined> {
    const levels: Level[] = [{ message: request, list: undefined, items: 0, start: undefined }];
    let hasMore = this.#enter(openBrace, closeBrace);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      yield;
      const { message, list } = level;
      if (!hasMore) {
        levels.pop();
        if (level.start !== undefined) this.#writer.end(level.start);
        const outer = levels.at(-1);
        if (outer !== undefined) hasMore = this.#leave(outer.list === undefined ? closeBrace : closeBracket);
        continue;
      }
      let next = list;
      if (next === undefined) next = this.#member(message!);
      else this.#path.push(level.items++);
      if (next?.leads !== true) {
        if (next === undefined) this.#skip(this.#path.length);
        else this.#field(next);
        hasMore = this.#leave(closeBrace);
      } else if (next.isList === true && next !== list) {
        hasMore = this.#enter(openBracket, closeBracket);
        levels.push({ message: undefined, list: next, items: 0, start: undefined });
      } else {
        this.#values = 0;
        const start = this.#writer.begin(next.number);
        hasMore = this.#enter(openBrace, closeBrace);
        levels.push({ message: next.message!(), list: undefined, items: 0, start });
      }
    }
  }

  /** Goes on behind a value, whose place is left. */
  #leave(close: number): boolean {
    this.#path.pop();
    return this.#goOn(close);
  }

  #fields(message: Message): void {
    for (let hasMember = this.#enter(openBrace, closeBrace); hasMember; hasMember = this.#goOn(closeBrace)) {
      const field = this.#member(message);
      if (field === undefined) this.#skip(this.#path.length);
      else this.#field(field);
      this.#path.pop();
    }
  }

  #field(field: Field): void {
    if (field.isList !== true) {
      this.#value(field);
      return;
    }
    let index = 0;
    for (let hasItem = this.#enter(openBracket, closeBracket); hasItem; hasItem = this.#goOn(closeBracket)) {
      this.#path.push(index++);
      this.#value(field);
      this.#path.pop();
    }
  }

  /** Enters the object or array that stands here; true when something is in it. */
  #enter(open: number, close: number): boolean {
    const text = this.#text;
    if (text.bytes[this.#at] !== open) throw this.#wrong(open === openBrace ? 'an object' : 'an array');
    if (this.#path.length > maxDepth) throw this.#wrong('nested less deeply');
    this.#count();
    this.#at = text.skip(this.#at + 1);
    if (text.bytes[this.#at] !== close) return true;
    this.#at++;
    return false;
  }

  /** Goes on behind a value of an object or array; true when another one follows, false after the end. */
  #goOn(close: number): boolean {
    const text = this.#text;
    this.#at = text.skip(this.#at);
    const byte = text.bytes[this.#at];
    if (byte !== close && byte !== comma) {
      throw this.#malformed(text.fail(this.#at, `a comma or ${close === closeBrace ? '}' : ']'} is missing`));
    }
    this.#at++;
    if (byte === close) return false;
    this.#at = text.skip(this.#at);
    return true;
  }

  /**
   * Reads the name of a member, puts it into the path and stands before its value. Undefined for a member that means
   * nothing: an unknown one, and one that is null.
   */
  #member(message: Message): Field | undefined {
    const name = this.#string();
    this.#at = this.#checked(this.#text.valueAfter(this.#at));
    this.#path.push(name);
    const isNull = this.#bytes[this.#at] === lowerN && this.#word() === 'null';
    return isNull ? undefined : fieldOf(message, name);
  }

  /** The position that a step through the text gives. Throws where it gives none. */
  #checked(at: number): number {
    if (at < 0) throw this.#malformed(at);
    return at;
  }

  /** The number or word that stands here, empty for anything else. */
  #word(): string {
    return this.#bytes.toString('latin1', this.#at, this.#text.endOfWord(this.#at));
  }

  /** Passes the number, `true`, `false` or `null` that stands here. */
  #passWord(): string {
    const word = this.#word();
    const isValue = word === 'true' || word === 'false' || word === 'null' || numberText.test(word);
    if (!isValue) throw this.#malformed(this.#text.fail(this.#at, `${this.#text.shown(this.#at)} is not a value`));
    this.#at += word.length;
    return word;
  }

  /** Passes the string that stands here, and gives it. Ill-formed characters become U+FFFD. */
  #string(): string {
    const start = this.#at;
    this.#at = this.#checked(this.#text.endOfString(start));
    if (!this.#text.escaped) return this.#bytes.toString('utf8', start + 1, this.#at - 1);
    const content = parseJson(this.#bytes.toString('utf8', start, this.#at));
    if (typeof content === 'string') return content;
    throw this.#malformed(this.#text.fail(start, `${this.#text.shown(start)} holds an escape that means nothing`));
  }

  /** Passes a value that means nothing. */
  #skip(depth: number): void {
    const byte = this.#text.bytes[this.#at];
    if (byte === quote) {
      this.#string();
      return;
    }
    if (byte !== openBrace && byte !== openBracket) {
      this.#passWord();
      return;
    }
    if (depth > maxDepth) throw this.#wrong('nested less deeply');
    const close = byte === openBrace ? closeBrace : closeBracket;
    for (let hasMore = this.#enter(byte, close); hasMore; hasMore = this.#goOn(close)) {
      if (byte === openBrace) {
        this.#string();
        this.#at = this.#checked(this.#text.valueAfter(this.#at));
      }
      this.#skip(depth + 1);
    }
  }

  #count(): void {
    if (++this.#values <= maxValues) return;
    const place = this.#place() || 'the body';
    const message = `${place} holds more than ${maxValues} values; send protobuf, or shorter points`;
    throw new FaultError(fault('parameter', Codes.statementTooLong, message));
  }

  #value(field: Field): void {
    const writer = this.#writer;
    const { number } = field;
    this.#count();
    switch (field.type) {
      case 'message': {
        const start = writer.begin(number);
        this.#fields(field.message!());
        writer.end(start);
        return;
      }
      case 'text':
        writer.bytes(number, this.#content());
        return;
      case 'bytes':
        writer.bytes(number, Buffer.from(this.#stringOr('a string in Base64'), 'base64'));
        return;
      case 'hex':
        writer.bytes(number, this.#hex());
        return;
      case 'bool': {
        const word = this.#word();
        if (word !== 'true' && word !== 'false') throw this.#wrong('true or false');
        this.#at += word.length;
        writer.varint(number, word === 'true' ? 1n : 0n);
        return;
      }
      case 'double':
        writer.double(number, this.#double());
        return;
      case 'fixed64':
      case 'sfixed64':
        writer.fixed64(number, this.#integer(field, field.type));
        return;
      case 'sint32': {
        const value = Number(this.#integer(field, field.type));
        writer.varint(number, BigInt(((value << 1) ^ (value >> 31)) >>> 0));
        return;
      }
      default:
        writer.varint(number, this.#integer(field, field.type));
    }
  }

  /** The string that stands here; throws, with what is expected, where there is none. */
  #stringOr(what: string): string {
    if (this.#text.bytes[this.#at] !== quote) throw this.#wrong(what);
    return this.#string();
  }

  /** Passes the string that stands here, and gives it in UTF-8. */
  #content(): Uint8Array {
    const start = this.#at;
    const text = this.#stringOr('a string');
    const isPlain = !this.#text.escaped && text.length === this.#at - start - 2;
    return isPlain ? this.#bytes.subarray(start + 1, this.#at - 1) : Buffer.from(text);
  }

  #hex(): Buffer {
    const what = 'a string of hexadecimal digits';
    const content = this.#stringOr(what);
    if (!hexText.test(content)) throw this.#wrong(what);
    return Buffer.from(content, 'hex');
  }

  #double(): number {
    if (this.#text.bytes[this.#at] !== quote) return Number(this.#number('a number'));
    const text = this.#string();
    const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
    if (!['NaN', 'Infinity', '-Infinity'].includes(text) && !isNumber) throw this.#wrong('a number');
    return Number(text);
  }

  /** Passes a number, and gives its text; throws, with what is expected, where there is none. */
  #number(what: string): string {
    const word = this.#word();
    if (!numberText.test(word)) throw this.#wrong(what);
    this.#at += word.length;
    return word;
  }

  /** A whole number, exactly; it may be a text, or a word of an enumeration. */
  #integer({ words }: Field, type: keyof typeof integers): bigint {
    const isText = this.#text.bytes[this.#at] === quote;
    const content = isText ? this.#string() : this.#number('an integer');
    const word = isText ? (words?.indexOf(content) ?? -1) : -1;
    if (word >= 0) return BigInt(word);
    const value = wholeText.test(content) ? BigInt(content) : isText ? undefined : wholeNumber(content);
    if (value === undefined) throw this.#wrong('an integer');
    const [least, greatest] = integers[type];
    if (value < least || value > greatest) throw this.#wrong(`an integer from ${least} to ${greatest}`);
    return value;
  }

  #place(): string {
    return this.#path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1);
  }

  #wrong(what: string): FaultError {
    const message = `${this.#place() || 'the body'} must be ${what}`;
    // The end of a text that is cut off is no value of a wrong kind.
    if (this.#at >= this.#text.end - 1) return this.#malformed(this.#text.fail(this.#at, 'it ends too early'));
    return new FaultError(fault('parameter', Codes.schemalessData, message));
  }

  #malformed(at: number): FaultError {
    const { message, at: place } = this.#text.problem ?? { message: 'it cannot be read', at };
    return new FaultError(
      fault('parameter', Codes.schemalessData, `the body is not JSON: ${message} at byte ${place}`),
    );
  }
}

/**
 * The value of a JSON number with a fraction or an exponent, such as `1.5e3`, where it is whole; undefined otherwise.
 */
function wholeNumber(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const zeros = Number(exponent) - fraction.length;
  const kept = zeros < 0 ? digits.slice(0, zeros) : digits;
  if (/[^0]/.test(digits.slice(kept.length))) return undefined;
  if (kept.length + Math.max(0, zeros) > mostDigits) return kept === '' ? 0n : undefined;
  return BigInt(`${sign}${kept || '0'}${'0'.repeat(Math.max(0, zeros))}`);
}

/**
 * Reads an `ExportMetricsServiceRequest` in JSON, which is written as protobuf for {@link parseOtlp}. Throws as {@link
 * otlpOfJson} does.
 */
export function parseOtlpJson(bytes: Uint8Array, options: ParseOptions): ParsedPoints {
  const writing = otlpOfJson(bytes);
  let step = writing.next();
  while (step.done !== true) step = writing.next();
  return parseOtlp(step.value, options);
}

/**
 * An `ExportMetricsServiceRequest` of JSON as protobuf. Keys are in camel or snake case, integers may be texts, values
 * of enumerations are numbers or names; unknown keys mean nothing. Throws a FaultError of kind `parameter` that names
 * the place where it is not such a request. It yields often.
 */
export function otlpOfJson(bytes: Uint8Array): Generator<undefined, Uint8Array> {
  return new JsonMessage(bytes).write();
}

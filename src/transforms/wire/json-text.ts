import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  dot,
  isDigit,
  minus,
  openBrace,
  openBracket,
  quote,
  space,
  zero,
} from '../../bytes/ascii.js';
import { parseJson } from '../../text/json.js';
import { isJsonBlank } from './json-elements.js';
import { badLine, excerpt, type LineProblem } from './line-problem.js';
import { countCharacters } from './utf8.js';

/** 1 for the bytes that end a number or a word. */
const endsWord = new Uint8Array(256).fill(1, 0, space + 1);
for (const byte of [comma, colon, quote, openBrace, closeBrace, openBracket, closeBracket]) endsWord[byte] = 1;

/**
 * Finds its way through JSON text by positions, without making anything of it. A caller that finds something else than
 * it needs gets -1 and {@link JsonText.problem}. The text must end with a line break, and nothing is followed deeper
 * than one call.
 */
export class JsonText {
  readonly bytes: Uint8Array;
  readonly end: number;
  problem: LineProblem | undefined;
  /** Problems are only counted: their messages need not show what stands there. */
  isBrief = false;
  /** True when the string whose end was found last holds a backslash. */
  escaped = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  /** Notes what is wrong at a position, and returns -1. */
  fail(at: number, message: string): number {
    this.problem = badLine(at, message);
    return -1;
  }

  /** Position of the first byte from `start` on that is not a space; `end` when there is none. */
  skip(start: number): number {
    const { bytes, end } = this;
    let at = start;
    while (at < end && bytes[at]! <= space && isJsonBlank(bytes[at])) at++;
    return at;
  }

  /** Position after the closing quote of the string that begins at `start`. */
  endOfString(start: number): number {
    const bytes = this.bytes;
    if (bytes[start] !== quote) return this.fail(start, `${this.shown(start)} is not a string`);
    this.escaped = false;
    for (let at = start + 1; ; at++) {
      let byte = bytes[at]!;
      if (byte === quote) return at + 1;
      if (byte === backslash) {
        this.escaped = true;
        byte = bytes[++at]!;
      }
      if (byte < space) return this.fail(start, 'a string is not closed or holds a control character');
    }
  }

  /** Position after the object or array that begins at `start`; only strings and brackets are read. */
  endOfNested(start: number): number {
    const bytes = this.bytes;
    let depth = 0;
    for (let at = start; at < this.end; at++) {
      const byte = bytes[at]!;
      if (byte === quote) {
        at = this.endOfString(at) - 1;
        if (at < 0) return -1;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth === 0) return at + 1;
      }
    }
    return this.fail(start, 'a bracket is not closed');
  }

  /** Position after the value, of any kind, that begins at `start`. */
  endOfValue(start: number): number {
    const byte = this.bytes[start]!;
    if (byte === quote) return this.endOfString(start);
    if (byte === openBrace || byte === openBracket) return this.endOfNested(start);
    const end = start < this.end ? this.endOfWord(start) : start;
    return end === start ? this.fail(start, 'a value is missing') : end;
  }

  /** Position after the number or word that begins at `start`. */
  endOfWord(start: number): number {
    const bytes = this.bytes;
    let at = start;
    while (endsWord[bytes[at]!] === 0) at++;
    return at;
  }

  /**
   * Position of the value of the member whose name ends before `start`: after the colon.
   */
  valueAfter(start: number): number {
    const at = this.skip(start);
    if (this.bytes[at] !== colon) return this.fail(at, 'a colon is missing');
    return this.skip(at + 1);
  }

  /** Position of the next member's name after a value that ends at `start`, or of the closing brace. */
  nextMember(start: number): number {
    const at = this.skip(start);
    if (this.bytes[at] === closeBrace) return at;
    if (this.bytes[at] !== comma) return this.fail(at, 'a comma or a closing brace is missing');
    const next = this.skip(at + 1);
    return this.bytes[next] === quote ? next : this.fail(next, 'the name of a member is missing');
  }

  /** True when `bytes[start, end)` begins as a JSON number must, and has no dot without a digit after it. */
  isNumber(start: number, end: number): boolean {
    const bytes = this.bytes;
    const first = bytes[start] === minus ? start + 1 : start;
    if (!isDigit(bytes[first]) || (bytes[first] === zero && isDigit(bytes[first + 1]))) return false;
    for (let at = first + 1; at < end; at++) if (bytes[at] === dot) return isDigit(bytes[at + 1]);
    return true;
  }

  /** True when `bytes[start, end)` is a word in lower case, in any letter case. */
  isWord(start: number, end: number, word: string): boolean {
    if (end - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if ((this.bytes[start + i]! | 0x20) !== word.charCodeAt(i)) return false;
    return true;
  }

  /**
   * Content of the string `bytes[start, end)`, quotes included, in UTF-8; undefined, with `problem`, when it is not
   * well-formed.
   */
  contentOf(start: number, end: number): Buffer | undefined {
    const raw = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start);
    if (countCharacters(raw, 0, raw.length) < 0) {
      this.fail(start, 'a string is not well-formed UTF-8');
      return undefined;
    }
    if (!raw.includes(backslash)) return raw.subarray(1, -1);
    const text = unescaped(raw.toString());
    if (text === undefined) {
      this.fail(start, `${this.shown(start)} holds an escape that means nothing`);
      return undefined;
    }
    return Buffer.from(text);
  }

  /** The beginning of what stands at a position, for a message. */
  shown(start: number): string {
    // A bracket or brace that closes ends what stands before it, but may be all that is there.
    let end = start < this.end && isClosing(this.bytes[start]) ? start + 1 : start;
    while (end < this.end && this.bytes[end]! > space && this.bytes[end] !== comma && !isClosing(this.bytes[end]))
      end++;
    return this.isBrief ? '' : excerpt(this.bytes, start, end);
  }
}

function isClosing(byte: number | undefined): boolean {
  return byte === closeBrace || byte === closeBracket;
}

/** The text of a JSON string, undefined when one of its escapes is none or half a character. */
function unescaped(json: string): string | undefined {
  const text = parseJson(json);
  return typeof text === 'string' && !/\p{Surrogate}/u.test(text) ? text : undefined;
}

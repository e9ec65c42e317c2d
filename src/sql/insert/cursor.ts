import { isUtf8 } from 'node:buffer';
import {
  apostrophe,
  backquote,
  backslash,
  closeParenthesis,
  comma,
  dot,
  lowerX,
  minus,
  openParenthesis,
  plus,
  quote,
  slash,
  space,
  star,
} from '../../bytes/ascii.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Name } from '../syntax/ast.js';
import { invalidIdentifier } from '../syntax/faults.js';

const maxQuotedCharacters = 63;
const maxDatabaseBytes = 64;
const maxNameBytes = 192;

/** Kinds of tokens that {@link Cursor.readValue} finds. */
export const Token = { null: 0, true: 1, false: 2, number: 3, string: 4, word: 5 } as const;
export type TokenKind = (typeof Token)[keyof typeof Token];

const minScratchBytes = 256;
const shortCommentBytes = 64;
/** Digits cost more the more they are: no number that a column holds needs so many. */
const maxNumberBytes = 4096;
/** More blanks and comments in one place are a mistake. */
const maxGapBytes = 1024 * 1024;
/** The hexadecimal digits of the longest BLOB, and its mark. */
const maxStringBytes = 8 * 1024 * 1024 + 2;
const pieceBytes = 4096;
const noBytes = new Uint8Array(0);

const wordBytes = new Uint8Array(256);
for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_') {
  wordBytes[letter.charCodeAt(0)] = 1;
}

/** True for letters, digits and the underscore. */
export function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && wordBytes[byte] === 1;
}

/** True for the space and what ends lines or takes their place. */
export function isBlank(byte: number | undefined): boolean {
  return byte === space || (byte !== undefined && byte >= 9 && byte <= 13);
}

/**
 * A place in the bytes of a statement, with the lexical rules of INSERT. Every byte is
 * passed a bounded number of times. The text of the last literal is left in `text`, `textStart` and `textEnd`: a part
 * of the statement, or of a scratch buffer when a string held escapes; either is valid until the next literal is read.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  readonly end: number;
  at = 0;
  text: Uint8Array;
  textStart = 0;
  textEnd = 0;
  readonly #statement: Buffer;
  /**
   * Texts need no look where the statement is UTF-8 throughout, or they may be any bytes; undefined until one is read.
   */
  #isUtf8: boolean | undefined;
  /** Made when it is needed: most statements hold no escapes, and short ones are many. */
  #scratch: Uint8Array = noBytes;
  /** The string that is read holds no escapes. */
  #isPlain = true;
  #pieceEnd = 0;

  /** `checksTexts`: texts must be UTF-8. */
  constructor(statement: Buffer, checksTexts = false) {
    this.#statement = statement;
    this.#isUtf8 = checksTexts ? undefined : true;
    this.bytes = new Uint8Array(statement.buffer, statement.byteOffset, statement.byteLength);
    this.text = this.bytes;
    this.end = statement.length;
  }

  /** The fault of a statement that does not fit the grammar; quotes at most 63 characters from byte `from` on. */
  syntaxError(reason: string, from = this.at): FaultError {
    const rest = this.#statement.toString('utf8', from, from + maxQuotedCharacters * 4);
    const quoted = Array.from(rest).slice(0, maxQuotedCharacters).join('');
    return new FaultError(fault('syntax', Codes.insertSyntax, `syntax error near '${quoted}' (${reason})`));
  }

  /** Passes blanks and comments. */
  skipBlanks(): void {
    const bytes = this.bytes;
    const start = this.at;
    const end = Math.min(this.end, start + maxGapBytes);
    while (this.at < end) {
      const byte = bytes[this.at]!;
      if (isBlank(byte)) this.at++;
      else if (!this.#skipComment(byte)) return;
    }
    if (end < this.end) throw this.syntaxError(`more than ${maxGapBytes} bytes of blanks and comments`, start);
  }

  /** Passes blanks and the bracket that closes a list. */
  expectClose(): void {
    if (!this.skip(closeParenthesis)) throw this.syntaxError(') expected');
  }

  /** Passes blanks and then `byte`, when it comes next. */
  skip(byte: number): boolean {
    this.skipBlanks();
    if (this.at >= this.end || this.bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  /** Passes blanks and then a word of any case, given in upper case, when it comes next. */
  skipWord(word: string): boolean {
    this.skipBlanks();
    const next = this.at + word.length;
    if (next > this.end || !this.#matches(word, this.at) || (next < this.end && isWordByte(this.bytes[next]))) {
      return false;
    }
    this.at = next;
    return true;
  }

  /** True when the text of the last literal is this word in any case; `word` in upper case. */
  textIs(word: string): boolean {
    if (this.textEnd - this.textStart !== word.length) return false;
    for (let i = 0; i < word.length; i++) {
      const byte = this.text[this.textStart + i]!;
      if ((byte >= 97 && byte <= 122 ? byte - 32 : byte) !== word.charCodeAt(i)) return false;
    }
    return true;
  }

  /** True when the text of the last literal is UTF-8, or may be anything. */
  isUtf8(): boolean {
    this.#isUtf8 ??= isUtf8(this.bytes);
    return this.#isUtf8 || isUtf8(this.text.subarray(this.textStart, this.textEnd));
  }

  /** The text of the last literal as a string; throws where it is not as it must be. */
  textString(): string {
    const { text } = this;
    if (!this.isUtf8()) {
      throw this.syntaxError('a text that is not UTF-8', text === this.bytes ? this.textStart - 1 : this.at);
    }
    return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8', this.textStart, this.textEnd);
  }

  /** Reads `name` or a back-quoted name: bare names are folded to lower case. */
  readName(reason: string): Name {
    this.skipBlanks();
    const start = this.at;
    const first = this.bytes[start];
    if (first === backquote) return this.#readQuotedName();
    let at = start;
    while (at < this.end && isWordByte(this.bytes[at])) at++;
    if (at === start || (first !== undefined && first >= 48 && first <= 57)) throw this.syntaxError(reason);
    this.at = at;
    const text = this.#statement.toString('latin1', start, at).toLowerCase();
    return { text, quoted: false, span: { start, end: at } };
  }

  /** Reads `[db.]name`; lengths are limited, and a table name holds no dot; that of a database may in back quotes. */
  readObjectName(): { readonly database: Name | undefined; readonly name: Name } {
    const first = this.readName('table_name is expected');
    if (!this.skip(dot)) return { database: undefined, name: checkedName(first, maxNameBytes) };
    const name = this.readName('table_name is expected');
    return { database: checkedName(first, maxDatabaseBytes, true), name: checkedName(name, maxNameBytes) };
  }

  /** Reads `(name, …)`; the opening bracket is passed already. */
  readNames(): Name[] {
    const names: Name[] = [];
    do {
      names.push(this.readName('column name is expected'));
    } while (this.skip(comma));
    this.expectClose();
    return names;
  }

  /** Reads one literal or word; blanks before it are passed already. */
  readValue(): TokenKind {
    const byte = this.bytes[this.at];
    if (byte === apostrophe || byte === quote) {
      this.readString();
      return Token.string;
    }
    if (byte === undefined) throw this.syntaxError('invalid data or symbol');
    if ((byte >= 48 && byte <= 57) || byte === plus || byte === minus || byte === dot) {
      this.#readNumber();
      return Token.number;
    }
    return this.#readWord();
  }

  /** Reads a quoted string; the opening quote comes next. Backslashes escape; a doubled quote stands for one. */
  readString(): void {
    const open = this.at;
    const closing = this.bytes[open]!;
    this.#isPlain = true;
    let at = open + 1;
    let close = -1;
    // In pieces, because the runtime never compiles a loop that does not end.
    for (const end = Math.min(this.end, at + maxStringBytes); close < 0 && at < end; at = this.#pieceEnd) {
      close = this.#findQuote(at, Math.min(end, at + pieceBytes), closing);
    }
    if (close < 0) {
      const isLong = this.end - open > maxStringBytes;
      throw this.syntaxError(isLong ? `a string of more than ${maxStringBytes} bytes` : 'invalid data or symbol', open);
    }
    this.at = close + 1;
    this.text = this.bytes;
    this.textStart = open + 1;
    this.textEnd = close;
    if (!this.#isPlain) this.#unescape(closing);
  }

  /**
   * Position of the quote that ends a string, -1 when it is not in this piece; the next piece begins at `#pieceEnd`.
   */
  #findQuote(from: number, pieceEnd: number, closing: number): number {
    const { bytes } = this;
    let at = from;
    for (; at < pieceEnd; at++) {
      const byte = bytes[at]!;
      if (byte === closing) {
        if (bytes[at + 1] !== closing) return at;
        this.#isPlain = false;
        at++;
      } else if (byte === backslash) {
        this.#isPlain = false;
        at++;
      }
    }
    this.#pieceEnd = at;
    return -1;
  }

  /** Passes a value whatever its type, up to the comma or bracket behind it. */
  skipValue(): void {
    while (this.at < this.end) {
      const byte = this.bytes[this.at]!;
      if (byte === comma || byte === closeParenthesis) return;
      if (byte === openParenthesis) this.skipBrackets();
      else this.#skipPiece(byte);
    }
  }

  /** Passes `( … )` with brackets, strings and comments inside; the opening bracket comes next. */
  skipBrackets(): void {
    let depth = 0;
    while (this.at < this.end) {
      const byte = this.bytes[this.at]!;
      if (byte === openParenthesis) depth++;
      else if (byte === closeParenthesis && --depth === 0) {
        this.at++;
        return;
      }
      this.#skipPiece(byte);
    }
    throw this.syntaxError(') expected');
  }

  #skipPiece(byte: number): void {
    if (byte === apostrophe || byte === quote) this.readString();
    else if ((byte !== minus && byte !== slash) || !this.#skipComment(byte)) this.at++;
  }

  #skipComment(byte: number): boolean {
    const next = this.bytes[this.at + 1];
    if (byte === minus && next === minus) {
      const line = this.#statement.indexOf(10, this.at);
      this.at = line < 0 ? this.end : line + 1;
      return true;
    }
    if (byte === slash && next === star) {
      const close = this.#endOfComment(this.at + 2);
      if (close < 0) return false;
      this.at = close;
      return true;
    }
    return false;
  }

  /** Position after what closes the comment, -1 without it. Most comments are too short for a search to pay. */
  #endOfComment(from: number): number {
    const near = Math.min(from + shortCommentBytes, this.end - 1);
    for (let at = from; at < near; at++) {
      if (this.bytes[at] === star && this.bytes[at + 1] === slash) return at + 2;
    }
    const close = this.#statement.indexOf('*/', Math.max(from, near), 'latin1');
    return close < 0 ? -1 : close + 2;
  }

  #matches(word: string, at: number): boolean {
    for (let i = 0; i < word.length; i++) if ((this.bytes[at + i]! & 0xdf) !== word.charCodeAt(i)) return false;
    return true;
  }

  #readQuotedName(): Name {
    const start = this.at;
    const { bytes } = this;
    let close = bytes.indexOf(backquote, start + 1);
    while (close >= 0 && bytes[close + 1] === backquote) close = bytes.indexOf(backquote, close + 2);
    if (close < 0) throw this.syntaxError('invalid data or symbol');
    if (close === start + 1) throw invalidIdentifier('');
    this.at = close + 1;
    this.textStart = start + 1;
    this.textEnd = close;
    this.text = bytes;
    return { text: this.textString().replaceAll('``', '`'), quoted: true, span: { start, end: close + 1 } };
  }

  #readNumber(): void {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    if (bytes[at] === plus || bytes[at] === minus) at++;
    const hex = at + 1 < this.end && (bytes[at + 1]! | 32) === lowerX;
    const end = Math.min(this.end, start + maxNumberBytes + 1);
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (isWordByte(byte) || byte === dot) continue;
      const exponentSign = (byte === plus || byte === minus) && (bytes[at - 1]! | 32) === 101;
      if (!exponentSign || hex) break;
    }
    if (at - start > maxNumberBytes) throw this.syntaxError(`a number of more than ${maxNumberBytes} bytes`);
    this.at = at;
    this.text = bytes;
    this.textStart = start;
    this.textEnd = at;
  }

  #readWord(): TokenKind {
    let at = this.at;
    while (at < this.end && isWordByte(this.bytes[at])) at++;
    if (at === this.at) throw this.syntaxError('invalid data or symbol');
    this.text = this.bytes;
    this.textStart = this.at;
    this.textEnd = at;
    this.at = at;
    if (this.textIs('NULL')) return Token.null;
    if (this.textIs('TRUE')) return Token.true;
    return this.textIs('FALSE') ? Token.false : Token.word;
  }

  #unescape(closing: number): void {
    if (this.#scratch.length < this.textEnd - this.textStart) {
      this.#scratch = new Uint8Array(
        Math.max(this.textEnd - this.textStart, this.#scratch.length * 2, minScratchBytes),
      );
    }
    let to = 0;
    const { textEnd } = this;
    for (let at = this.textStart; at < textEnd; at = this.#pieceEnd) {
      to = this.#unescapePiece(at, Math.min(textEnd, at + pieceBytes), to, closing);
    }
    this.text = this.#scratch;
    this.textStart = 0;
    this.textEnd = to;
  }

  /** Where the next piece goes in the scratch buffer. */
  #unescapePiece(from: number, end: number, start: number, closing: number): number {
    const { bytes } = this;
    const scratch = this.#scratch;
    let to = start;
    let at = from;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === closing) at++;
      if (byte !== backslash) {
        scratch[to++] = byte;
        continue;
      }
      const escaped = bytes[++at]!;
      // the backslash stays before % and _ (escapes of LIKE) and before x (prefix of binary literals)
      if (escaped === 37 || escaped === 95 || escaped === lowerX) scratch[to++] = byte;
      scratch[to++] = escaped === 110 ? 10 : escaped === 114 ? 13 : escaped === 116 ? 9 : escaped;
    }
    this.#pieceEnd = at;
    return to;
  }
}

function checkedName(name: Name, maxBytes: number, mayHoldDots = false): Name {
  const isDotted = name.quoted && !mayHoldDots && name.text.includes('.');
  if (isDotted || Buffer.byteLength(name.text) > maxBytes) {
    const shown = Array.from(name.text.slice(0, maxBytes * 2))
      .slice(0, maxBytes)
      .join('');
    throw new FaultError(fault('syntax', Codes.invalidIdentifier, `Invalid identifier name: ${shown}`));
  }
  return name;
}

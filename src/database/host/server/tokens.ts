import { isDigit } from '../../../bytes/ascii.js';

/** Kind of a token: a bare word, something quoted, a number, one other character, or the end of the text. */
type TokenKind = 'word' | 'quoted' | 'number' | 'symbol' | 'end';

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
const isWordStart = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || byte >= 0x80;
const isWordPart = (byte: number): boolean => isWordStart(byte) || isDigit(byte) || byte === 0x24;

/**
 * Steps through SQL text token by token, passing over blanks and comments, far enough to find clauses. Works on bytes,
 * because what follows an INSERT may not be text at all. Nothing is ever an error: an unclosed quote ends with the
 * text.
 */
export class Tokens {
  readonly bytes: Uint8Array;
  kind: TokenKind = 'end';
  start = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The current token in lower case, when it is a short bare word; otherwise the empty string. */
  word(): string {
    if (this.kind !== 'word' || this.end - this.start > 32) return '';
    let text = '';
    for (let i = this.start; i < this.end; i++) text += String.fromCharCode(this.bytes[i]!);
    return text.toLowerCase();
  }

  /** True when the current token is this one character. */
  is(symbol: string): boolean {
    return this.kind === 'symbol' && this.bytes[this.start] === symbol.charCodeAt(0);
  }

  /** Moves to the next token. */
  next(): void {
    const bytes = this.bytes;
    const at = skipBlank(bytes, this.end);
    this.start = at;
    const byte = bytes[at];
    if (byte === undefined) {
      this.kind = 'end';
      this.end = at;
    } else if (isWordStart(byte)) {
      this.kind = 'word';
      this.end = runOf(bytes, at, isWordPart);
    } else if (isDigit(byte)) {
      this.kind = 'number';
      this.end = runOf(bytes, at, (part) => isWordPart(part) || part === 0x2e);
    } else if (byte === 0x27 || byte === 0x22 || byte === 0x60) {
      this.kind = 'quoted';
      this.end = quotedEnd(bytes, at, byte);
    } else if (byte === 0x24) {
      this.#hereDocument(at);
    } else {
      this.kind = 'symbol';
      this.end = at + 1;
    }
  }

  /** `$tag$ ... $tag$`; a lone dollar is a symbol. */
  #hereDocument(at: number): void {
    const bytes = this.bytes;
    const tagEnd = runOf(bytes, at + 1, (byte) => isWordPart(byte) && byte !== 0x24);
    this.kind = 'symbol';
    this.end = at + 1;
    if (bytes[tagEnd] !== 0x24) return;
    const tag = bytes.subarray(at, tagEnd + 1);
    const close = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(tag, tagEnd + 1);
    if (close < 0) return;
    this.kind = 'quoted';
    this.end = close + tag.length;
  }
}

function runOf(bytes: Uint8Array, from: number, belongs: (byte: number) => boolean): number {
  let at = from;
  while (at < bytes.length && belongs(bytes[at]!)) at++;
  return at;
}

function quotedEnd(bytes: Uint8Array, from: number, quote: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x5c) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
}

/** Index of the first byte at or after `from` that is neither blank nor comment. */
function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) return bytes.length;
    const after = bytes[at + 1];
    if (isSpace(byte)) at++;
    else if (byte === 0x2d && after === 0x2d) at = lineEnd(bytes, at);
    else if (byte === 0x23 && (after === 0x20 || after === 0x21)) at = lineEnd(bytes, at);
    else if (byte === 0x2f && after === 0x2a) at = commentEnd(bytes, at + 2);
    else return at;
  }
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(0x0a, from);
  return at < 0 ? bytes.length : at + 1;
}

function commentEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) if (bytes[at] === 0x2a && bytes[at + 1] === 0x2f) return at + 2;
  return bytes.length;
}

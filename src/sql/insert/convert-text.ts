import { backslash, lowerX } from '../../bytes/ascii.js';
import { parseWellKnownText } from '../../bytes/geometry.js';
import type { ColumnDef } from '../../model/schema.js';
import { valueTooLong } from '../syntax/faults.js';
import { type Cursor, Token } from './cursor.js';
import { parseDouble } from './number.js';

const noBytes = new Uint8Array(0);

/**
 * Reads values of the types that vary in length. The bytes of the last value are `bytes[start, end)`, valid until the
 * next value is read. Each reader gives false for NULL, and throws when the value is longer than its column: nothing is
 * cut.
 */
export class TextReader {
  bytes: Uint8Array = noBytes;
  start = 0;
  end = 0;
  readonly #cursor: Cursor;
  #scratch: Uint8Array = noBytes;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /**
   * VARCHAR, whose length counts bytes, and NCHAR, whose length counts characters. Numbers, bools, NOW and TODAY keep
   * their spelling.
   */
  readText(column: ColumnDef): boolean {
    const cursor = this.#cursor;
    const from = cursor.at;
    const token = cursor.readValue();
    if (token === Token.null) return false;
    const isNoNumber =
      token === Token.number && Number.isNaN(parseDouble(cursor.text, cursor.textStart, cursor.textEnd));
    const isWord = token === Token.word && !cursor.textIs('NOW') && !cursor.textIs('TODAY');
    if (isWord || isNoNumber) throw cursor.syntaxError('invalid data or symbol', from);
    if (!cursor.isUtf8()) throw cursor.syntaxError(notUtf8(column), from);
    this.#take(cursor.text, cursor.textStart, cursor.textEnd);
    // a text of no more bytes than the limit has no more characters either
    if (this.end - this.start > column.type.length) {
      if (column.type.name !== 'NCHAR' || this.#characters() > column.type.length) throw valueTooLong(column.name);
    }
    return true;
  }

  /** VARBINARY and BLOB: the bytes of a string, or those that the hexadecimal digits after `\x` spell. */
  readBinary(column: ColumnDef): boolean {
    const from = this.#cursor.at;
    if (!this.#readQuoted('invalid varbinary data')) return false;
    if (this.bytes[this.start] === backslash && this.bytes[this.start + 1] === lowerX) this.#decodeHex(from);
    if (this.end - this.start > column.type.length) throw valueTooLong(column.name);
    return true;
  }

  /** GEOMETRY: well-known text, kept as little-endian well-known binary. */
  readGeometry(column: ColumnDef): boolean {
    const from = this.#cursor.at;
    if (!this.#readQuoted('invalid geometry data') || this.#cursor.textIs('NULL')) return false;
    const binary = parseWellKnownText(this.#cursor.textString());
    if (binary === undefined) throw this.#cursor.syntaxError('invalid geometry data', from);
    this.#take(binary, 0, binary.length);
    if (binary.length > column.type.length) throw valueTooLong(column.name);
    return true;
  }

  #readQuoted(reason: string): boolean {
    const cursor = this.#cursor;
    const from = cursor.at;
    const token = cursor.readValue();
    if (token === Token.null) return false;
    if (token !== Token.string) throw cursor.syntaxError(reason, from);
    this.#take(cursor.text, cursor.textStart, cursor.textEnd);
    return true;
  }

  #take(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  #characters(): number {
    let count = 0;
    for (let at = this.start; at < this.end; at++) if ((this.bytes[at]! & 0xc0) !== 0x80) count++;
    return count;
  }

  #decodeHex(literalAt: number): void {
    const from = this.start + 2;
    const length = (this.end - from) / 2;
    if (length > this.#scratch.length) this.#scratch = new Uint8Array(Math.max(length, this.#scratch.length * 2, 256));
    for (let at = from, to = 0; at < this.end; at += 2, to++) {
      const value = hexDigit(this.bytes[at]!) * 16 + (at + 1 < this.end ? hexDigit(this.bytes[at + 1]!) : Number.NaN);
      if (Number.isNaN(value)) throw this.#cursor.syntaxError('invalid varbinary data', literalAt);
      this.#scratch[to] = value;
    }
    this.#take(this.#scratch, 0, length);
  }
}

/** Why a text is refused. */
export function notUtf8({ name }: ColumnDef): string {
  return `the text of ${name} is not UTF-8`;
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}

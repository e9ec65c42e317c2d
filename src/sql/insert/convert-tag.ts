import { isUtf8 } from 'node:buffer';
import { realText } from '../../bytes/real-text.js';
import { toBigInt } from '../../bytes/words.js';
import { type ColumnDef, integerRanges, type TagValue } from '../../model/schema.js';
import { parseJsonTag } from './convert-json.js';
import { readBool, readDouble, readInteger } from './convert-number.js';
import { notUtf8, TextReader } from './convert-text.js';
import type { TimeReader } from './convert-time.js';
import { type Cursor, Token } from './cursor.js';

/**
 * Reads tag values as the text their type prints: integers and ticks in decimal, FLOAT and DOUBLE in their shortest
 * form, `true` and `false`, VARBINARY and GEOMETRY in lower-case hexadecimal digits, JSON as an object.
 */
export class TagReader {
  readonly #cursor: Cursor;
  readonly #texts: TextReader;
  readonly #checksTexts: boolean;

  /** `checksTexts`: texts must be UTF-8, although the cursor takes others. */
  constructor(cursor: Cursor, checksTexts = false) {
    this.#cursor = cursor;
    this.#checksTexts = checksTexts;
    this.#texts = new TextReader(cursor);
  }

  /** Reads the value that comes next, blanks before it passed already; undefined is NULL. */
  read(tag: ColumnDef, times: TimeReader): TagValue {
    const name = tag.type.name;
    switch (name) {
      case 'BOOL':
        return readBool(this.#cursor)?.toString();
      case 'FLOAT':
      case 'DOUBLE':
        return this.#real(name);
      case 'TIMESTAMP':
        return times.read() ? toBigInt(times.ticks).toString() : undefined;
      case 'VARCHAR':
      case 'NCHAR':
        return this.#text(tag);
      case 'VARBINARY':
      case 'BLOB':
        return this.#texts.readBinary(tag) ? this.#encoded('hex') : undefined;
      case 'GEOMETRY':
        return this.#texts.readGeometry(tag) ? this.#encoded('hex') : undefined;
      case 'JSON':
        return this.#json();
      default:
        return this.#integer(tag);
    }
  }

  #text(tag: ColumnDef): TagValue {
    const from = this.#cursor.at;
    if (!this.#texts.readText(tag)) return undefined;
    const { bytes, start, end } = this.#texts;
    if (this.#checksTexts && !isUtf8(bytes.subarray(start, end))) throw this.#cursor.syntaxError(notUtf8(tag), from);
    return this.#encoded('utf8');
  }

  #real(type: 'FLOAT' | 'DOUBLE'): TagValue {
    const value = readDouble(this.#cursor, type);
    return value === undefined ? undefined : realText(value, type);
  }

  #integer(tag: ColumnDef): TagValue {
    const range = integerRanges[tag.type.name];
    if (range === undefined) throw new Error(`No tag has type ${tag.type.name}.`);
    return readInteger(this.#cursor, range)?.toString();
  }

  #json(): TagValue {
    const cursor = this.#cursor;
    const start = cursor.at;
    const token = cursor.readValue();
    if (token === Token.null) return undefined;
    if (token !== Token.string) throw cursor.syntaxError('json parse error', start);
    return parseJsonTag(cursor.textString(), (reason) => cursor.syntaxError(reason, start));
  }

  #encoded(encoding: 'utf8' | 'hex'): string {
    const { bytes, start, end } = this.#texts;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding, start, end);
  }
}

import { setBigInt, setInteger } from '../../bytes/words.js';
import type { ColumnBuilder } from '../../model/column-block.js';
import { type ColumnDef, type IntegerRange, integerRanges } from '../../model/schema.js';
import { parseJsonTag } from './convert-json.js';
import { readBool, readDecimal, readDouble, readInteger } from './convert-number.js';
import { TextReader } from './convert-text.js';
import type { TimeReader } from './convert-time.js';
import { type Cursor, Token } from './cursor.js';
import { type Field, FieldKind } from './field.js';
import { fastDecimal, fastInteger, fastScaled, fastWide } from './number.js';

/**
 * Reads values at the cursor into fields. Usual spellings take a path without any allocation, all
 * others one that reads a token first. A value that does not fit its column throws; NULL writes nothing.
 */
export class ValueConverter {
  readonly #cursor: Cursor;
  readonly #texts: TextReader;
  readonly #words = new Uint32Array(2);

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#texts = new TextReader(cursor);
  }

  /** Reads the next value, blanks before it passed already, into row `row`, which must be reserved. */
  convert(field: Field, row: number, times: TimeReader): void {
    switch (field.kind) {
      case FieldKind.float:
      case FieldKind.double:
        this.#real(field, row);
        break;
      case FieldKind.int8:
      case FieldKind.int16:
      case FieldKind.int32:
        this.#integer(field, row);
        break;
      case FieldKind.int64:
        this.#wide(field, row);
        break;
      case FieldKind.timestamp:
        if (times.read()) this.#storeWords(field, row, times.ticks);
        break;
      case FieldKind.bool:
        this.#bool(field, row);
        break;
      default:
        this.#other(field, row);
    }
  }

  #other(field: Field, row: number): void {
    const { column, builder } = field;
    if (column === undefined || builder === undefined) throw new Error('A field without a column holds no value.');
    const texts = this.#texts;
    switch (field.kind) {
      case FieldKind.text:
        if (texts.readText(column)) builder.putBytes(row, texts.bytes, texts.start, texts.end);
        break;
      case FieldKind.binary:
        if (texts.readBinary(column)) builder.putBytes(row, texts.bytes, texts.start, texts.end);
        break;
      case FieldKind.geometry:
        if (texts.readGeometry(column)) builder.putBytes(row, texts.bytes, texts.start, texts.end);
        break;
      case FieldKind.decimal:
        if (column.type.length <= 18) this.#decimal(field, row, column);
        else this.#wideDecimal(field, row, column);
        break;
      default:
        this.#json(builder, row);
    }
  }

  #real(field: Field, row: number): void {
    let value = fastDecimal(this.#cursor);
    if (Number.isNaN(value)) {
      const read = readDouble(this.#cursor, field.kind === FieldKind.float ? 'FLOAT' : 'DOUBLE');
      if (read === undefined) return;
      value = read;
    }
    if (field.kind === FieldKind.float) field.floats[row] = value;
    else field.doubles[row] = value;
    field.wrote(row);
  }

  #integer(field: Field, row: number): void {
    const start = this.#cursor.at;
    let value = fastInteger(this.#cursor);
    if (!(value >= field.min && value <= field.max)) {
      this.#cursor.at = start;
      const read = readInteger(this.#cursor, rangeOf(field));
      if (read === undefined) return;
      value = Number(read);
    }
    if (field.kind === FieldKind.int32) field.words[row] = value;
    else if (field.kind === FieldKind.int16) field.shorts[row] = value;
    else field.bytes[row] = value;
    field.wrote(row);
  }

  #wide(field: Field, row: number): void {
    const value = field.signed ? fastInteger(this.#cursor) : Number.NaN;
    if (!Number.isNaN(value)) {
      setInteger(this.#words, value);
    } else if (!fastWide(this.#cursor, this.#words, field.signed)) {
      const read = readInteger(this.#cursor, rangeOf(field));
      if (read === undefined) return;
      setBigInt(this.#words, read);
    }
    this.#storeWords(field, row, this.#words);
  }

  #storeWords(field: Field, row: number, words: Uint32Array): void {
    field.words[2 * row] = words[0]!;
    field.words[2 * row + 1] = words[1]!;
    field.wrote(row);
  }

  #bool(field: Field, row: number): void {
    const number = fastInteger(this.#cursor);
    const value = Number.isNaN(number) ? readBool(this.#cursor) : number !== 0;
    if (value === undefined) return;
    field.bytes[row] = value ? 1 : 0;
    field.wrote(row);
  }

  #decimal(field: Field, row: number, column: ColumnDef): void {
    const start = this.#cursor.at;
    const value = fastScaled(this.#cursor, column.type.scale ?? 0);
    if (value >= field.min && value <= field.max) {
      setInteger(this.#words, value);
    } else {
      this.#cursor.at = start;
      const read = readDecimal(this.#cursor, column.type);
      if (read === undefined) return;
      setBigInt(this.#words, read);
    }
    this.#storeWords(field, row, this.#words);
  }

  #wideDecimal(field: Field, row: number, column: ColumnDef): void {
    const read = readDecimal(this.#cursor, column.type);
    if (read === undefined) return;
    setBigInt(this.#words, read);
    field.words.set(this.#words, 4 * row);
    setBigInt(this.#words, read >> 64n);
    field.words.set(this.#words, 4 * row + 2);
    field.wrote(row);
  }

  #json(builder: ColumnBuilder, row: number): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const token = cursor.readValue();
    if (token === Token.null) return;
    if (token !== Token.string) throw cursor.syntaxError('json parse error', start);
    const text = parseJsonTag(cursor.textString(), (reason) => cursor.syntaxError(reason, start));
    if (text !== undefined) builder.putText(row, text);
  }
}

function rangeOf(field: Field): IntegerRange {
  const range = field.column === undefined ? undefined : integerRanges[field.column.type.name];
  if (range === undefined) throw new Error('The field is no integer column.');
  return range;
}

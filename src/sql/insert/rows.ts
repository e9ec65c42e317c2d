import { closeParenthesis, comma, minus, openParenthesis, slash, space } from '../../bytes/ascii.js';
import { compareSigned } from '../../bytes/words.js';
import { FaultError } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { invalidOperation, primaryTimeNull, timestampOutOfRange } from '../syntax/faults.js';
import type { OpenBlock } from './blocks.js';
import { ValueConverter } from './convert.js';
import { type Cursor, Token } from './cursor.js';
import { type Field, FieldKind } from './field.js';
import type { SeriesIndex } from './series-index.js';
import type { Layout, TableShape } from './shape.js';

/** Rows that name their sub-table themselves: how ids are found, and made for a name seen first. */
interface SeriesOfRows {
  readonly index: SeriesIndex;
  /**
   * Adds the name that the last literal of the cursor holds to the index. `tagsAt` has, for each value of the row,
   * where it begins.
   */
  add(tagsAt: Int32Array): void;
}

/** What gives the rows behind VALUES: their text, or values that a client has bound. */
export interface RowSource {
  /** Adds rows of one series; true when there are more, to be added by calling again. */
  scanRows(shape: TableShape, layout: Layout, block: OpenBlock, series: bigint, until: number): boolean;
  /** The same for rows that name their sub-tables. */
  scanNamedRows(shape: TableShape, layout: Layout, block: OpenBlock, series: SeriesOfRows, until: number): boolean;
  /** Passes rows without adding them. */
  skipRows(until: number): boolean;
}

/**
 * Reads the rows behind VALUES into a block. Nothing is allocated for a row or a value of usual form. Reading stops
 * between two rows once it is past the position `until`: it is true then that there are more rows, to be read by
 * calling again.
 */
export class RowScanner implements RowSource {
  readonly #cursor: Cursor;
  readonly #converter: ValueConverter;
  #valuesAt = new Int32Array(16);
  #nameAt = 0;
  #isKnown = false;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#converter = new ValueConverter(cursor);
  }

  /** Reads rows that all belong to one series. */
  scanRows(shape: TableShape, layout: Layout, block: OpenBlock, series: bigint, until: number): boolean {
    const low = Number(BigInt.asUintN(32, series));
    const high = Number(BigInt.asUintN(32, series >> 32n));
    const fields = block.fieldsOf(layout);
    const { builder } = block;
    const cursor = this.#cursor;
    this.expectRow();
    const start = cursor.at;
    const firstRow = builder.rows;
    do {
      block.reserve();
      builder.idWords[2 * builder.rows] = low;
      builder.idWords[2 * builder.rows + 1] = high;
      this.#scanRow(shape, fields, block, undefined);
      if (builder.rows === firstRow) {
        block.expectRows(firstRow + 1 + (1.05 * (cursor.end - cursor.at)) / (cursor.at - start));
      }
      builder.rows++;
      if (!this.nextRow()) return false;
    } while (cursor.at < until);
    return true;
  }

  /** Reads rows that name their sub-tables in a `tbname` value. */
  scanNamedRows(shape: TableShape, layout: Layout, block: OpenBlock, series: SeriesOfRows, until: number): boolean {
    const fields = block.fieldsOf(layout);
    const { builder } = block;
    if (fields.length > this.#valuesAt.length) this.#valuesAt = new Int32Array(fields.length);
    this.expectRow();
    do {
      block.reserve();
      this.#scanRow(shape, fields, block, series.index);
      if (!this.#isKnown) this.#addSeries(series);
      builder.idWords[2 * builder.rows] = series.index.id[0]!;
      builder.idWords[2 * builder.rows + 1] = series.index.id[1]!;
      builder.rows++;
      if (!this.nextRow()) return false;
    } while (this.#cursor.at < until);
    return true;
  }

  /** Passes rows without reading them. */
  skipRows(until: number): boolean {
    this.expectRow();
    do {
      this.#cursor.skipBrackets();
      if (!this.nextRow()) return false;
    } while (this.#cursor.at < until);
    return true;
  }

  expectRow(): void {
    this.#cursor.skipBlanks();
    if (this.#cursor.bytes[this.#cursor.at] !== openParenthesis) throw this.#cursor.syntaxError('no any data points');
  }

  /** Moves to the next row, behind a comma or not; false when there is none. */
  nextRow(): boolean {
    const cursor = this.#cursor;
    const hasComma = cursor.skip(comma);
    cursor.skipBlanks();
    if (cursor.bytes[cursor.at] === openParenthesis) return true;
    if (hasComma) throw cursor.syntaxError('( is expected');
    return false;
  }

  #scanRow(shape: TableShape, fields: readonly Field[], block: OpenBlock, index: SeriesIndex | undefined): void {
    const cursor = this.#cursor;
    const { bytes } = cursor;
    const row = block.builder.rows;
    const last = fields.length - 1;
    cursor.at++;
    if (bytes[cursor.at] === closeParenthesis) throw new FaultError(refusals.illegalColumnCount);
    for (let i = 0; i <= last; i++) {
      const field = fields[i]!;
      const first = bytes[cursor.at]!;
      if (first <= space || first === minus || first === slash) cursor.skipBlanks();
      if (field.kind === FieldKind.time) this.#time(shape, block, row);
      else if (index !== undefined && field.kind <= FieldKind.tag) this.#seriesPart(field, i, index);
      else this.#converter.convert(field, row, shape.times);
      let next = bytes[cursor.at];
      if (next !== comma && next !== closeParenthesis) {
        cursor.skipBlanks();
        next = bytes[cursor.at];
      }
      if (next !== (i < last ? comma : closeParenthesis)) throw this.#unexpected(next, i < last);
      cursor.at++;
    }
  }

  /** Too few or too many values, or something that ends no value. */
  #unexpected(byte: number | undefined, more: boolean): Error {
    if (byte === (more ? closeParenthesis : comma)) return new FaultError(refusals.illegalColumnCount);
    return this.#cursor.syntaxError(more ? ', expected' : ') expected');
  }

  #time(shape: TableShape, block: OpenBlock, row: number): void {
    const { times } = shape;
    if (!times.read()) throw primaryTimeNull();
    const { ticks } = times;
    if (compareSigned(ticks, shape.minTicks) < 0 || compareSigned(ticks, shape.maxTicks) > 0) {
      throw timestampOutOfRange();
    }
    block.builder.timeWords[2 * row] = ticks[0]!;
    block.builder.timeWords[2 * row + 1] = ticks[1]!;
  }

  /** Finds the series of a `tbname` value; a tag is passed, and read later should the series be new. */
  #seriesPart(field: Field, position: number, index: SeriesIndex): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#valuesAt[position] = start;
    if (field.kind === FieldKind.tag) {
      cursor.skipValue();
      if (cursor.at === start) throw cursor.syntaxError('invalid data or symbol');
      return;
    }
    const token = cursor.readValue();
    if (token === Token.null) throw invalidOperation('tbname column can not be null');
    if (token !== Token.string) throw cursor.syntaxError('tbname value expected', start);
    this.#nameAt = start;
    this.#isKnown = index.find(cursor.text, cursor.textStart, cursor.textEnd);
  }

  #addSeries(series: SeriesOfRows): void {
    const cursor = this.#cursor;
    const after = cursor.at;
    cursor.at = this.#nameAt;
    cursor.readString();
    series.add(this.#valuesAt);
    cursor.at = after;
  }
}

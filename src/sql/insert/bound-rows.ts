import { isUtf8 } from 'node:buffer';
import { parseWellKnownText } from '../../bytes/geometry.js';
import { printWellKnownText } from '../../bytes/geometry-text.js';
import { compareSigned, setBigInt } from '../../bytes/words.js';
import { type BoundColumn, boundWidth, typeNumber, typeOfNumber } from '../../model/bound-rows.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { type ColumnDef, type DataType, isVariable } from '../../model/schema.js';
import { invalidOperation, primaryTimeNull, timestampOutOfRange, valueTooLong } from '../syntax/faults.js';
import type { OpenBlock } from './blocks.js';
import { readDecimal } from './convert-number.js';
import { Cursor } from './cursor.js';
import type { Field } from './field.js';
import type { RowSource } from './rows.js';
import type { Layout, TableShape } from './shape.js';

/** Rows that a client has bound: the values of a column are copied together. */
export class BoundRows implements RowSource {
  readonly #tables: readonly (readonly BoundColumn[])[];
  #next = 0;

  constructor(tables: readonly (readonly BoundColumn[])[]) {
    this.#tables = tables;
  }

  scanRows(shape: TableShape, layout: Layout, block: OpenBlock, series: bigint): boolean {
    const columns = this.#tables[this.#next++] ?? [];
    const { positions } = layout;
    if (columns.length !== positions.length) throw new FaultError(refusals.illegalColumnCount);
    const { builder } = block;
    const first = builder.rows;
    const rows = columns[0]?.rows ?? 0;
    if (rows === 0) throw invalidOperation('no data is bound');
    block.reserveRows(rows);
    const fields = block.fieldsOf(layout);
    new BigUint64Array(builder.idWords.buffer, builder.idWords.byteOffset, builder.idWords.length / 2).fill(
      series,
      first,
      first + rows,
    );
    for (const [at, column] of columns.entries()) {
      const field = fields[at]!;
      if (field.builder === undefined) putTimes(shape, builder.timeWords, first, column);
      else putColumn(field, first, column);
    }
    builder.rows += rows;
    return false;
  }

  scanNamedRows(): never {
    throw invalidOperation('bound rows of a super table need the name of their sub-table as a parameter');
  }

  skipRows(): boolean {
    this.#next++;
    return false;
  }
}

function putTimes(shape: TableShape, words: Uint32Array, first: number, column: BoundColumn): void {
  const { rows, nulls, values, type } = column;
  if (typeOfNumber(type) !== 'TIMESTAMP') throw otherType(shape.table.timeColumn, 'TIMESTAMP', type);
  if (nulls.some((isNull) => isNull !== 0)) throw primaryTimeNull();
  new Uint8Array(words.buffer, words.byteOffset + first * 8, rows * 8).set(values.subarray(0, rows * 8));
  const ticks = new Uint32Array(2);
  for (let row = first; row < first + rows; row++) {
    ticks[0] = words[2 * row]!;
    ticks[1] = words[2 * row + 1]!;
    if (compareSigned(ticks, shape.minTicks) < 0 || compareSigned(ticks, shape.maxTicks) > 0)
      throw timestampOutOfRange();
  }
}

function putColumn(field: Field, first: number, column: BoundColumn): void {
  const { column: definition, builder } = field;
  if (definition === undefined || builder === undefined) throw new Error('A field has no column.');
  const { type } = definition;
  if (column.nulls.indexOf(0) < 0) return;
  if (type.name === 'DECIMAL') putDecimals(field, definition, first, column);
  else {
    requireType(definition, column);
    if (isVariable(type.name)) putTexts(field, definition, first, column);
    else putFixed(field, definition, first, column);
  }
}

function putFixed(field: Field, definition: ColumnDef, first: number, column: BoundColumn): void {
  const { builder } = field;
  if (builder === undefined) throw new Error('A field has no column.');
  const { values } = builder;
  if (values === undefined) throw new Error('A column of fixed width has no values.');
  const { rows, nulls } = column;
  const width = boundWidth(column.type);
  const bytes = new Uint8Array(values.buffer, values.byteOffset + first * width, rows * width);
  bytes.set(column.values.subarray(0, rows * width));
  let filled = 0;
  for (let row = 0; row < rows; row++) {
    const isNull = nulls[row] === 0 ? 0 : 1;
    builder.nulls[first + row] = isNull;
    // What a client has below a NULL means nothing; see docs/decisions/050.
    if (isNull === 1) bytes.fill(0, row * width, (row + 1) * width);
    filled += 1 - isNull;
  }
  builder.filled += filled;
  checkValues(field, definition, first, column);
}

/** What the bits of a type allow, and its values do not. */
function checkValues(field: Field, { name, type }: ColumnDef, first: number, { rows, nulls }: BoundColumn): void {
  if (type.name === 'BOOL') {
    for (let row = first; row < first + rows; row++) if (field.bytes[row]! > 1) field.bytes[row] = 1;
  } else if (type.name === 'FLOAT' || type.name === 'DOUBLE') {
    const values = type.name === 'FLOAT' ? field.floats : field.doubles;
    for (let row = 0; row < rows; row++) {
      if (nulls[row] === 0 && !Number.isFinite(values[first + row])) {
        throw badValue(name, row, `${values[first + row]} is no ${type.name}`);
      }
    }
  }
}

function requireType({ name, type }: ColumnDef, column: BoundColumn): void {
  if (typeNumber(type) !== column.type) throw otherType(name, type.name, column.type);
}

function putTexts(field: Field, definition: ColumnDef, first: number, column: BoundColumn): void {
  const { rows, nulls, lengths, values } = column;
  const { builder } = field;
  if (builder === undefined || lengths === undefined) throw new Error('A column of texts has no lengths.');
  const { name, type } = definition;
  const isText = type.name === 'VARCHAR' || type.name === 'NCHAR' || type.name === 'JSON';
  const isWhole = !isText || isUtf8(values);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    if (nulls[row] !== 0) continue;
    const end = at + lengths[row]!;
    // A text that begins within a character of the one before it is none.
    if (isText && (!isWhole || (end > at && (values[at]! & 0xc0) === 0x80))) requireUtf8(name, row, values, at, end);
    if (end - at > type.length && (type.name !== 'NCHAR' || characters(values, at, end) > type.length)) {
      throw valueTooLong(name);
    }
    if (type.name === 'GEOMETRY') requireGeometry(name, row, values.subarray(at, end));
    builder.putBytes(first + row, values, at, end);
    at = end;
  }
}

function requireUtf8(name: string, row: number, values: Uint8Array, at: number, end: number): void {
  if (!isUtf8(values.subarray(at, end))) throw badValue(name, row, 'the text is not UTF-8');
}

function characters(values: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if ((values[at]! & 0xc0) !== 0x80) count++;
  return count;
}

function requireGeometry(name: string, row: number, value: Uint8Array): void {
  if (!isGeometry(value)) throw badValue(name, row, 'the bytes are no geometry in little-endian well-known binary');
}

/** True for bytes that well-known text of the same geometry stands for. */
export function isGeometry(value: Uint8Array): boolean {
  try {
    const again = parseWellKnownText(printWellKnownText(value));
    return again !== undefined && Buffer.compare(again, value) === 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Decimals are bound as texts. */
function putDecimals(field: Field, { name, type }: ColumnDef, first: number, column: BoundColumn): void {
  const { rows, nulls, lengths, values } = column;
  const bound = typeOfNumber(column.type);
  if (lengths === undefined || (bound !== 'DECIMAL' && bound !== 'VARCHAR'))
    throw otherType(name, type.name, column.type);
  const text = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const words = new Uint32Array(2);
  const perRow = wordsPerRow(type);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    if (nulls[row] !== 0) continue;
    const end = at + lengths[row]!;
    const cursor = new Cursor(text.subarray(at, end));
    const value = readDecimal(cursor, type);
    if (value === undefined || cursor.at < cursor.end) throw badValue(name, row, 'the text is no decimal');
    setBigInt(words, value);
    field.words.set(words, perRow * (first + row));
    if (perRow === 4) {
      setBigInt(words, value >> 64n);
      field.words.set(words, perRow * (first + row) + 2);
    }
    field.wrote(first + row);
    at = end;
  }
}

/** Words of 32 bits that a decimal takes in a block. */
function wordsPerRow({ length }: DataType): number {
  return length > 18 ? 4 : 2;
}

function otherType(name: string, type: string, bound: number): FaultError {
  const message = `Invalid parameters: column ${name} has the type ${type}, and ${typeOfNumber(bound) ?? bound} is bound`;
  return new FaultError(fault('parameter', Codes.invalidParameters, message));
}

function badValue(name: string, row: number, reason: string): FaultError {
  return new FaultError(
    fault('parameter', Codes.invalidParameters, `Invalid parameters: column ${name}, row ${row + 1}: ${reason}`),
  );
}

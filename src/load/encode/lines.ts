import { comma, space } from '../../bytes/ascii.js';
import { wholeParts } from '../../bytes/whole-parts.js';
import type { Precision, TypeName } from '../../model/schema.js';
import type { FieldPlan, SchemalessFormat } from '../model/scenario.js';
import type { ByteWriter } from './byte-writer.js';
import { CellKind, type ColumnCells } from './column-cells.js';
import { type PartText, RowEncoder, type RowFormat, refused } from './row-encoder.js';
import { TagLookup, type TagRowsOf } from './tag-rows.js';

const none = new Uint8Array(0);

/** Names in schemaless texts of the tables that rows go to. */
export interface LinesTarget {
  readonly format: SchemalessFormat;
  readonly superTable: string;
  /** Tick of the rows' times. */
  readonly precision: Precision;
  readonly tags: readonly FieldPlan[];
  readonly tagRows: TagRowsOf;
  nameOf(table: number): string;
  /** Telnet lines begin with `put`, as listeners expect them. */
  readonly put: boolean;
}

/**
 * Encodes rows as schemaless text: line protocol with all columns, telnet lines or JSON objects with the first column alone, as their
 * points have one value. Tags are texts to the service whatever their type, so they are written without quotes or suffixes; those that
 * are NULL or empty are left out, as no format can say them. Telnet lines and plain JSON tell time in milliseconds.
 */
export function linesEncoder(target: LinesTarget, maxBytes: number): RowEncoder {
  const { format } = target;
  if (format === 'line') return new RowEncoder(new LineFormat(target), maxBytes);
  if (format === 'telnet') return new RowEncoder(new TelnetFormat(target), maxBytes);
  return new RowEncoder(new JsonFormat(target, format === 'taosjson'), maxBytes);
}

/** Suffixes of line protocol and telnet values. */
const suffixes: Partial<Record<TypeName, string>> = {
  TINYINT: 'i8',
  SMALLINT: 'i16',
  INT: 'i32',
  BIGINT: 'i64',
  TIMESTAMP: 'i64',
  'TINYINT UNSIGNED': 'u8',
  'SMALLINT UNSIGNED': 'u16',
  'INT UNSIGNED': 'u32',
  'BIGINT UNSIGNED': 'u64',
  FLOAT: 'f32',
  DOUBLE: 'f64',
  BOOL: '',
};

/** Types of typed JSON. There are no unsigned ones: the next wider type holds their values. */
const jsonTypes: Partial<Record<TypeName, string>> = {
  BOOL: 'bool',
  TINYINT: 'tinyint',
  SMALLINT: 'smallint',
  INT: 'int',
  BIGINT: 'bigint',
  TIMESTAMP: 'bigint',
  'TINYINT UNSIGNED': 'smallint',
  'SMALLINT UNSIGNED': 'int',
  'INT UNSIGNED': 'bigint',
  'BIGINT UNSIGNED': 'bigint',
  FLOAT: 'float',
  DOUBLE: 'double',
  VARCHAR: 'binary',
  NCHAR: 'nchar',
};

/** The tags of tables that have a value. */
function givenTags({ tags, tagRows }: LinesTarget) {
  const lookup = new TagLookup(tagRows);
  return (table: number): { readonly tag: FieldPlan; readonly value: string }[] => {
    const values = lookup.of(table);
    return tags.flatMap((tag, i) => {
      const value = values[i];
      return value === undefined || value === '' ? [] : [{ tag, value }];
    });
  };
}

class LineFormat implements RowFormat {
  readonly wire = 'lineproto';
  readonly bodyName = 'line';
  readonly beginning = none;
  readonly end = none;
  readonly dropped = 0;
  readonly timeLast = true;
  readonly #superTable: string;
  readonly #tags: ReturnType<typeof givenTags>;
  readonly #tail = Buffer.from('\n');
  readonly #names = new Map<string, Buffer>();

  constructor(target: LinesTarget) {
    this.#superTable = escaped(target.superTable, /[, ]/g);
    this.#tags = givenTags(target);
  }

  part(table: number): PartText {
    const key = [this.#superTable];
    for (const { tag, value } of this.#tags(table)) {
      key.push(`${escaped(tag.name, /[,= ]/g)}=${escaped(value, /[,= ]/g)}`);
    }
    return { opening: none, head: Buffer.from(`${key.join(',')} `), tail: this.#tail };
  }

  writeTime(out: ByteWriter, low: number, high: number): void {
    if (high >= 0x80000000) throw before1970();
    out.wide(low, high, false);
  }

  writeBody(out: ByteWriter, cells: readonly ColumnCells[], row: number): void {
    let isFirst = true;
    for (const cell of cells) {
      if (!cell.seek(row)) continue;
      if (!isFirst) out.byte(comma);
      isFirst = false;
      out.copy(this.#nameOf(cell.name));
      writeLineValue(out, cell, row);
    }
    if (isFirst) throw refused('a row whose values are all NULL cannot be written as line protocol');
    out.byte(space);
  }

  /** The name of a field with its equals sign. */
  #nameOf(name: string): Buffer {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${escaped(name, /[,= ]/g)}=`);
    this.#names.set(name, bytes);
    return bytes;
  }
}

class TelnetFormat implements RowFormat {
  readonly wire = 'tsdbwire-telnet';
  readonly bodyName = 'telnet';
  readonly beginning = none;
  readonly end = none;
  readonly dropped = 0;
  readonly timeLast = false;
  readonly #tags: ReturnType<typeof givenTags>;
  readonly #head: Buffer;
  readonly #ticksPerMilli: number;

  constructor(target: LinesTarget) {
    this.#tags = givenTags(target);
    this.#head = Buffer.from(`${target.put ? 'put ' : ''}${word(target.superTable)} `);
    this.#ticksPerMilli = ticksPerMilli(target.precision);
  }

  part(table: number): PartText {
    const tags = this.#tags(table).map(({ tag, value }) => `${word(tag.name)}=${word(value)}`);
    return { opening: none, head: this.#head, tail: Buffer.from(` ${tags.join(' ')}\n`) };
  }

  writeTime(out: ByteWriter, low: number, high: number): void {
    writeMillis(out, low, high, this.#ticksPerMilli);
  }

  writeBody(out: ByteWriter, cells: readonly ColumnCells[], row: number): void {
    out.byte(space);
    const cell = firstCell(cells, row);
    if (cell.kind === CellKind.text && cell.entry.bytes.subarray(cell.entry.start, cell.entry.end).includes(0x0a)) {
      throw refused('a text with a line break cannot be written as a telnet line');
    }
    writeLineValue(out, cell, row);
  }
}

class JsonFormat implements RowFormat {
  readonly wire = 'tsdbwire-json';
  readonly bodyName: string;
  readonly beginning = Buffer.from('[');
  readonly end = Buffer.from(']');
  /** The comma behind the last object. */
  readonly dropped = 1;
  readonly timeLast = false;
  readonly #target: LinesTarget;
  readonly #tags: ReturnType<typeof givenTags>;
  readonly #typed: boolean;
  readonly #head: Buffer;
  readonly #beforeValue: string;
  readonly #ticksPerMilli: number;

  constructor(target: LinesTarget, typed: boolean) {
    const { superTable, precision, format } = target;
    this.bodyName = `${format} ${precision}`;
    this.#target = target;
    this.#tags = givenTags(target);
    this.#typed = typed;
    this.#head = Buffer.from(`{"metric":${JSON.stringify(superTable)},"timestamp":${typed ? '{"value":' : ''}`);
    this.#beforeValue = typed ? `,"type":"${precision}"},"value":{"value":` : ',"value":';
    this.#ticksPerMilli = ticksPerMilli(precision);
  }

  part(table: number): PartText {
    const members = this.#tags(table).map(({ tag, value }) => {
      return `${JSON.stringify(tag.name)}:${this.#tagValue(tag.type.name, value)}`;
    });
    if (this.#typed) members.unshift(`"id":${JSON.stringify(this.#target.nameOf(table))}`);
    return { opening: none, head: this.#head, tail: Buffer.from(`,"tags":{${members.join(',')}}},`) };
  }

  writeTime(out: ByteWriter, low: number, high: number): void {
    if (!this.#typed) writeMillis(out, low, high, this.#ticksPerMilli);
    else if (high >= 0x80000000) throw before1970();
    else out.wide(low, high, false);
  }

  writeBody(out: ByteWriter, cells: readonly ColumnCells[], row: number): void {
    out.text(this.#beforeValue);
    const cell = firstCell(cells, row);
    if (cell.kind === CellKind.text) out.text(JSON.stringify(textOf(cell)));
    else cell.write(out, row);
    if (this.#typed) out.text(`,"type":"${jsonTypeOf(cell.type.name)}"}`);
  }

  #tagValue(type: TypeName, value: string): string {
    const text = jsonTypes[type] === 'binary' || jsonTypes[type] === 'nchar' || type === 'JSON';
    const literal = text ? JSON.stringify(value) : value;
    return this.#typed ? `{"value":${literal},"type":"${type === 'JSON' ? 'nchar' : jsonTypeOf(type)}"}` : literal;
  }
}

function jsonTypeOf(type: TypeName): string {
  const name = jsonTypes[type];
  if (name === undefined) throw refused(`a value of type ${type} cannot be written as JSON`);
  return name;
}

/** The first column of a row, the one value that a point has. */
function firstCell(cells: readonly ColumnCells[], row: number): ColumnCells {
  const cell = cells[0];
  if (cell?.seek(row) === true) return cell;
  throw refused('a row whose first column is NULL has no value to be sent');
}

/** A number with the suffix of its type, true or false, or a string. */
function writeLineValue(out: ByteWriter, cell: ColumnCells, row: number): void {
  if (cell.kind === CellKind.text) {
    const text = textOf(cell).replace(/["\\]/g, '\\$&');
    out.text(cell.type.name === 'NCHAR' ? `L"${text}"` : `"${text}"`);
    return;
  }
  const suffix = suffixes[cell.type.name];
  if (suffix === undefined) throw refused(`a value of type ${cell.type.name} cannot be written in a line`);
  cell.write(out, row);
  out.text(suffix);
}

function textOf({ entry: { bytes, start, end } }: ColumnCells): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
}

/** Puts a backslash before letters that part a line. A text that ends in a backslash, or has line breaks, cannot be said. */
function escaped(text: string, parting: RegExp): string {
  if (/[\r\n]|\\$/.test(text)) throw refused(`${JSON.stringify(text)} cannot be written as line protocol`);
  return text.replace(parting, '\\$&');
}

/** A word of a telnet line, which has no escapes: what would part it becomes an underscore. */
function word(text: string): string {
  return text.replace(/[\s=]/g, '_');
}

function ticksPerMilli(precision: Precision): number {
  return precision === 'ms' ? 1 : precision === 'us' ? 1e3 : 1e6;
}

/** Writes milliseconds, which are told from seconds by their 13 digits. */
function writeMillis(out: ByteWriter, low: number, high: number, perMilli: number): void {
  const millis = wholeParts(low, high, perMilli);
  if (millis < 0) throw before1970();
  if (millis < 1e12 || millis >= 1e13) {
    throw refused(`a time of ${millis} ms since 1970 does not have the 13 digits that this format needs`);
  }
  out.integer(millis);
}

function before1970(): Error {
  return refused('a time before 1970 cannot be written without a schema');
}

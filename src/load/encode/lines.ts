import { comma, space } from '../../bytes/ascii.js';
import { wholeParts } from '../../bytes/whole-parts.js';
import { type DataType, isVariable, type Precision, type TypeName } from '../../model/schema.js';
import type { FieldPlan, SchemalessFormat } from '../model/scenario.js';
import type { ByteWriter } from './byte-writer.js';
import type { ColumnCells } from './column-cells.js';
import { RowEncoder, type RowFormat, refused } from './row-encoder.js';
import { TagLookup, type TagRowsOf } from './tag-rows.js';

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
 * Encodes rows as schemaless text: line protocol with all columns, telnet lines or JSON objects with the first column
 * alone, as their points have one value. Tags are texts to the service whatever their type, so they are written without
 * quotes or suffixes; those that are NULL or empty are left out, as no format can say them. Telnet lines and plain JSON
 * have times in milliseconds.
 */
export function linesEncoder(target: LinesTarget, maxBytes: number): RowEncoder {
  const { format } = target;
  if (format === 'line') return new RowEncoder(lineFormat(target), maxBytes);
  if (format === 'telnet') return new RowEncoder(telnetFormat(target), maxBytes);
  return new RowEncoder(jsonFormat(target, format === 'taosjson'), maxBytes);
}

/** Suffix of a value of line protocol and telnet: its kind and width in bits. */
function suffixOf({ name, length }: DataType): string {
  if (name === 'BOOL') return '';
  const kind = name === 'FLOAT' || name === 'DOUBLE' ? 'f' : name.endsWith('UNSIGNED') ? 'u' : 'i';
  return `${kind}${length * 8}`;
}

/**
 * Names of types in typed JSON, where they differ. There are no unsigned ones: the next wider type holds their values.
 */
const jsonTypes: Partial<Record<TypeName, string>> = {
  TIMESTAMP: 'bigint',
  'TINYINT UNSIGNED': 'smallint',
  'SMALLINT UNSIGNED': 'int',
  'INT UNSIGNED': 'bigint',
  'BIGINT UNSIGNED': 'bigint',
  VARCHAR: 'binary',
  JSON: 'nchar',
};

function jsonTypeOf(type: TypeName): string {
  return jsonTypes[type] ?? type.toLowerCase();
}

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

function lineFormat(target: LinesTarget): RowFormat {
  const superTable = escaped(target.superTable, /[, ]/g);
  const tagsOf = givenTags(target);
  const tail = Buffer.from('\n');
  const names = new Map<string, Buffer>();
  /** The name of a field with its equals sign. */
  const nameOf = (name: string): Buffer => {
    const bytes = names.get(name) ?? Buffer.from(`${escaped(name, /[,= ]/g)}=`);
    names.set(name, bytes);
    return bytes;
  };
  return {
    wire: 'lineproto',
    bodyName: 'line',
    timeLast: true,
    part: (table) => {
      const tags = tagsOf(table).map(({ tag, value }) => `,${escaped(tag.name, /[,= ]/g)}=${escaped(value, /[,= ]/g)}`);
      return { head: Buffer.from(`${superTable}${tags.join('')} `), tail };
    },
    writeTime: writeTicks,
    writeBody: (out, cells, row) => {
      let isFirst = true;
      for (const cell of cells) {
        if (!cell.seek(row)) continue;
        if (!isFirst) out.byte(comma);
        isFirst = false;
        out.copy(nameOf(cell.name));
        writeLineValue(out, cell, row);
      }
      if (isFirst) throw refused('a row whose values are all NULL cannot be written as line protocol');
      out.byte(space);
    },
  };
}

function telnetFormat(target: LinesTarget): RowFormat {
  const tagsOf = givenTags(target);
  const head = Buffer.from(`${target.put ? 'put ' : ''}${word(target.superTable)} `);
  return {
    wire: 'tsdbwire-telnet',
    bodyName: 'telnet',
    part: (table) => {
      const tags = tagsOf(table).map(({ tag, value }) => `${word(tag.name)}=${word(value)}`);
      return { head, tail: Buffer.from(` ${tags.join(' ')}\n`) };
    },
    writeTime: millisWriter(target.precision),
    writeBody: (out, cells, row) => {
      out.byte(space);
      const cell = firstCell(cells, row);
      if (cell.isText && cell.entry.bytes.subarray(cell.entry.start, cell.entry.end).includes(0x0a)) {
        throw refused('a text with a line break cannot be written as a telnet line');
      }
      writeLineValue(out, cell, row);
    },
  };
}

function jsonFormat(target: LinesTarget, typed: boolean): RowFormat {
  const { superTable, precision, format } = target;
  const tagsOf = givenTags(target);
  const beforeValue = typed ? `,"type":"${precision}"},"value":{"value":` : ',"value":';
  const head = Buffer.from(`{"metric":${JSON.stringify(superTable)},"timestamp":${typed ? '{"value":' : ''}`);
  const tagValue = (type: TypeName, value: string): string => {
    const literal = isVariable(type) ? JSON.stringify(value) : value;
    return typed ? `{"value":${literal},"type":"${jsonTypeOf(type)}"}` : literal;
  };
  return {
    wire: 'tsdbwire-json',
    bodyName: `${format} ${precision}`,
    beginning: Buffer.from('['),
    end: Buffer.from(']'),
    // The comma behind the last object.
    dropped: 1,
    part: (table) => {
      const members = tagsOf(table).map(
        ({ tag, value }) => `${JSON.stringify(tag.name)}:${tagValue(tag.type.name, value)}`,
      );
      if (typed) members.unshift(`"id":${JSON.stringify(target.nameOf(table))}`);
      return { head, tail: Buffer.from(`,"tags":{${members.join(',')}}},`) };
    },
    writeTime: typed ? writeTicks : millisWriter(precision),
    writeBody: (out, cells, row) => {
      out.text(beforeValue);
      const cell = firstCell(cells, row);
      if (cell.isText) out.text(JSON.stringify(cell.text()));
      else cell.write(out, row);
      if (typed) out.text(`,"type":"${jsonTypeOf(cell.type.name)}"}`);
    },
  };
}

/** The first column of a row, the one value that a point has. */
function firstCell(cells: readonly ColumnCells[], row: number): ColumnCells {
  const cell = cells[0];
  if (cell?.seek(row) === true) return cell;
  throw refused('a row whose first column is NULL has no value to be sent');
}

/** A number with the suffix of its type, true or false, or a string. */
function writeLineValue(out: ByteWriter, cell: ColumnCells, row: number): void {
  if (cell.isText) {
    const text = cell.text().replace(/["\\]/g, '\\$&');
    out.text(cell.type.name === 'NCHAR' ? `L"${text}"` : `"${text}"`);
    return;
  }
  cell.write(out, row);
  out.text(suffixOf(cell.type));
}

/** Escapes separators of a line. There is no form for a text that ends in a backslash or has line breaks. */
function escaped(text: string, parting: RegExp): string {
  if (/[\r\n]|\\$/.test(text)) throw refused(`${JSON.stringify(text)} cannot be written as line protocol`);
  return text.replace(parting, '\\$&');
}

/** A word of a telnet line, which has no escapes: what would part it becomes an underscore. */
function word(text: string): string {
  return text.replace(/[\s=]/g, '_');
}

function writeTicks(out: ByteWriter, low: number, high: number): void {
  if (high >= 0x80000000) throw before1970();
  out.wide(low, high, false);
}

/** Writes milliseconds, which parsers distinguish from seconds by their 13 digits. */
function millisWriter(precision: Precision): RowFormat['writeTime'] {
  const perMilli = precision === 'ms' ? 1 : precision === 'us' ? 1e3 : 1e6;
  return (out, low, high) => {
    const millis = wholeParts(low, high, perMilli);
    if (millis < 0) throw before1970();
    if (millis < 1e12 || millis >= 1e13) {
      throw refused(`a time of ${millis} ms since 1970 does not have the 13 digits that this format needs`);
    }
    out.integer(millis);
  };
}

function before1970(): Error {
  return refused('a time before 1970 cannot be written without a schema');
}

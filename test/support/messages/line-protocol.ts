import type { Column, ColumnBlock } from '../../../src/model/column-block.js';
import type { DatabaseDef, Precision, SubTable, TableDef, TagValue, TypeName } from '../../../src/model/schema.js';
import { dataType } from '../../../src/model/schema.js';
import { parseLineProtocol } from '../../../src/transforms/parse/lineproto.js';
import type { ParsedPoints, ParseOptions } from '../../../src/transforms/points/parse-options.js';
import { SeriesDictionary } from '../../../src/transforms/points/series-dictionary.js';

/** A value as it comes back from a block; bytes of VARBINARY and GEOMETRY as hexadecimal text. */
export interface ReadValue {
  readonly type: TypeName;
  readonly value: number | bigint | boolean | string;
}

/** One row of a block, with the tags of its sub-table; NULL fields are left out. */
export interface ReadRow {
  readonly table: string;
  readonly subTable: string;
  readonly tags: Readonly<Record<string, TagValue>>;
  readonly time: bigint;
  readonly fields: Readonly<Record<string, ReadValue>>;
}

/** Now, for lines without a time, in every test. */
export const nowTicks = 1_234_567_890n;

export function databaseOf(precision: Precision = 'ns', id = '1'): DatabaseDef {
  return { id, name: 'demo', precision, keepDays: 3650, options: {}, created: 0 };
}

/** A super table with the given columns and tags. */
export function superTable(
  name: string,
  columns: Readonly<Record<string, readonly [TypeName, number?]>>,
  tags: readonly string[] = [],
): TableDef {
  const columnList = Object.entries(columns);
  return {
    id: name,
    database: 'demo',
    name,
    kind: 'super',
    timeColumn: '_ts',
    columns: columnList.map(([c, [type, length]]) => ({ name: c, type: dataType(type, length), physical: c })),
    tags: tags.map((tag) => ({ name: tag, type: dataType('NCHAR', 16), physical: tag })),
    storage: name,
    tagStorage: name,
    seriesId: undefined,
    comment: undefined,
    ttl: 0,
    created: 0,
    revision: 1,
  };
}

/** A schema, its sub-tables and a dictionary, for calls of the parser that belong together. */
export class LineProtocolDesk {
  readonly tables = new Map<string, TableDef>();
  readonly views = new Map<string, object>();
  readonly subTables = new Map<string, SubTable>();
  readonly byId = new Map<bigint, SubTable>();
  dictionary = new SeriesDictionary();
  created = 0;
  readonly #precision: Precision;
  readonly #parser: (bytes: Uint8Array, options: ParseOptions) => ParsedPoints;

  constructor(precision: Precision = 'ns', parser = parseLineProtocol) {
    this.#precision = precision;
    this.#parser = parser;
  }

  options(more: Partial<ParseOptions> = {}): ParseOptions {
    const database = databaseOf(this.#precision);
    return {
      database,
      precision: 'ns',
      nowTicks,
      ttl: 0,
      schema: { table: (_, name) => this.tables.get(name), view: (_, name) => this.views.get(name) },
      dictionary: this.dictionary,
      makeSubTable: (superTableName, name, tags, ttl) => this.#make(superTableName, name, tags, ttl),
      ...more,
    };
  }

  parse(text: string | Uint8Array, more: Partial<ParseOptions> = {}): ParsedPoints {
    return this.#parser(typeof text === 'string' ? Buffer.from(text) : text, this.options(more));
  }

  /** Rows of all blocks, table by table. */
  rows(parsed: ParsedPoints): ReadRow[] {
    return parsed.blocks.flatMap((block) => this.#rowsOf(block));
  }

  /** Parses and reads back in one go. */
  read(text: string | Uint8Array, more: Partial<ParseOptions> = {}): ReadRow[] {
    return this.rows(this.parse(text, more));
  }

  #make(superTableName: string, name: string, tags: ReadonlyMap<string, TagValue>, ttl: number): SubTable {
    this.created++;
    const known = this.subTables.get(name);
    if (known !== undefined) return known;
    const id = BigInt(`0x${Buffer.from(name).toString('hex').slice(-16)}`);
    const subTable: SubTable = { key: id, id, name, superTable: superTableName, tags, ttl, registered: false };
    this.subTables.set(name, subTable);
    this.byId.set(id, subTable);
    return subTable;
  }

  #rowsOf(block: ColumnBlock): ReadRow[] {
    const columns = block.columns.map((column) => ({ column, values: valuesOf(column, block.rows) }));
    return Array.from({ length: block.rows }, (_, row): ReadRow => {
      const subTable = this.byId.get(block.ids[row]!);
      const fields: Record<string, ReadValue> = Object.create(null);
      for (const { column, values } of columns) {
        const value = values[row];
        if (value !== undefined) fields[column.name] = { type: column.type.name, value };
      }
      return {
        table: block.table,
        subTable: subTable?.name ?? '',
        tags: Object.fromEntries(subTable?.tags ?? []),
        time: block.times[row]!,
        fields: { ...fields },
      };
    });
  }
}

/** Values of a column by row, undefined where NULL. */
export function valuesOf(column: Column, rows: number): (ReadValue['value'] | undefined)[] {
  const variable = column.pool === undefined ? [] : poolValues(column.pool, column.type.name);
  return Array.from({ length: rows }, (_, row) => {
    if (column.nulls[row] === 1) return undefined;
    if (column.values === undefined) return variable[row];
    const value = column.values[row]!;
    return column.type.name === 'BOOL' ? value === 1 : value;
  });
}

function poolValues(pool: Uint8Array, type: TypeName): string[] {
  const values: string[] = [];
  for (let at = 0; at < pool.length; ) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = pool[at++]!;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const text = type === 'VARCHAR' || type === 'NCHAR';
    values.push(Buffer.from(pool.subarray(at, at + length)).toString(text ? 'utf8' : 'hex'));
    at += length;
  }
  return values;
}

/** One point to print. Field values are ready text, as {@link printValue} makes it. */
export interface Point {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, ReadValue>>;
  readonly time: bigint | undefined;
}

function escapeName(name: string): string {
  return name.replace(/[,= ]/g, '\\$&');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

const suffixes: Partial<Record<TypeName, string>> = {
  TINYINT: 'i8',
  SMALLINT: 'i16',
  INT: 'i32',
  BIGINT: 'i',
  'TINYINT UNSIGNED': 'u8',
  'SMALLINT UNSIGNED': 'u16',
  'INT UNSIGNED': 'u32',
  'BIGINT UNSIGNED': 'u',
  FLOAT: 'f32',
};

/** A value as line protocol writes it. */
export function printValue({ type, value }: ReadValue): string {
  if (type === 'VARCHAR') return quoted(String(value));
  if (type === 'NCHAR') return `L${quoted(String(value))}`;
  if (type === 'VARBINARY') return `B"\\x${value}"`;
  if (typeof value === 'number' && !Number.isInteger(value)) return `${value}`.toLowerCase() + (suffixes[type] ?? '');
  return Object.is(value, -0) ? `-0${suffixes[type] ?? ''}` : `${value}${suffixes[type] ?? ''}`;
}

/** A point as one line without its line break. */
export function printPoint(point: Point): string {
  const measurement = point.measurement.replace(/[, ]/g, '\\$&');
  const tags = Object.entries(point.tags).map(([name, value]) => `,${escapeName(name)}=${escapeName(value)}`);
  const fields = Object.entries(point.fields).map(([name, value]) => `${escapeName(name)}=${printValue(value)}`);
  const time = point.time === undefined ? '' : ` ${point.time}`;
  return `${measurement}${tags.join('')} ${fields.join(',')}${time}`;
}

/** The message of the only rejected line. */
export function rejection(text: string | Uint8Array): string {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse(text);
  return parsed.rejectedRows === 1 && parsed.rows === 0 ? parsed.rejects[0]!.fault.message : `rows: ${parsed.rows}`;
}

/** The value of the only field of one line. */
export function onlyValue(text: string): ReadValue | string {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse(`m v=${text} 1`);
  return desk.rows(parsed)[0]?.fields.v ?? parsed.rejects[0]!.fault.message;
}

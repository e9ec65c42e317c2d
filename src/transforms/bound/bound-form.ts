import { type BindField, type BoundColumn, type BoundTable, boundWidth, typeOfNumber } from '../../model/bound-rows.js';
import { Codes, FaultError, fault } from '../../model/fault.js';

/**
 * The form in which clients bind rows (action 9 of WebSocket), and in which the write-ahead log has them: total length,
 * number of tables, of tags and of columns, and where names, tags and columns begin, 32 bits each. Names follow their
 * lengths of 16 bits; tags and columns of each table follow the lengths of all tables. Each of them is its length, type
 * and rows, a byte per row that says whether it is NULL, a byte that says whether lengths follow, the length of the
 * values, and the values.
 */
const headerBytes = 28;
/** More tables in one message are refused before any is read. */
const maxTables = 1_000_000;
const maxColumns = 8_192;

/** The error of a message that does not have the form. */
export function badBinding(reason: string): FaultError {
  return new FaultError(fault('parameter', Codes.invalidParameters, `Invalid parameters: ${reason}`));
}

/** Reads bound tables; the columns share the memory of `bytes`. Throws a FaultError for bytes of another form. */
export function readBoundTables(bytes: Buffer): readonly BoundTable[] {
  if (bytes.length < headerBytes) throw badBinding('the bound data is too short');
  const [length, tables, tags, columns] = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const [namesAt, tagsAt, columnsAt] = [16, 20, 24].map((at) => bytes.readUInt32LE(at)) as [number, number, number];
  if (length > bytes.length) throw badBinding(`the bound data has ${length} bytes, and ${bytes.length} came`);
  if (tables === 0 || tables > maxTables) throw badBinding(`there are ${tables} tables`);
  if (tags > maxColumns || columns > maxColumns) throw badBinding(`there are ${tags} tags and ${columns} columns`);
  const data = bytes.subarray(0, length);
  const names = namesAt === 0 ? undefined : readNames(data, namesAt, tables);
  const tagReader = tagsAt === 0 || tags === 0 ? undefined : new PartReader(data, tagsAt, tables, 'tags');
  const columnReader =
    columnsAt === 0 || columns === 0 ? undefined : new PartReader(data, columnsAt, tables, 'columns');
  return Array.from({ length: tables }, (_, table): BoundTable => {
    const name = names?.[table];
    return {
      name: name === '' ? undefined : name,
      tags: tagReader?.next(tags) ?? [],
      columns: sameRows(columnReader?.next(columns) ?? []),
    };
  });
}

function sameRows(columns: readonly BoundColumn[]): readonly BoundColumn[] {
  const rows = columns[0]?.rows;
  const other = columns.findIndex((column) => column.rows !== rows);
  if (other >= 0) throw badBinding(`column ${other + 1} has ${columns[other]?.rows} rows, and column 1 has ${rows}`);
  return columns;
}

function readNames(data: Buffer, start: number, tables: number): readonly string[] {
  let at = start + tables * 2;
  if (start < headerBytes || at > data.length) throw badBinding('the names of tables lie outside of the data');
  return Array.from({ length: tables }, (_, table) => {
    const length = data.readUInt16LE(start + table * 2);
    if (at + length > data.length) throw badBinding(`the name of table ${table + 1} lies outside of the data`);
    const end = length > 0 && data[at + length - 1] === 0 ? at + length - 1 : at + length;
    const name = data.toString('utf8', at, end);
    at += length;
    return name;
  });
}

/** Reads the tags or the columns of one table after the other. */
class PartReader {
  readonly #data: Buffer;
  readonly #lengthsAt: number;
  readonly #word: string;
  #table = 0;
  #at: number;

  constructor(data: Buffer, start: number, tables: number, word: string) {
    this.#data = data;
    this.#lengthsAt = start;
    this.#word = word;
    this.#at = start + tables * 4;
    if (start < headerBytes || this.#at > data.length) throw badBinding(`the ${word} lie outside of the data`);
  }

  next(count: number): readonly BoundColumn[] {
    const length = this.#data.readUInt32LE(this.#lengthsAt + 4 * this.#table);
    this.#table++;
    const end = this.#at + length;
    if (end > this.#data.length) throw badBinding(`the ${this.#word} of table ${this.#table} lie outside of the data`);
    const part = this.#data.subarray(this.#at, end);
    this.#at = end;
    const columns: BoundColumn[] = [];
    for (let at = 0; columns.length < count; ) {
      const read = readColumn(part, at);
      columns.push(read.column);
      at = read.end;
    }
    return columns;
  }
}

/** Reads one column at a place, and gives where it ends. */
function readColumn(data: Buffer, start: number): { readonly column: BoundColumn; readonly end: number } {
  if (start + 17 > data.length) throw badBinding('a column lies outside of the data');
  const [length, type, rows] = [data.readUInt32LE(start), data.readUInt32LE(start + 4), data.readUInt32LE(start + 8)];
  const end = start + length;
  const nullsAt = start + 12;
  let at = nullsAt + rows + 1;
  if (length < 17 || end > data.length || at + 4 > end) throw badBinding('a column lies outside of the data');
  if (typeOfNumber(type) === undefined) throw badBinding(`there is no type ${type}`);
  const nulls = data.subarray(nullsAt, nullsAt + rows);
  const hasLengths = data[at - 1] === 1;
  const lengthsAt = at;
  if (hasLengths) at += rows * 4;
  if (at + 4 > end) throw badBinding('a column lies outside of the data');
  const valueBytes = data.readUInt32LE(at);
  at += 4;
  if (at + valueBytes > end) throw badBinding('the values of a column lie outside of the data');
  const values = data.subarray(at, at + valueBytes);
  const width = boundWidth(type);
  if (width > 0) {
    const needed = rows * width;
    if (valueBytes < needed && nulls.includes(0)) {
      throw badBinding(`${rows} values take ${needed} bytes, and ${valueBytes} came`);
    }
    return { column: { type, rows, nulls, lengths: undefined, values }, end };
  }
  const lengths = new Int32Array(rows);
  if (hasLengths) {
    let sum = 0;
    for (let row = 0; row < rows; row++) {
      if (nulls[row] !== 0) continue;
      const own = data.readUInt32LE(lengthsAt + row * 4);
      sum += own;
      if (sum > valueBytes) throw badBinding('the values of a column lie outside of the data');
      lengths[row] = own;
    }
  } else if (nulls.includes(0)) throw badBinding(`values of type ${type} need lengths`);
  return { column: { type, rows, nulls, lengths, values }, end };
}

/** Writes bound tables in the form that {@link readBoundTables} reads. */
export function writeBoundTables(tables: readonly BoundTable[]): Buffer {
  const [first] = tables;
  const hasNames = tables.some(({ name }) => name !== undefined);
  const names = hasNames ? tables.map(({ name = '' }) => Buffer.from(`${name}\0`)) : [];
  const tags = part(tables.map((table) => table.tags));
  const columns = part(tables.map((table) => table.columns));
  const namesAt = headerBytes;
  const namesBytes = names.reduce((sum, name) => sum + name.length, names.length * 2);
  const tagsAt = namesAt + namesBytes;
  const columnsAt = tagsAt + tags.bytes;
  const total = columnsAt + columns.bytes;
  const head = Buffer.alloc(headerBytes + names.length * 2);
  const hasTags = (first?.tags.length ?? 0) > 0;
  const hasColumns = (first?.columns.length ?? 0) > 0;
  const numbers = [
    total,
    tables.length,
    first?.tags.length ?? 0,
    first?.columns.length ?? 0,
    hasNames ? namesAt : 0,
    hasTags ? tagsAt : 0,
    hasColumns ? columnsAt : 0,
  ];
  for (const [at, number] of numbers.entries()) head.writeUInt32LE(number, at * 4);
  for (const [at, name] of names.entries()) head.writeUInt16LE(name.length, headerBytes + at * 2);
  return Buffer.concat([head, ...names, ...tags.pieces, ...columns.pieces], total);
}

interface Part {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
}

function part(tables: readonly (readonly BoundColumn[])[]): Part {
  if ((tables[0]?.length ?? 0) === 0) return { pieces: [], bytes: 0 };
  const lengths = Buffer.alloc(tables.length * 4);
  const pieces: Uint8Array[] = [lengths];
  let bytes = lengths.length;
  for (const [at, columns] of tables.entries()) {
    let own = 0;
    for (const column of columns) {
      const { type, rows, nulls, lengths: valueLengths, values } = column;
      const length = 17 + rows + (valueLengths === undefined ? 0 : rows * 4) + values.length;
      const head = Buffer.alloc(12);
      head.writeUInt32LE(length, 0);
      head.writeUInt32LE(type, 4);
      head.writeUInt32LE(rows, 8);
      pieces.push(head, nulls, Buffer.of(Number(valueLengths !== undefined)));
      if (valueLengths !== undefined) {
        pieces.push(new Uint8Array(valueLengths.buffer, valueLengths.byteOffset, valueLengths.byteLength));
      }
      const valueBytes = Buffer.alloc(4);
      valueBytes.writeUInt32LE(values.length);
      pieces.push(valueBytes, values);
      own += length;
    }
    lengths.writeUInt32LE(own, at * 4);
    bytes += own;
  }
  return { pieces, bytes };
}

/** Bytes of the head of rows that are bound column by column. */
const columnHeaderBytes = 20;

/**
 * Reads rows that are bound column by column for all tables of a super table (action 11): total length, number of rows,
 * tables and fields, and where the columns begin, 32 bits each; then a column per field, in the order of `fields`. Rows
 * that follow each other with the same name of a table are one table, with the tags of the first of them.
 */
export function readBoundFields(bytes: Buffer, fields: readonly Pick<BindField, 'bind'>[]): readonly BoundTable[] {
  if (bytes.length < columnHeaderBytes) throw badBinding('the bound data is too short');
  const [length, rows, count, start] = [0, 4, 12, 16].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  if (length > bytes.length) throw badBinding(`the bound data has ${length} bytes, and ${bytes.length} came`);
  if (count !== fields.length)
    throw badBinding(`the statement has ${fields.length} parameters, and ${count} are bound`);
  const data = bytes.subarray(0, length);
  let at = start;
  const columns = fields.map(() => {
    const { column, end } = readColumn(data, at);
    at = end;
    if (column.rows !== rows) throw badBinding(`a column has ${column.rows} rows, and there are ${rows}`);
    return column;
  });
  const of = (bind: BindField['bind']) => columns.filter((_, index) => fields[index]?.bind === bind);
  const [names] = of('table');
  if (names === undefined) {
    return [{ name: undefined, tags: of('tag').map((tag) => new Slicer(tag).next(1)), columns: of('column') }];
  }
  if (names.nulls.some((isNull) => isNull !== 0)) throw badBinding('the name of a table is NULL');
  const [tags, values] = [of('tag').map((tag) => new Slicer(tag)), of('column').map((column) => new Slicer(column))];
  return runsOf(names).map(({ name, rows: own }) => ({
    name,
    tags: tags.map((tag) => tag.next(own, 1)),
    columns: values.map((column) => column.next(own)),
  }));
}

/** Names that follow each other, and how often. */
function runsOf({ lengths, values, rows }: BoundColumn): { readonly name: string; readonly rows: number }[] {
  const runs: { name: string; rows: number }[] = [];
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  let at = 0;
  let last = bytes.subarray(0, 0);
  for (let row = 0; row < rows; row++) {
    const end = at + (lengths?.[row] ?? 0);
    const name = bytes.subarray(at, end);
    const run = runs.at(-1);
    if (run !== undefined && name.equals(last)) run.rows++;
    else {
      const text = name.toString('utf8');
      runs.push({ name: text.endsWith('\0') ? text.slice(0, -1) : text, rows: 1 });
    }
    last = name;
    at = end;
  }
  return runs;
}

/** Cuts a column into the rows of tables. */
class Slicer {
  readonly #column: BoundColumn;
  readonly #width: number;
  #row = 0;
  #at = 0;

  constructor(column: BoundColumn) {
    this.#column = column;
    this.#width = boundWidth(column.type);
  }

  /** The next rows, of which only the first `kept` are given. */
  next(rows: number, kept = rows): BoundColumn {
    const { type, nulls, lengths, values } = this.#column;
    const from = this.#row;
    const start = this.#at;
    this.#row += rows;
    let end = start;
    if (this.#width > 0) {
      end = start + kept * this.#width;
      this.#at = start + rows * this.#width;
    } else {
      for (let row = from; row < from + rows; row++) {
        this.#at += lengths?.[row] ?? 0;
        if (row < from + kept) end = this.#at;
      }
    }
    return {
      type,
      rows: kept,
      nulls: nulls.subarray(from, from + kept),
      lengths: lengths?.slice(from, from + kept),
      values: values.subarray(start, end),
    };
  }
}

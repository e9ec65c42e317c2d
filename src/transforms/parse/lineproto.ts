import type { BlockBuilder, ColumnBlock } from '../../model/column-block.js';
import type { RowReject } from '../../model/delivery.js';
import type { Fault } from '../../model/fault.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { SubTable, TagValue } from '../../model/schema.js';
import { endsValue, FieldValues } from './field-values.js';
import { endOfLine } from './line-cutter.js';
import { Kind, kindTypes, kindWidths, LineFields } from './lineproto-fields.js';
import { badLine, excerpt, type LineProblem, problemFault } from './lineproto-problem.js';
import { endOfFieldName, LineTable } from './lineproto-table.js';
import { TimeReader } from './lineproto-time.js';
import {
  defaultMaxLineBytes,
  type LineProtocolOptions,
  maxColumnsPerCall,
  maxDetailedRejects,
  maxNameBytes,
  maxRowBytes,
  maxTablesPerCall,
  type ParsedLines,
} from './lineproto-types.js';
import { finishHash, hashKey, mixWord } from './series-dictionary.js';
import { parseSeriesKey, type SeriesKey, unescapeName } from './series-key.js';
import { countCharacters } from './utf8.js';

const newline = 0x0a;
const carriageReturn = 0x0d;
const tab = 0x09;
const blank = 0x20;
const hash = 0x23;
const comma = 0x2c;
const equals = 0x3d;
const backslash = 0x5c;

/** The text with a line break at its end, so that every scan outside a string stops by itself. */
function terminated(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || bytes[bytes.length - 1] === newline) return bytes;
  const copy = new Uint8Array(bytes.length + 1);
  copy.set(bytes);
  copy[bytes.length] = newline;
  return copy;
}

/** Shared by all calls: a call runs to its end before the next one begins, and short bodies must not pay for it. */
const sharedFields = new LineFields();

/** Reads the lines of one call. */
class LineReader {
  readonly #options: LineProtocolOptions;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  readonly #maxLineBytes: number;
  readonly #fields = sharedFields;
  readonly #values: FieldValues;
  readonly #time: TimeReader;
  readonly #call: number;
  readonly #tables: LineTable[] = [];
  readonly #blocks: ColumnBlock[] = [];
  readonly #rejects: RowReject[] = [];
  #rejectedRows = 0;
  #rows = 0;
  #columns = 0;
  /** Index of the current line, its start, and what is wrong with it. */
  #line = 0;
  #lineStart = 0;
  #problem: LineProblem | undefined;
  /** Set while a line is read: end and hash of its series key, its table and new columns, the size of its row. */
  #keyEnd = 0;
  #keyHash = 0;
  #newColumns = 0;
  #fieldCount = 0;

  constructor(bytes: Uint8Array, options: LineProtocolOptions) {
    this.#options = options;
    this.#bytes = terminated(bytes);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#end = this.#bytes.length;
    this.#maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes;
    this.#values = new FieldValues(this.#bytes, this.#fields);
    this.#time = new TimeReader(options.precision, options.database.precision, options.nowTicks, options.minTicks);
    options.dictionary.prepare(options.database.id);
    this.#call = options.dictionary.nextBlock();
  }

  read(): ParsedLines {
    const bytes = this.#bytes;
    let at = 0;
    while (at < this.#end) {
      this.#lineStart = at;
      let byte = bytes[at]!;
      while (byte === blank || byte === tab) byte = bytes[++at]!;
      if (byte === carriageReturn && bytes[at + 1] === newline) byte = bytes[++at]!;
      if (byte === newline) {
        at++;
        this.#line++;
      } else if (byte === hash) {
        at = bytes.indexOf(newline, at) + 1;
        this.#line++;
      } else {
        at = this.#readLine(at);
      }
    }
    return this.#finish();
  }

  #finish(): ParsedLines {
    for (const table of this.#tables) this.#finishBlock(table);
    return {
      blocks: this.#blocks,
      rows: this.#rows,
      lines: this.#line,
      rejects: this.#rejects,
      rejectedRows: this.#rejectedRows,
    };
  }

  /** Reads the line whose first byte that is not blank is at `start`, and returns the position after it. */
  #readLine(start: number): number {
    this.#values.lineBreaks = 0;
    const next = this.#readPoint(start);
    if (next >= 0) {
      this.#line += 1 + this.#values.lineBreaks;
      return next;
    }
    const end = endOfLine(this.#bytes, this.#lineStart, this.#end, this.#maxLineBytes);
    this.#reject();
    for (let at = this.#lineStart; at < end; at++) if (this.#bytes[at] === newline) this.#line++;
    return end;
  }

  #reject(): void {
    this.#rejectedRows++;
    if (this.#rejects.length >= maxDetailedRejects || this.#problem === undefined) return;
    const row = (this.#options.firstLine ?? 0) + this.#line;
    this.#rejects.push({ row, fault: problemFault(this.#problem, this.#lineStart) });
  }

  /** Notes what is wrong with the line and returns -1. */
  #fail(problem: LineProblem | undefined): number {
    this.#problem = problem;
    return -1;
  }

  /** Reads one point and commits it. Returns the position after the line, or -1 and leaves no trace of it. */
  #readPoint(start: number): number {
    if (!this.#scanKey(start)) return this.#fail(badLine(this.#keyEnd, 'the line has no fields'));
    const dictionary = this.#options.dictionary;
    const series = dictionary.find(this.#bytes, this.#view, start, this.#keyEnd, this.#keyHash);
    if (series < 0) return this.#readNewSeries(start);
    const table = dictionary.tableOf(series);
    if (table.call !== this.#call) this.#begin(table);
    if (dictionary.isAnnounced(series, table.block)) {
      const end = this.#readFields(table, undefined);
      if (end >= 0) this.#commit(table, table.open(), dictionary.idLow(series), dictionary.idHigh(series));
      return end;
    }
    const subTable = dictionary.subTable(series);
    const end = this.#readFields(table, subTable.tags);
    if (end < 0) return end;
    table.carry(subTable);
    dictionary.setAnnounced(series, table.block);
    this.#commit(table, table.open(), dictionary.idLow(series), dictionary.idHigh(series));
    return end;
  }

  /**
   * Finds the end of the series key and hashes it, four bytes at a time. False when the line ends before a blank does.
   * The fast way meets only keys without escaped blanks and control characters; for others, and near the end of the text, the key is
   * scanned again byte by byte.
   */
  #scanKey(start: number): boolean {
    const view = this.#view;
    const last = this.#end - 4;
    let value = this.#options.dictionary.seed;
    for (let at = start; at <= last; at += 4) {
      const word = view.getInt32(at, true);
      // Sets the top bit of each byte below 0x21; the lowest one set is exact, borrows disturb only those above it.
      const low = (word - 0x21212121) & ~word & 0x80808080;
      if (low === 0) {
        value = mixWord(value, word);
        continue;
      }
      const skipped = (31 - Math.clz32(low & -low)) >> 3;
      const keyEnd = at + skipped;
      if (this.#bytes[keyEnd] !== blank || this.#bytes[keyEnd - 1] === backslash) break;
      if (skipped > 0) value = mixWord(value, word & ((1 << (skipped * 8)) - 1));
      this.#keyEnd = keyEnd;
      this.#keyHash = finishHash(value, keyEnd - start);
      return true;
    }
    return this.#scanUnusualKey(start);
  }

  #scanUnusualKey(start: number): boolean {
    const bytes = this.#bytes;
    let at = start;
    while (bytes[at] !== newline && (bytes[at] !== blank || bytes[at - 1] === backslash)) at++;
    this.#keyEnd = at;
    this.#keyHash = hashKey(bytes, start, at, this.#options.dictionary.seed);
    return bytes[at] === blank;
  }

  #begin(table: LineTable): void {
    const { database, schema, dictionary } = this.#options;
    const definition = schema.table(database.name, table.name);
    table.begin(this.#call, dictionary.nextBlock(), database.name, definition, this.#bytes.length);
  }

  /** Reads a line whose series is met for the first time: the slow way, which allocates. */
  #readNewSeries(start: number): number {
    const { dictionary } = this.#options;
    const key = parseSeriesKey(this.#bytes, start, this.#keyEnd);
    if ('message' in key) return this.#fail(key);
    const table = dictionary.table(key.superTable) ?? new LineTable(key.superTable);
    if (table.call !== this.#call) this.#begin(table);
    if (table.listed !== this.#call && this.#tables.length >= maxTablesPerCall) {
      return this.#fail(badLine(start, `more than ${maxTablesPerCall} measurements in one piece of text`));
    }
    const keyEnd = this.#keyEnd;
    const keyHash = this.#keyHash;
    const fieldsBefore = table.columns.length;
    const end = this.#readFields(table, key.tags);
    if (end < 0) return end;
    const subTable = this.#makeSubTable(key);
    if ('message' in subTable) {
      table.rollBack(fieldsBefore);
      return this.#fail({ at: start, code: subTable.code, message: subTable.message });
    }
    const series = dictionary.add(this.#bytes, start, keyEnd, keyHash, dictionary.tableIndex(table), subTable);
    if (!subTable.registered) {
      table.carry(subTable);
      if (series >= 0) dictionary.setAnnounced(series, table.block);
    }
    const idLow = Number(BigInt.asIntN(32, subTable.id));
    this.#commit(table, table.open(), idLow, Number(BigInt.asIntN(32, subTable.id >> 32n)));
    return end;
  }

  #makeSubTable(key: SeriesKey): SubTable | Fault {
    try {
      return this.#options.makeSubTable(key.superTable, key.subTable, key.tags, this.#options.ttl);
    } catch (error) {
      if (error instanceof FaultError) return error.fault;
      throw error;
    }
  }

  /**
   * Reads fields and timestamp after the series key into the scratch arrays. `newTags` are the tags of a series that the
   * table's block does not carry yet. Returns the position after the line, or -1 with the table as it was.
   */
  #readFields(table: LineTable, newTags: ReadonlyMap<string, TagValue> | undefined): number {
    if (table.refusal !== undefined) {
      return this.#fail({ at: this.#lineStart, code: table.refusal.code, message: table.refusal.message });
    }
    const clash = newTags === undefined ? undefined : table.clashingTag(newTags);
    if (clash !== undefined) {
      const message = `tag ${JSON.stringify(clash)} is the name of a column of another kind`;
      return this.#fail({ at: this.#lineStart, code: Codes.duplicatedColumns, message });
    }
    const columns = table.columns.length;
    let at = this.#readFieldSet(table, newTags);
    if (at >= 0) at = this.#readTime(at);
    if (at >= 0 && at - this.#lineStart > this.#maxLineBytes) {
      at = this.#fail(badLine(this.#lineStart, `the line is longer than ${this.#maxLineBytes} bytes`));
    }
    if (at < 0) table.rollBack(columns);
    return at;
  }

  /** Reads all fields and returns the position after the last one. */
  #readFieldSet(table: LineTable, newTags: ReadonlyMap<string, TagValue> | undefined): number {
    const bytes = this.#bytes;
    const fields = this.#fields;
    const limit = this.#lineStart + this.#maxLineBytes;
    fields.scratchLength = 0;
    this.#newColumns = 0;
    let at = this.#keyEnd;
    while (bytes[at] === blank) at++;
    let rowBytes = 0;
    let index = 0;
    let nameEnd = 0;
    for (; ; index++) {
      fields.reserve(index);
      let slot = table.predicted(bytes, at, index);
      if (slot >= 0) {
        nameEnd = at + table.columns[slot]!.raw.length - 1;
      } else {
        nameEnd = endOfFieldName(bytes, at);
        if (bytes[nameEnd] !== equals) return this.#failName(at, nameEnd);
        slot = table.find(bytes, at, nameEnd, index);
      }
      const next = this.#values.read(nameEnd + 1, index, limit);
      if (next < 0) return this.#failValue(at, nameEnd, this.#values.problem);
      if (slot < 0) {
        slot = this.#addField(table, newTags, at, nameEnd, index);
        if (slot < 0) return -1;
      }
      const column = table.columns[slot]!;
      const kind = fields.kinds[index]!;
      if (column.kind !== kind) return this.#failKind(table, slot, kind, at, nameEnd);
      if (column.line === this.#line) return this.#failTwice(at, nameEnd);
      column.line = this.#line;
      if (column.target === undefined) this.#newColumns++;
      fields.slots[index] = slot;
      rowBytes += kindWidths[kind]!;
      if (kind >= Kind.varchar) rowBytes += this.#variableBytes(kind, index);
      if (bytes[next] !== comma) {
        if (!endsValue(bytes[next]!)) return this.#failValue(at, nameEnd, this.#values.notAValue(nameEnd + 1));
        at = next;
        break;
      }
      at = next + 1;
    }
    this.#fieldCount = index + 1;
    if (rowBytes > maxRowBytes) {
      const message = `the fields take ${rowBytes} bytes, a row holds at most ${maxRowBytes}`;
      return this.#fail({ at: this.#keyEnd, code: Codes.rowTooLong, message });
    }
    if (this.#newColumns > 0 && this.#columns + this.#newColumns > maxColumnsPerCall) {
      return this.#fail(badLine(this.#keyEnd, `more than ${maxColumnsPerCall} columns in one piece of text`));
    }
    return at;
  }

  #variableBytes(kind: number, index: number): number {
    return kind === Kind.nchar
      ? this.#fields.characters[index]! * 4
      : this.#fields.ends[index]! - this.#fields.starts[index]!;
  }

  /** Reads what follows the fields: a timestamp or nothing, and the end of the line. */
  #readTime(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (bytes[at] === blank) at++;
    const byte = bytes[at]!;
    if (byte === newline || (byte === carriageReturn && bytes[at + 1] === newline)) {
      this.#time.now();
      return byte === newline ? at + 1 : at + 2;
    }
    if (at === start) return this.#fail(badLine(at, 'a carriage return stands before the end of the line'));
    at = this.#time.read(bytes, at, this.#end);
    if (at < 0) return this.#fail(this.#time.problem);
    while (bytes[at] === blank) at++;
    if (bytes[at] === carriageReturn) at++;
    if (bytes[at] === newline) return at + 1;
    const stop = this.#values.endOfValue(at);
    return this.#fail(badLine(at, `${excerpt(bytes, at, Math.max(stop, at + 1))} follows the timestamp`));
  }

  #addField(
    table: LineTable,
    newTags: ReadonlyMap<string, TagValue> | undefined,
    start: number,
    end: number,
    index: number,
  ): number {
    const bytes = this.#bytes;
    if (start === end) return this.#fail(badLine(start, 'a field has no name'));
    const shown = excerpt(bytes, start, end);
    if (countCharacters(bytes, start, end) < 0) {
      return this.#fail(badLine(start, `field name ${shown} is not well-formed UTF-8`));
    }
    const name = unescapeName(bytes, start, end, false);
    if (name.length > maxNameBytes) {
      return this.#fail(badLine(start, `field name ${shown} is longer than ${maxNameBytes} bytes`));
    }
    const text = name.toString();
    const slot = newTags?.has(text)
      ? fault('parameter', Codes.duplicatedColumns, 'it is the name of a tag')
      : table.addField(text, this.#fields.kinds[index]!, index);
    if (typeof slot === 'number') return slot;
    return this.#fail({ at: start, code: slot.code, message: `field ${shown} cannot be stored: ${slot.message}` });
  }

  #failName(start: number, end: number): number {
    if (start === end) {
      const byte = this.#bytes[start];
      const atEnd = byte === newline || byte === blank;
      return this.#fail(badLine(start, atEnd ? 'a field is missing' : 'a field has no name'));
    }
    return this.#fail(badLine(start, `field ${excerpt(this.#bytes, start, end)} has no value`));
  }

  #failValue(start: number, end: number, problem: LineProblem | undefined): number {
    if (problem === undefined) return this.#fail(undefined);
    const message = `field ${excerpt(this.#bytes, start, end)}: ${problem.message}`;
    return this.#fail({ at: problem.at, code: problem.code, message });
  }

  #failKind(table: LineTable, slot: number, kind: number, start: number, end: number): number {
    const column = table.columns[slot]!;
    const stored = column.known?.name ?? kindTypes[column.kind];
    const name = excerpt(this.#bytes, start, end);
    const message = `field ${name} is ${kindTypes[kind]}, but the column of table "${table.name}" is ${stored}`;
    return this.#fail({ at: start, code: Codes.schemalessTypeConflict, message });
  }

  #failTwice(start: number, end: number): number {
    const message = `field ${excerpt(this.#bytes, start, end)} occurs twice`;
    return this.#fail({ at: start, code: Codes.duplicatedColumns, message });
  }

  /** Adds the line that was read to the block of its table. */
  #commit(table: LineTable, builder: BlockBuilder, idLow: number, idHigh: number): void {
    builder.reserve();
    const row = builder.rows;
    if (row === 0 && table.listed !== this.#call) this.#list(table);
    builder.idWords[2 * row] = idLow;
    builder.idWords[2 * row + 1] = idHigh;
    builder.timeWords[2 * row] = this.#time.words[0]!;
    builder.timeWords[2 * row + 1] = this.#time.words[1]!;
    table.commit(builder, this.#fields, this.#fieldCount, this.#bytes);
    this.#columns += this.#newColumns;
    this.#rows++;
    if (table.isSparse(builder)) this.#finishBlock(table);
  }

  #list(table: LineTable): void {
    table.listed = this.#call;
    this.#tables.push(table);
  }

  #finishBlock(table: LineTable): void {
    const block = table.finish(this.#options.dictionary.nextBlock());
    if (block !== undefined) this.#blocks.push(block);
  }
}

/**
 * Reads whole lines of line protocol into column blocks, one table each. A line break inside a quoted string belongs to the
 * string; the last line may lack its line break. Blank lines and lines whose first character is `#` are skipped.
 *
 * A bad line is rejected as a whole and its neighbours are kept; whether any of them is to be stored then is the caller's choice.
 * Never throws for bad text. Sub-tables that are not registered travel in `newSubTables` of every block that refers to them.
 */
export function parseLineProtocol(bytes: Uint8Array, options: LineProtocolOptions): ParsedLines {
  return new LineReader(bytes, options).read();
}

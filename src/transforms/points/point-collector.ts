import { hashKey } from '../../bytes/key-table.js';
import { type ColumnBlock, schemalessStyle, type TableStyle } from '../../model/column-block.js';
import { cutOff, isHopeless, type RowReject } from '../../model/delivery.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import type { SubTable, TagValue } from '../../model/schema.js';
import { isOtherMetric, refusalOfMetric, type SentMetric } from '../../model/sent-name.js';
import type { MetricDescription, ParsedPoints, ParseOptions } from './parse-options.js';
import { Kind, kindTypes, PointFields } from './point-fields.js';
import { maxColumnsPerCall, maxDetailedRejects, maxTablesPerCall } from './point-limits.js';
import { PointTable, rawName } from './point-table.js';
import type { SeriesKey } from './series-tags.js';
import { keyIsMissing, refusalOfView } from './table-refusals.js';
import { TextMarks } from './text-marks.js';

/** Name of a field that a format writes under a fixed name, prepared once. */
export interface FieldName {
  readonly text: string;
  /** The name in UTF-8, followed by an equals sign, as {@link PointTable} looks it up. */
  readonly raw: Uint8Array;
}

/** Prepares the name of a field. */
export function fieldName(text: string): FieldName {
  return { text, raw: rawName(text) };
}

/** Expectations that may fail, more than come true, before a call stops having any. */
const maxSurprises = 16;

/** Shared by all calls: a call runs to its end before the next one begins, and short bodies must not pay for it. */
const sharedFields = new PointFields();

/**
 * Common part of all parsers of points: finds the series of a point by its key, collects its fields, and adds it to the
 * block of its table once all of it is good. For each point: {@link PointCollector.find}, for a new series {@link
 * PointCollector.introduce}, then {@link PointCollector.refusal}, the fields, and {@link PointCollector.commit} or
 * {@link PointCollector.drop}. A point that is dropped leaves no trace. One collector per call of a parser.
 */
export class PointCollector {
  /** The fields of the current point. Parsers in a hurry fill them and {@link PointCollector.fieldCount} themselves. */
  readonly fields = sharedFields;
  fieldCount = 0;
  /** Columns that the current point is the first one to fill in its block. */
  newColumns = 0;
  /** Number of the current point, for `PointColumn.line`. */
  point = 0;
  /** Table of the current point. */
  table = new PointTable('');
  /** Tags of a series that the block of its table does not carry yet, unless its table is known to have them. */
  newTags: ReadonlyMap<string, TagValue> | undefined;
  /** Number of facts in the text that no table has a place for. */
  leftOut = 0;
  /** See {@link ParsedPoints.described}. */
  readonly described: MetricDescription[] = [];
  /** Set where several texts are read as one. */
  readonly marks: TextMarks | undefined;
  readonly #options: ParseOptions;
  readonly #textBytes: number;
  readonly #style: TableStyle;
  readonly #call: number;
  readonly #tables: PointTable[] = [];
  readonly #blocks: ColumnBlock[] = [];
  readonly #rejects: RowReject[] = [];
  #rejectedRows = 0;
  #isCut = false;
  #rows = 0;
  #columns = 0;
  #series = -1;
  /** The sub-table of the series, where it is known and the block of its table does not carry it yet. */
  #uncarried: SubTable | undefined;
  /** Expected series that did not come, less those that did. */
  #surprises = 0;
  /** Set while the point's series is not in the dictionary. */
  #key: SeriesKey | undefined;
  #keyBytes: Uint8Array = new Uint8Array(0);
  #keyStart = 0;
  #keyEnd = 0;
  #keyHash = 0;
  #columnsBefore = 0;

  /** `textBytes` bounds what is allocated for the rows of the text; `style` is what the format's tables are like. */
  constructor(options: ParseOptions, textBytes: number, style = schemalessStyle) {
    this.#options = options;
    this.#textBytes = textBytes;
    this.#style = style;
    this.marks = options.texts && new TextMarks(options.texts);
    options.dictionary.prepare(options.database.id);
    this.#call = options.dictionary.nextBlock();
  }

  /**
   * Begins a point of the series whose key is `bytes[start, end)`; `view` is over the same bytes. False when the series
   * is not known: then the point must be introduced. `hash` is for parsers that have hashed the key, from the
   * dictionary's seed.
   */
  find(bytes: Uint8Array, view: DataView, start: number, end: number, hash?: number): boolean {
    const { dictionary } = this.#options;
    const keyHash = hash ?? hashKey(bytes, view, start, end, dictionary.seed);
    const series = dictionary.find(bytes, view, start, end, keyHash);
    if (series >= 0) {
      this.#expectAgain(series);
      this.#resume(series);
      return true;
    }
    this.#series = -1;
    this.#begin();
    this.#keyBytes = bytes;
    this.#keyStart = start;
    this.#keyEnd = end;
    this.#keyHash = keyHash;
    return false;
  }

  /**
   * The series that is expected to come next, because it came behind the last one before; -1 when there is none. A
   * parser that finds its key where the next point begins need neither look for the key's end nor hash it, and calls
   * {@link PointCollector.resume} instead of {@link PointCollector.find}.
   */
  get expected(): number {
    if (this.#series < 0 || this.#surprises >= maxSurprises) return -1;
    return this.#options.dictionary.next(this.#series);
  }

  /** Begins a point of the expected series. */
  resume(series: number): void {
    this.#surprises--;
    this.#resume(series);
  }

  /** Begins a point of the same series as the last one, which must have been committed. */
  again(): void {
    this.#begin();
    this.#columnsBefore = this.table.columns.length;
    if (this.#series >= 0) this.#lookAtTags(this.#series);
  }

  /**
   * Tells what series the key that was not found stands for, and what its table is like; or why it stands for none.
   * Returns why it cannot be taken, if so.
   */
  introduce(key: SeriesKey | Fault, style = this.#style): Fault | undefined {
    if ('message' in key) return key;
    const { superTable, sentAs, tags } = key;
    const table = this.#tableOf(superTable, sentAs) ?? new PointTable(superTable, style, sentAs);
    this.#take(table);
    this.newTags = tags;
    this.#key = key;
    const taken = refusalOfMetric(sentAs, superTable, table.sentAs) ?? table.attributes.refusalOf(key.attributes);
    if (taken !== undefined) return taken;
    if (table.listed === this.#call || this.#tables.length < maxTablesPerCall) return table.misfit(style);
    this.marks?.tear();
    return fault('parameter', Codes.schemalessData, `more than ${maxTablesPerCall} tables in one piece of text`);
  }

  /**
   * The remembered table of a metric. One that an earlier call began for another metric is not: its definition may have
   * been refused, and only the catalogue knows which of them the table is for.
   */
  #tableOf(name: string, sentAs: SentMetric | undefined): PointTable | undefined {
    const { database, dictionary, schema } = this.#options;
    const known = dictionary.table(name);
    if (known === undefined || known.call === this.#call || !isOtherMetric(sentAs, known.sentAs)) return known;
    const definition = schema.table(database.name, name);
    return definition === undefined || definition.sentAs === sentAs ? undefined : known;
  }

  /** Why no point of the series can be stored in its table, if so. */
  refusal(): Fault | undefined {
    const { table, newTags } = this;
    if (table.refusal !== undefined || newTags === undefined) return table.refusal;
    return table.refusalOfTags(newTags);
  }

  /** Adds a field to the point and returns its index in `fields`, or why the table cannot hold it. */
  field(name: FieldName, kind: number): number | Fault {
    const { table, fields } = this;
    const index = this.fieldCount;
    fields.reserve(index);
    let slot = table.slotOf(name, index);
    if (slot < 0) {
      const added = table.addField(name.text, kind, index, this.newTags, true);
      if (typeof added !== 'number') return added;
      slot = added;
    }
    const conflict = this.use(slot, kind);
    if (conflict !== undefined) return conflict;
    fields.slots[index] = slot;
    fields.kinds[index] = kind;
    this.fieldCount = index + 1;
    return index;
  }

  /** Adds a DOUBLE field; returns why it cannot be stored, if so. */
  putDouble(name: FieldName, value: number): Fault | undefined {
    const index = this.field(name, Kind.double);
    if (typeof index !== 'number') return index;
    this.fields.doubles[index] = value;
    return undefined;
  }

  /** Adds a VARCHAR field in UTF-8, which must be short enough; returns why it cannot be stored, if so. */
  putText(name: FieldName, text: Uint8Array): Fault | undefined {
    const index = this.field(name, Kind.varchar);
    if (typeof index !== 'number') return index;
    this.fields.putScratch(index, text);
    this.fields.characters[index] = text.length;
    return undefined;
  }

  /** Makes a field of 64 bits NULL; its bits stay, see docs/decisions/050-bits-below-null.md. */
  setNull(index: number): void {
    this.fields.slots[index] = ~this.fields.slots[index]!;
  }

  /** Adds a column for a field that the table lacks and returns its slot, or why it cannot have it. */
  addColumn(name: string, kind: number, index: number): number | Fault {
    return this.table.addField(name, kind, index, this.newTags);
  }

  /** Notes that the point fills a column with a value of a kind; returns why it must not, if so. */
  use(slot: number, kind: number): Fault | undefined {
    const column = this.table.columns[slot]!;
    if (column.kind !== kind) {
      const stored = column.known?.name ?? kindTypes[column.kind];
      const text = `is ${kindTypes[kind]}, but the column of table "${this.table.name}" is ${stored}`;
      return fault('parameter', Codes.schemalessTypeConflict, text);
    }
    if (column.line === this.point) return fault('parameter', Codes.duplicatedColumns, 'occurs twice');
    column.line = this.point;
    if (column.target === undefined) this.newColumns++;
    return undefined;
  }

  /** True when the point would fill more columns than one call may. */
  isTooWide(): boolean {
    const isTooWide = this.newColumns > 0 && this.#columns + this.newColumns > maxColumnsPerCall;
    if (isTooWide) this.marks?.tear();
    return isTooWide;
  }

  /**
   * Adds the point to the block of its table. The time is in ticks of the database, low word first; `bytes` is what the
   * fields of variable length point into. Returns why the series cannot be stored, if so; the point is dropped then.
   */
  commit(time: Uint32Array, bytes: Uint8Array): Fault | undefined {
    const { table } = this;
    const { dictionary } = this.#options;
    if (table.keySlot >= 0 && !this.#hasKey(table.keySlot)) {
      this.drop();
      return keyIsMissing(table.name, table.columns[table.keySlot]?.name ?? '');
    }
    if (this.#series >= 0) {
      if (this.#uncarried !== undefined) {
        table.carry(this.#uncarried);
        dictionary.setAnnounced(this.#series, table.block);
      }
      const series = this.#series;
      this.#add(table, dictionary.idLow(series), dictionary.idHigh(series), time, bytes);
      return undefined;
    }
    const subTable = this.#makeSubTable(this.#key!);
    if ('message' in subTable) {
      this.drop();
      return subTable;
    }
    const tableIndex = dictionary.tableIndex(table);
    const series = dictionary.add(this.#keyBytes, this.#keyStart, this.#keyEnd, this.#keyHash, tableIndex, subTable);
    if (!subTable.registered) {
      table.introduce(subTable);
      if (series >= 0) dictionary.setAnnounced(series, table.block);
    }
    this.#series = series;
    const idLow = Number(BigInt.asIntN(32, subTable.id));
    const idHigh = Number(BigInt.asIntN(32, subTable.id >> 32n));
    this.#add(table, idLow, idHigh, time, bytes);
    return undefined;
  }

  /** Forgets the current point and the columns it brought. */
  drop(): void {
    this.table.rollBack(this.#columnsBefore);
  }

  /** True while rejected rows are described: later ones are only counted, and need no text. */
  get describes(): boolean {
    return this.#rejects.length < maxDetailedRejects;
  }

  /** True when the rest of the text is not worth being read, see {@link isHopeless}: the parser ends then. */
  stops(): boolean {
    this.#isCut = isHopeless(this.#rows, this.#rejectedRows);
    return this.#isCut;
  }

  /**
   * Counts rejected rows; `row` is the index in the text, from 0, of what they stand in. The first ones are described,
   * `text` is what came.
   */
  reject(row: number, cause: Fault, text?: string): void {
    this.#rejectedRows++;
    this.marks?.reject(this.describes);
    if (!this.describes) return;
    this.#rejects.push({
      row: (this.#options.firstLine ?? 0) + row,
      fault: cause,
      ...(text !== undefined && { text }),
    });
  }

  /**
   * Ends the collection; `lines` is the number of lines or messages of the text, `usesNow` is that of {@link
   * ParsedPoints}.
   */
  finish(lines: number, usesNow = true): ParsedPoints {
    for (const table of this.#tables) this.#finishBlock(table);
    const { leftOut, described } = this;
    return {
      blocks: this.#blocks,
      rows: this.#rows,
      lines,
      rejects: this.#isCut ? this.#rejects.map(cutOff) : this.#rejects,
      rejectedRows: this.#rejectedRows,
      usesNow,
      leftOut,
      described,
      joined: this.marks?.finish(),
    };
  }

  #hasKey(slot: number): boolean {
    for (let index = 0; index < this.fieldCount; index++) if (this.fields.slots[index] === slot) return true;
    return false;
  }

  #resume(series: number): void {
    this.#series = series;
    this.#begin();
    this.#key = undefined;
    this.#take(this.#options.dictionary.tableOf(series));
    this.#lookAtTags(series);
  }

  /** Decides whether the block carries the series of the point, and whether its tags are read. */
  #lookAtTags(series: number): void {
    const { dictionary } = this.#options;
    const subTable = dictionary.isAnnounced(series, this.table.block) ? undefined : dictionary.subTable(series);
    this.#uncarried = subTable;
    this.newTags = subTable === undefined || this.table.covers(subTable) ? undefined : subTable.tags;
  }

  /** Lets `series` be expected behind the last one from now on. */
  #expectAgain(series: number): void {
    if (this.#series < 0 || this.#surprises >= maxSurprises) return;
    const { dictionary } = this.#options;
    const expected = dictionary.next(this.#series);
    if (expected === series) return;
    if (expected >= 0) this.#surprises++;
    dictionary.setNext(this.#series, series);
  }

  #begin(): void {
    this.point++;
    this.fieldCount = 0;
    this.newColumns = 0;
    this.fields.scratchLength = 0;
  }

  #take(table: PointTable): void {
    this.table = table;
    if (table.call !== this.#call) {
      const { database, schema, dictionary } = this.#options;
      const definition = schema.table(database.name, table.name);
      table.begin(this.#call, dictionary.nextBlock(), database.name, definition, this.#textBytes);
      if (definition === undefined) table.refusal = refusalOfView(schema, database.name, table.name);
    }
    this.#columnsBefore = table.columns.length;
  }

  #makeSubTable({ superTable, subTable: name, tags, metric, attributes }: SeriesKey): SubTable | Fault {
    try {
      const subTable = this.#options.makeSubTable(superTable, name, tags, this.#options.ttl, metric);
      if (attributes === undefined) return subTable;
      if (!subTable.registered) subTable.attributes = attributes;
      this.table.attributes.add(attributes);
      return subTable;
    } catch (error) {
      if (error instanceof FaultError) return error.fault;
      throw error;
    }
  }

  #add(table: PointTable, idLow: number, idHigh: number, time: Uint32Array, bytes: Uint8Array): void {
    const builder = table.open();
    builder.reserve();
    const row = builder.rows;
    if (row === 0 && table.listed !== this.#call) {
      table.listed = this.#call;
      this.#tables.push(table);
    }
    builder.idWords[2 * row] = idLow;
    builder.idWords[2 * row + 1] = idHigh;
    builder.timeWords[2 * row] = time[0]!;
    builder.timeWords[2 * row + 1] = time[1]!;
    table.commit(builder, this.fields, this.fieldCount, bytes);
    this.marks?.row(table);
    this.#columns += this.newColumns;
    this.#rows++;
    if (table.isSparse(builder)) this.#finishBlock(table);
  }

  #finishBlock(table: PointTable): void {
    const { texts } = table;
    const block = table.finish(this.#options.dictionary.nextBlock());
    if (block === undefined) return;
    this.#blocks.push(block);
    this.marks?.block(texts);
  }
}

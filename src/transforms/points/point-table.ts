import type { Column, ColumnBlock, ColumnBuilder, FixedValues, TableStyle } from '../../model/column-block.js';
import { BlockBuilder, schemalessStyle } from '../../model/column-block.js';
import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';
import {
  type ColumnDef,
  type DataType,
  dataType,
  keyColumn,
  type SubTable,
  schemalessWidth,
  sentName,
  type TableDef,
  type TagValue,
} from '../../model/schema.js';
import { freeName, longName, maxColumnNameBytes, type SentMetric } from '../../model/sent-name.js';
import { Kind, kindOf, kindTypes, type PointFields } from './point-fields.js';
import { maxTableColumns, maxTags } from './point-limits.js';
import { clash, otherTags, refusalOf } from './table-refusals.js';
import { TagAttributes } from './tag-attributes.js';

/**
 * A block whose cells outnumber its values by far is finished early, so that text cannot take more memory than a
 * small multiple of its own size: at most this many cells, or this many for each value.
 */
const sparseCells = 262144;
const sparseCellsPerValue = 16;

/** A column of a table as lines see it. */
interface PointColumn {
  /** The name as lines have it, and as the table has it: they differ where a tag has the first. */
  readonly name: string;
  readonly stored: string;
  /** The name as it stands in a line, escaped, with the equals sign after it. */
  readonly raw: Uint8Array;
  readonly hash: number;
  /** {@link Kind} of its values; 0 when lines cannot write it. */
  readonly kind: number;
  /** Type in the schema, undefined for a column that the lines bring. */
  readonly known: DataType | undefined;
  /** Index in the hash table, while it is in there. */
  bucket: number;
  /** Builder of the current block. */
  target: ColumnBuilder | undefined;
  /** Number of the last line that has the field. */
  line: number;
  /** Longest value of the current block in characters. */
  maxCharacters: number;
}

/** The escaped form of a name, followed by an equals sign. */
export function rawName(name: string): Uint8Array {
  return Buffer.from(`${name.replace(/[,= ]/g, '\\$&')}=`);
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Bytes that a line has at least, so that a small body does not get the arrays of a large one. */
const minLineBytes = 16;

const full = `the table has ${maxTableColumns} columns already`;
type Tags = ReadonlyMap<string, TagValue>;

/**
 * One super table while lines are read: its columns by name, and the block that the lines build. Kept between calls by
 * the series dictionary, so that a small body need not set up its columns again.
 */
export class PointTable {
  readonly name: string;
  readonly #style: TableStyle;
  /** Why no line can be written to this table. */
  refusal: Fault | undefined;
  /** Number of the call that the state belongs to. */
  call = -1;
  /** Number of the last call that has rows of the table. */
  listed = -1;
  /** Number of the current block, see `SeriesDictionary.nextBlock`. */
  block = 0;
  /** The current block; undefined until it gets its first row. */
  builder: BlockBuilder | undefined;
  readonly columns: PointColumn[] = [];
  /** The texts that the current block has rows of, where several are read as one. */
  texts: number[] = [];
  /** The column that is part of the key, which no point may leave out; -1 without one. */
  keySlot = -1;
  /** The metric that the table is for, where others could have the same one. */
  readonly sentAs: SentMetric | undefined;
  /** Names of tags as lines have them: those of the definition, and those that the call brought. */
  readonly #tagNames = new Set<string>();
  readonly attributes = new TagAttributes();
  /** Names that columns and tags have got in the table in the place of those that lines have. */
  readonly #otherNames = new Set<string>();
  #database = '';
  /** Rows of the last block: arrays of that size need not grow. */
  #expectedRows = 0;
  #definition: TableDef | undefined;
  #definedColumns = 0;
  #buckets = new Int32Array(32).fill(-1);
  /** Column of the last field met at each position of a line. */
  readonly #order: number[] = [];
  /**
   * Names of the sub-tables that were introduced in the current block: one may have several keys, or be forgotten
   * meanwhile.
   */
  readonly #introduced = new Set<string>();
  /** Values and columns of the current block. */
  #values = 0;
  #targets = 0;

  constructor(name: string, style: TableStyle = schemalessStyle, sentAs?: SentMetric) {
    this.name = name;
    this.#style = style;
    this.sentAs = sentAs;
  }

  /** Why rows of a style cannot be beside those that the table was made for, if so. */
  misfit({ tagType }: TableStyle): Fault | undefined {
    return tagType === this.#style.tagType ? undefined : otherTags(this.name, tagType !== 'JSON');
  }

  /**
   * Readies the table for a call of `textBytes` bytes: takes over the schema and forgets what earlier calls brought.
   */
  begin(call: number, block: number, database: string, definition: TableDef | undefined, textBytes: number): void {
    this.call = call;
    this.#expectedRows = Math.min(this.#expectedRows, Math.ceil(textBytes / minLineBytes));
    this.#database = database;
    if (definition !== this.#definition || this.columns.length === 0) this.#define(definition);
    else this.rollBack(this.#definedColumns);
    this.#tagNames.clear();
    for (const tag of definition?.tags ?? []) this.#tagNames.add(sentName(tag));
    this.#beginBlock(block);
    for (const column of this.columns) column.line = -1;
  }

  /**
   * Column of the field at position `index` of a line whose text at `at` begins with its name, if it is the one that
   * the line before had there; otherwise -1.
   */
  predicted(bytes: Uint8Array, at: number, index: number): number {
    const slot = index < this.#order.length ? this.#order[index]! : -1;
    if (slot < 0 || slot >= this.columns.length) return -1;
    const raw = this.columns[slot]!.raw;
    for (let i = 0; i < raw.length; i++) if (bytes[at + i] !== raw[i]) return -1;
    return slot;
  }

  /**
   * Column of the field at position `index` of a point, or -1; `raw` is its name `text` as {@link PointTable.find}
   * takes it.
   */
  slotOf({ text, raw }: { readonly text: string; readonly raw: Uint8Array }, index: number): number {
    const slot = index < this.#order.length ? this.#order[index]! : -1;
    if (slot >= 0 && slot < this.columns.length && this.columns[slot]!.name === text) return slot;
    return this.find(raw, 0, raw.length - 1, index);
  }

  /** Column whose escaped name is `bytes[start, end)`, or -1. Remembers it for position `index`. */
  find(bytes: Uint8Array, start: number, end: number, index: number): number {
    const hash = hashBytes(bytes, start, end);
    const mask = this.#buckets.length - 1;
    for (let bucket = hash & mask; ; bucket = (bucket + 1) & mask) {
      const slot = this.#buckets[bucket]!;
      if (slot < 0) return -1;
      const column = this.columns[slot]!;
      if (column.hash !== hash || !sameBytes(column.raw, bytes, start, end)) continue;
      if (index <= this.#order.length) this.#order[index] = slot;
      return slot;
    }
  }

  /**
   * Adds a column for a field that the table lacks, and returns its index; `newTags` are those of the point's series
   * where they must be read. Where a tag has the name, the column gets another one; a field that the format names
   * (`isOwn`) has it before tags that are new. A line that is rejected after all takes it back with {@link
   * PointTable.rollBack}.
   */
  addField(name: string, kind: number, index: number, newTags?: Tags, isOwn = false): number | Fault {
    if (name === this.#style.timeColumn || name === this.#definition?.timeColumn) {
      return fault('parameter', Codes.duplicatedColumns, 'has the name of the time column');
    }
    const stored = this.#storedName(name, newTags, isOwn);
    if (stored !== name && Buffer.byteLength(stored) > maxColumnNameBytes) return longName('field', stored);
    if (this.columns.length + this.#tagsWith(newTags) + 1 >= maxTableColumns) {
      return fault('parameter', Codes.tooManyTableColumns, `is one too many: ${full}`);
    }
    const slot = this.#insert(name, stored, kind, undefined);
    if (index <= this.#order.length) this.#order[index] = slot;
    return slot;
  }

  /** The name that a field gets in the table. */
  #storedName(name: string, newTags: Tags | undefined, isOwn: boolean): string {
    const isTag = (text: string) =>
      isOwn ? this.#definition?.tags.some((tag) => tag.name === text) : this.#tagNames.has(text) || newTags?.has(text);
    const isColumn = (text: string) => text !== name && this.columns.some(({ stored }) => stored === text);
    return freeName('field_', name, (text) => isTag(text) === true || this.#otherNames.has(text) || isColumn(text));
  }

  /** Removes the columns from index `count` on. */
  rollBack(count: number): void {
    // Last in, first out: each bucket becomes free exactly as it was when the column was inserted.
    while (this.columns.length > count) {
      const column = this.columns.pop();
      if (column === undefined) continue;
      this.#buckets[column.bucket] = -1;
      if (column.stored !== column.name) this.#otherNames.delete(column.stored);
    }
  }

  /**
   * Why a series with these tags cannot be one of the table, if so: a tag has another type, or is the time column, or
   * is one too many.
   */
  refusalOfTags(tags: Tags): Fault | undefined {
    let count = this.#tagNames.size;
    for (const name of tags.keys()) {
      if (this.#tagNames.has(name)) {
        const type = this.#definition?.tags.find((tag) => sentName(tag) === name)?.type.name;
        const fits = this.#style.tagType === 'JSON' ? type === 'JSON' : type === 'NCHAR' || type === 'VARCHAR';
        if (type !== undefined && !fits) return clash(name);
      } else if (name === this.#definition?.timeColumn) {
        return clash(name);
      } else if (++count > maxTags) {
        const text = `tag ${JSON.stringify(name)} is one too many: the table has ${maxTags} tags already`;
        return fault('parameter', Codes.invalidTagCount, text);
      }
    }
    if (this.columns.length + count + 1 <= maxTableColumns) return undefined;
    return fault('parameter', Codes.tooManyTableColumns, `its tags are too many: ${full}`);
  }

  #tagsWith(newTags: Tags | undefined): number {
    let count = this.#tagNames.size;
    if (newTags !== undefined) for (const name of newTags.keys()) if (!this.#tagNames.has(name)) count++;
    return count;
  }

  /** True when the table is known to have all tags of a sub-table. */
  covers(subTable: SubTable): boolean {
    return this.#definition !== undefined && subTable.coveredBy === this.#definition;
  }

  /** Lets the current block carry a new sub-table that is not registered. */
  introduce(subTable: SubTable): void {
    if (this.#introduced.has(subTable.name)) return;
    this.#introduced.add(subTable.name);
    this.carry(subTable);
  }

  /** Lets the current block carry a sub-table that is not registered, and that it does not carry yet. */
  carry(subTable: SubTable): void {
    if (!this.covers(subTable)) for (const name of subTable.tags.keys()) this.#tagNames.add(name);
    this.open().newSubTables.push(subTable);
  }

  /** The builder of the current block, made when there is none. */
  open(): BlockBuilder {
    this.builder ??= new BlockBuilder(this.#database, this.name, this.#style, this.#expectedRows);
    return this.builder;
  }

  /**
   * Adds a row: `count` fields, their values taken from `bytes` or the scratch of `fields`. The caller counts new
   * columns.
   */
  commit(builder: BlockBuilder, fields: PointFields, count: number, bytes: Uint8Array): void {
    const row = builder.rows;
    for (let i = 0; i < count; i++) {
      const slot = fields.slots[i]!;
      const column = this.columns[slot < 0 ? ~slot : slot]!;
      const target = column.target ?? this.#addTarget(column, builder);
      target.reserve(row);
      const kind = column.kind;
      if (kind >= Kind.varchar) {
        const source = fields.inScratch[i] === 1 ? fields.scratch : bytes;
        target.putBytes(row, source, fields.starts[i]!, fields.ends[i]!);
        if (fields.characters[i]! > column.maxCharacters) column.maxCharacters = fields.characters[i]!;
        continue;
      }
      const words = target.words;
      if (words !== undefined) {
        words[2 * row] = fields.words[2 * i]!;
        words[2 * row + 1] = fields.words[2 * i + 1]!;
      } else if (target.values !== undefined) {
        storeNarrow(target.values, row, kind, fields, i);
      }
      if (slot < 0) continue;
      target.nulls[row] = 0;
      target.filled++;
    }
    this.#values += count;
    builder.rows = row + 1;
  }

  /** True when the current block has become so sparse that it should be finished. */
  isSparse(builder: BlockBuilder): boolean {
    return builder.rows * this.#targets > sparseCells + sparseCellsPerValue * this.#values;
  }

  /**
   * Finishes the current block; the next row begins the block numbered `nextBlock`. Undefined when there are no rows.
   */
  finish(nextBlock: number): ColumnBlock | undefined {
    const builder = this.builder;
    if (builder === undefined) return undefined;
    const types = new Map<string, DataType>();
    for (const column of this.columns) if (column.target !== undefined) types.set(column.stored, fittingType(column));
    const block = builder.finish(this.sentAs);
    this.#expectedRows = block.rows;
    this.#beginBlock(nextBlock);
    const columns = block.columns.map((column): Column => ({ ...column, type: types.get(column.name) ?? column.type }));
    return { ...block, columns };
  }

  #beginBlock(block: number): void {
    this.block = block;
    this.builder = undefined;
    if (this.#introduced.size > 0) this.#introduced.clear();
    if (this.texts.length > 0) this.texts = [];
    this.#values = 0;
    this.#targets = 0;
    for (const column of this.columns) {
      column.target = undefined;
      column.maxCharacters = 0;
    }
  }

  #define(definition: TableDef | undefined): void {
    this.#definition = definition;
    this.refusal = definition === undefined ? undefined : refusalOf(definition, this.#style, this.sentAs);
    this.columns.length = 0;
    this.#order.length = 0;
    this.#buckets.fill(-1);
    this.#otherNames.clear();
    for (const { name, sentAs } of definition?.tags ?? []) if (sentAs !== undefined) this.#otherNames.add(name);
    this.attributes.define(definition?.tags ?? []);
    this.keySlot = definition !== undefined && keyColumn(definition) !== undefined ? 0 : -1;
    for (const column of columnsOf(definition)) {
      this.#insert(sentName(column), column.name, kindOf(column.type.name), column.type);
    }
    this.#definedColumns = this.columns.length;
  }

  #insert(name: string, stored: string, kind: number, known: DataType | undefined): number {
    if ((this.columns.length + 1) * 2 > this.#buckets.length) this.#rehash();
    const raw = rawName(name);
    const hash = hashBytes(raw, 0, raw.length - 1);
    const slot = this.columns.length;
    const bucket = this.#freeBucket(hash);
    this.#buckets[bucket] = slot;
    if (stored !== name) this.#otherNames.add(stored);
    this.columns.push({ name, stored, raw, hash, kind, known, bucket, target: undefined, line: -1, maxCharacters: 0 });
    return slot;
  }

  #freeBucket(hash: number): number {
    const mask = this.#buckets.length - 1;
    let bucket = hash & mask;
    while (this.#buckets[bucket]! >= 0) bucket = (bucket + 1) & mask;
    return bucket;
  }

  #rehash(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 2).fill(-1);
    this.columns.forEach((column, slot) => {
      column.bucket = this.#freeBucket(column.hash);
      this.#buckets[column.bucket] = slot;
    });
  }

  #addTarget(column: PointColumn, builder: BlockBuilder): ColumnBuilder {
    const { name, stored } = column;
    const type = column.known ?? dataType(kindTypes[column.kind]!);
    const target = builder.addColumn(stored, type, stored === name ? undefined : name);
    column.target = target;
    this.#targets++;
    return target;
  }
}

function columnsOf(definition: TableDef | undefined): readonly ColumnDef[] {
  return definition?.columns ?? [];
}

function sameBytes(raw: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (raw.length !== end - start + 1) return false;
  for (let i = 0; i < raw.length - 1; i++) if (raw[i] !== bytes[start + i]) return false;
  return true;
}

/** The declared type if the block's values fit into it, otherwise one wide enough for them. */
function fittingType(column: PointColumn): DataType {
  const name = kindTypes[column.kind]!;
  if (column.kind < Kind.varchar) return column.known ?? dataType(name);
  const longest = column.kind === Kind.nchar ? column.maxCharacters : (column.target?.maxBytes ?? 0);
  if (column.known !== undefined && column.known.length >= longest) return column.known;
  return dataType(name, schemalessWidth(longest));
}

function storeNarrow(values: FixedValues, row: number, kind: number, fields: PointFields, index: number): void {
  if (kind === Kind.float) {
    if (values instanceof Float32Array) values[row] = fields.doubles[index]!;
    return;
  }
  // The low word holds two's complement, and storing it into a narrower array keeps its lowest bits.
  const value = fields.words[2 * index]!;
  if (values instanceof Uint8Array) values[row] = value;
  else if (values instanceof Int8Array) values[row] = value;
  else if (values instanceof Int16Array) values[row] = value;
  else if (values instanceof Uint16Array) values[row] = value;
  else if (values instanceof Int32Array) values[row] = value;
  else if (values instanceof Uint32Array) values[row] = value;
}

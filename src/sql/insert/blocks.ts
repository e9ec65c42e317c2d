import { BlockBuilder, type ColumnBlock } from '../../model/column-block.js';
import { keyColumn, type SubTable } from '../../model/schema.js';
import { keyIsNull } from '../syntax/faults.js';
import { Field, fieldKindOf } from './field.js';
import type { Layout, TableShape } from './shape.js';

/** Most rows that room is made for beforehand: a first row that is shorter than the others promises too many. */
const maxExpectedRows = 65_536;

/** A block that rows are being added to. */
export class OpenBlock {
  readonly builder: BlockBuilder;
  readonly sequence: number;
  readonly #shape: TableShape;
  readonly #columns = new Map<number, Field>();
  readonly #fields = new Map<Layout, readonly Field[]>();
  readonly #listed = new Set<bigint>();
  #capacity = 0;
  #expectedRows = 0;

  constructor(shape: TableShape, layout: Layout, sequence: number) {
    this.builder = new BlockBuilder(shape.database.name, shape.table.name, 'overwrite');
    this.sequence = sequence;
    this.#shape = shape;
    for (const position of layout.columns) {
      const column = shape.columnAt(position);
      const builder = this.builder.addColumn(column.name, column.type);
      this.#columns.set(position, new Field(fieldKindOf(column.type.name), column, builder));
    }
  }

  /** The fields of a row in the order of the statement's column list. */
  fieldsOf(layout: Layout): readonly Field[] {
    const known = this.#fields.get(layout);
    if (known !== undefined) return known;
    const fields = layout.positions.map((position) => this.#columns.get(position) ?? this.#shape.fieldAt(position));
    this.#fields.set(layout, fields);
    return fields;
  }

  /**
   * Says how many rows there are likely to be: arrays that grow step by step are most of a long statement's garbage.
   */
  expectRows(rows: number): void {
    this.#expectedRows = Math.min(maxExpectedRows, Math.ceil(rows));
  }

  /** Makes room for so many rows in addition to those that are there. */
  reserveRows(rows: number): void {
    const needed = this.builder.rows + rows;
    if (needed <= this.#capacity) return;
    this.#expectedRows = Math.max(needed, this.#expectedRows);
    this.builder.growTo(needed);
    this.#capacity = this.builder.idWords.length / 2;
    for (const field of this.#columns.values()) field.reserve(this.#capacity - 1);
  }

  /** Makes room for the next row. */
  reserve(): void {
    if (this.builder.rows < this.#capacity) return;
    this.builder.reserve(this.#expectedRows);
    this.#capacity = this.builder.idWords.length / 2;
    for (const field of this.#columns.values()) field.reserve(this.#capacity - 1);
  }

  /** The block. Throws when a row has no value for the column that is part of the key. */
  finish(): ColumnBlock {
    const block = this.builder.finish();
    const key = keyColumn(this.#shape.table);
    if (key !== undefined && block.columns.find(({ name }) => name === key.name)?.full !== true)
      throw keyIsNull(key.name);
    return block;
  }

  /** Lists a sub-table that is not registered yet, once. */
  list(subTable: SubTable): void {
    if (subTable.registered || this.#listed.has(subTable.key)) return;
    this.#listed.add(subTable.key);
    this.builder.newSubTables.push(subTable);
  }
}

/**
 * The blocks of one statement, one per table and set of columns. Since a later row overwrites an earlier one column by
 * column, rows of a series never go to a block that lies before another block with rows of that series; a new block is
 * begun instead. So blocks written in order leave what the tuples in order would.
 */
export class BlockSet {
  readonly #blocks: OpenBlock[] = [];
  readonly #open = new Map<Layout['columnSet'], OpenBlock>();
  /** Newest block with rows of a series, by series id. */
  readonly #newest = new Map<bigint, number>();

  /** The block for rows of a table; `series` is their id, undefined when they are of many. */
  open(shape: TableShape, layout: Layout, series: bigint | undefined): OpenBlock {
    let block = this.#open.get(layout.columnSet);
    const newest = series === undefined ? shape.newestBlock : this.#newest.get(series);
    if (block === undefined || (newest !== undefined && newest > block.sequence)) {
      block = new OpenBlock(shape, layout, this.#blocks.length);
      this.#blocks.push(block);
      this.#open.set(layout.columnSet, block);
      shape.newestBlock = block.sequence;
    }
    if (series !== undefined) this.#newest.set(series, block.sequence);
    return block;
  }

  /** Says that a block opened for many series holds rows of this one. */
  touch(block: OpenBlock, series: bigint): void {
    this.#newest.set(series, block.sequence);
  }

  finish(): ColumnBlock[] {
    return this.#blocks.map((block) => block.finish());
  }
}

import { entryOffsets } from '../bytes/pool-reader.js';
import type { StoredRows } from '../database/engine/native-rows.js';
import {
  BlockBuilder,
  type Column,
  type ColumnBlock,
  type ColumnBuilder,
  elementsPerRow,
} from '../model/column-block.js';
import { type ColumnDef, keyColumn, type TableDef } from '../model/schema.js';

/** No cell yet. */
const unset = -1;

/** Second part of the key of every row, where the table has none. */
const noPart = 0;

/** Rows from anywhere, numbered on from `first`. */
interface Origin extends StoredRows {
  readonly first: number;
  readonly nullsOverwrite: boolean;
}

/**
 * Joins rows of equal key (sub-table, time and the column that is part of the key) column by column, later over
 * earlier, on top of what is stored: a column that a row omits keeps its value, an explicit NULL overwrites. The result
 * is one block of complete rows, one row a key, in order of first appearance.
 */
export function mergeRows(
  table: TableDef,
  blocks: readonly ColumnBlock[],
  stored: StoredRows | undefined,
): ColumnBlock {
  const origins: Origin[] = [];
  let total = 0;
  for (const block of blocks) {
    origins.push({ first: total, ...block, nullsOverwrite: block.nullMeaning === 'overwrite' });
    total += block.rows;
  }
  const parts = new KeyParts(keyColumn(table));
  const keys = new KeyTable(total);
  const merged = new Int32Array(total);
  for (const origin of origins) {
    for (let row = 0; row < origin.rows; row++) {
      merged[origin.first + row] = keys.add(origin.ids[row]!, origin.times[row]!, parts.of(origin, row));
    }
  }
  const base: Origin | undefined = stored && { first: total, ...stored, nullsOverwrite: false };
  const out = new BlockBuilder(blocks[0]!.database, table.name, 'overwrite', Math.max(16, keys.size));
  for (; out.rows < keys.size; out.rows++) out.setKey(keys.ids[out.rows]!, keys.times[out.rows]!);
  for (const column of table.columns) {
    const source = new Int32Array(keys.size).fill(unset);
    if (base !== undefined) applyBase(source, base, column, keys, parts);
    for (const origin of origins) apply(source, origin, column, merged);
    copyCells(out.addColumn(column.name, column.type), source, base ? [...origins, base] : origins, column);
  }
  for (const block of blocks) out.newSubTables.push(...block.newSubTables);
  return out.finish();
}

function find(origin: Origin, column: ColumnDef): Column | undefined {
  return origin.columns.find((candidate) => candidate.name === column.name);
}

function applyBase(source: Int32Array, base: Origin, column: ColumnDef, keys: KeyTable, parts: KeyParts): void {
  const values = find(base, column);
  if (values === undefined) return;
  for (let row = 0; row < base.rows; row++) {
    const at = keys.find(base.ids[row]!, base.times[row]!, parts.of(base, row));
    if (at >= 0 && values.nulls[row] === 0) source[at] = base.first + row;
  }
}

function apply(source: Int32Array, origin: Origin, column: ColumnDef, merged: Int32Array): void {
  const values = find(origin, column);
  if (values === undefined) return;
  for (let row = 0; row < origin.rows; row++) {
    if (values.nulls[row] === 0 || origin.nullsOverwrite) source[merged[origin.first + row]!] = origin.first + row;
  }
}

function copyCells(out: ColumnBuilder, source: Int32Array, origins: readonly Origin[], column: ColumnDef): void {
  const width = elementsPerRow(column.type);
  const offsets = new Map<Column, Uint32Array>();
  for (let row = 0; row < source.length; row++) {
    const from = source[row]!;
    if (from < 0) continue;
    const origin = originOf(origins, from);
    const cell = find(origin, column)!;
    const at = from - origin.first;
    out.reserve(row);
    if (cell.pool === undefined) {
      copyFixed(out, row, cell, at, width);
      continue;
    }
    if (cell.nulls[at] === 1) continue;
    let starts = offsets.get(cell);
    if (starts === undefined) {
      starts = entryOffsets(cell.pool, cell.nulls.length);
      offsets.set(cell, starts);
    }
    let start = starts[at]!;
    while (cell.pool[start]! >= 0x80) start++;
    out.putBytes(row, cell.pool, start + 1, starts[at + 1]!);
  }
}

function copyFixed(out: ColumnBuilder, row: number, cell: Column, at: number, width: number): void {
  const target = out.values!;
  const source = cell.values!;
  for (let k = 0; k < width; k++) target[row * width + k] = source[at * width + k]!;
  // The bits beside a NULL are copied, too.
  if (cell.nulls[at] === 1) return;
  out.nulls[row] = 0;
  out.filled++;
}

/** Origins are few and rows come in order, so a scan from the end beats a search structure. */
function originOf(origins: readonly Origin[], row: number): Origin {
  for (let i = origins.length - 1; i > 0; i--) if (row >= origins[i]!.first) return origins[i]!;
  return origins[0]!;
}

/**
 * The values of the column that is part of the key as dense numbers; one number for all rows of tables without such a
 * column.
 */
class KeyParts {
  readonly #column: ColumnDef | undefined;
  readonly #numbers = new Map<string | number | bigint, number>();
  readonly #texts = new Map<Column, Uint32Array>();

  constructor(column: ColumnDef | undefined) {
    this.#column = column;
  }

  of(origin: Origin, row: number): number {
    if (this.#column === undefined) return noPart;
    const cell = find(origin, this.#column);
    if (cell === undefined || cell.nulls[row] === 1) return noPart;
    const value = cell.pool === undefined ? cell.values![row]! : this.#text(cell, cell.pool, row);
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  #text(cell: Column, pool: Uint8Array, row: number): string {
    const starts = this.#texts.get(cell) ?? entryOffsets(pool, cell.nulls.length);
    this.#texts.set(cell, starts);
    return Buffer.from(pool.buffer, pool.byteOffset + starts[row]!, starts[row + 1]! - starts[row]!).toString('latin1');
  }
}

/**
 * An open-addressing table from (sub-table, time, second part of the key) to a dense number, in order of first
 * appearance.
 */
class KeyTable {
  readonly ids: BigUint64Array;
  readonly times: BigInt64Array;
  readonly #parts: Int32Array;
  size = 0;
  readonly #slots: Int32Array;
  readonly #mask: number;
  readonly #scratchId = new BigUint64Array(1);
  readonly #scratchTime = new BigInt64Array(1);
  readonly #idWords = new Uint32Array(this.#scratchId.buffer);
  readonly #timeWords = new Uint32Array(this.#scratchTime.buffer);

  constructor(rows: number) {
    this.ids = new BigUint64Array(rows);
    this.times = new BigInt64Array(rows);
    this.#parts = new Int32Array(rows);
    let slots = 16;
    while (slots < rows * 2) slots *= 2;
    this.#slots = new Int32Array(slots).fill(-1);
    this.#mask = slots - 1;
  }

  /** The number of a key, made when it is new. */
  add(id: bigint, time: bigint, part: number): number {
    const slot = this.#slot(id, time, part);
    const row = this.#slots[slot]!;
    if (row >= 0) return row;
    this.ids[this.size] = id;
    this.times[this.size] = time;
    this.#parts[this.size] = part;
    this.#slots[slot] = this.size;
    return this.size++;
  }

  /** The number of a key, or -1. */
  find(id: bigint, time: bigint, part: number): number {
    return this.#slots[this.#slot(id, time, part)]!;
  }

  #slot(id: bigint, time: bigint, part: number): number {
    this.#scratchId[0] = id;
    this.#scratchTime[0] = time;
    let hash = this.#idWords[0]! ^ Math.imul(this.#timeWords[0]!, 0x9e3779b1) ^ this.#timeWords[1]!;
    hash = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(part, 0xc2b2ae35), 0x85ebca6b);
    let slot = (hash ^ (hash >>> 13)) & this.#mask;
    for (;;) {
      const row = this.#slots[slot]!;
      if (row < 0 || (this.ids[row] === id && this.times[row] === time && this.#parts[row] === part)) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }
}

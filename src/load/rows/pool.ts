import { entryOffsets } from '../../bytes/pool-reader.js';
import { type Column, ColumnBuilder, elementsPerRow, type FixedValues, newValues } from '../../model/column-block.js';
import type { RowPool } from '../model/row-request.js';
import { type FieldMaker, fillRows } from './columns.js';

/** So many rows of a pool from one on; past the pool's end they go on at its beginning. */
interface PoolRun {
  readonly first: number;
  readonly rows: number;
}

const noTimes = new Uint32Array(0);

/** Makes a pool of `rows` rows. */
export function makePool(makers: readonly FieldMaker[], rows: number): RowPool {
  const columns = makers.map((maker) => {
    const column = builderOf(maker, rows);
    fillRows(maker, column, { row: 0, count: rows, first: 0, prepared: rows }, undefined, noTimes);
    return column.finish(rows);
  });
  return { rows, columns };
}

/** A column builder with room for so many rows. */
export function builderOf({ field }: FieldMaker, rows: number): ColumnBuilder {
  return new ColumnBuilder(field.name, field.type, rows);
}

/**
 * Takes runs of rows out of the columns of a pool, one after the other: views where a single run does not pass the
 * pool's end, so that nothing is copied, otherwise copies by typed array.
 */
export class PooledColumns {
  readonly pool: RowPool;
  readonly #columns: readonly PooledColumn[];

  constructor(pool: RowPool) {
    this.pool = pool;
    this.#columns = pool.columns.map((column) => new PooledColumn(column, pool.rows));
  }

  take(runs: readonly PoolRun[]): Column[] {
    const pieces: PoolRun[] = [];
    let rows = 0;
    for (const run of runs) {
      rows += run.rows;
      let first = run.first % this.pool.rows;
      for (let left = run.rows; left > 0; first = 0) {
        const taken = Math.min(left, this.pool.rows - first);
        pieces.push({ first, rows: taken });
        left -= taken;
      }
    }
    return this.#columns.map((column) => column.take(pieces, rows));
  }
}

class PooledColumn {
  readonly #column: Column;
  /** Where the entries of a variable column begin, and where the last one ends. */
  readonly #offsets: Uint32Array | undefined;

  constructor(column: Column, rows: number) {
    this.#column = column;
    this.#offsets = column.pool === undefined ? undefined : entryOffsets(column.pool, rows);
  }

  /** `pieces` do not pass the end of the pool; together they have `rows` rows. */
  take(pieces: readonly PoolRun[], rows: number): Column {
    const only = pieces.length === 1 ? pieces[0] : undefined;
    return only === undefined ? this.#copy(pieces, rows) : this.#view(only);
  }

  #view({ first, rows }: PoolRun): Column {
    const { values, nulls, pool, type } = this.#column;
    const end = first + rows;
    const perRow = elementsPerRow(type);
    const offsets = this.#offsets;
    return {
      ...this.#column,
      nulls: nulls.subarray(first, end),
      values: values?.subarray(first * perRow, end * perRow),
      pool: offsets === undefined ? undefined : pool?.subarray(offsets[first], offsets[end]),
    };
  }

  #copy(pieces: readonly PoolRun[], rows: number): Column {
    const { values, nulls, pool, full, type } = this.#column;
    const copiedNulls = new Uint8Array(rows);
    if (!full) copyRows(nulls, copiedNulls, pieces);
    return {
      ...this.#column,
      nulls: copiedNulls,
      values: values === undefined ? undefined : copyRows(values, newValues(type, rows), pieces, elementsPerRow(type)),
      pool: pool === undefined ? undefined : this.#copiedPool(pool, pieces),
    };
  }

  #copiedPool(pool: Uint8Array, pieces: readonly PoolRun[]): Uint8Array {
    const offsets = this.#offsets!;
    let bytes = 0;
    for (const { first, rows } of pieces) bytes += offsets[first + rows]! - offsets[first]!;
    const copied = new Uint8Array(bytes);
    let at = 0;
    for (const { first, rows } of pieces) {
      copied.set(pool.subarray(offsets[first], offsets[first + rows]), at);
      at += offsets[first + rows]! - offsets[first]!;
    }
    return copied;
  }
}

/** Copies rows byte by byte of their width: the arrays are of the same type, with so many elements per row. */
function copyRows(from: FixedValues, to: FixedValues, pieces: readonly PoolRun[], perRow = 1): FixedValues {
  const width = from.BYTES_PER_ELEMENT * perRow;
  const source = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  const target = new Uint8Array(to.buffer, to.byteOffset, to.byteLength);
  let at = 0;
  for (const { first, rows } of pieces) {
    target.set(source.subarray(first * width, (first + rows) * width), at);
    at += rows * width;
  }
  return to;
}

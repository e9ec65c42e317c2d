import { PoolReader } from '../../bytes/pool-reader.js';
import { type Column, type ColumnBlock, elementsPerRow } from '../../model/column-block.js';

/**
 * Content of one request of the load tool: rows of one or more sub-tables of a super table, or of normal tables of one shape.
 * Part `i` is the run of rows `[starts[i], starts[i + 1])` of the block, all of the table with index `tables[i]`.
 */
export interface RowRequest {
  /** The rows of all parts in their order. `table` is the super table; for normal tables see {@link blocksByTable}. */
  readonly block: ColumnBlock;
  readonly tables: Uint32Array;
  readonly starts: Uint32Array;
  /** Set when all values of the rows come out of a pool, so that an encoder may print each pool row once. */
  readonly pooled: PooledRows | undefined;
  /** True for the last request of a round over all tables of a thread. */
  readonly endsRound: boolean;
}

/** Row `i` of a block holds the values of pool row `(first + i) % pool.rows`. */
interface PooledRows {
  readonly pool: RowPool;
  readonly first: number;
}

/** Rows without ids and times that are written again and again. */
export interface RowPool {
  readonly rows: number;
  readonly columns: readonly Column[];
}

/** The parts of a request as blocks of their own, each for the table that `nameOf` gives: what normal tables need. */
export function blocksByTable(request: RowRequest, nameOf: (table: number) => string): ColumnBlock[] {
  const { block, tables, starts } = request;
  if (tables.length === 1) return [{ ...block, table: nameOf(tables[0]!) }];
  const slicers = block.columns.map((column) => slicerOf(column));
  return Array.from(tables, (table, part) => {
    const from = starts[part]!;
    const to = starts[part + 1]!;
    return {
      ...block,
      table: nameOf(table),
      rows: to - from,
      ids: block.ids.subarray(from, to),
      times: block.times.subarray(from, to),
      columns: slicers.map((slice) => slice(from, to)),
    };
  });
}

/**
 * The rows `[from, to)` of a request as two requests, each of half of the tables in them. None where they are of one table: that cannot be
 * cut any further.
 */
export function halvesOf(request: RowRequest, from: number, to: number): readonly RowRequest[] {
  const { block, tables, starts, pooled } = request;
  const isMeant = (part: number): boolean => starts[part + 1]! > from && starts[part]! < to;
  const parts = Array.from(tables.keys()).filter(isMeant);
  if (parts.length < 2) return [];
  const half = parts.length >> 1;
  const middle = starts[parts[half]!]!;
  const slicers = block.columns.map((column) => slicerOf(column));
  if (from > 0) for (const slice of slicers) slice(0, from);
  const cut = (first: number, end: number, own: readonly number[]): RowRequest => ({
    block: {
      ...block,
      rows: end - first,
      ids: block.ids.subarray(first, end),
      times: block.times.subarray(first, end),
      columns: slicers.map((slice) => slice(first, end)),
    },
    tables: Uint32Array.from(own, (part) => tables[part]!),
    starts: Uint32Array.from([...own.map((part) => Math.max(starts[part]!, first) - first), end - first]),
    pooled: pooled && { pool: pooled.pool, first: (pooled.first + first) % pooled.pool.rows },
    endsRound: false,
  });
  return [cut(from, middle, parts.slice(0, half)), cut(middle, to, parts.slice(half))];
}

/** Cuts a column into views, from its beginning on. */
function slicerOf(column: Column): (from: number, to: number) => Column {
  const { values, nulls, pool, type } = column;
  const perRow = elementsPerRow(type);
  const entries = new PoolReader(pool ?? new Uint8Array(0));
  return (from, to) => {
    const poolFrom = entries.end;
    if (pool !== undefined) entries.skip(to - from);
    return {
      ...column,
      nulls: nulls.subarray(from, to),
      values: values?.subarray(from * perRow, to * perRow),
      pool: pool?.subarray(poolFrom, entries.end),
    };
  };
}

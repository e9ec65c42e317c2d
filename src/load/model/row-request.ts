import { PoolReader } from '../../bytes/pool-reader.js';
import { type Column, type ColumnBlock, elementsPerRow } from '../../model/column-block.js';

/**
 * Content of one request of the load tool: rows of one or more sub-tables of a super table, or of normal tables of one
 * shape. Part `i` is the run of rows `[starts[i], starts[i + 1])` of the block, all of the table with index
 * `tables[i]`.
 */
export interface RowRequest {
  /** The rows of all parts in their order. `table` is the super table; for normal tables see {@link tableRequests}. */
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

/** The rows `[from, to)` of a request as requests of their own, one for each of the tables in them. */
export function tableRequests(request: RowRequest, from = 0, to = request.block.rows): RowRequest[] {
  const { block, tables, starts, pooled } = request;
  if (tables.length === 1 && to - from === block.rows) return [request];
  const slicers = block.columns.map(slicerOf);
  if (from > 0) for (const slice of slicers) slice(0, from);
  return Array.from(tables).flatMap((table, part) => {
    const first = Math.max(starts[part]!, from);
    const end = Math.min(starts[part + 1]!, to);
    if (first >= end) return [];
    const columns = slicers.map((slice) => slice(first, end));
    const [ids, times] = [block.ids.subarray(first, end), block.times.subarray(first, end)];
    return [
      {
        block: { ...block, rows: end - first, ids, times, columns },
        tables: Uint32Array.of(table),
        starts: Uint32Array.of(0, end - first),
        pooled: pooled && { pool: pooled.pool, first: (pooled.first + first) % pooled.pool.rows },
        endsRound: false,
      },
    ];
  });
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

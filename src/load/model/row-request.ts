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

/** The rows of a request between rising bounds, as requests of their own. */
function cutRequest(request: RowRequest, bounds: ArrayLike<number>): RowRequest[] {
  const { block, tables, starts, pooled } = request;
  const slicers = block.columns.map(slicerOf);
  if (bounds[0]! > 0) for (const slice of slicers) slice(0, bounds[0]!);
  let part = 0;
  return Array.from({ length: bounds.length - 1 }, (_, at) => {
    const [first, end] = [bounds[at]!, bounds[at + 1]!];
    while (starts[part + 1]! <= first) part++;
    const own: number[] = [];
    for (let each = part; each < tables.length && starts[each]! < end; each++) own.push(each);
    return {
      block: {
        ...block,
        rows: end - first,
        ids: block.ids.subarray(first, end),
        times: block.times.subarray(first, end),
        columns: slicers.map((slice) => slice(first, end)),
      },
      tables: Uint32Array.from(own, (each) => tables[each]!),
      starts: Uint32Array.from([...own.map((each) => Math.max(starts[each]!, first) - first), end - first]),
      pooled: pooled && { pool: pooled.pool, first: (pooled.first + first) % pooled.pool.rows },
      endsRound: false,
    };
  });
}

/** A request for each table of a request: what normal tables need. */
export function tableRequests(request: RowRequest): RowRequest[] {
  return request.tables.length === 1 ? [request] : cutRequest(request, request.starts);
}

/**
 * The rows `[from, to)` of a request as two requests, each of half of the tables in them. None where they are of one
 * table.
 */
export function halvesOf(request: RowRequest, from: number, to: number): RowRequest[] {
  const inner = request.starts.filter((start) => start > from && start < to);
  const middle = inner[((inner.length + 1) >> 1) - 1];
  return middle === undefined ? [] : cutRequest(request, [from, middle, to]);
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

import type { RowRequest } from '../../../src/load/model/row-request.js';
import type { FieldPlan, SuperTablePlan, ValuePlan } from '../../../src/load/model/scenario.js';
import { openRowSource, type RowSource, type RowSourceOptions } from '../../../src/load/rows/source.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { dataType, type TypeName } from '../../../src/model/schema.js';
import { type Cell, rowsOf } from './insert-world.js';

export function field(name: string, type: TypeName, values: ValuePlan, length?: number): FieldPlan {
  return { name, type: dataType(type, length), values, sma: false };
}

export const startMs = 1_500_000_000_000n;

/** A plan of two tables with five rows each and one INT column, with changes. */
export function loadPlan(changes: Partial<SuperTablePlan> = {}): SuperTablePlan {
  const childCount = changes.childCount ?? 2;
  return {
    name: 'meters',
    normalTables: false,
    escapeNames: false,
    columns: [field('c0', 'INT', { kind: 'range', min: 0, max: 1_000_000 })],
    tags: [field('t0', 'INT', { kind: 'range', min: 1, max: 11 })],
    options: [],
    childPrefix: 'd',
    childCount,
    childFrom: 0,
    childTo: childCount,
    childExists: false,
    childOffset: 0,
    childLimit: 0,
    ttl: 0,
    autoCreateTable: false,
    createBatches: [10],
    createPausesMs: [],
    tagsFile: undefined,
    mode: 'taosc',
    format: 'line',
    tcpPort: undefined,
    rows: 5,
    rowsPerRequest: 30_000,
    interlaceRows: 0,
    insertIntervalMs: 0,
    nonStop: false,
    partialColumns: 0,
    maxSqlBytes: 1_048_576,
    start: startMs,
    step: 1n,
    disorderRatio: 0,
    disorderRange: 1000,
    preparedRows: 10_000,
    randomPerTable: false,
    chinese: false,
    sample: undefined,
    failure: 'no',
    attempts: { more: 0, intervalMs: 0 },
    tsmas: [],
    ...changes,
  };
}

export function openRows(
  changes: Partial<SuperTablePlan> = {},
  options: Partial<RowSourceOptions> = {},
): Promise<RowSource> {
  const readTime = (text: string): bigint | undefined => {
    const millis = Date.parse(text);
    return Number.isNaN(millis) ? undefined : BigInt(millis);
  };
  return openRowSource({ plan: loadPlan(changes), database: 'plant', precision: 'ms', seed: 7, readTime, ...options });
}

/** One written row. */
export interface LoadRow {
  readonly table: string;
  readonly time: bigint;
  readonly cells: readonly Cell[];
}

/** All requests of so many threads, thread by thread. */
export function requestsOf(source: RowSource, threads = 1): RowRequest[] {
  return source.split(threads).flatMap((range) => [...source.requests(range)]);
}

/** The rows of requests in their order. */
export function rowsIn(source: RowSource, requests: readonly RowRequest[]): LoadRow[] {
  return requests.flatMap(({ block, tables, starts }) => {
    const rows = rowsOf(block);
    return Array.from(tables).flatMap((table, part) =>
      rows.slice(starts[part], starts[part + 1]).map(([time, ...cells]) => {
        if (typeof time !== 'bigint') throw new Error('A row has no time.');
        return { table: source.tables.nameOf(table), time, cells };
      }),
    );
  });
}

/** All rows of a plan. */
export async function rowsOfPlan(changes: Partial<SuperTablePlan>, threads = 1): Promise<LoadRow[]> {
  const source = await openRows(changes);
  return rowsIn(source, requestsOf(source, threads));
}

/** A block as one request; `starts` are the first rows of its tables, table 0 first. */
export function requestOf(block: ColumnBlock, starts: readonly number[] = [0], isPooled = false): RowRequest {
  return {
    block,
    tables: Uint32Array.from(starts, (_, part) => part),
    starts: Uint32Array.from([...starts, block.rows]),
    pooled: isPooled ? { pool: { rows: block.rows, columns: block.columns }, first: 0 } : undefined,
    endsRound: false,
  };
}

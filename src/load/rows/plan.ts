import type { SuperTablePlan } from '../model/scenario.js';

/** Tables `[from, to)` by index. */
export interface TableRange {
  readonly from: number;
  readonly to: number;
}

/** How many rows and tables go into one request. */
export interface Pace {
  readonly rowsPerRequest: number;
  /** Rows a table and round; 0 finishes one table before the next. */
  readonly interlaceRows: number;
  readonly tablesPerRequest: number;
  /** Arguments that cannot be met: sentences for the person who started the run. */
  readonly notes: readonly string[];
}

/** Rows `[firstRow, firstRow + rows)` of each of the tables `[from, to)`: what one request writes. */
export interface Turn extends TableRange {
  readonly firstRow: number;
  readonly rows: number;
  /** The last request of a round over all tables; in progressive order there are no rounds. */
  readonly endsRound: boolean;
}

/**
 * Deals tables out to threads in contiguous ranges, the first of which get one more when it does not come out even.
 * There are never more threads than tables.
 */
export function splitTables({ from, to }: TableRange, threads: number): TableRange[] {
  const count = to - from;
  const parts = Math.min(threads, count);
  const size = Math.floor(count / Math.max(1, parts));
  const longer = count - size * parts;
  return Array.from({ length: parts }, (_, i) => {
    const start = from + i * size + Math.min(i, longer);
    return { from: start, to: start + size + (i < longer ? 1 : 0) };
  });
}

/** The pace of a super table of which each table gets `rows` rows (`interlace_rows`, `num_of_records_per_req`). */
export function paceOf(plan: Pick<SuperTablePlan, 'rowsPerRequest' | 'interlaceRows'>, rows: number): Pace {
  const notes: string[] = [];
  let { interlaceRows } = plan;
  if (interlaceRows > plan.rowsPerRequest) {
    notes.push(`Interlace rows ${interlaceRows} are more than rows per request: ${plan.rowsPerRequest} are used.`);
    interlaceRows = plan.rowsPerRequest;
  }
  if (interlaceRows > rows) {
    notes.push(`Interlace rows ${interlaceRows} are more than rows per table: tables are written one after the other.`);
    interlaceRows = 0;
  }
  if (interlaceRows > 0) {
    const tablesPerRequest = Math.floor(plan.rowsPerRequest / interlaceRows);
    return { rowsPerRequest: plan.rowsPerRequest, interlaceRows, tablesPerRequest, notes };
  }
  const rowsPerRequest = Math.max(1, Math.min(plan.rowsPerRequest, rows));
  if (rowsPerRequest < plan.rowsPerRequest && rows > 0) {
    notes.push(`Rows per request ${plan.rowsPerRequest} are more than rows per table: ${rowsPerRequest} are used.`);
  }
  return { rowsPerRequest, interlaceRows: 0, tablesPerRequest: 1, notes };
}

/**
 * The requests of one thread, in order. Progressive: a table is finished before the next begins, and no request spans
 * two of them. Interlaced: rounds over all tables, cut where a round ends. Endless runs go on after the last row, over
 * all tables again.
 */
export function* turnsOf(
  range: TableRange,
  pace: Pace,
  rowsOf: (table: number) => number,
  endless: boolean,
): Generator<Turn, void, void> {
  if (range.to <= range.from) return;
  let most = 0;
  for (let table = range.from; table < range.to; table++) most = Math.max(most, rowsOf(table));
  if (most === 0) return;
  if (pace.interlaceRows > 0) {
    yield* rounds(range, pace, endless ? Number.POSITIVE_INFINITY : most);
    return;
  }
  for (let cycle = 0; cycle === 0 || endless; cycle++) {
    for (let table = range.from; table < range.to; table++) {
      const count = rowsOf(table);
      for (let done = 0; done < count; done += pace.rowsPerRequest) {
        const rows = Math.min(pace.rowsPerRequest, count - done);
        yield { from: table, to: table + 1, firstRow: cycle * count + done, rows, endsRound: false };
      }
    }
  }
}

function* rounds({ from: first, to: end }: TableRange, pace: Pace, count: number): Generator<Turn, void, void> {
  for (let firstRow = 0; firstRow < count; firstRow += pace.interlaceRows) {
    const rows = Math.min(pace.interlaceRows, count - firstRow);
    for (let from = first; from < end; from += pace.tablesPerRequest) {
      const to = Math.min(end, from + pace.tablesPerRequest);
      yield { from, to, firstRow, rows, endsRound: to === end };
    }
  }
}

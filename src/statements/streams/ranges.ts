import type { Engine } from '../../database/engine/engine.js';
import { printExpr } from '../../sql/engine/print.js';
import { bareTime } from '../../sql/engine/storage.js';

/** A range of timestamps that has rows, both ends inclusive, in ticks. */
export interface RowRange {
  readonly low: bigint;
  readonly high: bigint;
  readonly rows: number;
}

/** Rows that are worked on at once, and the cells of time in which they are counted. */
const maxRangeRows = 2_000_000;
const maxCells = 2_000n;
/** Ranges that are worked on at once. */
const maxBatchRanges = 64;
/** Rows this close are one range without being counted. */
const nearSteps = 64n;

/**
 * The ranges of time in which an engine table has rows that meet a condition, in order: rows that are less than about a
 * `step` apart are in one range, unless that has too many of them. Empty when there are no such rows.
 */
export async function rowRanges(
  engine: Pick<Engine, 'rows'>,
  storage: string,
  where: readonly string[],
  step: bigint,
): Promise<readonly RowRange[]> {
  const time = printExpr(bareTime);
  const from = `${storage} WHERE ${where.map((term) => `(${term})`).join(' AND ')}`;
  const [row] = await engine.rows(`SELECT toString(min(${time})), toString(max(${time})), count() FROM ${from}`);
  const [low, high, rows] = row ?? [];
  if (Number(rows ?? 0) === 0) return [];
  const whole = { low: BigInt(String(low)), high: BigInt(String(high)), rows: Number(rows) };
  const span = whole.high - whole.low;
  if (span <= step * nearSteps && whole.rows <= maxRangeRows) return [whole];
  const cell = span / maxCells > step ? span / maxCells + 1n : step;
  const cells = await engine.rows(
    `SELECT toString(intDiv(${time} - (${whole.low}), ${cell}) AS c), toString(min(${time})), toString(max(${time})), count()
     FROM ${from} GROUP BY c ORDER BY c`,
  );
  return joined(
    cells.map(([number, first, last, count]) => ({
      number: BigInt(String(number)),
      low: BigInt(String(first)),
      high: BigInt(String(last)),
      rows: Number(count),
    })),
  );
}

interface Cell extends RowRange {
  readonly number: bigint;
}

/** Neighbouring cells as one range, as long as it does not get too large. */
function joined(cells: readonly Cell[]): RowRange[] {
  const ranges: RowRange[] = [];
  let open: Cell | undefined;
  for (const cell of cells) {
    if (open !== undefined && cell.number === open.number + 1n && open.rows + cell.rows <= maxRangeRows) {
      open = { number: cell.number, low: open.low, high: cell.high, rows: open.rows + cell.rows };
      continue;
    }
    if (open !== undefined) ranges.push({ low: open.low, high: open.high, rows: open.rows });
    open = cell;
  }
  if (open !== undefined) ranges.push({ low: open.low, high: open.high, rows: open.rows });
  return ranges;
}

/** Ranges in groups that are not too large, in their order. */
export function batched(ranges: readonly RowRange[]): readonly (readonly RowRange[])[] {
  const batches: RowRange[][] = [];
  let rows = 0;
  for (const range of ranges) {
    const open = batches.at(-1);
    rows += range.rows;
    if (open !== undefined && open.length < maxBatchRanges && rows <= maxRangeRows) {
      open.push(range);
      continue;
    }
    batches.push([range]);
    rows = range.rows;
  }
  return batches;
}

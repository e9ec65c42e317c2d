import { Slice } from '../../async/slice.js';
import type { ColumnBlock } from '../../model/column-block.js';
import { type Fault, FaultError, isTransient } from '../../model/fault.js';
import type { RefusedRows } from '../../model/refused-rows.js';
import { Cursor } from '../../sql/insert/cursor.js';
import { type ClauseRows, clausesOf, halvesOf, insertOf } from './insert-clauses.js';

/** Scans an INSERT … VALUES, after others of the same statement; may reject with a FaultError. */
export type ScanPart = (statement: Buffer) => Promise<readonly ColumnBlock[]>;

/** What can be written of a statement, in its order, and what cannot. */
export interface DividedRows {
  readonly blocks: readonly ColumnBlock[];
  readonly refused: readonly RefusedRows[];
}

/**
 * Reads a statement that is refused as a whole: what of it can be written, and the rows that cannot, table by table.
 * What is refused is halved, first the tables and then the rows of one, so that few bad rows cost few scans. A
 * FaultError that may pass is thrown.
 */
export async function divideInsert(statement: Buffer, scan: ScanPart): Promise<DividedRows> {
  const slice = new Slice();
  const blocks: ColumnBlock[] = [];
  const refused = new Map<string, { table: string; rows: number; fault: Fault }>();
  const refuse = ({ clause: { table }, first, last }: ClauseRows, fault: Fault): void => {
    const known = refused.get(table);
    if (known === undefined) refused.set(table, { table, rows: last - first, fault });
    else known.rows += last - first;
  };
  const take = async (parts: readonly ClauseRows[], isHeadGood: boolean): Promise<void> => {
    if (slice.isOver()) await slice.next();
    const reason = await refusalOf(async () => blocks.push(...(await scan(insertOf(statement, parts)))));
    if (reason === undefined) return;
    const [first] = parts as readonly [ClauseRows];
    const halves = halvesOf(parts);
    if (halves === undefined) return refuse(first, reason);
    const isSingle = parts.length === 1;
    if (isSingle && !isHeadGood) {
      const head = insertOf(statement, [{ ...first, last: first.first }]);
      const headReason = await refusalOf(() => scan(head));
      if (headReason !== undefined && headReason.message !== noRows.message) return refuse(first, headReason);
    }
    for (const half of halves) await take(half, isSingle);
  };
  await take(await clausesOf(statement, slice), false);
  return { blocks, refused: [...refused.values()] };
}

/** The fault for which work is refused for good; undefined when it is done. Other errors are thrown. */
async function refusalOf(work: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FaultError) || isTransient(error.fault)) throw error;
    return error.fault;
  }
  return undefined;
}

/** What is wrong with a clause that lacks nothing but its rows. */
const noRows = new Cursor(Buffer.of()).syntaxError('no any data points').fault;

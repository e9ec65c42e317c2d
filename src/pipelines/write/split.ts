import { concatMap, from, type OperatorFunction } from 'rxjs';
import { type Batch, isStatement, type RowSet, splitBatch, type Target, type WireFormat } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import { delivered } from '../../model/delivery.js';

/** Rows to those of one table each; the sender gets its answer once all of them are stored. */
export function split(): OperatorFunction<Batch<RowSet>, Batch<ColumnBlock>> {
  return concatMap((batch) => from(splitTables(batch)));
}

/** The rows of each table as a batch of its own; the whole is settled once all of them are. */
export function splitTables(batch: Batch<RowSet>): readonly Batch<ColumnBlock>[] {
  const { payload, bytes, rows } = batch;
  const parts = payload.blocks.map((block) => ({
    payload: block,
    rows: block.rows,
    bytes: shareOf(block, bytes, rows),
  }));
  const targetOf = targets(batch.target);
  return splitBatch(batch, parts, delivered(0, payload.rejectedRows, payload.rejects)).map((part) => ({
    ...part,
    target: targetOf(part.payload),
  }));
}

/** Bytes of a payload of `rows` rows that a block of it counts for. */
function shareOf(block: ColumnBlock, bytes: number, rows: number): number {
  return Math.ceil((bytes * block.rows) / Math.max(1, rows));
}

/**
 * Gives the target of each block: a statement may write to several databases. Blocks of one database have one target.
 */
export function targets(target: Target): (block: ColumnBlock) => Target {
  let others: Map<string, Target> | undefined;
  return ({ database }) => {
    if (database === target.database) return target;
    others ??= new Map();
    const known = others.get(database) ?? { ...target, database };
    others.set(database, known);
    return known;
  };
}

/** Where the rows of a payload go: all of them to one database, or else to several. */
export interface Home {
  readonly database: string;
  readonly isWithin: boolean;
}

/** Where the rows of a payload go, whose database is the current one of a statement, or empty where there is none. */
export function homeOf(format: WireFormat, database: string, blocks: readonly ColumnBlock[]): Home {
  if (!isStatement(format)) return { database, isWithin: true };
  const own = blocks[0]?.database ?? database;
  const isWithin = (database === '' || database === own) && blocks.every((block) => block.database === own);
  return { database: isWithin ? own : database, isWithin };
}

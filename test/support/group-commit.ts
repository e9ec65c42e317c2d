import { setTimeout as sleep } from 'node:timers/promises';
import { Subject } from 'rxjs';
import type { Batch, BlockGroup } from '../../src/model/batch.js';
import type { ColumnBlock } from '../../src/model/column-block.js';
import { GroupCommit } from '../../src/pipelines/batch.js';
import { blockOf, int, recordedBatch } from './blocks.js';

/** A block of one row of the series 1, whose time is its value. */
export function oneRow(table: string, value: number) {
  return recordedBatch(blockOf(table, { v: int }, [[1n, BigInt(value), { v: value }]]));
}

/** Longer than any linger. */
export const turn = async () => {
  await sleep(30);
  await instant();
};

/** The end of the event loop's turn: too short for a linger to end. */
export const instant = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** A group commit with what goes in, and the groups that come out. */
export function setUp(workers = 2, maxRows = 1000, placeOf?: (block: ColumnBlock) => string) {
  const input = new Subject<Batch<ColumnBlock>>();
  const groups: Batch<BlockGroup>[] = [];
  let completed = false;
  input
    .pipe(
      new GroupCommit({ workers, maxRows, maxBytes: 1e9, batchSize: 1e6, flushIntervalMs: 1000 }, placeOf).operator(),
    )
    .subscribe({
      next: (group) => groups.push(group),
      complete: () => {
        completed = true;
      },
    });
  return { input, groups, isCompleted: () => completed };
}

import { Subject } from 'rxjs';
import type { Batch, BlockGroup } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { type CommitLimits, GroupCommit } from '../../../src/pipelines/commit/group-commit.js';
import { ManualClock } from '../manual-clock.js';
import { blockOf, int, recordedBatch } from './blocks.js';

/** A block of one row of the series 1, whose time is its value. */
export function oneRow(table: string, value: number) {
  return recordedBatch(blockOf(table, { v: int }, [[1n, BigInt(value), { v: value }]]));
}

/** The end of the event loop's turn; no time passes. */
export const instant = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

const usual: CommitLimits = { workers: 2, maxRows: 1000, maxBytes: 1e9, batchSize: 1e6, flushIntervalMs: 1000 };

/** A group commit with what goes in, the groups that come out, and `pass`, which lets time pass: longer than any linger where no ms are given. */
export function setUp(limits: Partial<CommitLimits> = {}, placeOf?: (block: ColumnBlock) => string) {
  const input = new Subject<Batch<ColumnBlock>>();
  const groups: Batch<BlockGroup>[] = [];
  let completed = false;
  const clock = new ManualClock();
  const commit = new GroupCommit({ ...usual, ...limits }, placeOf, undefined, clock);
  const subscription = input.pipe(commit.operator()).subscribe({
    next: (group) => groups.push(group),
    complete: () => {
      completed = true;
    },
  });
  const pass = async (ms = 30): Promise<void> => {
    await instant();
    clock.pass(ms);
    await instant();
  };
  return { commit, input, groups, pass, clock, subscription, isCompleted: () => completed };
}

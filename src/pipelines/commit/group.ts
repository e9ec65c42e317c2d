import type { Batch, EarlierGroup, Target } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import { pairOf } from '../write/groups.js';
import type { Fifo } from './fifo.js';

/** Bounds of one group. */
export interface GroupLimits {
  /** Logged rows that are worth an insert: as soon as so many wait they go. */
  readonly batchSize: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Most blocks of one group: the work for each of them before and after the insert delays all others. */
const mostBlocks = 4_096;

/** How many of the blocks that wait go as the next group; at least one, however large it is. */
export function groupLength(waiting: Fifo<Batch<ColumnBlock>>, limits: GroupLimits): number {
  const first = waiting.at(0)!;
  const earlier = first.logged?.earlierGroup;
  if (earlier !== undefined) return earlierLength(waiting, earlier);
  let [rows, bytes, count] = [0, 0, 0];
  for (; count < waiting.length; count++) {
    const batch = waiting.at(count)!;
    rows += batch.rows;
    bytes += batch.bytes;
    const isFull = rows > limits.maxRows || bytes > limits.maxBytes || count >= mostBlocks;
    if (count > 0 && isFull && !isSamePayload(batch, waiting.at(count - 1)!)) break;
    if (!isAlike(batch.target, first.target) || batch.logged?.earlierGroup !== undefined) break;
  }
  return count;
}

/**
 * The blocks of a logged payload stay together, because the log notes how the rows of a table in a payload end as one.
 */
function isSamePayload({ logged }: Batch<ColumnBlock>, before: Batch<ColumnBlock>): boolean {
  return logged !== undefined && logged.sequences[0] === before.logged?.sequences[0];
}

/** A group has one target, the first one's: what it says must be true of all members. */
function isAlike(a: Target, b: Target): boolean {
  return a.database === b.database && a.createDatabase === b.createDatabase && a.reading?.epoch === b.reading?.epoch;
}

/** Blocks in front that were in the same group when the process ended. */
function earlierLength(waiting: Fifo<Batch<ColumnBlock>>, { group }: EarlierGroup): number {
  let count = 0;
  while (waiting.at(count)?.logged?.earlierGroup?.group === group) count++;
  return count;
}

/** True when the block in front is of no earlier group, or all of that group is here. */
export function isComplete(waiting: Fifo<Batch<ColumnBlock>>): boolean {
  const earlier = waiting.at(0)?.logged?.earlierGroup;
  if (earlier === undefined) return true;
  return earlierLength(waiting, earlier) < waiting.length || pairsIn(waiting.toArray()) >= earlier.pairs;
}

/** Pairs of payload and table among logged blocks. */
export function pairsIn(batches: readonly Batch<ColumnBlock>[]): number {
  const pairs = new Map(batches.map((batch) => [pairOf(batch), batch.logged?.sequences.length ?? 1]));
  return [...pairs.values()].reduce((sum, payloads) => sum + payloads, 0);
}

/**
 * Senders who wait for blocks to be stored. The blocks of a payload stand one behind the other and have one target;
 * logged ones are acknowledged.
 */
export function sendersOf(batches: readonly Batch<ColumnBlock>[]): number {
  let senders = 0;
  for (const [i, { target, logged }] of batches.entries()) {
    if (logged === undefined && (i === 0 || batches[i - 1]!.target !== target)) senders++;
  }
  return senders;
}

/** Rows in blocks. */
export function rowsOf(batches: readonly Batch<ColumnBlock>[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows, 0);
}

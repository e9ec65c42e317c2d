import type { Batch, Target } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';

/** Bounds of one group. */
export interface GroupLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows that are worth an insert of their own: below that its fixed cost is most of it. */
const enoughRows = 16_000;

/** The blocks of one place that wait, and whether a group of it is in flight. */
export interface Lane {
  readonly key: string;
  readonly waiting: Batch<ColumnBlock>[];
  rows: number;
  /** Senders whose blocks wait: blocks of one text come one behind the other. */
  senders: number;
  busy: boolean;
  /** Senders that are likely to come soon or are here: those of the last group, and those that wait. */
  expected: number;
  /** Runs while the place lingers for them. */
  linger: NodeJS.Timeout | undefined;
  /** How many of those that wait come from a refused group and go one by one. */
  alone: number;
}

/** A lane with nothing in it. */
export function emptyLane(key: string): Lane {
  return { key, waiting: [], rows: 0, senders: 0, busy: false, expected: 1, linger: undefined, alone: 0 };
}

/** Adds a batch behind those that wait. */
export function append(lane: Lane, batch: Batch<ColumnBlock>): void {
  if (lane.waiting.at(-1)?.target !== batch.target) lane.senders++;
  lane.waiting.push(batch);
  lane.rows += batch.rows;
}

/** True when a group is due at once: enough of it is here, or nobody else is expected. */
export function isReady({ waiting, rows, senders, expected, alone }: Lane): boolean {
  return waiting.length > 0 && (senders >= expected || rows >= enoughRows || alone > 0);
}

/** Takes the batches that go as the next group; at least one, however large it is. */
export function takeGroup(lane: Lane, limits: GroupLimits): Batch<ColumnBlock>[] {
  const { waiting, alone } = lane;
  const taken = waiting.splice(0, alone > 0 ? 1 : groupLength(waiting, limits));
  if (alone > 0) lane.alone--;
  lane.rows -= rowsOf(taken);
  lane.senders = sendersOf(waiting);
  return taken;
}

function groupLength(waiting: readonly Batch<ColumnBlock>[], limits: GroupLimits): number {
  let rows = 0;
  let bytes = 0;
  let count = 0;
  for (const batch of waiting) {
    rows += batch.rows;
    bytes += batch.bytes;
    if (count > 0 && (rows > limits.maxRows || bytes > limits.maxBytes)) break;
    if (!isAlike(batch.target, waiting[0]!.target)) break;
    count++;
  }
  return count;
}

/** Puts batches before those that wait, to go one by one. */
export function takeBack(lane: Lane, batches: readonly Batch<ColumnBlock>[]): void {
  if (batches.length === 0) return;
  lane.waiting.unshift(...batches);
  lane.rows += rowsOf(batches);
  lane.senders = sendersOf(lane.waiting);
  lane.alone = batches.length;
}

/** Batches of one text have one target, and stand one behind the other. */
export function sendersOf(batches: readonly Batch<ColumnBlock>[]): number {
  let senders = 0;
  for (const [i, { target }] of batches.entries()) if (i === 0 || batches[i - 1]!.target !== target) senders++;
  return senders;
}

function rowsOf(batches: readonly Batch<ColumnBlock>[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows, 0);
}

/** A group has one target, the first one's: what it says must be true of all members. */
function isAlike(a: Target, b: Target): boolean {
  return a.createDatabase === b.createDatabase && a.reading?.epoch === b.reading?.epoch;
}

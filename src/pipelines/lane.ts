import type { Alarm } from '../async/clock.js';
import type { Batch, EarlierGroup, Target } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Fault } from '../model/fault.js';
import { pairOf } from './write/groups.js';

/** Bounds of one group. */
export interface GroupLimits {
  /** Logged rows that are worth an insert: as soon as so many wait they go. */
  readonly batchSize: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows that are worth an insert of their own while senders wait: below that its fixed cost is most of it. */
const enoughRows = 16_000;

/** Most blocks of one group: what is done for each of them before and after the insert holds up everybody else. */
const mostBlocks = 4_096;

/** A group whose insert may have been done although it failed: it is tried again as it was, under its number. */
export interface Sealed {
  readonly members: readonly Batch<ColumnBlock>[];
  readonly group: number | undefined;
}

/** Somebody who waits until the first `count` blocks that ever came to a lane have ended. */
interface Waiter {
  count: number;
  resolve(): void;
  reject(failure: Fault): void;
}

/** The blocks of one place that wait, and whether a group of it is in flight. */
export interface Lane {
  readonly key: string;
  readonly waiting: Batch<ColumnBlock>[];
  rows: number;
  /** Senders who wait for their blocks to be stored: blocks of one text come one behind the other. */
  senders: number;
  busy: boolean;
  /** Senders that are likely to come soon or are here: those of the last group, and those that wait. */
  expected: number;
  /** Runs while the place lingers for them, or until a group is tried again. */
  linger: Alarm | undefined;
  /** How many of those that wait come from a refused group and go one by one. */
  alone: number;
  /** Blocks that ever came, and that have ended: they end in the order in which they came. */
  added: number;
  ended: number;
  /** Blocks up to this count go at once. */
  flushTo: number;
  /** When the first of those that wait is to go at the latest, by the monotonic clock. */
  dueAt: number;
  sealed: Sealed | undefined;
  /** The group that was taken and has not ended: in flight, or sealed and tried again. */
  inFlight: readonly Batch<ColumnBlock>[];
  /** Failed attempts at the group in front. */
  failures: number;
  /** Those of them at which the database itself refused rows: that it was away before says nothing about the rows. */
  refusals: number;
  /** When the last of them failed, and when the next one is due, by the monotonic clock. */
  failedAt: number;
  dueAgainAt: number;
  readonly waiters: Waiter[];
}

/** A lane with nothing in it. */
export function emptyLane(key: string): Lane {
  const counts = {
    rows: 0,
    senders: 0,
    expected: 1,
    alone: 0,
    added: 0,
    ended: 0,
    flushTo: 0,
    failures: 0,
    refusals: 0,
    failedAt: 0,
    dueAgainAt: 0,
  };
  const nothing = { linger: undefined, sealed: undefined, dueAt: Number.POSITIVE_INFINITY };
  return { key, waiting: [], inFlight: [], busy: false, ...counts, ...nothing, waiters: [] };
}

/** Adds a batch behind those that wait. */
export function append(lane: Lane, batch: Batch<ColumnBlock>): void {
  if (batch.logged === undefined && lane.waiting.at(-1)?.target !== batch.target) lane.senders++;
  lane.waiting.push(batch);
  lane.rows += batch.rows;
  lane.added++;
}

/** Makes room for so many more blocks in the place of one that was in flight: readers who wait for blocks behind it wait for these, too. */
export function makeRoom(lane: Lane, more: number): void {
  lane.added += more;
  lane.flushTo += more;
  for (const waiter of lane.waiters) waiter.count += more;
}

/** True when a group is due at once: enough of it is here, nobody else is expected, or somebody or the clock asks for it. */
export function isReady(lane: Lane, limits: GroupLimits, now: number): boolean {
  const { waiting, rows, senders, expected, alone, sealed } = lane;
  if (sealed !== undefined) return true;
  if (waiting.length === 0 || !isComplete(waiting)) return false;
  if (senders > 0 && (senders >= expected || rows >= enoughRows)) return true;
  return (
    alone > 0 || rows >= limits.batchSize || lane.flushTo > lane.ended || lane.dueAt <= now || isEarlier(waiting[0]!)
  );
}

/** True for a lane in which nothing waits, is in flight or is to be tried again. */
function isEmpty({ waiting, sealed, busy }: Lane): boolean {
  return waiting.length === 0 && sealed === undefined && !busy;
}

/** True when rows of one of these series have come and have not ended. */
export function hasSeries({ waiting, inFlight }: Lane, series: readonly bigint[]): boolean {
  return [waiting, inFlight].some((batches) =>
    batches.some(({ payload }) => series.some((id) => payload.ids.includes(id))),
  );
}

/** Arrival of the oldest block that has not ended, in Unix microseconds; undefined when there is none. */
function oldestMicros({ waiting, inFlight }: Lane): bigint | undefined {
  return (inFlight[0] ?? waiting[0])?.target.reading?.nowMicros;
}

/** Figures of batches that have come and have not ended. */
export interface Waiting {
  readonly lanes: number;
  readonly blocks: number;
  readonly rows: number;
  /** Arrival of the oldest of it, in Unix microseconds. */
  readonly oldestMicros: bigint | undefined;
}

/** Figures of what waits in lanes. */
export function waitingIn(all: Iterable<Lane>): Waiting {
  let [lanes, blocks, rows] = [0, 0, 0];
  let oldest: bigint | undefined;
  for (const lane of all) {
    if (isEmpty(lane)) continue;
    lanes++;
    blocks += lane.added - lane.ended;
    rows += lane.rows;
    const since = oldestMicros(lane);
    if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since;
  }
  return { lanes, blocks, rows, oldestMicros: oldest };
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
  const first = waiting[0]!;
  const earlier = first.logged?.earlierGroup;
  if (earlier !== undefined) return earlierLength(waiting, earlier);
  let rows = 0;
  let bytes = 0;
  let count = 0;
  for (const batch of waiting) {
    rows += batch.rows;
    bytes += batch.bytes;
    const isFull = rows > limits.maxRows || bytes > limits.maxBytes || count >= mostBlocks;
    if (count > 0 && isFull && !isSameText(batch, waiting[count - 1]!)) break;
    if (!isAlike(batch.target, first.target) || batch.logged?.earlierGroup !== undefined) break;
    count++;
  }
  return count;
}

/** The blocks of a logged text stay together, because the log notes how the rows of a table in a text end as one. */
function isSameText({ logged }: Batch<ColumnBlock>, before: Batch<ColumnBlock>): boolean {
  return logged !== undefined && logged.sequences[0] === before.logged?.sequences[0];
}

/** Blocks in front that were in the same group when the process ended. */
function earlierLength(waiting: readonly Batch<ColumnBlock>[], { group }: EarlierGroup): number {
  const end = waiting.findIndex(({ logged }) => logged?.earlierGroup?.group !== group);
  return end < 0 ? waiting.length : end;
}

/** True when what waits in front begins no earlier group, or all of that is here. */
function isComplete(waiting: readonly Batch<ColumnBlock>[]): boolean {
  const earlier = waiting[0]?.logged?.earlierGroup;
  if (earlier === undefined) return true;
  const length = earlierLength(waiting, earlier);
  return length < waiting.length || pairsIn(waiting) >= earlier.pairs;
}

/** Pairs of text and table among logged blocks. */
export function pairsIn(batches: readonly Batch<ColumnBlock>[]): number {
  const pairs = new Map(batches.map((batch) => [pairOf(batch), batch.logged?.sequences.length ?? 1]));
  return [...pairs.values()].reduce((sum, texts) => sum + texts, 0);
}

function isEarlier({ logged }: Batch<ColumnBlock>): boolean {
  return logged?.earlierGroup !== undefined;
}

/** Puts batches before those that wait; `areAlone` when they are to go one by one. */
export function takeBack(lane: Lane, batches: readonly Batch<ColumnBlock>[], areAlone: boolean): void {
  if (batches.length === 0) return;
  lane.waiting.unshift(...batches);
  lane.rows += rowsOf(batches);
  lane.senders = sendersOf(lane.waiting);
  if (areAlone) lane.alone = Math.max(lane.alone, 0) + batches.length;
}

/** Batches of one text have one target, and stand one behind the other. Those that are logged were answered. */
export function sendersOf(batches: readonly Batch<ColumnBlock>[]): number {
  let senders = 0;
  for (const [i, { target, logged }] of batches.entries()) {
    if (logged === undefined && (i === 0 || batches[i - 1]!.target !== target)) senders++;
  }
  return senders;
}

function rowsOf(batches: readonly Batch<ColumnBlock>[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows, 0);
}

/** A group has one target, the first one's: what it says must be true of all members. */
function isAlike(a: Target, b: Target): boolean {
  return a.database === b.database && a.createDatabase === b.createDatabase && a.reading?.epoch === b.reading?.epoch;
}

import { Observable, type OperatorFunction } from 'rxjs';
import { type Batch, type BlockGroup, endingOf, groupBatches, type Target } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Delivery } from '../model/delivery.js';

/** Bounds of one group; see {@link coalesce}. */
export interface CoalesceLimits {
  /** Groups in flight at once, over all places. */
  readonly workers: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows that are worth an insert of their own: below that its fixed cost is most of it. */
const enoughRows = 16_000;
/** Longest wait for senders that were just answered, in milliseconds, and as a part of what the last write took. */
const maxLingerMs = 20;
const lingerShare = 0.5;

/** The blocks of one place that wait, and whether a group of it is in flight. */
interface Lane {
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

/** The lane of a table, as long as blocks of it are open. */
interface Pin {
  readonly lane: Lane;
  open: number;
}

/**
 * Group commit. `placeOf` says where the rows of a block are stored: blocks of one place, also of several tables, are
 * written together. A block for an idle place goes on at once, as a group of one; while a group of its place is in flight
 * (not settled), or all workers are busy, the next blocks pile up and go as one group. One group per place at a time, and a
 * table keeps its place while blocks of it are open, so blocks of a table are stored in the order they came. The engine's
 * own pace sets the group size. A group is put together at the end of the event loop's turn, so that requests that came in
 * together are stored together.
 *
 * A small group lingers for the senders that were just answered, because they are likely to send again: until as many of
 * them wait as there were, at most half as long as the last write took. One sender is never kept waiting.
 *
 * Blocks of one table that are refused together go one by one, so that nobody answers for another one's block.
 */
export function coalesce(
  limits: CoalesceLimits,
  placeOf: (block: ColumnBlock) => string = tableKey,
): OperatorFunction<Batch<ColumnBlock>, Batch<BlockGroup>> {
  return (source) =>
    new Observable((subscriber) => {
      const lanes = new Map<string, Lane>();
      const pins = new Map<string, Pin>();
      const ready: Lane[] = [];
      let inFlight = 0;
      let ended = false;

      let scheduled = false;

      const next = (): void => {
        if (scheduled) return;
        scheduled = true;
        setImmediate(launchReady);
      };
      const launchReady = (): void => {
        scheduled = false;
        while (inFlight < limits.workers) {
          const lane = ready.shift();
          if (lane === undefined) break;
          launch(lane);
        }
        if (ended && lanes.size === 0) subscriber.complete();
      };
      const launch = (lane: Lane): void => {
        inFlight++;
        const begun = performance.now();
        const members = takeGroup(lane, limits);
        const settled = (): void => {
          inFlight--;
          lane.busy = false;
          lane.expected = sendersOf(members) + lane.senders;
          if (isReady(lane)) enqueue(lane);
          else linger(lane, performance.now() - begun);
          next();
        };
        const settle = (delivery: Delivery): void => {
          const again = refusedTogether(members, delivery);
          for (const [place, member] of members.entries()) {
            if (again.has(member)) continue;
            unpin(member);
            member.settle(endingOf(delivery, place, member.rows));
          }
          takeBack(lane, [...again]);
          settled();
        };
        subscriber.next({ ...groupBatches(members), settle });
      };
      const enqueue = (lane: Lane): void => {
        clearTimeout(lane.linger);
        lane.linger = undefined;
        lane.busy = true;
        ready.push(lane);
      };
      const linger = (lane: Lane, writeMs: number): void => {
        const waitMs = ended ? 0 : Math.min(maxLingerMs, writeMs * lingerShare);
        lane.linger = setTimeout(() => {
          lane.linger = undefined;
          if (lane.waiting.length > 0) enqueue(lane);
          else lanes.delete(lane.key);
          next();
        }, waitMs);
      };
      const laneOf = ({ payload }: Batch<ColumnBlock>): Lane => {
        const table = tableKey(payload);
        const pin = pins.get(table);
        if (pin !== undefined) {
          pin.open++;
          return pin.lane;
        }
        const key = placeOf(payload);
        let lane = lanes.get(key);
        if (lane === undefined) {
          lane = { key, waiting: [], rows: 0, senders: 0, busy: false, expected: 1, linger: undefined, alone: 0 };
          lanes.set(key, lane);
        }
        pins.set(table, { lane, open: 1 });
        return lane;
      };
      const unpin = ({ payload }: Batch<ColumnBlock>): void => {
        const table = tableKey(payload);
        const pin = pins.get(table);
        if (pin === undefined) return;
        pin.open--;
        if (pin.open === 0) pins.delete(table);
      };
      const subscription = source.subscribe({
        next: (batch) => {
          const lane = laneOf(batch);
          if (lane.waiting.at(-1)?.target !== batch.target) lane.senders++;
          lane.waiting.push(batch);
          lane.rows += batch.rows;
          if (!lane.busy && isReady(lane)) enqueue(lane);
          next();
        },
        error: (error) => subscriber.error(error),
        complete: () => {
          ended = true;
          next();
        },
      });
      return () => {
        subscription.unsubscribe();
        for (const lane of lanes.values()) clearTimeout(lane.linger);
      };
    });
}

/** True when a group is due at once: enough of it is here, or nobody else is expected. */
function isReady({ waiting, rows, senders, expected, alone }: Lane): boolean {
  return waiting.length > 0 && (senders >= expected || rows >= enoughRows || alone > 0);
}

/** Batches of one text have one target, and stand one behind the other. */
function sendersOf(batches: readonly Batch<ColumnBlock>[]): number {
  let senders = 0;
  for (const [i, { target }] of batches.entries()) if (i === 0 || batches[i - 1]!.target !== target) senders++;
  return senders;
}

function rowsOf(batches: readonly Batch<ColumnBlock>[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows, 0);
}

/** True when the group was written in vain because of what is in it, and not because of the state of the world. */
function isRefused(delivery: Delivery): boolean {
  return delivery.outcome === 'rejected' || (delivery.outcome === 'failed' && delivery.fault.kind === 'database');
}

/** The members that were refused and share their table with others of the group: one of these may be the reason. */
function refusedTogether(members: readonly Batch<ColumnBlock>[], delivery: Delivery): Set<Batch<ColumnBlock>> {
  const refused = members.filter((member, place) => isRefused(endingOf(delivery, place, member.rows)));
  if (refused.length < 2) return new Set();
  const counts = new Map<string, number>();
  for (const { payload } of refused) counts.set(tableKey(payload), (counts.get(tableKey(payload)) ?? 0) + 1);
  return new Set(refused.filter(({ payload }) => (counts.get(tableKey(payload)) ?? 0) > 1));
}

/** Puts batches before those that wait, to go one by one. */
function takeBack(lane: Lane, batches: readonly Batch<ColumnBlock>[]): void {
  if (batches.length === 0) return;
  lane.waiting.unshift(...batches);
  lane.rows += rowsOf(batches);
  lane.senders = sendersOf(lane.waiting);
  lane.alone = batches.length;
}

/** A group has one target, the first one's: what it says must be true of all members. */
function isAlike(a: Target, b: Target): boolean {
  return a.createDatabase === b.createDatabase && a.reading?.epoch === b.reading?.epoch;
}

/** Names may hold any character, so the length of the first one says where the second begins. */
function tableKey({ database, table }: ColumnBlock): string {
  return `${database.length}:${database}${table}`;
}

function takeGroup(lane: Lane, limits: CoalesceLimits): Batch<ColumnBlock>[] {
  const { waiting } = lane;
  if (lane.alone > 0) {
    lane.alone--;
    const taken = waiting.splice(0, 1);
    lane.rows -= rowsOf(taken);
    lane.senders = sendersOf(waiting);
    return taken;
  }
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
  const taken = waiting.splice(0, count);
  lane.rows -= rowsOf(taken);
  lane.senders = sendersOf(waiting);
  return taken;
}

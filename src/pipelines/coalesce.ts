import { Observable, type OperatorFunction } from 'rxjs';
import { type Batch, type BlockGroup, groupBatches, type Target } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Delivery } from '../model/delivery.js';

/** Bounds of one group; see {@link coalesce}. */
export interface CoalesceLimits {
  /** Groups in flight at once, over all tables. */
  readonly workers: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows that are worth an insert of their own: below that its fixed cost is most of it. */
const enoughRows = 16_000;
/** Longest wait for senders that were just answered, in milliseconds, and as a part of what the last write took. */
const maxLingerMs = 20;
const lingerShare = 0.5;

/** The blocks of one table that wait, and whether a group of it is in flight. */
interface Lane {
  readonly waiting: Batch<ColumnBlock>[];
  rows: number;
  busy: boolean;
  /** Blocks that are likely to come soon or are here: those of the last group's senders, and those that wait. */
  expected: number;
  /** Runs while the table lingers for them. */
  linger: NodeJS.Timeout | undefined;
  /** How many of those that wait come from a refused group and go one by one. */
  alone: number;
}

/**
 * Group commit. A block for an idle table goes on at once, as a group of one; while a group of its table is in flight
 * (not settled), or all workers are busy, the next blocks pile up and go as one group. One group per table at a time,
 * so blocks of a table are stored in the order they came. The engine's own pace sets the group size. A group is put together
 * at the end of the event loop's turn, so that requests that came in together are stored together.
 *
 * A small group lingers for the senders that were just answered, because they are likely to send again: until as many blocks
 * wait as there were, at most half as long as the last write took. A table with one sender is never kept waiting.
 *
 * A group that is refused is taken apart and its blocks go one by one, so that nobody answers for another one's block.
 */
export function coalesce(limits: CoalesceLimits): OperatorFunction<Batch<ColumnBlock>, Batch<BlockGroup>> {
  return (source) =>
    new Observable((subscriber) => {
      const lanes = new Map<string, Lane>();
      const ready: string[] = [];
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
          const key = ready.shift();
          if (key === undefined) break;
          launch(key, lanes.get(key)!);
        }
        if (ended && lanes.size === 0) subscriber.complete();
      };
      const launch = (key: string, lane: Lane): void => {
        inFlight++;
        const begun = performance.now();
        const settled = (): void => {
          inFlight--;
          lane.busy = false;
          lane.expected = members.length + lane.waiting.length;
          if (isReady(lane)) enqueue(key, lane);
          else linger(key, lane, performance.now() - begun);
          next();
        };
        const members = takeGroup(lane, limits);
        const group = groupBatches(members, settled);
        const settle = (delivery: Delivery): void => {
          if (!isRefused(delivery) || members.length === 1) {
            group.settle(delivery);
            return;
          }
          lane.waiting.unshift(...members);
          lane.rows += rowsOf(members);
          lane.alone = members.length;
          settled();
        };
        subscriber.next({ ...group, settle });
      };
      const enqueue = (key: string, lane: Lane): void => {
        clearTimeout(lane.linger);
        lane.linger = undefined;
        lane.busy = true;
        ready.push(key);
      };
      const linger = (key: string, lane: Lane, writeMs: number): void => {
        const waitMs = ended ? 0 : Math.min(maxLingerMs, writeMs * lingerShare);
        lane.linger = setTimeout(() => {
          lane.linger = undefined;
          if (lane.waiting.length > 0) enqueue(key, lane);
          else lanes.delete(key);
          next();
        }, waitMs);
      };
      const subscription = source.subscribe({
        next: (batch) => {
          const key = laneKey(batch);
          let lane = lanes.get(key);
          if (lane === undefined) {
            lane = { waiting: [], rows: 0, busy: false, expected: 1, linger: undefined, alone: 0 };
            lanes.set(key, lane);
          }
          lane.waiting.push(batch);
          lane.rows += batch.rows;
          if (!lane.busy && isReady(lane)) enqueue(key, lane);
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
function isReady({ waiting, rows, expected, alone }: Lane): boolean {
  return waiting.length > 0 && (waiting.length >= expected || rows >= enoughRows || alone > 0);
}

function rowsOf(batches: readonly Batch<ColumnBlock>[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows, 0);
}

/** True when the group was written in vain because of what is in it, and not because of the state of the world. */
function isRefused(delivery: Delivery): boolean {
  return delivery.outcome === 'rejected' || (delivery.outcome === 'failed' && delivery.fault.kind === 'database');
}

/** A group has one target, the first one's: what it says must be true of all members. */
function isAlike(a: Target, b: Target): boolean {
  return a.createDatabase === b.createDatabase && a.reading?.epoch === b.reading?.epoch;
}

/** Names may hold any character, so the length of the first one says where the second begins. */
function laneKey({ payload: { database, table } }: Batch<ColumnBlock>): string {
  return `${database.length}:${database}${table}`;
}

function takeGroup(lane: Lane, limits: CoalesceLimits): Batch<ColumnBlock>[] {
  const { waiting } = lane;
  if (lane.alone > 0) {
    lane.alone--;
    const taken = waiting.splice(0, 1);
    lane.rows -= rowsOf(taken);
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
  return taken;
}

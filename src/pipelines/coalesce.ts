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

/** The blocks of one table that wait, and whether a group of it is in flight. */
interface Lane {
  readonly waiting: Batch<ColumnBlock>[];
  busy: boolean;
  /** How many of those that wait come from a refused group and go one by one. */
  alone: number;
}

/**
 * Group commit. A block for an idle table goes on at once, as a group of one; while a group of its table is in flight
 * (not settled), or all workers are busy, the next blocks pile up and go as one group. One group per table at a time,
 * so blocks of a table are stored in the order they came. There is no timer: the engine's own pace sets the group size.
 * A group is put together at the end of the event loop's turn, so that requests that came in together are stored together.
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
        if (ended && inFlight === 0 && ready.length === 0) subscriber.complete();
      };
      const launch = (key: string, lane: Lane): void => {
        inFlight++;
        const settled = (): void => {
          inFlight--;
          lane.busy = false;
          if (lane.waiting.length > 0) enqueue(key, lane);
          else lanes.delete(key);
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
          lane.alone = members.length;
          settled();
        };
        subscriber.next({ ...group, settle });
      };
      const enqueue = (key: string, lane: Lane): void => {
        lane.busy = true;
        ready.push(key);
      };
      const subscription = source.subscribe({
        next: (batch) => {
          const key = laneKey(batch);
          let lane = lanes.get(key);
          if (lane === undefined) {
            lane = { waiting: [], busy: false, alone: 0 };
            lanes.set(key, lane);
          }
          lane.waiting.push(batch);
          if (!lane.busy) enqueue(key, lane);
          next();
        },
        error: (error) => subscriber.error(error),
        complete: () => {
          ended = true;
          next();
        },
      });
      return () => subscription.unsubscribe();
    });
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
    return waiting.splice(0, 1);
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
  return waiting.splice(0, count);
}

import { Observable, type OperatorFunction } from 'rxjs';
import { type Batch, type BlockGroup, groupBatches } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';

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
}

/**
 * Group commit. A block for an idle table goes on at once, as a group of one; while a group of its table is in flight
 * (not settled), or all workers are busy, the next blocks pile up and go as one group. One group per table at a time,
 * so blocks of a table are stored in the order they came. There is no timer: the engine's own pace sets the group size.
 */
export function coalesce(limits: CoalesceLimits): OperatorFunction<Batch<ColumnBlock>, Batch<BlockGroup>> {
  return (source) =>
    new Observable((subscriber) => {
      const lanes = new Map<string, Lane>();
      const ready: string[] = [];
      let inFlight = 0;
      let ended = false;

      const next = (): void => {
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
        subscriber.next(groupBatches(takeGroup(lane.waiting, limits), settled));
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
            lane = { waiting: [], busy: false };
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

function laneKey({ payload, target }: Batch<ColumnBlock>): string {
  return `${payload.database}\n${payload.table}\n${target.createDatabase}`;
}

function takeGroup(waiting: Batch<ColumnBlock>[], limits: CoalesceLimits): Batch<ColumnBlock>[] {
  let rows = 0;
  let bytes = 0;
  let count = 0;
  for (const batch of waiting) {
    rows += batch.rows;
    bytes += batch.bytes;
    if (count > 0 && (rows > limits.maxRows || bytes > limits.maxBytes)) break;
    count++;
  }
  return waiting.splice(0, count);
}

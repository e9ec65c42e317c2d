import { Observable, type OperatorFunction, type Subscriber } from 'rxjs';
import { type Batch, type BlockGroup, endingOf, groupBatches } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Delivery } from '../model/delivery.js';
import { append, emptyLane, type GroupLimits, isReady, type Lane, sendersOf, takeBack, takeGroup } from './lane.js';

/** Bounds of what {@link coalesce} puts together. */
export interface CoalesceLimits extends GroupLimits {
  /** Groups in flight at once, over all places. */
  readonly workers: number;
}

/** Longest wait for senders that were just answered, in milliseconds, and as a part of what the last write took. */
const maxLingerMs = 20;
const lingerShare = 0.5;

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
      const commit = new GroupCommit(limits, placeOf, subscriber);
      const subscription = source.subscribe({
        next: (batch) => commit.add(batch),
        error: (error) => subscriber.error(error),
        complete: () => commit.end(),
      });
      return () => {
        subscription.unsubscribe();
        commit.close();
      };
    });
}

/** The state of one subscription. */
class GroupCommit {
  readonly #limits: CoalesceLimits;
  readonly #placeOf: (block: ColumnBlock) => string;
  readonly #groups: Subscriber<Batch<BlockGroup>>;
  readonly #lanes = new Map<string, Lane>();
  readonly #pins = new Map<string, Pin>();
  readonly #ready: Lane[] = [];
  #inFlight = 0;
  #ended = false;
  #scheduled = false;

  constructor(limits: CoalesceLimits, placeOf: (block: ColumnBlock) => string, groups: Subscriber<Batch<BlockGroup>>) {
    this.#limits = limits;
    this.#placeOf = placeOf;
    this.#groups = groups;
  }

  add(batch: Batch<ColumnBlock>): void {
    const lane = this.#laneOf(batch);
    append(lane, batch);
    if (!lane.busy && isReady(lane)) this.#enqueue(lane);
    this.#schedule();
  }

  /** Nothing comes any more: completes when all that waits has gone. */
  end(): void {
    this.#ended = true;
    this.#schedule();
  }

  /** Stops the timers. */
  close(): void {
    for (const lane of this.#lanes.values()) clearTimeout(lane.linger);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#launchReady());
  }

  #launchReady(): void {
    this.#scheduled = false;
    while (this.#inFlight < this.#limits.workers) {
      const lane = this.#ready.shift();
      if (lane === undefined) break;
      this.#launch(lane);
    }
    if (this.#ended && this.#lanes.size === 0) this.#groups.complete();
  }

  #launch(lane: Lane): void {
    this.#inFlight++;
    const begun = performance.now();
    const members = takeGroup(lane, this.#limits);
    const settle = (delivery: Delivery): void => {
      this.#settle(lane, members, delivery);
      this.#inFlight--;
      lane.busy = false;
      lane.expected = sendersOf(members) + lane.senders;
      if (isReady(lane)) this.#enqueue(lane);
      else this.#linger(lane, performance.now() - begun);
      this.#schedule();
    };
    this.#groups.next({ ...groupBatches(members), settle });
  }

  #settle(lane: Lane, members: readonly Batch<ColumnBlock>[], delivery: Delivery): void {
    const again = refusedTogether(members, delivery);
    for (const [place, member] of members.entries()) {
      if (again.has(member)) continue;
      this.#unpin(member);
      member.settle(endingOf(delivery, place, member.rows));
    }
    takeBack(lane, [...again]);
  }

  #enqueue(lane: Lane): void {
    clearTimeout(lane.linger);
    lane.linger = undefined;
    lane.busy = true;
    this.#ready.push(lane);
  }

  #linger(lane: Lane, writeMs: number): void {
    const waitMs = this.#ended ? 0 : Math.min(maxLingerMs, writeMs * lingerShare);
    lane.linger = setTimeout(() => {
      lane.linger = undefined;
      if (lane.waiting.length > 0) this.#enqueue(lane);
      else this.#lanes.delete(lane.key);
      this.#schedule();
    }, waitMs);
  }

  #laneOf({ payload }: Batch<ColumnBlock>): Lane {
    const table = tableKey(payload);
    const pin = this.#pins.get(table);
    if (pin !== undefined) {
      pin.open++;
      return pin.lane;
    }
    const key = this.#placeOf(payload);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = emptyLane(key);
      this.#lanes.set(key, lane);
    }
    this.#pins.set(table, { lane, open: 1 });
    return lane;
  }

  #unpin({ payload }: Batch<ColumnBlock>): void {
    const table = tableKey(payload);
    const pin = this.#pins.get(table);
    if (pin === undefined) return;
    pin.open--;
    if (pin.open === 0) this.#pins.delete(table);
  }
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

/** Names may hold any character, so the length of the first one says where the second begins. */
function tableKey({ database, table }: ColumnBlock): string {
  return `${database.length}:${database}${table}`;
}

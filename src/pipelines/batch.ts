import type { OperatorFunction } from 'rxjs';
import { type Alarm, type Clock, systemClock } from '../async/clock.js';
import { detached } from '../async/detached.js';
import { Slice } from '../async/slice.js';
import { type StageOutput, stage } from '../async/stage.js';
import { isStaleSchema } from '../database/store/stale-schema.js';
import { type Batch, type BlockGroup, endingOf, groupBatches } from '../model/batch.js';
import { type ColumnBlock, tableKey } from '../model/column-block.js';
import { type Delivery, delivered } from '../model/delivery.js';
import { type Fault, FaultError } from '../model/fault.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import { type Ended, final, isStored, passingFault, reasonToReadAgain, refusedTogether } from './ending.js';
import type { GroupLog } from './group-log.js';
import {
  append,
  emptyLane,
  type GroupLimits,
  hasSeries,
  isReady,
  type Lane,
  makeRoom,
  pairsIn,
  type Sealed,
  sendersOf,
  takeBack,
  takeGroup,
  type Waiting,
  waitingIn,
} from './lane.js';
import { OpenTables } from './open-tables.js';
import { delayMs } from './retries.js';

/** Members of a group that end in one turn, however long they take. */
const membersAtOnce = 256;

/** Bounds of what is put together. */
export interface BatchLimits extends GroupLimits {
  /** Groups in flight at once, over all places. */
  readonly workers: number;
  /** How long a logged row waits at most. */
  readonly flushIntervalMs: number;
}

/** Longest wait for senders that were just answered, in milliseconds, and as a part of what the last write took. */
const maxLingerMs = 20;
const lingerShare = 0.5;
/** How often rows that the database refuses, for a reason that is nobody's here, are tried before they are rejected. */
const maxRefusals = 3;
/** After how many milliseconds a group that failed is tried again when somebody waits for it. */
const hastyMs = 500;

/**
 * Group commit: gathers blocks until they are worth an insert. `placeOf` says where the rows of a block are stored: blocks
 * of one place, also of several tables, are inserted together. One group per place is in flight, and a table keeps its
 * place while blocks of it are open, so blocks of a table are stored in the order they came.
 *
 * Logged blocks wait until `batchSize` rows are there or `flushInterval` is over, or until a reader asks for them
 * ({@link GroupCommit.visible}). Blocks that a sender waits for go on at once: while a group of their place is in flight the
 * next ones pile up and go as one group, at the end of the event loop's turn, so that requests that came in together are
 * stored together. A small group lingers for the senders that were just answered, because they are likely to send again:
 * until as many of them wait as there were, at most half as long as the last write took. One sender is never kept waiting.
 *
 * Blocks of one table that are refused together go one by one, so that nobody answers for another one's block. A group of
 * logged blocks that fails for a passing reason is tried again as it was, for as long as it takes.
 */
export class GroupCommit {
  readonly #limits: BatchLimits;
  readonly #placeOf: (block: ColumnBlock) => string;
  readonly #log: GroupLog | undefined;
  readonly #clock: Clock;
  #groups: StageOutput<Batch<BlockGroup>> | undefined;
  #drained: (() => void) | undefined;
  readonly #lanes = new Map<string, Lane>();
  readonly #tables = new OpenTables();
  #ready: Lane[] = [];
  #inFlight = 0;
  #ended = false;
  #scheduled = false;
  #alarm: Alarm | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  /** Blocks are logged only where there is a log. */
  constructor(
    limits: BatchLimits,
    placeOf: (block: ColumnBlock) => string = tableKey,
    log?: GroupLog,
    clock: Clock = systemClock,
  ) {
    this.#limits = limits;
    this.#placeOf = placeOf;
    this.#log = log;
    this.#clock = clock;
  }

  /** The operator; one subscription at a time. */
  operator(): OperatorFunction<Batch<ColumnBlock>, Batch<BlockGroup>> {
    return stage((groups) => {
      this.#groups = groups;
      return {
        take: (batch) => this.#add(batch),
        finish: () => this.#end(),
        stop: () => {
          this.#alarm?.cancel();
          for (const lane of this.#lanes.values()) lane.linger?.cancel();
        },
      };
    });
  }

  /** Figures of what waits. */
  get waiting(): Waiting {
    return waitingIn(this.#lanes.values());
  }

  /**
   * Makes the blocks of tables that wait go at once; resolves when they have ended, rejects with the fault that keeps them
   * waiting. Undefined when none wait. With `series` blocks stay where they are while none has rows of these.
   */
  visible(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const lanes = [...this.#tables.lanesOf(tables)].filter((lane) => series === undefined || hasSeries(lane, series));
    if (lanes.length === 0) return undefined;
    return Promise.all(lanes.map((lane) => this.#flush(lane))).then(() => undefined);
  }

  /** Makes the waiting batches go at once, as there is no room for more. */
  hurry(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.busy || lane.waiting.length === 0) continue;
      lane.flushTo = lane.added;
      this.#consider(lane);
    }
  }

  /** No more of the earlier groups is to come: what is not whole by now goes as anything else. */
  endRecovery(): void {
    for (const lane of this.#lanes.values()) {
      for (const [i, batch] of lane.waiting.entries()) {
        if (batch.logged?.earlierGroup === undefined) continue;
        lane.waiting[i] = { ...batch, logged: { ...batch.logged, earlierGroup: undefined } };
      }
      this.#consider(lane);
    }
  }

  /** Nothing comes any more: everything goes; resolves when it is gone. */
  #end(): Promise<void> {
    this.#ended = true;
    for (const lane of this.#lanes.values()) {
      lane.flushTo = lane.added;
      this.#consider(lane);
    }
    this.#schedule();
    return new Promise((resolve) => (this.#drained = resolve));
  }

  /** A defect: the chain ends, and the service with it. */
  readonly #failed = (error: unknown): void => this.#groups?.fail(error);

  #flush(lane: Lane): Promise<void> {
    lane.flushTo = lane.added;
    this.#consider(lane);
    this.#hasten(lane);
    return new Promise((resolve, reject) => {
      const refuse = (failure: Fault): void => reject(new FaultError(failure));
      lane.waiters.push({ count: lane.added, resolve, reject: refuse });
    });
  }

  #add(batch: Batch<ColumnBlock>): void {
    const lane = this.#laneOf(batch);
    if (lane.waiting.length === 0) {
      lane.dueAt = this.#clock.now() + this.#limits.flushIntervalMs;
      this.#wakeAt(lane.dueAt);
    }
    append(lane, batch);
    if (this.#ended) lane.flushTo = lane.added;
    this.#consider(lane);
    if (batch.logged === undefined) this.#schedule();
  }

  /** Puts a lane in line when a group of it is due. */
  #consider(lane: Lane): void {
    if (lane.busy || !isReady(lane, this.#limits, this.#clock.now())) return;
    this.#enqueue(lane);
    this.#schedule();
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
      detached(this.#launch(lane), this.#failed);
    }
    if (this.#ended && this.#lanes.size === 0) this.#drained?.();
  }

  async #launch(lane: Lane): Promise<void> {
    this.#inFlight++;
    const begun = this.#clock.now();
    if (lane.sealed === undefined) lane.inFlight = takeGroup(lane, this.#limits);
    const { members, group } = lane.sealed ?? (await this.#seal(lane, lane.inFlight));
    lane.sealed = undefined;
    const settle = (delivery: Delivery): void => {
      this.#inFlight--;
      detached(this.#settle(lane, { members, group }, delivery, this.#clock.now() - begun), this.#failed);
    };
    const grouped = groupBatches(members);
    const facts = group === undefined ? {} : this.#log!.factsOf(group);
    this.#groups!.next({ ...grouped, payload: { ...grouped.payload, ...facts }, settle });
  }

  /** The next group of a lane, once it is noted. */
  async #seal(lane: Lane, members: readonly Batch<ColumnBlock>[]): Promise<Sealed> {
    if (lane.waiting.length > 0) lane.dueAt = this.#clock.now() + this.#limits.flushIntervalMs;
    const earlier = members[0]!.logged?.earlierGroup;
    if (earlier !== undefined && earlier.pairs === pairsIn(members)) return { members, group: earlier.group };
    const logged = members.filter((member) => member.logged !== undefined);
    if (logged.length === 0 || this.#log === undefined) return { members, group: undefined };
    return { members, group: await this.#log.begin(logged) };
  }

  async #settle(lane: Lane, sealed: Sealed, delivery: Delivery, writeMs: number): Promise<void> {
    const { members, group } = sealed;
    const endings = members.map((member, place) => endingOf(delivery, place, member.rows));
    const passing = endings.map((ending, place) => passingFault(members[place]!, ending));
    const failed = passing.find((fault) => fault !== undefined);
    if (failed !== undefined) {
      this.#log?.failed(failed);
      for (const waiter of lane.waiters.splice(0)) waiter.reject(failed);
    }
    if (passing.every((fault) => fault !== undefined)) {
      lane.sealed = sealed;
      this.#tryLater(lane);
      return;
    }
    const alone = refusedTogether(members, endings);
    const back: Batch<ColumnBlock>[] = [];
    const ended: Ended[] = [];
    const slice = new Slice();
    let [wereRefused, wereApart, areToWait] = [false, false, false];
    for (const [place, member] of members.entries()) {
      if (place % membersAtOnce === membersAtOnce - 1 && slice.isOver()) await slice.next();
      const ending = endings[place]!;
      const mayPass = passing[place] === undefined && this.#mayPass(lane, member, ending);
      wereRefused ||= mayPass;
      const isBack = alone.has(member) || passing[place] !== undefined || mayPass;
      areToWait ||= isBack;
      const reason = isBack ? undefined : reasonToReadAgain(member, ending);
      wereApart ||= reason !== undefined && !isStaleSchema(reason);
      const next = isBack ? [member] : reason === undefined ? [] : await this.#again(lane, member, reason);
      if (next.length > 0) back.push(...next);
      else ended.push({ member, ending: reason === undefined ? final(member, ending) : delivered(member.rows) });
    }
    // Rejected rows go to their file first. Of others the log is told before the first of them ends, which may take its text out of it.
    for (const one of ended) if (!isStored(one)) this.#endMember(lane, one);
    if (group !== undefined) {
      const over = ended.map(({ member }) => member);
      this.#log?.end(group, over, back);
    }
    for (const [place, one] of ended.entries()) {
      if (place % membersAtOnce === membersAtOnce - 1 && slice.isOver()) await slice.next();
      if (isStored(one)) this.#endMember(lane, one);
    }
    takeBack(lane, back, wereApart || alone.size > 0 || lane.alone > 0);
    lane.inFlight = [];
    this.#wake(lane);
    if (back.length > 0 && alone.size === 0) {
      if (wereRefused) lane.refusals++;
      // What was just read goes at once, before more is dropped.
      if (areToWait) this.#tryLater(lane);
      else this.#tryAt(lane, this.#clock.now());
    } else {
      [lane.failures, lane.refusals] = [0, 0];
      this.#goOn(lane, members, writeMs);
    }
  }

  /** Rows whose texts were read again, in the place of others. */
  async #again(
    lane: Lane,
    { payload, logged }: Batch<ColumnBlock>,
    reason: Fault,
  ): Promise<readonly Batch<ColumnBlock>[]> {
    const next = (await logged?.again(reason)) ?? [];
    if (next.length > 1) {
      makeRoom(lane, next.length - 1);
      for (let more = 1; more < next.length; more++) this.#tables.add(payload);
    }
    return next;
  }

  #endMember(lane: Lane, { member, ending }: Ended): void {
    this.#tables.delete(member.payload);
    lane.ended++;
    member.settle(ending);
  }

  /** True for logged rows that the database itself refuses, alone, and that are tried once more. */
  #mayPass(lane: Lane, { logged }: Batch<ColumnBlock>, ending: Delivery): boolean {
    if (logged === undefined || ending.outcome !== 'failed' || isStaleSchema(ending.fault)) return false;
    return lane.refusals < maxRefusals;
  }

  #goOn(lane: Lane, members: readonly Batch<ColumnBlock>[], writeMs: number): void {
    lane.busy = false;
    lane.expected = Math.max(1, sendersOf(members) + lane.senders);
    if (isReady(lane, this.#limits, this.#clock.now())) this.#enqueue(lane);
    else {
      this.#linger(lane, writeMs);
      if (lane.waiting.length > 0) this.#wakeAt(lane.dueAt);
    }
    this.#schedule();
  }

  /** The lane stays busy until its first group is tried again. */
  #tryLater(lane: Lane): void {
    lane.failures++;
    lane.failedAt = this.#clock.now();
    this.#tryAt(lane, lane.failedAt + delayMs(lane.failures));
    this.#schedule();
  }

  /** A group that failed for a passing reason is tried again soon for somebody who waits for it. */
  #hasten(lane: Lane): void {
    if (!lane.busy || lane.linger === undefined || lane.sealed === undefined) return;
    lane.linger?.cancel();
    this.#tryAt(lane, Math.min(lane.dueAgainAt, lane.failedAt + hastyMs));
  }

  #tryAt(lane: Lane, at: number): void {
    lane.dueAgainAt = at;
    lane.linger = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      lane.linger = undefined;
      this.#ready.push(lane);
      this.#schedule();
    });
  }

  #wake(lane: Lane): void {
    while (lane.waiters[0] !== undefined && lane.waiters[0].count <= lane.ended) lane.waiters.shift()?.resolve();
  }

  #enqueue(lane: Lane): void {
    lane.linger?.cancel();
    lane.linger = undefined;
    lane.busy = true;
    this.#ready.push(lane);
  }

  #linger(lane: Lane, writeMs: number): void {
    const waitMs = this.#ended ? 0 : Math.min(maxLingerMs, writeMs * lingerShare);
    lane.linger = this.#clock.after(waitMs, () => {
      lane.linger = undefined;
      if (lane.waiting.length === 0) this.#lanes.delete(lane.key);
      else if (lane.senders > 0 || this.#ended) this.#enqueue(lane);
      this.#schedule();
    });
  }

  /** Sees to it that lanes are looked at when the first of them is due. */
  #wakeAt(time: number): void {
    if (time >= this.#alarmAt) return;
    this.#alarm?.cancel();
    this.#alarmAt = time;
    const ms = Math.max(1, Math.ceil(time - this.#clock.now()));
    this.#alarm = this.#clock.after(ms, () => this.#lookAtDue());
  }

  #lookAtDue(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    for (const lane of this.#lanes.values()) {
      if (lane.busy || lane.waiting.length === 0) continue;
      if (lane.dueAt <= now) this.#consider(lane);
      else next = Math.min(next, lane.dueAt);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #laneOf({ payload }: Batch<ColumnBlock>): Lane {
    const known = this.#tables.add(payload);
    if (known !== undefined) return known;
    const key = this.#placeOf(payload);
    const lane = this.#lanes.get(key) ?? emptyLane(key);
    this.#lanes.set(key, lane);
    this.#tables.addFirst(payload, lane);
    return lane;
  }
}

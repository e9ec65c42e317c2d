import type { OperatorFunction } from 'rxjs';
import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { Slice } from '../../async/slice.js';
import { type StageOutput, stage } from '../../async/stage.js';
import { type Batch, type BlockGroup, groupBatches } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { type Fault, FaultError } from '../../model/fault.js';
import type { WaitingTable, WaitingTables } from '../../model/waiting-tables.js';
import { delayMs } from '../retries.js';
import type { GroupLimits } from './group.js';
import {
  emptyQueue,
  type Group,
  groupMembers,
  next,
  type QueueEffect,
  type QueueEvent,
  type QueuePolicy,
  type TableQueue,
  wakeAt,
} from './table-queue.js';
import type { Verdicts } from './verdicts.js';
import type { WriteQueue } from './write-queue.js';

/** Blocks of a group that end in one turn of the event loop, however long they take. */
const blocksAtOnce = 256;

/** Bounds of the commit. */
export interface CommitLimits extends GroupLimits {
  /** Groups in flight at once, over all queues. */
  readonly workers: number;
  /** How long a logged row waits at most, in milliseconds. */
  readonly flushIntervalMs: number;
  /** Bytes of logged blocks from which on none wait for more of them; left out, there is no such bound. */
  readonly flushBytes?: number;
}

/** What has come and has not ended. */
interface WaitingRows {
  /** Queues with blocks. */
  readonly queues: number;
  readonly blocks: number;
  /** Rows of blocks that are in no group yet. */
  readonly rows: number;
  /** Arrival of the oldest of it, in Unix microseconds; undefined where there is none. */
  readonly oldestMicros: bigint | undefined;
}

/** What the commit uses of the queue on disk. */
type CommitLog = Omit<WriteQueue, 'offer'>;

/** The queue of an engine table, and the alarm that wakes it. */
interface Entry {
  readonly key: string;
  queue: TableQueue;
  alarm: Alarm | undefined;
  alarmAt: number;
}

/** A table with blocks that have not ended. */
interface OpenTable {
  readonly database: string;
  readonly entry: Entry;
  open: number;
}

/**
 * Group commit: gathers blocks until they are worth an insert. Each engine table has a queue, which `table-queue.ts`
 * describes; this class gives the queues their events and does what they decide.
 *
 * `placeOf` says in which engine table the rows of a block are stored. Blocks of one engine table, also of several
 * tables, are inserted together. One group per queue is in flight, and a table keeps its queue while blocks of it are
 * open, so blocks of a table are stored in the order in which they came. Logged blocks wait for more of them, or for a
 * reader ({@link GroupCommit.visible}). Blocks that a sender waits for go at the end of the event loop's turn, so that
 * requests that came together are stored together.
 */
export class GroupCommit {
  readonly #limits: CommitLimits;
  readonly #policy: QueuePolicy;
  readonly #placeOf: (block: ColumnBlock) => string;
  readonly #log: CommitLog | undefined;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #tables = new Map<string, OpenTable>();
  #groups: StageOutput<Batch<BlockGroup>> | undefined;
  /** Queues that are due, in the order in which they get workers. */
  #line: Entry[] = [];
  #inFlight = 0;
  #loggedBytes = 0;
  #isScheduled = false;
  #isEnding = false;
  #drained: (() => void) | undefined;

  /** Left out, there is no log, and no block is logged. */
  constructor(
    limits: CommitLimits,
    placeOf: (block: ColumnBlock) => string = tableKey,
    log?: CommitLog,
    clock: Clock = systemClock,
  ) {
    this.#limits = limits;
    this.#policy = { ...limits, retryDelayMs: delayMs };
    this.#placeOf = placeOf;
    this.#log = log;
    this.#clock = clock;
  }

  /** The operator; one subscription at a time. */
  operator(): OperatorFunction<Batch<ColumnBlock>, Batch<BlockGroup>> {
    return stage((groups) => {
      this.#groups = groups;
      this.#log?.recovered.then(() => this.#applyToAll({ kind: 'recovered' })).catch(groups.fail);
      return {
        take: (batch) => this.#add(batch),
        finish: () => this.#finish(),
        stop: () => {
          for (const { alarm } of this.#entries.values()) alarm?.cancel();
        },
      };
    });
  }

  /** Figures of what waits. */
  get waiting(): WaitingRows {
    let [queues, blocks, rows] = [0, 0, 0];
    let oldestMicros: bigint | undefined;
    for (const { queue } of this.#entries.values()) {
      const first = groupMembers(queue)[0] ?? queue.waiting.at(0);
      if (first === undefined) continue;
      queues++;
      blocks += queue.added - queue.ended;
      rows += queue.rows;
      const since = first.target.reading?.nowMicros;
      if (since !== undefined && (oldestMicros === undefined || since < oldestMicros)) oldestMicros = since;
    }
    return { queues, blocks, rows, oldestMicros };
  }

  /**
   * Makes the blocks of tables that wait go at once; resolves when they have ended, rejects with the fault that keeps
   * them waiting. Undefined when none wait. With `series` blocks stay where they are while none has rows of these.
   */
  visible(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined {
    const entries = [...this.#entriesOf(tables)].filter(
      ({ queue }) => series === undefined || hasSeries(queue, series),
    );
    if (entries.length === 0) return undefined;
    const seen = entries.map((entry) => {
      return new Promise<void>((resolve, reject) => {
        const refuse = (failure: Fault): void => reject(new FaultError(failure));
        this.#apply(entry, { kind: 'flush', reader: { resolve, reject: refuse } });
      });
    });
    return Promise.all(seen).then(() => undefined);
  }

  #add(batch: Batch<ColumnBlock>): void {
    const entry = this.#entryOf(batch.payload);
    this.#apply(entry, { kind: 'block', batch });
    if (batch.logged === undefined) return;
    this.#loggedBytes += batch.bytes;
    if (this.#isPressed()) this.#schedule();
  }

  #finish(): Promise<void> {
    this.#isEnding = true;
    this.#applyToAll({ kind: 'end' });
    return new Promise((resolve) => {
      this.#drained = resolve;
      if (this.#entries.size === 0) resolve();
    });
  }

  /** True when logged blocks fill much of the memory that they may take. */
  #isPressed(): boolean {
    return this.#loggedBytes >= (this.#limits.flushBytes ?? Number.POSITIVE_INFINITY);
  }

  #applyToAll(event: QueueEvent): void {
    for (const entry of [...this.#entries.values()]) this.#apply(entry, event);
  }

  #apply(entry: Entry, event: QueueEvent): void {
    const [queue, effects] = next(entry.queue, event, this.#clock.now(), this.#policy);
    entry.queue = queue;
    for (const effect of effects) this.#perform(entry, effect);
    this.#wake(entry);
  }

  #perform(entry: Entry, effect: QueueEffect): void {
    switch (effect.kind) {
      case 'line up':
        this.#line.push(entry);
        this.#schedule();
        return;
      case 'note':
        this.#groups?.work(this.#note(entry, effect.members));
        return;
      case 'send':
        this.#send(entry, effect.group);
        return;
      case 'settle':
        this.#groups?.work(this.#settle(entry, effect.group, effect.verdicts));
        return;
      case 'fail':
        this.#log?.done(effect.group.noted, { ended: [], left: effect.group.members, failure: effect.failure });
        return;
      case 'answer readers':
        for (const reader of effect.readers) {
          if (effect.failure === undefined) reader.resolve();
          else reader.reject(effect.failure);
        }
    }
  }

  /** Sets the alarm of a queue, and forgets one that is empty. An alarm that is too early changes nothing. */
  #wake(entry: Entry): void {
    const at = wakeAt(entry.queue);
    if (at < entry.alarmAt && this.#groups?.closed !== true) {
      entry.alarm?.cancel();
      entry.alarmAt = at;
      entry.alarm = this.#clock.after(Math.max(0, Math.ceil(at - this.#clock.now())), () => {
        entry.alarm = undefined;
        entry.alarmAt = Number.POSITIVE_INFINITY;
        this.#apply(entry, { kind: 'time' });
      });
    }
    if (entry.queue.phase.kind !== 'idle' || this.#entries.get(entry.key) !== entry) return;
    entry.alarm?.cancel();
    this.#entries.delete(entry.key);
    if (this.#entries.size === 0) this.#drained?.();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isPressed()) this.#applyToAll({ kind: 'flush' });
      this.#launch();
    });
  }

  #launch(): void {
    while (this.#inFlight < this.#limits.workers) {
      const entry = this.#line.shift();
      if (entry === undefined) return;
      this.#inFlight++;
      this.#apply(entry, { kind: 'worker' });
    }
  }

  async #note(entry: Entry, members: readonly Batch<ColumnBlock>[]): Promise<void> {
    const noted = await this.#log?.begin(members.filter(({ logged }) => logged !== undefined));
    this.#apply(entry, { kind: 'noted', noted });
  }

  #send(entry: Entry, { members, noted }: Group): void {
    const grouped = groupBatches(members);
    const facts = noted === undefined ? {} : { token: noted.token, progressed: noted.progressed };
    const settle = (delivery: Delivery): void => {
      this.#inFlight--;
      this.#schedule();
      this.#apply(entry, { kind: 'answer', delivery });
    };
    this.#groups?.next({ ...grouped, payload: { ...grouped.payload, ...facts }, settle });
  }

  async #settle(entry: Entry, { members, noted }: Group, { all }: Verdicts): Promise<void> {
    const ended: { readonly member: Batch<ColumnBlock>; readonly delivery: Delivery }[] = [];
    const back: Batch<ColumnBlock>[] = [];
    const slice = new Slice();
    for (const [place, member] of members.entries()) {
      if (place % blocksAtOnce === blocksAtOnce - 1 && slice.isOver()) await slice.next();
      const verdict = all[place]!;
      if (verdict.kind === 'retry') back.push(member);
      else if (verdict.kind === 'end') ended.push({ member, delivery: verdict.delivery });
      else {
        const again = await this.#reparsed(member, verdict.reason);
        if (again.length > 0) back.push(...again);
        else ended.push({ member, delivery: delivered(member.rows) });
      }
    }
    // Rejected rows go to their file first. The log notes others before the first of them ends, which may delete its
    // payload.
    for (const { member, delivery } of ended) if (delivery.outcome !== 'delivered') this.#end(member, delivery);
    if (noted !== undefined) this.#log?.done(noted, { ended: ended.map(({ member }) => member), left: back });
    for (const [place, { member, delivery }] of ended.entries()) {
      if (place % blocksAtOnce === blocksAtOnce - 1 && slice.isOver()) await slice.next();
      if (delivery.outcome === 'delivered') this.#end(member, delivery);
    }
    this.#apply(entry, { kind: 'settled', ended: ended.length, back });
    if (this.#isPressed()) this.#schedule();
  }

  /** The blocks that take the place of one whose payload is parsed again. */
  async #reparsed(member: Batch<ColumnBlock>, reason: Fault): Promise<readonly Batch<ColumnBlock>[]> {
    const blocks = (await member.logged?.again(reason)) ?? [];
    if (blocks.length === 0) return blocks;
    const table = this.#tables.get(tableKey(member.payload));
    if (table !== undefined) table.open += blocks.length - 1;
    this.#loggedBytes += blocks.reduce((sum, { bytes }) => sum + bytes, -member.bytes);
    return blocks;
  }

  /** Gives a block its delivery. */
  #end(member: Batch<ColumnBlock>, delivery: Delivery): void {
    const key = tableKey(member.payload);
    const table = this.#tables.get(key);
    if (table !== undefined && --table.open === 0) this.#tables.delete(key);
    if (member.logged !== undefined) this.#loggedBytes -= member.bytes;
    member.settle(delivery);
  }

  /** The queue of a block, which its table keeps while any of its blocks is open. */
  #entryOf(block: ColumnBlock): Entry {
    const key = tableKey(block);
    const table = this.#tables.get(key);
    if (table !== undefined) {
      table.open++;
      return table.entry;
    }
    const entry = this.#entryAt(this.#placeOf(block));
    this.#tables.set(key, { database: block.database, entry, open: 1 });
    return entry;
  }

  #entryAt(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const queue = this.#isEnding ? { ...emptyQueue, flushTo: Number.POSITIVE_INFINITY } : emptyQueue;
    const entry: Entry = { key, queue, alarm: undefined, alarmAt: Number.POSITIVE_INFINITY };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The queues of tables, each once. */
  #entriesOf(tables: WaitingTables): ReadonlySet<Entry> {
    if (tables === 'all') return new Set([...this.#tables.values()].map(({ entry }) => entry));
    return new Set(tables.flatMap((table) => this.#openTables(table)).map(({ entry }) => entry));
  }

  #openTables({ database, table }: WaitingTable): readonly OpenTable[] {
    if (table === undefined) return [...this.#tables.values()].filter((open) => open.database === database);
    const open = this.#tables.get(tableKey({ database, table }));
    return open === undefined ? [] : [open];
  }
}

/** True when rows of one of these series have come and have not ended. */
function hasSeries(queue: TableQueue, series: readonly bigint[]): boolean {
  const has = ({ payload }: Batch<ColumnBlock>): boolean => series.some((id) => payload.ids.includes(id));
  return groupMembers(queue).some(has) || queue.waiting.toArray().some(has);
}

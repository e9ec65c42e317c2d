import type { Batch } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import type { Fault } from '../../model/fault.js';
import { Fifo } from './fifo.js';
import { type GroupLimits, groupLength, isComplete, rowsOf, sendersOf } from './group.js';
import { type Verdicts, verdictsOn } from './verdicts.js';
import type { NotedGroup } from './write-queue.js';

/** When a queue inserts; times in milliseconds. */
export interface QueuePolicy extends GroupLimits {
  /** How long a logged row waits at most. */
  readonly flushIntervalMs: number;
  /** How long to wait after so many failed attempts in a row. */
  readonly retryDelayMs: (failures: number) => number;
}

/** Rows that are worth an insert while senders wait: below that, most of it is its fixed cost. */
const enoughRows = 16_000;
/** Longest wait for senders that were just answered, and as a part of what the last insert took. */
const maxLingerMs = 20;
const lingerShare = 0.5;
/** How often rows that the database refuses are inserted again before they are rejected. */
const maxRefusals = 3;
/** How long after a failure a group is inserted again when a reader waits for it. */
const readerRetryMs = 500;
const never = Number.POSITIVE_INFINITY;

/** Blocks that are inserted together, with their number in the log where they are logged. */
export interface Group {
  readonly members: readonly Batch<ColumnBlock>[];
  readonly noted: NotedGroup | undefined;
}

/** A reader who waits until rows are stored. */
interface Reader {
  resolve(): void;
  reject(failure: Fault): void;
}

/**
 * What a queue does now. Times are those of a monotonic clock, in milliseconds.
 * - `idle`: it is empty.
 * - `gathering`: blocks wait for more of them, at most until the first of them is due. For so many expected senders it
 *   waits until `until`: they were just answered, and are likely to send again.
 * - `due`: a group goes as soon as a worker is free; more blocks may still join it, unless it is a `group` that failed.
 * - `sealed`: the log notes the members of the group. They stay together from now on.
 * - `in flight`: the database inserts the group.
 * - `settling`: blocks of the group are acknowledged or rejected, or their payloads parsed again.
 * - `retrying`: the group that failed is inserted again at `at`, as it was where there is a `group`.
 */
type Phase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'gathering'; readonly expected: number; readonly until: number }
  | { readonly kind: 'due'; readonly group?: Group }
  | { readonly kind: 'sealed'; readonly members: readonly Batch<ColumnBlock>[]; readonly since: number }
  | { readonly kind: 'in flight'; readonly group: Group; readonly since: number }
  | { readonly kind: 'settling'; readonly group: Group; readonly verdicts: Verdicts; readonly insertMs: number }
  | { readonly kind: 'retrying'; readonly at: number; readonly failedAt: number; readonly group?: Group };

/** The state of the queue of one engine table. */
export interface TableQueue {
  readonly phase: Phase;
  /** Blocks of no group, in the order in which they came. */
  readonly waiting: Fifo<Batch<ColumnBlock>>;
  /** Rows of these blocks, and senders who wait for them to be stored. */
  readonly rows: number;
  readonly senders: number;
  /** How many of the blocks in front are inserted one by one. */
  readonly separate: number;
  /** When the first block must go, at the latest. */
  readonly dueAt: number;
  /** Blocks that ever came, and that have ended: they end in the order in which they came. */
  readonly added: number;
  readonly ended: number;
  /** Blocks up to this count go at once. */
  readonly flushTo: number;
  /** Readers, and up to which count they wait for blocks to end. */
  readonly readers: readonly { readonly upTo: number; readonly reader: Reader }[];
  /** Failed attempts in a row, and those among them at which the database itself refused rows. */
  readonly failures: number;
  readonly refusals: number;
}

/** What happens to a queue. */
export type QueueEvent =
  /** A block came. */
  | { readonly kind: 'block'; readonly batch: Batch<ColumnBlock> }
  /** A time came that {@link wakeAt} named. */
  | { readonly kind: 'time' }
  /** What is in the queue must go at once, for a reader where there is one. */
  | { readonly kind: 'flush'; readonly reader?: Reader }
  /** No more blocks come but those that are parsed again: everything goes at once from now on. */
  | { readonly kind: 'end' }
  /** No more blocks of groups of an earlier process come. */
  | { readonly kind: 'recovered' }
  /** A worker is free for a queue that is due. */
  | { readonly kind: 'worker' }
  /** The log has noted the group that was sealed, or could not. */
  | { readonly kind: 'noted'; readonly noted: NotedGroup | undefined }
  /** The database has answered the insert. */
  | { readonly kind: 'answer'; readonly delivery: Delivery }
  /** So many blocks of the group have ended; these take the place of the others. */
  | { readonly kind: 'settled'; readonly ended: number; readonly back: readonly Batch<ColumnBlock>[] };

/** What the runner of a queue must do, in this order. */
export type QueueEffect =
  /** Give the queue the next free worker. */
  | { readonly kind: 'line up' }
  /** Note the members in the log, then report `noted`. */
  | { readonly kind: 'note'; readonly members: readonly Batch<ColumnBlock>[] }
  /** Insert the group, then report `answer`. */
  | { readonly kind: 'send'; readonly group: Group }
  /** Do what the verdicts say, then report `settled`. */
  | { readonly kind: 'settle'; readonly group: Group; readonly verdicts: Verdicts }
  /** Report a transient fault of logged rows to the log. */
  | { readonly kind: 'fail'; readonly group: Group; readonly failure: Fault }
  /** Answer readers, with the fault that keeps their rows from being stored where there is one. */
  | { readonly kind: 'answer readers'; readonly readers: readonly Reader[]; readonly failure?: Fault };

/** A queue after an event, and what must be done. */
type Step = readonly [queue: TableQueue, effects: readonly QueueEffect[]];

const idle: Phase = { kind: 'idle' };
const gathering: Phase = { kind: 'gathering', expected: 1, until: never };
const none: readonly QueueEffect[] = [];
const lineUp: readonly QueueEffect[] = [{ kind: 'line up' }];

/** A queue with nothing in it. */
export const emptyQueue: TableQueue = {
  phase: idle,
  waiting: Fifo.of<Batch<ColumnBlock>>([]),
  rows: 0,
  senders: 0,
  separate: 0,
  dueAt: never,
  added: 0,
  ended: 0,
  flushTo: 0,
  readers: [],
  failures: 0,
  refusals: 0,
};

/** The queue after an event at a time in milliseconds. Throws where the event is impossible in its phase: a defect. */
export function next(queue: TableQueue, event: QueueEvent, now: number, policy: QueuePolicy): Step {
  const { phase } = queue;
  switch (event.kind) {
    case 'block':
      return considered(withBlock(queue, event.batch, now, policy), now, policy);
    case 'time':
      return atTime(queue, now, policy);
    case 'flush':
      return flushed(queue, event.reader, now, policy);
    case 'end':
      return considered({ ...queue, flushTo: never }, now, policy);
    case 'recovered':
      return considered({ ...queue, waiting: queue.waiting.map(withoutEarlierGroup) }, now, policy);
    case 'worker':
      return phase.kind === 'due' ? withWorker(queue, phase.group, now, policy) : impossible(queue, event);
    case 'noted':
      if (phase.kind !== 'sealed') return impossible(queue, event);
      return sent(queue, { members: phase.members, noted: event.noted }, phase.since);
    case 'answer':
      if (phase.kind !== 'in flight') return impossible(queue, event);
      return answered(queue, phase.group, event.delivery, now - phase.since, now, policy);
    case 'settled':
      return phase.kind === 'settling' ? settled(queue, phase, event, now, policy) : impossible(queue, event);
  }
}

/** When the queue must get the event `time`; infinite where no time changes it. */
export function wakeAt({ phase, waiting, dueAt }: TableQueue): number {
  if (phase.kind === 'retrying') return phase.at;
  if (phase.kind !== 'gathering') return never;
  return waiting.length === 0 ? phase.until : Math.min(phase.until, dueAt);
}

/** The blocks of the group that has not ended; empty where there is none. */
export function groupMembers({ phase }: TableQueue): readonly Batch<ColumnBlock>[] {
  if (phase.kind === 'sealed') return phase.members;
  return ('group' in phase ? phase.group?.members : undefined) ?? [];
}

function impossible({ phase }: TableQueue, event: QueueEvent): never {
  throw new Error(`A table queue that is ${phase.kind} got the event ${event.kind}.`);
}

/**
 * A queue with one block more. Field by field, because this is done per block: spreading an object is many times as
 * slow.
 */
function withBlock(queue: TableQueue, batch: Batch<ColumnBlock>, now: number, policy: QueuePolicy): TableQueue {
  const { phase, waiting, separate, ended, flushTo, readers, failures, refusals } = queue;
  const isFirst = waiting.length === 0;
  const isSender = batch.logged === undefined && waiting.last?.target !== batch.target;
  return {
    phase: phase.kind === 'idle' ? gathering : phase,
    waiting: waiting.with(batch),
    rows: queue.rows + batch.rows,
    senders: isSender ? queue.senders + 1 : queue.senders,
    separate,
    dueAt: isFirst ? now + policy.flushIntervalMs : queue.dueAt,
    added: queue.added + 1,
    ended,
    flushTo,
    readers,
    failures,
    refusals,
  };
}

/** A queue without a group becomes due where it is ready. */
function considered(queue: TableQueue, now: number, policy: QueuePolicy): Step {
  const { phase, waiting } = queue;
  if (phase.kind !== 'idle' && phase.kind !== 'gathering') return [queue, none];
  if (isReady(queue, phase.kind === 'idle' ? 1 : phase.expected, now, policy)) return due(queue);
  return [waiting.length === 0 && queue.flushTo === never ? { ...queue, phase: idle } : queue, none];
}

function due(queue: TableQueue): Step {
  return [{ ...queue, phase: { kind: 'due' } }, lineUp];
}

/**
 * True when a group is due at once: enough of it is here, no other sender is expected, or a reader or the clock asks
 * for it.
 */
function isReady(queue: TableQueue, expected: number, now: number, { batchSize }: QueuePolicy): boolean {
  const { waiting, rows, senders, separate, flushTo, ended, dueAt } = queue;
  if (waiting.length === 0 || !isComplete(waiting)) return false;
  if (senders > 0 && (senders >= expected || rows >= enoughRows)) return true;
  const isEarlier = waiting.at(0)?.logged?.earlierGroup !== undefined;
  return separate > 0 || rows >= batchSize || flushTo > ended || dueAt <= now || isEarlier;
}

function atTime(queue: TableQueue, now: number, policy: QueuePolicy): Step {
  const { phase, waiting, dueAt } = queue;
  if (phase.kind === 'retrying' && phase.at <= now) {
    return [
      { ...queue, phase: phase.group === undefined ? { kind: 'due' } : { kind: 'due', group: phase.group } },
      lineUp,
    ];
  }
  if (phase.kind !== 'gathering') return [queue, none];
  if (phase.until > now && dueAt > now) return [queue, none];
  if (waiting.length === 0) return phase.until > now ? [queue, none] : [{ ...queue, phase: idle }, none];
  // The senders that were waited for are not back.
  const [after, effects] = considered(phase.until > now ? queue : { ...queue, phase: gathering }, now, policy);
  if (effects.length > 0 || dueAt > now) return [after, effects];
  // Blocks of an earlier group wait for the rest of it.
  return [{ ...after, dueAt: now + policy.flushIntervalMs }, none];
}

function flushed(queue: TableQueue, reader: Reader | undefined, now: number, policy: QueuePolicy): Step {
  const { phase, added, ended, readers } = queue;
  if (added === ended) return [queue, reader === undefined ? none : [{ kind: 'answer readers', readers: [reader] }]];
  const flushing = {
    ...queue,
    flushTo: Math.max(queue.flushTo, added),
    readers: reader === undefined ? readers : [...readers, { upTo: added, reader }],
  };
  if (reader === undefined || phase.kind !== 'retrying' || phase.group === undefined) {
    return considered(flushing, now, policy);
  }
  const at = Math.min(phase.at, phase.failedAt + readerRetryMs);
  return [{ ...flushing, phase: { ...phase, at } }, none];
}

function withWorker(queue: TableQueue, group: Group | undefined, now: number, policy: QueuePolicy): Step {
  if (group !== undefined) return sent(queue, group, now);
  const count = queue.separate > 0 ? 1 : groupLength(queue.waiting, policy);
  const [members, waiting] = queue.waiting.taken(count);
  const rest = {
    ...queue,
    waiting,
    rows: queue.rows - rowsOf(members),
    senders: sendersOf(waiting.toArray()),
    separate: Math.max(0, queue.separate - 1),
    dueAt: waiting.length === 0 ? never : now + policy.flushIntervalMs,
  };
  if (members.every(({ logged }) => logged === undefined)) return sent(rest, { members, noted: undefined }, now);
  return [{ ...rest, phase: { kind: 'sealed', members, since: now } }, [{ kind: 'note', members }]];
}

function sent(queue: TableQueue, group: Group, since: number): Step {
  return [{ ...queue, phase: { kind: 'in flight', group, since } }, [{ kind: 'send', group }]];
}

function answered(
  queue: TableQueue,
  group: Group,
  delivery: Delivery,
  insertMs: number,
  now: number,
  policy: QueuePolicy,
): Step {
  const verdicts = verdictsOn(group.members, delivery, queue.refusals < maxRefusals);
  const { failure, isTransient } = verdicts;
  const effects: QueueEffect[] = [];
  if (failure !== undefined) {
    effects.push({ kind: 'fail', group, failure });
    effects.push({ kind: 'answer readers', readers: queue.readers.map(({ reader }) => reader), failure });
  }
  const rest = failure === undefined ? queue : { ...queue, readers: [] };
  if (isTransient) return [retrying(rest, now, policy, group), effects];
  effects.push({ kind: 'settle', group, verdicts });
  return [{ ...rest, phase: { kind: 'settling', group, verdicts, insertMs } }, effects];
}

function retrying(queue: TableQueue, now: number, { retryDelayMs }: QueuePolicy, group?: Group): TableQueue {
  const failures = queue.failures + 1;
  const times = { at: now + retryDelayMs(failures), failedAt: now };
  return { ...queue, failures, phase: { kind: 'retrying', ...times, ...(group === undefined ? {} : { group }) } };
}

function settled(
  queue: TableQueue,
  { group: { members }, verdicts, insertMs }: Phase & { kind: 'settling' },
  { ended, back }: QueueEvent & { kind: 'settled' },
  now: number,
  policy: QueuePolicy,
): Step {
  const { isSeparated, isRefusedTogether, isRefused } = verdicts;
  // Payloads that were parsed together come back one by one. Readers who wait for blocks behind them wait for all of
  // these, too.
  const more = ended + back.length - members.length;
  const areSeparate = isSeparated || isRefusedTogether || queue.separate > 0;
  const readers = more === 0 ? queue.readers : queue.readers.map(({ upTo, reader }) => ({ upTo: upTo + more, reader }));
  const waiting = queue.waiting.behind(back);
  const rest: TableQueue = {
    ...queue,
    waiting,
    rows: queue.rows + rowsOf(back),
    senders: back.length === 0 ? queue.senders : sendersOf(waiting.toArray()),
    separate: areSeparate ? queue.separate + back.length : queue.separate,
    added: queue.added + more,
    ended: queue.ended + ended,
    flushTo: queue.flushTo + more,
    readers: readers.filter(({ upTo }) => upTo > queue.ended + ended),
  };
  const seen = readers.filter(({ upTo }) => upTo <= rest.ended).map(({ reader }) => reader);
  const effects: readonly QueueEffect[] = seen.length === 0 ? none : [{ kind: 'answer readers', readers: seen }];
  const [after, others] =
    back.length === 0 || isRefusedTogether
      ? lingering({ ...rest, failures: 0, refusals: 0 }, sendersOf(members) + rest.senders, insertMs, now, policy)
      : continued(isRefused ? { ...rest, refusals: rest.refusals + 1 } : rest, verdicts, now, policy);
  return [after, others.length === 0 ? effects : [...effects, ...others]];
}

/**
 * Blocks that were refused or failed wait before they are inserted again. What was just parsed goes at once, before
 * more is dropped.
 */
function continued(queue: TableQueue, { all }: Verdicts, now: number, policy: QueuePolicy): Step {
  return all.some(({ kind }) => kind === 'retry') ? [retrying(queue, now, policy), none] : due(queue);
}

/**
 * After an insert: the next group is due, or waits for the senders that were just answered. One sender is never kept
 * waiting.
 */
function lingering(queue: TableQueue, senders: number, insertMs: number, now: number, policy: QueuePolicy): Step {
  const expected = Math.max(1, senders);
  if (isReady(queue, expected, now, policy)) return due(queue);
  const isOver = queue.flushTo === never && queue.waiting.length === 0;
  if (isOver) return [{ ...queue, phase: idle }, none];
  const until = now + (queue.flushTo === never ? 0 : Math.min(maxLingerMs, insertMs * lingerShare));
  return [{ ...queue, phase: { kind: 'gathering', expected, until } }, none];
}

function withoutEarlierGroup(batch: Batch<ColumnBlock>): Batch<ColumnBlock> {
  if (batch.logged?.earlierGroup === undefined) return batch;
  return { ...batch, logged: { ...batch.logged, earlierGroup: undefined } };
}

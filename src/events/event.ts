import { type Event, resolvedByCondition } from '../model/event.js';
import type { EventLogEntry, EventOperation, StoredEvent } from '../model/event-log.js';

/**
 * Outcome of an operation.
 * - `opened`, `counted`: the condition holds; there is a new event, or the open one counts.
 * - `moved`: the event changed its state.
 * - `repeated`: there was nothing to do, because it was done before.
 * - `late`: a resolved event cannot be acknowledged.
 */
export type EventOutcome = 'opened' | 'counted' | 'moved' | 'repeated' | 'late';

/** The newest event of a slot after an operation; undefined while there was none. */
export interface Step {
  readonly event: StoredEvent | undefined;
  readonly outcome: EventOutcome;
}

/**
 * The states of an event: active to acknowledged to resolved, or active to resolved. A slot has one open event at most,
 * and only its newest one can be open, so a slot is folded through that one. Pure: every process that reads the log
 * comes to the same.
 */
export function applyOperation(event: StoredEvent | undefined, { operation, position }: EventLogEntry): Step {
  switch (operation.op) {
    case 'seen':
      return see(event, operation, position);
    case 'clear':
      return clear(event, operation);
    case 'acknowledge':
      return acknowledge(event, operation);
    case 'resolve':
      return resolve(event, operation);
  }
}

/** True while an event needs an operator. */
function isOpen({ status }: Pick<Event, 'status'>): boolean {
  return status !== 'resolved';
}

type Seen = Extract<EventOperation, { op: 'seen' }>;
type Clear = Extract<EventOperation, { op: 'clear' }>;
type Move = Extract<EventOperation, { op: 'acknowledge' | 'resolve' }>;

function see(event: StoredEvent | undefined, seen: Seen, position: number): Step {
  if (event === undefined) return { event: opened(seen, position), outcome: 'opened' };
  const { run = -1, id, at } = seen;
  if (event.id === id) return { event, outcome: 'repeated' };
  if (run >= 0 && run <= event.run) return { event, outcome: 'repeated' };
  // A finding from before the event was resolved belongs to that event.
  if (!isOpen(event) && at <= (event.resolvedAt ?? 0)) return { event, outcome: 'repeated' };
  if (!isOpen(event)) return { event: opened(seen, position), outcome: 'opened' };
  const isNewer = seen.last >= event.lastSeenTime;
  return {
    event: {
      ...event,
      count: event.count + seen.count,
      lastSeenTime: Math.max(event.lastSeenTime, seen.last),
      value: isNewer ? seen.value : event.value,
      run: Math.max(event.run, run),
    },
    outcome: 'counted',
  };
}

function opened({ slot, id, facts, count, first, last, value, run = -1 }: Seen, position: number): StoredEvent {
  const { database, table, series, ...shown } = facts;
  return {
    id,
    status: 'active',
    ...shown,
    value,
    count,
    startTime: first,
    lastSeenTime: last,
    endTime: null,
    acknowledgedBy: null,
    acknowledgedAt: null,
    resolvedBy: null,
    resolvedAt: null,
    comment: null,
    slot,
    database,
    table,
    series,
    run,
    opened: position,
    version: position,
  };
}

function clear(event: StoredEvent | undefined, { at, time, run = -1 }: Clear): Step {
  if (event === undefined || !isOpen(event)) return { event, outcome: 'repeated' };
  if (run >= 0 && run < event.run) return { event, outcome: 'repeated' };
  const ended = { status: 'resolved', endTime: Math.max(time, event.startTime), resolvedAt: at } as const;
  return { event: { ...event, ...ended, resolvedBy: resolvedByCondition }, outcome: 'moved' };
}

function acknowledge(event: StoredEvent | undefined, { id, at, by, comment }: Move): Step {
  if (event?.id !== id || !isOpen(event)) return { event, outcome: 'late' };
  if (event.status === 'acknowledged') return { event, outcome: 'repeated' };
  const text = comment ?? event.comment;
  const moved = { status: 'acknowledged', acknowledgedBy: by, acknowledgedAt: at, comment: text } as const;
  return { event: { ...event, ...moved }, outcome: 'moved' };
}

function resolve(event: StoredEvent | undefined, { id, at, by, comment }: Move): Step {
  if (event?.id !== id || !isOpen(event)) return { event, outcome: 'repeated' };
  const ended = { status: 'resolved', endTime: Math.max(at, event.startTime), resolvedAt: at, resolvedBy: by } as const;
  return { event: { ...event, ...ended, comment: comment ?? event.comment }, outcome: 'moved' };
}

/** Result of folding a part of the log. */
interface Folded {
  /** Events that are other than they were, the newest of each slot last. */
  readonly changed: readonly StoredEvent[];
  /** By the key of the operation. */
  readonly outcomes: ReadonlyMap<string, Step>;
}

/**
 * Folds entries of some slots, in the order of the log, into the newest events of those slots. Entries that an event
 * holds already, and operations that were appended twice, are left out.
 */
export function foldLog(newest: Iterable<StoredEvent>, entries: readonly EventLogEntry[]): Folded {
  const slots = new Map<string, StoredEvent>();
  const positions = new Map<string, number>();
  for (const event of newest) {
    slots.set(event.slot, event);
    positions.set(event.slot, event.version);
  }
  const changed = new Map<string, StoredEvent>();
  const outcomes = new Map<string, Step>();
  for (const entry of entries) {
    const { slot, key } = entry.operation;
    if (entry.position <= (positions.get(slot) ?? -1) || outcomes.has(key)) continue;
    const before = slots.get(slot);
    const step = applyOperation(before, entry);
    outcomes.set(key, step);
    if (step.event === undefined || step.event === before) continue;
    const event = { ...step.event, version: entry.position };
    outcomes.set(key, { ...step, event });
    slots.set(slot, event);
    changed.set(event.id, event);
  }
  return { changed: [...changed.values()], outcomes };
}

import test from 'ava';
import fc from 'fast-check';
import { applyOperation, type EventOutcome, foldLog } from '../../src/events/event.js';
import type { EventStatus } from '../../src/model/event.js';
import type { EventFacts, EventLogEntry, EventOperation, StoredEvent } from '../../src/model/event-log.js';

const facts: EventFacts = {
  severity: 'critical',
  elementId: 'oven-1',
  title: 'too hot',
  description: '',
  source: 'rule',
  rule: 'hot',
  threshold: 80,
  attributes: { site: 'north' },
  database: 'plant',
  table: 'ovens',
  series: '17',
};

type Kind = EventOperation['op'];
const newestId = 'the id of the newest event';

/** The operation numbered `n`, which happens at `n` seconds. */
function operation(op: Kind, n: number, id = `event-${n}`): EventOperation {
  const common = { key: `key-${n}`, slot: '1', at: n * 1000 };
  switch (op) {
    case 'seen':
      return { op, ...common, id, facts, count: 2, first: n * 1000 - 10, last: n * 1000, value: 80 + n };
    case 'clear':
      return { op, ...common, time: n * 1000 };
    default:
      return { op, ...common, id, by: `user-${n}`, comment: `comment ${n}` };
  }
}

function walk(...kinds: readonly Kind[]): { event: StoredEvent | undefined; outcomes: EventOutcome[] } {
  let event: StoredEvent | undefined;
  const outcomes: EventOutcome[] = [];
  for (const [i, kind] of kinds.entries()) {
    const id = kind === 'seen' ? undefined : (event?.id ?? 'no event');
    const step = applyOperation(event, { position: i + 1, operation: operation(kind, i + 1, id) });
    event = step.event;
    outcomes.push(step.outcome);
  }
  return { event, outcomes };
}

const table: readonly (readonly [before: readonly Kind[], then: Kind, outcome: EventOutcome, after: EventStatus])[] = [
  [[], 'seen', 'opened', 'active'],
  [['seen'], 'seen', 'counted', 'active'],
  [['seen'], 'acknowledge', 'moved', 'acknowledged'],
  [['seen'], 'resolve', 'moved', 'resolved'],
  [['seen'], 'clear', 'moved', 'resolved'],
  [['seen', 'acknowledge'], 'seen', 'counted', 'acknowledged'],
  [['seen', 'acknowledge'], 'acknowledge', 'repeated', 'acknowledged'],
  [['seen', 'acknowledge'], 'resolve', 'moved', 'resolved'],
  [['seen', 'acknowledge'], 'clear', 'moved', 'resolved'],
  [['seen', 'resolve'], 'acknowledge', 'late', 'resolved'],
  [['seen', 'resolve'], 'resolve', 'repeated', 'resolved'],
  [['seen', 'resolve'], 'clear', 'repeated', 'resolved'],
  [['seen', 'resolve'], 'seen', 'opened', 'active'],
  [['seen', 'clear'], 'acknowledge', 'late', 'resolved'],
];

for (const [before, then, outcome, after] of table) {
  test(`after ${before.join(', ') || 'nothing'}, ${then} is ${outcome} and leaves the event ${after}`, (t) => {
    const { event, outcomes } = walk(...before, then);
    t.is(outcomes.at(-1), outcome);
    t.is(event?.status, after);
  });
}

test('a move records its user, time and comment', (t) => {
  const { event } = walk('seen', 'seen', 'acknowledge', 'resolve');
  t.like(event, { id: 'event-1', count: 4, value: 82, startTime: 990, lastSeenTime: 2000 });
  t.like(event, { acknowledgedBy: 'user-3', acknowledgedAt: 3000, resolvedBy: 'user-4', resolvedAt: 4000 });
  t.like(event, { endTime: 4000, comment: 'comment 4', elementId: 'oven-1', rule: 'hot', threshold: 80 });
});

test('an automatic resolution is marked as such', (t) => {
  t.like(walk('seen', 'clear').event, { resolvedBy: '(condition cleared)', endTime: 2000, resolvedAt: 2000 });
});

test('findings from before the resolution do not open a new event', (t) => {
  const { event } = walk('seen', 'resolve');
  const late = { ...operation('seen', 3), at: 2000 };
  const step = applyOperation(event, { position: 3, operation: late });
  t.is(step.outcome, 'repeated');
  t.is(step.event, event);
});

test('findings of several processes in one scheduled run count once', (t) => {
  const seen = (n: number, run: number): EventLogEntry => {
    const once = operation('seen', n);
    return { position: n, operation: once.op === 'seen' ? { ...once, run } : once };
  };
  const { changed, outcomes } = foldLog([], [seen(1, 7), seen(2, 7), seen(3, 8), seen(4, 8)]);
  t.is(changed[0]?.count, 4);
  t.deepEqual(
    [...outcomes.values()].map(({ outcome }) => outcome),
    ['opened', 'repeated', 'counted', 'repeated'],
  );
});

const kinds = fc.constantFrom<Kind>('seen', 'clear', 'acknowledge', 'resolve');
const logs = fc.array(fc.tuple(kinds, fc.constantFrom('1', '2'), fc.constantFrom(newestId, 'event-1', 'event-2')), {
  maxLength: 40,
});

/** A log in which moves name the newest event of their slot, or any other one. */
function logOf(steps: readonly (readonly [Kind, string, string])[]): EventLogEntry[] {
  const newest = new Map<string, StoredEvent>();
  return steps.map(([kind, slot, named], i) => {
    const position = i + 1;
    const id = kind === 'seen' ? undefined : named === newestId ? newest.get(slot)?.id : named;
    const entry = { position, operation: { ...operation(kind, position, id), slot } };
    const { event } = applyOperation(newest.get(slot), entry);
    if (event !== undefined) newest.set(slot, event);
    return entry;
  });
}

const order: Readonly<Record<EventStatus, number>> = { active: 0, acknowledged: 1, resolved: 2 };

test('whatever happens, a slot has one open event at most, and no event goes back', (t) => {
  fc.assert(
    fc.property(logs, (steps) => {
      const events = new Map<string, StoredEvent>();
      for (const entry of logOf(steps)) {
        const before = [...events.values()].findLast(({ slot }) => slot === entry.operation.slot);
        const { event, outcome } = applyOperation(before, entry);
        if (event === undefined) continue;
        const known = events.get(event.id);
        if (known !== undefined) t.true(order[event.status] >= order[known.status]);
        if (known?.status === 'resolved') t.deepEqual(event, known);
        if (outcome === 'repeated' || outcome === 'late') t.true(event === before);
        t.is(event.endTime === null, event.status !== 'resolved');
        t.true(event.acknowledgedBy !== null || event.status !== 'acknowledged');
        events.set(event.id, event);
      }
      for (const slot of ['1', '2']) {
        const open = [...events.values()].filter((event) => event.slot === slot && event.status !== 'resolved');
        t.true(open.length <= 1);
      }
    }),
  );
});

test('a log folded in pieces, from whatever piece is stored, is the log folded as a whole', (t) => {
  fc.assert(
    fc.property(logs, fc.array(fc.nat(40), { maxLength: 4 }), (steps, cuts) => {
      const log = logOf(steps);
      const whole = new Map(foldLog([], log).changed.map((event) => [event.id, event]));
      const pieces = new Map<string, StoredEvent>();
      const newest = new Map<string, StoredEvent>();
      for (const cut of [...cuts.toSorted((a, b) => a - b), log.length]) {
        // Every piece begins at the start of the log: what is folded already is left out.
        for (const event of foldLog(newest.values(), log.slice(0, cut)).changed) {
          pieces.set(event.id, event);
          newest.set(event.slot, event);
        }
      }
      t.deepEqual(pieces, whole);
    }),
  );
});

test('an operation that was appended twice counts once', (t) => {
  fc.assert(
    fc.property(logs, fc.nat(40), (steps, at) => {
      const log = logOf(steps);
      const twice = log[Math.min(at, log.length - 1)];
      if (twice === undefined) return;
      const after = { ...twice, position: log.length + 1 };
      t.deepEqual(foldLog([], [...log, after]).changed, foldLog([], log).changed);
    }),
  );
});

import test from 'ava';
import { applyOperation } from '../../../src/events/event.js';
import type { EventOperation } from '../../../src/model/event-log.js';
import { Announcer } from '../../../src/pipelines/events/announcer.js';

type Seen = Extract<EventOperation, { op: 'seen' }>;

function seen(key: string, source: 'system' | 'rule', slot = '1'): Seen {
  const facts = {
    severity: 'critical',
    elementId: 'e',
    title: `title ${slot}`,
    description: '',
    source,
    rule: 'r',
    threshold: null,
    attributes: {},
    database: '',
    table: '',
    series: '',
  } as const;
  return { op: 'seen', key, slot, at: 1, id: key, facts, count: 1, first: 1, last: 1, value: null };
}

/** An announcer with what it told, and a log that it follows. */
function announcing() {
  const told: string[] = [];
  const announcer = new Announcer(({ change, event }) => told.push(`${change} ${event.title}`));
  const events = new Map<string, ReturnType<typeof applyOperation>['event']>();
  const record = (operation: EventOperation) => {
    const step = applyOperation(events.get(operation.slot), { position: 1, operation });
    events.set(operation.slot, step.event);
    announcer.recorded([operation], new Map([[operation.key, step]]));
  };
  return { told, announcer, record };
}

test('events are told when they open and when they are over, not when they are counted or taken', (t) => {
  const { told, record } = announcing();
  record(seen('a', 'rule'));
  record(seen('b', 'rule'));
  record({ op: 'acknowledge', key: 'c', slot: '1', at: 2, id: 'a', by: 'ann', comment: undefined });
  record({ op: 'clear', key: 'd', slot: '1', at: 3, time: 3 });
  t.deepEqual(told, ['opened title 1', 'resolved title 1']);
});

test('what the service notices about itself is told while the database is away, once; rules wait', (t) => {
  const { told, announcer, record } = announcing();
  const down = seen('a', 'system');
  announcer.waiting([down, seen('b', 'rule', '2')]);
  announcer.waiting([down, seen('c', 'system')]);
  t.deepEqual(told, ['opened title 1']);
  record(down);
  record({ op: 'clear', key: 'd', slot: '1', at: 3, time: 3 });
  record({ ...seen('e', 'system'), at: 9 });
  t.deepEqual(told, ['opened title 1', 'resolved title 1', 'opened title 1']);
});

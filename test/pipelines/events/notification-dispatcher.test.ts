import test from 'ava';
import { applyOperation } from '../../../src/events/event.js';
import type { EventOperation } from '../../../src/model/event-log.js';
import { NotificationDispatcher } from '../../../src/pipelines/events/notification-dispatcher.js';

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

/** A dispatcher with its notifications, and a log that it follows. */
function dispatching() {
  const notified: string[] = [];
  const dispatcher = new NotificationDispatcher(({ change, event }) => notified.push(`${change} ${event.title}`));
  const events = new Map<string, ReturnType<typeof applyOperation>['event']>();
  const record = (operation: EventOperation) => {
    const step = applyOperation(events.get(operation.slot), { position: 1, operation });
    events.set(operation.slot, step.event);
    dispatcher.recorded([operation], new Map([[operation.key, step]]));
  };
  return { notified, dispatcher, record };
}

test('notifications are sent when events open and end, not when they are counted or acknowledged', (t) => {
  const { notified, record } = dispatching();
  record(seen('a', 'rule'));
  record(seen('b', 'rule'));
  record({ op: 'acknowledge', key: 'c', slot: '1', at: 2, id: 'a', by: 'ann', comment: undefined });
  record({ op: 'clear', key: 'd', slot: '1', at: 3, time: 3 });
  t.deepEqual(notified, ['opened title 1', 'resolved title 1']);
});

test('system events are notified once while the database is away; events of rules wait', (t) => {
  const { notified, dispatcher, record } = dispatching();
  const down = seen('a', 'system');
  dispatcher.waiting([down, seen('b', 'rule', '2')]);
  dispatcher.waiting([down, seen('c', 'system')]);
  t.deepEqual(notified, ['opened title 1']);
  record(down);
  record({ op: 'clear', key: 'd', slot: '1', at: 3, time: 3 });
  record({ ...seen('e', 'system'), at: 9 });
  t.deepEqual(notified, ['opened title 1', 'resolved title 1', 'opened title 1']);
});

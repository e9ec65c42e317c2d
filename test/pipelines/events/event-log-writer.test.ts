import test from 'ava';
import { EventsStore } from '../../../src/database/store/events-store.js';
import type { EventOutcome } from '../../../src/events/event.js';
import { newEventId } from '../../../src/events/event-id.js';
import type { EventFacts, EventOperation } from '../../../src/model/event-log.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { EventLogWriter } from '../../../src/pipelines/events/event-log-writer.js';
import { EventQueue } from '../../../src/pipelines/events/event-queue.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client: engine, end } = await sharedEngine();
const store = new EventsStore(engine);
test.after.always(end);

const facts: EventFacts = {
  severity: 'critical',
  elementId: 'oven',
  title: 'too hot',
  description: '',
  source: 'rule',
  rule: 'hot',
  threshold: 80,
  attributes: {},
  database: 'd',
  table: 't',
  series: '1',
};
let named = 0;
const fresh = (): string => String(++named);

function seen(slot: string, count = 1): Extract<EventOperation, { op: 'seen' }> {
  const at = Date.now();
  return { op: 'seen', key: fresh(), slot, at, id: newEventId(at), facts, count, first: at, last: at, value: 81 };
}

function move(op: 'acknowledge' | 'resolve', slot: string, id: string, by: string): EventOperation {
  return { op, key: fresh(), slot, at: Date.now(), id, by, comment: undefined };
}

async function openEvent(slot: string): Promise<string> {
  const operation = seen(slot);
  await new EventLogWriter(store).record([operation]);
  return operation.id;
}

async function outcomesOf(writer: EventLogWriter, operations: readonly EventOperation[]): Promise<EventOutcome[]> {
  const steps = await writer.record(operations);
  return operations.flatMap(({ key }) => steps.get(key)?.outcome ?? []);
}

for (const [left, right, outcomes, end] of [
  ['acknowledge', 'acknowledge', ['moved', 'repeated'], 'acknowledged'],
  ['resolve', 'resolve', ['moved', 'repeated'], 'resolved'],
] as const) {
  test.serial(`of two processes that ${left} one event at once exactly one has done it`, async (t) => {
    for (let round = 0; round < 5; round++) {
      const slot = fresh();
      const id = await openEvent(slot);
      const [a, b] = [move(left, slot, id, 'ann'), move(right, slot, id, 'ben')];
      const [first, second] = await Promise.all([
        outcomesOf(new EventLogWriter(store), [a]),
        outcomesOf(new EventLogWriter(store), [b]),
      ]);
      t.deepEqual([...first, ...second].toSorted(), [...outcomes]);
      const winner = first[0] === 'moved' ? 'ann' : 'ben';
      const event = await store.find(id);
      t.is(event?.status, end);
      t.is(left === 'resolve' ? event?.resolvedBy : event?.acknowledgedBy, winner);
    }
  });
}

test.serial('an acknowledgement that races with a resolution is first or too late, and all see one end', async (t) => {
  for (let round = 0; round < 5; round++) {
    const slot = fresh();
    const id = await openEvent(slot);
    const [acknowledged, resolved] = await Promise.all([
      outcomesOf(new EventLogWriter(store), [move('acknowledge', slot, id, 'ann')]),
      outcomesOf(new EventLogWriter(store), [move('resolve', slot, id, 'ben')]),
    ]);
    t.deepEqual(resolved, ['moved']);
    const event = await store.find(id);
    t.is(event?.status, 'resolved');
    t.is(event?.acknowledgedBy, acknowledged[0] === 'moved' ? 'ann' : null);
    t.true(acknowledged[0] === 'moved' || acknowledged[0] === 'late');
  }
});

test.serial('two processes that detect one condition at once make one event', async (t) => {
  const slot = fresh();
  await Promise.all(Array.from({ length: 6 }, () => new EventLogWriter(store).record([seen(slot, 2)])));
  const [event] = await store.newest([slot]);
  t.is(event?.count, 12);
  const [row] = await engine.rows(`SELECT uniqExact(id) FROM sluice.events WHERE slot = ${slot}`);
  t.deepEqual(row, [1]);
});

test.serial('many concurrent callers each get all of their outcomes', async (t) => {
  const writer = new EventLogWriter(store);
  const slot = fresh();
  const id = await openEvent(slot);
  const moves = Array.from({ length: 20 }, (_, i) => move(i % 2 === 0 ? 'acknowledge' : 'resolve', slot, id, `u${i}`));
  const outcomes = (await Promise.all(moves.map((one) => outcomesOf(writer, [one])))).flat();
  t.deepEqual(outcomes.slice(0, 2), ['moved', 'moved']);
  t.deepEqual(new Set(outcomes.slice(2)), new Set<EventOutcome>(['late', 'repeated']));
});

test.serial('operations on several events take in what others appended to each of them', async (t) => {
  const slots = [fresh(), fresh()] as const;
  const id = await openEvent(slots[0]);
  await store.append([seen(slots[0], 2)]);
  await openEvent(slots[1]);
  await new EventLogWriter(store).record(slots.map((slot) => seen(slot, 4)));
  t.like(await store.find(id), { count: 7 });
  t.like((await store.newest([slots[1]]))[0], { count: 5 });
});

test.serial('the listener gets recorded operations, with the outcome of each', async (t) => {
  const slot = fresh();
  const id = await openEvent(slot);
  const heard: [EventOperation[], EventOutcome | undefined][] = [];
  const writer = new EventLogWriter(store, (operations, outcomes) =>
    heard.push([[...operations], outcomes.get(operations[0]!.key)?.outcome]),
  );
  const resolution = move('resolve', slot, id, 'ann');
  await writer.record([resolution]);
  t.deepEqual(heard, [[[resolution], 'moved']]);
});

test.serial('an append with an unknown outcome is not repeated', async (t) => {
  const slot = fresh();
  let failures = 0;
  const broken = new Proxy(store, {
    get(target, name) {
      if (name !== 'append') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (operations: readonly EventOperation[]) => {
        await target.append(operations);
        if (failures++ < 2) throw new FaultError(fault('network', Codes.networkUnavailable, 'It broke off'));
      };
    },
  });
  const queue = new EventQueue(new EventLogWriter(broken), 100, silentLog);
  const operations = [seen(slot, 3), seen(slot, 4)];
  for (const operation of operations) queue.add(async () => [operation]);
  await queue.drain();
  t.is(failures, 1);
  const [event] = await store.newest([slot]);
  t.is(event?.count, 7);
  t.is((await store.entries([slot], 0)).length, 2);
});

test.serial('entries that a dead process has not folded are folded by the next one', async (t) => {
  const slot = fresh();
  const operation = seen(slot, 5);
  await store.append([operation]);
  t.is(await store.find(operation.id), undefined);
  await new EventLogWriter(store).foldRest();
  t.like(await store.find(operation.id), { count: 5, status: 'active' });
  await store.append([move('resolve', slot, operation.id, 'ann')]);
  await new EventLogWriter(store).foldRest();
  t.like(await store.find(operation.id), { count: 5, status: 'resolved', resolvedBy: 'ann' });
});

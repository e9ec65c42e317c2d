import test from 'ava';
import type { EventOperation } from '../../../src/model/event-log.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { EventQueue } from '../../../src/pipelines/events/event-queue.js';
import { silentLog } from '../../support/engine/engine.js';

function operation(key: string): EventOperation {
  return { op: 'clear', key, slot: '1', at: 0, time: 0 };
}

const away = new FaultError(fault('network', Codes.networkUnavailable, 'The database cannot be reached'));

/** An event log that keeps what it records, and fails for a number of calls. */
class EventLog {
  failures = 0;
  readonly recorded: (readonly [keys: string, again: boolean])[] = [];

  async record(operations: readonly EventOperation[], again = false) {
    this.recorded.push([operations.map(({ key }) => key).join(' '), again]);
    if (this.failures-- > 0) throw away;
    return new Map();
  }
}

function queueOver(eventLog: EventLog, maxWaiting = 100): EventQueue {
  return new EventQueue(eventLog, maxWaiting, silentLog);
}

test('operations of one turn are recorded in one batch, in their order', async (t) => {
  const eventLog = new EventLog();
  const own = queueOver(eventLog);
  for (const key of ['a', 'b', 'c']) own.add(async () => [operation(key)]);
  await own.drain();
  own.add(async () => [operation('d'), operation('e')]);
  own.add(async () => []);
  await own.drain();
  t.deepEqual(eventLog.recorded, [
    ['a b c', false],
    ['d e', false],
  ]);
  t.is(own.waiting, 0);
});

test('operations that arrive during a batch are recorded after it', async (t) => {
  const eventLog = new EventLog();
  const own = queueOver(eventLog);
  own.add(async () => {
    own.add(async () => [operation('b')]);
    return [operation('a')];
  });
  await own.drain();
  t.deepEqual(eventLog.recorded, [
    ['a', false],
    ['b', false],
  ]);
});

test('while the database is away the same operations are retried, marked as retries', async (t) => {
  const eventLog = new EventLog();
  eventLog.failures = 2;
  const own = queueOver(eventLog);
  own.add(async () => [operation('a')]);
  await own.drain();
  t.deepEqual(eventLog.recorded, [
    ['a', false],
    ['a', true],
    ['a', true],
  ]);
});

test('an operation that needs the database waits for it, and a failing one does not affect others', async (t) => {
  const eventLog = new EventLog();
  const own = queueOver(eventLog);
  let asked = 0;
  own.add(async () => {
    if (asked++ === 0) throw away;
    return [operation('a')];
  });
  own.add(async () => {
    throw new Error('broken');
  });
  own.add(async () => [operation('b')]);
  await own.drain();
  t.deepEqual(eventLog.recorded.at(-1), ['a b', true]);
  t.is(own.waiting, 0);
});

test('operations beyond the limit are lost and counted, and waiting ones are dropped at the stop', async (t) => {
  const eventLog = new EventLog();
  eventLog.failures = 1_000_000;
  const own = queueOver(eventLog, 3);
  for (const key of ['a', 'b', 'c', 'd', 'e']) own.add(async () => [operation(key)]);
  t.is(own.waiting, 3);
  t.is(own.lost, 2);
  void own.drain();
  t.is(own.waiting, 3);
  await own.stop();
  own.add(async () => [operation('f')]);
  t.is(own.waiting, 3);
});

import test from 'ava';
import type { EventOperation } from '../../../src/model/event-log.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { EventRecorder } from '../../../src/pipelines/events/recorder.js';
import { silentLog } from '../../support/engine/engine.js';

function operation(key: string): EventOperation {
  return { op: 'clear', key, slot: '1', at: 0, time: 0 };
}

const away = new FaultError(fault('network', Codes.networkUnavailable, 'The database cannot be reached'));

/** A ledger that notes what it records, and fails as often as it is told. */
class Ledger {
  failures = 0;
  readonly recorded: (readonly [keys: string, again: boolean])[] = [];

  async record(operations: readonly EventOperation[], again = false) {
    this.recorded.push([operations.map(({ key }) => key).join(' '), again]);
    if (this.failures-- > 0) throw away;
    return new Map();
  }
}

function recorder(ledger: Ledger, maxWaiting = 100): EventRecorder {
  return new EventRecorder(ledger, maxWaiting, silentLog);
}

test('what is noticed at once is recorded together, in its order', async (t) => {
  const ledger = new Ledger();
  const own = recorder(ledger);
  for (const key of ['a', 'b', 'c']) own.add(async () => [operation(key)]);
  await own.drain();
  own.add(async () => [operation('d'), operation('e')]);
  own.add(async () => []);
  await own.drain();
  t.deepEqual(ledger.recorded, [
    ['a b c', false],
    ['d e', false],
  ]);
  t.is(own.waiting, 0);
});

test('what is noticed while others are recorded is recorded behind them', async (t) => {
  const ledger = new Ledger();
  const own = recorder(ledger);
  own.add(async () => {
    own.add(async () => [operation('b')]);
    return [operation('a')];
  });
  await own.drain();
  t.deepEqual(ledger.recorded, [
    ['a', false],
    ['b', false],
  ]);
});

test('while the database is away the same operations are tried again, and said to be', async (t) => {
  const ledger = new Ledger();
  ledger.failures = 2;
  const own = recorder(ledger);
  own.add(async () => [operation('a')]);
  await own.drain();
  t.deepEqual(ledger.recorded, [
    ['a', false],
    ['a', true],
    ['a', true],
  ]);
});

test('a notice that needs the database waits for it, and one that is broken costs itself alone', async (t) => {
  const ledger = new Ledger();
  const own = recorder(ledger);
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
  t.deepEqual(ledger.recorded.at(-1), ['a b', true]);
  t.is(own.waiting, 0);
});

test('what does not fit is lost and counted, and what waits at the stop is given up', async (t) => {
  const ledger = new Ledger();
  ledger.failures = 1_000_000;
  const own = recorder(ledger, 3);
  for (const key of ['a', 'b', 'c', 'd', 'e']) own.add(async () => [operation(key)]);
  t.is(own.waiting, 3);
  t.is(own.lost, 2);
  void own.drain();
  t.is(own.waiting, 3);
  await own.stop();
  own.add(async () => [operation('f')]);
  t.is(own.waiting, 3);
});

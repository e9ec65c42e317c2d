import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { Pauses } from '../../../src/database/store/write-gaps.js';
import { ManualClock } from '../../support/manual-clock.js';

test('what comes alone does not wait, what comes again and again waits for a pause, and no longer than the most', async (t) => {
  const clock = new ManualClock();
  const pauses = new Pauses(100, 250, clock);
  const over: string[] = [];
  const wait = (place: string): void => void pauses.next(place).then(() => over.push(place));
  pauses.note('a');
  pauses.note('b');
  wait('a');
  await turn();
  t.deepEqual(over, ['a']);
  pauses.note('b');
  wait('b');
  clock.pass(99);
  await turn();
  t.deepEqual(over, ['a']);
  clock.pass(1);
  await turn();
  t.deepEqual(over, ['a', 'b']);
  pauses.note('c');
  pauses.note('c');
  wait('c');
  const begun = clock.now();
  while (!over.includes('c')) {
    clock.pass(20);
    pauses.note('c');
    await turn();
  }
  t.is(clock.now() - begun, 300, 'the first look after 250 ms, of one every 100 ms');
});

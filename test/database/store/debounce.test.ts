import { setImmediate as nextIteration } from 'node:timers/promises';
import test from 'ava';
import { Debounce } from '../../../src/database/store/debounce.js';
import { ManualClock } from '../../support/manual-clock.js';

test('what comes alone does not wait, what comes again and again waits for a pause, and no longer than the most', async (t) => {
  const clock = new ManualClock();
  const pauses = new Debounce(100, 250, clock);
  const over: string[] = [];
  const wait = (place: string): void => void pauses.quiet(place).then(() => over.push(place));
  pauses.record('a');
  pauses.record('b');
  wait('a');
  await nextIteration();
  t.deepEqual(over, ['a']);
  pauses.record('b');
  wait('b');
  clock.pass(99);
  await nextIteration();
  t.deepEqual(over, ['a']);
  clock.pass(1);
  await nextIteration();
  t.deepEqual(over, ['a', 'b']);
  pauses.record('c');
  pauses.record('c');
  wait('c');
  const begun = clock.now();
  while (!over.includes('c')) {
    clock.pass(20);
    pauses.record('c');
    await nextIteration();
  }
  t.is(clock.now() - begun, 300, 'the first look after 250 ms, of one every 100 ms');
});

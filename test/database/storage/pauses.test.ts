import test from 'ava';
import { Pauses } from '../../../src/database/storage/pauses.js';

/** How long something waits, ms. */
async function waited(work: Promise<void>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

test('what comes alone does not wait, what comes again and again waits for a pause, and no longer than the most', async (t) => {
  const pauses = new Pauses(100, 250);
  const steady = setInterval(() => pauses.note('c'), 20);
  t.teardown(() => clearInterval(steady));
  pauses.note('a');
  pauses.note('b');
  t.true((await waited(pauses.next('a'))) < 100);
  pauses.note('b');
  t.true((await waited(pauses.next('b'))) >= 99);
  t.true((await waited(pauses.next('c'))) >= 249);
});

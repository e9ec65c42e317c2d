import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { deferred } from '../../src/async/deferred.js';
import { RepeatedWork } from '../../src/async/repeated-work.js';
import { ManualClock } from '../support/manual-clock.js';

test('work begins after its first pause, again after each rest that it asks for, and ends with a stop', async (t) => {
  const clock = new ManualClock();
  const times: number[] = [];
  const work = new RepeatedWork(
    'w',
    500,
    async () => {
      times.push(clock.now());
      return times.length * 1000;
    },
    clock,
  );
  await work.start();
  for (const ms of [499, 1, 999, 1, 1999, 1]) {
    clock.pass(ms);
    await setImmediate();
  }
  t.deepEqual(times, [500, 1500, 3500]);
  await work.drain();
  clock.pass(3_600_000);
  t.is(times.length, 3);
});

test('a drain tells the run that is under way to end, waits for it, and no other one begins', async (t) => {
  const begun = deferred<AbortSignal>();
  const ended = deferred<void>();
  const clock = new ManualClock();
  let runs = 0;
  const run = async (stopped: AbortSignal): Promise<number> => {
    runs++;
    begun.resolve(stopped);
    await ended.promise;
    return 0;
  };
  const work = new RepeatedWork('w', 0, run, clock);
  await work.start();
  clock.pass(0);
  const stopped = await begun.promise;
  t.false(stopped.aborted);
  const drained = work.drain();
  t.true(stopped.aborted);
  ended.resolve();
  await drained;
  await work.start();
  clock.pass(1);
  await work.drain();
  t.is(runs, 1);
});

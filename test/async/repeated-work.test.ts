import test from 'ava';
import { deferred } from '../../src/async/deferred.js';
import { RepeatedWork } from '../../src/async/repeated-work.js';
import { until } from '../support/until.js';

test('work begins again after the rest that it asks for, and ends with a stop', async (t) => {
  let runs = 0;
  const work = new RepeatedWork('w', 0, async () => {
    runs++;
    return runs < 3 ? 0 : 3_600_000;
  });
  await work.start();
  await until(() => runs === 3);
  await work.drain();
  t.is(runs, 3);
});

test('a drain tells the run that is under way to end, waits for it, and no other one begins', async (t) => {
  const begun = deferred<AbortSignal>();
  const ended = deferred<void>();
  let runs = 0;
  const work = new RepeatedWork('w', 0, async (stopped) => {
    runs++;
    begun.resolve(stopped);
    await ended.promise;
    return 0;
  });
  await work.start();
  const stopped = await begun.promise;
  t.false(stopped.aborted);
  const drained = work.drain();
  t.true(stopped.aborted);
  ended.resolve();
  await drained;
  await work.start();
  await work.drain();
  t.is(runs, 1);
});

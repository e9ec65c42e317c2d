import { once } from 'node:events';
import test from 'ava';
import { detached } from '../../src/async/detached.js';
import { RepeatedWork } from '../../src/async/repeated-work.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/until.js';

test.serial('a rejection goes to the handler of detached work', async (t) => {
  const errors: unknown[] = [];
  const error = new Error('the disk does not answer');
  detached(Promise.reject(error), (reason) => errors.push(reason));
  t.true(await until(() => errors.length === 1));
  t.deepEqual(errors, [error]);
});

test.serial('a rejection without a handler is a warning of the process', async (t) => {
  const error = new Error('the disk does not answer');
  const warning = once(process, 'warning');
  detached(Promise.reject(error));
  t.deepEqual(await warning, [error]);
});

test.serial('repeated work that rejects is a warning of the process, and begins again', async (t) => {
  const clock = new ManualClock();
  let runs = 0;
  const run = async (): Promise<number> => {
    runs++;
    throw new Error('a defect');
  };
  const work = new RepeatedWork('w', 5_000, run, clock);
  await work.start();
  const warning = once(process, 'warning');
  clock.pass(5_000);
  await warning;
  clock.pass(5_000);
  t.is(runs, 2);
  await work.drain();
});

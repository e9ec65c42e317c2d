import test from 'ava';
import { allThreads } from '../../../src/load/execution/threads.js';

test('every thread runs to its end, and the first in order that failed is what is thrown', async (t) => {
  const done: string[] = [];
  const ended = allThreads(['a', 'b', 'c'], async (thread, number) => {
    await Promise.resolve();
    done.push(`${thread}${number}`);
    if (number > 0) throw new Error(`${thread} failed`);
  });
  await t.throwsAsync(ended, { message: 'b failed' });
  t.deepEqual(done, ['a0', 'b1', 'c2']);
});

test('a thread that fails stops those that listen to it; without one nothing is thrown', async (t) => {
  const broken = new AbortController();
  const stopped = new Promise<void>((resolve) => broken.signal.addEventListener('abort', () => resolve()));
  let isFirstDone = false;
  const ended = allThreads(
    [1, 2],
    async (thread) => {
      if (thread === 2) throw new Error('two failed');
      await stopped;
      isFirstDone = true;
    },
    broken,
  );
  await t.throwsAsync(ended, { message: 'two failed' });
  t.true(isFirstDone);
  await t.notThrowsAsync(allThreads([1, 2], async () => {}));
});

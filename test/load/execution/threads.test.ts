import test from 'ava';
import { allThreads, throwFailure } from '../../../src/load/execution/threads.js';

test('every thread runs to its end, and the first in order that failed is what is thrown', async (t) => {
  const done: string[] = [];
  const endings = await allThreads(['a', 'b', 'c'], async (thread, number) => {
    await Promise.resolve();
    done.push(`${thread}${number}`);
    if (number > 0) throw new Error(`${thread} failed`);
  });
  t.deepEqual(done, ['a0', 'b1', 'c2']);
  t.throws(() => throwFailure(endings), { message: 'b failed' });
});

test('a thread that fails breaks off those that listen to it; without one nothing is thrown', async (t) => {
  const broken = new AbortController();
  const stopped = new Promise<void>((resolve) => broken.signal.addEventListener('abort', () => resolve()));
  const endings = await allThreads(
    [1, 2],
    (thread) => (thread === 1 ? stopped : Promise.reject(new Error('two failed'))),
    broken,
  );
  t.deepEqual(
    endings.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  t.notThrows(() => throwFailure(endings.slice(0, 1)));
});

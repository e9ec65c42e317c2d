import test from 'ava';
import { yieldToEventLoop } from '../../src/async/event-loop.js';

test('one waiting task resumes per turn of the event loop, in FIFO order', async (t) => {
  const went: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (const step of [1, 2]) {
      await yieldToEventLoop();
      went.push(`${name}${step}`);
    }
  };
  const works = Promise.all([work('a'), work('b')]);
  let turns = 0;
  const turn = (): void => {
    went.push(String(++turns));
    if (turns < 4) setImmediate(turn);
  };
  setImmediate(turn);
  await works;
  t.deepEqual(went.slice(0, 7), ['a1', '1', 'b1', '2', 'a2', '3', 'b2']);
});

import test from 'ava';
import { othersTurn } from '../../src/async/others-turn.js';

test('of several works that wait one goes on per turn of the event loop, in their order', async (t) => {
  const went: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (const step of [1, 2]) {
      await othersTurn();
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

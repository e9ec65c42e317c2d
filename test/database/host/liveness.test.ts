import test from 'ava';
import { Liveness } from '../../../src/database/host/liveness.js';
import { ManualClock } from '../../support/manual-clock.js';

function engine() {
  const clock = new ManualClock();
  const state = { asked: 0, processorMs: 0, answer: (): void => {}, alive: 0 };
  const works = (): Promise<void> => {
    state.asked++;
    return new Promise((resolve) => {
      state.answer = resolve;
    });
  };
  const liveness = new Liveness({ works, processorMs: () => state.processorMs, clock });
  const ask = (): void => {
    void liveness.alive().then(() => {
      state.alive++;
    });
  };
  return { clock, state, ask };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an engine that answers lives, and is asked anew then', async (t) => {
  const { state, ask } = engine();
  ask();
  state.answer();
  await turn();
  t.deepEqual([state.alive, state.asked], [1, 1]);
  ask();
  t.is(state.asked, 2);
});

test('an engine that neither answers nor works does not live, and is asked once', async (t) => {
  const { clock, state, ask } = engine();
  ask();
  state.processorMs += 10;
  clock.pass(60_000);
  ask();
  clock.pass(60_000);
  await turn();
  t.deepEqual([state.alive, state.asked], [0, 1]);
  state.answer();
  await turn();
  t.is(state.alive, 2, 'until it answers after all');
});

test('an engine that works lives without an answer, for two minutes', async (t) => {
  const { clock, state, ask } = engine();
  for (let beat = 1; beat <= 100; beat++) {
    ask();
    state.processorMs += 50;
    clock.pass(2_000);
    await turn();
  }
  t.deepEqual([state.alive, state.asked], [60, 1]);
});

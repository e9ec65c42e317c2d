import test from 'ava';
import { Liveness } from '../../../src/database/host/liveness.js';
import { ManualClock } from '../../support/manual-clock.js';

function engine() {
  const clock = new ManualClock();
  const state = { pings: 0, processorMs: 0, answer: (): void => {}, alive: 0 };
  const ping = (): Promise<void> => {
    state.pings++;
    return new Promise((resolve) => {
      state.answer = resolve;
    });
  };
  const liveness = new Liveness({ ping, processorMs: () => state.processorMs, clock });
  const check = (): void => {
    void liveness.alive().then(() => {
      state.alive++;
    });
  };
  return { clock, state, check };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an engine that answers is alive, and gets another ping then', async (t) => {
  const { state, check } = engine();
  check();
  state.answer();
  await turn();
  t.deepEqual([state.alive, state.pings], [1, 1]);
  check();
  t.is(state.pings, 2);
});

test('an engine that neither answers nor uses the processor is not alive, and gets one ping', async (t) => {
  const { clock, state, check } = engine();
  check();
  state.processorMs += 10;
  clock.pass(60_000);
  check();
  clock.pass(60_000);
  await turn();
  t.deepEqual([state.alive, state.pings], [0, 1]);
  state.answer();
  await turn();
  t.is(state.alive, 2, 'until it answers after all');
});

test('a busy engine is alive without an answer, for two minutes', async (t) => {
  const { clock, state, check } = engine();
  for (let beat = 1; beat <= 100; beat++) {
    check();
    state.processorMs += 50;
    clock.pass(2_000);
    await turn();
  }
  t.deepEqual([state.alive, state.pings], [60, 1]);
});

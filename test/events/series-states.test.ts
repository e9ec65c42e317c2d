import test from 'ava';
import fc from 'fast-check';
import { SeriesStates, stateExcluded, stateFiring, statePending } from '../../src/events/series-states.js';

const id = fc.tuple(fc.nat(6), fc.constantFrom(0, 1, 0xffff_ffff));
const commands = fc.array(
  fc.tuple(fc.constantFrom('add', 'remove', 'forget'), id, fc.constantFrom(statePending, stateFiring, stateExcluded)),
  { maxLength: 120 },
);

test('it remembers what a map remembers', (t) => {
  fc.assert(
    fc.property(commands, (steps) => {
      const states = new SeriesStates(1000);
      const model = new Map<string, { state: number; since: number }>();
      for (const [n, [command, [low, high], state]] of steps.entries()) {
        const key = `${low} ${high}`;
        const at = states.find(low, high);
        t.is(at >= 0, model.has(key));
        if (command === 'add' && at < 0) {
          states.since[states.add(low, high, state)] = n;
          model.set(key, { state, since: n });
        } else if (command === 'remove' && at >= 0) {
          states.remove(at);
          model.delete(key);
        } else if (command === 'forget') {
          states.removeAll(stateExcluded);
          for (const [name, known] of model) if (known.state === stateExcluded) model.delete(name);
        }
        t.is(states.size, model.size);
      }
      for (const [key, { state, since }] of model) {
        const [low = 0, high = 0] = key.split(' ').map(Number);
        const at = states.find(low, high);
        t.deepEqual([states.states[at], states.since[at]], [state, since]);
      }
    }),
  );
});

test('it grows up to its limit and says when it is full', (t) => {
  const states = new SeriesStates(500);
  for (let i = 0; i < 500; i++) t.true(states.add(i * 7, i, statePending) >= 0);
  t.is(states.add(1, 1, statePending), -1);
  for (let i = 0; i < 500; i++) t.true(states.find(i * 7, i) >= 0);
  states.remove(states.find(7, 1));
  t.true(states.add(1, 1, stateFiring) >= 0);
});

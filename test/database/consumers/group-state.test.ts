import test from 'ava';
import fc from 'fast-check';
import { type GroupEntry, GroupState } from '../../../src/database/consumers/group-state.js';

function stateOf(shares: number, entries: readonly GroupEntry[]): GroupState {
  const state = new GroupState(shares);
  for (const entry of entries) state.apply(entry);
  return state;
}

test('the first consumer reads everything until a second one has joined and got its share', (t) => {
  const state = stateOf(4, [{ op: 'join', consumer: 'a' }]);
  t.deepEqual(state.owned('a'), [0, 1, 2, 3]);
  state.apply({ op: 'join', consumer: 'b' });
  t.deepEqual(state.owned('b'), [], 'nothing is read by two');
  t.true(state.awaits('b'));
  t.false(state.awaits('a'));
  const shares = state.toRelease('a');
  t.is(shares.length, 2);
  state.apply({ op: 'release', consumer: 'a', share: shares[0]! });
  t.deepEqual(state.owned('b'), [shares[0]!]);
  state.apply({ op: 'release', consumer: 'b', share: shares[1]! });
  t.deepEqual(state.owned('b'), [shares[0]!], 'only the owner releases');
  state.apply({ op: 'release', consumer: 'a', share: shares[1]! });
  t.deepEqual([...state.owned('a'), ...state.owned('b')].toSorted(), [0, 1, 2, 3]);
  t.false(state.awaits('b'));
});

test('what a consumer read that left or was expelled goes to the others at once', (t) => {
  const joined: GroupEntry[] = ['a', 'b', 'c'].map((consumer) => ({ op: 'join', consumer }));
  const state = stateOf(3, joined);
  for (const share of state.toRelease('a')) state.apply({ op: 'release', consumer: 'a', share });
  t.deepEqual([state.owned('a').length, state.owned('b').length, state.owned('c').length], [1, 1, 1]);
  const before = state.owned('a');
  state.apply({ op: 'expel', consumer: 'b' });
  t.true(
    before.every((share) => state.owned('a').includes(share)),
    'shares that need not move stay',
  );
  t.is(state.owned('a').length + state.owned('c').length, 3);
  state.apply({ op: 'leave', consumer: 'c' });
  state.apply({ op: 'leave', consumer: 'a' });
  t.deepEqual(state.members, []);
  state.apply({ op: 'join', consumer: 'd' });
  t.deepEqual(state.owned('d'), [0, 1, 2]);
});

const consumer = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const entry: fc.Arbitrary<GroupEntry> = fc.oneof(
  fc.record({ op: fc.constantFrom('join', 'leave', 'expel'), consumer }),
  fc.record({ op: fc.constant('release'), consumer, share: fc.nat(6) }),
);

test('whatever happens, a share has one owner at most, a member, and all are read once everybody has released', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.array(entry, { maxLength: 60 }), (shares, entries) => {
      const state = stateOf(shares, entries);
      for (let share = 0; share < shares; share++) {
        const owner = state.owner(share);
        if (owner !== undefined && !state.members.includes(owner)) return false;
        if ((owner === undefined) !== (state.members.length === 0)) return false;
      }
      for (const member of state.members) {
        for (const share of state.toRelease(member)) state.apply({ op: 'release', consumer: member, share });
      }
      const counts = state.members.map((member) => state.owned(member).length);
      return counts.every((count) => Math.max(...counts) - count <= 1 && state.members.length > 0);
    }),
  );
  t.pass();
});

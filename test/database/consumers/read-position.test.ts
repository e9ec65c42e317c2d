import test from 'ava';
import fc from 'fast-check';
import {
  beginning,
  decodePosition,
  encodePosition,
  type ReadPosition,
} from '../../../src/database/consumers/read-position.js';

const key = fc.record({
  id: fc.bigInt({ min: 0n, max: (1n << 64n) - 2n }),
  time: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n),
});
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const place: fc.Arbitrary<ReadPosition> = fc.oneof(fc.record({ number }), fc.record({ number, key }));

function compare(a: ReadPosition, b: ReadPosition): number {
  if (a.number !== b.number) return a.number - b.number;
  if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined);
  if (a.key.id !== b.key.id) return a.key.id < b.key.id ? -1 : 1;
  return a.key.time === b.key.time ? 0 : a.key.time < b.key.time ? -1 : 1;
}

test('a place is the same after it was text', (t) => {
  fc.assert(fc.property(place, (one) => t.deepEqual(decodePosition(encodePosition(one)), one)));
});

test('texts are in the order of places', (t) => {
  const near = fc.oneof(place, fc.record({ number: fc.constant(7), key }), fc.constant({ number: 7 }));
  fc.assert(
    fc.property(near, near, (a, b) => {
      const [left, right] = [encodePosition(a), encodePosition(b)];
      return Math.sign(compare(a, b)) === (left === right ? 0 : left < right ? -1 : 1);
    }),
  );
  t.true(encodePosition(beginning) < encodePosition({ number: 1, key: { id: 0n, time: 0n } }));
});

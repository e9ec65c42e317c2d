import test from 'ava';
import fc from 'fast-check';
import { timeMs } from '../../src/events/column-values.js';

function wordsOf(ticks: bigint): Uint32Array {
  return new Uint32Array(BigInt64Array.of(ticks).buffer);
}

test('the time of a row is its whole milliseconds, exactly, also on their edges', (t) => {
  const perMs = fc.constantFrom(1, 1_000, 1_000_000);
  fc.assert(
    fc.property(fc.integer({ min: -9e12, max: 9e12 }), fc.constantFrom(-1n, 0n, 1n), perMs, (ms, off, ticksPerMs) => {
      const ticks = BigInt(ms) * BigInt(ticksPerMs) + off;
      const size = BigInt(ticksPerMs);
      const floored = (ticks - (((ticks % size) + size) % size)) / size;
      return timeMs(wordsOf(ticks), 0, ticksPerMs) === Number(floored);
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});

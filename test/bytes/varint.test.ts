import test from 'ava';
import fc from 'fast-check';
import { PoolReader } from '../../src/bytes/pool-reader.js';
import { putVarint, varintLength } from '../../src/bytes/varint.js';

test('a number takes as many bytes as it says, and is read back', (t) => {
  const lengths = fc.oneof(fc.nat(300), fc.nat(), fc.integer({ min: 2 ** 31, max: 2 ** 48 }));
  fc.assert(
    fc.property(lengths, (value) => {
      const bytes = new Uint8Array(12);
      const end = putVarint(bytes, 1, value);
      t.is(end - 1, varintLength(value));
      const reader = new PoolReader(bytes, 1);
      reader.next();
      t.is(reader.start, end);
      t.is(reader.end - reader.start, value);
    }),
  );
});

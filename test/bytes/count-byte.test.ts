import test from 'ava';
import fc from 'fast-check';
import { countByte } from '../../src/bytes/count-byte.js';

test('a byte is counted however often it stands, also in a part of a buffer', (t) => {
  const text = fc.array(fc.constantFrom(0x0a, 0x61, 0x62, 0xff), { maxLength: 300 });
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(300), (bytes, skipped, rare) => {
      const buffer = Buffer.from([...bytes, ...new Array<number>(rare).fill(0x61)]);
      const part = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length).subarray(skipped);
      return countByte(part, 0x0a) === [...part].filter((byte) => byte === 0x0a).length;
    }),
    { numRuns: 500 },
  );
  t.is(countByte(Buffer.alloc(100_000, '\n'), 0x0a), 100_000);
});

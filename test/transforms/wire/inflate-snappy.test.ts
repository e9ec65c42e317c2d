import test from 'ava';
import fc from 'fast-check';
import snappyjs from 'snappyjs';
import { FaultError } from '../../../src/model/fault.js';
import { deflateSnappy } from '../../../src/transforms/wire/deflate-snappy.js';
import { inflatedLength, inflateSnappy, SnappyInflation } from '../../../src/transforms/wire/inflate-snappy.js';

const limit = 1 << 24;

/** Bytes with repeats near and far, as messages have them. */
const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 })), { maxLength: 60 })
  .map((parts) => Buffer.concat(parts.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))));
const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 2000 }), repetitive);

/** Bytes that no compressor can shorten; a linear congruence modulo 2^32. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 12345;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** Compresses bytes that come in two parts. */
function deflated(bytes: Uint8Array): Buffer {
  const middle = Math.ceil(bytes.length / 3);
  return Buffer.concat([...deflateSnappy([bytes.subarray(0, middle), bytes.subarray(middle)], bytes.length)]);
}

function refusal(bytes: readonly number[] | Uint8Array, maxBytes = limit): string {
  try {
    inflateSnappy(Uint8Array.from(bytes), maxBytes);
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
  return 'taken';
}

test('inflates what another implementation compresses', (t) => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      t.deepEqual(Buffer.from(inflateSnappy(snappyjs.compress(bytes), limit)), Buffer.from(bytes));
    }),
  );
});

test('compresses what another implementation and this one inflate', (t) => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const packed = deflated(bytes);
      t.deepEqual(Buffer.from(snappyjs.uncompress(packed)), Buffer.from(bytes));
      t.deepEqual(Buffer.from(inflateSnappy(packed, limit)), Buffer.from(bytes));
    }),
  );
});

test('inflates step by step what it inflates at once', (t) => {
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 1, max: 300 }), (bytes, size) => {
      const inflation = new SnappyInflation(deflated(bytes), limit);
      let steps = 1;
      while (!inflation.advance(size)) steps++;
      t.true(steps <= Math.ceil(bytes.length / size) + 1);
      t.deepEqual(Buffer.from(inflation.out), Buffer.from(bytes));
    }),
  );
});

test('compresses more than one piece, short of growth where nothing repeats', (t) => {
  for (const bytes of [noise(200_000), Buffer.alloc(200_001, 'abcd'), Buffer.concat([noise(70_000), noise(70_000)])]) {
    const packed = deflated(bytes);
    t.true(Buffer.from(snappyjs.uncompress(packed)).equals(bytes));
    t.true(Buffer.from(inflateSnappy(packed, limit)).equals(bytes));
    t.true(packed.length <= bytes.length * 1.01 + 100);
  }
  t.true(deflated(Buffer.alloc(200_000, 'abcd')).length < 12_000);
  t.deepEqual([...deflateSnappy([], 0)], [Uint8Array.of(0)]);
});

test('takes a copy that repeats its own output, and offsets of four bytes', (t) => {
  // 1 literal "a", then copy length 10 offset 1; then a copy4 of length 4 offset 11.
  const bytes = [15, 0x00, 0x61, ((10 - 4) << 2) | 1, 1, (3 << 2) | 3, 11, 0, 0, 0];
  t.is(Buffer.from(inflateSnappy(Uint8Array.from(bytes), limit)).toString(), 'a'.repeat(15));
});

test('takes literals with lengths of one to four bytes, and a length written with spare bytes', (t) => {
  for (const width of [1, 2, 3, 4]) {
    const text = Buffer.alloc(100, 'x');
    const size = [99, 0, 0, 0].slice(0, width);
    t.is(Buffer.from(inflateSnappy(Uint8Array.from([100, (59 + width) << 2, ...size, ...text]), limit)).length, 100);
  }
  t.is(Buffer.from(inflateSnappy(Uint8Array.from([0x81, 0x00, 0x00, 0x61]), limit)).toString(), 'a');
});

test('refuses every way of being malformed', (t) => {
  t.regex(refusal([]), /ends within its length/);
  t.regex(refusal([0x80]), /ends within its length/);
  t.regex(refusal([0xff, 0xff, 0xff, 0xff, 0x7f]), /out of range/);
  t.regex(refusal([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]), /out of range/);
  t.regex(refusal([1]), /inflates to 0 bytes and says 1/);
  t.regex(refusal([0, 0x00, 0x61]), /literal is too long/);
  t.regex(refusal([3, 0x08, 0x61]), /literal is too long/);
  t.regex(refusal([4, 0xf0]), /ends within an element/);
  t.regex(refusal([4, 0xfc, 1, 0, 0]), /ends within an element/);
  t.regex(refusal([9, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x61]), /literal is too long/);
  t.regex(refusal([5, 0x00, 0x61, 0x01]), /ends within an element/);
  t.regex(refusal([5, 0x00, 0x61, 0x01, 0x00]), /begins before/);
  t.regex(refusal([5, 0x00, 0x61, 0x01, 0x02]), /begins before/);
  t.regex(refusal([5, 0x00, 0x61, 0x0f, 0xff, 0xff, 0xff, 0xff]), /begins before/);
  t.regex(refusal([4, 0x00, 0x61, 0x01, 0x01]), /copy is too long/);
});

test('a length that the body cannot reach, or that is above the limit, is refused before anything is allocated', (t) => {
  const allocated: number[] = [];
  const claim = Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 0x61]);
  const allocate = (length: number): Uint8Array => {
    allocated.push(length);
    return new Uint8Array(length);
  };
  t.throws(() => inflateSnappy(claim, 2 ** 33, allocate), { message: /7 bytes cannot hold 4294967295/ });
  const packed = snappyjs.compress(Buffer.alloc(1000));
  t.throws(() => inflateSnappy(packed, 999, allocate), { message: /inflates to 1000 bytes, the limit is 999/ });
  t.deepEqual(allocated, []);
  t.is(inflateSnappy(packed, 1000, allocate).length, 1000);
  t.is(inflatedLength(packed), 1000);
});

test('mutated bodies are inflated within bounds or refused, and never break', (t) => {
  const body = snappyjs.compress(Buffer.from('the quick brown fox jumps over the quick brown dog'.repeat(20)));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(body.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(body.length),
      (changes, kept) => {
        const mutated = Uint8Array.from(body);
        for (const [at, byte] of changes) mutated[at] = byte;
        const outcome = refusal(mutated.subarray(0, kept), 4096);
        t.true(outcome === 'taken' || outcome.startsWith('the body '));
      },
    ),
    { numRuns: 700 },
  );
});

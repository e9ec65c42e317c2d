import test from 'ava';
import fc from 'fast-check';
import {
  applySign,
  compareSigned,
  negate,
  setBigInt,
  setInteger,
  setProduct,
  toBigInt,
} from '../../src/bytes/words.js';

const int64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });

test('whole numbers and BigInts become the same two words', (t) => {
  const a = new Uint32Array(2);
  const b = new Uint32Array(2);
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      setInteger(a, value);
      setBigInt(b, BigInt(value));
      t.deepEqual(a, b);
      t.is(toBigInt(a), BigInt(value));
    }),
  );
});

test('products are exact up to and beyond 64 bits', (t) => {
  const words = new Uint32Array(2);
  const big = fc.integer({ min: 0, max: 499999999999 });
  const small = fc.integer({ min: 0, max: 999999999 });
  fc.assert(
    fc.property(big, fc.constantFrom(1e3, 1e6, 1e9), small, (a, factor, b) => {
      const exact = BigInt(a) * BigInt(factor) + BigInt(b);
      t.is(setProduct(words, a, factor, b), Number(exact >> 32n));
      t.is(toBigInt(words), BigInt.asIntN(64, exact));
    }),
  );
});

test('a sign is applied only where the result fits', (t) => {
  const words = new Uint32Array(2);
  const fits = (value: bigint, signed: boolean) => {
    const size = value < 0n ? -value : value;
    setBigInt(words, size);
    return applySign(words, Number(size >> 32n), value < 0n, signed);
  };
  t.true(fits((1n << 63n) - 1n, true));
  t.false(fits(1n << 63n, true));
  t.true(fits(-(1n << 63n), true));
  t.is(toBigInt(words), -(1n << 63n));
  t.false(fits(-(1n << 63n) - 1n, true));
  t.true(fits((1n << 64n) - 1n, false));
  t.false(fits(1n << 64n, false));
  t.false(fits(-1n, false));
});

test('negation and comparison agree with BigInt', (t) => {
  const a = new Uint32Array(2);
  const b = new Uint32Array(2);
  fc.assert(
    fc.property(int64, int64, (x, y) => {
      setBigInt(a, x);
      setBigInt(b, y);
      t.is(Math.sign(compareSigned(a, b)), x < y ? -1 : x > y ? 1 : 0);
      negate(a);
      t.is(toBigInt(a), BigInt.asIntN(64, -x));
    }),
  );
});

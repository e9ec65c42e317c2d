import test from 'ava';
import fc from 'fast-check';
import { ByteWriter } from '../../../src/load/encode/byte-writer.js';

function written(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter(4);
  write(out);
  return out.bytes.toString('utf8', 0, out.at);
}

function wide(value: bigint, signed: boolean): string {
  const low = Number(BigInt.asUintN(32, value));
  const high = Number(BigInt.asUintN(32, value >> 32n));
  return written((out) => out.wide(low, high, signed));
}

test('whole numbers are written digit by digit', (t) => {
  for (const value of [
    0, 7, 10, 99, 100, 9999, 10_000, 10_001, 99_999_999, 100_000_000, 1_500_000_000_000, -1, -40_000,
  ]) {
    t.is(
      written((out) => out.integer(value)),
      String(value),
    );
  }
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => written((out) => out.integer(value)) === String(value)));
});

test('64-bit numbers are exact', (t) => {
  const edges = [
    0n,
    1n << 53n,
    (1n << 53n) - 1n,
    (1n << 63n) - 1n,
    -1n,
    -(1n << 63n),
    -(1n << 32n),
    1_700_000_000_000_000_000n,
  ];
  for (const value of edges) t.is(wide(value, true), String(value));
  t.is(wide((1n << 64n) - 1n, false), '18446744073709551615');
  t.is(wide(1n << 63n, false), '9223372036854775808');
  fc.assert(fc.property(fc.bigInt(-(1n << 63n), (1n << 63n) - 1n), (value) => wide(value, true) === String(value)));
  fc.assert(fc.property(fc.bigInt(0n, (1n << 64n) - 1n), (value) => wide(value, false) === String(value)));
});

test('numbers with few decimal places are written with no more than they have', (t) => {
  const real = (value: number, type: 'FLOAT' | 'DOUBLE') => written((out) => out.real(value, type));
  t.is(real(Math.fround(9.84), 'FLOAT'), '9.84');
  t.is(real(-0.005, 'DOUBLE'), '-0.005');
  t.is(real(120, 'FLOAT'), '120');
  t.is(real(0, 'DOUBLE'), '0');
  t.is(real(0.1 + 0.2, 'DOUBLE'), '0.30000000000000004');
  t.is(real(1e300, 'DOUBLE'), '1e+300');
  t.is(real(Math.fround(1e-7), 'FLOAT'), '1e-7');
});

test('numbers read back as the same ones', (t) => {
  const finite = { noNaN: true, noDefaultInfinity: true } as const;
  fc.assert(fc.property(fc.double(finite), (value) => Number(written((out) => out.real(value, 'DOUBLE'))) === value));
  fc.assert(
    fc.property(fc.float(finite), (value) => Math.fround(Number(written((out) => out.real(value, 'FLOAT')))) === value),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), (thousandths) => {
      const value = Math.fround(thousandths / 1000);
      return Math.fround(Number(written((out) => out.real(value, 'FLOAT')))) === value;
    }),
  );
  t.pass();
});

test('the buffer grows with what is written', (t) => {
  const long = 'é'.repeat(1000);
  const bytes = Buffer.from('x'.repeat(500));
  const text = written((out) => {
    out.text(long);
    out.copy(bytes);
    out.copy(bytes, 10, 14);
    out.byte(0x21);
  });
  t.is(text, `${long}${'x'.repeat(504)}!`);
});

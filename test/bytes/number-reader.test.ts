import test from 'ava';
import fc from 'fast-check';
import { NumberReader } from '../../src/bytes/number-reader.js';

function read(text: string): number | undefined {
  const bytes = Buffer.from(`7${text}7`);
  const reader = new NumberReader();
  return reader.read(bytes, 1, bytes.length - 1) ? reader.double() : undefined;
}

test('reads every number that JavaScript prints as the same double', (t) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = Object.is(value, -0) ? '-0' : String(value);
      t.is(read(text), value);
    }),
  );
});

test('reads signs, points without digits on one side, and exponents', (t) => {
  const cases = { '+5': 5, '-.5': -0.5, '7.': 7, '4.7E-5': 4.7e-5, '1e+3': 1000, '320.000000': 320, '0012': 12 };
  for (const [text, value] of Object.entries(cases)) t.is(read(text), value, text);
  t.is(read('123456789012345678901234567890'), 1.2345678901234568e29);
  t.is(read('1e999'), Infinity);
});

test('anything else is no number', (t) => {
  for (const text of [
    '',
    '+',
    '.',
    'e5',
    '1e',
    '1e+',
    '1e5x',
    '1.2.3',
    '0x10',
    'nan',
    'inf',
    '1_000',
    ' 1',
    '1 ',
    '--1',
  ]) {
    t.is(read(text), undefined, text);
  }
});

test('stores whole numbers in so many bits, and those that do not fit not at all', (t) => {
  const words = new Uint32Array(4);
  const bits = fc.constantFrom(8, 16, 32, 64);
  fc.assert(
    fc.property(fc.bigInt({ min: -(1n << 65n), max: 1n << 65n }), bits, fc.boolean(), (value, width, unsigned) => {
      const reader = new NumberReader();
      const bytes = Buffer.from(String(value));
      t.true(reader.read(bytes, 0, bytes.length));
      const cut = unsigned ? BigInt.asUintN(width, value) : BigInt.asIntN(width, value);
      t.is(reader.store(words, 1, width, unsigned), cut === value);
      if (cut === value) t.is((BigInt(words[3]!) << 32n) | BigInt(words[2]!), BigInt.asUintN(64, value));
    }),
  );
});

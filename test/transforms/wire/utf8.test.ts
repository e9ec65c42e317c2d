import { isUtf8 } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { countCharacters } from '../../../src/transforms/wire/utf8.js';

test('counts the characters of well-formed text', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(`.${text}.`);
        return countCharacters(bytes, 1, bytes.length - 1) === [...text].length;
      }),
    ),
  );
});

test('agrees with Node on what is ill-formed', (t) => {
  const edge = fc.constantFrom(
    0x00,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc0,
    0xc2,
    0xdf,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 5 }), (list) => {
        const bytes = Uint8Array.from(list);
        return countCharacters(bytes, 0, bytes.length) >= 0 === isUtf8(bytes);
      }),
      { numRuns: 5_000 },
    ),
  );
});

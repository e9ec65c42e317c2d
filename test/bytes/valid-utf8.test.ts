import test from 'ava';
import fc from 'fast-check';
import { Utf8Mender } from '../../src/bytes/valid-utf8.js';

function mend(pieces: readonly Uint8Array[]): Buffer {
  const mender = new Utf8Mender();
  return Buffer.concat([...pieces.map((piece) => mender.piece(piece)), mender.end()]);
}

test('bytes that are UTF-8 pass, others become U+FFFD, wherever they are cut', (t) => {
  const bytes = fc.oneof(
    fc.uint8Array({ max: 255 }),
    fc.string({ unit: 'binary' }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .array(fc.constantFrom(0x22, 0x61, 0x80, 0xc3, 0xe4, 0xbd, 0xa0, 0xf0, 0x9f, 0x98), { maxLength: 12 })
      .map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(fc.array(bytes), (pieces) => {
      const whole = Buffer.concat(pieces);
      const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole);
      t.is(mend(pieces).toString(), expected);
    }),
  );
});

test('a character that is cut in two stays one, and a quote behind half of one stays a quote', (t) => {
  const [first, second] = [Buffer.from('"日').subarray(0, 3), Buffer.from('"日').subarray(3)];
  t.is(mend([first, second]).toString(), '"日');
  t.is(mend([Buffer.from('"a\xe4"', 'latin1')]).toString(), '"a\ufffd"');
  const text = Buffer.from('["a"]');
  t.is(new Utf8Mender().piece(text), text);
});

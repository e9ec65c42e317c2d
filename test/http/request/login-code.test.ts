import test from 'ava';
import fc from 'fast-check';
import { createLoginCodes } from '../../../src/http/request/login-code.js';

const secret = Buffer.alloc(32, 1);

test('a code opens to what was sealed, has no blanks and is never the same twice', (t) => {
  const codes = createLoginCodes({ secret });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 24 }), fc.string({ unit: 'grapheme' }), (user, password) => {
      const code = codes.seal(user, password);
      t.regex(code, /^[\w-]+$/);
      t.not(code, codes.seal(user, password));
      const opened = codes.open(code);
      t.is(opened?.user, user);
      t.is(opened?.password, password);
    }),
  );
});

test('a code with any one character changed does not open', (t) => {
  const codes = createLoginCodes({ secret });
  const code = codes.seal('alice', 's3cret');
  for (let at = 0; at < code.length; at++) {
    for (const other of ['A', 'B', '_', '%', ' ']) {
      if (code[at] === other) continue;
      t.is(codes.open(code.slice(0, at) + other + code.slice(at + 1)), undefined);
    }
  }
  t.is(codes.open(`${code}A`), undefined);
  t.is(codes.open(code.slice(0, -1)), undefined);
  t.is(codes.open(''), undefined);
});

test('a code does not open under another secret', (t) => {
  const code = createLoginCodes({ secret }).seal('alice', 's3cret');
  t.is(createLoginCodes({ secret: Buffer.alloc(32, 2) }).open(code), undefined);
});

test('a code older than the maximum age does not open', (t) => {
  let now = 1_000;
  const codes = createLoginCodes({ secret, maxAgeMs: 500, now: () => now });
  const code = codes.seal('alice', 's3cret');
  now = 1_500;
  t.is(codes.open(code)?.issued, 1_000);
  now = 1_501;
  t.is(codes.open(code), undefined);
});

test('a secret that is too short is refused', (t) => {
  t.throws(() => createLoginCodes({ secret: Buffer.alloc(15) }), { message: /16 bytes/ });
});

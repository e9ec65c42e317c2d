import test from 'ava';
import fc from 'fast-check';
import { exactJsonText, parseExactJson } from '../../src/text/exact-json.js';

test('integers of any length are read and printed exactly', (t) => {
  const text =
    '{"a":18446744073709551615,"b":[-9223372036854775808,12345678901234567890.5,1e20],"c":"1234567890123456789"}';
  const value = parseExactJson(text);
  t.deepEqual(value, {
    a: 18446744073709551615n,
    b: [-9223372036854775808n, 12345678901234567000, 1e20],
    c: '1234567890123456789',
  });
  t.is(
    exactJsonText({ a: 18446744073709551615n, b: undefined, c: [1, null, 'x'] }),
    '{"a":18446744073709551615,"c":[1,null,"x"]}',
  );
});

test('what JSON.parse reads is read alike beside a long integer', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      t.deepEqual(parseExactJson(`[ ${text} , 10000000000000000001 ]`), [JSON.parse(text), 10000000000000000001n]);
    }),
  );
});

test('what is no JSON is refused with and without long integers', (t) => {
  for (const bad of ['', '{', '[1,]', '{"a"}', '{"a":1,}', '01', '"', 'tru', '1 2', '{1:2}', `${'['.repeat(100)}`]) {
    t.is(parseExactJson(bad), undefined, bad);
    t.is(parseExactJson(`[10000000000000000001,${bad}]`), undefined, bad);
    if (bad !== '') t.is(parseExactJson(`${bad} 10000000000000000001`), undefined, bad);
  }
});

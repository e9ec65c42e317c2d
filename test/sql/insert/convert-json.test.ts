import test from 'ava';
import { FaultError, fault } from '../../../src/model/fault.js';
import { parseJsonTag } from '../../../src/sql/insert/convert-json.js';

function parse(text: string): string | undefined {
  return parseJsonTag(text, (reason) => new FaultError(fault('syntax', 1, reason)));
}

test('a flat object is kept without blanks, its first member of a name wins', (t) => {
  t.is(
    parse(' {"a": 1, "b" : "x, }y", "c":true,"d":null, "e":-1.5e3 } '),
    '{"a":1,"b":"x, }y","c":true,"d":null,"e":-1500}',
  );
  t.is(parse('{"a":1,"a":2,"":3,"\\u0061":4}'), '{"a":1}');
  t.is(parse('{"a\\"b":"\\\\"}'), '{"a\\"b":"\\\\"}');
});

test('blank text, null and an object without members are NULL', (t) => {
  for (const text of ['', '  ', 'null', 'NULL', '{}', ' { } ', '{"":1}']) t.is(parse(text), undefined, text);
});

test('what is no flat object is refused', (t) => {
  for (const text of ['[1]', '1', '"a"', 'true', '{', '{"a"}', '{"a":1,}', "{'a':1}", 'x']) {
    t.throws(() => parse(text), { message: 'json parse error' }, text);
  }
  for (const text of ['{"a":[1]}', '{"a":{"b":1}}', '{"a":1e999}']) {
    t.throws(() => parse(text), { message: 'json error invalide value' }, text);
  }
});

test('a key has printable ASCII characters alone, a value any', (t) => {
  for (const key of ['试试', '。loc', 'é', '\\t', '\u007f']) {
    t.throws(() => parse(`{"${key}":"fff"}`), { message: 'json key not validate' });
  }
  t.is(parse('{" a-b.c/~":"试试"}'), '{" a-b.c/~":"试试"}');
});

test('text and keys have a limit', (t) => {
  const longest = `{"a":"${'x'.repeat(4095 - 8)}"}`;
  t.is(parse(longest), longest);
  t.throws(() => parse(`{"a":"${'x'.repeat(4096 - 8)}"}`), { message: 'json string too long than 4095' });
  t.is(parse(`{"${'k'.repeat(256)}":1}`)?.length, 262);
  t.throws(() => parse(`{"${'k'.repeat(257)}":1}`), { message: 'json key too long error' });
});

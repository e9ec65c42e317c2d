import test from 'ava';
import fc from 'fast-check';
import { type JsonNode, readJsonText } from '../../src/text/json-tree.js';

function plainValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
    case 'array':
      return node.items.map(plainValue);
    case 'string':
      return node.text;
    case 'number':
      return Number(node.text);
    case 'boolean':
      return node.value;
    case 'null':
      return null;
  }
}

function read(text: string): unknown {
  const result = readJsonText(text);
  return result.ok ? plainValue(result.node) : `line ${result.line}: ${result.message}`;
}

test('reads what JSON.parse reads', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\r\n\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      t.deepEqual(read(text), JSON.parse(text));
    }),
  );
});

test('the message about a comment names it', (t) => {
  t.is(read('{"a": 5,\n // no\n "b": 1}'), 'line 2: JSON has no comments');
  t.is(read('[1] /* two\nlines */'), 'line 1: JSON has no comments');
  t.is(read('{"a" / 2}'), 'line 1: a colon is expected after the key "a"');
});

test('refuses what JSON.parse refuses', (t) => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', '0', '.5', 'e3', 'true', 'nul', ' ', '"', '\\'),
  );
  fc.assert(
    fc.property(pieces, (words) => {
      const text = words.join('');
      let accepted = true;
      try {
        JSON.parse(text);
      } catch {
        accepted = false;
      }
      t.is(readJsonText(text).ok, accepted, text);
    }),
  );
});

for (const [text, expected] of [
  ['', 'line 1: a value is expected'],
  ['{"a":1,}', 'line 1: a key in double quotes is expected'],
  ['[1,\n2,\n]', 'line 3: a value is expected'],
  ['{"a"\n1}', 'line 2: a colon is expected after the key "a"'],
  ['{"a":1\n"b":2}', 'line 2: a comma or } is expected'],
  ['[1 2]', 'line 1: a comma or ] is expected'],
  ['{}\n\nx', 'line 3: something follows the end of the JSON text'],
  ['"abc', 'line 1: a text has no closing quote'],
  ['"a\\x"', 'line 1: a text holds a line break, a control character or an escape that JSON does not have'],
  ['"a\nb"', 'line 1: a text holds a line break, a control character or an escape that JSON does not have'],
  ['{a:1}', 'line 1: a key in double quotes is expected'],
  ['01', 'line 1: something follows the end of the JSON text'],
  ['['.repeat(100), 'line 1: values are nested more than 64 deep'],
] as const) {
  test(`says what is wrong with ${JSON.stringify(text).slice(0, 30)}`, (t) => {
    t.is(read(text), expected);
  });
}

test('keeps numbers, repeated keys and lines', (t) => {
  const result = readJsonText('\uFEFF{\n "a": 12345678901234567890,\n "a":\n  [1.50]}');
  if (!result.ok || result.node.kind !== 'object') throw new Error('It is no object.');
  t.deepEqual(
    result.node.members.map(({ key, line }) => [key, line]),
    [
      ['a', 2],
      ['a', 3],
    ],
  );
  t.deepEqual(result.node.members[0]?.value, { kind: 'number', line: 2, text: '12345678901234567890' });
  t.is(result.node.members[1]?.value.line, 4);
});

test('reads long texts', (t) => {
  const text = 'x"'.repeat(2_000_000);
  t.is(read(JSON.stringify(text)), text);
});

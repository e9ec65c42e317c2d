import test from 'ava';
import { readInteger, readText, readWord } from '../../../src/http/api/read-parameter.js';

const size = {
  name: 'size',
  in: 'query',
  description: '',
  schema: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
} as const;
const from = {
  name: 'from',
  in: 'query',
  description: '',
  schema: { type: 'integer', minimum: 0, maximum: 8_640_000_000_000_000 },
} as const;
const colour = {
  name: 'colour',
  in: 'query',
  description: '',
  schema: { type: 'string', enum: ['red', 'blue'] },
} as const;
const name = { name: 'name', in: 'query', description: '', schema: { type: 'string', maxLength: 5 } } as const;

const query = (text: string): URLSearchParams => new URLSearchParams(text);

function messageOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message);
  throw new Error(`No fault but ${String(value)}.`);
}

test('a parameter that is left out is its default, or undefined', (t) => {
  t.is(readInteger(query(''), size), 20);
  t.is(readInteger(query(''), from), undefined);
  t.is(readWord(query('x=1'), colour), undefined);
  t.is(readText(query(''), name), undefined);
});

test('values within their bounds are taken, the bounds too', (t) => {
  t.is(readInteger(query('size=1'), size), 1);
  t.is(readInteger(query('size=1000'), size), 1000);
  t.is(readInteger(query('from=8640000000000000'), from), 8_640_000_000_000_000);
  t.is(readWord(query('colour=blue'), colour), 'blue');
  t.is(readText(query('name=a%20b%2Fc'), name), 'a b/c');
});

test('what is not a whole number within the bounds is refused with the bounds', (t) => {
  for (const bad of ['0', '1001', '-1', '1.5', '1e2', '0x10', '', ' 1', '%2B1', '10 ', 'NaN', '1'.repeat(400)]) {
    const message = messageOf(readInteger(query(`size=${bad}`), size));
    t.true(message.startsWith('parameter size must be a whole number from 1 to 1000, not "'), message);
    t.true(message.length < 200);
  }
});

test('a word that is none of the allowed ones is refused with their list, also in another case', (t) => {
  t.is(messageOf(readWord(query('colour=Red'), colour)), 'parameter colour must be one of red, blue, not "Red"');
});

test('an empty text and a long one are refused', (t) => {
  t.is(messageOf(readText(query('name='), name)), 'parameter name must be a text of 1 to 5 characters, not ""');
  t.is(
    messageOf(readText(query('name=abcdef'), name)),
    'parameter name must be a text of 1 to 5 characters, not "abcdef"',
  );
});

test('a parameter that comes twice is refused, whatever it says', (t) => {
  for (const read of [readInteger(query('size=5&size=5'), size), readWord(query('colour=red&colour=red'), colour)]) {
    t.regex(messageOf(read), /^parameter \w+ is given 2 times, it may come once$/);
  }
});

import test from 'ava';
import fc from 'fast-check';
import { checkValue, describeAllowed, parseValue, printValue, type ValueRule } from '../../src/config/values.js';
import type { OptionType, OptionValue } from '../../src/model/option.js';

function valueOfText(rule: ValueRule | OptionType, text: string): OptionValue | 'refused' {
  const parsed = parseValue(typeof rule === 'string' ? { type: rule } : rule, text);
  return parsed.ok ? parsed.value : 'refused';
}

const whole = fc.maxSafeInteger().map((value) => value || 0);
const wholeMs = fc.nat({ max: 2 ** 53 - 1 });
const wholeGigabytes = fc.nat({ max: 1000 }).map((value) => value * 2 ** 30);
const awkward = fc.stringMatching(/^[[\]", \n\\]*$/);
const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 50n }).map((ns) => Number(ns) / 1e6);

interface Example {
  readonly type: OptionType;
  readonly values: fc.Arbitrary<OptionValue>;
}

const examples: readonly Example[] = [
  { type: 'int', values: whole },
  { type: 'uint', values: fc.maxSafeNat() },
  { type: 'float', values: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0) },
  { type: 'bool', values: fc.boolean() },
  { type: 'string', values: fc.string({ unit: 'binary' }) },
  { type: 'secret', values: fc.string({ unit: 'binary' }) },
  { type: 'duration', values: fc.oneof(wholeMs, nanoseconds) },
  { type: 'size', values: fc.oneof(fc.maxSafeNat(), wholeGigabytes) },
  { type: 'string-list', values: fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), awkward)) },
  { type: 'int-list', values: fc.array(whole) },
];

for (const { type, values } of examples) {
  test(`reads back every ${type} it printed`, (t) => {
    const property = fc.property(values, (value) => {
      t.deepEqual(parseValue({ type }, printValue(type, value)), { ok: true, value });
    });
    fc.assert(property, { numRuns: 300 });
  });
}

test('never throws, whatever text it is given', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...examples), fc.string({ unit: 'binary' }), ({ type }, text) => {
      parseValue({ type }, text);
      return true;
    }),
  );
  t.pass();
});

test('reads durations with combined units and decimals', (t) => {
  const expected: readonly [string, number][] = [
    ['1h30m', 5_400_000],
    ['2.5s', 2_500],
    ['500ms', 500],
    ['24h0m0s', 86_400_000],
    ['0s', 0],
    ['0', 0],
    ['1m30s', 90_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['3ns', 0.000003],
    [' 5s ', 5_000],
  ];
  for (const [text, ms] of expected) t.is(valueOfText('duration', text), ms, text);
});

test('refuses durations without a unit, with unknown units and with signs', (t) => {
  for (const text of ['5', '1.5', '', 's', '5 s', '5d', '-5s', '+5s', '1h30', '5S', 'abc', '1e3s', '9999999999999h']) {
    t.is(valueOfText('duration', text), 'refused', text);
  }
});

test('prints durations as hours, minutes and seconds', (t) => {
  t.is(printValue('duration', 86_400_000), '24h0m0s');
  t.is(printValue('duration', 90_500), '1m30.5s');
  t.is(printValue('duration', 5_000), '5s');
  t.is(printValue('duration', 1.5), '1.5ms');
  t.is(printValue('duration', 0.25), '250us');
  t.is(printValue('duration', 0), '0s');
});

test('reads sizes in powers of 1024, in any case', (t) => {
  t.is(valueOfText('size', '1GB'), 2 ** 30);
  t.is(valueOfText('size', '512mb'), 512 * 2 ** 20);
  t.is(valueOfText('size', '64KB'), 65_536);
  t.is(valueOfText('size', '4096'), 4096);
  t.is(valueOfText('size', '0'), 0);
  t.is(printValue('size', 2 ** 30), '1GB');
  t.is(printValue('size', 1536), '1536');
  for (const text of ['1G', '1.5GB', '-1KB', 'GB', '', '1GiB', '99999999TB'])
    t.is(valueOfText('size', text), 'refused', text);
});

test('reads the usual spellings of booleans and no others', (t) => {
  for (const text of ['1', 't', 'T', 'true', 'TRUE', 'True']) t.is(valueOfText('bool', text), true);
  for (const text of ['0', 'f', 'F', 'false', 'FALSE', 'False']) t.is(valueOfText('bool', text), false);
  for (const text of ['', 'yes', 'on', 'tRUE', '2']) t.is(valueOfText('bool', text), 'refused', text);
});

test('refuses numbers that are not what the setting counts in', (t) => {
  for (const text of ['', '1.0', '1e3', '0x10', '9007199254740993', 'seven'])
    t.is(valueOfText('int', text), 'refused', text);
  t.is(valueOfText('int', '-0'), 0);
  t.is(valueOfText('int', '+7'), 7);
  t.is(valueOfText('uint', '-1'), 'refused');
  for (const text of ['', 'NaN', 'Infinity', '1e999', '0x1', '.']) t.is(valueOfText('float', text), 'refused', text);
  t.is(valueOfText('float', '80'), 80);
});

test('reads lists with commas, blanks, brackets and quotes', (t) => {
  for (const text of ['a,b', 'a b', ' a ,  b ', '[a, b]', '["a", "b"]', 'a,,b,']) {
    t.deepEqual(valueOfText('string-list', text), ['a', 'b'], text);
  }
  t.deepEqual(valueOfText('string-list', ''), []);
  t.deepEqual(valueOfText('string-list', '[]'), []);
  t.deepEqual(valueOfText('string-list', 'http://[::1]:9100'), ['http://[::1]:9100']);
  t.deepEqual(valueOfText('int-list', '[6046, 6047] '), [6046, 6047]);
  for (const text of ['"a', '"a"b', '"\\q"']) t.is(valueOfText('string-list', text), 'refused', text);
  for (const text of ['6046;6047', 'a', '6046,b', '1.5']) t.is(valueOfText('int-list', text), 'refused', text);
});

test('holds numbers, durations and the elements of lists to their bounds', (t) => {
  const port = { min: 0, max: 65_535 };
  t.is(valueOfText({ type: 'int', ...port }, '65535'), 65_535);
  t.is(valueOfText({ type: 'int', ...port }, '65536'), 'refused');
  t.is(valueOfText({ type: 'int-list', ...port }, '1,65536'), 'refused');
  t.is(valueOfText({ type: 'duration', min: 1 }, '0s'), 'refused');
  t.deepEqual(checkValue({ type: 'float', min: 1, max: 100 }, 100.5), {
    ok: false,
    allowed: 'a number from 1 to 100',
  });
});

test('takes an allowed word in any case and gives it its own spelling', (t) => {
  const rule = { type: 'string', allowed: ['tcp', 'udp'] } as const;
  t.is(valueOfText(rule, 'TCP'), 'tcp');
  t.is(valueOfText(rule, 'udp4'), 'refused');
  t.is(describeAllowed(rule), 'one of tcp, udp');
});

test('names what is allowed, with bounds in the unit of the setting', (t) => {
  t.is(describeAllowed({ type: 'int', min: 1, max: 10 }), 'a whole number from 1 to 10');
  t.is(
    describeAllowed({ type: 'duration', min: 1000 }),
    'a duration with units, such as 500ms, 5s or 1h30m, at least 1s',
  );
  t.is(
    describeAllowed({ type: 'int-list', min: 0, max: 9 }),
    'a list of whole numbers, such as 6046,6047, each from 0 to 9',
  );
});

import { readFileSync } from 'node:fs';
import test from 'ava';
import { Codes } from '../../../../src/model/fault.js';
import { parseOpentsdbJson } from '../../../../src/transforms/parse/tsdbwire-json/tsdbwire-json.js';
import { LineProtocolDesk, nowTicks, type ReadValue, superTable } from '../../../support/messages/line-protocol.js';
import { newDesk, object } from '../../../support/messages/tsdbwire-objects.js';

/** The message of the only rejected object. */
function rejection(text: string | Uint8Array): string {
  const parsed = newDesk().parse(text);
  return parsed.rejectedRows === 1 && parsed.rows === 0
    ? parsed.rejects[0]!.fault.message
    : `rows: ${parsed.rows}, rejected: ${parsed.rejectedRows}`;
}

function storedValue(text: string): ReadValue | string {
  const desk = newDesk();
  const parsed = desk.parse(object({ value: text }));
  return desk.rows(parsed)[0]?.fields._value ?? parsed.rejects[0]!.fault.message;
}

test('points as OpenTSDB takes them have numbers for times and values, quoted or not', (t) => {
  const desk = new LineProtocolDesk('ns', parseOpentsdbJson);
  const text = `[${[
    object(),
    object({ timestamp: '"1700000001"', value: '"-1.5e1"' }),
    object({ timestamp: '"1700000001500"', value: '"7"' }),
  ].join()}]`;
  t.deepEqual(
    desk.read(text).map((row) => [row.time, row.fields._value]),
    [
      [1_700_000_000_000_000_000n, { type: 'DOUBLE', value: 1 }],
      [1_700_000_001_000_000_000n, { type: 'DOUBLE', value: -15 }],
      [1_700_000_001_500_000_000n, { type: 'DOUBLE', value: 7 }],
    ],
  );
  for (const value of ['""', '"warm"', '"NaN"', 'NaN', 'true', 'null', '01', '{"value":1,"type":"int"}', '" 1"']) {
    const { rows, rejects } = desk.parse(object({ value }));
    t.is(rows, 0);
    t.regex(rejects[0]!.fault.message, /is not a number/, value);
  }
  for (const timestamp of ['""', '"', '"soon"', '"17000000000"']) {
    t.is(desk.parse(object({ timestamp })).rejectedRows, 1, timestamp);
  }
});

test('times of OpenTSDB may have decimal places and exponents', (t) => {
  const desk = new LineProtocolDesk('ns', parseOpentsdbJson);
  const cases: readonly (readonly [string, bigint])[] = [
    ['1700000001.0', 1_700_000_001_000_000_000n],
    ['1700000001.5', 1_700_000_001_500_000_000n],
    ['1700000001.25', 1_700_000_001_250_000_000n],
    ['1700000001.125', 1_700_000_001_125_000_000n],
    ['1700000001.1234567', 1_700_000_001_123_456_700n],
    ['"1700000001.123456789999"', 1_700_000_001_123_456_789n],
    ['1700000001500.25', 1_700_000_001_500_250_000n],
    ['1.700000001e9', 1_700_000_001_000_000_000n],
    ['1.7E+9', 1_700_000_000_000_000_000n],
    ['1700000001500e0', 1_700_000_001_500_000_000n],
    ['17000000015e-1', 1_700_000_001_500_000_000n],
    ['0.17000000015e10', 1_700_000_001_500_000_000n],
  ];
  for (const [timestamp, time] of cases) {
    t.deepEqual(
      desk.read(object({ timestamp })).map((row) => row.time),
      [time],
      timestamp,
    );
  }
  const bad = [
    '1700000001.',
    '1700000001.5x',
    '1.7e',
    '1.7e9x',
    '1.7e99',
    '17000000001.5',
    '.5',
    '"1700000001."',
    '1..7e9',
  ];
  for (const timestamp of bad) t.is(desk.parse(object({ timestamp })).rejectedRows, 1, timestamp);
  const millis = new LineProtocolDesk('ms', parseOpentsdbJson);
  t.is(millis.read(object({ timestamp: '1700000001.1234567' }))[0]?.time, 1_700_000_001_123n);
  t.regex(rejection(object({ timestamp: '1700000001.5' })), /does not have 10 or 13 digits/);
  t.regex(rejection(object({ timestamp: '-5' })), /timestamp "-5" is before 1970/);
});

test('a metric of OpenTSDB may be a number', (t) => {
  const desk = new LineProtocolDesk('ns', parseOpentsdbJson);
  const tables = (metric: string) => desk.read(object({ metric })).map(({ table }) => table);
  t.deepEqual([tables('36'), tables('1.5'), tables('true'), tables('"36"')], [['36'], ['1_5'], ['true'], ['36']]);
  for (const metric of ['null', '{}', '[]', 'NaN', 'x'])
    t.regex(desk.parse(object({ metric })).rejects[0]?.fault.message ?? '', /the metric is not a string/, metric);
  t.regex(rejection(object({ metric: '36' })), /the metric is not a string/);
});

test('points as OpenTSDB takes them may have members with other names, which are passed over', (t) => {
  const desk = new LineProtocolDesk('ns', parseOpentsdbJson);
  const more = (text: string): string =>
    `{"ttl":86400,"source":{"metric":"no","tags":[1,"}"]},${text.slice(1, -1)},"tsuid":null}`;
  const objects = [
    more(object()),
    more(object({ value: '2' })),
    object({ value: '3' }),
    more('{"value":4}'),
    more(object({ value: '5' })),
  ];
  const parsed = desk.parse(`[${objects.join()}]`);
  t.deepEqual(
    desk.rows(parsed).map((row) => row.fields._value?.value),
    [1, 2, 3, 5],
  );
  t.regex(parsed.rejects[0]!.fault.message, /member "metric" is missing/);
  t.is(desk.parse(more(more(object()))).rows, 1);
  t.regex(desk.parse(`{"ttl":,${object().slice(1)}`).rejects[0]!.fault.message, /a value is missing/);
  t.is(newDesk().parse(more(object())).rows, 0);
});

test('reads one object', (t) => {
  const text = `{"metric":"sys.if.bytes.out","timestamp":1700000000,"value":42,"tags":{"host":"web01","interface":"eth0"}}`;
  t.deepEqual(newDesk().read(text), [
    {
      table: 'sys_if_bytes_out',
      subTable: 't_f67972b49aa8adf8bca5d0d54f0d850d',
      tags: { host: 'web01', interface: 'eth0' },
      time: 1_700_000_000_000_000_000n,
      fields: { _value: { type: 'DOUBLE', value: 42 } },
    },
  ]);
});

test('reads an array, with blanks everywhere, members in any order and letter case, and names with escapes', (t) => {
  const desk = newDesk();
  const text = ` [ {"Tags" : { "a" : "b" } ,\n"VALUE":1 , "metric":"m",\t"timeStamp":1700000000 } ,
    ${object({ value: '2' })},{"m\\u0065tric":"m","timestamp":1700000000,"value":3,"tags":{"\\u0061":"\\u0062"}}]\r\n`;
  const rows = desk.read(text);
  t.deepEqual(
    rows.map((row) => row.fields._value?.value),
    [1, 2, 3],
  );
  t.is(new Set(rows.map((row) => row.subTable)).size, 1);
  t.is(desk.subTables.size, 1);
});

test('nothing at all is nothing to do', (t) => {
  for (const text of ['', ' \n', '[]', ' [ ] ']) t.like(newDesk().parse(text), { rows: 0, lines: 0, rejectedRows: 0 });
});

test('seconds have 10 digits, milliseconds 13, 0 is now, and a unit may be given', (t) => {
  const times: [string, bigint][] = [
    ['1700000000', 1_700_000_000_000_000_000n],
    ['1700000000123', 1_700_000_000_123_000_000n],
    ['0', nowTicks],
    ['{"value":1700000000,"type":"s"}', 1_700_000_000_000_000_000n],
    ['{"type":"MS","value":5}', 5_000_000n],
    ['{"value":1700000000123456,"type":"us"}', 1_700_000_000_123_456_000n],
    ['{"value":1700000000123456789,"type":"ns"}', 1_700_000_000_123_456_789n],
    ['{"value":0,"type":"ns"}', nowTicks],
  ];
  for (const [timestamp, time] of times) t.is(newDesk().read(object({ timestamp }))[0]?.time, time, timestamp);
  const nanos = '{"value":1700000000123456789,"type":"ns"}';
  t.is(newDesk('ms').read(object({ timestamp: nanos }))[0]?.time, 1_700_000_000_123n);
});

test('values have the type of their JSON, or the one given with them', (t) => {
  const values: [string, ReadValue][] = [
    ['-1.5e3', { type: 'DOUBLE', value: -1500 }],
    ['0', { type: 'DOUBLE', value: 0 }],
    ['true', { type: 'BOOL', value: true }],
    ['false', { type: 'BOOL', value: false }],
    ['"a \\"b\\" \\u00fc"', { type: 'VARCHAR', value: 'a "b" ü' }],
    ['""', { type: 'VARCHAR', value: '' }],
    ['{"value":9223372036854775807,"type":"bigint"}', { type: 'BIGINT', value: 9223372036854775807n }],
    ['{"value":-9223372036854775808,"type":"I64"}', { type: 'BIGINT', value: -9223372036854775808n }],
    ['{"value":9007199254740993,"type":"i64"}', { type: 'BIGINT', value: 9007199254740993n }],
    ['{"type":"tinyint","value":-128}', { type: 'TINYINT', value: -128 }],
    ['{"value":32767,"type":"i16"}', { type: 'SMALLINT', value: 32767 }],
    ['{"value":2147483647,"type":"INT"}', { type: 'INT', value: 2147483647 }],
    ['{"value":0.5,"type":"f32"}', { type: 'FLOAT', value: 0.5 }],
    ['{"value":1,"type":"double"}', { type: 'DOUBLE', value: 1 }],
    ['{"value":true,"type":"bool"}', { type: 'BOOL', value: true }],
    ['{"value":"x","type":"binary"}', { type: 'VARCHAR', value: 'x' }],
    ['{"value":"ü","type":"nchar"}', { type: 'NCHAR', value: 'ü' }],
  ];
  for (const [text, value] of values) t.deepEqual(storedValue(text), value, text);
});

test('tags are text: strings unescaped, numbers and words as they are written', (t) => {
  const tags =
    '{"s":"a\\tb","n":1.50,"b":true,"t":{"value":9007199254740993,"type":"bigint"},"u":{"type":"nchar","value":"ü"}}';
  t.deepEqual(newDesk().read(object({ tags }))[0]?.tags, {
    s: 'a\tb',
    n: '1.50',
    b: 'true',
    t: '9007199254740993',
    u: 'ü',
  });
});

test('every fault has a message that says what is wrong', (t) => {
  const cases: [string, RegExp][] = [
    ['x', /"x" is not an object/],
    ['"x"', /is not an object/],
    ['{}', /member "metric" is missing/],
    [object({ tags: undefined }), /member "tags" is missing/],
    [object({ x: '1' }), /member "x" is not known/],
    ['{"metric":"m","metric":"m"}', /member "metric" occurs twice/],
    [object({ metric: '1' }), /the metric is not a string/],
    [object({ metric: '""' }), /the metric is missing/],
    [object({ metric: `"${'m'.repeat(193)}"` }), /longer than 192 bytes/],
    [object({ timestamp: '170000000012' }), /does not have 10 or 13 digits/],
    [object({ timestamp: '"1700000000"' }), /timestamp .* does not have 10 or 13 digits/],
    [object({ timestamp: '-170000000' }), /before 1970/],
    [object({ timestamp: '17000000.5' }), /is not a whole number/],
    [object({ timestamp: 'null' }), /does not have 10 or 13 digits/],
    [object({ timestamp: '{"value":1,"type":"m"}' }), /"m" is not a unit of time/],
    [object({ timestamp: '{"value":1.5,"type":"s"}' }), /is not a whole number/],
    [object({ value: 'null' }), /"null" is not a value/],
    [object({ value: '[1]' }), /is not a value/],
    [object({ value: '[[[[1]]]]' }), /is not a value/],
    [object({ value: 'True' }), /is not a value/],
    [object({ value: 'truex' }), /is not a value/],
    [object({ value: '01' }), /is not a value/],
    [object({ value: '+1' }), /is not a value/],
    [object({ value: '1.' }), /is not a value/],
    [object({ value: '.5' }), /is not a value/],
    [object({ value: '1e' }), /is not a value/],
    [object({ value: '1i' }), /is not a value/],
    [object({ value: 'NaN' }), /is not a value/],
    [object({ value: '1e400' }), /out of range for DOUBLE/],
    [object({ value: '' }), /a value is missing/],
    [object({ value: '{"value":128,"type":"i8"}' }), /out of range for TINYINT/],
    [object({ value: '{"value":9223372036854775808,"type":"i64"}' }), /out of range for BIGINT/],
    [object({ value: '{"value":1.5,"type":"int"}' }), /is not an integer/],
    [object({ value: '{"value":1e39,"type":"float"}' }), /out of range for FLOAT/],
    [object({ value: '{"value":1,"type":"nchar"}' }), /is not a/],
    [object({ value: '{"value":1,"type":"blob"}' }), /type "blob" is not known/],
    [object({ value: '{"value":1,"type":2}' }), /type "2" is not a string/],
    [object({ value: '{"value":1}' }), /the type is missing/],
    [object({ value: '{"type":"i8"}' }), /the value is missing/],
    [object({ value: '{"value":1,"type":"i8","x":1}' }), /member "x" has no place/],
    [object({ value: '"\\x"' }), /an escape that means nothing/],
    [object({ value: '"\\ud800"' }), /an escape that means nothing/],
    [object({ value: '"a\nb"' }), /holds a control character/],
    [object({ value: `"${'x'.repeat(65_518)}"` }), /the VARCHAR value is too long/],
    [object({ tags: '{}' }), /the object has no tags/],
    [object({ tags: '[]' }), /the tags are not an object/],
    [object({ tags: '{"a":""}' }), /tag "a" has an empty value/],
    [object({ tags: '{"a":null}' }), /tag "a": "null" is not a string/],
    [object({ tags: '{"a":[1]}' }), /tag "a": .* is not a string/],
    [object({ tags: '{"":"b"}' }), /a tag has no name/],
    [object({ tags: '{"a":"b","a":"c"}' }), /tag "a" occurs twice/],
    [object({ tags: '{"a":"b",}' }), /the name of a member is missing/],
    [object({ tags: '{a:"b"}' }), /the name of a tag is missing/],
    [object({ tags: '{"a" "b"}' }), /a colon is missing/],
    [object({ tags: '{"a":"b"]' }), /a comma or a closing brace is missing/],
    [object({ tags: `{"${'a'.repeat(193)}":"b"}` }), /longer than 192 bytes/],
    ['{"metric" "m"}', /a colon is missing/],
    ['{"metric":"m" "value":1}', /a comma or a closing brace is missing/],
    ['{"metric":"m",}', /the name of a member is missing/],
    ['{"metric":"m', /a string is not closed/],
    ['{"metric":"m\\', /a string is not closed/],
    ['{"metric":', /a value is missing/],
    ['{"metric"', /a colon is missing/],
    ['{', /the name of a member is missing/],
    ['{"tags":{"a":{"b"', /a bracket is not closed/],
  ];
  for (const [text, reason] of cases) t.regex(rejection(text), reason, text.slice(0, 200));
  const invalid = Buffer.concat([Buffer.from('{"metric":"m'), Buffer.from([0xff]), Buffer.from(object().slice(12))]);
  t.regex(rejection(invalid), /not well-formed UTF-8/);
});

test('a bad object is rejected by its index and reason, and the others are kept', (t) => {
  const bad = [
    object({ x: '1' }),
    '7',
    '[1,{"a":[2]}]',
    '{"a":"},{"}',
    '{"metric":"m"]',
    'null',
    object({ value: '{' }),
  ];
  for (const one of bad.slice(0, -1)) {
    const desk = newDesk();
    const parsed = desk.parse(`[${object()},${one},${object({ value: '2' })}]`);
    t.deepEqual([parsed.rows, parsed.rejectedRows, parsed.lines], [2, 1, 3], one);
    t.is(parsed.rejects[0]?.row, 1);
  }
  const lost = newDesk().parse(`[${object()},${object({ value: '{' })},${object()}]`);
  t.is(lost.rows, 1);
  t.true(lost.rejectedRows >= 1);
});

test('text that is no JSON array is rejected where it ceases to be one', (t) => {
  const cases: [string, number, number, RegExp][] = [
    [`[${object()}`, 1, 1, /the array is not closed/],
    [`[${object()},`, 1, 1, /the array is not closed/],
    [`[${object()},]`, 1, 1, /^"]" is not an object/],
    [`[${object()},null]`, 1, 1, /^"null" is not an object/],
    [`[,${object()}]`, 1, 1, /is not an object/],
    [`[${object()}]]`, 1, 1, /text follows the array/],
    [`${object()}${object()}`, 1, 1, /text follows the object/],
    [`[${object()}${object()}]`, 1, 1, /a comma is missing between two objects/],
    [`[${object()}}},${object()}]`, 2, 1, /a comma is missing/],
    ['[', 0, 1, /the array is not closed/],
  ];
  for (const [text, rows, rejected, reason] of cases) {
    const parsed = newDesk().parse(text);
    t.deepEqual([parsed.rows, parsed.rejectedRows], [rows, rejected], text);
    t.regex(parsed.rejects[0]!.fault.message, reason);
  }
});

test('deep nesting is refused without following it', (t) => {
  const deep = '['.repeat(2_000_000);
  t.is(newDesk().parse(deep).rows, 0);
  const closed = object({ value: `${'['.repeat(500_000)}${']'.repeat(500_000)}` });
  const parsed = newDesk().parse(`[${object()},${closed},${object()}]`);
  t.deepEqual([parsed.rows, parsed.rejectedRows], [2, 1]);
});

test('a value of another type than the column has is refused, by the schema and within one text', (t) => {
  const desk = newDesk();
  desk.tables.set('m', superTable('m', { _value: ['BIGINT'] }, ['a']));
  const n = (value: string) => object({ metric: '"n"', value });
  const parsed = desk.parse(`[${object()},${object({ value: '{"value":1,"type":"i64"}' })},${n('1')},${n('true')}]`);
  t.deepEqual([parsed.rows, parsed.rejectedRows], [2, 2]);
  t.regex(parsed.rejects[0]!.fault.message, /the value is DOUBLE, but the column of table "m" is BIGINT/);
  t.is(parsed.rejects[1]!.fault.code, Codes.schemalessTypeConflict);
});

test('reads what tcollector-http sent', (t) => {
  const bytes = readFileSync(new URL('../../../../../fixtures/tsdbwire/tcollector-http.json', import.meta.url));
  const rows = newDesk().read(bytes);
  const host = { host: 'boxA', cpu: '0', mode: 'idle' };
  t.deepEqual(
    rows.map((row) => [row.table, row.time, row.fields._value?.value, row.tags]),
    [
      ['tc_cpu', 1_795_218_805_000_000_000n, 1, host],
      ['tc_cpu', 1_795_218_806_000_000_000n, 1.1, host],
      ['tc_cpu', 1_795_218_807_000_000_000n, 1.2, host],
      ['tc_notags', 1_795_218_805_000_000_000n, 5, { host: 'boxA' }],
    ],
  );
});

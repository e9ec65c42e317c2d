import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import type { ContextOverrides } from '../../support/engine/query-fixture.js';
import { metersFixture } from '../../support/sql/meters.js';

const fixture = metersFixture();
test.after.always(() => fixture.close());

/** A function call, its JSON and its type. */
const calls: readonly (readonly [call: string, json: string, type: string])[] = [
  ['abs(-5)', '5', 'BIGINT'],
  ['ceil(1.2)', '2', 'DOUBLE'],
  ['floor(-1.2)', '-2', 'DOUBLE'],
  ['round(2.5)', '3', 'DOUBLE'],
  ['round(-2.5)', '-3', 'DOUBLE'],
  ['round(10.55, 1)', '10.6', 'DOUBLE'],
  ['round(10.55, -1)', '10', 'DOUBLE'],
  ['round(99, 1)', '99', 'BIGINT'],
  ['truncate(1.29, 1)', '1.2', 'DOUBLE'],
  ['sign(-3)', '-1', 'BIGINT'],
  ['sqrt(-1)', 'null', 'DOUBLE'],
  ['ln(0)', 'null', 'DOUBLE'],
  ['log(8, 2)', '3', 'DOUBLE'],
  ['log(8, 1)', 'null', 'DOUBLE'],
  ['pow(2, 10)', '1024', 'DOUBLE'],
  ['mod(-7, 4)', '-3', 'DOUBLE'],
  ['mod(7, 0)', 'null', 'DOUBLE'],
  ['asin(2)', 'null', 'DOUBLE'],
  ['greatest(1, NULL)', 'null', 'BIGINT'],
  ['least(3, 1, 2)', '1', 'BIGINT'],
  ["crc32('a')", '3904355907', 'INT UNSIGNED'],
  ["length('日本')", '6', 'BIGINT'],
  ["char_length('日本')", '2', 'BIGINT'],
  ["concat('a', 'b', 'c')", '"abc"', 'VARCHAR'],
  ["concat('a', NULL)", 'null', 'VARCHAR'],
  ["concat_ws('-', 'a', NULL, 'c')", '"a-c"', 'VARCHAR'],
  ["upper('aé')", '"Aé"', 'VARCHAR'],
  ["ltrim('  a ')", '"a "', 'VARCHAR'],
  ["trim('  a ')", '"a"', 'VARCHAR'],
  ["trim(BOTH 'ab' FROM 'ababcab')", '"c"', 'VARCHAR'],
  ["trim(LEADING 'ab' FROM 'ababcab')", '"cab"', 'VARCHAR'],
  ["substring('abc', -2)", '"bc"', 'VARCHAR'],
  ["substring('abc', 0)", '""', 'VARCHAR'],
  ["substring('abc', 2, 1)", '"b"', 'VARCHAR'],
  ["substring_index('a.b.c', '.', -2)", '"b.c"', 'VARCHAR'],
  ["replace('aXbX', 'X', '-')", '"a-b-"', 'VARCHAR'],
  ["repeat('ab', 2)", '"abab"', 'VARCHAR'],
  ["repeat('ab', 0)", '""', 'VARCHAR'],
  ["position('b' IN 'abc')", '2', 'BIGINT'],
  ["position('' IN 'abc')", '1', 'BIGINT'],
  ["find_in_set('b', 'a,b,c')", '2', 'BIGINT'],
  ["ascii('')", '0', 'BIGINT'],
  ['char(77, 121)', '"My"', 'VARCHAR'],
  ["md5('a')", '"0cc175b9c0f1b6a831c399e269772661"', 'VARCHAR'],
  ["sha2('a', 256)", '"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"', 'VARCHAR'],
  ["to_base64('abc')", '"YWJj"', 'VARCHAR'],
  ["from_base64('YWJj')", '"abc"', 'VARCHAR'],
  ['now()', '"2024-01-02T03:04:05.000Z"', 'TIMESTAMP'],
  ['today()', '"2024-01-02T00:00:00.000Z"', 'TIMESTAMP'],
  ["timediff('2024-01-02', '2024-01-01', 1h)", '24', 'BIGINT'],
  ["timediff('2024-01-01', '2024-01-01 00:00:01.500', 1s)", '-1', 'BIGINT'],
  ["timediff('x', '2024-01-01')", 'null', 'BIGINT'],
  ["timetruncate('2024-01-02 03:04:05', 1d)", '"2024-01-02T00:00:00.000Z"', 'TIMESTAMP'],
  ["timetruncate('2024-01-02 03:04:05', 1w)", '"2023-12-28T00:00:00.000Z"', 'TIMESTAMP'],
  ['to_iso8601(0)', '"1970-01-01T00:00:00.000+0000"', 'VARCHAR'],
  ["to_iso8601(0, 'z')", '"1970-01-01T00:00:00.000z"', 'VARCHAR'],
  ["to_iso8601(0, 'Asia/Tokyo')", '"1970-01-01T09:00:00.000+0900"', 'VARCHAR'],
  ["to_iso8601(0, '+08:00')", '"1970-01-01T08:00:00.000+08:00"', 'VARCHAR'],
  ["to_unixtimestamp('1970-01-01T00:00:01Z')", '1000', 'BIGINT'],
  ["to_unixtimestamp('no')", 'null', 'BIGINT'],
  ["to_unixtimestamp('1970-01-01T00:00:01Z', 1)", '"1970-01-01T00:00:01.000Z"', 'TIMESTAMP'],
  ["weekday('2024-01-01')", '0', 'BIGINT'],
  ["dayofweek('2024-01-01')", '2', 'BIGINT'],
  ["weekofyear('2024-01-01')", '1', 'BIGINT'],
  ["week('2024-01-01', 0)", '0', 'BIGINT'],
  ["date('2024-01-01 23:59:59')", '"2024-01-01"', 'VARCHAR'],
  ['if(NULL, 1, 2.5)', '2.5', 'DOUBLE'],
  ["ifnull(NULL, 'a')", '"a"', 'VARCHAR'],
  ['nvl2(NULL, 1, 2)', '2', 'BIGINT'],
  ['nullif(1, 1)', 'null', 'BIGINT'],
  ['coalesce(NULL, NULL, 3)', '3', 'BIGINT'],
  ['isnull(NULL)', 'true', 'BOOL'],
  ['isnotnull(NULL)', 'false', 'BOOL'],
  ['server_version()', '"3.4.0.0"', 'VARCHAR'],
  ['server_status()', '1', 'INT'],
  ['database()', '"m"', 'VARCHAR'],
];

for (const [call, json, type] of calls) {
  test(`computes ${call}`, (t) => {
    t.deepEqual(fixture.rows(`SELECT ${call}`), [`[${json}]`]);
    t.is(String(fixture.meta(`SELECT ${call}`)[0]?.type.name), type);
  });
}

const columnCalls: readonly (readonly [call: string, json: string, overrides?: ContextOverrides])[] = [
  ['length(nc)', '8'],
  ['position(nc IN nc)', '1'],
  ['abs(t)', '5'],
  ['round(d, 1)', '"12.50"'],
  ['timetruncate(ts, 1m)', '"2023-11-14T22:13:00.000000000Z"'],
  ['timetruncate(ts, 1d, 0)', '"2023-11-14T00:00:00.000000000Z"', { connectionZone: 'Asia/Tokyo' }],
  ['timetruncate(ts, 1d)', '"2023-11-14T15:00:00.000000000Z"', { connectionZone: 'Asia/Tokyo' }],
  ['to_iso8601(ts)', '"2023-11-15T07:13:20.123456789+0900"', { connectionZone: 'Asia/Tokyo' }],
  ['date(ts)', '"2023-11-15"', { connectionZone: 'Asia/Tokyo' }],
  ['coalesce(t, ut, 1)', '"-5"'],
  ['hyperloglog(t)', '1'],
];

for (const [call, json, overrides = {}] of columnCalls) {
  test(`computes ${call} of a column with ${JSON.stringify(overrides)}`, (t) => {
    t.deepEqual(fixture.rows(`SELECT ${call} FROM n.x WHERE ts > 0`, overrides), [`[${json}]`]);
  });
}

test('draws numbers from 0 to 1, again the same for a seed', (t) => {
  t.deepEqual(fixture.rows('SELECT rand() < 1, rand() >= 0, rand(7) = rand(7)'), ['[true,true,true]']);
});

for (const [call, code] of [
  ['nope(1)', Codes.invalidFunctionName],
  ['st_covers(1, 2)', Codes.functionParameterType],
  ['interp(1)', Codes.interpClauses],
  ['diff(1)', Codes.invalidTimeline],
  ['abs()', Codes.functionParameterCount],
  ['abs(1, 2)', Codes.functionParameterCount],
  ["abs('a')", Codes.functionParameterType],
  ['upper(1)', Codes.functionParameterType],
  ["timetruncate('2024-01-01', 5)", Codes.functionParameterType],
  ["timetruncate('2024-01-01', 1d, 2)", Codes.functionParameterValue],
  ["to_iso8601(0, 'mars')", Codes.invalidTimeZone],
  ["sha2('a', 5)", Codes.functionParameterValue],
] as const) {
  test(`refuses ${call}`, (t) => {
    t.is(fixture.refusal(`SELECT ${call}`), code);
  });
}

test('refuses aggregates of types they do not take', (t) => {
  for (const call of ['sum(note)', 'avg(ts)', 'stddev(location)', 'spread(note)', 'sum(1, 2)']) {
    t.not(fixture.refusal(`SELECT ${call} FROM meters`), 0, call);
  }
});

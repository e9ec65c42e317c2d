import test from 'ava';
import { parseOtlpJson } from '../../../../src/transforms/parse/otlp/json.js';
import { requestOf } from '../../../support/messages/otlp-messages.js';
import { readOtlp } from '../../../support/messages/otlp-reading.js';

const nanos = '1700000000123456789';
const time = { timeUnixNano: nanos };

const gauge = (name: string, ...dataPoints: object[]): object => ({ name, gauge: { dataPoints } });

test('whole numbers of JSON keep all of their digits, in whatever form they are written', (t) => {
  const bodyOf = (point: string) =>
    Buffer.from(
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${point}]}}]}]}]}`,
    );
  const value = (int: string) =>
    `"attributes":[{"key":"a","value":{"intValue":${int}}},{"key":"b","value":{"arrayValue":{"values":[{"intValue":${int}}]}}}]`;
  for (const [written, read] of [
    ['9007199254740993', '9007199254740993'],
    ['"9007199254740993"', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993.0', '9007199254740993'],
    ['9007199254740.993e3', '9007199254740993'],
    ['90071992547409930E-1', '9007199254740993'],
    ['-0', '0'],
    ['0.0e99', '0'],
  ] as const) {
    const rows = readOtlp(parseOtlpJson, bodyOf(`{"timeUnixNano":1700000000123456790,"asDouble":1,${value(written)}}`));
    t.deepEqual(rows, [`m{"a":"${read}","b":"[${read}]"} gauge=1 1700000000123456790`], written);
  }
  for (const wrong of ['1.5', '15e-1', '1e20', '9223372036854775808', '1e999999999', '01', 'NaN', '""', '"1.0"']) {
    t.regex(
      readOtlp(parseOtlpJson, bodyOf(`{"asDouble":1,${value(wrong)}}`))[0] ?? '',
      /intValue must be an integer/,
      wrong,
    );
  }
});

test('JSON is read whatever stands in its texts, its blanks and its unknown members', (t) => {
  const body = (more: string) =>
    ` { "x" : [ {"y":[1,-2.5e-3,true,false,null,"\\u00e9\\"{"]} , [] , {} ] ,
  "resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[
    {"timeUnixNano":"${nanos}","asDouble":1,"attributes":[{"key":"a\\u002eb","value":{"stringValue":"{[,\\\\ \\ud83d\\ude00 \\n"}}]}
  ]}}]}]}]${more}}
`;
  t.deepEqual(readOtlp(parseOtlpJson, Buffer.from(body(''))), [`m{"a_b":"{[,\\\\ 😀 \\n"} gauge=1 ${nanos}`]);
  for (const wrong of [
    ',"z":01',
    ',"z":tru',
    ',"z":[1 2]',
    ',"z":{"a" 1}',
    ',"z":"\\x"',
    ',"z":',
    ',',
    '}',
    ',"z":[1}',
  ]) {
    t.regex(readOtlp(parseOtlpJson, Buffer.from(body(wrong)))[0] ?? '', /the body is not JSON: .* at byte \d+/, wrong);
  }
  const deep = `,"z":${'['.repeat(200)}${']'.repeat(200)}`;
  t.regex(readOtlp(parseOtlpJson, Buffer.from(body(deep)))[0] ?? '', /z must be nested less deeply/);
});

test('a point of very many values is too long, and many points with many are not', (t) => {
  const attribute = '{"key":"k","value":{"stringValue":"{{{{"}}';
  const bodyOf = (points: readonly string[]) =>
    Buffer.from(
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${points}]}}]}]}]}`,
    );
  const pointOf = (count: number) =>
    `{"timeUnixNano":"${nanos}","asDouble":1,"attributes":[${Array(count).fill(attribute)}]}`;
  const [refused] = readOtlp(parseOtlpJson, bodyOf([pointOf(90_000)]));
  t.regex(refused ?? '', /attributes\[\d+\].* holds more than 250000 values/);
  t.deepEqual(readOtlp(parseOtlpJson, bodyOf(Array(3_000).fill(pointOf(30)))).length, 3_000);
});

test('JSON that is no such request is refused with the place', (t) => {
  const cases: [string, RegExp][] = [
    ['[]', /the body must be an object/],
    ['{', /the body is not JSON/],
    ['{"resourceMetrics":{}}', /resourceMetrics must be an array/],
    [
      '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":1}]}]}]}',
      /resourceMetrics\[0\]\.scopeMetrics\[0\]\.metrics\[0\]\.name must be a string/,
    ],
    [JSON.stringify(requestOf([gauge('m', { timeUnixNano: '1.5' })])), /timeUnixNano must be an integer/],
    [
      JSON.stringify(requestOf([gauge('m', { timeUnixNano: '99999999999999999999' })])),
      /timeUnixNano must be an integer from 0 to 18446744073709551615/,
    ],
    [JSON.stringify(requestOf([gauge('m', { timeUnixNano: -1 })])), /timeUnixNano must be an integer from 0/],
    [
      JSON.stringify(requestOf([gauge('m', { asInt: '9223372036854775808' })])),
      /asInt must be an integer from -9223372036854775808 to 9223372036854775807/,
    ],
    [JSON.stringify(requestOf([gauge('m', { flags: -1 })])), /flags must be an integer from 0 to 4294967295/],
    [JSON.stringify(requestOf([gauge('m', { asDouble: 'x' })])), /asDouble must be a number/],
  ];
  for (const [body, said] of cases) t.regex(readOtlp(parseOtlpJson, Buffer.from(body))[0] ?? '', said, body);
  const snake = {
    resource_metrics: [{ scope_metrics: [{ metrics: [gauge('m', { time_unix_nano: nanos, as_int: 1 })] }] }],
  };
  const written = JSON.stringify(snake).replace('dataPoints', 'data_points');
  t.deepEqual(readOtlp(parseOtlpJson, Buffer.from(written)), [`m{} gauge=1 ${nanos}`]);
  const special = { ...time, asDouble: 'NaN', unknown: {}, asInt: null };
  t.deepEqual(readOtlp(parseOtlpJson, Buffer.from(JSON.stringify(requestOf([gauge('m', special)])))), []);
});

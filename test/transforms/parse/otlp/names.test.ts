import test from 'ava';
import { attributesOf, requestOf } from '../../../support/messages/otlp-messages.js';
import { readBoth } from '../../../support/messages/otlp-reading.js';

const nanos = '1700000000123456789';
const time = { timeUnixNano: nanos };

const gauge = (name: string, ...dataPoints: object[]): object => ({ name, gauge: { dataPoints } });

test('names keep letters of all scripts, in metrics and in attributes of all kinds', (t) => {
  const attributes = attributesOf({
    город: 'a',
    größe: 'x',
    grüße: 'y',
    'ไทย.名': 'z',
    'e\u0301': 'nfd',
    '\u00e9': 'nfc',
  });
  const resource = { attributes: attributesOf({ район: 'r' }) };
  const scope = { name: 'lib', attributes: attributesOf({ 版: 's' }) };
  const rows = readBoth(
    t,
    requestOf(
      ['cpu温度', 'cpu湿度', '温度', 'a--Б.в'].map((name) => gauge(name, { ...time, attributes, asDouble: 1 })),
      resource,
      scope,
    ),
  );
  t.deepEqual(
    rows.map((row) => row.split('{')[0]),
    ['cpu温度', 'cpu湿度', '温度', 'a_Б_в'],
  );
  t.deepEqual(JSON.parse(/\{.*\}/.exec(rows[0] ?? '')?.[0] ?? ''), {
    город: 'a',
    größe: 'x',
    grüße: 'y',
    ไทย_名: 'z',
    'e\u0301': 'nfd',
    '\u00e9': 'nfc',
    район: 'r',
    otel_scope_name: 'lib',
    otel_scope_版: 's',
  });
  t.deepEqual(readBoth(t, requestOf([gauge('🔥-', { ...time, asDouble: 1 })])), [
    '0: metric "🔥-" has no letter or digit',
  ]);
});

test('different attributes whose tags would have one name are joined in one point, whatever place they are in', (t) => {
  const resource = { attributes: attributesOf({ 'a.b': 'r', temporality: 'own' }) };
  const rows = readBoth(
    t,
    requestOf([gauge('m', { ...time, attributes: attributesOf({ 'a-b': 'p' }), asDouble: 1 })], resource),
  );
  t.deepEqual(rows, [`m{"a_b":"p;r","temporality":"own"} gauge=1 ${nanos}`]);
  const sum = { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ ...time, asDouble: 1 }] };
  t.deepEqual(readBoth(t, requestOf([{ name: 'm', sum }], resource)), [
    `m{"a_b":"r","temporality":"delta;own"} counter=1 ${nanos}`,
  ]);
});

test('different names that would be one tag or table are not stored as one', (t) => {
  const point = (name: string, value: number) => ({
    ...time,
    attributes: attributesOf({ [name]: 'x' }),
    asDouble: value,
  });
  const rows = readBoth(t, requestOf([{ name: 'm', gauge: { dataPoints: ['a.b', 'a-b', 'a_b', 'a.b'].map(point) } }]));
  const other = (name: string) =>
    `attribute "${name}" cannot be stored in tag "a_b", which holds attribute "a.b"; rename one of them`;
  t.deepEqual(rows, [
    `m{"a_b":"x"} gauge=0 ${nanos}`,
    `m{"a_b":"x"} gauge=3 ${nanos}`,
    `1: ${other('a-b')}`,
    `2: ${other('a_b')}`,
  ]);
  const metrics = ['hello.world', 'hello-world', 'hello_world'].map((name, i) => gauge(name, { ...time, asDouble: i }));
  const taken = (name: string) =>
    `metric "${name}" cannot be stored in table "hello_world", which holds metric "hello.world"; rename one of them`;
  t.deepEqual(readBoth(t, requestOf(metrics)), [
    `hello_world{} gauge=0 ${nanos}`,
    `1: ${taken('hello-world')}`,
    `2: ${taken('hello_world')}`,
  ]);
});

test('with suffixes the names tell unit and type as the conversion to Prometheus has them', (t) => {
  const point = { dataPoints: [{ ...time, asDouble: 1 }] };
  const cases: [object, string][] = [
    [{ name: 'http.duration', unit: 'ms', gauge: point }, 'http_duration_milliseconds'],
    [
      { name: 'io.bytes', unit: 'By', sum: { ...point, isMonotonic: true, aggregationTemporality: 2 } },
      'io_bytes_total',
    ],
    [{ name: 'total.io', unit: 'By/s', sum: { ...point, isMonotonic: true } }, 'io_bytes_per_second_total'],
    [{ name: 'used', unit: '1', gauge: point }, 'used_ratio'],
    [{ name: 'ratio.used', unit: '1', gauge: point }, 'used_ratio'],
    [{ name: 'custom_metric', unit: 'custom_unit', gauge: point }, 'custom_metric_custom_unit'],
    [{ name: 'per.page', unit: '1/s', gauge: point }, 'per_page_per_second'],
    [{ name: 'requests_per_second', unit: '1/s', gauge: point }, 'requests_per_second'],
    [{ name: 'used', unit: '1', sum: point }, 'used'],
    [{ name: 'calls', unit: '{call}', gauge: point }, 'calls'],
    [{ name: '1st..place', unit: '', gauge: point }, '_1st_place'],
  ];
  for (const [metric, table] of cases) {
    const rows = readBoth(t, requestOf([metric]), { otlpSuffixes: true });
    t.true(
      rows.some((row) => row.startsWith(`${table}{`)),
      rows.join('\n'),
    );
  }
  t.regex(readBoth(t, requestOf([cases[0]![0]])).join('\n'), /^http_duration\{/m);
});

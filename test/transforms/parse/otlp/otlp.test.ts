import test from 'ava';
import fc from 'fast-check';
import { parseOtlpJson } from '../../../../src/transforms/parse/otlp/json.js';
import { parseOtlp } from '../../../../src/transforms/parse/otlp/otlp.js';
import { OtlpTime } from '../../../../src/transforms/parse/otlp/time.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import { attributesOf, otlpRequest, requestOf } from '../../../support/messages/otlp-messages.js';
import { readBoth, readOtlp } from '../../../support/messages/otlp-reading.js';
import { propertyRuns } from '../../../support/property-seed.js';

const nanos = '1700000000123456789';
const time = { timeUnixNano: nanos };

const gauge = (name: string, ...dataPoints: object[]): object => ({ name, gauge: { dataPoints } });

test('numbers become gauges and counters, whole ones too', (t) => {
  const sum = (name: string, isMonotonic: boolean, aggregationTemporality: number): object => ({
    name,
    sum: { dataPoints: [{ ...time, asInt: '-9007199254740993' }], aggregationTemporality, isMonotonic },
  });
  const request = requestOf([
    gauge('room.temperature', { ...time, asDouble: 21.5 }, { ...time, asDouble: Number.MAX_VALUE }),
    sum('requests', true, 2),
    sum('queue', false, 2),
    sum('deltas', true, 1),
  ]);
  t.deepEqual(readBoth(t, request), [
    `room_temperature{} gauge=21.5 ${nanos}`,
    `room_temperature{} gauge=${Number.MAX_VALUE} ${nanos}`,
    `requests{} counter=-9007199254740992 ${nanos}`,
    `queue{} gauge=-9007199254740992 ${nanos}`,
    `deltas{"temporality":"delta"} counter=-9007199254740992 ${nanos}`,
  ]);
});

test('attributes of point, scope and resource become tags; the nearer one counts', (t) => {
  const value = (key: string, any: object): object => ({ key, value: any });
  const attributes = [
    value('http.method', { stringValue: 'GET' }),
    value('9lives', { boolValue: true }),
    value('_own', { intValue: '-5' }),
    value('ratio', { doubleValue: 0.5 }),
    value('list', { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }] } }),
    value('map', { kvlistValue: { values: [value('k', { boolValue: false })] } }),
    value('raw', { bytesValue: 'AQI=' }),
    value('empty', { stringValue: '' }),
    value('count', { stringValue: 'c' }),
    value('a.b', { stringValue: 'second' }),
    value('a-b', { stringValue: 'first' }),
    value('both', { stringValue: 'point' }),
  ];
  const resource = { attributes: attributesOf({ 'service.name': 'shop', both: 'resource' }) };
  const scope = { name: 'lib', version: '1.2', attributes: attributesOf({ 'x.y': 'z' }) };
  const [row] = readBoth(t, requestOf([gauge('m', { ...time, attributes, asDouble: 1 })], resource, scope));
  t.deepEqual(JSON.parse(/\{.*\}/.exec(row ?? '')?.[0] ?? ''), {
    a_b: 'first;second',
    both: 'point',
    tag_count: 'c',
    http_method: 'GET',
    key_9lives: 'true',
    key_own: '-5',
    list: '[1,"x"]',
    map: '{"k":false}',
    otel_scope_name: 'lib',
    otel_scope_version: '1.2',
    otel_scope_x_y: 'z',
    ratio: '0.5',
    raw: 'AQI=',
    service_name: 'shop',
  });
});

test('histograms have cumulative columns by bound, summaries by quantile', (t) => {
  const histogram = {
    ...time,
    count: '6',
    sum: 12.5,
    min: 0.25,
    max: 9,
    bucketCounts: ['1', '2', '3'],
    explicitBounds: [0.5, 10.5],
  };
  const summary = {
    ...time,
    count: '4',
    sum: 8,
    quantileValues: [
      { quantile: 0.5, value: 2 },
      { quantile: 0.99, value: 3 },
    ],
  };
  const again = { ...time, count: '7', bucketCounts: ['1', '2', '1', '3'], explicitBounds: [0.5, 0.5, 2.5] };
  const request = requestOf([
    { name: 'h', histogram: { dataPoints: [histogram, { ...time, count: '2' }], aggregationTemporality: 2 } },
    { name: 'again', histogram: { dataPoints: [again] } },
    { name: 's', summary: { dataPoints: [summary] } },
  ]);
  t.deepEqual(readBoth(t, request), [
    `h{} count=6 sum=12.5 min=0.25 max=9 0.5=1 10.5=3 +Inf=6 ${nanos}`,
    `h{} count=2 ${nanos}`,
    `again{} count=7 0.5=3 2.5=4 +Inf=7 ${nanos}`,
    `s{} count=4 sum=8 0.5=2 0.99=3 ${nanos}`,
  ]);
});

test('exponential histograms keep scale, offsets and counts', (t) => {
  const point = {
    ...time,
    count: '10',
    sum: 3,
    scale: -2,
    zeroCount: '4',
    zeroThreshold: 0.001,
    positive: { offset: -3, bucketCounts: ['1', '0', '9007199254740991'] },
    negative: { offset: 0, bucketCounts: [] },
  };
  const request = requestOf([{ name: 'e', exponentialHistogram: { dataPoints: [point], aggregationTemporality: 1 } }]);
  const text = 'count=10 sum=3 scale=-2 zero_count=4 zero_threshold=0.001 positive_offset=-3';
  t.deepEqual(readBoth(t, request), [
    `e{"temporality":"delta"} ${text} positive_counts=[1,0,9007199254740991] ${nanos}`,
  ]);
});

test('exemplars stand in the table of those of remote write, descriptions and units in that of its metadata', (t) => {
  const exemplar = {
    timeUnixNano: '1700000000000000001',
    filteredAttributes: attributesOf({ user: 'Zoë', none: '' }),
  };
  const late = { ...exemplar, timeUnixNano: '18446744073709551615', asDouble: 1 };
  const point = { ...time, attributes: attributesOf({ path: '/' }) };
  const metrics = [
    {
      name: 'requests',
      description: 'How many.',
      unit: '{request}',
      sum: {
        dataPoints: [
          { ...point, asInt: '7', exemplars: [{ ...exemplar, asInt: '-3' }, late] },
          { ...point, asInt: '8', exemplars: [{ asDouble: 0.5, ...exemplar, timeUnixNano: '0' }] },
        ],
        aggregationTemporality: 2,
        isMonotonic: true,
      },
    },
    gauge('plain', { ...time, asDouble: 1 }),
    { name: 'latency', unit: 's', histogram: { dataPoints: [{ ...time, count: '1', exemplars: [{ asDouble: 2 }] }] } },
  ];
  const labels = { labels: '{"__name__":"requests","path":"/"}' };
  const rows = readBoth(t, requestOf([...metrics, ...metrics]), { nowTicks: 90_000_000_000_000n, maxTicks: 2n ** 62n });
  t.deepEqual([...new Set(rows)].toSorted(), [
    `latency{} count=1 ${nanos}`,
    `metric_exemplars${JSON.stringify({ labels: '{"__name__":"latency"}' })} v=2 exemplar={} ${nanos}`,
    `metric_exemplars${JSON.stringify(labels)} v=-3 exemplar={"user":"Zoë"} 1700000000000000001`,
    `metric_exemplars${JSON.stringify(labels)} v=0.5 exemplar={"user":"Zoë"} ${nanos}`,
    `metric_metadata${JSON.stringify({ labels: '{"__name__":"latency"}' })} type=histogram unit=s 86400000000000`,
    `metric_metadata${JSON.stringify({ labels: '{"__name__":"requests"}' })} type=counter help=How many. unit={request} 86400000000000`,
    `plain{} gauge=1 ${nanos}`,
    `requests{"path":"/"} counter=7 ${nanos}`,
    `requests{"path":"/"} counter=8 ${nanos}`,
  ]);
  t.is(rows.filter((row) => row.startsWith('metric_metadata')).length, 2);
  const desk = new LineProtocolDesk();
  const counted = parseOtlp(otlpRequest(requestOf(metrics)), { ...desk.options(), maxTicks: 2n ** 62n });
  t.is(counted.leftOut, 1);
});

test('a metric with the name of the table of metadata or exemplars loses its points, or has the table to itself', (t) => {
  const read = (...metrics: object[]): unknown[] => {
    const desk = new LineProtocolDesk();
    const parsed = parseOtlp(otlpRequest(requestOf(metrics)), desk.options());
    const messages = parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`);
    return [...desk.rows(parsed).map(({ table }) => table), ...messages, parsed.leftOut];
  };
  const metadata = { ...gauge('metric_metadata', { ...time, asDouble: 1 }), unit: 's' };
  const reason = 'table "metric_metadata" has a JSON tag, beside which there is no other';
  const other = gauge('other', { ...time, asDouble: 1, exemplars: [{ asDouble: 2 }] });
  t.deepEqual(read(metadata, other), ['metric_metadata', 'other', 'metric_exemplars', `0: ${reason}`, 0]);
  const exemplars = gauge('metric_exemplars', { ...time, asDouble: 1 });
  t.deepEqual(read(exemplars, other), ['metric_exemplars', 'other', 1]);
});

test('ids of traces and spans are labels of an exemplar', (t) => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const request = (ids: object): object =>
    requestOf([gauge('load', { ...time, asDouble: 1, exemplars: [{ asDouble: 1, ...ids }] })]);
  const inBytes = { traceId: Buffer.from(traceId, 'hex'), spanId: Buffer.from(spanId, 'hex') };
  const expected = `v=1 exemplar={"span_id":"${spanId}","trace_id":"${traceId}"}`;
  for (const rows of [
    readOtlp(parseOtlp, otlpRequest(request(inBytes))),
    readOtlp(parseOtlpJson, Buffer.from(JSON.stringify(request({ spanId, traceId })))),
  ]) {
    t.true(
      rows.some((row) => row.includes(expected)),
      rows.join('\n'),
    );
  }
  const [wrong] = readOtlp(parseOtlpJson, Buffer.from(JSON.stringify(request({ traceId: 'xyz' }))));
  t.regex(wrong ?? '', /exemplars\[0\]\.traceId must be a string of hexadecimal digits/);
});

test('nanoseconds in 64 bits are split exactly', (t) => {
  const time = new OtlpTime();
  const view = new DataView(new ArrayBuffer(8));
  const edges = fc.bigInt({ min: 0n, max: 18446744073n }).map((seconds) => seconds * 1_000_000_000n);
  const any = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    edges,
    edges.map((edge) => (edge > 0n ? edge - 1n : edge)),
  );
  fc.assert(
    fc.property(any, (nanoseconds) => {
      view.setBigUint64(0, nanoseconds, true);
      time.read(view, 0);
      t.is(BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos), nanoseconds);
      t.true(time.nanos >= 0 && time.nanos < 1e9);
    }),
    { numRuns: propertyRuns(700) },
  );
});

test('a bad point costs itself alone, and one without a value is none', (t) => {
  const long = attributesOf({ long: 'x'.repeat(70_000) });
  const request = requestOf([
    gauge('ok', { ...time, asDouble: 1 }),
    gauge('', { ...time, asDouble: 1 }),
    gauge('old', { timeUnixNano: '5', asDouble: 1 }),
    gauge('long', { ...time, attributes: long, asDouble: 1 }),
    gauge('absent', { ...time, flags: 1 }),
    gauge('nothing', time),
    { name: 'h', histogram: { dataPoints: [{ ...time, count: '1', bucketCounts: ['1'], explicitBounds: [1, 2] }] } },
    { name: 'h', histogram: { dataPoints: [{ ...time, bucketCounts: ['1', '0', '0'], explicitBounds: [2, 1] }] } },
    gauge('fine', { ...time, asDouble: 2 }),
  ]);
  t.deepEqual(readBoth(t, request, { minTicks: 1_000_000n }), [
    `ok{} gauge=1 ${nanos}`,
    `fine{} gauge=2 ${nanos}`,
    '1: the metric is missing',
    '2: the time is older than the database keeps',
    '3: its attributes take more than 65536 bytes',
    '6: it has 1 buckets and 2 bounds between them',
    '7: bound 1 stands behind bound 2',
  ]);
});

test('points of a resource with very long attributes are refused, and so many exemplars are stored', (t) => {
  const exemplars = Array.from({ length: 1_500 }, (_, at) => ({ timeUnixNano: `${at}000000`, asInt: `${at}` }));
  const scopes = [
    { metrics: [gauge('a', { ...time, asDouble: 1 })] },
    { metrics: [gauge('b', { ...time, asDouble: 1 })] },
  ];
  const resourceMetrics = [
    { resource: { attributes: attributesOf({ long: 'x'.repeat(70_000) }) }, scopeMetrics: scopes },
    { scopeMetrics: [{ metrics: [gauge('c', { ...time, asDouble: 1, exemplars })] }] },
  ];
  const rows = readOtlp(parseOtlp, otlpRequest({ resourceMetrics }));
  const refusals = [0, 1].map((row) => `${row}: its attributes take more than 65536 bytes`);
  t.deepEqual(rows.slice(-2), refusals);
  t.is(rows.filter((row) => row.startsWith('metric_exemplars')).length, 1_000);
});

test('the order of fields in a message means nothing', (t) => {
  const request = { scope: { name: 's' }, metrics: [gauge('m', { ...time, asDouble: 1 })] };
  const inOrder = otlpRequest({
    resourceMetrics: [{ resource: { attributes: attributesOf({ a: 'b' }) }, scopeMetrics: [request] }],
  });
  const field = (key: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(key, bytes.length), bytes]);
  const inner = inOrder.subarray(2);
  const resourceLength = inner[1]! + 2;
  const turned = Buffer.concat([inner.subarray(resourceLength), inner.subarray(0, resourceLength)]);
  t.deepEqual(readOtlp(parseOtlp, field(0x0a, turned)), readOtlp(parseOtlp, inOrder));
  t.is(readOtlp(parseOtlp, inOrder).length, 1);
});

test('series that came before are found again, in any order', (t) => {
  const desk = new LineProtocolDesk();
  const request = (first: number): Buffer =>
    otlpRequest(
      requestOf(
        [0, 1, 2].map((i) =>
          gauge(
            `m${(i + first) % 3}`,
            ...['a', 'b'].map((host) => ({ ...time, asDouble: i, attributes: attributesOf({ host }) })),
          ),
        ),
      ),
    );
  const rows = [0, 0, 1, 2].map((first) => readOtlp(parseOtlp, request(first), {}, desk));
  for (const row of rows) t.is(row.length, 6);
  t.deepEqual(rows[1], rows[0]);
});

test('attributes that begin like those of the series that came next before, or end before them, are another series', (t) => {
  const desk = new LineProtocolDesk();
  const point = (attributes: Record<string, string>): object => ({
    ...time,
    attributes: attributesOf(attributes),
    asDouble: 1,
  });
  const send = (...points: object[]): string[] =>
    readOtlp(parseOtlp, otlpRequest(requestOf([gauge('load', ...points)])), {}, desk);
  const withTablesLocked = (second: Record<string, string>): string[] => send(point({ h: 'a' }), point(second));
  const row = (tags: object): string => `load${JSON.stringify(tags)} gauge=1 ${nanos}`;
  for (const tags of [{ h: 'b' }, { h: 'b' }, { h: 'b', k: 'c' }, { h: 'b' }, {}, {}, { h: 'b' }]) {
    t.deepEqual(withTablesLocked(tags as Record<string, string>), [row({ h: 'a' }), row(tags)]);
  }
});

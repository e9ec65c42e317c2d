import { attributesOf, otlpRequest, requestOf } from '../messages/otlp-messages.js';
import { encode, labelsOf } from '../messages/remote-messages.js';

const nanos = '1767225600000000000';
const millis = 1_767_225_600_000;
const exemplars = [{ timeUnixNano: nanos, asDouble: 0.5, filteredAttributes: attributesOf({ user: 'Zoë' }) }];
const point = { timeUnixNano: nanos, startTimeUnixNano: nanos, attributes: attributesOf({ path: '/a', code: '200' }) };

/** A request of OpenTelemetry with one of everything, as JSON has it. */
export const otlpEverything = requestOf(
  [
    {
      name: 'load',
      description: 'How busy.',
      unit: '1',
      gauge: { dataPoints: [{ ...point, asDouble: 1.5, exemplars }] },
    },
    { name: 'calls', sum: { dataPoints: [{ ...point, asInt: '7' }], aggregationTemporality: 2, isMonotonic: true } },
    {
      name: 'latency',
      unit: 'ms',
      histogram: {
        dataPoints: [
          { ...point, count: '3', sum: 4.5, bucketCounts: ['1', '2'], explicitBounds: [10], min: 1, max: 2, exemplars },
        ],
        aggregationTemporality: 1,
      },
    },
    {
      name: 'size',
      exponentialHistogram: {
        dataPoints: [
          {
            ...point,
            count: '3',
            sum: 9,
            scale: 2,
            zeroCount: '1',
            positive: { offset: -1, bucketCounts: ['1', '1'] },
          },
        ],
        aggregationTemporality: 2,
      },
    },
    {
      name: 'age',
      summary: { dataPoints: [{ ...point, count: '2', sum: 3, quantileValues: [{ quantile: 0.5, value: 1 }] }] },
    },
  ],
  { attributes: attributesOf({ 'service.name': 'shop' }) },
  { name: 'scope', version: '1.0' },
);

const labels = labelsOf({ __name__: 'latency', job: 'shop' });
const samples = [{ value: 1.5, timestamp: millis }];
const spans = { positive_spans: [{ offset: -3, length: 2 }], positive_deltas: ['1', '2'] };
const histograms = [{ count_int: '4', sum: 18.5, schema: 3, zero_count_int: '0', ...spans, timestamp: millis }];

/** What each input takes, as its clients send it; those of remote write are not yet compressed. */
export const inputBodies = {
  otlp: [otlpRequest(otlpEverything)],
  otlpJson: [Buffer.from(JSON.stringify(otlpEverything))],
  remoteWrite1: [
    Buffer.from(
      encode('WriteRequest', {
        timeseries: [{ labels, samples, histograms, exemplars: [{ labels: labelsOf({ id: 'a' }), ...samples[0] }] }],
        metadata: [{ type: 1, metric_family_name: 'latency', help: 'How long.', unit: 's' }],
      }),
    ),
  ],
  remoteWrite2: [
    Buffer.from(
      encode('WriteRequest2', {
        symbols: ['', '__name__', 'latency', 'job', 'shop', 'How long.', 's'],
        timeseries: [
          {
            labels_refs: [1, 2, 3, 4],
            samples: [{ value: 1.5, timestamp: millis, start_timestamp: 1 }],
            histograms,
            exemplars: [{ labels_refs: [3, 4], value: 1, timestamp: millis }],
            metadata: { type: 3, help_ref: 5, unit_ref: 6 },
            created_timestamp: 5,
          },
          { labels_refs: [1, 4], samples },
        ],
      }),
    ),
  ],
  lines: [
    'cpu,host=a,region=eu usage=12.5,idle=80i,name="x y",ok=true 1767225600000000000',
    'cpu,host=a\\ b usage=1e10\nmem,host=b used=18446744073709551615u 1767225600000000002',
    '# a comment\n\ndisk,path=/var/log text="a \\"quoted\\" \\\\ value",n=1u8 1767225600000000003',
  ].map((text) => Buffer.from(text)),
  queries: [
    'CREATE DATABASE "a b"; SHOW DATABASES',
    'SHOW RETENTION POLICIES ON mutated -- so',
    'SELECT mean("v") FROM "cpu" WHERE time > now() - 1h /* x */ GROUP BY time(1m)',
  ].map((text) => Buffer.from(text)),
  exposition: [
    '# HELP oven How hot.\n# TYPE oven gauge\noven{site="a\\"b",n="1"} 180.5 1767225600000\noven 3\n',
    '# TYPE baking histogram\nbaking_bucket{le="0.5"} 1\nbaking_bucket{le="+Inf"} 2\nbaking_sum 2.5\nbaking_count 2\n',
    '# TYPE calls counter\ncalls_total{a="1"} 42 1767225600 # {id="x"} 1\n# EOF\n',
  ].map((text) => Buffer.from(text)),
  openTsdb: [
    '{"metric":"oven.heat","timestamp":1767225600,"value":180.5,"tags":{"oven":"1","site":"n\\u00e4h"}}',
    '[{"metric":"a","timestamp":1767225600001,"value":"-1e3","tags":{"t":"x"}}, {"value":2,"tags":{"t":"y z"},"metric":"a","timestamp":1767225601}]',
  ].map((text) => Buffer.from(text)),
  telnet: [
    'put oven.heat 1767225600 180.5 oven=1 site=n\u00e4h\nput a 1767225600001 -1e3 t=x\n',
    'version\nput a 1 2 t=y\r\n',
  ].map((text) => Buffer.from(text)),
  graphite: [
    'servers.web01.load 0.4 1767225600\nservers.load;site=north;rack=2 1 1767225600\n',
    'a.b.c;tag=ä -1e-3 -1\nlonely\n',
  ].map((text) => Buffer.from(text)),
} as const;

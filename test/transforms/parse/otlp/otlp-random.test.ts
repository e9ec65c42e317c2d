import test from 'ava';
import fc from 'fast-check';
import { parseOtlpJson } from '../../../../src/transforms/parse/otlp/json.js';
import { parseOtlp } from '../../../../src/transforms/parse/otlp/otlp.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import { attributesOf, otlpRequest, requestOf } from '../../../support/messages/otlp-messages.js';
import { readBoth, readOtlp } from '../../../support/messages/otlp-reading.js';
import { propertyRuns } from '../../../support/property-seed.js';
import { spoiltCopies } from '../../../support/spoilt.js';

const nanos = '1700000000123456789';
const time = { timeUnixNano: nanos };

const gauge = (name: string, ...dataPoints: object[]): object => ({ name, gauge: { dataPoints } });
const attributes = fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 4 });

const points = fc.array(
  fc.record({
    asDouble: fc.double({ noNaN: true, noDefaultInfinity: true }),
    attributes: attributes.map(attributesOf),
  }),
  { maxLength: 4 },
);

test('whatever is written is read in both encodings alike', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 12 }), points), { maxLength: 4 }),
        attributes,
        (metrics, resource) => {
          const request = requestOf(
            metrics.map(([name, dataPoints]) => gauge(name, ...dataPoints.map((point) => ({ ...time, ...point })))),
            { attributes: attributesOf(resource) },
          );
          const rows = readBoth(t, request);
          const expected = metrics.reduce((sum, [, dataPoints]) => sum + dataPoints.length, 0);
          return rows.length === expected;
        },
      ),
      { numRuns: propertyRuns(50) },
    ),
  );
});

const everything = requestOf(
  [
    gauge('g', { ...time, asDouble: 1, attributes: attributesOf({ a: 'b' }) }),
    {
      name: 's',
      unit: 's',
      sum: { dataPoints: [{ ...time, asInt: '1' }], isMonotonic: true, aggregationTemporality: 1 },
    },
    { name: 'h', histogram: { dataPoints: [{ ...time, count: '1', bucketCounts: ['1', '0'], explicitBounds: [1] }] } },
    {
      name: 'e',
      exponentialHistogram: { dataPoints: [{ ...time, scale: 3, positive: { offset: 1, bucketCounts: ['1'] } }] },
    },
    { name: 'q', summary: { dataPoints: [{ ...time, quantileValues: [{ quantile: 0.5, value: 1 }] }] } },
  ],
  { attributes: [{ key: 'l', value: { arrayValue: { values: [{ intValue: '1' }] } } }] },
  { name: 'scope' },
);

test('spoilt bodies are refused or read, and never anything else', (t) => {
  const desk = new LineProtocolDesk();
  const json = Buffer.from(JSON.stringify(everything));
  const count = propertyRuns(1500);
  for (const copy of spoiltCopies(otlpRequest(everything), count))
    t.true(Array.isArray(readOtlp(parseOtlp, copy, {}, desk)));
  for (const copy of spoiltCopies(json, count)) t.true(Array.isArray(readOtlp(parseOtlpJson, copy, {}, desk)));
});

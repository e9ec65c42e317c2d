import test from 'ava';
import fc from 'fast-check';
import { FaultError } from '../../../src/model/fault.js';
import {
  countRows,
  cutMessage,
  type MessagePiece,
  type MessageShape,
  type PieceLimits,
} from '../../../src/transforms/wire/message-pieces.js';
import { attributesOf, otlpAnswer, otlpRequest } from '../../support/messages/otlp-messages.js';
import { decode, encode } from '../../support/messages/remote-messages.js';
import { propertyRuns } from '../../support/property-seed.js';

const series: MessageShape = { steps: [new Set([1, 5])], apart: new Set([3]) };
const points: MessageShape = {
  steps: [new Set([1]), new Set([2]), new Set([2]), new Set([5, 7, 9, 10, 11]), new Set([1])],
  apart: new Set(),
};

/** Pieces of so many rows, however long. */
function ofRows(rows: number): PieceLimits {
  return { rows, bytes: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };
}

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const sample = fc.record({ value: fc.integer(), timestamp: fc.constant('1700000000000') });

/** Lists of a decoded message by their name. */
function list(message: Record<string, unknown>, name: string): unknown[] {
  const value = message[name];
  return Array.isArray(value) ? value : [];
}

test('series and metadata of version 1 are in the pieces in their order', (t) => {
  const one = fc.record({
    labels: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
    samples: fc.array(sample, { maxLength: 3 }),
  });
  const metadata = fc.array(fc.record({ type: fc.nat(7), metric_family_name: text }), { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(one, { maxLength: 20 }),
      metadata,
      fc.integer({ min: 1, max: 6 }),
      (timeseries, told, most) => {
        const message = encode('WriteRequest', { timeseries, metadata: told });
        const whole = decode('WriteRequest', message);
        t.is(countRows(message, series), timeseries.length);
        const pieces = [...cutMessage(message, series, ofRows(most))];
        const read = pieces.map(({ bytes }) => decode('WriteRequest', bytes));
        t.deepEqual(
          read.flatMap((piece) => list(piece, 'timeseries')),
          list(whole, 'timeseries'),
        );
        t.deepEqual(
          read.flatMap((piece) => list(piece, 'metadata')),
          list(whole, 'metadata'),
        );
        t.true(pieces.every(({ rows }) => rows <= most));
      },
    ),
    { numRuns: propertyRuns(100) },
  );
});

test('each piece of version 2 has the symbols, and is not mostly symbols', (t) => {
  const one = fc.record({
    labels_refs: fc.array(fc.nat(5), { maxLength: 4 }),
    samples: fc.array(sample, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), fc.array(one, { maxLength: 20 }), (symbols, timeseries) => {
      const message = encode('WriteRequest2', { symbols, timeseries });
      const whole = decode('WriteRequest2', message);
      const pieces = [...cutMessage(message, series, ofRows(1))];
      const read = pieces.map(({ bytes }) => decode('WriteRequest2', bytes));
      t.deepEqual(
        read.flatMap((piece) => list(piece, 'timeseries')),
        list(whole, 'timeseries'),
      );
      for (const piece of read) t.deepEqual(piece.symbols, whole.symbols);
      const bytes = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
      const ofSymbols = encode('WriteRequest2', { symbols }).length;
      t.true(bytes <= 2 * message.length + ofSymbols, `${bytes} of ${message.length}`);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('data points keep resource, scope and metric, and a metric without points is kept', (t) => {
  const attributes = fc.dictionary(text, text, { maxKeys: 3 }).map(attributesOf);
  const point = fc.record({ attributes, timeUnixNano: fc.constant('1700000000000000000'), asDouble: fc.integer() });
  const dataPoints = fc.array(point, { maxLength: 5 });
  const data = fc.oneof(
    fc.record({ gauge: fc.record({ dataPoints }) }),
    fc.record({ sum: fc.record({ dataPoints, aggregationTemporality: fc.nat(2), isMonotonic: fc.boolean() }) }),
    fc.constant({}),
  );
  const metric = fc
    .tuple(fc.record({ name: text, unit: text, description: text }), data)
    .map((both) => Object.assign({}, ...both));
  const scope = fc.record({
    scope: fc.record({ name: text, attributes }),
    metrics: fc.array(metric, { maxLength: 4 }),
  });
  const resource = fc.record({
    resource: fc.record({ attributes }),
    scopeMetrics: fc.array(scope, { maxLength: 3 }),
    schemaUrl: text,
  });
  fc.assert(
    fc.property(fc.array(resource, { maxLength: 3 }), fc.integer({ min: 1, max: 4 }), (resourceMetrics, most) => {
      const message = otlpRequest({ resourceMetrics });
      const pieces = [...cutMessage(message, points, ofRows(most))];
      t.is(
        pieces.reduce((sum, { rows }) => sum + rows, 0),
        countRows(message, points),
      );
      t.deepEqual(flat(pieces.map(({ bytes }) => bytes)), flat([message]));
    }),
    { numRuns: propertyRuns(100) },
  );
});

/** Every point of messages with all around it, and metrics without points, in their order. */
function flat(messages: readonly Uint8Array[]): unknown[] {
  const names = new Set<string>();
  const all: unknown[] = [];
  const objects = (message: unknown, name: string): Record<string, unknown>[] =>
    list(Object(message), name).map((one) => Object(one));
  for (const message of messages) {
    for (const { scopeMetrics, ...resource } of objects(otlpAnswer('Request', message), 'resourceMetrics')) {
      for (const { metrics, ...scope } of objects({ scopeMetrics }, 'scopeMetrics')) {
        for (const metric of objects({ metrics }, 'metrics')) {
          const kind = ['gauge', 'sum'].find((name) => name in metric) ?? '';
          const { dataPoints, ...data } = Object(metric[kind]);
          const around = { resource, scope, ...metric, [kind]: data };
          const key = JSON.stringify(around);
          if (!names.has(key)) all.push(around);
          names.add(key);
          for (const one of objects({ dataPoints }, 'dataPoints')) all.push({ ...around, one });
        }
      }
    }
  }
  return all;
}

test('what is cut off is malformed before anything is cut', (t) => {
  const message = encode('WriteRequest', { timeseries: [{ labels: [{ name: 'a', value: 'b' }] }, {}] });
  t.throws(() => countRows(message.subarray(0, message.length - 1), series), { instanceOf: FaultError });
});

/** What a reader of the pieces makes of a version 1 message: samples with the index of their series, as {@link cutMessage} numbers them. */
function numbered(pieces: Iterable<MessagePiece>): unknown[] {
  const all: unknown[] = [];
  let rows = 0;
  for (const piece of pieces) {
    const first = rows - (piece.repeatedRows ?? 0);
    rows += piece.rows;
    if (piece.tooLong) all.push([first, 'too long']);
    else {
      for (const [at, one] of list(decode('WriteRequest', piece.bytes), 'timeseries').entries()) {
        const { labels, samples } = Object(one);
        for (const each of samples ?? []) all.push([first + at, labels, each]);
      }
    }
  }
  return [...all, rows];
}

test('a long series is cut at its samples, and each part has its labels and its number', (t) => {
  const one = fc.record({
    labels: fc.array(fc.record({ name: text, value: text }), { maxLength: 2 }),
    samples: fc.array(sample, { maxLength: 30 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), fc.integer({ min: 1, max: 400 }), (timeseries, bytes) => {
      const message = encode('WriteRequest', { timeseries });
      const limits = { ...ofRows(1_000), bytes };
      const expected = numbered([{ bytes: message, rows: timeseries.length }]);
      t.deepEqual(numbered(cutMessage(message, { ...series, inner: new Set([2]) }, limits)), expected);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('a row or a part of one that is too long is left out by its number', (t) => {
  const labels = (length: number) => [{ name: '__name__', value: 'x'.repeat(length) }];
  const timeseries = [
    { labels: labels(5), samples: [{ value: 1, timestamp: 1 }] },
    { labels: labels(500), samples: [{ value: 2, timestamp: 2 }] },
    { labels: labels(6), samples: [{ value: 3, timestamp: 3 }] },
  ];
  const message = encode('WriteRequest', { timeseries });
  const limits = { rows: 1_000, bytes: 100, rowBytes: 100 };
  const told = numbered(cutMessage(message, series, limits));
  t.like(told, [[0], [1, 'too long'], [2], 3]);

  const exemplars = [{ labels: labels(500), value: 1, timestamp: 1 }];
  const inner = encode('WriteRequest', { timeseries: [timeseries[0], { ...timeseries[2], exemplars }] });
  const parts = numbered(cutMessage(inner, { ...series, inner: new Set([2, 3]) }, limits));
  t.like(parts, [[0], [1], [1, 'too long'], 2]);
});

test('millions of empty fields are refused wherever they stand', (t) => {
  const empty = (field: number): Buffer => Buffer.alloc(300_000, Buffer.from([field * 8 + 2, 0]));
  const within = (field: number, bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([field * 8 + 2, ...varintOf(bytes.length)]), bytes]);
  const messages: readonly (readonly [Uint8Array, MessageShape])[] = [
    [empty(1), series],
    [empty(3), series],
    [empty(7), series],
    [within(1, empty(2)), { ...series, inner: new Set([2]) }],
    [empty(1), points],
    [within(1, empty(2)), points],
    [within(1, within(2, empty(2))), points],
    [within(1, within(2, within(2, within(5, empty(1))))), points],
  ];
  const limits = { ...ofRows(1_000), bytes: 1_000 };
  for (const [message, shape] of messages) {
    t.throws(() => countRows(message, shape), { message: /most of them empty/ });
    t.throws(() => [...cutMessage(message, shape, limits)], { message: /most of them empty/ });
  }
});

function varintOf(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varintOf(Math.floor(value / 128))];
}

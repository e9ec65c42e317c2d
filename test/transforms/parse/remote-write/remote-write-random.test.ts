import test from 'ava';
import fc from 'fast-check';
import { FaultError } from '../../../../src/model/fault.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import {
  encode,
  labelsOf,
  packed,
  type TestSeries,
  writeBody,
  writeBody2,
} from '../../../support/messages/remote-messages.js';
import {
  jsonOf,
  parseBody,
  type ReadSample,
  readSamples,
  samplesOf,
} from '../../../support/messages/remote-reading.js';

const one = { samples: [{ value: 1.5, timestamp: 1700000000123 }] };

const label = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  value: fc.string({ unit: 'grapheme', maxLength: 12 }),
});

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

const series = fc.record({
  labels: fc
    .uniqueArray(label, { minLength: 1, maxLength: 6, selector: ({ name }) => name })
    .filter((labels) => labels.some(({ value }) => value !== ''))
    .chain((labels) => {
      const named = labels.filter(({ name }) => name !== '__name__').concat({ name: '__name__', value: 'm' });
      return fc.constantFrom(named, named, labels);
    }),
  samples: fc.array(fc.record({ value: finite, timestamp: fc.integer({ min: 0, max: 4e12 }) }), { maxLength: 5 }),
});

test('whatever another implementation encodes comes out as it went in, also when it comes again', (t) => {
  fc.assert(
    fc.property(fc.array(series, { maxLength: 8 }), (list) => {
      const expected = list.flatMap(({ labels, samples }) =>
        samples.map(({ value, timestamp }): ReadSample => [jsonOf(labels), timestamp, value]),
      );
      const desk = new LineProtocolDesk();
      for (let i = 0; i < 2; i++) t.deepEqual(samplesOf(desk, parseBody(desk, writeBody(list))), expected);
      const isNamed = ({ labels }: TestSeries) => labels.some(({ name, value }) => name === '__name__' && value !== '');
      if (list.every(isNamed)) t.deepEqual(readSamples(writeBody2(list)), expected);
    }),
    { numRuns: 200 },
  );
});

/** What a message comes to: its rows and its rejects, or why it is refused. */
function outcome(desk: LineProtocolDesk, body: Uint8Array): unknown {
  try {
    const parsed = parseBody(desk, body);
    return [samplesOf(desk, parsed), parsed.rejects, parsed.lines];
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

test('a message is read the same whatever came before it', (t) => {
  const names = ['up', 'node_load_1', 'node_load_15', 'x'];
  const series = names.map((name) => ({ labels: labelsOf({ __name__: name, job: 'job' }), ...one }));
  const more = fc.array(fc.nat(names.length - 1), { minLength: 2, maxLength: 8 });
  const change = fc.record({ at: fc.nat(), drop: fc.nat(2), bytes: fc.uint8Array({ maxLength: 2 }) });
  fc.assert(
    fc.property(more, fc.array(change, { maxLength: 2 }), (order, changes) => {
      const message = encode('WriteRequest', { timeseries: order.map((i) => series[i]!) });
      const mutated = changes.reduce((bytes, { at, drop, bytes: added }) => {
        const from = at % bytes.length;
        return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + drop)]);
      }, Buffer.from(message));
      const desk = new LineProtocolDesk();
      for (let i = 0; i < 3; i++) parseBody(desk, packed(message));
      t.deepEqual(outcome(desk, packed(mutated)), outcome(new LineProtocolDesk(), packed(mutated)));
    }),
    { numRuns: 700 },
  );
});

test('mutated messages are read or refused, and never break', (t) => {
  const bodies = [writeBody, writeBody2].map((body) =>
    body(['a', 'b', 'c'].map((name) => ({ labels: labelsOf({ __name__: name, job: 'job' }), ...one }))),
  );
  const desk = new LineProtocolDesk();
  fc.assert(
    fc.property(
      fc.nat(1),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      fc.nat(10),
      (which, changes, cut) => {
        const mutated = Buffer.from(bodies[which] ?? Buffer.alloc(0));
        for (const [at, byte] of changes) mutated[at % mutated.length] = byte;
        try {
          const { rows, rejectedRows } = parseBody(desk, mutated.subarray(0, mutated.length - cut));
          t.true(rows + rejectedRows < 100);
        } catch (error) {
          if (!(error instanceof FaultError)) throw error;
          t.is(error.fault.kind, 'parameter');
        }
      },
    ),
    { numRuns: 1000 },
  );
  t.deepEqual(samplesOf(desk, parseBody(desk, bodies[0] ?? Buffer.alloc(0))).length, 3);
});
